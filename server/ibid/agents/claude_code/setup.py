"""Claude Code: hooks in ``settings.json``, the MCP server in ``.claude.json`` (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents.setups import JSON, NAME, TIMEOUT, Entry, File, Found, Plan, at, hooks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

EVENTS = (
    *("SessionStart", "UserPromptSubmit", "SubagentStart"),
    *("PreCompact", "PostCompact", "Stop", "SessionEnd"),
)
KEEPS = 30  # Days, unless settings say otherwise.


def plan(where: Where) -> Plan:
    """Return hooks for every session of this person, and the tools on demand."""
    server = {"type": "stdio", **where.server()}
    return Plan(
        (
            File(
                at(_folder(where), "settings.json"),
                JSON,
                hooks(where, "claude-code", dict.fromkeys(EVENTS, TIMEOUT)),
            ),
            File(_state(where), JSON, (Entry(("mcpServers", NAME), server),)),
        ),
        (
            "Start Claude Code anew: running sessions keep their old hooks.",
            "Claude Code runs hooks only in folders you trust: where it asks, say yes.",
            "A project that names servers in .mcp.json asks for your approval once; "
            "`/mcp` and `/hooks` show what is loaded.",
        ),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("claude", _folder(where))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's, the project's and the managed settings."""
    folder = _folder(where)
    return (
        at(folder, "settings.json"),
        at(folder, "settings.local.json"),
        _state(where),
        at(project, ".claude", "settings.json"),
        at(project, ".claude", "settings.local.json"),
        at(project, ".mcp.json"),
        "/etc/claude-code/managed-settings.json",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return ``cleanupPeriodDays``; nobody keeps them for ever."""
    days = settings.get("cleanupPeriodDays")
    return days if type(days) is int and days > 0 else KEEPS


def _folder(where: Where) -> str:
    return where.under("CLAUDE_CONFIG_DIR", ".claude")


def _state(where: Where) -> str:
    """Return the file that holds the servers of all projects."""
    above = where.env.get("CLAUDE_CONFIG_DIR", "") or where.home
    return at(above, ".claude.json")
