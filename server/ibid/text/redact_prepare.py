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
_ESCAPES = (("\\n", " \n"), ("\\r", " \n"), ("\\t", " \t"))
#: What the longer escapes stand for; their other columns become blanks behind it.
_PLAIN = {
    "26": "&", "3d": "=", "3c": "<", "3e": ">", "27": "'", "22": '"', "3a": ":",
    "2c": ",", "7b": "{", "7d": "}", "34": '"', "39": "'", "x22": '"', "x27": "'",
    "quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">",
}  # fmt: skip


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
        if "\\u00" in soft:
            soft = _unicode_escapes().sub(_plain, soft)
    if "%22" in soft:  # JSON in a query or a form.
        soft = _percent_codes().sub(_plain, soft)
    return _entities().sub(_plain, soft) if "&" in soft else soft


def has_colours(text: str) -> bool:
    """Whether terminal colour codes may stand in `text`, real or escaped."""
    return "\x1b" in text or "[0m" in text or "\\u001b" in text


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


def _plain(match: re.Match[str]) -> str:
    return _PLAIN[match[match.lastindex or 0].lower()].ljust(len(match[0]))


@lru_cache(maxsize=1)
def _unicode_escapes() -> re.Pattern[str]:
    return re.compile(r"\\u00(26|3[DdCcEe]|2[27])")


@lru_cache(maxsize=1)
def _percent_codes() -> re.Pattern[str]:
    return re.compile(r"%(22|3[Aa]|2[Cc]|7[BbDd])")


@lru_cache(maxsize=1)
def _entities() -> re.Pattern[str]:
    return re.compile(r"&(?:#(34|39|x2[27])|(quot|apos|amp|lt|gt));")


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
