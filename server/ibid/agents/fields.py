"""Reading fields of records in which every field may be missing or of a wrong type."""

from __future__ import annotations

import posixpath
import re
from datetime import UTC, datetime
from typing import Any

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|[\\/]{2}|/|~")
_LARGEST = 2**53
_SECONDS_END = 10**11  # In seconds the year 5138, in milliseconds 1973.


def text_of(record: dict[str, Any], key: str) -> str:
    """Return the string at ``key``, or "" if there is none."""
    value = record.get(key)
    return value if type(value) is str else ""


def dict_of(record: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the object at ``key``, or an empty one."""
    value = record.get(key)
    return value if type(value) is dict else {}


def dicts_of(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in the list at ``key``; other items are left out."""
    value = record.get(key)
    if type(value) is not list:
        return []
    return [item for item in value if type(item) is dict]


def texts_of(record: dict[str, Any], key: str) -> list[str]:
    """Return the strings in the list at ``key``, or of a single string there."""
    value = record.get(key)
    if type(value) is str:
        return [value]
    if type(value) is not list:
        return []
    return [item for item in value if type(item) is str]


def count_of(record: dict[str, Any], key: str) -> int:
    """Return the whole number at ``key`` if it is one a file can count, else 0."""
    value = record.get(key)
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value < _LARGEST:
        return 0
    return value


def moment_of(record: dict[str, Any], key: str) -> int:
    """Return the time at ``key`` in milliseconds since the epoch, 0 if unknown.

    ISO 8601 texts count as UTC where they name no zone; numbers are milliseconds, or
    seconds where they are small.
    """
    value = record.get(key)
    if type(value) is str:
        try:
            when = datetime.fromisoformat(value)
            if when.tzinfo is None:
                when = when.replace(tzinfo=UTC)
            return max(0, round(when.timestamp() * 1000))
        except (ValueError, OverflowError):
            return 0
    number = count_of(record, key)
    return number * 1000 if number < _SECONDS_END else number


def join_path(folder: str, path: str) -> str:
    """Return ``path`` made absolute by ``folder``, by its text alone.

    Absolute paths (also of Windows) and paths without a known folder stay as given.
    """
    if not path or not folder or _DRIVE.match(path):
        return path
    if "\\" in folder and "/" not in folder:
        return folder.rstrip("\\") + "\\" + path
    return posixpath.normpath(posixpath.join(folder, path))
