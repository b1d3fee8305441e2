"""What learning needs to know besides the events, and what it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ibid.engine.keep.policy import Switches
    from ibid.engine.model import NewId


class Context(NamedTuple):
    """What learning needs to know besides the events."""

    agent: str
    now: int
    switches: Switches
    key: bytes  # The project's secret, for keyed digests.
    first_seen: int  # When this project was first seen: older sessions are history.
    new_id: NewId
    transcript: int | None = None


class Counts:
    """What one import made, as the ``import`` command reports it."""

    def __init__(self) -> None:
        self.sessions = 0
        self.turns = 0
        self.episodes = 0
        self.candidates = 0
        self.archived = 0
        self.reads = 0

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return dict(vars(self))
