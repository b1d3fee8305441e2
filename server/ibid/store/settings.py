"""A project's settings, and the global ones beside them (A1, A5, H2)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ibid.store.folders import ensure_private

if TYPE_CHECKING:
    from ibid.store.driver import Connection

GLOBAL_FILE = "settings.json"


def load_settings(connection: Connection) -> dict[str, Any]:
    """Return the project's settings; a value that cannot be read is left out."""
    found = {}
    for name, value in connection.execute("SELECT name, value FROM setting"):
        try:
            found[name] = json.loads(value)
        except ValueError:
            continue
    return found


def find_setting(connection: Connection, name: str) -> Any:
    """Return one setting, or None."""
    row = connection.execute(
        "SELECT value FROM setting WHERE name = ?", (name,)
    ).fetchone()
    return None if row is None else json.loads(row[0])


def ensure_setting(connection: Connection, name: str, value: Any, at: int) -> None:
    """Set a setting; None removes it."""
    if value is None:
        connection.execute("DELETE FROM setting WHERE name = ?", (name,))
        return
    connection.execute(
        "INSERT OR REPLACE INTO setting (name, value, at) VALUES (?, ?, ?)",
        (name, json.dumps(value), at),
    )


def load_global(home: str) -> dict[str, Any]:
    """Return the global settings; a missing or broken file counts as empty."""
    try:
        with open(os.path.join(home, GLOBAL_FILE), encoding="utf-8") as file:
            stored = json.load(file)
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def ensure_global(home: str, name: str, value: Any) -> None:
    """Set a global setting in ``$IBID_HOME/settings.json``, atomically."""
    stored = load_global(home)
    if value is None:
        stored.pop(name, None)
    else:
        stored[name] = value
    ensure_private(home)
    path = os.path.join(home, GLOBAL_FILE)
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(stored, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(temporary, path)
