"""Names of memories that a text holds: markers, numbers, ids, addresses (M4, R1)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MOST = 2_000  # Of one text.

NOTE, CANDIDATE, RECEIPT, ARCHIVE, TURN, ADDRESS = (
    "note",
    "candidate",
    "receipt",
    "archive",
    "turn",
    "address",
)


class Mentioned(NamedTuple):
    """A name in a text: from ``start`` to ``end``, and what kind of thing it names."""

    start: int
    end: int
    kind: str
    name: str


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    id_ = r"[2-9a-hjkmnp-tv-z]{6,24}(?![\w-])"
    return re.compile(
        r"(?P<address>ibid://[^\s<>\"'`\\()\[\]{}|^]{1,2000})"
        r"|<<ccr:(?P<archive>[0-9a-f]{6,24})>>"
        r"|receipt=\"(?P<receipt>(?:#?\d{1,9}|r-[0-9a-f]{8}))\""
        r"|(?<![\w/#&.-])(?P<number>#\d{1,9})(?![\w-])"
        rf"|(?<![\w-])(?P<note>[nep]-{id_})"
        rf"|(?<![\w-])(?P<candidate>c-{id_})"
        r"|(?<![\w-])(?P<name>r-[0-9a-f]{8})(?![\w-])"
        r"|(?<![\w-])turn:(?P<turn>[\w.:-]{1,200}/\d{1,6})(?!\w)"
    )


_KINDS = {"number": ARCHIVE, "name": RECEIPT}


def find_mentions(text: str) -> list[Mentioned]:
    """Return the names in ``text``, in order; such a thing may or may not be.

    >>> [one[2:] for one in find_mentions("<<ccr:5a0f3c9e1b2d>>, #412 (n-7k3q2m4p)")]
    [('archive', '5a0f3c9e1b2d'), ('archive', '#412'), ('note', 'n-7k3q2m4p')]
    """
    found = []
    for match in _pattern().finditer(text):
        kind = match.lastgroup or ""
        name = match[kind]
        end = match.end()
        if kind == ADDRESS:
            trimmed = name.rstrip(".,;:!?*")
            end -= len(name) - len(trimmed)
            name = trimmed
        found.append(Mentioned(match.start(), end, _KINDS.get(kind, kind), name))
        if len(found) >= MOST:
            break
    return found


def mention_at(text: str, offset: int) -> Mentioned | None:
    """Return the name that stands at ``offset`` of a line, or None."""
    for one in find_mentions(text):
        if one.start <= offset <= one.end:
            return one
    return None
