"""Whether a record goes on from what its reader just saw, or from an earlier place.

Records form a tree by ``parentUuid``; a rewind makes a sibling branch, and two
terminals on one session make two heads.  In both cases the agent no longer has what
this file said last, so the epoch ends (N4).  In doubt the answer is *another branch*.
"""

from __future__ import annotations

from typing import Any

_REMEMBERED = 160
_ELSEWHERE = -1


class Thread:
    """The last records of the main conversation, by a short form of their ids.

    A *step* is a prompt, or all blocks of one answer with the results of their calls:
    parallel results are siblings in the tree, yet one context.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._steps: dict[str, int] = dict(state.get("steps", {}))
        self._step: int = state.get("step", 0)
        self._message: str = state.get("message", "")
        # A file whose records name no parents says nothing about branches.
        self._linked: bool = state.get("linked", False)
        self._progress: str = state.get("progress", "")

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {
            "steps": self._steps,
            "step": self._step,
            "message": self._message,
            "linked": self._linked,
            "progress": self._progress,
        }

    def restart(self, uuids: list[str]) -> None:
        """Go on after a compaction from ``uuids``: its boundary and what it kept."""
        self._step += 1
        self._message = ""
        self._steps = {}
        for uuid in uuids[-_REMEMBERED:]:
            self._remember(uuid, self._step)

    def add_prompt(self, uuid: str, parent: str) -> bool:
        """Add what was sent to the agent; False if it starts another branch."""
        at_head = self._steps.get(_short(parent), _ELSEWHERE) == self._step
        goes_on = at_head or not self._steps or not self._linked
        if at_head:
            self._linked = True
        if _short(uuid) in self._steps:
            return True
        self._next_step(uuid, "", goes_on=goes_on)
        return goes_on

    def add_answer(self, uuid: str, parent: str, message: str) -> bool:
        """Add a block of the agent's ``message``.

        Returns False if what it follows is not in this file, or on another branch:
        records are missing, or another process goes on elsewhere.
        """
        known = self._steps.get(_short(parent), _ELSEWHERE) != _ELSEWHERE
        same = bool(message) and message == self._message
        goes_on = known or same or not self._steps or not self._linked
        if self._steps:
            self._linked = known or (self._linked and bool(parent))
        if same or _short(uuid) in self._steps:
            self._remember(uuid, self._step)
        else:
            self._next_step(uuid, message, goes_on=goes_on)
        return goes_on

    def add_aside(self, uuid: str, parent: str) -> None:
        """Add a result or a note of the harness; it belongs to its parent's step."""
        if self._steps:
            self._remember(uuid, self._steps.get(_short(parent), _ELSEWHERE))
        else:
            self._remember(uuid, self._step)

    def add_progress(self, uuid: str, parent: str) -> None:
        """Add a note of progress, of which hundreds can follow each other.

        Only the last of a row is remembered, else they would push out the answer that
        they are about.
        """
        self.add_aside(uuid, parent)
        if self._progress and self._progress == _short(parent) != _short(uuid):
            self._steps.pop(self._progress, None)
        self._progress = _short(uuid)

    def _next_step(self, uuid: str, message: str, *, goes_on: bool) -> None:
        self._step += 1
        self._message = message
        if not goes_on:
            self._steps = {}
        self._remember(uuid, self._step)

    def _remember(self, uuid: str, step: int) -> None:
        if not uuid:
            return
        self._steps[_short(uuid)] = step
        while len(self._steps) > _REMEMBERED:
            del self._steps[next(iter(self._steps))]


def _short(uuid: str) -> str:
    return uuid[:13] if len(uuid) > 30 else uuid[:40]
