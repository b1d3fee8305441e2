"""Shell commands that do nothing but show a file, and the lines they showed (N1, N5).

Agents without a reading tool look at files with ``cat``, ``sed -n``, ``head`` or
``nl``.  Only a command that is plain, and whose output can be nothing else than lines
of that one file, counts: in doubt it showed nothing (N4).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ibid.agents.fields import join_path

_LONGEST = 1_000  # Characters; a longer command is no plain one.
_PATH = r"""(?:'[^'\n]+'|"[^"$`\\\n]+"|(?![-"'])[^\s'"$`\\|&;<>()*?\[\]{}~#!^]+)"""
_RANGE = r"""(?P<q>['"]?)(?P<first>\d{1,9})(?:,(?P<last>\d{1,9}|\$))?p(?P=q)"""
_RANGE_AFTER = (
    r"""(?P<q2>['"]?)(?P<first2>\d{1,9})(?:,(?P<last2>\d{1,9}|\$))?p(?P=q2)"""
)
_SHOWS = (
    rf"cat(?: --)? (?P<p1>{_PATH})",
    rf"(?P<number>nl -b ?a|cat -n)(?: --)? (?P<p2>{_PATH})",
    rf"sed -n (?:-e )?{_RANGE}(?: --)? (?P<p3>{_PATH})",
    rf"head(?: (?:-n ?|--lines=|-)(?P<count>\d{{1,9}}))?(?: --)? (?P<p4>{_PATH})",
    rf"tail (?:-n ?|--lines=)\+(?P<from>\d{{1,9}})(?: --)? (?P<p5>{_PATH})",
    rf"(?i:get-content|gc)(?: -(?i:literalpath|path))? (?P<p6>{_PATH})"
    r"(?: -(?i:totalcount|first|head) (?P<total>\d{1,9})| -(?i:raw))?",
)
_CUTS = (
    rf"sed -n (?:-e )?{_RANGE_AFTER}",
    r"head(?: (?:-n ?|--lines=|-)(?P<count2>\d{1,9}))?",
    r"(?i:select-object)(?: -(?i:skip) (?P<skip>\d{1,9}))?"
    r" -(?i:first) (?P<some>\d{1,9})",
)
_NUMBERED = re.compile(r"[ ]*(\d{1,9})\t")
_SPACES = re.compile(r"[ \t]+")
_SHELLS = re.compile(r"(?:.*[/\\])?(?:ba|z|da|k)?sh(?:\.exe)?$", re.IGNORECASE)
_POWERSHELLS = re.compile(r"(?:.*[/\\])?(?:powershell|pwsh)(?:\.exe)?$", re.IGNORECASE)
_SCRIPT_SWITCHES = frozenset({"-c", "-lc", "-ic", "-lic", "-command"})
_HEAD_LINES = 10


class View(NamedTuple):
    """What a command shows of a file."""

    path: str
    first: int = 1
    last: int = 0  # 0: to the end of the file.
    numbered: bool = False  # Each line is preceded by its number and a tab.


class Shown(NamedTuple):
    """The lines that a command's output held."""

    path: str
    first: int
    last: int
    text: str
    total: int  # Lines of the whole file where the output says so, else 0.


def script_of(command: list[str]) -> str:
    """Return the script of a command that is given as its arguments, or "".

    ``bash -lc SCRIPT`` is its script; another command is joined, if that is safe.
    """
    if len(command) >= 3 and command[-2].lower() in _SCRIPT_SWITCHES:
        shell = command[0]
        if _SHELLS.match(shell) or _POWERSHELLS.match(shell):
            return command[-1]
        return ""
    if any(not re.fullmatch(r"[\w./,:=@%+$-]+", word) for word in command):
        return ""
    return " ".join(f"'{word}'" if "$" in word else word for word in command)


def find_view(script: str, folder: str) -> View | None:
    """Return the file and lines that ``script`` shows, or None if it is not plain.

    Args:
        script: one line of a shell's or PowerShell's language.
        folder: where it runs.
    """
    script = script.strip()
    if len(script) > _LONGEST or "\n" in script:
        return None
    match = _pattern().fullmatch(_SPACES.sub(" ", script))
    if match is None:
        return None
    found = match.groupdict()
    path = next((found[f"p{n}"] for n in range(1, 7) if found[f"p{n}"]), "")
    if found["cd"]:
        folder = join_path(folder, _unquoted(found["cd"]))
    first, last = _lines_of(found)
    cut = _cut_of(found, match["cut"])
    if cut is not None:
        if (first, last) != (1, 0):
            return None
        first, last = cut
    if first < 1 or (last and last < first):
        return None
    numbered = bool(found["number"])
    return View(join_path(folder, _unquoted(path)), first, last, numbered)


def shown_lines(view: View, output: str) -> Shown | None:
    """Return the lines of the file that ``output`` is, or None if it cannot be.

    ``output`` must be all that the command wrote, and the command must have succeeded.
    """
    if not output:
        return None
    text = output.removesuffix("\n")
    if view.numbered:
        plain = _without_numbers(text, view.first)
        if plain is None:
            return None
        text = plain
    count = text.count("\n") + 1
    asked = view.last - view.first + 1 if view.last else 0
    if asked and count > asked:
        return None
    last = view.first + count - 1
    whole = not view.last or count < asked
    return Shown(view.path, view.first, last, text, last if whole else 0)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    shows, cuts = "|".join(_SHOWS), "|".join(_CUTS)
    return re.compile(
        rf"(?:cd (?P<cd>{_PATH}) ?(?:&&|;) ?)?(?:{shows})(?: ?\| ?(?P<cut>{cuts}))?"
    )


def _lines_of(found: dict[str, str | None]) -> tuple[int, int]:
    """Return the first and last line that the showing command itself asks for."""
    if found["first"]:
        return _range(found["first"], found["last"])
    if found["from"]:
        return int(found["from"]), 0
    if found["p4"]:
        return 1, int(found["count"] or _HEAD_LINES)
    if found["total"]:
        return 1, int(found["total"])
    return 1, 0


def _cut_of(found: dict[str, str | None], cut: str | None) -> tuple[int, int] | None:
    """Return the lines that the second command of a pipe lets through."""
    if not cut:
        return None
    if found["first2"]:
        return _range(found["first2"], found["last2"])
    if found["some"]:
        skip = int(found["skip"] or 0)
        return skip + 1, skip + int(found["some"])
    return 1, int(found["count2"] or _HEAD_LINES)


def _range(first: str, last: str | None) -> tuple[int, int]:
    if last is None:
        return int(first), int(first)
    return int(first), 0 if last == "$" else int(last)


def _without_numbers(text: str, first: int) -> str | None:
    """Return numbered lines without their numbers, which must be in order."""
    lines = []
    for number, line in enumerate(text.split("\n"), first):
        match = _NUMBERED.match(line)
        if match is None or int(match[1]) != number:
            return None
        lines.append(line[match.end() :])
    return "\n".join(lines)


def _unquoted(word: str) -> str:
    return word[1:-1] if word[:1] in "'\"" else word
