"""What the redaction rules look at instead of the raw text (E2).

Terminals, JSON and Chinese punctuation put things between a label and its value that
no reader sees.  :func:`soften` takes them out of the way without moving a single
offset; :func:`squeeze` is for the texts where a colour code or an escaped slash cuts a
word in two, and carries its own map back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

#: Characters that mean the same as an ASCII one to a person who types a label.
_WIDE = (
    ("\uff1a", ":"),
    ("\uff1d", "="),
    ("\u3000", " "),
    ("\u00a0", " "),
    ("\u201c", '"'),
    ("\u201d", '"'),
    ("\u2018", "'"),
    ("\u2019", "'"),
    ("\u300c", '"'),
    ("\u300d", '"'),
    ("\u300e", '"'),
    ("\u300f", '"'),
    ("\uff08", "("),
    ("\uff09", ")"),
    ("\u0130", "I"),  # The one letter whose lower case is longer than itself.
)
#: Escapes that stand for one character; their other columns become blanks.
_ESCAPES = (
    ("\\n", " \n"),
    ("\\r", " \n"),
    ("\\t", " \t"),
    ("\\u0026", "&     "),
    ("\\u003d", "=     "),
    ("\\u003c", "<     "),
    ("\\u003e", ">     "),
    ("\\u0027", "'     "),
    ("\\u0022", '"     '),
)
_PERCENT = (
    ("%22", '"  '),
    ("%3A", ":  "),
    ("%2C", ",  "),
    ("%7B", "{  "),
    ("%7D", "}  "),
)
_ENTITIES = (
    ("&quot;", '"     '),
    ("&apos;", "'     "),
    ("&#34;", '"    '),
    ("&#39;", "'    "),
    ("&amp;", "&    "),
    ("&#x22;", '"     '),
    ("&#x27;", "'     "),
    ("&lt;", "<   "),
    ("&gt;", ">   "),
)


def soften(text: str) -> str:
    r"""Copy `text` with escapes and wide punctuation made plain; same length.

    Colour codes become blanks, ``\\n`` becomes a real line end, ``：`` a colon.  Every
    offset in the copy is the offset in `text`.
    """
    soft = text
    if not soft.isascii():
        for wide, plain in _WIDE:
            soft = soft.replace(wide, plain)
    if has_colours(soft):
        soft = _colour_codes().sub(lambda m: " " * len(m[0]), soft)
    if "\\" in soft:
        for escape, plain in _ESCAPES:
            soft = soft.replace(escape, plain)
    if "%22" in soft:  # JSON in a query or a form.
        for code, plain in _PERCENT:
            soft = soft.replace(code, plain)
    if "&" in soft and ";" in soft:
        for entity, plain in _ENTITIES:
            soft = soft.replace(entity, plain)
    return soft


def has_colours(text: str) -> bool:
    """Whether terminal colour codes may stand in `text`, real or escaped."""
    return "\x1b" in text or ("[0m" in text or "[39m" in text or "\\u001b" in text)


class Squeezed:
    """A text without its invisible parts, and the way back to the first one."""

    __slots__ = ("_shifts", "_starts", "text")

    def __init__(self, text: str, holes: list[tuple[int, int]]) -> None:
        parts: list[str] = []
        self._starts = [0]
        self._shifts = [0]
        at = kept = 0
        for start, end in holes:
            parts.append(text[at:start])
            kept += start - at
            at = end
            self._starts.append(kept)
            self._shifts.append(at - kept)
        parts.append(text[at:])
        self.text = "".join(parts)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the first text that `start`–`end` of this one covers."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        return start + self._shifts[first], end + self._shifts[last]


def squeeze(text: str) -> Squeezed | None:
    r"""Take colour codes and ``\\/`` escapes out of `text`; None if it has none."""
    if "\\/" not in text and not has_colours(text):
        return None
    holes = [m.span() for m in _invisible().finditer(text)]
    return Squeezed(text, holes) if holes else None


_ESC = r"(?:\x1b|\\{1,4}(?:u001[bB]|x1[bB]|033|e))"


@lru_cache(maxsize=1)
def _colour_codes() -> re.Pattern[str]:
    return re.compile(
        _ESC + r"(?:\[[0-9;?]{0,24}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))"
        r"|\[[0-9;]{1,12}m",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _invisible() -> re.Pattern[str]:
    return re.compile(_colour_codes().pattern + r"|\\{1,4}(?=/)", re.ASCII)
