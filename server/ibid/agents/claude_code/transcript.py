"""Claude Code's transcripts: bytes become canonical events (B1, B2, B7, G6, N4, N5).

One record holds one block of one message; records form a tree, and only a small part
of the `user` records is a person typing.  Each part of that has a module of its own:
`speaker` (who is speaking), `results` and `persons` (what came of a tool call),
`thread` (which branch), `turns` (where a turn ends), `queued` (prompts typed while the
agent works), `attachments` (what the harness injects), `sessions` and `places`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.calls import Calls
from ibid.agents.claude_code import attachments, kinds, speaker
from ibid.agents.claude_code.answers import read_answer
from ibid.agents.claude_code.persons import Tasks
from ibid.agents.claude_code.places import (
    accepts,
    describe,
    folder_of,
    form,
    is_session_id,
    roots,
    sniff,
)
from ibid.agents.claude_code.queued import Queue
from ibid.agents.claude_code.results import file_read, finish, read_result
from ibid.agents.claude_code.sessions import Sessions
from ibid.agents.claude_code.thread import Thread
from ibid.agents.claude_code.turns import Turns
from ibid.agents.fields import dict_of, dicts_of, moment_of, text_of, texts_of
from ibid.agents.own import is_own
from ibid.agents.telling import ByLine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ibid.agents.claude_code.answers import Spoken
    from ibid.agents.lines import Record

__all__ = [
    "AGENT",
    "Transcript",
    "accepts",
    "describe",
    "folder_of",
    "form",
    "reader",
    "roots",
    "sniff",
]

AGENT = "claude-code"

_RESTARTS = frozenset({"resume", "clear", "fork"})
# After these the turn goes on; what it began is not lost.
_WITHIN_TURN = frozenset({"context-edit", "gap", "process"})
_LEAVING = frozenset({"exit", "quit", "logout"})
_REWINDING = frozenset({"rewind", "undo", "checkpoint"})
_QUEUED_AS_ATTACHMENT = (2, 1, 92)
_REMOVED_WITH_REASON = (2, 1, 246)
_SIDE_RECORDS = 128


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the transcript at ``path``, which is not opened."""
    return Transcript(path, state)


