"""Where a source file defines its symbols: a light reading for lenses (R4).

One regular expression over lines, for the common languages; a name that is defined in
a way it does not know simply has no lens.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MOST = 5_000  # Definitions of one file.


class Definition(NamedTuple):
    """A symbol: its name, line and column, all from 0."""

    name: str
    line: int
    column: int


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    modifiers = (
        r"(?:(?:export|default|public|private|protected|internal|static|final|abstract"
        r"|async|pub(?:\([a-z]{1,10}\))?|unsafe|extern|override|inline|virtual|sealed"
        r"|open|data|local|declare|const)\s+){0,6}"
    )
    keyword = (
        r"(?:def|class|function\*?|func|fn|fun|interface|struct|enum|trait|impl|type"
        r"|module|namespace|object|record|protocol|extension|macro_rules!|sub|proc)"
    )
    return re.compile(
        rf"^[ \t]{{0,64}}{modifiers}(?:{keyword}\s+(?:\([^)\n]{{0,80}}\)\s*)?"
        r"([A-Za-z_$][\w$]{0,120}(?:[.:]{1,2}[A-Za-z_]\w{0,120}){0,4})"
        r"|(?:const|let|var|val|static)\s+([A-Za-z_$][\w$]{0,120})\s*[:=]"
        r"|([A-Z][A-Z0-9_]{2,120})\s*(?::[^=\n]{1,60})?=(?!=))",
        re.MULTILINE,
    )


def find_definitions(text: str) -> list[Definition]:
    r"""Return what ``text`` defines, in order.

    >>> find_definitions("class A:\n    def b(self): ...\nLIMIT = 3\n")[1:]
    [Definition(name='b', line=1, column=8), Definition(name='LIMIT', line=2, column=0)]
    """
    found: list[Definition] = []
    line = last = 0
    for match in _pattern().finditer(text):
        group = next(at for at in (1, 2, 3) if match.group(at))
        line += text.count("\n", last, match.start(group))
        last = match.start(group)
        column = last - (text.rfind("\n", 0, last) + 1)
        found.append(Definition(match.group(group), line, column))
        if len(found) >= MOST:
            break
    return found


def names_symbol(anchor: str, name: str) -> bool:
    """Say whether a note's symbol means the definition ``name``.

    ``Uploader.send`` means ``send``, and ``Uploader.send`` where it is written so.

    >>> names_symbol("Uploader.send", "send"), names_symbol("send", "resend")
    (True, False)
    """
    last = re.split(r"\.|::|#|:", anchor)[-1]
    return name in (anchor, last) or re.split(r"\.|::|:", name)[-1] == anchor


def word_at(line: str, character: int) -> str:
    """Return the identifier at ``character`` of ``line``, or ""."""
    start = end = min(max(character, 0), len(line))
    while start > 0 and _is_word(line[start - 1]):
        start -= 1
    while end < len(line) and _is_word(line[end]):
        end += 1
    return line[start:end]


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
