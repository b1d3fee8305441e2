"""The turn that runs in a thread: its id, what was said in it, how it ends (B1).

Codex names turns by their own ids, which forks copy; so what has no id of its own is
named by its turn and its number in it, and a copy is known again.
"""

from __future__ import annotations

import zlib
from typing import Any

from ibid.agents.events import CANCELLED, COMPLETED, FAILED, Head, TurnEnded


class Turns:
    """The turns of one thread."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self.turn: str = state.get("turn", "")
        self.open: bool = state.get("open", False)
        self._marked: bool = state.get("marked", False)  # By the agent's own records.
        self._error: bool = state.get("error", False)
        self._counts: dict[str, int] = dict(state.get("counts", {}))
        self._index: int = state.get("index", 0)
        self._thread: str = state.get("thread", "")

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {
            "turn": self.turn,
            "open": self.open,
            "marked": self._marked,
            "error": self._error,
            "counts": self._counts,
            "index": self._index,
            "thread": self._thread,
        }

    @property
    def has_prompt(self) -> bool:
        """Say whether somebody already spoke in the turn that the agent runs."""
        return self.open and self._marked and bool(self._counts.get("p"))

    def see_thread(self, thread: str) -> None:
        """Records of ``thread`` follow; the oldest one names what has no turn id."""
        self._thread = thread

    def start(self, turn: str) -> None:
        """The agent says that ``turn`` begins, or goes on."""
        if turn and turn == self.turn:
            self._marked = True
            return
        self._begin(turn or f"{self._thread}/{self._index}")
        self._marked = True

    def speak(self, text: str) -> None:
        """Somebody says ``text``; where no mark told of a turn, it begins one."""
        if not self.open or not self._marked:
            self._index += 1
            mark = zlib.crc32(text.encode("utf-8", "replace"))
            self._begin(f"{self._thread}/{self._index}:{mark:08x}")
            self._marked = False

    def name(self, kind: str) -> str:
        """Return the id of the next record of ``kind`` in the turn."""
        if not self.turn:
            self._begin(f"{self._thread}/0")
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"{self.turn}:{kind}{self._counts[kind]}"

    def work(self) -> None:
        """The agent said or did something: an error before it was not the end."""
        self._error = False

    def note_error(self) -> None:
        """The agent met an error."""
        self._error = True

    def complete(self, head: Head, turn: str) -> TurnEnded | None:
        """The agent says that the turn is over."""
        return self._close(head, turn, FAILED if self._error else COMPLETED)

    def cancel(self, head: Head, turn: str) -> TurnEnded | None:
        """The person stopped the turn, or another took its place."""
        return self._close(head, turn, CANCELLED)

    def _begin(self, turn: str) -> None:
        self.turn = turn
        self.open = True
        self._error = False
        self._counts = {}

    def _close(self, head: Head, turn: str, status: str) -> TurnEnded | None:
        if not self.open or (turn and self._marked and turn != self.turn):
            return None
        self.open = False
        return TurnEnded(head._replace(id=f"{self.turn}:end"), status)
