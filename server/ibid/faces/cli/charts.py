"""A replay as a picture: bars in the terminal, and one self-contained SVG (P5)."""

from __future__ import annotations

from html import escape
from typing import Any

from ibid.text.clean import one_line

_WIDTH = 24  # Characters of the longest bar, to either side.
_EIGHTHS = " ▏▎▍▌▋▊▉█"

# Of the picture, in pixels.
_LEFT, _RIGHT, _ROW, _TOP = 110, 190, 30, 64
_SPAN = 460
_COST, _SAVED, _LINE = "#b5483a", "#3a7d5c", "#444"


def bars(lines: list[dict[str, Any]]) -> list[str]:
    """Return one bar a feature: cost to the left of the axis, what is saved right."""
    most = max((abs(value) for one in lines for value in _ends(one)), default=0) or 1
    shown = []
    for one in lines:
        cost, saved = _ends(one)
        left = "█" * round(_WIDTH * cost / most)
        shown.append(
            f"{one['feature']:>8} {left or ('▏' if cost else ''):>{_WIDTH}}│"
            f"{_bar(saved / most):<{_WIDTH}} {_net(one)}"
        )
    return shown


def svg(shape: dict[str, Any]) -> str:
    """Return the same as an SVG document that needs nothing else."""
    lines = shape["features"]
    most = max((value for one in lines for value in _reach(one)), default=0) or 1
    axis = _LEFT + _SPAN // 2
    height = _TOP + _ROW * len(lines) + 40
    width = _LEFT + _SPAN + _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(16, 26, "What memory would have cost and saved, in tokens", "bold"),
        _text(16, 46, f"{shape['sessions']} sessions, {shape['estimator']}"),
    ]
    for number, one in enumerate(lines):
        top = _TOP + _ROW * number
        cost, saved = _ends(one)
        half = _SPAN / 2
        parts += [
            _text(16, top + 19, one["feature"]),
            _box(axis - half * cost / most, top + 6, half * cost / most, _COST),
            _box(axis, top + 6, half * saved / most, _SAVED),
            *_whisker(one, axis, top + 15, half / most),
            _text(_LEFT + _SPAN + 12, top + 19, _net(one)),
        ]
    bottom = _TOP + _ROW * len(lines)
    parts += [
        f'<line x1="{axis}" y1="{_TOP}" x2="{axis}" y2="{bottom}" stroke="{_LINE}"/>',
        _text(
            16, bottom + 26, f"red: cost; green: saved; line: net, {shape['interval']}"
        ),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _ends(one: dict[str, Any]) -> tuple[int, int]:
    return one["cost"], max(0, one["gross"] - one["bounced"])


def _reach(one: dict[str, Any]) -> list[int]:
    """Return how far what is drawn of a feature reaches from the axis."""
    interval = [] if one["unknown"] else one["interval"] or []
    return [*_ends(one), *(abs(value) for value in interval)]


def _net(one: dict[str, Any]) -> str:
    return f"cost {one['cost']:,}" if one["unknown"] else f"net {one['net']:+,}"


def _bar(share: float) -> str:
    eighths = round(share * _WIDTH * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def _whisker(one: dict[str, Any], axis: int, y: int, scale: float) -> list[str]:
    """Return the interval of the net as a thin line, where there is one to tell."""
    if one["interval"] is None or one["unknown"]:
        return []
    low, high = (axis + value * scale for value in one["interval"])
    return [
        f'<line x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}" '
        f'stroke="{_LINE}" stroke-width="2"/>'
    ]


def _box(x: float, y: int, width: float, fill: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y}" width="{max(0.0, width):.1f}" height="18" '
        f'fill="{fill}"/>'
    )


def _text(x: int, y: int, text: str, weight: str = "normal") -> str:
    shown = escape(one_line(text))
    return f'<text x="{x}" y="{y}" font-weight="{weight}">{shown}</text>'
