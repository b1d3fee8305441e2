"""Copilot CLI's events: bytes become canonical events (B1, B2, B7, G6, N4, N5).

Each line is one event with an id of its own.  Subagents speak in the same file; their
events name them.  Parts of it: `speaker` (who is speaking), `results` (tools), `places`
and `kinds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.calls import Call, Calls
from ibid.agents.copilot_cli import kinds
from ibid.agents.copilot_cli.places import (
    accepts,
    describe,
    folder_of,
    form,
    roots,
    sniff,
)
from ibid.agents.copilot_cli.results import finish
from ibid.agents.copilot_cli.speaker import listen
from ibid.agents.fields import count_of, dict_of, dicts_of, moment_of, text_of
from ibid.agents.own import is_own
from ibid.agents.telling import ByLine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ibid.agents.lines import Record

    _Handlers = dict[str, Callable[["Transcript", dict[str, Any], events.Head], None]]

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

AGENT = "copilot"

_DENIED = "denied-interactively-by-user"


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the events at ``path``, which are not opened."""
    return Transcript(path, state)


class Transcript(ByLine):
    """Reads one session's events; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        super().__init__(state)
        self._session: str = state.get("session", "") or describe(path).session
        self._cwd: str = state.get("cwd", "")
        self._calls = Calls(state.get("calls"))
        # The turn that runs: the agent has the word, and how its last word ended.
        self._working: bool = state.get("working", False)
        self._rests: bool = state.get("rests", False)
        self._task: str = state.get("task", "")  # The main agent's, in some versions.
        self._agents: int = state.get("agents", 0)  # Subagents that run.
        self._spent: dict[str, int] = dict(state.get("spent", {}))

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values.

        A few kB; more while a call with a long input is open.
        """
        return {
            **super().state(),
            "session": self._session,
            "cwd": self._cwd,
            "calls": self._calls.state(),
            "working": self._working,
            "rests": self._rests,
            "task": self._task,
            "agents": self._agents,
            "spent": self._spent,
        }

    def read(self, record: Record) -> None:
        """Tell what one record says."""
        kind, data = text_of(record.value, "type"), dict_of(record.value, "data")
        if kind == "session.start":
            self._session = text_of(data, "sessionId") or self._session
        handle = _HANDLERS.get(kind)
        if handle is None:
            if kind not in kinds.EVENTS:
                self.drift.count("type", kind)
            self._note(kind)
            return
        handle(self, data, self._head(record, data))

    def _head(self, record: Record, data: dict[str, Any]) -> events.Head:
        value = record.value
        scope = text_of(value, "agentId") or text_of(data, "parentToolCallId")
        return events.Head(
            session=self._session,
            at=moment_of(value, "timestamp"),
            id=text_of(value, "id"),
            scope=scope,
            start=record.start,
            end=record.end,
        )

    def _note(self, kind: str) -> None:
        """Count the subagents that run."""
        if kind == "subagent.started":
            self._agents += 1
        elif kind in {"subagent.completed", "subagent.failed"}:
            self._agents = max(0, self._agents - 1)

    # --- the session -----------------------------------------------------------------

    def _start(self, data: dict[str, Any], head: events.Head) -> None:
        self._spent = {}
        self._see(data, head, kind="main", version=text_of(data, "copilotVersion"))

    def _resume(self, data: dict[str, Any], head: events.Head) -> None:
        """Another process goes on; what the first had read may be gone (N4)."""
        self._spent = {}
        self._working = self._rests = False
        self._see(data, head)
        self.add(events.Boundary(head, "resume"))

    def _moved(self, data: dict[str, Any], head: events.Head) -> None:
        self._see({"context": data}, head)

    def _see(self, data: dict[str, Any], head: events.Head, **facts: str) -> None:
        context = dict_of(data, "context")
        cwd, branch = text_of(context, "cwd"), text_of(context, "branch")
        self._cwd = cwd or self._cwd
        place = head._replace(id="")
        self.add(events.SessionSeen(place, AGENT, cwd=cwd, branch=branch, **facts))

    def _titled(self, data: dict[str, Any], head: events.Head) -> None:
        title = text_of(data, "title")
        if title:
            self.add(events.SessionSeen(head._replace(id=""), AGENT, title=title))

    def _shutdown(self, data: dict[str, Any], head: events.Head) -> None:
        """The process ended; it tells the tokens that its messages did not."""
        for model, metrics in dict_of(data, "modelMetrics").items():
            used = dict_of(metrics if type(metrics) is dict else {}, "usage")
            cached = count_of(used, "cacheReadTokens")
            written = count_of(used, "cacheWriteTokens")
            plain = count_of(used, "inputTokens") - cached - written
            output = count_of(used, "outputTokens") - self._spent.get(model, 0)
            place = head._replace(id=f"{head.id}:{model}")
            self.add(
                events.Usage(
                    place, max(0, plain), max(0, output), cached, written, model
                )
            )
        self._spent = {}
        self.add(events.SessionEnded(head, text_of(data, "shutdownType")))

    def _compacted(self, data: dict[str, Any], head: events.Head) -> None:
        if data.get("success") is not False:
            summary = text_of(data, "summaryContent")
            self.add(events.Compacted(head, "", summary))

    def _truncated(self, data: dict[str, Any], head: events.Head) -> None:
        del data
        self.add(events.Boundary(head, "replaced"))

    def _rewound(self, data: dict[str, Any], head: events.Head) -> None:
        del data
        self.add(events.Boundary(head, "rewind"))

    # --- what people say -------------------------------------------------------------

    def _user(self, data: dict[str, Any], head: events.Head) -> None:
        heard = listen(data)
        for source, text in heard.injected:
            self.add(events.Injected(head, source, text, is_own(text)))
        if not heard.text and events.IMAGES not in heard.flags:
            return
        voice, author = heard.voice, heard.author
        task = text_of(data, "parentAgentTaskId")
        self._task = self._task or task
        if head.scope or (self._agents and task not in {"", self._task}):
            voice, author = events.AGENT, "agent"
        elif voice == events.TYPED and self._working:
            voice = events.QUEUED
        self.add(events.Prompt(head, heard.text, voice, author, heard.flags))
        if not head.scope and author != "agent":
            self._working, self._rests = True, False

    def _permission(self, data: dict[str, Any], head: events.Head) -> None:
        """A person refused a tool use, perhaps with a reason."""
        result = dict_of(data, "result")
        said = text_of(result, "feedback").strip()
        if said and text_of(result, "kind") == _DENIED:
            self.add(events.Prompt(head, said, events.REFUSAL))

    def _planned(self, data: dict[str, Any], head: events.Head) -> None:
        """A person accepted the plan, or said what is wrong with it."""
        plan, said = text_of(data, "planContent"), text_of(data, "feedback").strip()
        if data.get("approved") is True and plan:
            self.add(events.Todo(head, (), plan))
        if said:
            self.add(events.Prompt(head, said, events.REFUSAL))

    # --- what the agent says and does ------------------------------------------------

    def _assistant(self, data: dict[str, Any], head: events.Head) -> None:
        text, model = text_of(data, "content"), text_of(data, "model")
        if text.strip():
            self.add(events.Answer(head, text, model))
        output = count_of(data, "outputTokens")
        if output:
            key = text_of(data, "messageId") or head.id
            self._spent[model] = self._spent.get(model, 0) + output
            self.add(events.Usage(head._replace(id=key), 0, output, model=model))
        if not head.scope:
            self._working = True
            self._rests = not dicts_of(data, "toolRequests")

    def _turn_end(self, data: dict[str, Any], head: events.Head) -> None:
        """A request was answered; the turn is over if the last word was no call."""
        del data
        if self._working and self._rests and not head.scope:
            self._end(head, events.COMPLETED)

    def _abort(self, data: dict[str, Any], head: events.Head) -> None:
        del data
        if self._working and not head.scope:
            self._end(head, events.CANCELLED)

    def _error(self, data: dict[str, Any], head: events.Head) -> None:
        del data
        if self._working and not head.scope:
            self._end(head, events.FAILED)

    def _end(self, head: events.Head, status: str) -> None:
        self._working = self._rests = False
        self.add(events.TurnEnded(head, status))

    def _tool_start(self, data: dict[str, Any], head: events.Head) -> None:
        del head
        given = data.get("arguments")
        given = given if type(given) is dict else {"input": given}
        server = text_of(data, "mcpServerName")
        if server:
            given = given | {"mcp server": server}
        call = Call(text_of(data, "toolName"), given)
        self._calls.begin(text_of(data, "toolCallId"), call)

    def _tool_end(self, data: dict[str, Any], head: events.Head) -> None:
        key = text_of(data, "toolCallId")
        call = self._calls.end(key)
        place = head._replace(id=key or head.id)
        self.extend(finish(call, data, place, self._cwd))

    # --- what the harness says -------------------------------------------------------

    def _system(self, data: dict[str, Any], head: events.Head) -> None:
        self._inject(text_of(data, "role") or "system", text_of(data, "content"), head)

    def _skill(self, data: dict[str, Any], head: events.Head) -> None:
        self._inject("skill", text_of(data, "content"), head)

    def _hook(self, data: dict[str, Any], head: events.Head) -> None:
        output = dict_of(data, "output")
        for key in ("additionalContext", "modifiedPrompt", "systemMessage"):
            self._inject(text_of(data, "hookType"), text_of(output, key), head)

    def _inject(self, source: str, text: str, head: events.Head) -> None:
        if text.strip():
            self.add(events.Injected(head, source, text, is_own(text)))


_HANDLERS: _Handlers = {
    "session.start": Transcript._start,
    "session.resume": Transcript._resume,
    "session.context_changed": Transcript._moved,
    "session.title_changed": Transcript._titled,
    "session.shutdown": Transcript._shutdown,
    "session.error": Transcript._error,
    "session.compaction_complete": Transcript._compacted,
    "session.truncation": Transcript._truncated,
    "session.snapshot_rewind": Transcript._rewound,
    "user.message": Transcript._user,
    "permission.completed": Transcript._permission,
    "exit_plan_mode.completed": Transcript._planned,
    "assistant.message": Transcript._assistant,
    "assistant.turn_end": Transcript._turn_end,
    "abort": Transcript._abort,
    "tool.execution_start": Transcript._tool_start,
    "tool.execution_complete": Transcript._tool_end,
    "system.message": Transcript._system,
    "system.notification": Transcript._system,
    "skill.invoked": Transcript._skill,
    "hook.end": Transcript._hook,
}
