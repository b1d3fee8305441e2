"""Import, recall, search, expand and receipts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ibid.duties import importing
from ibid.duties.rivals import note_rivals
from ibid.engine import reindex
from ibid.engine.model import LAYERS, RecallRequest, SearchRequest
from ibid.engine.recall.expanding import Part
from ibid.errors import InputError
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.commands.reads import locate
from ibid.faces.cli.options import Face, common, parse_range
from ibid.store.receipts import WITHHELD, ReceiptPage

if TYPE_CHECKING:
    from collections.abc import Iterator


_NONE_HERE = (
    "No session of this project was found where this machine's agents keep theirs. "
    "Name a transcript or a folder of them (ibid import PATH), or take every project's "
    "(--all)."
)
_NO_FILES = "No transcript was found there. Name one, or a folder that holds some."


@click.command("import")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Every project's sessions.")
@common
def import_(face: Face, paths: tuple[Path, ...], everything: bool) -> None:
    """Import agents' transcripts: PATHS, or those this machine keeps of the project.

    A session belongs to the project of its first working directory; with --project,
    sessions of given PATHS go there.  Importing again adds nothing.
    """
    if paths:
        files = importing.find_transcripts(paths)
        owner = face.memory if face.project else None
    else:
        files = importing.machine_transcripts(dict(os.environ), Path.home())
        owner = None
        if not everything:
            files = [one for one in files if importing.belongs(one, face.memory)]
            owner = face.memory
    run = importing.ImportRun(files, owner, face.memory_of_or_here)
    drive(run.steps(), "Importing", quiet=face.as_json)
    for _ in reindex.steps(face.memory, always=True):
        pass
    report = run.report.as_dict()

    def text() -> None:
        for problem in run.report.problems:
            render.notice(problem)
        if not files:
            render.notice(_NO_FILES if everything or paths else _NONE_HERE)
        render.line(
            f"{render.count(report['sessions'], 'new session')}, "
            f"{render.count(report['turns'], 'turn')}, "
            f"{render.count(report['episodes'], 'episode')}, "
            f"{render.count(report['candidates'], 'candidate')}, "
            f"{render.count(report['archived'], 'text')} archived, "
            f"{render.count(report['reads'], 'read')}; "
            f"{render.count(report['skippedLines'], 'line')} skipped, "
            f"{render.count(report['bytes'], 'byte')} in {report['seconds']} s"
        )

    face.show(report, text)


def drive(steps: Iterator[importing.Progress], title: str, *, quiet: bool) -> None:
    """Run an import or a replay, with a progress bar on a terminal."""
    if quiet or not render.is_terminal():
        for _ in steps:
            pass
        return
    with render.progress(title) as advance:
        for step in steps:
            advance(step.bytes, step.total, step.name)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--session", default="", help="The agent's session id.")
@click.option("--agent", default="", help="The agent, such as claude-code.")
@click.option("--role", default="", help="The agent profile.")
@common
def recall(
    face: Face, text: tuple[str, ...], session: str, agent: str, role: str
) -> None:
    """Show the block that a prompt TEXT gets, and write its receipt."""
    request = RecallRequest(" ".join(text), session, agent, role)
    note_rivals(face.memory)
    answer = face.memory.recall(request)

    def show() -> None:
        if answer.block is not None:
            render.text(answer.block)
        render.notice(answer.reason)

    face.show(shapes.recalled(answer), show)


@click.command()
@click.argument("text", nargs=-1)
@click.option("--path", default="", help="Only what is about this file; TEXT or not.")
@click.option(
    "--layers", default=",".join(LAYERS), help="Some of L0,L1,L2,L3.", show_default=True
)
@click.option("--archive", is_flag=True, help="What agents observed, too.")
@click.option("--limit", default=20, type=click.IntRange(0, 500), show_default=True)
@click.option("--offset", default=0, type=click.IntRange(0), show_default=True)
@common
def search(  # noqa: PLR0913, PLR0917 - one option each.
    face: Face,
    text: tuple[str, ...],
    path: str,
    layers: str,
    archive: bool,
    limit: int,
    offset: int,
) -> None:
    """Search messages, notes, episodes and the profile for any TEXT.

    With --path notes on that file and, with --archive, what agents saw of it.
    """
    chosen = tuple(one.strip().upper() for one in layers.split(",") if one.strip())
    unknown = [one for one in chosen if one not in LAYERS]
    if unknown:
        raise InputError(f"No layer {unknown[0]}. There are: {', '.join(LAYERS)}.")
    if not (text or path):
        raise InputError("Name a TEXT to look for, or a file with --path.")
    place = locate(face, path) if path else ""
    request = SearchRequest(" ".join(text), chosen, archive, limit, offset, place)
    found = face.memory.search(request)

    def show() -> None:
        for hit in found.hits:
            render.line(f"{hit.layer} {hit.category} {hit.id}  {hit.score:.3f}")
            render.line(f"   {hit.text[:300]}")
        if not found.hits:
            render.notice(found.reason)

    face.show(shapes.found(found), show)


@click.command()
@click.argument("handle")
@click.option("--reveal", is_flag=True, help="Show secrets instead of masking them.")
@click.option("--lines", metavar="A:B", default="", help="These lines, from 1.")
@click.option("--head", default=0, type=click.IntRange(0), help="The first N lines.")
@click.option("--tail", default=0, type=click.IntRange(0), help="The last N lines.")
@click.option("--find", default="", help="Lines with these words, and their numbers.")
@common
def expand(face: Face, handle: str, reveal: bool, lines: str, **wanted: Any) -> None:
    """Print the whole text behind a HANDLE, a number like #412, or a turn.

    A part of it is printed with --lines, --head and --tail, or --find.
    """
    first, last = parse_range(lines)
    expanded = face.memory.expand(handle, reveal, Part(first, last, **wanted))
    if face.as_json:
        render.json(shapes.expanded(expanded))
    elif wanted["find"]:
        render.text(expanded.numbered())
    else:
        render.raw(expanded.data)


@click.command()
@click.argument("name", required=False)
@click.option("--session", default="", help="Only those of one session.")
@click.option("--note", default="", help="Only those that used one note.")
@click.option("--limit", default=50, type=click.IntRange(0, 1000), show_default=True)
@click.option("--offset", default=0, type=click.IntRange(0))
@common
def receipts(  # noqa: PLR0913, PLR0917 - one option each.
    face: Face, name: str | None, session: str, note: str, limit: int, offset: int
) -> None:
    """Show what was injected: all receipts, or the one called NAME (#88 or r-…)."""
    if name:
        view = face.memory.receipts.show(name)
        face.show(shapes.receipt(view), lambda: _show_receipt(shapes.receipt(view)))
        return
    page = ReceiptPage(session, note, limit, offset)
    views, _ = face.memory.receipts.page(page)
    rows = [shapes.receipt(view, whole=face.as_json) for view in views]

    def show() -> None:
        render.table(
            ("receipt", "kind", "when", "session", "items", "tokens", "query"),
            (
                (
                    row["id"],
                    _kind(row),
                    render.when(row["at"]),
                    (row["session"] or "–")[:8],
                    len(row["items"]),
                    row["tokens"],
                    row["query"],
                )
                for row in rows
            ),
            "Nothing was given to an agent yet.",
        )

    face.show(rows, show)


def _kind(row: shapes.Json) -> str:
    return f"{row['kind']} {row['control']}" if row["control"] else str(row["kind"])


def _show_receipt(row: shapes.Json) -> None:
    if row["control"] == WITHHELD:
        said = f"{row['kind']} was withheld to compare (control group)"
        render.line(f"{row['id']}: {said}")
        return
    layers = " · ".join(f"{name} {count}" for name, count in row["layers"].items())
    render.line(
        f"Memory used {row['id']}: {len(row['items'])} items, {row['tokens']} tokens "
        f"({row['estimator']}) · {layers}"
    )
    for item in row["items"]:
        origin = f"  ({item['project']})" if item["project"] else ""
        render.line(f"  {item['score']:.3f}  {item['text']}{origin}")
    render.line()
    render.text(row["text"])
