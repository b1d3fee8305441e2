"""The times a question names, and whether a text tells one.

A question that names a month, a year or *last week* prefers what was said then, or soon
after: people tell in May what happened in April.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache
from typing import NamedTuple

THEN_FACTOR, SOON_FACTOR = 3.0, 1.6


class When(NamedTuple):
    """The times a question names."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    span: tuple[int, int] | None = None  # Milliseconds.


def tells_time(text: str) -> bool:
    """Say whether a text holds a number or names a time."""
    if re.search(r"\d|[昨今明]天|[上下本这這][周週月年]", text):
        return True
    return not _time_words().isdisjoint(re.findall("[a-z]+", text.lower()))


@lru_cache(maxsize=1)
def _time_words() -> frozenset[str]:
    return frozenset(_TIMES.split())


_TIMES = (
    "yesterday today tomorrow tonight ago last next week weekend month year night day"
    " days weeks months years monday tuesday wednesday thursday friday saturday sunday"
    " january february march april june july august september october november december"
    " one two three four five six seven eight nine ten few couple since recently soon"
)


def then_factor(at: int, when: When) -> float:
    """Return the factor of a message of ``at`` for the time the query names."""
    if when.span is not None:
        return THEN_FACTOR if when.span[0] <= at <= when.span[1] else 1.0
    moment = time.gmtime(min(max(at, 0), _LATEST) // 1000)
    in_year = not when.years or moment.tm_year in when.years
    if in_year and (not when.months or moment.tm_mon in when.months):
        return THEN_FACTOR
    before = (moment.tm_mon - 2) % 12 + 1
    year = moment.tm_year - (before == 12)
    if before in when.months and (not when.years or year in when.years):
        return SOON_FACTOR
    return 1.0


def asks_when(text: str) -> bool:
    """Say whether a question asks for a time or a number."""
    return re.search(_ASKS_WHEN, text, re.IGNORECASE) is not None


_LATEST = 253_402_300_799_000  # The end of the year 9999.

_ASKS_WHEN = (
    r"\b(?:when|how (?:long|many|much|often|old)|(?:what|which) (?:time|date|day|month"
    r"|year|week)|since)\b|什么时候|什麼時候|何时|何時|几点|多少|多久|いつ|언제"
)


def find_when(text: str, now: int) -> When | None:
    """Return the months, years or span that the question names."""
    months, years = set(), set()
    dated = "20" in text or any(name in text for name in _MONTH_NAMES)
    for match in re.finditer(_DATE, text) if dated else ():
        name, year = match.group(1), match.group(2)
        if name:
            months.add(_MONTHS.index(name[:3].lower()) // 3 + 1)
        if year:
            years.add(int(year))
        if match.group(3):
            months.add(int(match.group(3)))
    span = None
    low = text.lower()
    for pattern, (first, last) in _SPANS.items():
        signs = pattern.replace(r"\b", "").split("|")
        if any(sign in low for sign in signs) and re.search(
            pattern, text, re.IGNORECASE
        ):
            span = (now - int(first * _DAY), now - int(last * _DAY))
            break
    if not months and not years and span is None:
        return None
    return When(frozenset(months), frozenset(years), span)


_DAY = 86_400_000
_MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"

# A month's name with a capital (``may`` is a verb), a year of this century, a date.
_DATE = (
    r"\b(January|February|March|April|May|June|July|August|September|October|November"
    r"|December)\b|\b(20\d\d)(?:-(0[1-9]|1[0-2])\b|年|\b)"
)
# Days before now, from and to, with half a day of slack for time zones.
_SPANS = {
    r"\byesterday\b|昨天|昨日": (2.5, 0.0),
    r"\btoday\b|\bthis morning\b|今天|今日": (1.5, 0.0),
    r"前天|一昨日|\bday before yesterday\b": (3.5, 1.0),
    r"\blast week\b|上周|上週|先週|\bweek ago\b": (14.5, 0.5),
    r"\blast month\b|上个月|上個月|先月|\bmonth ago\b": (62.0, 1.0),
}
