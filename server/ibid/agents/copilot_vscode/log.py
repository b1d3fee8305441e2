"""A session's file, old or new, becomes the same document.

Old files and exports are one document.  New ones are a log of changes to it: first the
whole state, then values that are set, items that are pushed, values that are deleted.
"""

from __future__ import annotations

from typing import Any

from ibid.agents.documents import Document, Item, read_document
from ibid.agents.fields import count_of
from ibid.agents.lines import Lines

_STATE, _SET, _PUSH, _DELETE = range(4)
_REQUESTS = "requests"
_DEEPEST = 64


def read_session(data: bytes) -> tuple[Document, int] | None:
    """Return the session in ``data`` and the lines that could not be used.

    None if there is none, or if it is half-written.
    """
    document = read_document(data, _REQUESTS)
    if document is not None and "kind" not in document.value:
        return document, 0
    return _Replay().run(data)


class _Replay:
    """Goes through the lines of a log."""

    def __init__(self) -> None:
        self._state: Any = None
        self._places: dict[int, tuple[int, int]] = {}  # Of requests in the file.
        self._unused = 0

    def run(self, data: bytes) -> tuple[Document, int] | None:
        lines = Lines()
        for record in lines.split(data, 0, final=True):
            self._apply(record.value, (record.start, record.end))
        if type(self._state) is not dict:
            return None
        state = dict(self._state)
        requests = state.pop(_REQUESTS, [])
        items = [
            Item(value, *self._places.get(number, (0, len(data))))
            for number, value in enumerate(requests if type(requests) is list else [])
            if type(value) is dict
        ]
        return Document(state, items), lines.skipped + self._unused

    def _apply(self, change: dict[str, Any], place: tuple[int, int]) -> None:
        kind, value, path = change.get("kind"), change.get("v"), change.get("k")
        if kind == _STATE:
            self._state = value
            self._note_all(place)
            return
        if type(path) is not list or not path or len(path) > _DEEPEST:
            self._unused += 1
            return
        found = self._find(path[:-1])
        key = path[-1]
        if kind == _SET:
            done = _put(found, key, value)
        elif kind == _PUSH:
            done = _push(found, key, change)
        elif kind == _DELETE:
            done = type(found) is dict and type(key) is str
            if done:
                found.pop(key, None)
        else:
            done = False
        self._unused += not done
        cut = 0 if kind == _SET and len(path) == 1 else change.get("i")
        self._note(path, place, cut)

    def _find(self, path: list[Any]) -> Any:
        """Return what stands at ``path``, or None."""
        found = self._state
        for key in path:
            if type(found) is dict and type(key) is str:
                found = found.get(key)
            elif type(found) is list and type(key) is int and 0 <= key < len(found):
                found = found[key]
            else:
                return None
        return found

    def _note_all(self, place: tuple[int, int]) -> None:
        self._places = dict.fromkeys(range(self._count()), place)

    def _note(self, path: list[Any], place: tuple[int, int], cut: Any) -> None:
        """Remember the line that told of a request first."""
        if path[0] != _REQUESTS or len(path) > 2:
            return
        first = len(self._places)
        if len(path) == 1 and type(cut) is int:
            first = min(first, max(0, cut))
        for number in range(first, len(self._places)):
            del self._places[number]
        for number in range(first, self._count()):
            self._places[number] = place

    def _count(self) -> int:
        """Return how many requests there are."""
        requests = self._find([_REQUESTS])
        return len(requests) if type(requests) is list else 0


def _put(found: Any, key: Any, value: Any) -> bool:
    """Set one value; say whether there was a place for it."""
    if type(found) is dict and type(key) is str:
        found[key] = value
        return True
    if type(found) is list and type(key) is int and 0 <= key <= len(found):
        found[key : key + 1] = [value]
        return True
    return False


def _push(found: Any, key: Any, change: dict[str, Any]) -> bool:
    """Append items to a list, which may be cut first; say whether it is one."""
    items = change.get("v", [])
    if type(found) is dict and type(key) is str:
        target = found.setdefault(key, [])
    elif type(found) is list and type(key) is int and 0 <= key < len(found):
        target = found[key]
    else:
        return False
    if type(target) is not list or type(items) is not list:
        return False
    if type(change.get("i")) is int:
        del target[count_of(change, "i") :]
    target += items
    return True
