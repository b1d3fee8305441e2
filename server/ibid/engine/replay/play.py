"""The past of one project, moment by moment, and what memory would have done (P5).

`Player.play` takes what one record of a transcript told, at the moment it was written.
First it asks what would have been answered before that record was there: at a start,
to a prompt, for a read, with the functions that hooks and tools call.  Then the record
is learned from as ever.  It never looks further than the moment it was given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents import events as e
from ibid.engine.learn.ingest import IDLE
from ibid.engine.learn.observe import absolute
from ibid.engine.ledger.native import lines_of
from ibid.engine.ledger.seen import GAP
from ibid.engine.replay import log
from ibid.engine.replay.asking import Asker
from ibid.engine.replay.cast import Reader, Session
from ibid.engine.replay.scribe import Scribe
from ibid.text.own import without_own
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.engine.replay.log import Fact
    from ibid.engine.replay.scratch import ScratchMemory

_CHANGING = (e.Tool, e.Read, e.Edit)
_LOOKING = frozenset(
    {"rg", "grep", "egrep", "find", "fd", "fdfind", "ls", "tree", "ag", "ack", "locate"}
)


class Moment(NamedTuple):
    """What one record told, and when it was written."""

    at: int
    agent: str  # Whose reader told it.
    source: int  # Which transcript it stands in.
    events: tuple[e.Event, ...]


class Player:
    """Plays one project's past to its scratch memory and writes down what it finds."""

    def __init__(self, memory: ScratchMemory, facts: list[Fact]) -> None:
        self._memory = memory
        self._scribe = Scribe(memory, facts)
        self._asker = Asker(memory, self._scribe)
        self._sessions: dict[str, Session] = {}
        self._known: dict[tuple[str, str, str, str], int] = {}
        self._waiting: dict[int, list[e.SessionSeen]] = {}
        self._ticked = 0

    def play(self, moment: Moment) -> None:
        """Take one moment; they must come in order.

        Raises:
            StoreError: the scratch store refused.
        """
        self._wait_until(moment.at)
        news, again = self._sort(moment)
        if not news and not again:
            return
        self._meet(moment, news)
        served = {
            (event.head.id, event.path)
            for event in news
            if isinstance(event, e.Read) and self._asker.read(self._of(event), event)
        }
        for event in news:
            if isinstance(event, e.Prompt):
                self._asker.asked(self._of(event), event)
        kept = [
            event
            for event in map(lambda one: _as_kept(one, served), [*again, *news])
            if event is not None
        ]
        self._memory.apply(moment.agent, kept)
        for event in news:
            self._after(event)
        for event in [*news, *again]:  # A summary comes second, under the same id.
            if isinstance(event, e.Compacted) and event.head.session in self._sessions:
                reader = self._of(event).readers.setdefault(event.head.scope, Reader())
                reader.witness.asked(event.summary)

    def _of(self, event: e.Event) -> Session:
        return self._sessions[event.head.session]

    # -- time ----------------------------------------------------------------------

    def _wait_until(self, at: int) -> None:
        """Let time pass: what falls due in between is settled at its own moment."""
        clock, memory = self._memory.moved, self._memory
        if at - self._ticked >= 60_000:
            while (due := self._next_due(at)) is not None:
                clock.move(due - clock.now())
                memory.settle()
                self._ticked = due
            self._ticked = max(self._ticked, at)
        clock.move(at - clock.now())

    def _next_due(self, until: int) -> int | None:
        """Return the next moment at which something settles or is presumed over."""
        row = (
            self._memory.store.read()
            .execute(
                """SELECT min(due) FROM (
                SELECT due FROM candidate
                    WHERE state = 'pending' AND waits = 'settling'
                UNION ALL SELECT s.last + ?3 FROM turn t
                    JOIN session s ON s.id = t.session WHERE t.state = 'open')
            WHERE due > ?1 AND due <= ?2""",
                (self._ticked, until, IDLE),
            )
            .fetchone()
        )
        return None if row[0] is None else int(row[0])

    # -- who is there --------------------------------------------------------------

    def _sort(self, moment: Moment) -> tuple[list[e.Event], list[e.Event]]:
        """Return what is new, and what this transcript tells once more.

        What another transcript told before is a copy, as forks and resumes make them;
        that a session exists counts once it says something of its own.
        """
        news: list[e.Event] = []
        again: list[e.Event] = []
        seen = self._waiting.pop(moment.source, [])
        for event in moment.events:
            if not event.head.session:
                continue
            if isinstance(event, e.SessionSeen):
                seen.append(event)
                continue
            source = self._source(moment, event)
            if source is None:
                news.append(event)
            elif source == moment.source:
                again.append(event)
        if not news and not again:
            if seen:
                self._waiting[moment.source] = seen
            return [], []
        return [*seen, *news], again

    def _source(self, moment: Moment, event: e.Event) -> int | None:
        """Return the transcript that told an event first; None for this one, now."""
        if not event.head.id:
            return None
        path = event.path if isinstance(event, e.Read | e.Edit) else ""
        key = (moment.agent, type(event).__name__, event.head.id, path)
        known = self._known.get(key)
        if known is None:
            self._known[key] = moment.source
        return known

    def _meet(self, moment: Moment, news: list[e.Event]) -> None:
        """Make sessions and threads known, and let those that begin ask."""
        for event in news:
            if isinstance(event, e.SessionSeen):
                self._memory.apply(moment.agent, [event])
                if event.head.session in self._sessions:
                    self._seen(self._sessions[event.head.session], event)
        for event in news:
            native, scope = event.head.session, event.head.scope
            if native not in self._sessions:
                session = self._sessions[native] = Session(native, moment.agent)
                for one in news:
                    if isinstance(one, e.SessionSeen) and one.head.session == native:
                        self._seen(session, one)
                self._asker.row_of(session)
                session.readers[""] = Reader()
                self._asker.begin(session)
            session = self._sessions[native]
            self._note_silence(session, moment.at)
            if scope not in session.readers:
                session.readers[scope] = Reader()
                if scope and not isinstance(event, e.SessionSeen):
                    self._asker.begin_scope(session, scope)

    @staticmethod
    def _seen(session: Session, event: e.SessionSeen) -> None:
        session.agent = event.agent or session.agent
        session.role = event.role or session.role or session.agent
        session.cwd = session.cwd or event.cwd
        session.forked = session.forked or bool(event.parent)

    def _note_silence(self, session: Session, at: int) -> None:
        if session.last and at - session.last > GAP:
            for reader in session.readers.values():
                reader.begin()
        session.last = max(session.last, at)

    # -- afterwards ----------------------------------------------------------------

    def _after(self, event: e.Event) -> None:
        """Note what the record means for who has what in context."""
        session = self._of(event)
        reader = session.readers[event.head.scope]
        if isinstance(event, e.Compacted):
            reader.begin()
            self._asker.compacted(session, event.head.scope)
        elif isinstance(event, e.Boundary):
            for scope, one in session.readers.items():
                if event.head.scope in ("", scope):
                    one.begin()
        elif isinstance(event, e.Usage):
            self._scribe.add(session, event.head.scope, log.REQUEST)
        elif isinstance(event, e.Prompt):
            reader.witness.asked(without_own(event.text))
        elif isinstance(event, e.Answer):
            self._said(session, event.head.scope, event.text)
        elif isinstance(event, _CHANGING):
            self._worked(session, reader, event)

    def _worked(
        self, session: Session, reader: Reader, event: e.Tool | e.Read | e.Edit
    ) -> None:
        scope = event.head.scope
        if isinstance(event, e.Read):
            reader.witness.shown(event.text)
            return
        if isinstance(event, e.Edit):
            path = absolute(event.path, session.cwd)
            if event.whole:
                self._memory.workspace.show(path, lines_of(event))
            else:
                self._memory.workspace.edit(path, event)
            return
        given = [value for value in event.input.values() if isinstance(value, str)]
        self._said(session, scope, "\n".join(given))
        if event.kind == "exec":
            self._asker.ran(session, event, given)
        features = reader.witness.shown(event.output)
        if _looks(event, given) and not event.error:
            for feature in sorted(features):
                tokens = estimate(event.output)
                self._scribe.add(
                    session, scope, log.SOUGHT, feature=feature, tokens=tokens
                )

    def _said(self, session: Session, scope: str, text: str) -> None:
        for told in session.readers[scope].witness.said(text):
            kind = log.USED if told.used else log.FOUND
            self._scribe.add(
                session, scope, kind, feature=told.feature, entry=told.entry
            )


def _as_kept(event: e.Event, served: set[tuple[str, str]]) -> e.Event | None:
    """Return an event as the store is to learn it: a served read is known already."""
    if isinstance(event, e.Read):
        return None if (event.head.id, event.path) in served else event
    if isinstance(event, e.Tool) and any(event.head.id == one for one, _ in served):
        return event._replace(output="")
    return None if isinstance(event, e.SessionSeen) else event


def _looks(event: e.Tool, given: list[str]) -> bool:
    """Say whether a call looks for something, rather than at it."""
    if event.kind != "exec":
        return event.kind == "search"
    words = re.split(r"[\s;&|]+", given[0].strip()) if given else []
    while words and (words[0] == "cd" or "=" in words[0]):
        del words[: 2 if words[0] == "cd" else 1]
    return bool(words) and (words[0] in _LOOKING or words[:2] == ["git", "ls-files"])
