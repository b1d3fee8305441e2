"""Folders and small files that only their owner may read."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

from ibid.errors import StoreCorruptError


def ensure_private(folder: str) -> None:
    """Make a folder and those above it that are missing, each with mode 0700.

    ``os.makedirs`` gives its mode to the last one only.

    Raises:
        OSError: one cannot be made.
    """
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        ensure_private(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def read_json(path: str) -> dict[str, Any]:
    """Return the object that a file holds; nothing when there is no file.

    Raises:
        StoreCorruptError: it is there, but no JSON object can be read from it.
    """
    try:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from error
    if not isinstance(stored, dict):
        raise _unreadable(path, "it is no JSON object")
    return stored


def _unreadable(path: str, why: str) -> StoreCorruptError:
    return StoreCorruptError(
        f"{path} cannot be read ({why}). Mend it or move it away; until then nothing "
        "is changed in it."
    )


def write_json(path: str, value: object) -> None:
    """Write a file atomically, readable by its owner only.

    Raises:
        OSError: it cannot be written; what was there before is there still.
    """
    ensure_private(os.path.dirname(path))
    temporary = f"{path}.{os.getpid()}-{threading.get_ident()}.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
