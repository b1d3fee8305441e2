"""From the bytes of a JSON-lines file to its records, each with its byte range.

Everything here survives whatever the bytes hold: half-written, glued, over-long and
broken lines, lone surrogates, NUL holes, numbers and nesting beyond any limit.  A line
that cannot be read is counted once and left out; the good ones around it are not lost.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_CAP = 8 * 1024 * 1024
"""Bytes of the longest line that is read; a longer one is skipped and counted."""

_RECOVERY_CAP = 1024 * 1024
_RECOVERY_TRIES = 16
_BLANK = b" \t\r\n\0"
_BOM = b"\xef\xbb\xbf"
_REPLACEMENT = "\ufffd"
_NUL_ESCAPE = b"\\u0000"
# How a whole record starts that was appended to a torn line without a newline.
_RECORD_START = re.compile(
    r'\{"(?:type|parentUuid|sessionId|session|uuid|timestamp|at|id|isSidechain)":'
)
_SURROGATE = re.compile("[\ud800-\udfff\0]")


class Record(NamedTuple):
    """One JSON object of a file."""

    value: dict[str, Any]
    start: int  # First byte of the object in the file.
    end: int  # One past its last byte.


class Lines:
    """Splits one file into records, piece by piece.

    After each `split` ran to its end, ``consumed`` says how many bytes of the piece
    were used and ``skipped`` how many lines could not be read.  Bytes that were not
    consumed are to be given again, with more behind them.  ``inside`` is all that must
    be remembered between two pieces: the last piece ended within an over-long line.
    """

    def __init__(self, *, inside: bool = False) -> None:
        self.inside = inside
        self.consumed = 0
        self.skipped = 0

    def split(
        self, data: bytes, offset: int = 0, *, final: bool = False
    ) -> Iterator[Record]:
        """Yield the records of the whole lines in ``data``.

        Args:
            data: the next bytes of the file.
            offset: where ``data`` starts in the file.
            final: nothing will follow, so a last line without newline is a line too.
        """
        self.consumed = self.skipped = 0
        begin = self._leave_long_line(data)
        while (newline := data.find(b"\n", begin)) >= 0:
            yield from self._line(data, begin, newline, offset)
            begin = newline + 1
            self.consumed = begin
        rest = len(data) - begin
        if self.inside or not rest:
            return
        if rest > LINE_CAP:
            self.inside = True
            self.skipped += 1
            self.consumed = len(data)
        elif final:
            yield from self._line(data, begin, len(data), offset)
            self.consumed = len(data)

    def _leave_long_line(self, data: bytes) -> int:
        """Return where the first line starts that is not within an over-long one."""
        if not self.inside:
            return 0
        newline = data.find(b"\n")
        if newline < 0:
            self.consumed = len(data)
            return len(data)
        self.inside = False
        self.consumed = newline + 1
        return newline + 1

    def _line(self, data: bytes, begin: int, end: int, offset: int) -> Iterator[Record]:
        if end - begin > LINE_CAP:
            self.skipped += 1
            return
        line = data[begin:end]
        start = offset + begin
        if not line or line.isspace():
            return
        try:
            value = _FAST.decode(line)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            yield from self._slow(line, start)
            return
        if type(value) is not dict:
            self.skipped += 1
            return
        if _NUL_ESCAPE in line:
            value = clean_or_none(value)
            if value is None:
                self.skipped += 1
                return
        yield Record(value, start, offset + end)

    def _slow(self, line: bytes, start: int) -> Iterator[Record]:
        """Yield what can be saved of a line that is not one clean JSON object."""
        kept = line.lstrip(_BLANK)
        if kept.startswith(_BOM):
            kept = kept[len(_BOM) :].lstrip(_BLANK)
        start += len(line) - len(kept)
        kept = kept.rstrip(_BLANK)
        if not kept:
            return
        text = kept.decode("utf-8", "replace")
        place = Places(kept, text, start)
        whole = True
        for value, first, last in _objects(text):
            if value is None:
                whole = False
            else:
                yield Record(value, place.of(first), place.of(last))
        if not whole:
            self.skipped += 1


class Places:
    """Where a character of decoded bytes lies in the file.

    Callers ask from left to right; each byte is counted once.
    """

    def __init__(self, line: bytes, text: str, start: int) -> None:
        self._text = text
        self._start = start
        self._end = start + len(line)
        self._ascii = len(text) == len(line)
        # Bytes that were no UTF-8 cannot be counted back: the whole line is the place.
        self._exact = self._ascii or _REPLACEMENT not in text
        self._char = self._byte = 0

    def of(self, char: int) -> int:
        """Return the byte of the file at which character ``char`` begins."""
        if self._ascii:
            return self._start + char
        if not self._exact:
            return self._start if char == 0 else self._end
        self._byte += len(self._text[self._char : char].encode())
        self._char = char
        return self._start + self._byte


def _objects(text: str) -> Iterator[tuple[dict[str, Any] | None, int, int]]:
    """Yield the objects of a line with their places; None for a part that is broken."""
    at = 0
    while at < len(text):
        value, end = _decode_at(text, at)
        if end < 0:
            yield None, at, len(text)
            yield from _recovered(text, at + 1)
            return
        yield value, at, end
        at = end
        while at < len(text) and text[at] in " \t\r\0":
            at += 1


def _recovered(text: str, at: int) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the whole record that was appended to a torn one, if the line ends in it.

    An object *within* the torn record is no record of its own: so it must reach exactly
    to the end of the line, and must not stand where the torn record expects a value.
    """
    if len(text) > _RECOVERY_CAP:
        return
    for tried, match in enumerate(_RECORD_START.finditer(text, at)):
        if tried >= _RECOVERY_TRIES:
            return
        if text[match.start() - 1] in ":,[ ":
            continue
        value, end = _decode_at(text, match.start())
        if value is not None and end == len(text):
            yield value, match.start(), end
            return


def _decode_at(text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object at ``at`` and its end: None if unusable, -1 if no JSON."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, -1
    if type(value) is not dict:
        return None, end
    return clean_or_none(value), end


def clean_or_none(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return ``value`` as a store can hold it, or None if it is nested too deeply."""
    try:
        cleaned: dict[str, Any] = _clean(value)
    except RecursionError:
        return None
    return cleaned


def _clean(value: Any) -> Any:
    """Return ``value`` without lone surrogates and NUL, which no store can hold."""
    if type(value) is str:
        return _SURROGATE.sub(_REPLACEMENT, value)
    if type(value) is list:
        return [_clean(item) for item in value]
    if type(value) is dict:
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _whole_number(digits: str) -> int:
    """Return the integer, or 0 for one of more digits than Python converts."""
    try:
        return int(digits)
    except ValueError:
        return 0


_FAST = msgspec.json.Decoder()
DECODER = json.JSONDecoder(parse_int=_whole_number, strict=False)
"""Decodes what the fast decoder refuses: lone surrogates, NUL, huge numbers."""
