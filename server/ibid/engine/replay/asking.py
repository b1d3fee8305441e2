"""What memory would have answered at a moment: starts, prompts and reads (P5).

It calls what hooks and our read tool call, where the session's agent takes an answer,
and notes beside it what was said, read or run although memory held it already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.events import COMMAND, QUEUED, TYPED
from ibid.engine.keep import policy
from ibid.engine.learn.merge import Neighbours
from ibid.engine.learn.observe import absolute
from ibid.engine.ledger.native import lines_of
from ibid.engine.ledger.starting import COMPACTED
from ibid.engine.model import ReadRequest, RecallRequest
from ibid.engine.replay import log
from ibid.engine.replay.held import Held
from ibid.errors import InputError
from ibid.store import sessions
from ibid.store.shown import FULL
from ibid.text.digest import digest
from ibid.text.own import blank_own
from ibid.text.signals import find_signals
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.agents import events as e
    from ibid.engine.replay.cast import Session
    from ibid.engine.replay.scratch import ScratchMemory
    from ibid.engine.replay.scribe import Scribe
    from ibid.store.driver import Connection, Row


_ASKING = frozenset({TYPED, QUEUED, COMMAND})
_MOST_BEFORE = 2_000_000  # Lines before a part that is read: no file has more.


class Asker:
    """Asks one project's scratch memory, and has the scribe write it down."""

    def __init__(self, memory: ScratchMemory, scribe: Scribe) -> None:
        self._memory = memory
        self._scribe = scribe
        self._held = Held()

    def begin(self, session: Session) -> None:
        """Ask what a starting session would have been told."""
        self._allow(session)
        source = hooks.FORK if session.forked else hooks.STARTUP
        call = hooks.Call("", hooks.START, session.native, source=source)
        if may_answer(session.agent, call):
            self._memory.session_start(session.native, session.agent, session.role)
            self._scribe.collect(session, "")

    def _allow(self, session: Session) -> None:
        """Recall where an agent has to be told to: a replay tells what it would be."""
        row = self.row_of(session)
        if row is None or session.agent not in policy.SHOWN_AS_USER:
            return
        read, write = policy.policies_of("memory-on", session.agent)
        values = {"preset": "memory-on", "read": read, "write": write}
        with self._memory.store.write() as connection:
            sessions.set_policy(connection, row["id"], values)

    def begin_scope(self, session: Session, scope: str) -> None:
        """Ask what a starting subagent would have been told."""
        call = hooks.Call("", hooks.SUBAGENT, session.native, scope=scope)
        if may_answer(session.agent, call):
            self._memory.subagent_start(
                session.native, session.agent, session.role, scope
            )
            self._scribe.collect(session, scope)

    def asked(self, session: Session, event: e.Prompt) -> None:
        """Ask what a prompt would have got; note what its person says again."""
        if event.head.scope or event.voice not in _ASKING:
            return
        self._scribe.add(session, "", log.PROMPT, tokens=estimate(event.text))
        self._repeated(session, event)
        call = hooks.Call("", hooks.PROMPT, session.native, prompt=event.text)
        if not may_answer(session.agent, call):
            return
        self._memory.recall(
            RecallRequest(
                event.text, session.native, session.agent, session.role, hooks.ROOM
            )
        )
        self._scribe.collect(session, "", event.text)

    def _repeated(self, session: Session, event: e.Prompt) -> None:
        """Note the sentences that a note of another session says already, or not."""
        signals = find_signals(blank_own(event.text))
        if not signals:
            return
        connection = self._memory.store.read()
        neighbours = Neighbours(connection, self._memory.key)
        for signal in signals:
            kind, note, _ = neighbours.meet(signal.text)
            if note is None or not _is_elsewhere(connection, note, session):
                continue
            kind = log.SAID if kind == "same" else log.DIFFERS
            named = self._scribe.named(session, "", note["text"])
            self._scribe.add(
                session,
                "",
                kind,
                tokens=estimate(signal.text),
                about=note["key"],
                named=named,
            )

    def read(self, session: Session, event: e.Read) -> bool:
        """Ask what our read tool would have answered; say whether it was asked (N2)."""
        if event.stub or not event.text:
            return False
        lines = lines_of(event)
        if lines.last < lines.first or lines.first > _MOST_BEFORE:
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
        self._scribe.add(
            session, event.head.scope, log.READ, tokens=answer.raw_tokens, about=path
        )
        self._scribe.collect(session, event.head.scope)
        if answer.answer != FULL:
            self._memory.keep_on()
        self._memory.workspace.show(path, lines)
        return True

    def _note_again(self, session: Session, event: e.Read, path: str) -> None:
        scope = event.head.scope
        reader = (scope, session.readers[scope].epoch)
        before = self._held.read(session.native, reader, path, event.text)
        if before is None or not (before.known or before.lost):
            return
        self._scribe.add(
            session,
            scope,
            log.LOST if before.lost else log.AGAIN,
            tokens=estimate(event.text),
            about=path,
            same=before.same,
            named=self._scribe.named(
                session, scope, self._scribe.relative(path, session)
            ),
        )

    def compacted(self, session: Session, scope: str) -> None:
        """Ask what a session would have been told after its compaction."""
        call = hooks.Call("", hooks.START, session.native, source=COMPACTED)
        if not scope and may_answer(session.agent, call):
            self._memory.session_start(
                session.native, session.agent, session.role, COMPACTED
            )
            self._scribe.collect(session, "")

    def ran(self, session: Session, event: e.Tool, given: list[str]) -> None:
        """Note a command that gave the very output that it had given before."""
        if not event.output or not given:
            return
        before = self._held.run(session.native, given[0], event.output)
        if before.known:
            self._scribe.add(
                session,
                event.head.scope,
                log.RERUN,
                tokens=estimate(event.output),
                about=digest(given[0].encode("utf-8", "replace")),
                same=before.same,
            )

    def row_of(self, session: Session) -> Row | None:
        """Return the session's row, and note who its agent is as the store has it."""
        row = sessions.find_session(self._memory.store.read(), session.native)
        if row is not None:
            session.agent = row["agent"] or session.agent
            session.role = row["role"] or session.agent
            session.cwd = row["cwd"] or session.cwd
        return row


def may_answer(agent: str, call: hooks.Call) -> bool:
    """Say whether an agent takes a text at this moment, as its hooks have it.

    An agent without hooks asks by itself, over the wire or by our tools.
    """
    name, host = ("copilot", "vscode") if agent == "vscode-copilot" else (agent, "")
    host = "terminal" if agent == "copilot" else host
    if name not in hooks.HOOKED:
        return True
    return hooks.load_adapter(name).may_answer(call._replace(agent=name, host=host))


def _is_elsewhere(connection: Connection, note: Row, session: Session) -> bool:
    """Say whether a note was said in another session."""
    row = connection.execute(
        "SELECT 1 FROM evidence v JOIN session s ON s.id = v.session"
        " WHERE v.memory = ? AND s.native <> ? LIMIT 1",
        (note["id"], session.native),
    ).fetchone()
    return row is not None
