"""Context that the client wraps around a person's words.

All of it is found by plain text search, once from left to right: linear on any input.
"""

from __future__ import annotations

from ibid.agents.own import without_own

_WRAPPERS = (
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
    "user-prompt-submit-hook",
    "session-start-hook",
    "post-tool-use-hook",
)


def unwrap(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return ``text`` without what was wrapped around it, and those parts.

    Reminders and editor context are removed at both ends, blocks of ours anywhere
    (B2, G6).  Each part is a pair of its tag and its whole text.
    """
    rest, parts = without_own(text)
    start, end = 0, len(rest)
    while True:
        start, end = _trimmed(rest, start, end)
        leading = _leading(rest, start, end)
        if leading:
            parts.append((leading[0], rest[start : leading[1]]))
            start = leading[1]
            continue
        trailing = _trailing(rest, start, end)
        if not trailing:
            break
        parts.append((trailing[0], rest[trailing[1] : end]))
        end = trailing[1]
    return rest[start:end], parts


def inner(text: str, tag: str) -> str:
    """Return what stands between the first ``<tag>`` and its end tag, or ""."""
    _, found, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0] if found else ""


def without_reminders(text: str) -> str:
    """Return ``text`` without the client's wrappers at both ends."""
    return unwrap(text)[0]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _leading(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the wrapper that begins at ``start`` and where it ends."""
    if start >= end or text[start] != "<":
        return None
    for tag in _WRAPPERS:
        if text.startswith((f"<{tag}>", f"<{tag} "), start):
            close = f"</{tag}>"
            found = text.find(close, start, end)
            return (tag, found + len(close)) if found >= 0 else None
    return None


def _trailing(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return the wrapper that ends at ``end`` and where it begins."""
    if start >= end or text[end - 1] != ">":
        return None
    for tag in _WRAPPERS:
        if text.endswith(f"</{tag}>", start, end):
            found = text.rfind(f"<{tag}>", start, end)
            return (tag, found) if found >= 0 else None
    return None
