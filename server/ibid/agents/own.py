"""Traces of our own in what agents logged: blocks, hints, handles (B2, G6).

Found by plain text search, once from left to right: linear on any input.
"""

from __future__ import annotations

_OWN_OPEN = "<ibid-recall"
_OWN_CLOSE = "</ibid-recall"
_OWN_MARKS = (_OWN_OPEN, "[ibid", "<ibid-", "<<ccr:")
OWN = "ibid"
"""The source of `without_own`'s parts."""


def without_own(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return ``text`` without the blocks of ours in it, and those blocks.

    Each is a pair of `OWN` and its whole text.
    """
    if _OWN_OPEN not in text:
        return text, []
    kept: list[str] = []
    parts: list[tuple[str, str]] = []
    at = 0
    while (start := text.find(_OWN_OPEN, at)) >= 0:
        close = text.find(_OWN_CLOSE, start)
        if close < 0:
            if not _is_opening(text, start):
                break
            end = len(text)
        else:
            end = text.find(">", close) + 1 or len(text)
        kept.append(text[at:start])
        parts.append((OWN, text[start:end]))
        at = end
    kept.append(text[at:])
    return "".join(kept), parts


def is_own(text: str) -> bool:
    """Say whether ``text`` is, or holds, a trace of ours (G6)."""
    return any(mark in text for mark in _OWN_MARKS)


def _is_opening(text: str, start: int) -> bool:
    """Say whether a whole opening tag stands there, not just its name in a sentence."""
    end = text.find(">", start)
    return end >= 0 and "=" in text[start:end] and "\n" not in text[start:end]
