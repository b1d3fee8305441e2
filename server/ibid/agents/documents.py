"""Transcripts that are one JSON document each, written anew as a whole.

A reader of such files is fed all of it and tells all of it, each time; every event has
a native id, by which what was told before is known again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from ibid.agents.events import Batch, Head
from ibid.agents.lines import DECODER, Places, clean_or_none
from ibid.agents.telling import Telling

_SPACE = " \t\r\n"
_BOM = b"\xef\xbb\xbf"


class Item(NamedTuple):
    """One object of the document's main list, and where it stands in the file."""

    value: dict[str, Any]
    start: int = 0
    end: int = 0


class Document(NamedTuple):
    """A JSON object, of which one list is split into its items."""

    value: dict[str, Any]  # Without the list.
    items: list[Item]


class Whole(Telling, ABC):
    """A reader of whole documents; see `ibid.agents.registry.Reader`."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.folder: str = (state or {}).get("folder", "")

    def state(self) -> dict[str, Any]:
        """Return what a successor needs: nothing, for it is told everything again."""
        return {}

    def feed(self, data: bytes, offset: int, *, final: bool = False) -> Batch:
        """Return all events of the document ``data``, or none if it is half-written.

        A document that cannot be read counts as one skipped line if it is ``final``.
        """
        del offset  # It is the start of the file.
        self.begin()
        skipped = self.tell(data)
        if skipped < 0:
            used = len(data) if final else 0
            return Batch([], int(final), self.drift.counts, used)
        return Batch(self._events, skipped, self.drift.counts, len(data))

    @abstractmethod
    def tell(self, data: bytes) -> int:
        """Add the events of ``data``; return how many lines of it were unreadable.

        -1 if all of it is.
        """


def head_of(item: Item, session: str, at: int, key: str) -> Head:
    """Return the head of what ``item`` tells."""
    return Head(session, at, key, "", item.start, item.end)


def read_document(data: bytes, key: str) -> Document | None:
    """Return the document in ``data``, whose list at ``key`` is split, or None.

    None also if it ends early, for then it is being written, or if more follows.
    """
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
        shift = len(_BOM)
    else:
        shift = 0
    text = data.decode("utf-8", "replace")
    place = Places(data, text, shift)
    try:
        return _Scanner(text, place).document(key)
    except (ValueError, IndexError, RecursionError):
        return None


class _Scanner:
    """Reads the members of an object from left to right."""

    def __init__(self, text: str, place: Places) -> None:
        self._text = text
        self._place = place
        self._at = 0
        self._escaped = "\\u" in text  # What no store can hold is written so.

    def document(self, key: str) -> Document | None:
        value: dict[str, Any] = {}
        items: list[Item] = []
        self._take("{")
        while True:
            name = self._value()
            self._take(":")
            if name == key and self._peek() == "[":
                items = self._list()
            else:
                value[str(name)] = self._value()
            if self._take(",}") == "}":
                break
        if self._text[self._at :].strip(_SPACE):
            return None
        cleaned = self._clean(value)
        return None if cleaned is None else Document(cleaned, items)

    def _clean(self, value: dict[str, Any]) -> dict[str, Any] | None:
        return clean_or_none(value) if self._escaped else value

    def _list(self) -> list[Item]:
        items: list[Item] = []
        self._take("[")
        if self._peek() == "]":
            self._take("]")
            return items
        while True:
            self._peek()
            start = self._place.of(self._at)
            value = self._value()
            end = self._place.of(self._at)
            cleaned = self._clean(value) if type(value) is dict else None
            if cleaned is not None:
                items.append(Item(cleaned, start, end))
            if self._take(",]") == "]":
                return items

    def _peek(self) -> str:
        """Return the next character that is no white space."""
        while self._text[self._at] in _SPACE:
            self._at += 1
        return self._text[self._at]

    def _take(self, expected: str) -> str:
        """Return the next character, which must be one of ``expected``."""
        found = self._peek()
        if found not in expected:
            raise ValueError(found)
        self._at += 1
        return found

    def _value(self) -> Any:
        self._peek()
        value, self._at = DECODER.raw_decode(self._text, self._at)
        return value
