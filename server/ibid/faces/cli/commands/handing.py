"""``ibid handoff`` and ``ibid claim``: what sessions leave and say to each other."""

from __future__ import annotations

import click

from ibid.engine.keep.instructions import Wanted
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common


@click.command()
@click.option("--write", is_flag=True, help="Write it into .ibid/state, too.")
@click.option("--session", default="", help="Of this session; else of the latest.")
@common
def handoff(face: Face, write: bool, session: str) -> None:
    """Show where a session left off: what the next one boots from."""
    handoffs = face.memory.handoffs
    made = handoffs.write(session) if write else handoffs.preview(session)

    def show() -> None:
        render.text(made.text.rstrip("\n"))
        where = f"; written to {made.path}" if made.path else ""
        render.notice(f"≈ {made.tokens} tokens{where}.")

    face.show(shapes.handoff(made), show)


@click.command()
@click.argument("paths", nargs=-1)
@click.option("--release", is_flag=True, help="Let go of PATHS; of all without any.")
@click.option("--session", default="", help="The session that claims.")
@common
def claim(face: Face, paths: tuple[str, ...], release: bool, session: str) -> None:
    """Claim PATHS for a session, so that others work elsewhere; or list claims.

    A claim ends with its session, or after an hour of silence.
    """
    parallel = face.memory.parallel
    if release:
        claims = parallel.release(session, paths)
    elif paths or session:
        claims = parallel.claim(session, paths)
    else:
        claims = parallel.claims()
    if paths or release:
        face.memory.handoffs.ensure_agents()
    rows = [shapes.claim(one) for one in claims]

    def show() -> None:
        render.table(
            ("session", "agent", "since", "path"),
            (
                (one["session"][:8], one["agent"], render.when(one["at"]), one["path"])
                for one in rows
            ),
            "No path is claimed.",
        )

    face.show(rows, show)


@click.command()
@click.argument("file", default="")
@click.option("--note", "notes", multiple=True, metavar="ID", help="A note to add.")
@click.option("--handoff", is_flag=True, help="One line by which the handoff is read.")
@click.option("--write", is_flag=True, help="Ask, and change the file.")
@common
def instructions(
    face: Face, file: str, notes: tuple[str, ...], handoff: bool, write: bool
) -> None:
    """Show how notes would change FILE (CLAUDE.md, AGENTS.md, GEMINI.md, copilot).

    Nothing is written without --write and your yes.
    """
    made = face.memory.preview_instructions(Wanted(file, notes, handoff))
    shape = {**shapes.instructions(made), "written": False}
    if write:
        render.notice(made.diff)
        click.confirm(f"Change {made.path} so?", abort=True, err=True)
        done = face.memory.write_instructions(made)
        shape["written"] = not done.conflict
    face.show(shape, lambda: render.text(made.diff.rstrip("\n")))
