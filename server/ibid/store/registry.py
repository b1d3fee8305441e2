"""Which folders belong to which project, where a path does not say so itself (S1).

``registry.json`` in Ibid's home holds folders that a person made their own project,
folders that belong to another one, and Git worktrees, which vanish.  Every change is
made under a lock, so that none is lost to another process.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ibid.errors import StoreCorruptError, StoreReadOnlyError
from ibid.store.folders import ensure_private, read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

REGISTRY = "registry.json"
OWN, ALIASES, WORKTREES = KINDS = ("own", "aliases", "worktrees")

Known = dict[str, dict[str, str]]
"""Kind -> folder -> root of the project that it belongs to; all real paths."""


def load(home: str) -> Known:
    """Return what is registered; a registry that cannot be read counts as empty."""
    try:
        return _read(home)
    except StoreCorruptError:
        return {kind: {} for kind in KINDS}


def register(home: str, kind: str, path: str, target: str) -> None:
    """Record that folder ``path`` belongs to the project at ``target``.

    Raises:
        StoreCorruptError: the registry is there but cannot be read; it is left as is.
        StoreBusyError, StoreReadOnlyError: it cannot be written.
    """
    with changing(home) as known:
        forget(known, path)
        known[kind][os.path.realpath(path)] = os.path.realpath(target)


def forget(known: Known, path: str) -> bool:
    """Take out what a person said of ``path``; say whether there was anything."""
    real = os.path.realpath(path)
    found = [known[kind].pop(real, None) for kind in (OWN, ALIASES)]
    return any(found)


@contextmanager
def changing(home: str) -> Iterator[Known]:
    """Give the registry to be changed, and write it if the block comes to its end.

    Raises:
        StoreCorruptError: it is there but cannot be read; it is left as it is.
        StoreBusyError, StoreReadOnlyError: it cannot be written, or the block met a
            folder that cannot.
    """
    from ibid.store.locks import exclusive  # Few calls write, all read.

    path = os.path.join(home, REGISTRY)
    try:
        ensure_private(home)
        with exclusive(path):
            known = _read(home)
            yield known
            store(home, known)
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot write {error.filename or path} ({error.strerror or error}). Make "
            "room or make it writable, then do it again."
        ) from error


def store(home: str, known: Known) -> None:
    """Write what is registered; only within `changing`.

    Raises:
        OSError: it cannot be written; what was there before is there still.
    """
    write_json(os.path.join(home, REGISTRY), known)


def _read(home: str) -> Known:
    stored = read_json(os.path.join(home, REGISTRY))
    known: Known = {}
    for kind in KINDS:
        rows = stored.get(kind)
        pairs = rows.items() if isinstance(rows, dict) else ()
        known[kind] = {str(place): str(root) for place, root in pairs}
    return known
