"""The rivals found when a face last started: ``$IBID_HOME/rivals.json`` (Q1).

Looking through settings costs more than a hook has, so recall only reads this.  One
list for the machine and one a project, by its key; which is allowed is a setting.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ibid.store.folders import ensure_private

FILE = "rivals.json"
ALLOW = "allow:"  # + the rival's name: a setting, the moment it was allowed at.


def record(home: str, project: str, machine: list[str], own: list[str]) -> None:
    """Note the active rivals of the machine and of a project; idempotent.

    Raises:
        OSError: the file cannot be written.
    """
    known = _load(home)
    projects = {key: rows for key, rows in known["projects"].items() if key != project}
    if own:
        projects[project] = sorted(own)
    made = {"machine": sorted(machine), "projects": projects}
    if made == known:
        return
    ensure_private(home)
    path = os.path.join(home, FILE)
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(made, file)
    os.replace(temporary, path)


def load(home: str, project: str) -> list[str]:
    """Return the names of the rivals that were active beside a project."""
    known = _load(home)
    return sorted({*known["machine"], *known["projects"].get(project, ())})


def _load(home: str) -> dict[str, Any]:
    empty: dict[str, Any] = {"machine": [], "projects": {}}
    try:
        with open(os.path.join(home, FILE), encoding="utf-8") as file:
            stored = json.load(file)
        return {
            "machine": [str(one) for one in stored["machine"]],
            "projects": {
                str(key): [str(one) for one in rows]
                for key, rows in stored["projects"].items()
            },
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return empty
