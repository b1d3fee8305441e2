"""Cold bytes: many texts in one zstd frame (M3).

A frame holds 512 kB to 1 MB of texts one after the other, because small frames cost
twice the room; a text that large has a frame of its own.  Only the last, still short
frame is open: new texts are added to it by writing a longer one in its place.  A
written frame never changes and its id is never used again, so a copy of it stays good.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import StoreCorruptError
from ibid.store import driver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FULL = 1 << 19  # From here on a frame is closed; a text this long is one frame.
LEVEL = 9
OPEN_LEVEL = 3  # An open frame is written again soon.
# What reading from a damaged file may raise: a page can give values of any kind, or
# promise more than there is room for.
DAMAGE = (driver.Error, ArithmeticError, MemoryError, TypeError, ValueError)

_LOOK_BACK = 8  # Frames in which the open one is looked for.


class Place(NamedTuple):
    """Where a text lies: the frame, and its first byte in the inflated frame."""

    frame: int
    offset: int


def place(connection: driver.Connection, texts: Sequence[bytes]) -> list[Place]:
    """Write ``texts`` into frames and return their places, in the same order.

    The caller's rows are to point there in the same transaction.
    """
    places: dict[int, Place] = {}
    group: list[int] = []
    size, before = 0, _open_frame(connection)
    if before:
        size = len(before[1])
    for index, text in enumerate(texts):
        if len(text) >= FULL:
            places[index] = Place(_insert(connection, [text]), 0)
            continue
        group.append(index)
        size += len(text)
        if size >= FULL:
            _flush(connection, texts, group, places, before)
            group, size, before = [], 0, None
    if group:
        _flush(connection, texts, group, places, before)
    return [places[index] for index in range(len(texts))]


def inflate(data: bytes, size: int) -> bytes:
    """Return the ``size`` bytes that ``data`` was made from.

    Raises:
        StoreCorruptError: the frame does not hold that many bytes, or none.
    """
    import zstandard

    try:
        # A damaged head may promise any size: it is compared before room is made.
        if zstandard.frame_content_size(data) == size:
            return zstandard.ZstdDecompressor().decompress(data)
    except zstandard.ZstdError as error:
        raise StoreCorruptError(f"A compressed frame is damaged ({error}).") from error
    raise StoreCorruptError("A compressed frame does not have the size it should have.")


def deflate(data: bytes, level: int = LEVEL) -> bytes:
    """Return ``data`` as one zstd frame that knows its size."""
    import zstandard

    return zstandard.ZstdCompressor(level=level).compress(data)


def load(connection: driver.Connection, frame: int) -> bytes | None:
    """Return what frame number ``frame`` holds; None when it is missing or damaged."""
    try:
        with readable():
            row = connection.execute(
                "SELECT data, bytes FROM frame WHERE id = ?", (frame,)
            ).fetchone()
        return inflate(row[0], row[1]) if row else None
    except StoreCorruptError:
        return None


@contextmanager
def readable() -> Iterator[None]:
    """Turn SQLite's word for a damaged page, inside the block, into ours.

    Raises:
        StoreCorruptError: a page that was needed is damaged.
    """
    try:
        yield
    except (driver.DatabaseError, MemoryError) as error:
        # Subclasses of the first are about other things: a lock, a full disk.
        if type(error) not in (driver.DatabaseError, MemoryError):
            raise
        raise StoreCorruptError(f"a page is damaged ({error})") from error


def shrink(connection: driver.Connection, frame: int) -> None:
    """Leave in ``frame`` only what a cold row still needs; drop it when nothing does.

    A frame that cannot be inflated is left as it is while a row needs it, for `verify`.
    """
    rows = connection.execute(
        "SELECT id, offset, bytes FROM archive WHERE frame = ? ORDER BY offset",
        (frame,),
    ).fetchall()
    if rows:
        raw = load(connection, frame)
        if raw is None or len(raw) == sum(size for _, _, size in rows):
            return
        texts = [raw[offset : offset + size] for _, offset, size in rows]
        new, start = _insert(connection, texts), 0
        for (row, _, _), text in zip(rows, texts, strict=True):
            connection.execute(
                "UPDATE archive SET frame = ?, offset = ? WHERE id = ?",
                (new, start, row),
            )
            start += len(text)
    connection.execute("DELETE FROM frame WHERE id = ?", (frame,))


def _flush(
    connection: driver.Connection,
    texts: Sequence[bytes],
    group: list[int],
    places: dict[int, Place],
    before: tuple[int, bytes] | None,
) -> None:
    """Write one frame of the texts in ``group``, behind those of the open one."""
    old = [before[1]] if before else []
    frame = _insert(connection, old + [texts[index] for index in group])
    offset = len(old[0]) if old else 0
    for index in group:
        places[index] = Place(frame, offset)
        offset += len(texts[index])
    if before:
        connection.execute(
            "UPDATE archive SET frame = ? WHERE frame = ?", (frame, before[0])
        )
        connection.execute("DELETE FROM frame WHERE id = ?", (before[0],))


def _insert(connection: driver.Connection, texts: Sequence[bytes]) -> int:
    raw = b"".join(texts)
    level = LEVEL if len(raw) >= FULL else OPEN_LEVEL
    cursor = connection.execute(
        "INSERT INTO frame (bytes, data) VALUES (?, ?)",
        (len(raw), deflate(raw, level)),
    )
    return int(cursor.lastrowid or 0)


def _open_frame(connection: driver.Connection) -> tuple[int, bytes] | None:
    """Return id and inflated bytes of the youngest frame that is still short."""
    rows = connection.execute(
        "SELECT id, bytes FROM frame ORDER BY id DESC LIMIT ?", (_LOOK_BACK,)
    )
    for frame, size in rows.fetchall():
        if isinstance(size, int) and size < FULL:  # Else a damaged page gave it.
            raw = load(connection, frame)
            if raw is not None:
                return int(frame), raw
    return None
