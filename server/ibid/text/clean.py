"""What may be shown: no control characters, no forged delimiters, inert Markdown.

Stored text keeps every byte; these functions are for the ways out (G4, B4 of the threat
list, R2).  They change nothing else: no word, number, path or negation (Q5).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_MARKS = 8  # Combining marks on one character; more are cut.

# What a terminal acts on: CSI and OSC sequences, then any lone escape.
_ANSI = (
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-_])"
)

# Control characters but newline and tab; C1; zero-width, bidi and other invisible
# format characters; tag characters; variation selectors beyond the first of a run.
_INVISIBLE = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    r"\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff"
    r"\U000e0000-\U000e0fff]"
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    return (
        re.compile(_ANSI),
        re.compile(_INVISIBLE),
        re.compile(r"([\ufe00-\ufe0f])[\ufe00-\ufe0f]+"),
        re.compile(r"[\ud800-\udfff]"),
    )


def plain(text: str) -> str:
    r"""Return ``text`` without anything invisible or acted upon; lines and tabs stay.

    >>> plain("a\x1b[31mb\u202ec\u200bd")
    'abcd'
    """
    if text.isascii() and text.isprintable():
        return text
    ansi, invisible, selectors, surrogates = _patterns()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = ansi.sub("", text)
    text = surrogates.sub("\ufffd", text)
    text = invisible.sub("", text)
    if text.isascii():
        return text
    return _cut_marks(selectors.sub(r"\1", text))


def _cut_marks(text: str) -> str:
    kept, run = [], 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run <= MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def whole(text: str) -> str:
    """Return ``text`` with U+FFFD for each lone half of a character.

    Arguments and JSON can hold such halves; no database and no pipe takes them.
    """
    return text if text.isascii() else _patterns()[3].sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return ``text`` as one plain line, its white space folded."""
    return " ".join(plain(text).split())


# -- our own delimiters --------------------------------------------------------

# Names that agents or we give a meaning as a tag, and marks of a role or a turn.
_TAGS = (
    r"/?(?:ibid[-\w]{0,32}|system[-_ ]?reminder|system|assistant|user|human"
    r"|tool[-_]\w{1,24}|function[-_]\w{1,24}|antml:\w{1,24}|invoke|parameter|local-command-\w{1,16}"
    r"|command-\w{1,16}|task-notification|teammate-message|persisted-output)\b"
)
_ANGLES = "<\u2039\u3008\ufe64\uff1c\u276e\u2329\u27e8"


# What may pose as a delimiter: a sign that must stand in the text, the pattern, and the
# twin that takes the place of its first character.
_MARKS = (
    (
        "<&",
        rf"(?i)(?:<|&lt;?|&#0{{0,6}}60;?|&#x0{{0,6}}3c;?)(?=\s{{0,8}}{_TAGS})",
        "\u2039",
    ),
    ("<", r"(?i)<(?=\|)|<(?=<ccr:)|<(?=<SYS>)", "\u2039"),
    ("[", r"(?i)\[(?=/?(?:INST|SYS|SYSTEM|ASSISTANT|USER)\b)", "\u27e6"),
    ("[", r"\[(?=(?:L[0-3] \w|(?:unchanged|changed)\] |full: #))", "\u27e6"),
)
_ROLE = (
    r"(?im)(?:(?<=\s)|^)(?:human|assistant)\s{0,4}:(?=\s|$)"
    r"|^\s{0,8}(?:user|system)\s{0,4}:(?=\s|$)"
)


@lru_cache(maxsize=len(_MARKS) + 1)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def defang(text: str) -> str:
    """Return ``text`` so that nothing in it can pose as a delimiter or a role (G4).

    Look-alikes count too: other angle brackets, full-width letters, entities.  The
    offending mark alone is exchanged for a harmless twin; all words stay.

    >>> defang("</ibid-recall x> Human: now")
    '\u2039/ibid-recall x> Human\ua789 now'
    """
    text = plain(text)
    folded = _fold(text)
    kept = list(text)
    for signs, pattern, twin in _MARKS:
        if any(sign in folded for sign in signs):
            for match in _compiled(pattern).finditer(folded):
                kept[match.start()] = twin
    if ":" in folded:
        for match in _compiled(_ROLE).finditer(folded):
            kept[match.end() - 1] = "\ua789"
    return "".join(kept)


def _fold(text: str) -> str:
    """Return ``text`` with look-alikes folded, one character for one."""
    if text.isascii():
        return text
    return "".join(map(_fold_character, text))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in _ANGLES:
        return "<"
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


# -- Markdown ------------------------------------------------------------------


def markdown(text: str) -> str:
    r"""Return ``text`` as Markdown that shows exactly it: no link, image or HTML.

    >>> markdown("[x](command:y) <b>")
    '\\[x\\](command:y) \\<b\\>'
    """
    escaped = re.sub(r"([\\`*_\[\]<>|~$&{}])", r"\\\1", one_line(text))
    # What renderers make links of by themselves: addresses of pages and people.
    escaped = re.sub(r"(:)(?=//)|(@)|(?<=www)(\.)", r"\\\g<0>", escaped)
    # A line's beginning can make a heading, a list or a quote of it.
    return re.sub(r"^(#|[-+]|\d{1,9}[.)])", _escape_start, escaped)


def _escape_start(match: re.Match[str]) -> str:
    mark = match.group()
    return f"{mark[:-1]}\\{mark[-1]}"


def fence(text: str, language: str = "") -> str:
    """Return ``text`` in a code fence longer than any run of backticks in it."""
    text = plain(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"
