"""The transcript files themselves, kept after their agent deleted them (M5).

The importer gives the bytes it has just read to `keep`; `store.parts` stores them, so
that the same bytes kept twice cost once and an append costs the same however long the
file is.  When a file has come to rest, `pack` makes its last parts one.  A file that
was replaced or cut short begins a new *generation*; the older one stays.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import (
    ConflictError,
    GoneError,
    InputError,
    NotFoundError,
    StoreCorruptError,
)
from ibid.store import parts
from ibid.text.spans import Span, clipped, holed, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ibid.store import driver

IDLE_MS = 30 * 60_000


class TranscriptItem(NamedTuple):
    """A transcript file as it was met."""

    agent: str
    name: str  # Relative place: ``<session>/subagents/agent-x.jsonl``.
    path: str
    device: str = ""  # Device and inode, or the Windows file id; "" unknown.
    session: int | None = None
    scope: str = ""
    at: int = 0  # When it last grew, in milliseconds.


class TranscriptRow(NamedTuple):
    """One generation of a kept file."""

    id: int
    session: int | None
    scope: str
    agent: str
    name: str
    path: str
    device: str
    generation: int
    bytes: int  # Kept so far: the next byte to give to `keep`.
    loose: int  # Parts that wait to be packed.
    cut: int  # Bytes that were cut out of it (K3, E1).
    at: int
    gone: int | None
    why: str


_COLUMNS = ", ".join(TranscriptRow._fields)
_SELECT = f"SELECT {_COLUMNS} FROM transcript "


def keep(
    connection: driver.Connection,
    transcript: int,
    start: int,
    data: bytes,
    cuts: Iterable[Span] = (),
) -> int:
    """Append ``data``, which stands at byte ``start`` of the file (M5).

    Call it in the transaction that stores the cursor and the rows of these bytes.
    Bytes already kept are only compared, so that reading a file again adds nothing.
    ``cuts`` are spans of the file (byte offsets) that must not enter (E1): a hole of
    the same length is kept.  Returns how many bytes were new; 0 for a transcript that
    the size cap took.

    Raises:
        NotFoundError: there is no such transcript.
        InputError: the bytes before ``start`` are not kept yet.
        ConflictError: the file was rewritten; `begin_generation` and keep it from 0.
        StoreCorruptError: a part needed for this is damaged; do as for a conflict.
    """
    row = load_row(connection, transcript)
    if row.gone is not None:
        return 0
    if start > row.bytes:
        raise InputError(
            f"Transcript {row.path} is kept up to byte {row.bytes}; bytes from {start} "
            "cannot be added to it. Give the bytes between first."
        )
    end = start + len(data)
    new = merged(clipped([*cuts, *list_cuts(connection, row.id)], start, end))
    data = holed(data, start, new)
    known = min(row.bytes - start, len(data))
    if known:
        _compare(connection, row, start, data[:known])
    if known == len(data):
        return 0
    _record_cuts(connection, transcript, clipped(new, row.bytes, end))
    loose = parts.append(connection, transcript, row.bytes, data[known:])
    connection.execute(
        "UPDATE transcript SET bytes = ?, loose = ? WHERE id = ?",
        (end, loose, transcript),
    )
    return end - row.bytes


def ensure_transcript(
    connection: driver.Connection, item: TranscriptItem
) -> TranscriptRow:
    """Return the youngest generation of the file at ``item.path``; idempotent (M5).

    Another device or inode than before is another file: a new generation.
    """
    row = connection.execute(
        _SELECT + "WHERE path = ? ORDER BY generation DESC LIMIT 1", (item.path,)
    ).fetchone()
    if row is None:
        return _insert(connection, item, 1)
    known = TranscriptRow(*row)
    if item.device and known.device and item.device != known.device:
        return _insert(connection, item, known.generation + 1)
    connection.execute(
        "UPDATE transcript SET at = max(at, ?), session = coalesce(session, ?),"
        " scope = CASE WHEN scope = '' THEN ? ELSE scope END,"
        " device = CASE WHEN device = '' THEN ? ELSE device END WHERE id = ?",
        (item.at, item.session, item.scope, item.device, known.id),
    )
    return load_row(connection, known.id)


def begin_generation(
    connection: driver.Connection, item: TranscriptItem, replaces: bool = False
) -> TranscriptRow:
    """Start the file at ``item.path`` anew: it was rewritten, rotated or cut short.

    What was kept before stays as an older generation.  With ``replaces``, for files
    that their agent writes anew as a whole by design, it is dropped instead.
    """
    known = ensure_transcript(connection, item)
    if known.bytes == 0 and known.gone is None:
        return known
    if not replaces:
        return _insert(connection, item, known.generation + 1)
    drop_bytes(connection, known.id)
    connection.execute(
        "UPDATE transcript SET bytes = 0, loose = 0, cut = 0, gone = NULL, why = '',"
        " generation = generation + 1 WHERE id = ?",
        (known.id,),
    )
    return load_row(connection, known.id)


def load_transcript(connection: driver.Connection, transcript: int) -> Iterator[bytes]:
    """Return the file's bytes exactly as they were kept, in pieces of up to 2 MB (M5).

    Each piece is checked against its digest before it is given.  Appends and packing
    meanwhile do no harm: what was kept at the call is given.

    Raises:
        NotFoundError: there is no such transcript.
        GoneError: the size cap took it; says when and why.
        StoreCorruptError: on the way, when a part is damaged or missing.
    """
    row = load_row(connection, transcript)
    if row.gone is not None:
        raise gone_error(row)
    return _stream(connection, row, 0, row.bytes)


def load_range(
    connection: driver.Connection, transcript: int, start: int, end: int
) -> bytes:
    """Return bytes ``start`` to ``end`` of the kept file, fewer where it ends.

    Raises:
        NotFoundError: there is no such transcript.
        GoneError: the size cap took it.
        StoreCorruptError: a part is damaged or missing.
    """
    row = load_row(connection, transcript)
    if row.gone is not None:
        raise gone_error(row)
    return b"".join(_stream(connection, row, start, min(end, row.bytes)))


def list_transcripts(
    connection: driver.Connection, session: int
) -> list[TranscriptRow]:
    """Return the kept files of a session, its subagents' too, by name and age (M5)."""
    rows = connection.execute(
        _SELECT + "WHERE session = ? ORDER BY name, generation", (session,)
    )
    return [TranscriptRow(*row) for row in rows.fetchall()]


