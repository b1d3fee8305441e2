"""Words that lenses, hovers and documents share: names, days, how long ago (R4).

Pure; what comes from a transcript is made harmless here: a lens shows an icon for
``$(name)``, and nothing of it is escaped.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ibid.text.clean import one_line

_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000
_AGENTS = {
    "claude-code": "Claude",
    "codex": "Codex",
    "gemini": "Gemini",
    "copilot": "Copilot",
    "vscode-copilot": "Copilot",
    "cursor": "Cursor",
}
_LONGEST = 24


def agent_name(agent: str) -> str:
    """Return what people call an agent.

    >>> agent_name("claude-code"), agent_name("$(bug)\u202ex"), agent_name("")
    ('Claude', 'bugx', 'An agent')
    """
    known = _AGENTS.get(agent)
    return known or re.sub(r"[^\w. -]", "", one_line(agent))[:_LONGEST] or "An agent"


def ago(at: int, now: int) -> str:
    """Return how long ago a moment was; what lies ahead is just now.

    >>> ago(0, 90_000), ago(5, 7_200_005), ago(0, 86_400_000), ago(9, 1)
    ('1 min ago', '2 h ago', '1 day ago', 'just now')
    """
    passed = max(0, now - at)
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{passed // _MINUTE} min ago"
    if passed < _DAY:
        return f"{passed // _HOUR} h ago"
    days = passed // _DAY
    return f"{days} day{'s' if days > 1 else ''} ago"


def short_date(at: int, now: int) -> str:
    """Return a day as ``2 Apr``, in UTC, with the year when it is not this one."""
    try:
        day = datetime.fromtimestamp(at / 1000, UTC)
        year = datetime.fromtimestamp(now / 1000, UTC).year
    except (OverflowError, OSError, ValueError):
        return "undated"
    shown = f"{day.day} {day.strftime('%b')}"
    return shown if day.year == year else f"{shown} {day.year}"


def times(uses: int) -> str:
    """Return how often something was recalled."""
    return "recalled once" if uses == 1 else f"recalled {uses} times"


def counted(count: int, noun: str) -> str:
    """Return ``1 item``, ``2 items``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
