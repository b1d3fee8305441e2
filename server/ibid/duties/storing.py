"""Store what was read of a transcript: its rows, its bytes, the place read up to."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.events import Answer, Edit, Prompt, Read
from ibid.duties.sources import key_of
from ibid.engine.keep import policy, privacy
from ibid.engine.keep.holes import spellings
from ibid.engine.keep.words import ErasedWords
from ibid.engine.model import native_key
from ibid.store import candidates, cursors, transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from ibid.agents.events import Event
    from ibid.agents.registry import Agent
    from ibid.engine.learn.context import Counts
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row


class Following(NamedTuple):
    """A transcript that is being read, and for whom."""

    memory: Memory
    agent: Agent
    path: Path
    counts: Counts

    def cursor(self) -> Row | None:
        """Return the place that the transcript was read up to."""
        connection = self.memory.store.read()
        return cursors.find_cursor(connection, key_of(self.path))


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


class About(NamedTuple):
    """How a file is known again."""

    device: str
    size: int
    tail: bytes  # A digest of the bytes before the place read up to.
    at: int  # When it last grew, in milliseconds.


class Chunk(NamedTuple):
    """A piece of a file, and what it tells."""

    offset: int
    data: bytes
    events: list[Event]
    gap: bool = False  # Records are missing, or may have cut a context (N4).


# Words in the name of an unknown kind of record that may mean a cut context.
_CUTTING = ("system:", "compact", "context", "rewind", "clear", "snip", "collapse")


def is_doubtful(unknown: dict[str, int]) -> bool:
    """Say whether an unknown kind of record may have cut a reader's context (N4)."""
    return any(word in kind.lower() for kind in unknown for word in _CUTTING)


def sessions_of(
    connection: Connection, work: Following, events: list[Event]
) -> list[str]:
    """Return the sessions that a piece of a file tells of, and those of its file."""
    found = {event.head.session for event in events}
    found.add(work.agent.describe(work.path).session)
    cursor = work.cursor()
    if cursor is not None and cursor["transcript"] is not None:
        row = connection.execute(
            "SELECT s.native FROM transcript t JOIN session s ON s.id = t.session"
            " WHERE t.id = ?",
            (cursor["transcript"],),
        ).fetchone()
        found |= {row[0]} if row else set()
    return sorted(found - {""})


def dated(events: list[Event], at: int) -> list[Event]:
    """Return ``events`` with the moment ``at``, if none of them knows its own.

    Some transcripts hold no times: then what is in a piece of one happened when the
    file last changed.
    """
    if any(event.head.at for event in events):
        return events
    return [_at(event, at) for event in events]


def _at(event: Event, at: int) -> Event:
    return event._replace(head=event.head._replace(at=at))


def item_of(work: Following, about: About) -> transcripts.TranscriptItem:
    """Return how a file is named among the kept ones."""
    return transcripts.TranscriptItem(
        agent=work.agent.AGENT,
        name=place_of(work.path),
        path=key_of(work.path),
        device=about.device,
        at=about.at,
    )


def may_keep(work: Following, events: list[Event]) -> bool:
    """Say whether the bytes that tell ``events`` may be kept (M5, H4, K3)."""
    memory = work.memory
    return memory.switches().transcripts and not _denied(memory, events)


def bind_session(
    connection: Connection, transcript: int, work: Following, events: list[Event]
) -> None:
    """Tie a kept file to its session, once the records have said which it is."""
    named = work.agent.describe(work.path)
    said = [event.head.session for event in events if event.head.session]
    native = named.session if named.session in said else next(iter(said), "")
    heads = [event.head for event in events if event.head.session == native]
    scopes = {head.scope for head in heads}
    scope = named.scope or (scopes.pop() if len(scopes) == 1 else "")
    connection.execute(
        "UPDATE transcript SET scope = ?, session ="
        " (SELECT id FROM session WHERE native = ? ORDER BY agent = ? DESC LIMIT 1)"
        " WHERE id = ? AND session IS NULL",
        (scope, native, work.agent.AGENT, transcript),
    )


def keep_cursor(
    connection: Connection,
    work: Following,
    about: About,
    position: Position,
    transcript: int | None,
) -> None:
    """Store how far a transcript was read; with what was read, or not at all."""
    cursor = cursors.CursorRow(
        path=key_of(work.path),
        agent=work.agent.AGENT,
        device=about.device,
        offset=position.offset,
        size=about.size,
        tail=about.tail,
        state=json.dumps(position.state),
        skipped=position.skipped,
        unknown=json.dumps(position.unknown),
        transcript=transcript,
        at=work.memory.clock.now(),
    )
    cursors.ensure_cursor(connection, cursor)


def place_of(path: Path) -> str:
    """Return a file's place below its agent's folder, with slashes.

    ``<session>/subagents/agent-x.jsonl`` for a subagent's file, else its name.
    """
    parts = path.parts[-6:]
    if "subagents" in parts[1:-1]:
        return "/".join(parts[parts.index("subagents", 1) - 1 :])
    return path.name.removesuffix(".zst")


def _denied(memory: Memory, events: list[Event]) -> bool:
    """Say whether a session that is told of may not be stored at all (H4, K3)."""
    connection = memory.store.read()
    for native in {event.head.session for event in events}:
        row = connection.execute(
            "SELECT write_policy, kind FROM session WHERE native = ?", (native,)
        ).fetchone()
        if candidates.is_suppressed(connection, f"session:{native}"):
            return True
        if row is not None and policy.may_not_store(row):
            return True
    return False


def kept_out(
    connection: Connection, work: Following, chunk: Chunk
) -> list[tuple[int, int]]:
    """Return the bytes that may not enter: erased, excluded, secret (K3, E1)."""
    switches = work.memory.switches()
    spans = _erased_spans(connection, work, chunk)
    spans += [
        (event.head.start, event.head.end)
        for event in chunk.events
        if isinstance(event, Read | Edit) and privacy.is_excluded(switches, event.path)
    ]
    if switches.secrets == "mask":
        found = privacy.secret_spans(chunk.data)
        spans += [(chunk.offset + one, chunk.offset + end) for one, end in found]
    return spans


def _erased_spans(
    connection: Connection, work: Following, chunk: Chunk
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
    return spans + _known_words(connection, work, chunk)


def _known_words(
    connection: Connection, work: Following, chunk: Chunk
) -> list[tuple[int, int]]:
    """Return where erased sentences stand in any record but one of a later day."""
    words = ErasedWords(connection, work.memory.key)
    if not words:
        return []
    moments = sorted(
        (event.head.start - chunk.offset, event.head.at) for event in chunk.events
    )
    text = chunk.data.decode("utf-8", "replace")
    spans = []
    for sentence in words.find(text):
        form = sentence.encode("utf-8", "replace")
        at = chunk.data.find(form)
        while at >= 0:
            place = bisect_right(moments, at, key=lambda one: one[0]) - 1
            if words.find(sentence, moments[place][1] if place >= 0 else 0):
                spans.append((chunk.offset + at, chunk.offset + at + len(form)))
            at = chunk.data.find(form, at + len(form))
    return spans