def list_kept(connection: driver.Connection) -> list[TranscriptRow]:
    """Return the newest generation of every file that is kept, by path (M5)."""
    rows = connection.execute(_SELECT + "WHERE gone IS NULL ORDER BY path, generation")
    newest = {row[5]: TranscriptRow(*row) for row in rows.fetchall()}
    return list(newest.values())


def kept_bytes(connection: driver.Connection) -> dict[str, int]:
    """Return how much of each file is kept, by its path; the latest generation's."""
    rows = connection.execute(
        "SELECT path, bytes FROM transcript WHERE gone IS NULL ORDER BY generation"
    )
    return {str(path): int(size) for path, size in rows}


def load_row(connection: driver.Connection, transcript: int) -> TranscriptRow:
    """Return what is known of a kept file.

    Raises:
        NotFoundError: there is no such transcript.
    """
    row = connection.execute(_SELECT + "WHERE id = ?", (transcript,)).fetchone()
    if row is None:
        raise NotFoundError(
            f"No kept transcript {transcript} in this project. `ibid session list` "
            "says which sessions have one."
        )
    return TranscriptRow(*row)


def pack(connection: driver.Connection, transcript: int) -> None:
    """Make one part of the loose ones: the file has come to rest."""
    row = load_row(connection, transcript)
    if row.loose:
        with _named(row):
            parts.pack(connection, transcript, row.bytes)
    connection.execute("UPDATE transcript SET loose = 0 WHERE id = ?", (transcript,))


def pack_step(connection: driver.Connection, now: int, idle_ms: int = IDLE_MS) -> bool:
    """Pack one file that has not grown for ``idle_ms``; False when none is left.

    Call it in a transaction of its own until it returns False.
    """
    row = connection.execute(
        "SELECT id FROM transcript WHERE loose > 0 AND gone IS NULL AND at <= ?"
        " LIMIT 1",
        (now - idle_ms,),
    ).fetchone()
    if row is None:
        return False
    try:
        pack(connection, row[0])
    except StoreCorruptError:  # Left as it is for `verify`, and not tried again.
        connection.execute("UPDATE transcript SET loose = 0 WHERE id = ?", row)
    return True


def cut_spans(
    connection: driver.Connection, transcript: int, spans: Iterable[Span]
) -> int:
    """Cut byte spans out of a kept file: holes of the same length, recorded (K3, E1).

    Every byte but newlines becomes ``*``, so that offsets, lines and, inside a JSON
    string, the record stay what they were.  Another file that shared the bytes is not
    touched.  Returns how many bytes the file now lacks; idempotent.

    Raises:
        NotFoundError: there is no such transcript.
        StoreCorruptError: a part that must be cut is damaged.
    """
    row = load_row(connection, transcript)
    wanted = merged(clipped(spans, 0, row.bytes))
    if row.gone is not None or not wanted:
        return row.cut
    low, high = wanted[0][0], wanted[-1][1]
    for start, size in parts.places(connection, transcript, low, high):
        inside = clipped(wanted, start, start + size)
        if inside:
            raw = b"".join(_stream(connection, row, start, start + size))
            parts.replace(connection, transcript, start, holed(raw, start, inside))
    _record_cuts(connection, transcript, wanted)
    return load_row(connection, transcript).cut


