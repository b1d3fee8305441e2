"""A session's file, old or new, becomes the same sequence of messages and marks.

Old files are one document.  New ones are lines: a message that comes again replaces
the one before, ``$set`` changes what is said of the session, ``$rewindTo`` takes a
message and all after it out of the conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.documents import Item, read_document
from ibid.agents.fields import dict_of, text_of
from ibid.agents.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable

REWOUND = "rewind"
REPLACED = "replaced"


class Mark(NamedTuple):
    """The conversation changed here, otherwise than by a message."""

    reason: str  # REWOUND or REPLACED.
    key: str  # Of the message it is about.


class Log(NamedTuple):
    """What a file holds."""

    about: dict[str, Any]  # What is said of the session.
    entries: list[Item | Mark]  # Messages in the order in which they came first.
    skipped: int  # Lines that could not be read.


def read_log(data: bytes) -> Log | None:
    """Return what ``data`` holds, None if it is no session or half-written."""
    document = read_document(data, "messages")
    if document is not None and text_of(document.value, "sessionId"):
        return Log(document.value, list(document.items), 0)
    return _Replay().run(data)


class _Replay:
    """Goes through the lines of a file."""

    def __init__(self) -> None:
        self._about: dict[str, Any] = {}
        self._entries: list[Item | Mark] = []
        self._places: dict[str, int] = {}  # Of messages, in the entries.
        self._live: dict[str, None] = {}  # Messages that are in the conversation.

    def run(self, data: bytes) -> Log | None:
        lines = Lines()
        for record in lines.split(data, 0, final=True):
            value = record.value
            if "$set" in value:
                self._set(dict_of(value, "$set"), record.start, record.end)
            elif "$rewindTo" in value:
                self._rewind(text_of(value, "$rewindTo"))
            elif "sessionId" in value:
                self._about |= {k: v for k, v in value.items() if k != "messages"}
                self._put_all(value.get("messages"), record.start, record.end)
            elif "id" in value:
                self._put(Item(value, record.start, record.end))
        if not text_of(self._about, "sessionId"):
            return None
        return Log(self._about, self._entries, lines.skipped)

    def _set(self, change: dict[str, Any], start: int, end: int) -> None:
        messages = change.get("messages")
        self._about |= {k: v for k, v in change.items() if k != "messages"}
        if type(messages) is not list:
            return
        kept = {text_of(one, "id") for one in messages if type(one) is dict}
        gone = [key for key in self._live if key not in kept]
        if gone:
            self._entries.append(Mark(REPLACED, gone[-1]))
            self._live = {key: None for key in self._live if key in kept}
        self._put_all(messages, start, end)

    def _put_all(self, messages: Any, start: int, end: int) -> None:
        listed: Iterable[Any] = messages if type(messages) is list else ()
        for one in listed:
            if type(one) is dict:
                self._put(Item(one, start, end))

    def _put(self, item: Item) -> None:
        key = text_of(item.value, "id")
        place = self._places.get(key)
        self._live[key] = None
        if place is None:
            self._places[key] = len(self._entries)
            self._entries.append(item)
        else:
            self._entries[place] = item

    def _rewind(self, key: str) -> None:
        while key in self._live:
            self._live.popitem()
        self._entries.append(Mark(REWOUND, key))
