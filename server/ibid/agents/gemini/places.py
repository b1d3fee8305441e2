"""Where Gemini CLI keeps its sessions, and what names and first bytes say."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.fields import dict_of
from ibid.agents.registry import WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

_CHATS = "chats"
_SUFFIXES = frozenset({".json", ".jsonl"})
_KEYS = (b'"sessionId"', b'"projectHash"')
_OTHER_KEYS = (b'"lastUpdated"', b'"messages"')
_TYPED = re.compile(rb'"type":\s*"(?:gemini|user|info)"')
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:\\)[^\s\"'`<>|:*?\n]{2,400}")
_ANCESTORS = 400  # Folders that are tried against the project's hash.


class TranscriptFile(NamedTuple):
    """What a file's name and place say about it."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which Gemini CLI keeps sessions, existing or not."""
    base = home.__class__(env["GEMINI_CLI_HOME"]) if _set(env) else home
    return [base / ".gemini" / "tmp" / "*" / _CHATS]


def accepts(path: Path) -> bool:
    """Say by name and place whether ``path`` is a session, or a subagent's."""
    if path.suffix not in _SUFFIXES:
        return False
    if path.parent.name == _CHATS:
        return path.name.startswith("session-")
    return path.parent.parent.name == _CHATS and ".gemini" in path.parts


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins a session by another name."""
    if not head.lstrip().startswith(b"{"):
        return False
    if all(key in head for key in _KEYS):
        return True
    return all(key in head for key in _OTHER_KEYS) and bool(_TYPED.search(head))


def form(path: Path) -> str:
    """Return how the file is written: anew, also where its lines look appended."""
    del path
    return WHOLE


def describe(path: Path) -> TranscriptFile:
    """Return the session and the subagent that ``path`` is named after."""
    if path.parent.parent.name == _CHATS:
        return TranscriptFile(path.parent.name, path.stem)
    return TranscriptFile("", "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return the project's folder, as a file in the sessions' folder names it."""
    chats = next((one for one in path.parents if one.name == _CHATS), None)
    if chats is None:
        return ""
    place = chats.parent
    named = read(place / ".project_root").strip()
    if named:
        return named
    try:
        known = json.loads(read(place.parent.parent / "projects.json") or "{}")
    except (ValueError, RecursionError):
        return ""
    projects: dict[str, Any] = dict_of(known, "projects") if type(known) is dict else {}
    for folder, slug in projects.items():
        if place.name in (slug, hash_of(folder)):
            return folder
    return ""


def folder_with(project: str, texts: Iterable[str]) -> str:
    """Return the folder whose hash is ``project``, among paths in ``texts``."""
    tried: set[str] = set()
    for text in texts:
        for match in _ABSOLUTE.finditer(text):
            path = match[0]
            separator = "/" if path.startswith("/") else "\\"
            while separator in path.rstrip(separator)[1:] and path not in tried:
                if len(tried) >= _ANCESTORS:
                    return ""
                tried.add(path)
                if hash_of(path) == project:
                    return path
                path = path.rpartition(separator)[0]
    return ""


def hash_of(folder: str) -> str:
    """Return the name that Gemini CLI gives a project by its folder."""
    return hashlib.sha256(folder.encode("utf-8", "replace")).hexdigest()


def _set(env: Mapping[str, str]) -> bool:
    return bool(env.get("GEMINI_CLI_HOME"))
