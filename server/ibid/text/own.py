"""Text of ours that came back: blocks, and lines of them (B2, G6).

Whoever pastes or quotes it says nothing new.  Found by plain text search, once from
left to right: linear on any input.
"""

from __future__ import annotations

import re
from functools import lru_cache

_OPENINGS = ("<ibid-recall", "<ibid-start")
_HEAD = 400  # Characters within which a block's head ends.


def blank_own(text: str) -> str:
    """Return ``text`` with what is ours blanked, every other character in its place.

    A block reaches from its head to its end mark, or to the end of the text where that
    is missing; a line is one of ours by its label, handoffs by their heading.  The name
    of a block within a sentence is not one.

    >>> blank_own("a <ibid-recall receipt=r> b </ibid-recall k> c").split()
    ['a', 'c']
    """
    if "ibid-" in text:
        for opening in _OPENINGS:
            text = _without(text, opening)
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


def _without(text: str, opening: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find(opening, at)) >= 0:
        head = text.find(">", start, start + _HEAD)
        if head < 0 or "=" not in text[start:head] or "\n" in text[start:head]:
            kept.append(text[at : start + len(opening)])
            at = start + len(opening)
            continue
        close = text.find(f"</{opening[1:]}", head)
        end = len(text) if close < 0 else text.find(">", close) + 1 or len(text)
        kept += (text[at:start], _blanks(text[start:end]))
        at = end
    kept.append(text[at:])
    return "".join(kept)


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
