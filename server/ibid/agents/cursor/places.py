"""Where Cursor keeps agent transcripts, and what names and first bytes say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import APPEND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_FOLDER = "agent-transcripts"
_SUBAGENTS = "subagents"
_HEAD = re.compile(
    rb'\s*\{"role":\s*"(?:user|assistant)",\s*"message":\s*\{"content":\s*\['
)
_ABSOLUTE = re.compile(r"(?:/|[A-Za-z]:\\)[^\s\"'`<>|:*?\n]{2,400}")
_NO_LETTER = re.compile(r"[^A-Za-z0-9]+")
_ANCESTORS = 200  # Folders that are tried against the project's name.


class TranscriptFile(NamedTuple):
    """What a file's name and place say about it."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which Cursor keeps agent transcripts, existing or not."""
    del env
    return [home / ".cursor" / "projects" / "*" / _FOLDER]


def accepts(path: Path) -> bool:
    """Say by name and place whether ``path`` is an agent transcript."""
    return path.suffix == ".jsonl" and _FOLDER in path.parts[-5:-1]


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins a transcript by another name."""
    return _HEAD.match(head) is not None


def form(path: Path) -> str:
    """Return how the file is written: it is appended to."""
    del path
    return APPEND


def describe(path: Path) -> TranscriptFile:
    """Return the session and the subagent that ``path`` is named after."""
    if path.parent.name == _SUBAGENTS:
        return TranscriptFile(path.parent.parent.name, path.stem)
    return TranscriptFile(path.stem, "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: no file beside names it."""
    del path, read
    return ""


def project_of(path: Path) -> str:
    """Return the name that Cursor gave the project of ``path``, or ""."""
    parts = path.parts
    place = parts.index(_FOLDER) if _FOLDER in parts else 0
    return parts[place - 1] if place > 0 else ""


def folder_with(project: str, text: str) -> str:
    """Return the folder that Cursor names ``project``, among paths in ``text``."""
    tried = 0
    for match in _ABSOLUTE.finditer(text):
        path = match[0]
        separator = "/" if path.startswith("/") else "\\"
        while path and tried < _ANCESTORS:
            tried += 1
            if _NO_LETTER.sub("-", path).strip("-") == project:
                return path
            path = path.rpartition(separator)[0]
    return ""
