"""Reads that agents made without us, as their transcripts tell (N5, N6).

Most readers show numbered lines: then the line end of the last one is not seen, and a
line end at the end of the file appears as one more, empty line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.events import Edit, Read
from ibid.engine.ledger import meter, seen
from ibid.engine.ledger.reread import is_soon
from ibid.store import shown
from ibid.text.diffs import split_lines
from ibid.text.digest import digest

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row


class Lines(NamedTuple):
    """Which lines an event shows; ``total`` as in `shown.Shown`."""

    first: int
    last: int
    total: int
    text: str
    fingerprint: str


def lines_of(event: Read | Edit) -> Lines:
    r"""Return which lines were shown, or written as a whole file.

    >>> from ibid.agents.events import Head
    >>> lines_of(Read(Head("s"), "a", 1, 3, "a\nb\n", 3))[:3]  # Two, numbered as three.
    (1, 2, 2)
    >>> lines_of(Read(Head("s"), "a", 1, 3, "a\nb\n", 9))[:3]  # The third is empty.
    (1, 3, 9)
    """
    if isinstance(event, Edit):
        text, first = event.after, 1
        last = total = text.count("\n") + (not text.endswith("\n"))
    else:
        text, first = event.text, max(event.first, 1)
        last, total = _range(event, first)
    return Lines(first, last, total, text, digest(text.encode("utf-8", "replace")))


def _range(event: Read, first: int) -> tuple[int, int]:
    pieces = event.text.count("\n") + 1
    told = event.last or first + pieces - 1
    at_end = 0 < event.total <= told
    counted = event.last - first + 1 == pieces
    if event.text.endswith("\n") and (at_end or not counted or not event.total):
        pieces -= 1
    last = first + pieces - 1
    return last, last if at_end else (event.total if event.total > last else 0)


def note_read(connection: Connection, row: shown.Shown, number: int, text: str) -> None:
    """Take back the saving of a short answer that this read was made in spite of (N6).

    ``number`` is the row's id, ``text`` what it shows.  A read that shows something
    else than the short answer stood for had its own reason.
    """
    if row.epoch == shown.STALE:
        return
    key = shown.ReaderKey(row.session, row.scope, row.epoch)
    for known in shown.reader_rows(connection, key, [row.path]):
        if known["id"] == number or known["at"] > row.at:
            continue
        if known["first"] > row.last or row.first > known["last"]:
            continue
        short = known["answer"] in (shown.STUB, shown.DELTA)
        if (
            short
            and is_soon(connection, key, known, row.at)
            and _holds(row, text, known)
        ):
            meter.take_back(connection, known, row.at)
        return


def _holds(row: shown.Shown, text: str, known: Row) -> bool:
    """Say whether ``text`` holds the lines that an earlier answer stood for."""
    if known["first"] < row.first or row.last < known["last"]:
        return False
    lines = split_lines(text)[known["first"] - row.first :]
    part = "".join(lines[: known["last"] - known["first"] + 1])
    whole = (part, part + "\n")  # The end of the last line is perhaps not shown.
    return known["fingerprint"] in [
        digest(one.encode("utf-8", "replace")) for one in whole
    ]


def note_failed(
    connection: Connection, reader: shown.ReaderKey, path: str, at: int
) -> None:
    """Let a file fall out that the reader could not read: perhaps it is gone (N5)."""
    if reader.epoch == shown.STALE or not path:
        return
    if shown.reader_rows(connection, reader, [path]):
        seen.add_gone(connection, reader, path, at)
