"""Where Copilot CLI keeps its sessions, and what names and first bytes say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import APPEND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FOLDERS = frozenset({"session-state", "history-session-state"})
_EVENTS = "events.jsonl"
_HEAD = re.compile(rb'\s*\{[^\n]{0,200}"type":\s*"session\.(?:start|resume)"')
_TAIL = re.compile(rb'\s*\{"(?:type|data|id)":[^\n]*"copilotVersion":')


class TranscriptFile(NamedTuple):
    """What a file's name and place say about it."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which Copilot CLI keeps sessions, existing or not."""
    bases = [home / ".copilot"]
    if env.get("COPILOT_HOME"):
        bases.insert(0, home.__class__(env["COPILOT_HOME"]).expanduser())
    found = [base / name for base in bases for name in sorted(_FOLDERS)]
    return list(dict.fromkeys(found))


def accepts(path: Path) -> bool:
    """Say by name and place whether ``path`` is a session's events."""
    if path.name == _EVENTS:
        return path.parent.parent.name in _FOLDERS
    return path.suffix == ".jsonl" and path.parent.name in _FOLDERS


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins a session's events by another name."""
    return bool(_HEAD.match(head) or _TAIL.match(head))


def form(path: Path) -> str:
    """Return how the file is written: it is appended to."""
    del path
    return APPEND


def describe(path: Path) -> TranscriptFile:
    """Return the session that ``path`` is named after."""
    name = path.parent.name if path.name == _EVENTS else path.stem
    return TranscriptFile(name, "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: the events tell it."""
    del path, read
    return ""
