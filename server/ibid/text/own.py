"""Text of ours that came back: blocks, and lines of them (B2, G6).

Whoever pastes or quotes it says nothing new.  Found by plain text search, once from
left to right: linear on any input.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING = "<ibid-"
_NAMES = ("ibid-recall", "ibid-start")
_HEAD = 400  # Characters within which a block's head ends.


def blank_own(text: str) -> str:
    """Return ``text`` with what is ours blanked, every other character in its place.

    A block reaches from its head to its end mark, or to the end of the text where that
    is missing; a line is one of ours by its label, handoffs by their heading.  The name
    of a block within a sentence is not one.

    >>> blank_own("a <ibid-recall receipt=r> b </ibid-recall k> c").split()
    ['a', 'c']
    """
    kept: list[str] = []
    at = 0
    for start, end in find_blocks(text):
        kept += (text[at:start], _blanks(text[start:end]))
        at = end
    text = "".join((*kept, text[at:]))
    if "[L" in text or "# Handoff" in text:
        text = _lines().sub(lambda found: _blanks(found[0]), text)
    return text


def without_own(text: str) -> str:
    """Return ``text`` without what is ours, and without the lines that leaves empty."""
    blank = blank_own(text)
    if blank == text:
        return text
    lines = (line.rstrip() for line in blank.split("\n"))
    return "\n".join(line for line in lines if line).strip()


def find_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where blocks of ours start and end in ``text``, from left to right."""
    at = 0
    while (start := text.find(_OPENING, at)) >= 0:
        end = _end(text, start)
        if end:
            yield start, end
        at = end or start + len(_OPENING)


def _end(text: str, start: int) -> int:
    """Return where the block at ``start`` ends; 0 where none begins."""
    name = next((one for one in _NAMES if text.startswith(one, start + 1)), "")
    head = text.find(">", start, start + _HEAD) if name else -1
    if head < 0 or "=" not in text[start:head] or "\n" in text[start:head]:
        return 0
    close = text.find(f"</{name}", head)
    return len(text) if close < 0 else text.find(">", close) + 1 or len(text)


def _blanks(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))


@lru_cache(maxsize=1)
def _lines() -> re.Pattern[str]:
    return re.compile(
        # [L1 decision n-8w2m, pinned] …, also as a quotation or in a list.
        r"^[ \t>*-]{0,12}\[L[0-3] (?:constraint|preference|decision|fact|episode"
        r"|profile|person|agent|harness) [^\]\n]{1,200}\][^\n]*"
        # A handoff, from its heading through its lines.
        r"|^[ \t>]{0,12}# Handoff ·[^\n]*"
        r"(?:\n[ \t>]{0,12}(?:Task|Decided|Touched|Open|Next|State): [^\n]*)*",
        re.MULTILINE,
    )
