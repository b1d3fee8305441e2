"""The parts that a kept transcript consists of, shared by content (M5).

A transcript is cut at every `BLOCK` bytes; a full block is one part, so that copies of
a file have the same parts.  The block still being written consists of loose parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.errors import StoreCorruptError
from ibid.store.frames import LEVEL, OPEN_LEVEL, deflate, inflate, readable
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ibid.store import driver

BLOCK = 1 << 21
LOOSE = 64

# How a part's bytes are stored.
RAW = "raw"
LIGHT = "light"  # zstd, of a loose part: fast rather than small.
ZSTD = "zstd"

_WORTH_TRYING = 512  # Shorter pieces stay raw until they are put together.


def append(
    connection: driver.Connection, transcript: int, position: int, data: bytes
) -> int:
    """Add ``data`` at the end, byte ``position``; return how many parts are loose then.

    A part is only ever put together with others into one half as long again or longer:
    the work per byte grows with the logarithm of the block, whatever the pieces.
    """
    loose = 0
    end = position + len(data)
    for start in [position, *range((position // BLOCK + 1) * BLOCK, end, BLOCK)]:
        stop = min(end, (start // BLOCK + 1) * BLOCK)
        piece = data[start - position : stop - position]
        loose = _append_piece(connection, transcript, start, piece)
    return loose


def pack(connection: driver.Connection, transcript: int, end: int) -> None:
    """Make one part of the last block's, which ends at byte ``end``."""
    block = end // BLOCK * BLOCK
    if block < end:
        raw = b"".join(stream(connection, transcript, block, end))
        replace(connection, transcript, block, raw)


def stream(
    connection: driver.Connection, transcript: int, start: int, end: int
) -> Iterator[bytes]:
    """Give bytes ``start`` to ``end``, part by part, each checked by its digest.

    A part is looked up by the byte it must hold, so that packing meanwhile is harmless.

    Raises:
        StoreCorruptError: a part is damaged or missing; says at which byte.
    """
    while start < end:
        with readable():
            found = connection.execute(
                "SELECT t.start, t.bytes, p.digest, p.codec, p.data"
                " FROM transcript_part t JOIN part p ON p.id = t.part"
                " WHERE t.transcript = ? AND t.start <= ?"
                " ORDER BY t.start DESC LIMIT 1",
                (transcript, start),
            ).fetchone()
        if found is None or found[0] + found[1] <= start:
            raise StoreCorruptError(f"the part at byte {start} is missing")
        first, size, tagged, codec, data = found
        raw = bytes(data) if codec == RAW else inflate(data, size)
        if len(raw) != size or digest(raw) != tagged:
            raise StoreCorruptError(f"the part at byte {first} is damaged")
        yield raw[start - first : end - first]
        start = first + size


def replace(
    connection: driver.Connection,
    transcript: int,
    start: int,
    raw: bytes,
    full: bool = True,
) -> None:
    """Let one part stand for all from ``start`` to the end of ``raw``.

    ``full`` takes the time to make it small.
    """
    old = connection.execute(
        "DELETE FROM transcript_part WHERE transcript = ? AND start >= ? AND start < ?"
        " RETURNING part",
        (transcript, start, start + len(raw)),
    ).fetchall()
    connection.execute(
        "INSERT INTO transcript_part (transcript, start, bytes, part)"
        " VALUES (?, ?, ?, ?)",
        (transcript, start, len(raw), _ensure(connection, raw, full)),
    )
    drop_unused(connection, [part for (part,) in old])


def places(
    connection: driver.Connection, transcript: int, start: int, end: int
) -> list[tuple[int, int]]:
    """Return start and size of the parts that overlap a range, in order."""
    rows = connection.execute(
        "SELECT start, bytes FROM transcript_part WHERE transcript = ?"
        " AND start < ? AND start > ? AND start + bytes > ? ORDER BY start",
        (transcript, end, start - BLOCK, start),
    )
    return [(int(first), int(size)) for first, size in rows.fetchall()]


def load(connection: driver.Connection, tagged: str) -> bytes | None:
    """Return the part with this digest, unchecked; None when there is none.

    Raises:
        StoreCorruptError: it cannot be inflated.
    """
    row = connection.execute(
        "SELECT codec, data, bytes FROM part WHERE digest = ?", (tagged,)
    ).fetchone()
    if row is None:
        return None
    return bytes(row[1]) if row[0] == RAW else inflate(row[1], row[2])


def shorten(connection: driver.Connection, transcript: int, end: int) -> None:
    """Remove the parts of a transcript that begin at byte ``end`` or later."""
    old = connection.execute(
        "DELETE FROM transcript_part WHERE transcript = ? AND start >= ?"
        " RETURNING part",
        (transcript, end),
    ).fetchall()
    drop_unused(connection, [part for (part,) in old])


def drop_unused(connection: driver.Connection, parts: Iterable[int]) -> None:
    """Remove those of ``parts`` that stand in no transcript any more."""
    connection.executemany(
        "DELETE FROM part WHERE id = ?1"
        " AND NOT EXISTS (SELECT 1 FROM transcript_part WHERE part = ?1)",
        [(part,) for part in parts],
    )


def encoded(raw: bytes, full: bool) -> tuple[str, bytes]:
    """Return the codec and the bytes to store for ``raw``."""
    if len(raw) >= _WORTH_TRYING:
        small = deflate(raw, LEVEL if full else OPEN_LEVEL)
        if len(small) < len(raw):
            return ZSTD if full else LIGHT, small
    return RAW, raw


def _append_piece(
    connection: driver.Connection, transcript: int, start: int, piece: bytes
) -> int:
    """Add a piece that stays within its block; return how many parts are loose then."""
    block, end = start // BLOCK * BLOCK, start + len(piece)
    if end == block + BLOCK:
        before = b"".join(stream(connection, transcript, block, start))
        replace(connection, transcript, block, before + piece)
        return 0
    replace(connection, transcript, start, piece, full=False)
    loose = places(connection, transcript, block, end)
    if len(loose) < LOOSE:
        return len(loose)
    first, total = len(loose) - 1, loose[-1][1]
    while first and loose[first - 1][1] <= 2 * total:
        first -= 1
        total += loose[first][1]
    raw = b"".join(stream(connection, transcript, loose[first][0], end))
    replace(connection, transcript, loose[first][0], raw, full=False)
    return first + 1


def _ensure(connection: driver.Connection, raw: bytes, full: bool) -> int:
    """Return the id of the part that holds ``raw``, whoever kept it first."""
    tagged = digest(raw)
    row = connection.execute(
        "SELECT id, codec FROM part WHERE digest = ?", (tagged,)
    ).fetchone()
    if row is not None and (not full or row[1] == ZSTD):
        return int(row[0])
    codec, data = encoded(raw, full)
    cursor = connection.execute(
        "INSERT INTO part (digest, bytes, codec, data) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (digest) DO UPDATE SET codec = excluded.codec,"
        " data = excluded.data RETURNING id",
        (tagged, len(raw), codec, data),
    )
    return int(cursor.fetchone()[0])
