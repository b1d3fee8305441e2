"""Read transcripts that are written anew as a whole: all of it, each time it changed.

What was stored before is known again by its ids; an answer that grew is renewed.  The
kept bytes are replaced, for the older ones are a part of the newer ones by design.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ibid.duties import sources
from ibid.duties.storing import (
    About,
    Chunk,
    Position,
    Step,
    bind_session,
    is_doubtful,
    item_of,
    keep_cursor,
    kept_out,
    may_keep,
    sessions_of,
)
from ibid.engine.learn.ingest import Ingest
from ibid.store import transcripts
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.events import Batch, Event
    from ibid.duties.storing import Following
    from ibid.store.driver import Connection

SLICE = 500  # Events a transaction; those of one record stay together.


class _Read(NamedTuple):
    """A document that was read, and what it tells."""

    work: Following
    data: bytes
    batch: Batch
    about: About
    mark: str


def follow_document(work: Following, final: bool) -> Iterator[Step]:
    """Read the document at the work's path if it changed; one `Step` a transaction.

    Raises:
        InputError: it cannot be read; the message says why.
        StoreError: the store refused; what was stored before stays.
    """
    known = work.cursor()
    mark = sources.mark_of(work.agent, work.path)
    if known is not None and mark and json.loads(known["state"]).get("mark") == mark:
        return
    data = sources.load_document(work.agent, work.path)
    tail = digest(data).encode("ascii")
    if known is not None and known["tail"] == tail:
        return
    folder = sources.folder_beside(work.agent, work.path)
    state = {"folder": folder} if folder else None
    batch = work.agent.reader(work.path, state).feed(data, 0, final=final)
    if not batch.consumed:
        return  # It is being written; its end will be noticed.
    about = About("", len(data), tail, sources.changed_at(work.path))
    yield from _stored(_Read(work, data, batch, about, mark))


def _stored(read: _Read) -> Iterator[Step]:
    """Store what a document tells, a slice at a time; its cursor comes last."""
    work, batch, data = read.work, read.batch, read.data
    ingest = Ingest(work.memory.context(work.agent.AGENT), work.counts)
    slices = _slices(batch.events)
    for number, events in enumerate(slices):
        is_last = number == len(slices) - 1
        with work.memory.store.write() as connection:
            ingest.begin(connection, events)
            if number == 0:
                transcript = _keep(connection, read)
                ingest.context = ingest.context._replace(transcript=transcript)
            ingest.apply(connection, events)
            if ingest.context.transcript is not None:
                bind_session(connection, ingest.context.transcript, work, events)
            if is_last and (batch.skipped or is_doubtful(batch.unknown)):
                natives = sessions_of(connection, work, batch.events)
                ingest.interrupt(connection, natives)
            if is_last:
                position = Position(
                    len(data),
                    {"mark": read.mark},
                    batch.skipped,
                    batch.unknown,
                    anew=False,
                )
                kept = ingest.context.transcript
                keep_cursor(connection, work, read.about, position, kept)
        if is_last:
            yield Step(len(data), batch.skipped, batch.unknown)
        else:
            yield Step(0, 0, {})


def _keep(connection: Connection, read: _Read) -> int | None:
    """Keep the document's bytes in the place of those kept before (M5)."""
    if not may_keep(read.work, read.batch.events):
        return None
    item = item_of(read.work, read.about)
    row = transcripts.begin_generation(connection, item, replaces=True)
    chunk = Chunk(0, read.data, read.batch.events)
    cuts = kept_out(connection, read.work, chunk)
    transcripts.keep(connection, row.id, 0, read.data, cuts)
    return row.id


def _slices(events: list[Event]) -> list[list[Event]]:
    """Return the events in slices, none empty but the only one."""
    slices: list[list[Event]] = [[]]
    start = -1
    for event in events:
        if len(slices[-1]) >= SLICE and event.head.start != start:
            slices.append([])
        slices[-1].append(event)
        start = event.head.start
    return slices
