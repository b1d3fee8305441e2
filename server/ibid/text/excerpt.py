"""Parts of a long text: its head, its tail, a range of lines, lines that match.

For `expand`, when not all of an archived text is wanted.  Lines count from 1 and end
at a newline only, so that every excerpt is exactly a piece of the text.
"""

from __future__ import annotations

from typing import NamedTuple


class Excerpt(NamedTuple):
    """Lines ``first`` to ``last`` (inclusive; 1 to 0 when none) of ``total``."""

    text: str
    first: int
    last: int
    total: int


def lines_of(text: str) -> list[str]:
    r"""Return the lines with their newlines.

    >>> lines_of("a\r\n\x0cb\n\nc")
    ['a\r\n', '\x0cb\n', '\n', 'c']
    """
    parts = text.split("\n")
    last = parts.pop()
    lines = [part + "\n" for part in parts]
    return [*lines, last] if last else lines


def line_range(text: str, first: int, last: int) -> Excerpt:
    r"""Return lines ``first`` to ``last``, as far as they exist.

    >>> line_range("a\nb\nc\n", 2, 9)
    Excerpt(text='b\nc\n', first=2, last=3, total=3)
    """
    lines = lines_of(text)
    first = max(first, 1)
    last = min(last, len(lines))
    if first > last:
        return Excerpt("", 1, 0, len(lines))
    return Excerpt("".join(lines[first - 1 : last]), first, last, len(lines))


def head(text: str, count: int) -> Excerpt:
    """Return the first ``count`` lines."""
    return line_range(text, 1, count)


def tail(text: str, count: int) -> Excerpt:
    r"""Return the last ``count`` lines.

    >>> tail("a\nb\nc", 2).text
    'b\nc'
    """
    lines = lines_of(text)
    start = max(len(lines) - max(count, 0), 0)
    if start == len(lines):
        return Excerpt("", 1, 0, len(lines))
    return Excerpt("".join(lines[start:]), start + 1, len(lines), len(lines))


def search(text: str, words: str, around: int = 2, limit: int = 20) -> list[Excerpt]:
    r"""Return the places where ``words`` occurs in a line, case aside, in order.

    Each has ``around`` lines before and after; places that touch are one.  At most
    ``limit`` matching lines are taken.

    >>> [e.text for e in search("x\nTODO one\ny\n", "todo", around=0)]
    ['TODO one\n']
    """
    needle = words.casefold()
    if not needle.strip():
        return []
    lines = lines_of(text)
    hits = [at for at, line in enumerate(lines) if needle in line.casefold()][:limit]
    spans: list[list[int]] = []
    for at in hits:
        start, stop = max(at - around, 0), min(at + around + 1, len(lines))
        if spans and start <= spans[-1][1]:
            spans[-1][1] = stop
        else:
            spans.append([start, stop])
    return [
        Excerpt("".join(lines[start:stop]), start + 1, stop, len(lines))
        for start, stop in spans
    ]
