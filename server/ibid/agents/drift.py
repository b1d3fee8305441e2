"""Counting what a reader does not know: an alarm for a format that drifted."""

from __future__ import annotations

_KINDS = 64
_LENGTH = 40


class Drift:
    """The unknown kinds of one piece of a file."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def count(self, family: str, kind: str) -> None:
        """Count one record of a ``kind`` that nobody knows; ``family`` says of what."""
        key = f"{family}:{kind[:_LENGTH]}"
        if key not in self.counts and len(self.counts) >= _KINDS:
            key = f"{family}:*"
        self.counts[key] = self.counts.get(key, 0) + 1
