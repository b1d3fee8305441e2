"""Traces of our own in what agents logged: blocks, hints, handles (B2, G6)."""

from __future__ import annotations

from ibid.text.own import find_blocks

_MARKS = ("[ibid", "<ibid-", "<<ccr:")
OWN = "ibid"
"""The source of `without_own`'s parts."""


def without_own(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return ``text`` without the blocks of ours in it, and those blocks.

    Each is a pair of `OWN` and its whole text.
    """
    kept, parts, at = [], [], 0
    for start, end in find_blocks(text):
        kept.append(text[at:start])
        parts.append((OWN, text[start:end]))
        at = end
    return ("".join((*kept, text[at:])), parts) if parts else (text, parts)


def is_own(text: str) -> bool:
    """Say whether ``text`` is, or holds, a trace of ours (G6)."""
    return any(mark in text for mark in _MARKS)
