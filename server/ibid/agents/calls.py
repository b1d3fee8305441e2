"""Tool calls that wait for their results, also over the end of a piece."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

_CALLS = 64
_CHARS = 256_000
_DEPTH = 100


class Call(NamedTuple):
    """A tool call that waits for its result."""

    name: str
    input: dict[str, Any]


class Calls:
    """The open calls of one file; the oldest are given up when they grow too many.

    The newest call is always kept, however long its input: it stays in the state until
    its result comes, which is what makes a file cut between the two read the same.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        self._open: dict[str, Call] = {}
        self._sizes: dict[str, int] = {}
        for key, (name, given) in (state or {}).items():
            self.begin(key, Call(name, given))

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {key: [call.name, call.input] for key, call in self._open.items()}

    def begin(self, key: str, call: Call) -> None:
        """Remember ``call`` until its result comes."""
        if not key:
            return
        if _too_deep(call.input):
            call = Call(call.name, {})
        self._open.pop(key, None)
        self._open[key] = call
        self._sizes[key] = len(json.dumps(call.input))
        while len(self._open) > 1 and (
            len(self._open) > _CALLS or sum(self._sizes.values()) > _CHARS
        ):
            self.end(next(iter(self._open)))

    def end(self, key: str) -> Call:
        """Return the call that ``key`` belongs to; a nameless one if it is unknown."""
        self._sizes.pop(key, None)
        return self._open.pop(key, Call("", {}))


def _too_deep(value: Any) -> bool:
    """Say whether ``value`` is nested too deeply to be written as JSON again."""
    level = [value]
    for _ in range(_DEPTH):
        below: list[Any] = []
        for item in level:
            if type(item) is dict:
                below += item.values()
            elif type(item) is list:
                below += item
        if not below:
            return False
        level = below
    return True
