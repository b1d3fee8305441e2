"""What readers of transcripts share: they tell events, and count what they do not know.

`ByLine` is a reader of files that grow by lines; `ibid.agents.documents.Whole` is one
of files that are written anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ibid.agents.drift import Drift
from ibid.agents.events import Batch
from ibid.agents.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.agents.events import Event
    from ibid.agents.lines import Record


class Telling:
    """Collects the events of one piece of a file, and what was unknown in it."""

    def __init__(self) -> None:
        self.drift = Drift()
        self._events: list[Event] = []

    def begin(self) -> None:
        """Start on another piece."""
        self._events = []
        self.drift = Drift()

    def add(self, event: Event | None) -> None:
        """Tell of ``event``, if there is one."""
        if event is not None:
            self._events.append(event)

    def extend(self, events: Iterable[Event]) -> None:
        """Tell of ``events``."""
        self._events.extend(events)


class ByLine(Telling, ABC):
    """A reader of JSON lines, piece by piece; see `ibid.agents.registry.Reader`."""

    def __init__(self, state: dict[str, Any]) -> None:
        super().__init__()
        self._lines = Lines(inside=state.get("inside", False))

    def state(self) -> dict[str, Any]:
        """Return what a successor needs to split the lines; readers add their own."""
        return {"inside": self._lines.inside}

    def feed(self, data: bytes, offset: int, *, final: bool = False) -> Batch:
        """Return the events in ``data``; see `ibid.agents.registry.Reader.feed`."""
        self.begin()
        for record in self._lines.split(data, offset, final=final):
            self.read(record)
        return Batch(
            self._events, self._lines.skipped, self.drift.counts, self._lines.consumed
        )

    @abstractmethod
    def read(self, record: Record) -> None:
        """Tell what one record says."""
