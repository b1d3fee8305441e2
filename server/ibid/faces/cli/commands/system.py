"""Sessions, policies, export, report and verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ibid.duties.exporting import export_all, main_transcript, read_transcript
from ibid.engine.keep.policy import DEFAULTS, PRESETS
from ibid.errors import InputError
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common
from ibid.store.verify import verify as verify_store
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.store.driver import Row


@click.group()
def session() -> None:
    """List sessions and set their presets."""


@session.command("list")
@click.option("--limit", default=50, type=click.IntRange(0, 10_000))
@click.option("--offset", default=0, type=click.IntRange(0))
@common
def list_(face: Face, limit: int, offset: int) -> None:
    """List the project's sessions, newest first."""
    rows, total = face.memory.sessions.page(limit, offset)
    shown = [shapes.session(row) for row in rows]

    def show() -> None:
        # Few have a control group: its column would only push the titles aside.
        without = ("without",) if any(row["control"] for row in shown) else ()
        render.table(
            ("session", "agent", "last", "turns", "preset", "kept", *without, "title"),
            (
                (
                    face.memory.sessions.short(row["session"]),
                    row["agent"],
                    render.when(row["at"]),
                    row["turns"],
                    row["preset"],
                    "kept" if row["kept"] else "",
                    *(" ".join(row["control"]) for _ in without),
                    row["title"],
                )
                for row in shown
            ),
            "No session yet. `ibid import` reads those of your agents.",
        )
        if total > len(shown):
            render.notice(f"{len(shown)} of {total}; more with --offset.")

    face.show(shown, show)


@session.command()
@click.argument("name", metavar="SESSION")
@click.argument("chosen", metavar="PRESET", type=click.Choice(tuple(PRESETS)))
@common
def preset(face: Face, name: str, chosen: str) -> None:
    """Give a session a PRESET: default, memory-on, recall-only, private, learn-only."""
    _show_session(face, face.memory.sessions.preset(name, chosen))


@session.command()
@click.argument("name", metavar="SESSION")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def delete(face: Face, name: str, yes: bool) -> None:
    """Delete a whole session for good; notes that it taught stay."""
    row = face.memory.sessions.load(name)
    if not yes:
        render.notice(f"{row['native']} {redact(row['title'])}")
        click.confirm("Delete this session for good?", abort=True, err=True)
    done = face.memory.eraser.delete_session(name)
    face.show(shapes.deleted(done), lambda: render.line(render.erased(done)))


def _show_session(face: Face, row: Row) -> None:
    shape = shapes.session(row)
    face.show(
        shape,
        lambda: render.line(
            f"{shape['session']} {shape['preset']}: read {shape['read']}, "
            f"write {shape['write']}"
        ),
    )


@click.group(invoke_without_command=True)
@click.pass_context
def policy(context: click.Context) -> None:
    """Show or set switches, global and for this project."""
    if context.invoked_subcommand is None:
        context.invoke(get)


@policy.command()
@common
def get(face: Face) -> None:
    """Show the global settings, the project's own, and what holds."""
    _show_policy(face, face.memory.policies())


@policy.command("set")
@click.argument("name", metavar="NAME", type=click.Choice(tuple(DEFAULTS)))
@click.argument("value")
@click.option("--global", "general", is_flag=True, help="For every project.")
@common
def set_(face: Face, name: str, value: str, general: bool) -> None:
    """Set NAME to VALUE: on, off, a word, a number, or inherit.

    `ibid policy get` shows the names and what holds.
    """
    scope = "global" if general else "project"
    given = _value(name, value)
    policies = face.memory.set_policy(scope, name, given)
    _show_policy(face, policies, (name,))


def _value(name: str, value: str) -> Any:
    if value == "inherit":
        return None
    if isinstance(DEFAULTS[name], bool):
        words = {"on": True, "true": True, "off": False, "false": False}
        if value.lower() not in words:
            raise InputError(f"{name} takes on, off or inherit.")
        return words[value.lower()]
    if isinstance(DEFAULTS[name], list):
        return [one.strip() for one in value.split(",") if one.strip()]
    return int(value) if value.isdigit() else value


def _show_policy(
    face: Face, policies: dict[str, dict[str, Any]], names: Iterable[str] = DEFAULTS
) -> None:
    def show() -> None:
        render.table(
            ("setting", "global", "project", "holds"),
            (
                (
                    name,
                    _word(policies["global"][name]),
                    _word(policies["project"][name]),
                    _word(policies["effective"][name]),
                )
                for name in names
            ),
        )

    face.show(policies, show)


def _word(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list):
        return ", ".join(value)
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


@click.command()
@click.option("--transcript", metavar="SESSION", required=True, help="Which session.")
@click.option(
    "--all",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write all its files, its subagents' too, into DIR.",
)
@common
def export(face: Face, transcript: str, folder: Path | None) -> None:
    """Give back a kept transcript, byte for byte, also after its agent deleted it."""
    if folder is not None:
        written = export_all(face.memory, transcript, folder)
        rows = [one._asdict() for one in written]

        def show() -> None:
            for row in rows:
                cut = " (spans were cut)" if row["cut"] else ""
                render.line(f"{row['name']}  {row['bytes']:,} bytes{cut}")

        face.show(rows, show)
        return
    chosen = main_transcript(face.memory, transcript)
    if chosen.cut:
        render.notice(f"{chosen.cut:,} bytes were cut out of this transcript.")
    for piece in read_transcript(face.memory, chosen):
        render.raw(piece)


@click.command()
@click.option("--quick", is_flag=True, help="Structure only, not every byte.")
@common
def verify(face: Face, quick: bool) -> None:
    """Re-derive every digest and link of the project's store."""
    problems = verify_store(face.memory.store.read(), full=not quick)
    rows = [one._asdict() for one in problems]
    shape = {"ok": not rows, "problems": rows}

    def show() -> None:
        for row in rows:
            render.line(f"{row['what']} · {row['where']} · {row['next']}")
        if not rows:
            render.line("Every digest and link holds.")

    face.show(shape, show)
    if rows:
        raise SystemExit(1)
