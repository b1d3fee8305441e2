"""All that the command line prints; nothing else in Ibid prints.

Text is cleaned of control characters even when it does not go to a terminal.
"""

from __future__ import annotations

import json as jsonlib
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from ibid.text.clean import one_line, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ibid.engine.keep.erase import Deleted

GAP = 2  # Blanks between the columns of a table.
LAST = 30  # Columns that its last cell has beside the others, at least.
WIDEST, NARROWEST = 56, 8  # Columns of its other cells.
PIPED = 160  # Columns of all of it where no terminal says how many there are.
BRIEF = 240  # Characters of a text in a list; its own command shows the whole.


def json(value: Any) -> None:
    """Print ``value`` as JSON, one line."""
    text = jsonlib.dumps(value, ensure_ascii=False)
    print(text.encode("utf-8", "replace").decode("utf-8"))


def line(text: str = "") -> None:
    """Print cleaned text on one line; what is indented or set apart stays so."""
    first, *rest = plain(text).replace("\t", "\n").split("\n")
    parts = [first.rstrip(), *(part.strip() for part in rest)]
    print(" ".join(part for part in parts if part))


def text(value: str) -> None:
    """Print cleaned text of several lines."""
    print(plain(value))


def raw(data: bytes) -> None:
    """Write bytes as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def error(code: str, message: str, as_json: bool) -> None:
    """Say on standard error what went wrong, where, and what to do next."""
    if as_json:
        shape = {"error": {"code": code, "message": message}}
        print(jsonlib.dumps(shape, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"ibid: {plain(message)}", file=sys.stderr)


def notice(message: str) -> None:
    """Say something on standard error that is no error."""
    print(plain(message), file=sys.stderr)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], empty: str = ""
) -> None:
    """Print a table as wide as the terminal, or say ``empty`` if there is no row.

    No cell is cut.  The last takes what room is left; where that is little, it stands
    in lines of its own beneath the others.
    """
    from rich.console import Console

    grid = [[one_line(str(cell)) for cell in row] for row in rows]
    if empty and not grid:
        notice(empty)
        return
    console = Console(highlight=False)
    wide = console.width if console.is_terminal else PIPED
    widths = _widths([list(heads), *grid], wide)
    for at, row in enumerate([list(heads), *grid]):
        bold = console.color_system is not None and at == 0
        for one in _lines(row, widths, wide):
            print(click.style(one, bold=True) if bold else one)


def _widths(rows: list[list[str]], wide: int) -> list[int]:
    """Return how wide each column is; 0 for the last if it goes beneath the others."""
    from rich.cells import cell_len

    *widths, last = (max(map(cell_len, column)) for column in zip(*rows, strict=True))
    widths = [min(width, WIDEST) for width in widths]
    room = wide - sum(widths) - GAP * len(widths)
    if room >= min(LAST, last):
        return [*widths, min(room, last)]
    over = sum(widths) + GAP * (len(widths) - 1) - wide
    while over > 0 and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
        over -= 1
    return [*widths, 0]


def _lines(row: list[str], widths: list[int], wide: int) -> list[str]:
    """Return the lines that a row takes."""
    from rich.cells import set_cell_size

    cells = [
        _wrapped(cell, width) for cell, width in zip(row, widths, strict=True) if width
    ]
    kept = [width for width in widths if width]
    lines = [
        (" " * GAP).join(map(set_cell_size, line, kept)).rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]
    if not widths[-1]:
        beneath = _wrapped(row[-1], max(wide - 2 * GAP, NARROWEST)) if row[-1] else []
        lines += [" " * 2 * GAP + line for line in beneath]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """Return the lines of at most ``width`` columns that a text takes."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    if cell_len(text) <= width:
        return [text]
    lines = Text(text).wrap(Console(width=width), width, overflow="fold")
    return [line.plain.rstrip() for line in lines]


def brief(text: str) -> str:
    """Return the beginning of a text, as a list has room for."""
    whole = one_line(text)
    return whole if len(whole) <= BRIEF else whole[: BRIEF - 2].rstrip() + " …"


def is_terminal() -> bool:
    """Say whether somebody watches standard error."""
    return sys.stderr.isatty()


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on standard error; call what it gives with done, total and a name."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    name = TextColumn("{task.fields[name]}")
    columns = (TextColumn(title), BarColumn(), DownloadColumn(), name)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(title, name="", total=None)

        def advance(done: int, total: int, name: str) -> None:
            bars.update(task, completed=done, total=total, name=one_line(name)[:40])

        yield advance


def erased(done: Deleted, stays: str = "") -> str:
    """Return what to say after a deletion; ``stays`` is a file that was left."""
    if stays:
        return f"{done.name} is deleted; its file {stays} stays (--file removes it)."
    if done.job is None:
        return f"{done.name} is deleted; no byte of it is left in the store."
    return (
        f"{done.name} is deleted. Job {done.job} still has to clean up; it goes on by "
        f"itself. {done.waits}"
    )


def count(number: Any, noun: str) -> str:
    """Return how many of something there are: ``1 turn``, ``1,200 turns``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def when(at: int | None) -> str:
    """Return a moment in milliseconds as people read it, in UTC."""
    if not at or at < 0:
        return "–"
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return "–"


def left(milliseconds: int | None, waits: str = "") -> str:
    """Return how long a candidate still waits, or for whom."""
    if waits == "snoozed":
        return "snoozed"
    if milliseconds is None:
        return "waits for you"
    minutes = -(-milliseconds // 60_000)
    return f"{minutes} min" if minutes else "due"
