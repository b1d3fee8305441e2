"""The sessions of a replay and their readers, as far as they were played (P5)."""

from __future__ import annotations

from ibid.engine.replay.witness import Witness


class Reader:
    """What one thread of a session has in its context."""

    def __init__(self) -> None:
        self.epoch = 0
        self.witness = Witness()
        self.injected: list[tuple[str, str]] = []  # Feature and text, this epoch.

    def begin(self) -> None:
        """Begin a new epoch: nothing of before is in context."""
        self.epoch += 1
        self.witness = Witness()
        self.injected = []


class Session:
    """One session as far as it was played."""

    def __init__(self, native: str, agent: str) -> None:
        self.native = native
        self.agent = agent
        self.role = agent
        self.cwd = ""
        self.forked = False
        self.last = 0
        self.readers: dict[str, Reader] = {}
