"""What set-up writes for each agent, and where: pure, no file is opened here (R3, R5).

Adding an agent is adding ``ibid.agents.<agent>.setup`` and one row.  Only files in the
person's home are named: nothing of a repository is touched.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON, TOML, TEXT = "json", "toml", "text"
NAME = "ibid"  # Of our MCP server at every agent.
TIMEOUT = 5  # Seconds an agent waits for a hook at most; ours gives up after 1.5.


class Where(NamedTuple):
    """The machine that is set up."""

    home: str
    env: Mapping[str, str]
    command: tuple[str, ...]  # How Ibid is started, such as ("/usr/bin/ibid",).

    def under(self, variable: str, *parts: str) -> str:
        """Return the folder ``variable`` names, else ``parts`` below the home."""
        return self.env.get(variable, "") or at(self.home, *parts)

    def hook(self, agent: str, event: str = "") -> str:
        """Return the command line of a hook, quoted for the platform's shell."""
        words = [*self.command, "hook", agent, *([event] if event else [])]
        return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)

    def server(self) -> dict[str, Any]:
        """Return our MCP server's command as most agents write it."""
        return {"command": self.command[0], "args": [*self.command[1:], "mcp"]}


class Entry(NamedTuple):
    """A value of ours: at ``path``, or the last element of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


class File(NamedTuple):
    """One file and what of ours goes in; a `TEXT` file is ours alone."""

    path: str
    form: str
    entries: tuple[Entry, ...]


class Plan(NamedTuple):
    """What set-up does for one agent."""

    files: tuple[File, ...]
    todo: tuple[str, ...]  # What the person must still do.


class Found(NamedTuple):
    """How an agent is known on a machine."""

    program: str  # Its command.
    folder: str  # Its folder in the home.


class Setup(Protocol):
    """The module ``ibid.agents.<agent>.setup``."""

    def plan(self, where: Where) -> Plan:
        """Return what to write where, and what is left to the person."""
        ...

    def found(self, where: Where) -> Found:
        """Return by what the agent is known."""
        ...

    def settings(self, where: Where, project: str) -> tuple[str, ...]:
        """Return the files in which hooks, MCP servers and plugins are named."""
        ...

    def retention(self, settings: Mapping[str, Any]) -> int | None:
        """Return after how many days the agent deletes sessions; None: never."""
        ...


def at(*parts: str) -> str:
    """Return the path that ``parts`` make."""
    return str(PurePath(*parts))


_MODULES = {
    "claude-code": "ibid.agents.claude_code.setup",
    "codex": "ibid.agents.codex.setup",
    "gemini": "ibid.agents.gemini.setup",
    "opencode": "ibid.agents.opencode.setup",
    "copilot": "ibid.agents.copilot.setup",
    "cursor": "ibid.agents.cursor.setup",
}

AGENTS = tuple(_MODULES)
EDITORS = ("nvim", "vscode")


def load_setup(agent: str) -> Setup:
    """Return the set-up module of ``agent``.

    Raises:
        InputError: there is none.
    """
    if agent not in _MODULES:
        known = ", ".join((*AGENTS, *EDITORS))
        raise InputError(f"No set-up for {agent!r}. There are: {known}.")
    module: Any = import_module(_MODULES[agent])
    return module  # type: ignore[no-any-return]


def editor(name: str) -> tuple[str, ...]:
    """Return what to do in an editor; its own configuration is the person's."""
    if name == "nvim":
        return (
            "Put the folder client-nvim of Ibid's sources on the runtime path, such as "
            "by your plugin manager.",
            "Add to your init.lua: vim.lsp.enable('ibid')",
            "Then :checkhealth ibid says whether all is well, and :help ibid how on.",
        )
    return (
        "Build the extension: cd client-vscode && npm ci && npm run package",
        "Install it: code --install-extension ibid.vsix",
        "It finds `ibid` on the PATH; else name it in the setting ibid.server.path.",
    )


def hooks(where: Where, agent: str, events: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Return hooks in Claude Code's form, which others took over; event -> timeout."""
    return tuple(
        Entry(
            ("hooks", event),
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": where.hook(agent),
                        "timeout": timeout,
                    }
                ]
            },
            append=True,
        )
        for event, timeout in events.items()
    )
