"""Gemini CLI's sessions: documents and logs become canonical events (B1, B2, B7).

A message comes again under its id when it changed, and a file can be written anew; so
a session is told as a whole each time.  Parts of it: `log` (what a file holds),
`speaker` (who is speaking), `results` (tools), `places`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.documents import Item, Whole
from ibid.agents.fields import count_of, dict_of, dicts_of, moment_of, text_of, texts_of
from ibid.agents.gemini.log import Log, Mark, read_log
from ibid.agents.gemini.places import (
    accepts,
    describe,
    folder_of,
    folder_with,
    form,
    roots,
    sniff,
)
from ibid.agents.gemini.results import finish
from ibid.agents.gemini.speaker import attached_files, listen, texts
from ibid.agents.own import is_own

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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

AGENT = "gemini"

_CANCELLED = ("Request cancelled", "Operation cancelled", "User cancelled")
_COMPRESSED = "Chat history compressed"
_KINDS = frozenset({"user", "gemini", "info", "error", "warning"})
_SAMPLE = 4_000  # Characters of an output that are searched for paths.


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the session at ``path``, which is not opened."""
    return Transcript(path, state)


class Transcript(Whole):
    """Reads one session; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        super().__init__(state)
        self._place = describe(path)

    def tell(self, data: bytes) -> int:
        """Add the events of a session; -1 if ``data`` is none."""
        log = read_log(data)
        if log is None:
            return -1
        about = log.about
        self._session, self._scope = text_of(about, "sessionId"), ""
        if text_of(about, "kind") == "subagent" or self._place.scope:
            self._scope = self._session
            self._session = self._place.session or self._session
        self._cwd = self._folder(log)
        self._told = False  # Something is in the context.
        self._open: events.Head | None = None  # The last answer of the running turn.
        self._seen(about)
        for entry in log.entries:
            if isinstance(entry, Mark):
                self._mark(entry)
            else:
                self._one(entry)
        self._rest()
        return log.skipped

    def _folder(self, log: Log) -> str:
        """Return the project's folder: told, listed, or known by its hash."""
        listed = texts_of(log.about, "directories")
        if self.folder or listed:
            return self.folder or listed[0]
        return folder_with(text_of(log.about, "projectHash"), _path_texts(log))

    def _seen(self, about: dict[str, Any]) -> None:
        head = events.Head(
            self._session, moment_of(about, "startTime"), scope=self._scope
        )
        kind = "" if self._scope else "main"
        title = "" if self._scope else text_of(about, "summary")[:200]
        self.add(events.SessionSeen(head, AGENT, cwd=self._cwd, kind=kind, title=title))

    def _one(self, item: Item) -> None:
        message = item.value
        kind, key = text_of(message, "type"), text_of(message, "id")
        at = moment_of(message, "timestamp")
        head = events.Head(self._session, at, key, self._scope, item.start, item.end)
        if kind == "user":
            self._user(message, head)
        elif kind == "gemini":
            self._gemini(message, head)
        elif kind in {"info", "error"}:
            self._notice(kind, "\n".join(texts(message.get("content"))), head)
        elif kind not in _KINDS:
            self.drift.count("type", kind)

    def _user(self, message: dict[str, Any], head: events.Head) -> None:
        heard = listen(message)
        self._rest()
        for source, text in heard.injected:
            self.add(events.Injected(head, source, text, is_own(text)))
        if heard.text or events.IMAGES in heard.flags:
            voice, author = heard.voice, heard.author
            if self._scope:
                voice, author = events.AGENT, "agent"
            self.add(events.Prompt(head, heard.text, voice, author, heard.flags))
        self.extend(attached_files(message, head, self._cwd))
        self._told = True

    def _gemini(self, message: dict[str, Any], head: events.Head) -> None:
        model = text_of(message, "model")
        text = "\n".join(texts(message.get("content")))
        if text.strip():
            self.add(events.Answer(head, text, model))
        calls = dicts_of(message, "toolCalls")
        for call in calls:
            at = moment_of(call, "timestamp") or head.at
            key = text_of(call, "id") or f"{head.id}:{text_of(call, 'name')}"
            self.extend(finish(call, head._replace(id=key, at=at), self._cwd))
        self.add(_usage(message, head, model))
        self._open = head if not calls else None
        self._told = True

    def _notice(self, kind: str, text: str, head: events.Head) -> None:
        """Follow what the client says: that a turn was stopped, or failed."""
        if text.startswith(_COMPRESSED):
            self.add(events.Compacted(head, "auto"))
        elif text.startswith(_CANCELLED):
            self._open = None
            self.add(events.TurnEnded(head, events.CANCELLED))
        elif kind == "error":
            self._open = None
            self.add(events.TurnEnded(head, events.FAILED))

    def _rest(self) -> None:
        """The agent's last word was no call: its turn is over (B1)."""
        head, self._open = self._open, None
        if head is not None:
            self.add(events.TurnEnded(head._replace(id=f"{head.id}:end")))

    def _mark(self, mark: Mark) -> None:
        """The conversation goes on from an earlier place (N4)."""
        self._rest()
        if self._told:
            key = f"{mark.reason}:{mark.key}"
            head = events.Head(self._session, 0, key, self._scope)
            self.add(events.Boundary(head, mark.reason))
        self._told = False


def _usage(
    message: dict[str, Any], head: events.Head, model: str
) -> events.Usage | None:
    tokens = dict_of(message, "tokens")
    if not tokens:
        return None
    cached = count_of(tokens, "cached")
    plain = count_of(tokens, "input") + count_of(tokens, "tool") - cached
    output = count_of(tokens, "output") + count_of(tokens, "thoughts")
    return events.Usage(head, max(0, plain), output, cached, 0, model)


def _path_texts(log: Log) -> Iterator[str]:
    """Yield texts of tool calls in which the project's folder may stand."""
    for entry in log.entries:
        if isinstance(entry, Mark):
            continue
        for call in dicts_of(entry.value, "toolCalls"):
            shown = dict_of(call, "resultDisplay")
            yield text_of(shown, "filePath")
            yield from (
                value for value in dict_of(call, "args").values() if type(value) is str
            )
            yield text_of(call, "description")
            for part in dicts_of(call, "result"):
                response = dict_of(dict_of(part, "functionResponse"), "response")
                yield text_of(response, "output")[:_SAMPLE]
                yield text_of(response, "error")[:_SAMPLE]
