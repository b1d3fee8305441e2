"""Cursor: ``hooks.json`` and ``mcp.json`` (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents.setups import JSON, NAME, Entry, File, Found, Plan, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

EVENTS = ("sessionStart", "beforeSubmitPrompt", "preCompact", "stop", "sessionEnd")


def plan(where: Where) -> Plan:
    """Return hooks and the server; the file of the hooks names its version."""
    folder = at(where.home, ".cursor")
    call = {"command": where.hook("cursor")}
    events = [Entry(("hooks", event), call, append=True) for event in EVENTS]
    return Plan(
        (
            File(
                at(folder, "hooks.json"),
                JSON,
                (Entry(("version",), 1), *events),
            ),
            File(
                at(folder, "mcp.json"),
                JSON,
                (Entry(("mcpServers", NAME), where.server()),),
            ),
        ),
        (
            "Restart Cursor; Settings → Hooks shows what ran, Settings → MCP the "
            "server, which you may have to switch on there.",
            "Cursor takes a block at the start of a session only, and not every "
            "version does.",
        ),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("cursor-agent", at(where.home, ".cursor"))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's and the project's settings."""
    return tuple(
        at(above, ".cursor", name)
        for above in (where.home, project)
        for name in ("hooks.json", "mcp.json")
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return None: no limit is known."""
    return None
