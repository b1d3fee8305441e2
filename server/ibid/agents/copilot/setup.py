"""Copilot: hooks in a file of our own, the MCP server of the command line (R3).

VS Code reads the same folder of hooks; its MCP server comes with our extension.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ibid.agents.setups import JSON, NAME, TIMEOUT, Entry, File, Found, Plan, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

EVENTS = (
    *("sessionStart", "userPromptSubmitted", "preCompact"),
    *("agentStop", "sessionEnd"),
)


def plan(where: Where) -> Plan:
    """Return hooks that name their event, which the command line does not tell."""
    folder = _folder(where)
    server = {"type": "local", **where.server(), "tools": ["*"]}
    events = [
        Entry(("hooks", event), _call(where, event), append=True) for event in EVENTS
    ]
    return Plan(
        (
            File(
                at(folder, "hooks", "ibid.json"),
                JSON,
                (Entry(("version",), 1), *events),
            ),
            File(
                at(folder, "mcp-config.json"),
                JSON,
                (Entry(("mcpServers", NAME), server),),
            ),
        ),
        (
            "Start Copilot anew; `/mcp show` lists the server.",
            "In VS Code hooks are a preview: the setting chat.useHooks must be on, and "
            "the Ibid extension brings the server.",
        ),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("copilot", _folder(where))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's and the project's settings, VS Code's too."""
    user = {
        "nt": at(where.env.get("APPDATA", ""), "Code", "User"),
        "posix": at(where.home, ".config", "Code", "User"),
    }
    mac = at(where.home, "Library", "Application Support", "Code", "User")
    return (
        at(_folder(where), "mcp-config.json"),
        at(_folder(where), "config.json"),
        at(_folder(where), "hooks", "*.json"),
        at(project, ".github", "hooks", "*.json"),
        at(project, ".vscode", "mcp.json"),
        at(user.get(os.name, user["posix"]), "mcp.json"),
        at(mac, "mcp.json"),
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return None: no limit is known."""
    return None


def _folder(where: Where) -> str:
    return where.under("COPILOT_HOME", ".copilot")


def _call(where: Where, event: str) -> dict[str, Any]:
    line = where.hook("copilot", event)
    call = f"& {line}" if line.startswith('"') else line
    return {"type": "command", "bash": line, "powershell": call, "timeoutSec": TIMEOUT}
