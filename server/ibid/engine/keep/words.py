"""Know erased sentences again by keyed hashes, wherever and under whatever id (K3).

A suppression key names a record and a span; this knows the sentence itself: in a
title, a to-do list, a command, a tool's output, a fork's copy under other ids.  Only
texts from before the erasure are cut: what a person says again later is theirs to say.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ibid.agents import events as e
from ibid.engine.keep.holes import hole, spellings
from ibid.store import candidates
from ibid.text.digest import keyed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ibid.store.driver import Connection

_KIND = "words:"
_START = 3  # Characters that choose, by a short hash, where a long one is made.
_SHORT = 4


@lru_cache(maxsize=1)
def _starts() -> re.Pattern[str]:
    """Match where a sentence may begin: at no letter or digit's heels, or escaped."""
    return re.compile(r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?=\S)")


def remember(connection: Connection, key: bytes, sentence: str, at: int) -> None:
    """Remember a sentence, in each of its spellings, by hashes and lengths alone."""
    for form in dict.fromkeys(
        one.decode("utf-8", "replace").strip() for one in spellings(sentence)
    ):
        short, whole = keyed(key, form[:_START], _SHORT), keyed(key, form)
        native = f"{_KIND}{short}:{whole}"
        row = candidates.Suppression(native, len(form), 0, at)
        candidates.ensure_suppression(connection, row)


class ErasedWords:
    """The sentences of one project that must not come back; falsy when none."""

    def __init__(self, connection: Connection, key: bytes) -> None:
        self._key = key
        self._known: dict[str, dict[int, dict[str, int]]] = {}
        rows = connection.execute(
            "SELECT native, start, at FROM suppression WHERE native BETWEEN ? AND ?",
            (_KIND, _KIND + "~"),
        )
        for native, length, at in rows.fetchall():
            _, short, whole = native.split(":")
            self._known.setdefault(short, {}).setdefault(length, {})[whole] = at
        self._shorts: dict[str, dict[int, dict[str, int]] | None] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str, at: int = 0) -> set[str]:
        """Return the erased sentences in a text from moment ``at``; 0: unknown."""
        return set(self._find(text, at)) if self._known else set()

    def without(self, text: str, at: int = 0) -> str:
        """Return a text with holes of the same length where erased sentences were."""
        for sentence in self.find(text, at):
            text = text.replace(sentence, hole(sentence))
        return text

    def clean(self, events: Sequence[e.Event]) -> Sequence[e.Event]:
        """Return events without erased sentences."""
        if not self._known:
            return events
        return [event._replace(**self._changes(event)) for event in events]

    def _changes(self, event: e.Event) -> dict[str, Any]:
        at = event.head.at
        if isinstance(event, e.Prompt | e.Answer):
            return {"text": self.without(event.text, at)}
        if isinstance(event, e.SessionSeen):
            return {"title": self.without(event.title, at)}
        if isinstance(event, e.Todo):
            items = tuple(
                (self.without(text, at), state) for text, state in event.items
            )
            return {"items": items, "plan": self.without(event.plan, at)}
        if isinstance(event, e.Tool):
            given = {
                name: self.without(value, at) if isinstance(value, str) else value
                for name, value in event.input.items()
            }
            return {"input": given, "output": self._whole(event.output, at)}
        if isinstance(event, e.Read):
            return {"text": self._whole(event.text, at)}
        return {}

    def _whole(self, text: str, at: int) -> str:
        """Return a text for the archive: all of it or nothing, for it is not cut."""
        return "" if self.find(text, at) else text

    def _find(self, text: str, at: int) -> Iterator[str]:
        for match in _starts().finditer(text):
            start = match.start()
            for length, hashes in self._at(text[start : start + _START]).items():
                window = text[start : start + length]
                if len(window) < length:
                    continue
                erased = hashes.get(keyed(self._key, window))
                if erased is not None and at <= erased:
                    yield window

    def _at(self, start: str) -> dict[int, dict[str, int]]:
        """Return what is known, by length, of sentences that begin so."""
        if start not in self._shorts:
            short = keyed(self._key, start, _SHORT)
            self._shorts[start] = self._known.get(short)
        return self._shorts[start] or {}
