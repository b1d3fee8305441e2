"""opencode's sessions: a document of messages and parts becomes canonical events.

The form is that of ``opencode export``; rows of its database are put into the same
form by `database`.  Parts are changed in place while they stream, so a part is told
when it is final.  Parts of it: `names` (what is known again), `results` (tools),
`places`, `database`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events
from ibid.agents.documents import Item, Whole, read_document
from ibid.agents.fields import count_of, dict_of, dicts_of, text_of
from ibid.agents.opencode.database import document, sessions
from ibid.agents.opencode.names import call_key, message_key
from ibid.agents.opencode.places import (
    accepts,
    describe,
    folder_of,
    form,
    roots,
    sniff,
)
from ibid.agents.opencode.results import finish, pruned, shown
from ibid.agents.own import is_own, without_own

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AGENT",
    "Transcript",
    "accepts",
    "describe",
    "document",
    "folder_of",
    "form",
    "reader",
    "roots",
    "sessions",
    "sniff",
]

AGENT = "opencode"

_SILENT = frozenset({"reasoning", "step-start", "patch", "snapshot", "agent", "retry"})
_UNTITLED = ("New session - ", "Child session - ")
_WORKING = frozenset({"", "tool-calls", "unknown"})
_SPEAKING = frozenset({"text", "tool"})
_ABORTED = "MessageAbortedError"


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the session in the document at ``path``."""
    del path
    return Transcript(state)


class _Message(NamedTuple):
    """A message as the reader goes through it."""

    info: dict[str, Any]
    parts: list[dict[str, Any]]
    head: events.Head  # Its id names the message.


class Transcript(Whole):
    """Reads one session; see `ibid.agents.registry.Reader`."""

    def tell(self, data: bytes) -> int:
        """Add the events of an exported session; -1 if it is none."""
        found = read_document(data, "messages")
        info = dict_of(found.value, "info") if found else {}
        own = text_of(info, "id")
        if found is None or not own:
            return -1
        parent = text_of(info, "parentID")
        self._session, self._scope = (parent, own) if parent else (own, "")
        self._cwd = text_of(info, "directory") or self.folder
        self._pruned: set[int] = set()
        self._boundary = ""
        self._seen(info)
        messages = [self._message(item) for item in found.items]
        for number, message in enumerate(messages):
            self._one(message, messages[number - 1] if number else None)
            if text_of(message.info, "role") == "assistant":
                self._end(message)
        for moment in sorted(self._pruned):
            head = self._head(moment, f"{own}:pruned@{moment}")
            self.add(events.Boundary(head, "replaced"))
        reverted = text_of(dict_of(info, "revert"), "messageID")
        if reverted:
            head = self._head(0, f"{own}:revert@{reverted}")
            self.add(events.Boundary(head, "rewind"))
        return 0

    def _seen(self, info: dict[str, Any]) -> None:
        title = text_of(info, "title")
        at = count_of(dict_of(info, "time"), "created")
        self.add(
            events.SessionSeen(
                self._head(at, ""),
                AGENT,
                cwd=self._cwd,
                kind="" if self._scope else "main",
                title="" if self._scope or title.startswith(_UNTITLED) else title,
                version=text_of(info, "version"),
            )
        )

    def _head(self, at: int, key: str) -> events.Head:
        return events.Head(self._session, at, key, self._scope)

    def _message(self, item: Item) -> _Message:
        info = dict_of(item.value, "info")
        at = count_of(dict_of(info, "time"), "created")
        key = message_key(info, self._session, self._scope)
        head = self._head(at, key)._replace(start=item.start, end=item.end)
        return _Message(info, dicts_of(item.value, "parts"), head)

    def _one(self, message: _Message, before: _Message | None) -> None:
        role = text_of(message.info, "role")
        if role == "user":
            self._user(message, before)
        elif role == "assistant":
            self._assistant(message)
        else:
            self.drift.count("role", role)

    # --- what people say -------------------------------------------------------------

    def _user(self, message: _Message, before: _Message | None) -> None:
        words: list[str] = []
        flags: dict[str, None] = {}
        head = message.head
        for number, part in enumerate(message.parts):
            kind, text = text_of(part, "type"), text_of(part, "text")
            if kind == "text" and not _is_put_there(part):
                rest, own = without_own(text)
                words.append(rest.strip())
                self.extend(events.Injected(head, *one, own=True) for one in own)
            elif kind == "text":
                self.add(events.Injected(head, "synthetic", text, is_own(text)))
                place = head._replace(id=f"{head.id}:file{number}")
                self.extend(shown(text, place, self._cwd))
            elif kind == "file":
                flags |= dict.fromkeys(_file_flags(part))
            elif kind == "compaction":
                trigger = "auto" if part.get("auto") is True else "manual"
                self._boundary = f"{head.id}:compacted"
                place = head._replace(id=self._boundary)
                self.add(events.Compacted(place, trigger))
            elif kind not in _SILENT and kind != "subtask":
                self.drift.count("part", kind)
        text = "\n".join(word for word in words if word)
        if not text and (not flags or not words):
            return
        voice, author = events.TYPED, "person"
        if self._scope:
            voice, author = events.AGENT, "agent"
        elif before is not None and _is_working(before):
            voice = events.QUEUED
        self.add(events.Prompt(head, text, voice, author, tuple(flags)))

    # --- what the agent says and does ------------------------------------------------

    def _assistant(self, message: _Message) -> None:
        info, head = message.info, message.head
        model = text_of(info, "modelID")
        cwd = text_of(dict_of(info, "path"), "cwd")
        if cwd and cwd != self._cwd:
            self._cwd = cwd
            self.add(events.SessionSeen(head._replace(id=""), AGENT, cwd=cwd))
        texts = steps = 0
        for part in message.parts:
            kind = text_of(part, "type")
            place = head._replace(at=_ended(part) or head.at)
            if kind == "text":
                texts += 1
                place = place._replace(id=f"{head.id}:t{texts}")
                self._text(part, place, message, model)
            elif kind == "tool":
                place = place._replace(id=call_key(part))
                self.extend(finish(part, place, self._cwd))
                if pruned(part):
                    self._pruned.add(pruned(part))
            elif kind == "step-finish":
                steps += 1
                place = place._replace(id=f"{head.id}:s{steps}")
                self.add(_usage(part, place, model))
            elif kind not in _SILENT:
                self.drift.count("part", kind)
        if not steps and dict_of(info, "tokens"):
            self.add(_usage(info, head._replace(id=f"{head.id}:s1"), model))

    def _text(
        self, part: dict[str, Any], place: events.Head, message: _Message, model: str
    ) -> None:
        """Tell a text once it is final: while it streams it grows."""
        text = text_of(part, "text")
        info, times = message.info, dict_of(part, "time")
        final = "end" in times or not times or "completed" in dict_of(info, "time")
        if not text.strip() or not final or part.get("ignored") is True:
            return
        if info.get("summary") is True:
            boundary, self._boundary = self._boundary or place.id, ""
            self.add(events.Compacted(place._replace(id=boundary), "", text))
            return
        self.add(events.Answer(place, text, model, message.head.id))

    def _end(self, message: _Message) -> None:
        """Tell how the turn ended, if this message ended it (B1)."""
        info = message.info
        if info.get("summary") is True:
            return
        status = _status(message)
        if not status:
            return
        at = count_of(dict_of(info, "time"), "completed") or message.head.at
        head = message.head._replace(at=at, id=f"{message.head.id}:end")
        self.add(events.TurnEnded(head, status))


