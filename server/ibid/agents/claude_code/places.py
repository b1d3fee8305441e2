"""Where Claude Code keeps its transcripts, and what their names say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import APPEND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_AGENT_FILE = re.compile(r"agent-(?P<id>.+)")
# Subagents that the harness runs for itself: their talk is nobody's work.
_INTERNAL = re.compile(
    r"a?(?:compact|prompt_suggestion|side_question|session_memory|extract_memories"
    r"|magic_docs|speculation|auto_dream)(?:-|$)"
)
_OTHERS = re.compile(r"(?:history|journal|sessions-index)$|rollout-|.*\.ibid$")
_DESKTOP = "local-agent-mode-sessions"


class TranscriptFile(NamedTuple):
    """What a file's name and place say about it; "" is not known."""

    session: str
    scope: str
    internal: bool = False  # A summariser's file: to be left alone.


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which Claude Code keeps transcripts, existing or not.

    These are the command line's project folders and the desktop application's own.
    """
    configured = [
        Path(folder.strip()).expanduser()
        for folder in env.get("CLAUDE_CONFIG_DIR", "").split(",")
        if folder.strip()
    ]
    config = Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else None
    config = config or home / ".config"
    found = [folder / "projects" for folder in configured]
    found += [home / ".claude" / "projects", config / "claude" / "projects"]
    found += [
        config / "Claude" / _DESKTOP,
        home / "Library" / "Application Support" / "Claude" / _DESKTOP,
    ]
    if env.get("APPDATA"):
        found.append(Path(env["APPDATA"]) / "Claude" / _DESKTOP)
    if env.get("LOCALAPPDATA"):
        package = Path(env["LOCALAPPDATA"], "Packages", "Claude_pzs8sxrjxfjjc")
        found.append(package / "LocalCache" / "Roaming" / "Claude" / _DESKTOP)
    return list(dict.fromkeys(found))


def accepts(path: Path) -> bool:
    """Say by name alone whether ``path`` is a transcript to be read.

    Sessions and subagents are; the summarisers' files, the prompt history and other
    agents' files are not.
    """
    if path.suffix != ".jsonl" or _OTHERS.match(path.stem):
        return False
    return not describe(path).internal


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins one of its files: it gets what no other knows."""
    del head
    return False


def form(path: Path) -> str:
    """Return how the file is written: it is appended to."""
    del path
    return APPEND


def describe(path: Path) -> TranscriptFile:
    """Return the session and the subagent that ``path`` is named after."""
    stem = path.stem
    agent = _AGENT_FILE.fullmatch(stem)
    if not agent:
        return TranscriptFile(stem, "")
    scope = agent["id"]
    return TranscriptFile(
        _parent_session(path), scope, internal=bool(_INTERNAL.match(scope))
    )


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: the records tell it."""
    del path, read
    return ""


def is_session_id(text: str) -> bool:
    """Say whether ``text`` looks like one of Claude Code's session ids."""
    return _UUID.fullmatch(text) is not None


def _parent_session(path: Path) -> str:
    """Return the session whose folder holds the subagent's file ``path``, or ""."""
    for folder in path.parents:
        if folder.name == "subagents":
            return folder.parent.name
    return ""
