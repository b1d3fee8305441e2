"""The past of one project, moment by moment, and what memory would have done (P5).

`Player.play` takes what one record of a transcript told, at the moment it was written.
First it asks what would have been answered before that record was there: at a start,
to a prompt, for a read, with the functions that hooks and tools call.  Then the record
is learned from as ever.  It never looks further than the moment it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.agents import events as e
from ibid.agents import hooks
from ibid.engine.keep import policy
from ibid.engine.learn.ingest import IDLE
from ibid.engine.learn.merge import Neighbours
from ibid.engine.learn.observe import absolute
from ibid.engine.ledger.native import lines_of
from ibid.engine.ledger.seen import GAP
from ibid.engine.ledger.starting import COMPACTED
from ibid.engine.model import ReadRequest, RecallRequest
from ibid.engine.replay import log
from ibid.engine.replay.held import Held
from ibid.engine.replay.log import Fact, Who
from ibid.engine.replay.witness import Witness
from ibid.errors import InputError
from ibid.store import sessions
from ibid.text.digest import digest
from ibid.text.own import blank_own, without_own
from ibid.text.signals import find_signals
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.engine.replay.scratch import ScratchMemory
    from ibid.store.driver import Connection, Row

_ASKING = frozenset({e.TYPED, e.QUEUED, e.COMMAND})
_CHANGING = (e.Tool, e.Read, e.Edit)


class Moment(NamedTuple):
    """What one record told, and when it was written."""

    at: int
    agent: str  # Whose reader told it.
    source: int  # Which transcript it stands in.
    events: tuple[e.Event, ...]


class _Reader:
    """What one thread of a session has in its context."""

    def __init__(self) -> None:
        self.epoch = 0
        self.witness = Witness()
        self.injected: list[tuple[str, str]] = []  # Feature and text, this epoch.

    def begin(self) -> None:
        """Begin a new epoch: nothing of before is in context."""
        self.epoch += 1
        self.witness = Witness()
        self.injected = []


class _Session:
    """One session as far as it was played."""

    def __init__(self, native: str, agent: str) -> None:
        self.native = native
        self.agent = agent
        self.role = agent
        self.cwd = ""
        self.forked = False
        self.last = 0
        self.readers: dict[str, _Reader] = {}


class Player:
    """Plays one project's past to its scratch memory and writes down what it finds."""

    def __init__(self, memory: ScratchMemory, facts: list[Fact]) -> None:
        self._memory = memory
        self._facts = facts
        self._held = Held()
        self._sessions: dict[str, _Session] = {}
        self._known: dict[tuple[str, str, str, str], int] = {}
        self._waiting: dict[int, list[e.SessionSeen]] = {}
        self._entries: dict[int, int] = {}  # Account entry -> its place in the log.
        self._last_entry = 0
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
            if isinstance(event, e.Read) and self._read(event)
        }
        for event in news:
            if isinstance(event, e.Prompt):
                self._asked(event)
        kept = [
            event
            for event in map(lambda one: _as_kept(one, served), [*again, *news])
            if event is not None
        ]
        self._memory.apply(moment.agent, kept)
        for event in news:
            self._after(event)

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
                session = self._sessions[native] = _Session(native, moment.agent)
                for one in news:
                    if isinstance(one, e.SessionSeen) and one.head.session == native:
                        self._seen(session, one)
                self._row_of(session)
                self._begin(session)
            session = self._sessions[native]
            self._note_silence(session, moment.at)
            if scope not in session.readers:
                session.readers[scope] = _Reader()
                if scope and not isinstance(event, e.SessionSeen):
                    self._begin_scope(session, scope)

    @staticmethod
    def _seen(session: _Session, event: e.SessionSeen) -> None:
        session.agent = event.agent or session.agent
        session.role = event.role or session.role or session.agent
        session.cwd = session.cwd or event.cwd
        session.forked = session.forked or bool(event.parent)

    def _row_of(self, session: _Session) -> Row | None:
        """Return the session's row, and note who its agent is as the store has it."""
        row = sessions.find_session(self._memory.store.read(), session.native)
        if row is not None:
            session.agent = row["agent"] or session.agent
            session.role = row["role"] or session.agent
            session.cwd = row["cwd"] or session.cwd
        return row

    def _note_silence(self, session: _Session, at: int) -> None:
        if session.last and at - session.last > GAP:
            for reader in session.readers.values():
                reader.begin()
        session.last = max(session.last, at)

    # -- asking --------------------------------------------------------------------

    def _begin(self, session: _Session) -> None:
        """Ask what a starting session would have been told."""
        session.readers[""] = _Reader()
        self._allow(session)
        source = hooks.FORK if session.forked else hooks.STARTUP
        call = hooks.Call("", hooks.START, session.native, source=source)
        if may_answer(session.agent, call):
            self._memory.session_start(session.native, session.agent, session.role)
            self._collect(session, "")

    def _allow(self, session: _Session) -> None:
        """Recall where an agent has to be told to: a replay tells what it would be."""
        row = self._row_of(session)
        if row is None or session.agent not in policy.SHOWN_AS_USER:
            return
        read, write = policy.policies_of("memory-on", session.agent)
        values = {"preset": "memory-on", "read": read, "write": write}
        with self._memory.store.write() as connection:
            sessions.set_policy(connection, row["id"], values)

    def _begin_scope(self, session: _Session, scope: str) -> None:
        call = hooks.Call("", hooks.SUBAGENT, session.native, scope=scope)
        if may_answer(session.agent, call):
            self._memory.subagent_start(
                session.native, session.agent, session.role, scope
            )
            self._collect(session, scope)

    def _asked(self, event: e.Prompt) -> None:
        """Ask what a prompt would have got; note what its person says again."""
        session = self._sessions[event.head.session]
        if event.head.scope or event.voice not in _ASKING:
            return
        self._add(session, "", log.PROMPT, tokens=estimate(event.text))
        self._repeated(session, event)
        call = hooks.Call("", hooks.PROMPT, session.native, prompt=event.text)
        if not may_answer(session.agent, call):
            return
        self._memory.recall(
            RecallRequest(
                event.text, session.native, session.agent, session.role, hooks.ROOM
            )
        )
        self._collect(session, "", event.text)

    def _repeated(self, session: _Session, event: e.Prompt) -> None:
        """Note the sentences that a note of another session says already, or not."""
        signals = find_signals(blank_own(event.text))
        if not signals:
            return
        connection = self._memory.store.read()
        neighbours = Neighbours(connection, self._memory.key)
        for signal in signals:
            meeting = neighbours.meet(signal.text)
            if meeting.note is None or not _is_elsewhere(connection, meeting.note, session):
                continue
            kind = log.SAID if meeting.kind == "same" else log.DIFFERS
            note = meeting.note["key"]
            named = self._named(session, "", meeting.note["text"])
            self._add(
                session,
                "",
                kind,
                tokens=estimate(signal.text),
                about=note,
                named=named,
            )

    def _read(self, event: e.Read) -> bool:
        """Ask what our read tool would have answered; say whether it was asked (N2)."""
        if event.stub or not event.text:
            return False
        session = self._sessions[event.head.session]
        lines = lines_of(event)
        if lines.last < lines.first:
            return False
        path = absolute(event.path, session.cwd)
        self._note_again(session, event, path)
        ends = lines.total == lines.last
        request = ReadRequest(
            path,
            session.native,
            event.head.scope,
            first=lines.first,
            last=0 if ends else lines.last,
        )
        text = event.text
        missing = lines.last - lines.first + 1 - text.count("\n")
        if not ends:  # The end of its last line was not shown, and a line follows.
            text += "\n" * (missing + 1)
        try:  # The lines before are not asked for: any will do.
            answer = self._memory.read(request, "\n" * (lines.first - 1) + text)
        except InputError:
            return False
        self._add(
            session, event.head.scope, log.READ, tokens=answer.raw_tokens, about=path
        )
        self._collect(session, event.head.scope)
        self._memory.workspace.show(path, lines)
        return True

    def _note_again(self, session: _Session, event: e.Read, path: str) -> None:
        before = self._held.read(session.native, event.head.scope, path, event.text)
        if before is None or not before.known:
            return
        self._add(
            session,
            event.head.scope,
            log.AGAIN,
            tokens=estimate(event.text),
            about=path,
            same=before.same,
            named=self._named(session, event.head.scope, self._relative(path, session)),
        )

    # -- afterwards ----------------------------------------------------------------

    def _after(self, event: e.Event) -> None:
        """Note what the record means for who has what in context."""
        session = self._sessions[event.head.session]
        reader = session.readers[event.head.scope]
        if isinstance(event, e.Compacted):
            reader.begin()
            self._compacted(session, event.head.scope)
        elif isinstance(event, e.Boundary):
            for scope, one in session.readers.items():
                if event.head.scope in ("", scope):
                    one.begin()
        elif isinstance(event, e.Usage):
            self._add(session, event.head.scope, log.REQUEST)
        elif isinstance(event, e.Prompt):
            reader.witness.asked(without_own(event.text))
        elif isinstance(event, e.Answer):
            self._said(session, event.head.scope, event.text)
        elif isinstance(event, _CHANGING):
            self._worked(session, reader, event)

    def _compacted(self, session: _Session, scope: str) -> None:
        call = hooks.Call("", hooks.START, session.native, source=COMPACTED)
        if not scope and may_answer(session.agent, call):
            self._memory.session_start(
                session.native, session.agent, session.role, COMPACTED
            )
            self._collect(session, "")

    def _worked(
        self, session: _Session, reader: _Reader, event: e.Tool | e.Read | e.Edit
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
            self._ran(session, event, given)
        features = reader.witness.shown(event.output)
        if event.kind in ("search", "exec", "other") and not event.error:
            for feature in sorted(features):
                tokens = estimate(event.output)
                self._add(session, scope, log.SOUGHT, feature=feature, tokens=tokens)

    def _ran(self, session: _Session, event: e.Tool, given: list[str]) -> None:
        if not event.output or not given:
            return
        before = self._held.run(session.native, given[0], event.output)
        if before.known:
            self._add(
                session,
                event.head.scope,
                log.RERUN,
                tokens=estimate(event.output),
                about=digest(given[0].encode("utf-8", "replace")),
                same=before.same,
            )

    def _said(self, session: _Session, scope: str, text: str) -> None:
        for told in session.readers[scope].witness.said(text):
            kind = log.USED if told.used else log.FOUND
            self._add(session, scope, kind, feature=told.feature, entry=told.entry)

    # -- writing down --------------------------------------------------------------

    def _add(self, session: _Session, scope: str, kind: str, **told: object) -> int:
        who = Who(
            self._memory.project.path,
            session.native,
            session.agent,
            session.role,
            scope,
            session.readers[scope].epoch,
        )
        at = self._memory.clock.now()
        self._facts.append(Fact(at, who, kind, **told))  # type: ignore[arg-type]
        return len(self._facts) - 1

    def _collect(self, session: _Session, scope: str, said: str = "") -> None:
        """Write down what the accounts and receipts say of the last answer."""
        connection = self._memory.store.read()
        rows = connection.execute(
            "SELECT * FROM account WHERE id > ? ORDER BY id", (self._last_entry,)
        ).fetchall()
        for row in rows:
            self._last_entry = row["id"]
            feature = row["feature"]
            if feature == "hint" and row["receipt"] is None:
                feature = log.BEFORE
            place = self._add(
                session,
                scope,
                row["kind"],
                feature=feature,
                tokens=row["tokens"],
                entry=self._entries.get(row["reverses"] or 0, -1),
            )
            self._entries[row["id"]] = place
            if row["receipt"] is not None:
                self._watch(session, scope, row["receipt"], (place, said))

    def _watch(
        self, session: _Session, scope: str, receipt: int, about: tuple[int, str]
    ) -> None:
        """Note what was injected, item by item, and watch for its names."""
        place, said = about
        connection = self._memory.store.read()
        reader = session.readers[scope]
        row = connection.execute(
            "SELECT kind, text FROM receipt WHERE id = ?", (receipt,)
        ).fetchone()
        reader.injected.append((row["kind"], row["text"]))
        for item in connection.execute(
            "SELECT * FROM receipt_item WHERE receipt = ? ORDER BY position", (receipt,)
        ).fetchall():
            number = len(self._facts)
            text = _text_of(connection, item, row["kind"])
            telling = reader.witness.watch(number, row["kind"], text, said)
            self._add(
                session,
                scope,
                log.ITEM,
                feature=row["kind"],
                tokens=item["tokens"],
                about=item["item"],
                same=telling,
                entry=place,
            )

    def _named(self, session: _Session, scope: str, words: str) -> tuple[str, ...]:
        """Return the features whose injections in this epoch hold these words."""
        injected = session.readers[scope].injected
        return tuple(sorted({feature for feature, text in injected if words in text}))

    def _relative(self, path: str, session: _Session) -> str:
        for root in (session.cwd, self._memory.project.path):
            base = root.rstrip("/")
            if base and path.startswith(f"{base}/"):
                return path[len(base) + 1 :]
        return path


def may_answer(agent: str, call: hooks.Call) -> bool:
    """Say whether an agent takes a text at this moment, as its hooks have it.

    An agent without hooks asks by itself, over the wire or by our tools.
    """
    name, host = ("copilot", "vscode") if agent == "vscode-copilot" else (agent, "")
    host = "terminal" if agent == "copilot" else host
    if name not in hooks.HOOKED:
        return True
    return hooks.load_adapter(name).may_answer(call._replace(agent=name, host=host))


def _as_kept(event: e.Event, served: set[tuple[str, str]]) -> e.Event | None:
    """Return an event as the store is to learn it: a served read is known already."""
    if isinstance(event, e.Read):
        return None if (event.head.id, event.path) in served else event
    if isinstance(event, e.Tool) and any(event.head.id == one for one, _ in served):
        return event._replace(output="")
    return None if isinstance(event, e.SessionSeen) else event


def _is_elsewhere(connection: Connection, note: Row, session: _Session) -> bool:
    """Say whether a note was said in another session."""
    row = connection.execute(
        "SELECT 1 FROM evidence v JOIN session s ON s.id = v.session"
        " WHERE v.memory = ? AND s.native <> ? LIMIT 1",
        (note["id"], session.native),
    ).fetchone()
    return row is not None


def _text_of(connection: Connection, item: Row, kind: str) -> str:
    """Return an item's own words, without where it was said."""
    text: str = item["text"]
    if kind not in ("block", "pins"):
        return text
    if item["layer"] != "L0":
        row = connection.execute(
            "SELECT request, text FROM memory WHERE key = ?", (item["item"],)
        ).fetchone()
        if row is not None:
            return f"{row['request'] or ''} {row['text']}"
    return text.rpartition(" (")[0] or text
