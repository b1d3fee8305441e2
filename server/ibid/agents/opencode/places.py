"""Where opencode keeps its sessions, and what names and first bytes say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import DATABASE, WHOLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DATABASE = re.compile(r"opencode(?:-[\w.]+)?\.db")
_EXPORT = re.compile(r"(ses_\w+)\.json")
_HEAD = re.compile(rb'\s*\{\s*"info":\s*\{\s*"id":\s*"ses_')


class TranscriptFile(NamedTuple):
    """What an export's name says."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return its databases and their logs, existing or not.

    Beside them lie large folders that nobody needs to look at.
    """
    data = [home / ".local" / "share" / "opencode"]
    if env.get("XDG_DATA_HOME"):
        data.insert(0, Path(env["XDG_DATA_HOME"]) / "opencode")
    database = Path(env.get("OPENCODE_DB", ""))
    if database.is_absolute():
        data.insert(0, database.parent)
    names = ("opencode*.db", "opencode*.db-wal")
    return [folder / name for folder in dict.fromkeys(data) for name in names]


def accepts(path: Path) -> bool:
    """Say by name alone whether ``path`` is its database or an exported session."""
    return bool(_DATABASE.fullmatch(path.name) or _EXPORT.fullmatch(path.name))


def sniff(head: bytes) -> bool:
    """Say whether ``head`` begins an exported session."""
    return _HEAD.match(head) is not None


def form(path: Path) -> str:
    """Return how the file is written: a database, or an export as a whole."""
    return DATABASE if path.suffix == ".db" else WHOLE


def describe(path: Path) -> TranscriptFile:
    """Return the session that an export is named after; "" unknown."""
    match = _EXPORT.fullmatch(path.name)
    return TranscriptFile(match[1] if match else "", "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: each session names its own."""
    del path, read
    return ""
