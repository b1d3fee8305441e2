"""Fingerprints of the code that a note names, and what became of it since (R4).

A print holds what can be compared later, by whichever means are there then: the
structure by a grammar, the lines of the definition, or the lines that use a name which
is defined nowhere, such as a key of a settings file.  Comments and layout do not count
where a grammar reads the text; elsewhere blank lines and indentation do not.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from ibid.text.digest import digest
from ibid.text.structure import language_of, outline_by_lines, read_by_grammar
from ibid.text.symbols import names_symbol

if TYPE_CHECKING:
    from ibid.text.structure import Symbol

FRESH, CHANGED, GONE = "fresh", "changed", "gone"

# Marks of a print's parts: grammar and lines of a symbol, lines that use a word,
# structure and content of a whole file, a folder.
_GRAMMAR, _LINES, _WORD, _STRUCTURE, _CONTENT = "g", "l", "w", "s", "c"
FOLDER = "d=1"
_STRONG = frozenset({_GRAMMAR, _STRUCTURE})
_DEFINED = frozenset({_GRAMMAR, _LINES})
_LENGTH = 32
_MOST = 2_000_000  # Characters; of a longer text only the beginning counts.


class Code:
    """A file's text, whose symbols are asked for several times and read once."""

    def __init__(self, text: str, path: str) -> None:
        self._text = text[:_MOST].replace("\r\n", "\n")
        self._language = language_of(path)

    def print_of(self, symbol: str = "") -> str:
        """Return the print of a symbol, or of the whole file; "" when it is not there.

        >>> Code("def a(): pass", "x").print_of("b")
        ''
        """
        found = self._of_symbol(symbol) if symbol else self._of_file()
        return " ".join(f"{mark}={value}" for mark, value in found.items())

    def holds(self, symbol: str) -> bool:
        """Say whether the text holds the last part of a name at all: it is quick."""
        return _last(symbol) in self._text

    def defines(self, symbol: str) -> bool:
        """Say whether a symbol is defined here, not only used."""
        outlines = (self._by_lines, self._by_grammar)
        return any(one is not None and one.matching(symbol) for one in outlines)

    def line_of(self, symbol: str, used: bool = False) -> int | None:
        """Return the line from 0 on which a symbol is defined; None for nowhere.

        With ``used`` a name that is defined nowhere stands where it is used first.
        """
        for outline in (self._by_grammar, self._by_lines):
            matches = [] if outline is None else outline.matching(symbol)
            if matches:
                return matches[0].first - 1
        lines = self._uses(symbol) if used else []
        return lines[0] if lines else None

    def _of_file(self) -> dict[str, str]:
        found = {}
        if self._read is not None:
            found[_STRUCTURE] = self._read[0]
        found[_CONTENT] = _short(self._text.rstrip("\n"))
        return found

    def _of_symbol(self, symbol: str) -> dict[str, str]:
        found = {}
        if self._by_grammar is not None:
            value = self._by_grammar.joined(symbol)
            if value:
                found[_GRAMMAR] = f"{self._language}:{value}"
        value = self._by_lines.joined(symbol)
        if value:
            found[_LINES] = value
        if not found:
            lines = self._text.split("\n")
            used = [lines[at].strip() for at in self._uses(symbol)]
            if used:
                found[_WORD] = _short("\n".join(used))
        return found

    def _uses(self, symbol: str) -> list[int]:
        """Return the lines that hold the name as a word, each once."""
        if not symbol or symbol not in self._text:
            return []
        pattern = re.compile(rf"(?<![\w.]){re.escape(symbol)}(?!\w)")
        found: list[int] = []
        line = last = 0
        for match in pattern.finditer(self._text):
            line += self._text.count("\n", last, match.start())
            last = match.start()
            if not found or found[-1] != line:
                found.append(line)
        return found

    @cached_property
    def _read(self) -> tuple[str, list[Symbol]] | None:
        return read_by_grammar(self._text, self._language)

    @cached_property
    def _by_grammar(self) -> _Outline | None:
        return None if self._read is None else _Outline(self._read[1])

    @cached_property
    def _by_lines(self) -> _Outline:
        return _Outline(outline_by_lines(self._text))


def judge(before: str, now: str) -> str | None:
    """Return what became of what ``before`` is a print of: fresh, changed or gone.

    None when it cannot be told: the text does not parse at the moment, say.

    >>> judge("l=1", "l=1"), judge("l=1", "l=2"), judge("l=1", ""), judge("l=1", "w=3")
    ('fresh', 'changed', 'gone', 'gone')
    >>> judge("g=1 l=1", "l=1") is None, judge("g=1 l=1", "g=2 l=1")
    (True, 'changed')
    """
    was, is_ = _parts(before), _parts(now)
    if not is_ or (was.keys() & _DEFINED and not is_.keys() & _DEFINED):
        return GONE
    if _CONTENT in was and was[_CONTENT] == is_.get(_CONTENT):
        return FRESH  # Whatever reads it, the file is the same.
    strong = was.keys() & _STRONG
    if strong and not strong & is_.keys():
        return None
    shared = strong or was.keys() & is_.keys()
    return FRESH if any(was[mark] == is_[mark] for mark in shared) else CHANGED


def _parts(written: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in written.split())
    return {mark: value for mark, _, value in pairs}


class _Outline:
    """The symbols of a text, found by the last part of their names."""

    def __init__(self, symbols: list[Symbol]) -> None:
        self._symbols = symbols
        self._by_last: dict[str, list[Symbol]] = {}
        for one in symbols:
            self._by_last.setdefault(_last(one.name), []).append(one)

    def matching(self, symbol: str) -> list[Symbol]:
        """Return the symbols that a note's words mean; the very name goes first."""
        wanted = re.sub(r"::|#", ".", symbol)
        near = self._by_last.get(_last(symbol), [])
        exact = [
            one for one in near if one.name == wanted or one.name.endswith(f".{wanted}")
        ]
        return exact or [one for one in near if names_symbol(symbol, one.name)]

    def joined(self, symbol: str) -> str:
        """Return one fingerprint of all that is meant, with what stands in it."""
        names = {one.name for one in self.matching(symbol)}
        if not names:
            return ""
        parts = [
            f"{one.name}\x1f{one.fingerprint}"
            for one in self._symbols
            if one.name in names or not names.isdisjoint(_around(one.name))
        ]
        return _short("\x1e".join(sorted(parts)))


def _last(name: str) -> str:
    return re.split(r"[.#:]", name)[-1]


def _around(name: str) -> list[str]:
    """Return the names of the symbols that a symbol stands in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _short(text: str) -> str:
    return digest(text.encode("utf-8", "replace"))[3 : 3 + _LENGTH]
