"""A project's settings, and the global ones beside them (A1, A5, H2)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ibid.errors import StoreCorruptError
from ibid.store.folders import ensure_private, read_json, write_json

if TYPE_CHECKING:
    from ibid.store.driver import Connection

GLOBAL_FILE = "settings.json"
INDEXED = "index"  # How the index was made; missing while rows may not be in it.


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
        return read_json(os.path.join(home, GLOBAL_FILE))
    except StoreCorruptError:
        return {}


def ensure_global(home: str, name: str, value: Any) -> None:
    """Set a global setting in ``$IBID_HOME/settings.json``; None removes it.

    Raises:
        StoreCorruptError: the file is there but cannot be read; it is left as it is.
        StoreBusyError, StoreReadOnlyError, OSError: it cannot be written.
    """
    from ibid.store.locks import exclusive  # Few calls write, all read.

    path = os.path.join(home, GLOBAL_FILE)
    ensure_private(home)
    with exclusive(path):
        stored = read_json(path)
        stored.pop(name, None)
        if value is not None:
            stored[name] = value
        write_json(path, stored)
