"""Where VS Code keeps chat sessions, and what names, places and first bytes say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from ibid.agents.fields import text_of
from ibid.agents.registry import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_SERVERS = (".vscode-server", ".vscode-server-insiders")
_SESSIONS = "chatSessions"
_EMPTY = "emptyWindowChatSessions"
_SUFFIXES = frozenset({".json", ".jsonl"})
_HEAD = re.compile(rb'\s*\{[^\n]{0,20}\s*"(?:requesterUsername|responderUsername)":')
_STORED = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"(?:requester|responder)Username"')
_LOG = re.compile(rb'\s*\{"kind":\s*0,\s*"v":\s*\{')
_LOG_KEYS = (b'"requests"', b'"sessionId"', b'"creationDate"')
_DRIVE = re.compile(r"/([A-Za-z]:/)")


class TranscriptFile(NamedTuple):
    """What a session's file is named after."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which VS Code keeps chat sessions, existing or not."""
    bases = [
        config / name
        for config in (
            home / ".config",
            home / "Library" / "Application Support",
            *([home.__class__(env["APPDATA"])] if env.get("APPDATA") else ()),
        )
        for name in _EDITORS
    ]
    bases += [home / name / "data" for name in _SERVERS]
    if env.get("VSCODE_PORTABLE"):
        bases.append(home.__class__(env["VSCODE_PORTABLE"]) / "user-data")
    found: list[Path] = []
    for base in bases:
        user = base / "User"
        found.append(user / "workspaceStorage" / "*" / _SESSIONS)
        found.append(user / "globalStorage" / _EMPTY)
    return found


def accepts(path: Path) -> bool:
    """Say by place alone whether ``path`` is a stored chat session."""
    return path.suffix in _SUFFIXES and path.parent.name in {_SESSIONS, _EMPTY}


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins an exported chat, or a stored one elsewhere."""
    if _LOG.match(head):
        return any(key in head for key in _LOG_KEYS)
    return bool(_HEAD.match(head) or _STORED.match(head))


def form(path: Path) -> str:
    """Return how the file is written: anew, also where changes are appended."""
    del path
    return WHOLE


def describe(path: Path) -> TranscriptFile:
    """Return the session that ``path`` is named after; "" unknown."""
    return TranscriptFile(path.stem if accepts(path) else "", "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return the folder that the window had open, as VS Code notes beside it."""
    if path.parent.name != _SESSIONS:
        return ""
    try:
        noted = json.loads(read(path.parent.parent / "workspace.json") or "{}")
    except (ValueError, RecursionError):
        return ""
    if type(noted) is not dict:
        return ""
    folder = text_of(noted, "folder")
    if folder:
        return path_of(folder)
    return path_of(text_of(noted, "workspace")).rpartition("/")[0]


def path_of(uri: str) -> str:
    """Return the path that a URI names, on this machine or on a remote one."""
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        return ""
    drive = _DRIVE.match(path)
    return path[1:] if drive else path
