"""Words the whole engine shares: clock, ids, layers and what callers ask for.

The clock and the ids are injected; nothing in the engine asks the system for the time,
so replay is ingest with another clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import random

LAYERS = ("L0", "L1", "L2", "L3")
CATEGORIES = ("constraint", "preference", "decision", "fact")

# Makes an id with the given prefix.
NewId = Callable[[str], str]

NEUTRAL = "neutral"  # The agent of `.ibid.jsonl` files.

MINUTE = 60_000
DAY = 86_400_000

# Confidence by origin (D3).
AUTOMATIC = 0.90
EPISODE = 0.85
PROFILE = 0.80
CERTAIN = 1.0

NOW_VARIABLE = "IBID_NOW"

_ALPHABET = "23456789abcdefghjkmnpqrstvwxyz"  # 30: no look-alikes of 0, 1, l, o, u.
_ID_EPOCH = 1_704_067_200  # 2024-01-01: ids count seconds from here.


class Clock(Protocol):
    """Tells the time in milliseconds since the epoch."""

    def now(self) -> int:
        """Return the present moment."""
        ...


class SystemClock:
    """The wall clock; ``IBID_NOW`` (milliseconds) stops it, for tests and replays."""

    def now(self) -> int:
        """Return the wall clock's milliseconds, or what ``IBID_NOW`` says."""
        fixed = os.environ.get(NOW_VARIABLE, "")
        return int(fixed) if fixed.isdigit() else time.time_ns() // 1_000_000


class FixedClock:
    """A clock that moves only when told to."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """Return the moment it was set to."""
        return self._now

    def move(self, by: int) -> None:
        """Move by ``by`` milliseconds, backwards too."""
        self._now += by


class Ids:
    """Makes ids of ``PREFIX-`` and 16 characters: seconds first, then chance.

    Two people's notes never collide, and ids sort by age to the second.
    """

    def __init__(self, clock: Clock, chance: random.Random | None = None) -> None:
        self._clock = clock
        self._chance = chance

    def new(self, prefix: str) -> str:
        """Return a new id, such as ``n-…`` for a note."""
        seconds = max(0, self._clock.now() // 1000 - _ID_EPOCH)
        stamp = ""
        for _ in range(7):
            seconds, digit = divmod(seconds, len(_ALPHABET))
            stamp = _ALPHABET[digit] + stamp
        if self._chance is None:
            import random

            self._chance = random.SystemRandom()
        tail = "".join(self._chance.choice(_ALPHABET) for _ in range(9))
        return f"{prefix}-{stamp}{tail}"


class RecallRequest(NamedTuple):
    """What a prompt asks of memory."""

    prompt: str
    session: str = ""
    agent: str = ""
    role: str = ""
    room: int = 0  # Characters that the agent takes; 0: any number.
    asked: bool = False  # The agent asked by a tool: nothing is put into a prompt.


class SearchRequest(NamedTuple):
    """An explicit search (F4)."""

    query: str
    layers: tuple[str, ...] = LAYERS
    archive: bool = False
    limit: int = 20
    offset: int = 0
    path: str = ""  # Only what is about this file; then ``query`` may be empty.


class ReadRequest(NamedTuple):
    """Who wants which lines of which file (N).

    ``path`` is absolute; ``real`` the same without links, if that differs.
    """

    path: str
    session: str = ""
    scope: str | None = ""  # None: it is not known which thread of the session asks.
    first: int = 0  # Lines from 1, inclusive; 0 and 0 are the whole file.
    last: int = 0
    fresh: bool = False
    agent: str = ""
    real: str = ""
    limit: int = 0  # Characters that surely reach the reader; 0: any number.
    doubt: str = ""  # Why nothing may be held back.


class Source(NamedTuple):
    """Where a memory was said."""

    session: str
    turn: int | None
    message: str = ""
    title: str = ""
    agent: str = ""
    at: int = 0


def layer_name(number: int) -> str:
    """Return ``L1`` for 1, and so on."""
    return f"L{number}"


def native_key(agent: str, native: str) -> str:
    """Return a record id that is unique among all agents of a project.

    Claude Code's ids are random already and stay as they are, so that forks share.
    """
    return native if agent == "claude-code" else f"{agent}:{native}"


def native_of(key: str, agent: str) -> str:
    """Return the agent's own id again: the inverse of `native_key`.

    Neutral events name their agent in the session, not in the file's kind.
    """
    for prefix in (f"{agent}:", f"{NEUTRAL}:"):
        if key.startswith(prefix):
            return key[len(prefix) :]
    return key
