"""Codex: ``hooks.json``, and the MCP server in ``config.toml`` (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents.setups import (
    JSON,
    NAME,
    TIMEOUT,
    TOML,
    Entry,
    File,
    Found,
    Plan,
    at,
    hooks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.agents.setups import Where, at

EVENTS = (
    *("SessionStart", "UserPromptSubmit", "SubagentStart"),
    *("PreCompact", "PostCompact", "Stop", "SessionEnd"),
)


def plan(where: Where) -> Plan:
    """Return hooks in a file of their own, and a block at the end of the settings."""
    folder = _folder(where)
    server = where.server()
    if where.env.get("IBID_HOME"):  # Codex hands its servers next to no environment.
        server["env"] = {"IBID_HOME": where.env["IBID_HOME"]}
    events = hooks(where, "codex", dict.fromkeys(EVENTS, TIMEOUT))
    return Plan(
        (
            File(at(folder, "hooks.json"), JSON, events),
            File(
                at(folder, "config.toml"),
                TOML,
                (Entry(("mcp_servers", NAME), server),),
            ),
        ),
        (
            "Start Codex anew and trust the hooks when it asks (`/hooks`): it skips "
            "every hook that you have not trusted, and asks again after each change.",
            "Codex before 0.121 has hooks only with `hooks = true` under [features].",
            "Codex shows blocks as written by you: choose *Memory on* or *Recall only* "
            "for a session to get them (`ibid session preset`).",
        ),
    )


def found(where: Where) -> Found:
    """Return its command and folder."""
    return Found("codex", _folder(where))


def settings(where: Where, project: str) -> tuple[str, ...]:
    """Return the person's and the project's settings."""
    return (
        at(_folder(where), "config.toml"),
        at(_folder(where), "hooks.json"),
        at(project, ".codex", "config.toml"),
        at(project, ".codex", "hooks.json"),
    )


def retention(settings: Mapping[str, Any]) -> int | None:
    """Return None: Codex keeps its sessions."""
    return None


def _folder(where: Where) -> str:
    return where.under("CODEX_HOME", ".codex")
