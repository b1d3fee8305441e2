"""Cursor's agent transcripts: bytes become canonical events (B1, B2, B7).

A line is a message of the person or of the agent.  There are no ids, no times, no
results and no tokens: messages are known again by their place in the session, which
is the same in each copy of its file.  Parts of it: `speaker`, `calls`, `places`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.cursor.calls import called
from ibid.agents.cursor.places import (
    accepts,
    describe,
    folder_of,
    folder_with,
    form,
    project_of,
    roots,
    sniff,
)
from ibid.agents.cursor.speaker import listen
from ibid.agents.fields import dict_of, dicts_of, moment_of, text_of
from ibid.agents.own import is_own
from ibid.agents.telling import ByLine

if TYPE_CHECKING:
    from pathlib import Path

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

AGENT = "cursor"

# A heading alone, such as "Planning the change", sums a thought up: it is no answer.
_THOUGHT = re.compile(r"\*\*[A-Z][a-z]+ing [^*\n.:!?]{1,120}\*\*")
_REDACTED = "[REDACTED]"
_SAMPLE = 20_000  # Characters of a message that are searched for paths.
_ENDS = {
    "aborted": events.CANCELLED,
    "cancelled": events.CANCELLED,
    "canceled": events.CANCELLED,
    "error": events.FAILED,
    "failed": events.FAILED,
}
_SILENT = frozenset({"thinking", "redacted_thinking", "tool_result", "reasoning"})


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the transcript at ``path``, which is not opened."""
    return Transcript(path, state)


class Transcript(ByLine):
    """Reads one transcript; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        super().__init__(state)
        place = describe(path)
        self._session, self._scope = place.session, place.scope
        self._project = project_of(path)
        self._count: int = state.get("count", 0)
        self._cwd: str = state.get("cwd", "") or state.get("folder", "")
        self._told: bool = state.get("told", False)
        self._open: bool = state.get("open", False)

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {
            **super().state(),
            "count": self._count,
            "cwd": self._cwd,
            "told": self._told,
            "open": self._open,
        }

    def read(self, record: Record) -> None:
        """Tell what one record says."""
        value = record.value
        role, kind = text_of(value, "role"), text_of(value, "type")
        self._count += 1
        head = events.Head(
            self._session,
            moment_of(value, "timestamp"),
            f"{self._session}/{self._scope}#{self._count}",
            self._scope,
            record.start,
            record.end,
        )
        if not self._told:
            self._told = True
            place = head._replace(id="")
            kind_of_session = "" if self._scope else "main"
            seen = events.SessionSeen(place, AGENT, cwd=self._cwd, kind=kind_of_session)
            self.add(seen)
        if role == "user":
            self._user(_blocks(value), head)
        elif role == "assistant":
            self._assistant(_blocks(value), head)
        elif kind == "turn_ended":
            self._ended(value, head)
        else:
            self.drift.count("type", kind or role)

    def _user(self, blocks: list[dict[str, Any]], head: events.Head) -> None:
        text = "\n".join(
            text_of(block, "text") for block in blocks if block.get("type") == "text"
        )
        self._look_for_folder(text, head)
        heard = listen(text)
        for source, part in heard.injected:
            self.add(events.Injected(head, source, part, is_own(part)))
        flags = dict.fromkeys(heard.flags)
        if any("image" in text_of(block, "type") for block in blocks):
            flags[events.IMAGES] = None
        if not heard.text and events.IMAGES not in flags:
            return
        voice, author = events.TYPED, "person"
        if self._scope:
            voice, author = events.AGENT, "agent"
        self._open = True
        self.add(events.Prompt(head, heard.text, voice, author, tuple(flags)))

    def _assistant(self, blocks: list[dict[str, Any]], head: events.Head) -> None:
        self._open = True
        for number, block in enumerate(blocks):
            kind = text_of(block, "type")
            place = head if not number else head._replace(id=f"{head.id}.{number}")
            if kind == "text":
                text = _said(text_of(block, "text"))
                if text:
                    self.add(events.Answer(place, text, "", head.id))
            elif kind == "tool_use":
                given = block.get("input")
                for value in given.values() if type(given) is dict else ():
                    self._look_for_folder(value if type(value) is str else "", head)
                place = head._replace(id=f"{head.id}.{number}:call")
                self.extend(called(block, place, self._cwd))
            elif kind not in _SILENT:
                self.drift.count("block", kind)

    def _ended(self, value: dict[str, Any], head: events.Head) -> None:
        status = text_of(value, "status") or text_of(value, "reason")
        if self._open and not self._scope:
            ended = _ENDS.get(status.lower(), events.COMPLETED)
            self.add(events.TurnEnded(head, ended))
        self._open = False

    def _look_for_folder(self, text: str, head: events.Head) -> None:
        """Learn the project's folder: only its name is told, as one word."""
        if self._cwd or not self._project or not text:
            return
        self._cwd = folder_with(self._project, text[:_SAMPLE])
        if self._cwd:
            place = head._replace(id="")
            self.add(events.SessionSeen(place, AGENT, cwd=self._cwd))


def _said(text: str) -> str:
    """Return what the agent said, without the headings of its thoughts around it."""
    parts = text.replace(_REDACTED, "").strip().split("\n\n")
    while parts and _THOUGHT.fullmatch(parts[-1].strip()):
        parts.pop()
    begin = next(
        (n for n, part in enumerate(parts) if not _THOUGHT.fullmatch(part.strip())), 0
    )
    return "\n\n".join(parts[begin:]).strip()


def _blocks(value: dict[str, Any]) -> list[dict[str, Any]]:
    content = dict_of(value, "message").get("content")
    if type(content) is str:
        return [{"type": "text", "text": content}]
    return dicts_of(dict_of(value, "message"), "content")
