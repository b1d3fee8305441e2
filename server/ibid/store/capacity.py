"""The size cap: what goes when the verbatim half of the store is too large (M3, M5).

Archived texts and kept transcripts share one cap and go oldest first.  A text that
something refers to is never taken, nor one that is still hot; each leaves a tombstone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.store.archive import ArchiveRow, bury, load_many
from ibid.store.transcripts import bury_transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.store import driver

    Unindex = Callable[[driver.Connection, ArchiveRow, bytes], None]

CAP_BYTES = 2 << 30
_STEP_ROWS = 500  # Texts that one step takes at most,
_STEP_FRAMES = 4  # and frames that it writes anew at most.

_OLDEST = f"""
SELECT {", ".join("a." + field for field in ArchiveRow._fields)},
    a.bytes * length(f.data) / max(f.bytes, 1) AS stored
FROM archive a JOIN frame f ON f.id = a.frame
WHERE a.state = 'cold' AND NOT EXISTS (SELECT 1 FROM reference r
    WHERE r.archive = a.id AND (r.until IS NULL OR r.until > ?))
ORDER BY a.observed LIMIT ?
"""


class Usage(NamedTuple):
    """Bytes that the verbatim half takes in the file, as stored."""

    archive: int
    transcripts: int

    @property
    def total(self) -> int:
        """What the cap is compared with."""
        return self.archive + self.transcripts


class Evicted(NamedTuple):
    """What one step took; ``more`` says that another may be needed."""

    texts: int
    transcripts: int
    more: bool


def usage(connection: driver.Connection) -> Usage:
    """Return what the archive and the kept transcripts take; cheap."""
    sums = [
        connection.execute(sql).fetchone()[0]
        for sql in (
            "SELECT coalesce(sum(length(data)), 0) FROM frame",
            "SELECT coalesce(sum(bytes), 0) FROM archive WHERE state = 'hot'",
            "SELECT coalesce(sum(length(data)), 0) FROM part",
        )
    ]
    return Usage(sums[0] + sums[1], sums[2])


def evict(
    connection: driver.Connection,
    cap_bytes: int,
    now: int,
    unindex: Unindex | None = None,
) -> Evicted:
    """Take the oldest texts and transcripts until the cap holds: one step (M3).

    Call it in a transaction of its own while ``more`` is true; then give free pages
    back by ``PRAGMA incremental_vacuum``.  ``unindex`` is called with each text before
    it goes, to delete its terms, which can only be made from it.
    """
    excess = usage(connection).total - cap_bytes
    if excess <= 0:
        return Evicted(0, 0, more=False)
    why = f"the size cap of {_sized(cap_bytes)} was reached and it was among the oldest"
    found = connection.execute(_OLDEST, (now, _STEP_ROWS)).fetchall()
    rows = [(ArchiveRow(*row[:-1]), int(row[-1])) for row in found]
    transcript = connection.execute(
        "SELECT id, at FROM transcript WHERE gone IS NULL AND bytes > 0"
        " ORDER BY at LIMIT 1"
    ).fetchone()
    if transcript and (not rows or transcript[1] < rows[0][0].observed):
        bury_transcript(connection, transcript[0], now, why)
        return Evicted(0, 1, more=True)
    before = transcript[1] if transcript else None
    taken = _oldest(rows, excess, before)
    if unindex is not None:
        _unindex(connection, taken, unindex)
    bury(connection, taken, now, why)
    return Evicted(len(taken), 0, more=bool(taken))


def _oldest(
    rows: list[tuple[ArchiveRow, int]], excess: int, before: int | None
) -> list[ArchiveRow]:
    """Return the first of ``rows`` that free ``excess`` bytes or fill a step.

    Nothing observed after ``before`` is among them: then it is a transcript's turn.
    """
    taken: list[ArchiveRow] = []
    touched: set[int | None] = set()
    for row, stored in rows:
        touched.add(row.frame)
        late = before is not None and row.observed > before
        if excess <= 0 or late or len(touched) > _STEP_FRAMES:
            break
        taken.append(row)
        excess -= stored
    return taken


def _unindex(
    connection: driver.Connection, rows: list[ArchiveRow], unindex: Unindex
) -> None:
    """Delete the terms of ``rows``; those of a damaged text stay for `verify`."""
    for row, data in load_many(connection, rows):
        if data is not None:
            unindex(connection, row, data)


def _sized(size: int) -> str:
    """Return ``size`` bytes for people.

    >>> _sized(2 << 30), _sized(1500)
    ('2.0 GB', '1.5 kB')
    """
    for unit, factor in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} bytes"