def list_cuts(connection: driver.Connection, transcript: int) -> list[Span]:
    """Return the spans that were cut out of a kept file, in order (K3)."""
    rows = connection.execute(
        'SELECT start, "end" FROM transcript_cut WHERE transcript = ? ORDER BY start',
        (transcript,),
    )
    return [(int(start), int(end)) for start, end in rows.fetchall()]


def bury_transcript(
    connection: driver.Connection, transcript: int, now: int, why: str
) -> None:
    """Drop the bytes of a kept file and leave a tombstone that says why (M3, M5)."""
    drop_bytes(connection, transcript)
    connection.execute(
        "UPDATE transcript SET loose = 0, gone = ?, why = ? WHERE id = ?",
        (now, why, transcript),
    )


def shorten(connection: driver.Connection, transcript: int, end: int) -> None:
    """Let a kept file end at byte ``end``, where a part begins: the rest is lost.

    What was recorded as cut stays recorded, so that it is cut again when the rest is
    read again from the agent's own file.
    """
    parts.shorten(connection, transcript, end)
    connection.execute(
        "UPDATE transcript SET bytes = ?, loose = 1 WHERE id = ?", (end, transcript)
    )


def erase_transcripts(connection: driver.Connection, session: int) -> None:
    """Remove a session's kept files, leaving nothing (K3)."""
    for row in list_transcripts(connection, session):
        drop_bytes(connection, row.id)
        connection.execute("DELETE FROM transcript WHERE id = ?", (row.id,))


def drop_bytes(connection: driver.Connection, transcript: int) -> None:
    """Remove a kept file's parts, but those that another file shares, and its cuts."""
    parts.shorten(connection, transcript, 0)
    connection.execute("DELETE FROM transcript_cut WHERE transcript = ?", (transcript,))


def gone_error(row: TranscriptRow) -> GoneError:
    """Return the error that says when and why a kept file went (M3)."""
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime((row.gone or 0) / 1000))
    return GoneError(
        f"The kept transcript {row.name} ({row.bytes:,} bytes) is gone since {when}: "
        f"{row.why or 'no reason was recorded'}. What was said is still searchable."
    )


# -- rows ---------------------------------------------------------------------


@contextmanager
def _named(row: TranscriptRow) -> Iterator[None]:
    """Say of damage inside the block which file it is in."""
    try:
        yield
    except StoreCorruptError as error:
        raise StoreCorruptError(
            f"The kept transcript {row.name} is damaged ({error}). While its agent's "
            f"own file is there ({row.path}), read that; `ibid verify` says what else."
        ) from error


def _stream(
    connection: driver.Connection, row: TranscriptRow, start: int, end: int
) -> Iterator[bytes]:
    try:
        with _named(row):
            yield from parts.stream(connection, row.id, start, end)
    except StoreCorruptError:
        now = load_row(connection, row.id)
        if now.gone is not None:
            raise gone_error(now) from None
        raise


def _compare(
    connection: driver.Connection, row: TranscriptRow, start: int, data: bytes
) -> None:
    """Raise unless ``data`` is what is kept from ``start`` on, holes aside."""
    end = start + len(data)
    data = holed(data, start, list_cuts(connection, row.id))
    for piece in _stream(connection, row, start, end):
        if data[: len(piece)] != piece:
            raise ConflictError(
                f"The file {row.path} no longer begins with the bytes kept of it. "
                "Begin a new generation and keep it from its start."
            )
        data = data[len(piece) :]


def _record_cuts(
    connection: driver.Connection, transcript: int, spans: list[Span]
) -> None:
    if not spans:
        return
    every = merged([*list_cuts(connection, transcript), *spans])
    connection.execute("DELETE FROM transcript_cut WHERE transcript = ?", (transcript,))
    connection.executemany(
        "INSERT INTO transcript_cut VALUES (?, ?, ?)",
        [(transcript, first, last) for first, last in every],
    )
    connection.execute(
        "UPDATE transcript SET cut = ? WHERE id = ?",
        (sum(last - first for first, last in every), transcript),
    )


def _insert(
    connection: driver.Connection, item: TranscriptItem, generation: int
) -> TranscriptRow:
    cursor = connection.execute(
        "INSERT INTO transcript (session, scope, agent, name, path, device, generation,"
        " at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(item.session, item.scope, item.agent, item.name, item.path),
            *(item.device, generation, item.at),
        ),
    )
    return load_row(connection, int(cursor.lastrowid or 0))
