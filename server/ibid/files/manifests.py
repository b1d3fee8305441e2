"""What set-up wrote, noted under ``$IBID_HOME/setup``, so that it can be undone (R5).

One JSON file an agent: for each settings file its digests before and after, what was
inserted where, and what had to be made for it.  Nothing of what others wrote.
"""

from __future__ import annotations

import json
import os
from typing import Any

FOLDER = "setup"
_NEEDED = ("path", "form", "entries", "all", "before", "after", "steps", "made")


def load(home: str, agent: str) -> list[dict[str, Any]]:
    """Return what was noted of each file; nothing for an agent never set up."""
    try:
        with open(_path(home, agent), encoding="utf-8") as file:
            files = json.load(file)["files"]
        return [one for one in files if all(name in one for name in _NEEDED)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def save(home: str, agent: str, notes: list[dict[str, Any]]) -> None:
    """Write the notes of an agent, atomically and durably; none remove the file."""
    path = _path(home, agent)
    if not notes:
        if os.path.exists(path):
            os.remove(path)
        return
    if load(home, agent) == notes:
        return
    os.makedirs(os.path.dirname(home), exist_ok=True)
    for folder in (home, os.path.dirname(path)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump({"agent": agent, "files": notes}, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(descriptor)
    os.replace(temporary, path)


def written_at(home: str, agent: str) -> int | None:
    """Return when the agent was set up last, in milliseconds; None: never."""
    try:
        return int(os.stat(_path(home, agent)).st_mtime * 1000)
    except OSError:
        return None


def _path(home: str, agent: str) -> str:
    return os.path.join(home, FOLDER, f"{agent}.json")
