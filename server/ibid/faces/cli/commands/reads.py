"""``ibid read`` and ``ibid reads``: the read ledger."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ibid.duties import reading
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common, parse_range
from ibid.store.shown import FilePage
from ibid.text.redact import redact


@click.command()
@click.argument("file")
@click.option("--session", default="", help="Who reads; without, nothing is recorded.")
@click.option("--scope", default="", help="A subagent's id; without, the main thread.")
@click.option("--agent", default="", help="The agent, such as claude-code.")
@click.option("--range", "lines", metavar="A:B", default="", help="Lines from 1.")
@click.option("--fresh", is_flag=True, help="All of it, whatever was shown before.")
@click.option(
    "--limit",
    default=0,
    type=click.IntRange(0),
    help="Characters that surely reach the reader; longer answers do not count.",
)
@common
def read(  # noqa: PLR0913, PLR0917 - one option each.
    face: Face,
    file: str,
    session: str,
    scope: str,
    agent: str,
    lines: str,
    fresh: bool,
    limit: int,
) -> None:
    """Print FILE for a reader: all of it, or what it has not in context yet.

    A reader that was shown these lines before gets one line that says so, or what
    changed since; the numbers in it are handles for `ibid expand`.
    """
    first, last = parse_range(lines)
    request = reading.FileRequest(
        path=locate(face, file),
        session=session,
        scope=scope,
        first=first,
        last=last,
        fresh=fresh,
        agent=agent,
        limit=limit,
    )
    answer = reading.read_file(face.memory, request)
    if face.as_json:
        render.json(shapes.read_answer(answer))
        return
    text = answer.text if answer.answer == "full" else answer.text + "\n"
    render.raw(text.encode("utf-8", "replace"))
    if answer.before:
        render.notice(answer.before)


@click.command()
@click.argument("path", required=False)
@click.option("--limit", default=50, type=click.IntRange(0, 1000), show_default=True)
@click.option("--offset", default=0, type=click.IntRange(0))
@common
def reads(face: Face, path: str | None, limit: int, offset: int) -> None:
    """Show who read or changed PATH and what changed since, or the last files read."""
    if path:
        found = reading.file_history(face.memory, locate(face, path))
        relative = face.memory.notes.relative(found.path)
        shape = shapes.file_history(found, relative)
        face.show(shape, lambda: _show_history(shape))
        return
    files, total = face.memory.ledger.files(FilePage(limit, offset))
    page = shapes.touched_files(files, total, face.memory.notes.relative)

    def show() -> None:
        render.table(
            ("last", "sessions", "reads", "edits", "file"),
            (
                (
                    render.when(row["at"]),
                    row["sessions"],
                    row["reads"],
                    row["edits"],
                    row["name"],
                )
                for row in page["files"]
            ),
            "No session has read or changed a file yet.",
        )

    face.show(page, show)


def _show_history(shape: shapes.Json) -> None:
    render.line(f"{redact(shape['path'])}: {shape['line'] or 'no session knew it'}")
    if not shape["reads"]:
        return
    render.table(
        ("when", "what", "lines", "agent", "session", "turn", "title"),
        (
            (
                render.when(one["at"]),
                one["kind"],
                f"{one['first']}-{one['last']}" if one["last"] else "–",
                one["agent"] + (f" {one['scope'][:8]}" if one["scope"] else ""),
                one["session"][:8],
                one["turn"] or "–",
                one["title"],
            )
            for one in shape["reads"]
        ),
    )


def locate(face: Face, file: str) -> str:
    """Return the file that is meant: here, else below the project given."""
    here = os.path.abspath(Path(file).expanduser())  # noqa: PTH100 - keeps links.
    there = reading.locate(face.memory.project.path, file)
    below = [there, here] if face.project else [here, there]
    return next((one for one in below if os.path.lexists(one)), below[0])
