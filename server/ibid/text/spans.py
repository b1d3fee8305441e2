"""Spans of bytes, and the holes that are left where they are cut out (K3, E1).

A span is ``(start, end)``, the end excluded, counted in the whole text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]

_HOLE = bytes(10 if byte == 10 else 42 for byte in range(256))


def holed(data: bytes, start: int, spans: Iterable[Span]) -> bytes:
    """Return ``data``, which stands at byte ``start``, with holes at ``spans``.

    A hole is as long as what it replaces: every byte but newlines becomes ``*``, so
    that offsets, lines and, inside a JSON string, the record stay valid.

    >>> holed(b'{"text": "my secret"}', 100, [(113, 119)])
    b'{"text": "my ******"}'
    """
    out = bytearray(data)
    for first, last in clipped(spans, start, start + len(data)):
        inside = slice(first - start, last - start)
        out[inside] = out[inside].translate(_HOLE)
    return bytes(out)


def clipped(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    """Return what of ``spans`` lies between ``start`` and ``end``."""
    inside = [(max(first, start), min(last, end)) for first, last in spans]
    return [(first, last) for first, last in inside if first < last]


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that touch as one.

    >>> merged([(5, 9), (0, 2), (8, 12), (2, 3)])
    [(0, 3), (5, 12)]
    """
    out: list[Span] = []
    for first, last in sorted(spans):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(last, out[-1][1]))
        else:
            out.append((first, last))
    return out
