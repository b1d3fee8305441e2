"""A secret alone on the line below its name (E2, E3).

Messages, notes and YAML write ``Password:``, ``## API token`` or ``key: |`` and put the
value below, often indented, quoted, listed or fenced.  Nothing but the place says so,
so the value must stand alone and look like one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_labels import OPEN
from ibid.text.redact_prose import is_strict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.text.redact_labels import Label

    Found = tuple[int, int, str]


def find_below(soft: str, label: Label) -> Iterator[Found]:
    """Yield the value on the line below `label`, which ends its own line."""
    if label.loose or label.family == OPEN:
        return
    match = _below().match(soft, label.end)
    if match is None or not (match["sign"] or _is_heading(soft, label)):
        return
    value = match["value"].rstrip("\"'`,;*")
    if is_strict(value, label.family):
        start = match.start("value")
        yield start, start + len(value), label.family


def _is_heading(soft: str, label: Label) -> bool:
    """Whether the name closes a heading or is set in bold, with no sign after it."""
    head = soft[max(0, label.start - 48) : label.start]
    return bool(_heading().search(head))


@lru_cache(maxsize=1)
def _heading() -> re.Pattern[str]:
    return re.compile(r"(?:^|\n)[ >]{0,8}(?:#{1,6}[ ]|\*\*|__)(?:\w{1,16}[ ]){0,3}$")


@lru_cache(maxsize=1)
def _below() -> re.Pattern[str]:
    """Return the end of the name's line, what may lie between, and the value's line."""
    return re.compile(
        r"(?:[ ](?:is|below|here)|[是为為])?[\"'`*_]{0,3}[ \t]{0,8}"
        r"(?P<sign>[:=]?)[\"'`*_]{0,3}"
        r"[ \t]{0,8}(?:[|>][0-9+-]{0,2}[ \t]{0,8}(?:#[^\n]{0,80})?)?\r?\n"
        r"(?:[ \t>#]{0,12}\r?\n)?"
        r"(?:[ \t>#*]{0,12}(?:```|~~~)\w{0,16}[ \t]{0,8}\r?\n)?"
        r"[ \t]{0,80}(?:(?:[>#*+\u2022-]|//|\d\.)[ \t]{1,4}){0,2}[\"'`*]{0,3}"
        r"(?P<value>[!-~]{6,512}?)(?:\"[\]},]|[ \t]{0,8}\r?(?:\n|$))"
    )
