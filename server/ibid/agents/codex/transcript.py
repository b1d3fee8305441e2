"""Codex's rollouts: bytes become canonical events (B1, B2, B7, G6, N4, N5).

A rollout tells most things twice: as what the model saw (``response_item``) and as what
the client showed (``event_msg``).  People are read from the second, all else from the
first.  Parts of it have modules of their own: `speaker` (who is speaking), `results`
(what came of a call), `threads` (whose rollout it is), `turns` (where a turn ends),
`places` and `kinds`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.calls import Call, Calls
from ibid.agents.codex import kinds, results, speaker, threads
from ibid.agents.codex.places import (
    accepts,
    describe,
    folder_of,
    form,
    roots,
    sniff,
)
from ibid.agents.codex.turns import Turns
from ibid.agents.fields import count_of, dict_of, moment_of, text_of
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

AGENT = "codex"

_CWD = re.compile(r"<cwd>([^<\n]{1,4000})</cwd>")
_LIST = "input"  # Where the free text of a call without arguments stands.


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the rollout at ``path``, which is not opened."""
    return Transcript(path, state)


class Transcript(ByLine):
    """Reads one rollout, piece by piece; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        super().__init__(state)
        self._name = describe(path).session
        known = state.get("thread")
        self._thread = threads.Thread(*known) if known else None
        self._turns = Turns(state.get("turns"))
        self._calls = Calls(state.get("calls"))
        self._folders: dict[str, str] = dict(state.get("folders", {}))
        self._cwd: str = state.get("cwd", "")
        self._model: str = state.get("model", "")
        self._total: int = state.get("total", -1)
        self._said: bool = state.get("said", False)
        self._copies: bool = state.get("copies", False)
        # A file of the first versions, whose items stand without their envelope.
        self._bare: bool = state.get("bare", False)

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values.

        A few kB; more while a call with a long input is open.
        """
        return {
            **super().state(),
            "thread": list(self._thread) if self._thread else None,
            "turns": self._turns.state(),
            "calls": self._calls.state(),
            "folders": self._folders,
            "cwd": self._cwd,
            "model": self._model,
            "total": self._total,
            "said": self._said,
            "copies": self._copies,
            "bare": self._bare,
        }

    def read(self, record: Record) -> None:
        """Tell what one record says."""
        kind, payload = text_of(record.value, "type"), dict_of(record.value, "payload")
        if "payload" not in record.value:
            self._bare_record(record, kind)
            return
        if kind == "session_meta":
            self._meta(payload, record)
            return
        handle = _HANDLERS.get(kind)
        if handle is None:
            if kind not in kinds.RECORDS:
                self.drift.count("type", kind)
            return
        if not self._is_skipped(record, payload):
            handle(self, payload, self._head(record))

    def _is_skipped(self, record: Record, payload: dict[str, Any]) -> bool:
        """Say whether a record is a copy in a subagent's rollout, or an internal one.

        A fork's copies are told: they have the names they had, and are known again.
        """
        thread = self._thread
        if thread is None:
            return False
        if thread.internal:
            return True
        if not thread.is_subagent:
            return False
        if thread.first and "ordinal" in record.value:
            return count_of(record.value, "ordinal") < thread.first
        turn = text_of(payload, "turn_id")
        if turn and text_of(record.value, "type") in {"event_msg", "turn_context"}:
            self._copies = self._copies and threads.is_older(turn, thread)
        return self._copies

    def _head(self, record: Record) -> events.Head:
        thread = self._thread
        return events.Head(
            session=thread.session if thread else self._name,
            at=moment_of(record.value, "timestamp"),
            scope=thread.scope if thread else "",
            start=record.start,
            end=record.end,
        )

    # --- whose thread it is ----------------------------------------------------------

    def _meta(self, payload: dict[str, Any], record: Record) -> None:
        """The first one is the file's own; then those of ancestors, and resumes."""
        own = text_of(payload, "id")
        if self._thread is None:
            self._thread = threads.read_thread(payload, self._name)
            self._turns.see_thread(own or self._name)
            self._tell(payload, record)
        elif own == (self._thread.scope or self._thread.session):
            if self._said and not self._copies:
                self._said = False
                head = self._head(record)
                self.add(
                    events.Boundary(self._named(head, "resume"), "resume"),
                )
                self._tell(payload, record)
        elif self._thread.copied:
            self._copies = True
            self._turns.see_thread(own)

    def _tell(self, payload: dict[str, Any], record: Record) -> None:
        assert self._thread is not None
        if self._thread.internal:
            return
        self._cwd = text_of(payload, "cwd") or self._cwd
        head = self._head(record)
        self.add(threads.seen(payload, self._thread, head, AGENT))

    def _context(self, payload: dict[str, Any], head: events.Head) -> None:
        """What holds for the turn: its folder and its model."""
        turn = text_of(payload, "turn_id")
        if turn:
            self._turns.start(turn)
        self._model = text_of(payload, "model") or self._model
        self._move(text_of(payload, "cwd"), head)

    def _move(self, cwd: str, head: events.Head) -> None:
        if cwd and cwd != self._cwd:
            self._cwd = cwd
            self.add(events.SessionSeen(head, AGENT, cwd=cwd))

    # --- what the client showed ------------------------------------------------------

    def _event(self, payload: dict[str, Any], head: events.Head) -> None:
        kind = text_of(payload, "type")
        handle = _EVENTS.get(kind)
        if handle is not None:
            handle(self, payload, head)
        elif kind not in kinds.EVENTS:
            self.drift.count("event", kind)

    def _user_message(self, payload: dict[str, Any], head: events.Head) -> None:
        self._prompt(speaker.listen(payload), head)

    def _prompt(self, heard: speaker.Heard, head: events.Head) -> None:
        for source, text in heard.injected:
            self.add(events.Injected(head, source, text, is_own(text)))
        if not heard.text and events.IMAGES not in heard.flags:
            return
        voice, author = heard.voice, heard.author
        if self._thread is not None and self._thread.is_subagent:
            voice, author = events.AGENT, "agent"
        elif voice == events.TYPED and self._turns.has_prompt:
            voice = events.QUEUED  # The turn was running: it was steered.
        self._turns.speak(heard.text)
        self._said = True
        head = self._named(head, "p")
        self.add(events.Prompt(head, heard.text, voice, author, heard.flags))
        if heard.plan:
            self.add(events.Todo(head, (), heard.plan))

    def _started(self, payload: dict[str, Any], head: events.Head) -> None:
        del head
        self._turns.start(text_of(payload, "turn_id"))

    def _completed(self, payload: dict[str, Any], head: events.Head) -> None:
        self.add(self._turns.complete(head, text_of(payload, "turn_id")))

    def _aborted(self, payload: dict[str, Any], head: events.Head) -> None:
        turn = text_of(payload, "turn_id")
        if text_of(payload, "reason") == "review_ended":
            self.add(self._turns.complete(head, turn))
        else:
            self.add(self._turns.cancel(head, turn))

    def _error(self, payload: dict[str, Any], head: events.Head) -> None:
        del payload, head
        self._turns.note_error()

    def _tokens(self, payload: dict[str, Any], head: events.Head) -> None:
        """Count a request once: the same figures are told again and again."""
        info = dict_of(payload, "info")
        last = dict_of(info, "last_token_usage")
        total = count_of(dict_of(info, "total_token_usage"), "total_tokens")
        if not last or total == self._total:
            return
        self._total = total
        cached = count_of(last, "cached_input_tokens")
        written = count_of(last, "cache_write_input_tokens")
        plain = count_of(last, "input_tokens") - cached - written
        output = count_of(last, "output_tokens")
        self.add(
            events.Usage(
                self._named(head, "u"),
                max(0, plain),
                output,
                cached,
                written,
                self._model,
            )
        )

    def _rolled_back(self, payload: dict[str, Any], head: events.Head) -> None:
        del payload
        self._said = False
        self.add(events.Boundary(self._named(head, "rewind"), "rewind"))

    def _item(self, payload: dict[str, Any], head: events.Head) -> None:
        """An item of the client's: only a plan is told nowhere else."""
        item = dict_of(payload, "item")
        if text_of(item, "type").lower() == "plan" and text_of(item, "text"):
            place = head._replace(id=text_of(item, "id"))
            self.add(events.Todo(place, (), text_of(item, "text")))

    def _renamed(self, payload: dict[str, Any], head: events.Head) -> None:
        title = text_of(payload, "thread_name")
        if title and not head.scope:
            self.add(events.SessionSeen(head, AGENT, title=title))

    def _ran(self, payload: dict[str, Any], head: events.Head) -> None:
        """A command ended; the client knows in which folder it ran."""
        del head
        key, folder = text_of(payload, "call_id"), text_of(payload, "cwd")
        if key and folder:
            self._folders[key] = folder
            while len(self._folders) > 64:
                del self._folders[next(iter(self._folders))]

    def _asked_server(self, payload: dict[str, Any], head: events.Head) -> None:
        """An MCP tool answered; older versions name its server only here."""
        del head
        server = text_of(dict_of(payload, "invocation"), "server")
        key = text_of(payload, "call_id")
        call = self._calls.end(key)
        if call.name:
            tool = text_of(dict_of(payload, "invocation"), "tool") or call.name
            name = f"mcp__{server}__{tool}" if server else call.name
            self._calls.begin(key, Call(name, call.input))

    def _patched(self, payload: dict[str, Any], head: events.Head) -> None:
        """A patch was applied; its call tells of it, unless a script made it."""
        key = text_of(payload, "call_id")
        call = self._calls.end(key)
        if call.name:
            self._calls.begin(key, call)
        elif key:
            place = head._replace(id=key)
            self.extend(results.applied(payload, place, self._cwd))

    def _searched(self, payload: dict[str, Any], head: events.Head) -> None:
        place = head._replace(
            id=text_of(payload, "call_id") or self._named(head, "w").id
        )
        self.add(results.searched(payload, place))

    # --- what the model saw ----------------------------------------------------------

    def _response(self, payload: dict[str, Any], head: events.Head) -> None:
        kind = text_of(payload, "type")
        handle = _ITEMS.get(kind)
        if handle is not None:
            handle(self, payload, head)
        elif kind not in kinds.ITEMS:
            self.drift.count("item", kind)

    def _message(self, payload: dict[str, Any], head: events.Head) -> None:
        role = text_of(payload, "role")
        found = speaker.texts(payload)
        if role == "assistant":
            text = "\n".join(found)
            if text.strip():
                self._said = True
                self._turns.work()
                place = self._named(head, "a")
                self.add(events.Answer(place, text, self._model))
            return
        for text in found:
            source = speaker.fragment_of(text) if role == "user" else role
            if source == "environment" and not self._cwd:
                match = _CWD.search(text)
                self._move(match[1].strip() if match else "", head)
            if source:
                self.add(events.Injected(head, source, text, is_own(text)))
        if role == "user" and self._bare:
            self._prompt(_spoken(found), head)

    def _call(self, payload: dict[str, Any], head: events.Head) -> None:
        del head
        name, space = text_of(payload, "name"), text_of(payload, "namespace")
        if space.startswith("mcp__"):
            name = f"{space.rstrip('_')}__{name}"
        self._turns.work()
        given = _arguments(payload)
        self._calls.begin(_call_id(payload), Call(name, given))

    def _shell_call(self, payload: dict[str, Any], head: events.Head) -> None:
        """A call of the model's own shell tool, in some versions."""
        del head
        action = dict_of(payload, "action")
        given = action | {"workdir": text_of(action, "working_directory")}
        self._calls.begin(_call_id(payload), Call("local_shell", given))

    def _output(self, payload: dict[str, Any], head: events.Head) -> None:
        key = text_of(payload, "call_id")
        call = self._calls.end(key)
        folder = self._folders.pop(key, "") or results.folder_of(call, self._cwd)
        output = results.read_output(payload.get("output"))
        self._said = True
        place = head._replace(id=key or self._named(head, "t").id)
        self.extend(results.finish(call, output, place, folder))

    def _compacted(self, payload: dict[str, Any], head: events.Head) -> None:
        self._said = False
        place = self._named(head, "compacted")
        self.add(events.Compacted(place, "", text_of(payload, "message")))

    # --- the first versions ----------------------------------------------------------

    def _bare_record(self, record: Record, kind: str) -> None:
        """Read an item without an envelope, or the line that begins such a file."""
        value = record.value
        if kind:
            self._bare = True
            self._response(value, self._head(record))
        elif "id" in value and "timestamp" in value:
            self._bare = True
            self._meta(value, record)
        elif "record_type" not in value:
            self.drift.count("type", kind)

    # --- helpers ---------------------------------------------------------------------

    def _named(self, head: events.Head, kind: str) -> events.Head:
        return head._replace(id=self._turns.name(kind))


