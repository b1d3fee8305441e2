"""Neutral events: the form for agents without a reader of their own, and for tests.

A `.ibid.jsonl` file holds one object a line, in order, each with ``type``, ``session``,
``at`` and optionally ``id``; every other field may be left out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events
from ibid.agents.fields import (
    count_of,
    dict_of,
    join_path,
    moment_of,
    text_of,
    texts_of,
)
from ibid.agents.registry import APPEND
from ibid.agents.telling import ByLine
from ibid.agents.tools import flags_of, kind_of, server_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ibid.agents.lines import Record

AGENT = "neutral"

_SUFFIX = ".ibid.jsonl"
_PERSONS = frozenset({"", "person", "user", "human"})
_ENDS = {
    "completed": events.COMPLETED,
    "cancelled": events.CANCELLED,
    "canceled": events.CANCELLED,
}
_SESSIONS = 64


class TranscriptFile(NamedTuple):
    """What a file's name says about it."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return no folder: neutral files are named by whoever writes them."""
    del env, home
    return []


def accepts(path: Path) -> bool:
    """Say by name alone whether ``path`` holds neutral events."""
    return path.name.endswith(_SUFFIX)


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins a neutral file: only the name can tell."""
    del head
    return False


def form(path: Path) -> str:
    """Return how the file is written: it is appended to."""
    del path
    return APPEND


def describe(path: Path) -> TranscriptFile:
    """Return what the name of ``path`` says: nothing; each event names its session."""
    del path
    return TranscriptFile("", "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: the records tell it."""
    del path, read
    return ""


def reader(path: Path, state: dict[str, Any] | None = None) -> Neutral:
    """Return a reader for the file at ``path``, which is not opened."""
    del path
    return Neutral(state)


class Neutral(ByLine):
    """Reads one file of neutral events; see `ibid.agents.registry.Reader`."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        super().__init__(state)
        self._folders: dict[str, str] = dict(state.get("folders", {}))
        self._nameless = 0

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {**super().state(), "folders": self._folders}

    def feed(self, data: bytes, offset: int, *, final: bool = False) -> events.Batch:
        """Return the events in ``data``; see `ibid.agents.registry.Reader.feed`.

        A line without type or session counts as one that could not be read.
        """
        self._nameless = 0
        batch = super().feed(data, offset, final=final)
        return batch._replace(skipped=batch.skipped + self._nameless)

    def read(self, record: Record) -> None:
        """Tell what one record says."""
        kind = text_of(record.value, "type")
        if not kind or not text_of(record.value, "session"):
            self._nameless += 1
            return
        make = _MAKERS.get(kind)
        if make is None:
            self.drift.count("type", kind)
        else:
            self.add(make(self, _head(record), record.value))

    def _session(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        cwd = text_of(value, "cwd")
        if cwd:
            self._folders[head.session] = cwd
            while len(self._folders) > _SESSIONS:
                del self._folders[next(iter(self._folders))]
        return events.SessionSeen(
            head,
            agent=text_of(value, "agent"),
            role=text_of(value, "role"),
            cwd=cwd,
            kind=text_of(value, "kind"),
            parent=text_of(value, "parent"),
            title=text_of(value, "title"),
            version=text_of(value, "version"),
            branch=text_of(value, "branch"),
        )

    def _path(self, head: events.Head, value: dict[str, Any]) -> str:
        return join_path(self._folders.get(head.session, ""), text_of(value, "path"))

    def _prompt(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        author = text_of(value, "author")
        voice = text_of(value, "voice")
        if author in _PERSONS:
            author, voice = "person", voice or events.TYPED
        elif not voice or voice in events.PERSON_VOICES:
            voice = events.AGENT if author == "agent" else events.INJECTED
        flags = tuple(texts_of(value, "flags"))
        return events.Prompt(head, text_of(value, "text"), voice, author, flags)

    def _answer(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        text, author = text_of(value, "text"), text_of(value, "author")
        return events.Answer(head, text, author, text_of(value, "message") or head.id)

    def _tool(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        name = text_of(value, "name")
        kind, server = kind_of(name), server_of(name)
        error = value.get("error")
        return events.Tool(
            head,
            name,
            dict_of(value, "input"),
            _as_text(value.get("output")) or text_of(value, "error"),
            error is True or (type(error) is str and error != ""),
            server,
            kind,
            flags_of(kind, server),
        )

    def _read(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        return events.Read(
            head,
            self._path(head, value),
            count_of(value, "first") or 1,
            count_of(value, "last"),
            text_of(value, "text"),
            count_of(value, "total"),
            value.get("stub") is True,
        )

    def _edit(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        before = value.get("before")
        return events.Edit(
            head,
            self._path(head, value),
            before if type(before) is str else None,
            text_of(value, "after"),
            value.get("whole") is True,
        )

    def _usage(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        return events.Usage(
            head,
            count_of(value, "input"),
            count_of(value, "output"),
            count_of(value, "cached"),
            count_of(value, "written"),
            text_of(value, "model"),
        )

    def _turn(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        # What is no known good end teaches nothing (B1): "failed", "refused", …
        status = value.get("status", "completed")
        known = type(status) is str and status in _ENDS
        return events.TurnEnded(head, _ENDS[status] if known else events.FAILED)

    def _compacted(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        trigger = text_of(value, "trigger")
        return events.Compacted(head, trigger, text_of(value, "summary"))

    def _boundary(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        return events.Boundary(head, text_of(value, "reason"))

    def _end(self, head: events.Head, value: dict[str, Any]) -> events.Event:
        return events.SessionEnded(head, text_of(value, "reason"))


def _head(record: Record) -> events.Head:
    value = record.value
    return events.Head(
        session=text_of(value, "session"),
        at=moment_of(value, "at"),
        id=text_of(value, "id"),
        scope=text_of(value, "scope"),
        start=record.start,
        end=record.end,
    )


def _as_text(value: Any) -> str:
    if type(value) is str:
        return value
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


_MAKERS: dict[str, Callable[[Neutral, events.Head, dict[str, Any]], events.Event]] = {
    "session": Neutral._session,
    "prompt": Neutral._prompt,
    "answer": Neutral._answer,
    "tool": Neutral._tool,
    "read": Neutral._read,
    "edit": Neutral._edit,
    "usage": Neutral._usage,
    "turn": Neutral._turn,
    "compacted": Neutral._compacted,
    "boundary": Neutral._boundary,
    "end": Neutral._end,
}
