"""All that the command line prints; nothing else in Ibid prints.

Text is cleaned of control characters even when it does not go to a terminal.
"""

from __future__ import annotations

import json as jsonlib
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ibid.text.clean import one_line, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ibid.engine.keep.erase import Deleted


def json(value: Any) -> None:
    """Print ``value`` as JSON, one line."""
    text = jsonlib.dumps(value, ensure_ascii=False)
    print(text.encode("utf-8", "replace").decode("utf-8"))


def line(text: str = "") -> None:
    """Print one line of cleaned text."""
    print(one_line(text) if text else "")


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


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; the last column takes what room is left."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for at, head in enumerate(heads):
        last = at == len(heads) - 1
        grid.add_column(
            head,
            overflow="fold",
            no_wrap=not last,
            min_width=30 if last else None,
            max_width=None if last else 56,
        )
    for row in rows:
        grid.add_row(*(Text(one_line(str(cell))) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=160)
    console.print(grid)


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
