"""Where Codex keeps its rollouts, and what their names and first bytes say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import APPEND, PACKED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_ROLLOUT = re.compile(
    r"rollout-.*?(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\.jsonl(?:\.zst)?",
    re.IGNORECASE,
)
_HEAD = re.compile(
    rb'\s*\{[^{}]{0,200}"type":\s*"(?:session_meta|response_item|event_msg|turn_context'
    rb'|compacted)",\s*"payload":'
)
_BARE_HEAD = re.compile(
    rb'\s*\{"id":\s*"[0-9a-f-]{36}",\s*"timestamp":\s*"[^"]{1,40}",'
    rb'\s*"(?:instructions|git)":'
)


class TranscriptFile(NamedTuple):
    """What a rollout's name says: its thread.  Its scope stands in its records."""

    session: str
    scope: str


def roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders in which Codex keeps rollouts, existing or not."""
    base = home / ".codex"
    found = [base]
    if env.get("CODEX_HOME"):
        found.insert(0, base.__class__(env["CODEX_HOME"]).expanduser())
    folders = [
        folder / name for folder in found for name in ("sessions", "archived_sessions")
    ]
    return list(dict.fromkeys(folders))


def accepts(path: Path) -> bool:
    """Say by name alone whether ``path`` is a rollout, packed or not."""
    return _ROLLOUT.fullmatch(path.name) is not None


def sniff(head: bytes) -> bool:
    """Say whether a file that begins with ``head`` is a rollout by another name."""
    return bool(_HEAD.match(head) or _BARE_HEAD.match(head))


def form(path: Path) -> str:
    """Return how the file is written: appended to, or packed once it is cold."""
    return PACKED if path.suffix == ".zst" else APPEND


def describe(path: Path) -> TranscriptFile:
    """Return the thread that ``path`` is named after; "" unknown."""
    match = _ROLLOUT.fullmatch(path.name)
    name = path.name.removesuffix(".zst").removesuffix(".jsonl")
    return TranscriptFile((match and match["id"]) or name, "")


def folder_of(path: Path, read: Callable[[Path], str]) -> str:
    """Return no folder: the records tell it."""
    del path, read
    return ""