def _call_id(payload: dict[str, Any]) -> str:
    return text_of(payload, "call_id") or text_of(payload, "id")


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a call's input: its arguments, or its free text under one name."""
    if "input" in payload:
        return {_LIST: text_of(payload, "input")}
    given = payload.get("arguments")
    if type(given) is dict:
        return given
    try:
        value = json.loads(given) if type(given) is str else None
    except (ValueError, RecursionError):
        return {_LIST: given}
    return value if type(value) is dict else {}


def _spoken(found: list[str]) -> speaker.Heard:
    """Return what a person says in a message of the model's conversation."""
    words = [text for text in found if not speaker.fragment_of(text)]
    return speaker.listen({"message": "\n".join(words)})


_HANDLERS: _Handlers = {
    "turn_context": Transcript._context,
    "event_msg": Transcript._event,
    "response_item": Transcript._response,
    "compacted": Transcript._compacted,
}
_EVENTS: _Handlers = {
    "user_message": Transcript._user_message,
    "task_started": Transcript._started,
    "turn_started": Transcript._started,
    "task_complete": Transcript._completed,
    "turn_complete": Transcript._completed,
    "turn_aborted": Transcript._aborted,
    "error": Transcript._error,
    "token_count": Transcript._tokens,
    "thread_rolled_back": Transcript._rolled_back,
    "item_completed": Transcript._item,
    "thread_name_updated": Transcript._renamed,
    "exec_command_end": Transcript._ran,
    "mcp_tool_call_end": Transcript._asked_server,
    "patch_apply_end": Transcript._patched,
    "web_search_end": Transcript._searched,
}
_ITEMS: _Handlers = {
    "message": Transcript._message,
    "function_call": Transcript._call,
    "custom_tool_call": Transcript._call,
    "tool_search_call": Transcript._call,
    "local_shell_call": Transcript._shell_call,
    "function_call_output": Transcript._output,
    "custom_tool_call_output": Transcript._output,
    "tool_search_output": Transcript._output,
}
