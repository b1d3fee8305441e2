"""Read what is new in one transcript, and store it with the place read up to.

A cursor knows the file again by device and inode, size, and a digest of the bytes
before its offset: what was appended is read on, what was cut or replaced is read anew
(stored records are found again by their ids), a half-written last line waits.  Rows,
kept bytes and cursor of one chunk are one short transaction.  Files that are written
anew as a whole are read by `documents`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import DATABASE, WHOLE
from ibid.duties import sources
from ibid.duties.documents import follow_document
from ibid.duties.sources import cwd_of
from ibid.duties.storing import (
    About,
    Chunk,
    Following,
    Position,
    Step,
    bind_session,
    dated,
    is_doubtful,
    item_of,
    keep_cursor,
    kept_out,
    may_keep,
    sessions_of,
)
from ibid.engine.learn.context import Counts
from ibid.engine.learn.ingest import Ingest
from ibid.errors import ConflictError, StoreCorruptError
from ibid.store import transcripts
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ibid.agents.registry import Agent
    from ibid.duties.sources import Stream
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection

__all__ = ["Step", "cwd_of", "follow"]

CHUNK = 512 * 1024  # Bytes a transaction.
TAIL = 256  # Bytes before the offset whose digest knows the file again.


def follow(
    memory: Memory, agent: Agent, path: Path, counts: Counts, final: bool = True
) -> Iterator[Step]:
    """Read the file from where it was left to its end; one `Step` a transaction.

    ``final``: a last line without newline is complete, for it is an import.

    Raises:
        InputError: the file cannot be read; the message says why.
        StoreError: the store refused; what was stored before stays.
    """
    form = agent.form(path)
    if form == DATABASE:
        for one in sources.expand(agent, path):
            yield from follow(memory, agent, one, counts, final)
        return
    work = Following(memory, agent, path, counts)
    if form == WHOLE:
        yield from follow_document(work, final)
        return
    with sources.open_stream(agent, path) as stream:
        yield from _steps(work, stream, final)


def _steps(work: Following, stream: Stream, final: bool) -> Iterator[Step]:
    position = _position(work, stream)
    reader = work.agent.reader(work.path, position.state)
    offset, size, carried = position.offset, CHUNK, position
    tail = stream.read(max(0, offset - TAIL), min(TAIL, offset))
    while True:
        data = stream.read(offset, size)
        is_last = len(data) < size
        if not data:
            return
        batch = reader.feed(data, offset, final=final and is_last)
        if batch.consumed == 0:
            if is_last:
                return
            size *= 2  # A line longer than the chunk.
            continue
        used = data[: batch.consumed]
        tail = (tail + used)[-TAIL:]
        carried = Position(
            offset + batch.consumed,
            reader.state(),
            carried.skipped + batch.skipped,
            _added(carried.unknown, batch.unknown),
            carried.anew,
        )
        gap = carried.anew or batch.skipped > 0 or is_doubtful(batch.unknown)
        chunk = Chunk(offset, used, dated(batch.events, stream.at), gap)
        _store(_Place(work, stream, tail), chunk, carried)
        yield Step(batch.consumed, batch.skipped, batch.unknown)
        carried = carried._replace(anew=False)
        offset, size = carried.offset, CHUNK


class _Place(NamedTuple):
    """A transcript that is read, and the last bytes that were."""

    work: Following
    stream: Stream
    tail: bytes

    def about(self) -> About:
        stream = self.stream
        return About(stream.device, stream.size, _mark(self.tail), stream.at)


def _store(place: _Place, chunk: Chunk, position: Position) -> None:
    """Store a chunk's rows, its bytes and the cursor: all or nothing."""
    work, about = place.work, place.about()
    with work.memory.store.write() as connection:
        context = work.memory.context(work.agent.AGENT)
        ingest = Ingest(context, work.counts)
        ingest.begin(connection, chunk.events)
        transcript = _keep(connection, place, chunk, position.anew)
        ingest.context = context._replace(transcript=transcript)
        ingest.apply(connection, chunk.events)
        if transcript is not None:
            bind_session(connection, transcript, work, chunk.events)
        if chunk.gap:
            ingest.interrupt(connection, sessions_of(connection, work, chunk.events))
        keep_cursor(connection, work, about, position, transcript)


def _keep(
    connection: Connection, place: _Place, chunk: Chunk, anew: bool
) -> int | None:
    """Keep the chunk's bytes, if this file may be kept; return its number (M5).

    A file that is not what was kept of it begins a new generation, from its start.
    """
    if not may_keep(place.work, chunk.events):
        return None
    item = item_of(place.work, place.about())
    if chunk.offset:
        item = item._replace(device="")  # It is known to be the file it was.
    begin = transcripts.begin_generation if anew else transcripts.ensure_transcript
    row = begin(connection, item)
    cuts = kept_out(connection, place.work, chunk)
    try:
        missing = _missing(place.stream, row.bytes, chunk.offset)
        if missing:
            transcripts.keep(connection, row.id, row.bytes, missing)
        transcripts.keep(connection, row.id, chunk.offset, chunk.data, cuts)
    except (ConflictError, StoreCorruptError):
        row = transcripts.begin_generation(connection, item)
        before = _missing(place.stream, 0, chunk.offset)
        transcripts.keep(connection, row.id, 0, before + chunk.data, cuts)
    return row.id


def _missing(stream: Stream, kept: int, offset: int) -> bytes:
    """Return the file's bytes between what is kept of it and ``offset``."""
    return stream.read(kept, offset - kept) if kept < offset else b""


def _position(work: Following, stream: Stream) -> Position:
    """Return where to go on: after what was read, or at the start of a new file."""
    row = work.cursor()
    if row is None:
        return Position(0, None, 0, {}, False)
    offset = row["offset"]
    # Packing a file makes another one of the same bytes; only they say so then.
    same = "" in {row["device"], stream.device} or row["device"] == stream.device
    tail = stream.read(max(0, offset - TAIL), min(TAIL, offset))
    if same and len(tail) == min(TAIL, offset) and _mark(tail) == row["tail"]:
        state, unknown = json.loads(row["state"]), json.loads(row["unknown"])
        return Position(offset, state, row["skipped"], unknown, False)
    return Position(0, None, 0, {}, True)


def _mark(tail: bytes) -> bytes:
    """Return a digest of the bytes before an offset, to know the file again."""
    return digest(tail).encode("ascii")


def _added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    merged = dict(one)
    for kind, count in other.items():
        merged[kind] = merged.get(kind, 0) + count
    return merged
