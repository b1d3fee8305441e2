"""Read what is new in one transcript file, and store it with the place read up to.

A cursor knows the file again by device and inode, size, and a digest of the bytes
before its offset: what was appended is read on, what was cut or replaced is read anew
(stored records are found again by their ids), a half-written last line waits.  Rows,
kept bytes and cursor of one chunk are one short transaction.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ibid.agents.events import Answer, Edit, Prompt, Read, SessionSeen
from ibid.engine.keep import privacy
from ibid.engine.keep.holes import spellings
from ibid.engine.learn.context import Counts
from ibid.engine.learn.ingest import Ingest
from ibid.engine.model import native_key
from ibid.errors import ConflictError, InputError, StoreCorruptError
from ibid.store import candidates, cursors, transcripts
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.events import Event
    from ibid.agents.registry import Agent
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection

CHUNK = 512 * 1024  # Bytes a transaction.
TAIL = 256  # Bytes before the offset whose digest knows the file again.
_PEEK = 256 * 1024  # Bytes read to learn a file's working directory.


class Step(NamedTuple):
    """What one chunk of a file gave."""

    consumed: int
    skipped: int
    unknown: dict[str, int]


class Position(NamedTuple):
    """Where to go on in a file, and what its reader must remember."""

    offset: int
    state: dict[str, Any] | None
    skipped: int
    unknown: dict[str, int]
    anew: bool  # The file was replaced or cut since it was last read.


def follow(
    memory: Memory, agent: Agent, path: Path, counts: Counts, final: bool = True
) -> Iterator[Step]:
    """Read the file from where it was left to its end; one `Step` a transaction.

    ``final``: a last line without newline is complete, for it is an import.

    Raises:
        InputError: the file cannot be read; the message says why.
        StoreError: the store refused; what was stored before stays.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    with file:
        yield from _steps(_Following(memory, agent, path, counts), file, final)


class _Following(NamedTuple):
    memory: Memory
    agent: Agent
    path: Path
    counts: Counts


def _steps(work: _Following, file: BinaryIO, final: bool) -> Iterator[Step]:
    status = os.fstat(file.fileno())
    device = f"{status.st_dev}:{status.st_ino}"
    position = _position(work, file, device, status.st_size)
    if position.offset >= status.st_size:
        return
    reader = work.agent.reader(work.path, position.state)
    offset, size, carried = position.offset, CHUNK, position
    while True:
        file.seek(offset)
        data = file.read(size)
        is_last = len(data) < size
        batch = reader.feed(data, offset, final=final and is_last)
        if batch.consumed == 0:
            if is_last:
                return
            size *= 2  # A line longer than the chunk.
            continue
        used = data[: batch.consumed]
        carried = Position(
            offset + batch.consumed,
            reader.state(),
            carried.skipped + batch.skipped,
            _added(carried.unknown, batch.unknown),
            carried.anew,
        )
        tail, grown = (
            _tail_digest(file, carried.offset),
            status.st_mtime_ns // 1_000_000,
        )
        about = _About(device, status.st_size, tail, grown)
        _store(work, _Chunk(offset, used, batch.events, about), carried)
        yield Step(batch.consumed, batch.skipped, batch.unknown)
        carried = carried._replace(anew=False)
        offset, size = carried.offset, CHUNK


class _About(NamedTuple):
    device: str
    size: int
    tail: bytes
    at: int  # When the file last grew, in milliseconds.


class _Chunk(NamedTuple):
    offset: int
    data: bytes
    events: list[Event]
    about: _About


def _store(work: _Following, chunk: _Chunk, position: Position) -> None:
    """Store a chunk's rows, its bytes and the cursor: all or nothing."""
    memory, path = work.memory, str(work.path)
    with memory.store.write() as connection:
        context = memory.context(work.agent.AGENT)
        ingest = Ingest(context, work.counts)
        ingest.begin(connection, chunk.events)
        transcript = _keep(connection, work, chunk, position.anew)
        ingest.context = context._replace(transcript=transcript)
        ingest.apply(connection, chunk.events)
        if transcript is not None:
            _bind_session(connection, transcript, work, chunk.events)
        cursor = cursors.CursorRow(
            path=path,
            agent=work.agent.AGENT,
            device=chunk.about.device,
            offset=position.offset,
            size=chunk.about.size,
            tail=chunk.about.tail,
            state=json.dumps(position.state),
            skipped=position.skipped,
            unknown=json.dumps(position.unknown),
            transcript=transcript,
            at=context.now,
        )
        cursors.ensure_cursor(connection, cursor)