def _status(message: _Message) -> str:
    """Return how ``message`` ended its turn, "" if it did not."""
    info = message.info
    name = text_of(dict_of(info, "error"), "name")
    reason = text_of(info, "finish")
    if name == _ABORTED:
        return events.CANCELLED
    if name or reason == "content-filter":
        return events.FAILED
    if reason not in _WORKING:
        return events.COMPLETED
    broke_off = not reason and "completed" in dict_of(info, "time")
    said = any(text_of(part, "type") in _SPEAKING for part in message.parts)
    return events.CANCELLED if broke_off and not said else ""


def _is_put_there(part: dict[str, Any]) -> bool:
    """Say whether a user's text part is not what they typed."""
    return part.get("synthetic") is True or part.get("ignored") is True


def _is_working(message: _Message) -> bool:
    """Say whether the agent was not done after ``message``."""
    info = message.info
    return (
        text_of(info, "role") == "assistant"
        and text_of(info, "finish") == "tool-calls"
        and not dict_of(info, "error")
    )


def _file_flags(part: dict[str, Any]) -> tuple[str, ...]:
    if text_of(dict_of(part, "source"), "type") == "resource":
        return (events.MCP,)
    if text_of(part, "mime").startswith("image/"):
        return (events.IMAGES,)
    return (events.FILES,)


def _ended(part: dict[str, Any]) -> int:
    times = dict_of(dict_of(part, "state"), "time") or dict_of(part, "time")
    return count_of(times, "end")


def _usage(
    record: dict[str, Any], head: events.Head, model: str
) -> events.Usage | None:
    """Return the tokens of a request, None if it cost nothing."""
    tokens = dict_of(record, "tokens")
    cache = dict_of(tokens, "cache")
    given, output = count_of(tokens, "input"), count_of(tokens, "output")
    read, written = count_of(cache, "read"), count_of(cache, "write")
    thought = count_of(tokens, "reasoning")
    # Newer versions count thinking apart; the sum, where there is one, says so.
    if count_of(tokens, "total") == given + output + read + written + thought:
        output += thought
    if not (given or output or read or written):
        return None
    return events.Usage(head, given, output, read, written, model)