class Transcript(ByLine):
    """Reads one transcript file, piece by piece; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        super().__init__(state)
        place = describe(path)
        self._internal = place.internal
        self._scope = place.scope
        self._file = place.session
        named = self._file if is_session_id(self._file) and not self._scope else ""
        self._sessions = Sessions(AGENT, named, state.get("sessions"))
        self._thread = Thread(state.get("thread"))
        self._turns = Turns(state.get("turns"))
        self._queue = Queue(state.get("queue"))
        self._calls = Calls(state.get("calls"))
        self._tasks = Tasks(state.get("tasks"))
        self._sides: dict[str, str] = dict(state.get("sides", {}))
        self._session: str = state.get("session", "")
        # Something was said since the context last began anew.
        self._said: bool = state.get("said", False)
        self._boundary_id: str = state.get("boundary", "")
        self._desktop: bool = state.get("desktop", False)
        self._contexts: bool = state.get("contexts", False)

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values.

        A few kB; more while a call with a long input is open or long prompts are
        queued, at most 1 MB but for a single call with a longer input.
        """
        return {
            **super().state(),
            "sessions": self._sessions.state(),
            "thread": self._thread.state(),
            "turns": self._turns.state(),
            "queue": self._queue.state(),
            "calls": self._calls.state(),
            "tasks": self._tasks.tasks,
            "sides": self._sides,
            "session": self._session,
            "said": self._said,
            "boundary": self._boundary_id,
            "desktop": self._desktop,
            "contexts": self._contexts,
        }

    def read(self, record: Record) -> None:
        """Tell what one record says."""
        if self._internal:
            return
        value = record.value
        kind = text_of(value, "type")
        if kind == "progress":
            self._progress(value, record)
            return
        handle = _HANDLERS.get(kind)
        if handle is None:
            if kind not in kinds.RECORDS:
                self.drift.count("type", kind)
            return
        head = self._head(record)
        if kind in _ENVELOPED:
            self._meet(value, head)
        handle(self, value, head)

    def _head(self, record: Record) -> events.Head:
        value = record.value
        session = text_of(value, "sessionId") or text_of(value, "session_id")
        self._session = session or self._session or self._file
        forked = text_of(dict_of(value, "forkedFrom"), "messageUuid")
        return events.Head(
            session=self._session,
            at=moment_of(value, "timestamp"),
            id=forked or text_of(value, "uuid"),
            scope=self._scope or self._side(value),
            start=record.start,
            end=record.end,
        )

    def _side(self, value: dict[str, Any]) -> str:
        """Return the scope of a subagent's record within the main file, or ""."""
        if value.get("isSidechain") is not True:
            return ""
        agent = text_of(value, "agentId")
        if agent:
            return agent
        uuid = text_of(value, "uuid")
        parent = text_of(value, "parentUuid")
        scope = self._sides.get(parent) or f"side-{uuid[:8]}"
        self._sides[uuid] = scope
        while len(self._sides) > _SIDE_RECORDS:
            del self._sides[next(iter(self._sides))]
        return scope

    def _meet(self, value: dict[str, Any], head: events.Head) -> None:
        """Tell what the record says of its session; a new version is a new process."""
        version = text_of(value, "version")
        known = self._sessions.version(head.session)
        if version and known and version != known and not head.scope:
            self._begin_anew(head, "resume")
        self._desktop = text_of(value, "entrypoint") == "claude-desktop"
        seen = self._sessions.see(value, head)
        if seen:
            self.add(seen)

    # --- what people say -------------------------------------------------------------

    def _user(self, value: dict[str, Any], head: events.Head) -> None:
        blocks = dicts_of(dict_of(value, "message"), "content")
        results = [block for block in blocks if block.get("type") == "tool_result"]
        if results:
            self._results(value, head, results)
            if len(results) < len(blocks):
                self._beside_results(value, head)
            return
        heard = speaker.listen(value, sidechain=bool(head.scope))
        if heard.summary:
            self._summary(value, head, heard.text)
            return
        if not head.scope:
            self.extend(self._queue.settle(head))
            self._follow(value, head)
        self._inject(head, heard)
        if heard.interrupted and not head.scope:
            self.add(self._turns.cancel(head))
        if heard.command:
            self._command(head, heard.command)
        if heard.voice:
            queued = text_of(value, "promptSource") == "queued"
            self._prompt(head, heard, queued=queued)

    def _follow(self, value: dict[str, Any], head: events.Head) -> None:
        """Place what was sent to the agent; on another branch the epoch ends (N4)."""
        uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
        if value.get("isMeta") is True:
            self._thread.add_aside(uuid, parent)
        elif not self._thread.add_prompt(uuid, parent):
            self._begin_anew(head, "rewind")
        self._said = True

    def _prompt(self, head: events.Head, heard: speaker.Heard, *, queued: bool) -> None:
        voice = heard.voice
        if not head.scope and voice in {events.TYPED, events.QUEUED}:
            arrived = self._queue.arrive(heard.text)
            if not arrived and self._queue.repeats(heard.text, queued=queued):
                return
            if arrived or queued:
                voice = events.QUEUED
        if heard.opens and not head.scope:
            self.add(self._turns.begin())
            self._queue.begin_turn()
        self.add(events.Prompt(head, heard.text, voice, heard.author, heard.flags))
        if heard.plan:
            self.add(events.Todo(head, (), heard.plan))

    def _inject(self, head: events.Head, heard: speaker.Heard) -> None:
        for source, text in heard.injected:
            self.add(events.Injected(head, source, text, is_own(text)))

    def _command(self, head: events.Head, name: str) -> None:
        if name == "clear":
            self._said = True
            self._begin_anew(head, "clear")
        elif name in _REWINDING:
            self._begin_anew(head, "rewind")
        elif name in _LEAVING:
            self.add(events.SessionEnded(head, name))

    def _queue_operation(self, value: dict[str, Any], head: events.Head) -> None:
        version = _version(self._sessions.version(head.session))
        silent = (
            bool(version)
            and version < _REMOVED_WITH_REASON
            and (version < _QUEUED_AS_ATTACHMENT or self._desktop or "content" in value)
        )
        if not self._queue.operate(value, head, silent=silent):
            self.drift.count("queue", text_of(value, "operation"))

    # --- what the agent says and does ------------------------------------------------

    def _assistant(self, value: dict[str, Any], head: events.Head) -> None:
        message = dict_of(value, "message")
        spoken = read_answer(message, head)
        main = not head.scope
        if main:
            self.extend(self._queue.settle(head))
            uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
            if not self._thread.add_answer(uuid, parent, spoken.message):
                self._begin_anew(head, "gap")
        failed = value.get("isApiErrorMessage") is True
        if failed or spoken.model == "<synthetic>":
            if failed and main:
                self.add(self._turns.fail(head, spoken.message))
            return  # The harness speaks in the agent's place.
        self._said = True
        if dicts_of(dict_of(message, "context_management"), "applied_edits"):
            self._begin_anew(head, "context-edit")
        self.extend(spoken.events)
        for key, call in spoken.calls:
            self._calls.begin(key, call)
        for kind in spoken.unknown:
            self.drift.count("block", kind)
        if main:
            self._queue.note_answer()
            self._turns.speak(head, spoken.message, text=spoken.rests)
            self.add(self._stopped(text_of(message, "stop_reason"), head, spoken))

    def _stopped(
        self, reason: str, head: events.Head, spoken: Spoken
    ) -> events.TurnEnded | None:
        if reason == "refusal":  # The model refused: the turn teaches nothing.
            return self._turns.fail(head, spoken.message)
        if reason == "end_turn":
            return self._turns.end_message(spoken.message)
        return None

    def _results(
        self, value: dict[str, Any], head: events.Head, results: list[dict[str, Any]]
    ) -> None:
        if not head.scope:
            uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
            self._thread.add_aside(uuid, parent)
            self._turns.work()
            self._queue.see_result(head.at)
        self._said = True
        cwd = text_of(value, "cwd") or self._sessions.cwd(head.session)
        for block in results:
            result = read_result(block, value)
            call = self._calls.end(result.id)
            self.extend(finish(call, result, head, cwd))
            self.add(self._tasks.apply(call, result, head._replace(id=result.id)))
            if speaker.is_interruption(result.output) and not head.scope:
                self.add(self._turns.cancel(head))

    def _beside_results(self, value: dict[str, Any], head: events.Head) -> None:
        """Tell of text beside a result: what the person added when they allowed it."""
        heard = speaker.listen(value, sidechain=bool(head.scope))
        self._inject(head, heard)
        if heard.interrupted and not head.scope:
            self.add(self._turns.cancel(head))
        if heard.voice == events.TYPED and heard.text:
            self._prompt(head, heard._replace(opens=False), queued=True)

    # --- what the harness says -------------------------------------------------------

    def _system(self, value: dict[str, Any], head: events.Head) -> None:
        kind = text_of(value, "subtype")
        if kind == "compact_boundary":
            self._compacted(value, head)
            return
        if not head.scope:
            uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
            self._thread.add_aside(uuid, parent)
        if kind in {"turn_duration", "stop_hook_summary"}:
            if not head.scope:
                self.extend(self._queue.settle(head))
                self.add(self._turns.complete(head))
            for text in texts_of(value, "hookAdditionalContext"):
                self.add(events.Injected(head, "Stop", text, is_own(text)))
        elif kind == "microcompact_boundary":
            self.add(events.Compacted(head, "micro"))
        elif kind == "local_command":
            self._local_command(head, text_of(value, "content"))
        elif kind not in kinds.SYSTEM:
            self.drift.count("system", kind)

    def _compacted(self, value: dict[str, Any], head: events.Head) -> None:
        meta = dict_of(value, "compactMetadata")
        self._boundary_id = head.id
        self._said = False
        if not head.scope:
            preserved = dict_of(meta, "preservedMessages")
            kept = texts_of(preserved, "allUuids") or texts_of(preserved, "uuids")
            segment = dict_of(meta, "preservedSegment")
            kept += [uuid for uuid in segment.values() if type(uuid) is str]
            self._thread.restart([*kept, text_of(value, "uuid")])
        self.add(events.Compacted(head, text_of(meta, "trigger")))

    def _summary(self, value: dict[str, Any], head: events.Head, text: str) -> None:
        """Tell the summary, under the id of its boundary where there was one."""
        uuid = text_of(value, "uuid")
        if self._boundary_id:
            if not head.scope:
                self._thread.add_aside(uuid, text_of(value, "parentUuid"))
        elif not head.scope:
            self._thread.restart([uuid])
        head = head._replace(id=self._boundary_id or head.id)
        self._boundary_id = ""
        self.add(events.Compacted(head, "", text))

    def _local_command(self, head: events.Head, text: str) -> None:
        if not text.startswith("<command-name>"):
            return
        heard = speaker.listen_command(text, local=True)
        if heard.command:
            self._command(head, heard.command)
        if heard.voice and not head.scope:
            self._prompt(head, heard, queued=False)

    def _progress(self, value: dict[str, Any], record: Record) -> None:
        """Place one of thousands of notes; they repeat what other records say."""
        if self._scope or value.get("isSidechain") is True:
            return
        uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
        self._thread.add_progress(uuid, parent)
        if not self._sessions.is_known(text_of(value, "sessionId")):
            self._meet(value, self._head(record))
        hook = text_of(dict_of(value, "data"), "hookName")
        if hook.startswith("SessionStart"):
            self._started(self._head(record), hook)

    def _attachment(self, value: dict[str, Any], head: events.Head) -> None:
        attachment = dict_of(value, "attachment")
        kind = text_of(attachment, "type")
        if not head.scope:
            uuid, parent = text_of(value, "uuid"), text_of(value, "parentUuid")
            self._thread.add_aside(uuid, parent)
        if kind != "async_hook_response":  # That can come long after the start.
            self._started(head, text_of(attachment, "hookName"))
        if kind == "queued_command":
            heard = speaker.listen_queued(attachment)
            self._inject(head, heard)
            if heard.voice:
                self._queued_prompt(head, heard)
        elif kind == "file":
            content = dict_of(attachment, "content")
            cwd = self._sessions.cwd(head.session)
            self._said = True
            self.add(file_read(dict_of(content, "file"), head, cwd))
        elif kind in attachments.TEXTS:
            self.add(attachments.injected(attachment, head))
        elif kind == "session_context":
            self._new_process(head)
        elif kind not in kinds.ATTACHMENTS:
            self.drift.count("attachment", kind)

    def _queued_prompt(self, head: events.Head, heard: speaker.Heard) -> None:
        """Tell of a prompt that was put into the middle of a turn."""
        if not self._queue.arrive(heard.text):
            if self._queue.repeats(heard.text, queued=True):
                return
            self._queue.note_delivered(heard.text)
        self.add(
            events.Prompt(head, heard.text, heard.voice, heard.author, heard.flags)
        )

    def _started(self, head: events.Head, hook: str) -> None:
        """A process began on this session, if its hook says so."""
        event, _, source = hook.partition(":")
        if event == "SessionStart" and source in _RESTARTS:
            self._begin_anew(head, source)

    def _new_process(self, head: events.Head) -> None:
        """A process tells the model where it runs, with its first prompt."""
        if self._contexts and not head.scope:
            self._begin_anew(head, "process")
        self._contexts = True

    def _begin_anew(self, head: events.Head, reason: str) -> None:
        """End the epoch, once for all signs of the same change (N4)."""
        if not self._said:
            return
        if reason not in _WITHIN_TURN:
            self.add(self._turns.leave(head))
        self._said = False
        self.add(events.Boundary(head, reason))

    def _replaced(self, value: dict[str, Any], head: events.Head) -> None:
        """Old results were taken out of the context: what they showed is in doubt."""
        scope = head.scope or text_of(value, "agentId")
        self.add(events.Boundary(head._replace(scope=scope), "replaced"))

    def _title(self, value: dict[str, Any], head: events.Head) -> None:
        given = text_of(value, "customTitle")
        if given:
            self.add(self._sessions.add(head, {"title": given, "named": "yes"}))
        elif not self._sessions.is_named(head.session):
            title = text_of(value, "aiTitle")
            self.add(self._sessions.add(head, {"title": title}))

    def _role(self, value: dict[str, Any], head: events.Head) -> None:
        role = text_of(value, "agentSetting")
        self.add(self._sessions.add(head, {"role": role}))


def _version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, or () if it is not one."""
    parts = text.partition("-")[0].split(".")
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts):
        return ()
    return tuple(int(part) for part in parts)


_ENVELOPED = frozenset({"user", "assistant", "system", "attachment"})
_HANDLERS: dict[str, Callable[[Transcript, dict[str, Any], events.Head], None]] = {
    "user": Transcript._user,
    "assistant": Transcript._assistant,
    "system": Transcript._system,
    "attachment": Transcript._attachment,
    "queue-operation": Transcript._queue_operation,
    "content-replacement": Transcript._replaced,
    "history-suppression": Transcript._replaced,
    "marble-origami-commit": Transcript._replaced,
    "ai-title": Transcript._title,
    "custom-title": Transcript._title,
    "agent-setting": Transcript._role,
}