def _keep(
    connection: Connection, work: _Following, chunk: _Chunk, anew: bool
) -> int | None:
    """Keep the chunk's bytes, if this file may be kept; return its number (M5).

    A file that is not what was kept of it begins a new generation, from its start.
    """
    if not work.memory.switches().transcripts or _denied(work.memory, chunk):
        return None
    item = transcripts.TranscriptItem(
        agent=work.agent.AGENT,
        name=place_of(work.agent, work.path),
        path=str(work.path),
        device=chunk.about.device,
        at=chunk.about.at,
    )
    begin = transcripts.begin_generation if anew else transcripts.ensure_transcript
    row = begin(connection, item)
    cuts = _erased_spans(connection, work, chunk) + _private_spans(work, chunk)
    try:
        missing = _missing(work.path, row.bytes, chunk.offset)
        if missing:
            transcripts.keep(connection, row.id, row.bytes, missing)
        transcripts.keep(connection, row.id, chunk.offset, chunk.data, cuts)
    except (ConflictError, StoreCorruptError):
        row = transcripts.begin_generation(connection, item)
        before = _missing(work.path, 0, chunk.offset)
        transcripts.keep(connection, row.id, 0, before + chunk.data, cuts)
    return row.id


def _private_spans(work: _Following, chunk: _Chunk) -> list[tuple[int, int]]:
    """Return the bytes that may not enter: excluded files, and secrets (E1)."""
    switches = work.memory.switches()
    spans = [
        (event.head.start, event.head.end)
        for event in chunk.events
        if isinstance(event, Read | Edit) and privacy.is_excluded(switches, event.path)
    ]
    if switches.secrets == "mask":
        found = privacy.secret_spans(chunk.data)
        spans += [(chunk.offset + one, chunk.offset + end) for one, end in found]
    return spans


def _missing(path: Path, kept: int, offset: int) -> bytes:
    """Return the file's bytes between what is kept of it and ``offset``."""
    if kept >= offset:
        return b""
    with path.open("rb") as file:
        file.seek(kept)
        return file.read(offset - kept)


def _denied(memory: Memory, chunk: _Chunk) -> bool:
    """Say whether a session of the chunk may not be stored at all (H4, K3)."""
    connection = memory.store.read()
    for native in {event.head.session for event in chunk.events}:
        row = connection.execute(
            "SELECT write_policy FROM session WHERE native = ?", (native,)
        ).fetchone()
        if candidates.is_suppressed(connection, f"session:{native}"):
            return True
        if row is not None and row[0] == "deny":
            return True
    return False


def _erased_spans(
    connection: Connection, work: _Following, chunk: _Chunk
) -> list[tuple[int, int]]:
    """Return the bytes of the file that hold what a person erased before (K3)."""
    spans = []
    for event in chunk.events:
        if not isinstance(event, Prompt | Answer) or not event.head.id:
            continue
        native = native_key(work.agent.AGENT, event.head.id)
        for start, end in candidates.suppressed_spans(connection, native):
            for form in spellings(event.text[start:end]):
                at = chunk.data.find(form)
                while at >= 0:
                    spans.append((chunk.offset + at, chunk.offset + at + len(form)))
                    at = chunk.data.find(form, at + len(form))
    return spans


def _bind_session(
    connection: Connection, transcript: int, work: _Following, events: list[Event]
) -> None:
    """Tie a kept file to its session, once the records have said which it is."""
    named = work.agent.describe(work.path)
    said = [event.head.session for event in events if event.head.session]
    native = named.session if named.session in said else next(iter(said), "")
    scope = named.scope
    connection.execute(
        "UPDATE transcript SET scope = ?, session ="
        " (SELECT id FROM session WHERE native = ? ORDER BY agent = ? DESC LIMIT 1)"
        " WHERE id = ? AND session IS NULL",
        (scope, native, work.agent.AGENT, transcript),
    )


def place_of(agent: Agent, path: Path) -> str:
    """Return a file's place below its agent's folder, with slashes.

    ``<session>/subagents/agent-x.jsonl`` for a subagent's file, else its name.
    """
    parts = path.parts[-6:]
    if "subagents" in parts[1:-1]:
        return "/".join(parts[parts.index("subagents", 1) - 1 :])
    return path.name


def cwd_of(agent: Agent, path: Path) -> str:
    """Return the first working directory that a file tells, or "" (S1).

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_PEEK)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    for event in agent.reader(path, None).feed(data, 0).events:
        if isinstance(event, SessionSeen) and event.cwd:
            return event.cwd
    return ""


def _position(work: _Following, file: BinaryIO, device: str, size: int) -> Position:
    """Return where to go on: after what was read, or at the start of a new file."""
    row = cursors.find_cursor(work.memory.store.read(), str(work.path))
    if row is None:
        return Position(0, None, 0, {}, False)
    offset = row["offset"]
    same = row["device"] == device or not row["device"]
    if same and offset <= size and _tail_digest(file, offset) == row["tail"]:
        state, unknown = json.loads(row["state"]), json.loads(row["unknown"])
        return Position(offset, state, row["skipped"], unknown, False)
    return Position(0, None, 0, {}, True)


def _tail_digest(file: BinaryIO, offset: int) -> bytes:
    """Return a digest of the bytes before ``offset``, to know the file again."""
    length = min(TAIL, offset)
    file.seek(offset - length)
    return digest(file.read(length)).encode("ascii")


def _added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    merged = dict(one)
    for kind, count in other.items():
        merged[kind] = merged.get(kind, 0) + count
    return merged
