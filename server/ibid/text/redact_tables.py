"""Values whose name stands elsewhere: over a column, in a list, behind (E2, E3)."""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_labels import OPEN, PASS, family_of
from ibid.text.redact_values import PASSWORD, RANDOM, grade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.text.redact_labels import Label

    Found = tuple[int, int, str]

#: How many rows below a head are read, and how long a row may be.
_ROWS, _WIDTH = 40, 400


def find_columns(soft: str, label: Label) -> Iterator[Found]:
    """Yield the cells below `label` where it heads a column of CSV or Markdown."""
    after = soft[label.end : label.end + 24].lstrip(" \t\r\"'`*")[:1]
    if after not in ("\n", ",", "|"):
        return
    begin = soft.rfind("\n", max(0, label.start - _WIDTH), label.start) + 1
    stop = soft.find("\n", label.end, label.end + _WIDTH)
    if stop < 0 or label.loose or label.family == OPEN or label.name == "pass":
        return
    head = soft[begin:stop]
    sign = "|" if "|" in head else ","
    if not _head(sign).fullmatch(head):
        return
    column, width = soft.count(sign, begin, label.start), head.count(sign)
    above = soft.rfind("\n", max(0, begin - _WIDTH), max(0, begin - 1)) + 1
    if begin and soft.count(sign, above, begin) == width:
        return  # Not a head but a row.
    at = stop + 1
    for _ in range(_ROWS):
        stop = soft.find("\n", at, at + _WIDTH)
        row = soft[at : stop if stop >= 0 else at + _WIDTH]
        cells = row.split(sign)
        if len(cells) != width + 1:
            return
        cell = cells[column].strip(" `\"'\r")
        if _is_cell(cell, label.family):
            start = at + len(sign.join(cells[:column])) + bool(column)
            start += cells[column].index(cell)
            yield start, start + len(cell), label.family
        if stop < 0:
            return
        at = stop + 1


def find_behind(soft: str, label: Label) -> Iterator[Found]:
    """Yield the value of ``{"value": "V", "name": "DB_PASSWORD"}``."""
    begin = max(0, label.start - 300)
    if soft[label.start - 1] not in "\"'" or soft.find("value", begin, label.start) < 0:
        return
    match = _behind().search(soft, begin, label.start)
    if match and not label.loose and grade(match["value"]) >= PASSWORD:
        yield *match.span("value"), label.family


def read_insert(soft: str, at: int) -> Iterator[Found]:
    """Read the credentials' columns of an SQL ``INSERT INTO t (…) VALUES (…)``."""
    match = _insert().match(soft, at)
    if match is None:
        return
    families = [family_of(name.strip(' `"[]')) for name in match["names"].split(",")]
    end = match.end()
    while row := _row().match(soft, end):
        cells = list(_cell().finditer(soft, row.start(1), row.end(1)))
        for known, cell in zip(families, cells, strict=False):
            if known and not known[1] and cell[1] and _is_cell(cell[1], known[0]):
                yield *cell.span(1), known[0]
        end = row.end()


def _is_cell(value: str, family: str) -> bool:
    if _code().search(value):
        return False
    return grade(value) >= (PASSWORD if family == PASS else RANDOM)


@lru_cache(maxsize=1)
def _code() -> re.Pattern[str]:
    return re.compile(r"[(){}\[\]<>;]|[:=]\s")


@lru_cache(maxsize=2)
def _head(sign: str) -> re.Pattern[str]:
    """Return a row of short names between signs."""
    cell = r"[\"'`*]{0,2}\w[\w -]{0,31}[\"'`*]{0,2}[ \t\r]{0,24}"
    edge = "" if sign == "," else r"(?:[ \t]{0,8}\|[ \t]{0,4})?"
    sign = re.escape(sign) + r"[ \t]{0,4}"
    return re.compile(rf"{edge}{cell}(?:{sign}{cell}){{1,24}}{edge}")


@lru_cache(maxsize=1)
def _behind() -> re.Pattern[str]:
    return re.compile(
        r"\\{0,7}[\"']?value\\{0,7}[\"']?\s{0,3}[:=]\s{0,3}\\{0,7}[\"']"
        r"(?P<value>[^\s\"'\\]{4,200})\\{0,7}[\"'][\s,]{1,40}\\{0,7}[\"']?(?:name|key)"
        r"\\{0,7}[\"']?\s{0,3}[:=]\s{0,3}\\{0,7}[\"']$"
    )


@lru_cache(maxsize=1)
def _insert() -> re.Pattern[str]:
    return re.compile(
        r"insert into [\w.`\"\[\]]{1,80}\s{0,3}\((?P<names>[\w\s,`\"\[\]]{1,400})\)"
        r"\s{0,8}values",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _row() -> re.Pattern[str]:
    return re.compile(r"[\s,]{0,16}\(((?:[^()'\"]|'[^'\n]*'|\"[^\"\n]*\"){1,800})\)")


@lru_cache(maxsize=1)
def _cell() -> re.Pattern[str]:
    return re.compile(r"\s{0,8}['\"]([^'\"\n]*)['\"]|[^,'\"]+")
