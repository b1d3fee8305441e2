"""From canonical events to rows: turn log, archive, read ledger (A2, M1, N1).

`Ingest.apply` runs inside the caller's transaction, so that the cursor of a file and
what was read from it are stored together or not at all.  Everything is idempotent by
native record id: a second import adds nothing, forks and resumes share.

A turn begins with a person's prompt and ends by the agent's own mark, by the next
prompt, or, presumed, after ten idle minutes (B1).  A completed turn goes to `capture`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.agents import events as e
from ibid.engine import index
from ibid.engine.keep import policy, privacy
from ibid.engine.keep.arrival import take_next_preset
from ibid.engine.keep.holes import hole
from ibid.engine.keep.words import ErasedWords
from ibid.engine.learn import capture
from ibid.engine.learn.context import Context, Counts
from ibid.engine.learn.observe import Observer
from ibid.engine.ledger.meter import MARKER_MS
from ibid.engine.ledger.seen import GAP
from ibid.engine.model import MINUTE, native_key
from ibid.store import archive, candidates, receipts, sessions, turns
from ibid.text.digest import digest
from ibid.text.redact import REDACT_VERSION, redact
from ibid.text.terms import TERMS_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ibid.store.driver import Connection, Row

IDLE = 10 * MINUTE

# Prompts that begin a turn; other voices belong to the one that runs.
_STARTING = frozenset({e.TYPED, e.COMMAND})
# Who is no person; any other author of a prompt is a person by that name.
_OTHERS = frozenset({"agent", "harness", "tool", "system", "assistant", "model"})
# These do so only when none runs: what was queued, and others' requests.
_LATE = frozenset({e.QUEUED, e.AGENT, e.INJECTED})


class Ingest:
    """Applies the events of one agent to a project's store."""

    def __init__(self, context: Context, counts: Counts | None = None) -> None:
        self.context = context
        self.counts = counts or Counts()
        self._sessions: dict[str, Row] = {}
        self._turns: dict[int, Row | None] = {}
        self._erased: dict[str, bool] = {}
        self._observer = Observer(context, self.counts)
        self._last: dict[str, int] = {}

    def begin(self, connection: Connection, events: Sequence[e.Event]) -> None:
        """Make the sessions of ``events`` known, before anything of them is kept."""
        for event in self._without_words(connection, events):
            native = event.head.session
            is_new = native and native not in self._sessions
            if is_new and not self._is_erased(connection, native):
                self._session(connection, event)

    def apply(self, connection: Connection, events: Sequence[e.Event]) -> None:
        """Store what ``events`` tell, in order, within the caller's transaction."""
        events = self._without_words(connection, events)
        self._observer.begin(events)
        for event in events:
            if event.head.session:
                self._apply_one(connection, event)
        self._observer.flush(connection)
        for native, last in self._last.items():
            # What a marker names stays for 30 days after its session (M3).
            owner, until = str(self._sessions[native]["id"]), last + MARKER_MS
            archive.extend_references(connection, archive.MARKER, owner, until)

    def interrupt(self, connection: Connection, sessions_: Iterable[str]) -> None:
        """End every epoch of these sessions: records are missing, or in doubt (N4)."""
        for native in sessions_:
            for row in sessions.same_sessions(connection, native):
                moment = max(self._last.get(native, 0), row["last"])
                self._end_epochs(connection, row, "gap", moment)

    def _without_words(
        self, connection: Connection, events: Sequence[e.Event]
    ) -> Sequence[e.Event]:
        """Return events without the sentences that a person erased (K3)."""
        return ErasedWords(connection, self.context.key).clean(events)

    def _apply_one(self, connection: Connection, event: e.Event) -> None:
        if self._is_erased(connection, event.head.session):
            return
        session = self._session(connection, event)
        if self._is_denied(session):
            return
        self._note_silence(connection, session, event.head)
        if isinstance(event, e.Prompt):
            self._prompt(connection, session, event)
        elif isinstance(event, e.Answer):
            self._answer(connection, session, event)
        elif isinstance(event, e.TurnEnded):
            self._end(connection, session, event)
        elif isinstance(event, e.SessionEnded):
            self._session_ended(connection, session, event)
        elif isinstance(event, e.Compacted | e.Boundary):
            self._epoch(connection, session, event)
        elif not isinstance(event, e.SessionSeen):
            turn = self._turn_of(connection, session, event.head)
            self._observer.observe(connection, session, turn, event)

    # -- sessions ------------------------------------------------------------------

    def _session(self, connection: Connection, event: e.Event) -> Row:
        native = event.head.session
        row = self._sessions.get(native)
        if row is None or isinstance(event, e.SessionSeen):
            row = self._ensure_session(connection, event)
        elif event.head.at > row["last"] and not self._is_denied(row):
            sessions.touch_session(connection, row["id"], event.head.at)
        return row

    def _ensure_session(self, connection: Connection, event: e.Event) -> Row:
        head, agent = event.head, self.context.agent
        same = sessions.same_sessions(connection, head.session)
        last = max((row["last"] for row in same), default=0)
        self._last.setdefault(head.session, last)
        if not isinstance(event, e.SessionSeen):
            # Neutral events name their agent once, at the beginning.
            known = sessions.find_session(connection, head.session, agent)
            known = known or sessions.find_session(connection, head.session)
            agent = agent if known is None else known["agent"] or agent
        facts = sessions.SessionFacts(agent, head.session, at=head.at)
        if isinstance(event, e.SessionSeen):
            agent = event.agent or agent
            facts = sessions.SessionFacts(
                agent,
                head.session,
                role=event.role or agent,
                kind=event.kind,
                title=redact(event.title),
                cwd=event.cwd,
                branch=event.branch,
                agent_version=event.version,
                at=head.at,
            )
        if sessions.find_session(connection, head.session, agent) is None:
            self.counts.sessions += 1
            sessions.ensure_session(connection, facts)
            self._begin_session(connection, facts)
        row = sessions.ensure_session(connection, facts)
        if isinstance(event, e.SessionSeen) and event.parent:
            parent = sessions.ensure_session(
                connection, sessions.SessionFacts(agent, event.parent)
            )
            sessions.link_lineage(connection, row["id"], parent["id"], head.id)
        self._sessions[head.session] = row
        return row

    def _begin_session(
        self, connection: Connection, facts: sessions.SessionFacts
    ) -> None:
        """Give a new session the preset that waits for it, and wake the snoozed."""
        row = sessions.find_session(connection, facts.native, facts.agent)
        if row is not None and facts.at >= self.context.now - IDLE:
            take_next_preset(connection, row, self.context.now)
        candidates.wake_snoozed(connection, self.context.now)

    def _is_erased(self, connection: Connection, native: str) -> bool:
        """Say whether a person deleted the whole session (K3)."""
        if native not in self._erased:
            name = f"session:{native}"
            self._erased[native] = candidates.is_suppressed(connection, name)
        return self._erased[native]

    @staticmethod
    def _is_denied(session: Row) -> bool:
        """Say whether nothing of the session may be stored (H4, G8)."""
        return policy.may_not_store(session)

    # -- turns ---------------------------------------------------------------------

    def _current(self, connection: Connection, session: Row) -> Row | None:
        number = session["id"]
        if number not in self._turns:
            self._turns[number] = turns.last_turn(connection, number)
        return self._turns[number]

    def _open(self, connection: Connection, session: Row, native: str, at: int) -> Row:
        before = self._current(connection, session)
        if before is not None and before["state"] == turns.OPEN:
            self._close(connection, session, turns.COMPLETED, at)
        moment = at or session["last"]
        turn = turns.open_turn(connection, session["id"], native, moment)
        self._turns[session["id"]] = turn
        self.counts.turns += 1
        due = min(moment, self.context.now) + self.context.switches.settling
        candidates.restart_window(connection, session["id"], due)
        return turn

    def _turn_of(
        self, connection: Connection, session: Row, head: e.Head
    ) -> Row | None:
        """Return the turn an event belongs to: a subagent's by time, else the last."""
        if head.scope and head.at:
            return turns.turn_at(connection, session["id"], head.at)
        return self._current(connection, session)

    def _end(self, connection: Connection, session: Row, event: e.TurnEnded) -> None:
        if event.head.scope:
            return
        turn = self._current(connection, session)
        if turn is not None and turn["state"] == turns.OPEN:
            self._close(connection, session, event.status, event.head.at)

    def _close(self, connection: Connection, session: Row, state: str, at: int) -> None:
        turn = self._current(connection, session)
        assert turn is not None
        self._observer.flush(connection)  # Capture asks what the turn read.
        close_turn(connection, self.context, self.counts, Ending(turn["id"], state, at))
        self._turns[session["id"]] = turns.find_turn(connection, turn["id"])

    def _session_ended(
        self, connection: Connection, session: Row, event: e.SessionEnded
    ) -> None:
        turn = self._current(connection, session)
        if turn is not None and turn["state"] == turns.OPEN:
            self._close(connection, session, turns.PRESUMED, event.head.at)
        sessions.end_session(connection, session["id"], event.head.at)
        self._end_epochs(connection, session, "ended", event.head.at)

    def _epoch(
        self, connection: Connection, session: Row, event: e.Compacted | e.Boundary
    ) -> None:
        """End the epoch of a reader; a resume of the main thread ends all (N4)."""
        reason, scope = "compacted", event.head.scope
        if isinstance(event, e.Boundary):
            reason, scope = event.reason, scope or sessions.EVERY
        boundary = event.head.id or f"{reason}@{event.head.start}"
        start = sessions.EpochStart(
            session["id"], scope, boundary, reason, event.head.at
        )
        sessions.ensure_epoch(connection, start)

    def _note_silence(self, connection: Connection, session: Row, head: e.Head) -> None:
        """End all epochs where an hour passed without a record (N4)."""
        last = self._last.get(head.session, 0)
        if last and head.at - last > GAP:
            self._end_epochs(connection, session, "idle", head.at)
        self._last[head.session] = max(last, head.at)

    @staticmethod
    def _end_epochs(connection: Connection, session: Row, reason: str, at: int) -> None:
        start = sessions.EpochStart(
            session["id"], sessions.EVERY, f"{reason}@{at}", reason, at
        )
        sessions.ensure_epoch(connection, start)

    # -- messages ------------------------------------------------------------------

    def _prompt(self, connection: Connection, session: Row, event: e.Prompt) -> None:
        native = self._native(event.head, "p")
        if self._is_known(connection, session, native):
            return
        event = event._replace(text=self._without_erased(connection, native, event))
        turn = self._turn_of(connection, session, event.head)
        main = not event.head.scope
        starts = main and (event.voice in _STARTING or turn is None)
        if main and event.voice in _LATE and not _is_open(turn):
            starts = True
        if starts:
            turn = self._open(connection, session, f"t:{native}", event.head.at)
        role = event.author if event.author in _OTHERS else "person"
        self._add(connection, session, turn, _Text(event.head, native, role, event))
        if turn is not None:
            turns.add_flags(connection, turn["id"], frozenset(event.flags))
            prompt = digest(event.text.encode("utf-8", "replace"))
            receipts.bind_turn(
                connection, event.head.session, prompt, session["id"], turn["id"]
            )

    def _answer(self, connection: Connection, session: Row, event: e.Answer) -> None:
        native = self._native(event.head, "a")
        if self._is_known(connection, session, native):
            self._renew(connection, session, event, native)
            return
        turn = self._turn_of(connection, session, event.head)
        if turn is None and not event.head.scope:
            turn = self._open(connection, session, f"t:{native}", event.head.at)
        event = event._replace(text=self._without_erased(connection, native, event))
        if turn is not None and self._join(connection, turn, event, native):
            return
        self._add(connection, session, turn, _Text(event.head, native, "agent", event))
        if turn is not None and turn["state"] != turns.OPEN and not event.head.scope:
            capture.renew_episode(connection, self.context, turn["id"])

    def _renew(
        self, connection: Connection, session: Row, event: e.Answer, native: str
    ) -> None:
        """Give a known answer the text that its agent has for it now, if another.

        Left as they are: answers of several blocks, and what a person cut (K3).
        """
        row = turns.find_native(connection, native)
        text = event.text
        if row is None or row["session"] != session["id"] or row["text"] == text:
            return
        cut = hole("x") in row["text"] or candidates.suppressed_spans(
            connection, native
        )
        if row["native"] != native or turns.has_blocks(connection, row["id"]) or cut:
            return
        self._replace(connection, row, text, event.head.end)
        if row["turn"] is not None and not row["scope"]:
            turn = turns.find_turn(connection, row["turn"])
            if turn is not None and not _is_open(turn):
                capture.renew_episode(connection, self.context, turn["id"])

    @staticmethod
    def _replace(connection: Connection, row: Row, text: str, end: int) -> None:
        """Put ``text`` in the place of a message's, in its index too."""
        author = row["author"]
        index.remove(connection, index.MESSAGES, row["id"], row["text"], author)
        found = index.analyse(text, author)
        new = turns.NewText(
            row["id"], text, end, found.secret, found.length, found.handle
        )
        turns.replace_text(connection, new)
        index.add(connection, index.MESSAGES, row["id"], found.terms)

    def _join(
        self, connection: Connection, turn: Row, event: e.Answer, native: str
    ) -> bool:
        """Join a block to the answer it is part of; say whether it was one (A2)."""
        part = native_key(self.context.agent, event.message) if event.message else ""
        known = turns.find_part(connection, turn["id"], event.head.scope, part)
        if known is None:
            return False
        turns.add_block(connection, native, known["id"])
        text = f"{known['text']}\n\n{event.text}"
        self._replace(connection, known, text, event.head.end)
        return True

    def _add(
        self, connection: Connection, session: Row, turn: Row | None, given: _Text
    ) -> None:
        head, event = given.head, given.event
        part = event.message if isinstance(event, e.Answer) else ""
        author = event.author if event.author != "person" else ""
        found = index.analyse(event.text, author)
        message = turns.NewMessage(
            session=session["id"],
            turn=None if turn is None else turn["id"],
            role=given.role,
            text=event.text,
            at=head.at or session["last"],
            native=given.native,
            scope=head.scope,
            voice=event.voice if isinstance(event, e.Prompt) else "",
            author=author,
            part=native_key(self.context.agent, part) if part else "",
            transcript=self.context.transcript,
            start=head.start,
            end=head.end,
            secret=found.secret,
            length=found.length,
            handle=found.handle,
            redact_version=REDACT_VERSION,
            terms_version=TERMS_VERSION,
        )
        row = turns.add_message(connection, message)
        index.add(connection, index.MESSAGES, row, found.terms)

    def _without_erased(
        self, connection: Connection, native: str, event: e.Prompt | e.Answer
    ) -> str:
        """Return a text without what a person erased (K3) or keeps out (E1)."""
        text = privacy.at_the_door(self.context.switches, event.text)
        for start, end in candidates.suppressed_spans(connection, native):
            text = text[:start] + hole(text[start:end]) + text[end:]
        return text

    def _native(self, head: e.Head, kind: str) -> str:
        native = head.id or f"{head.session}/{head.scope}/{head.start}{kind}"
        return native_key(self.context.agent, native)

    def _is_known(self, connection: Connection, session: Row, native: str) -> bool:
        """Say whether the record is stored, or must not be; note a copy's origin."""
        known = turns.find_native(connection, native)
        if known is None:
            return candidates.is_suppressed(connection, native)
        if known["session"] != session["id"]:
            sessions.link_lineage(connection, session["id"], known["session"], native)
        elif known["turn"] is not None and not known["scope"]:
            # A file is told again: what follows belongs to this turn, not to the last.
            turn = turns.find_turn(connection, known["turn"])
            self._turns[session["id"]] = turn
        return True


class _Text(NamedTuple):
    head: e.Head
    native: str
    role: str
    event: e.Prompt | e.Answer


class Ending(NamedTuple):
    """How and when a turn ended."""

    turn: int
    state: str
    at: int


def close_turn(
    connection: Connection, context: Context, counts: Counts, ending: Ending
) -> None:
    """End a turn and let it teach, if it may (B1, B8, B9)."""
    turns.end_turn(connection, ending.turn, ending.state, ending.at)
    learned = capture.capture_turn(connection, context, ending.turn)
    counts.episodes += learned.episodes
    counts.candidates += learned.candidates


def presume_idle(connection: Connection, context: Context, counts: Counts) -> int:
    """Presume completed what has been silent for ten minutes (B1); return how many."""
    idle = turns.idle_turns(connection, context.now - IDLE)
    for turn in idle:
        ending = Ending(turn["id"], turns.PRESUMED, turn["session_last"])
        close_turn(connection, context, counts, ending)
    return len(idle)


def _is_open(turn: Row | None) -> bool:
    return turn is not None and turn["state"] == turns.OPEN
