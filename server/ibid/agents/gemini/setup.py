"""Gemini CLI: hooks and the MCP server in ``settings.json`` (R3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ibid.agents.setups import JSON, NAME, TIMEOUT, Entry, File, Found, Plan, at, hooks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

EVENTS = ("SessionStart", "BeforeAgent", "PreCompress", "AfterAgent", "SessionEnd")
KEEPS = 30  # Days, unless settings say otherwise.

_AGE = re.compile(r"(\d+)([hdwm])")
_HOURS = {"h": 1, "d": 24, "w": 168, "m": 720}


def plan(where: Where) -> Plan:
    """Return hooks, whose time-outs are milliseconds there, and the server."""
    events = hooks(where, "gemini", dict.fromkeys(EVENTS, TIMEOUT * 1000))
    server = Entry(("mcpServers", NAME), where.server())
    path = at(_folder(where), "settings.json")
    return Plan(
        (File(path, JSON, (*events, server)),),
        ("Start Gemini CLI anew; `/hooks` and `/mcp` show what is loaded.",),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("gemini", _folder(where))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's, the project's and the system's settings."""
    return (
        at(_folder(where), "settings.json"),
        at(project, ".gemini", "settings.json"),
        "/etc/gemini-cli/settings.json",
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return ``general.sessionRetention``; None when it is switched off."""
    general = settings.get("general")
    kept = general.get("sessionRetention") if isinstance(general, dict) else None
    if not isinstance(kept, dict):
        return KEEPS
    if kept.get("enabled") is False:
        return None
    match = _AGE.fullmatch(str(kept.get("maxAge", "")))
    return max(1, int(match[1]) * _HOURS[match[2]] // 24) if match else KEEPS


def _folder(where: Where) -> str:
    return at(where.env.get("GEMINI_CLI_HOME", "") or where.home, ".gemini")
