"""What a person says about whose a folder is: linked elsewhere, or moved (S1).

The memory of a folder that was moved or renamed goes with it.  The order lets a move
that was cut short be done again: first the old path is said to belong to the new one,
then the memory says whose it is, last its folder gets its name.
"""

from __future__ import annotations

import os
from contextlib import closing

from ibid.errors import ConflictError, InputError
from ibid.store import driver, foreign, includes, registry
from ibid.store.connection import check_alone
from ibid.store.projects import (
    EMPTY,
    Project,
    project_at,
    project_of,
    write_manifest,
)

_CONTENT = ("session", "memory", "candidate", "archive")


def move_project(home: str, old: str, new: str) -> Project:
    """Let the memory of ``old`` be that of ``new``; return the project there.

    Sessions that were had at ``old`` belong to ``new`` from then on.  A memory that was
    begun at ``new`` and holds nothing is set aside.

    Raises:
        InputError: there is no memory of ``old``, or ``new`` is no project of its own.
        ConflictError: ``new`` has a memory that holds something.
        StoreBusyError: another process has one of them open.
        StoreReadOnlyError: the home cannot be written; do it again when it can.
    """
    source = _source(home, old)
    target = _target(home, source, new)
    if source.key == target.key:
        raise InputError(f"{old} and {new} are the same project already.")
    with registry.changing(home) as known:
        if not os.path.isfile(source.database):
            raise InputError(
                f"There is no memory of {source.path}. `ibid project list` names all."
            )
        check_alone(source.database)
        if os.path.isdir(target.folder):
            _set_aside(target)
        _follow(known, source.path, target.path)
        registry.store(home, known)  # Before the folder moves: a cut can come after.
        includes.follow(home, source, target)
        write_manifest(source.folder, target)
        os.rename(source.folder, target.folder)
    return target


def files_left(home: str, old: str, new: str) -> list[str]:
    """Return the note files of ``old`` that a move to ``new`` leaves behind (O1).

    Named below the project; their notes sleep until the files are below ``new``.
    Asked before the move; nothing is changed.
    """
    database, root = _source(home, old).database, os.path.realpath(new)
    if not (os.path.isfile(database) and os.path.isdir(root)):
        return []  # The move itself says what is wrong.
    return [
        one
        for one in _note_files(database)
        if not os.path.lexists(os.path.join(root, *one.split("/")))
    ]


def _note_files(database: str) -> list[str]:
    sql = "SELECT file FROM memory WHERE active = 1 AND file <> '' ORDER BY file"
    try:
        with closing(foreign.connect(database)) as connection:
            return [row[0] for row in connection.execute(sql)]
    except driver.Error:
        return []  # Whatever is wrong with it, the move itself says.


def link(home: str, path: str, target: str) -> None:
    """Let ``path`` belong to the project at ``target``; to itself: be its own project.

    Raises:
        InputError: there is no folder at ``target``.
        StoreError: the registry cannot be read or written.
    """
    if not os.path.isdir(target):
        raise InputError(
            f"No folder at {target} to belong to. Name a project's folder."
        )
    itself = os.path.realpath(path) == os.path.realpath(target)
    registry.register(home, registry.OWN if itself else registry.ALIASES, path, target)


def unlink(home: str, path: str) -> None:
    """Let ``path`` belong to where it lies.

    Raises:
        InputError: nobody said otherwise of it.
        StoreError: the registry cannot be read or written.
    """
    with registry.changing(home) as known:
        if not registry.forget(known, path):
            raise InputError(
                f"{path} was never linked. `ibid project list` says what there is."
            )


def _source(home: str, old: str) -> Project:
    """Return the project that was at ``old``, also where a link to it stands now."""
    full = os.path.abspath(old)
    above, name = os.path.split(full)
    for place in (os.path.join(os.path.realpath(above), name), full):
        found = project_at(place, home)
        if os.path.realpath(place) != place and os.path.isfile(found.database):
            return found
    return project_at(os.path.realpath(old), home)


def _target(home: str, source: Project, new: str) -> Project:
    if not os.path.isdir(new):
        raise InputError(f"No folder at {new}. Move the files first, then the memory.")
    root = project_at(os.path.realpath(new), home)
    owner = project_of(new, home)
    left = registry.load(home)[registry.ALIASES].get(root.path) == source.path
    if owner.key != root.key and not left:  # Else the folder comes back.
        raise InputError(
            f"{new} belongs to the project at {owner.path}. Name that, or make it one "
            f"of its own: `ibid project link {new} {new}`."
        )
    return root


def _set_aside(target: Project) -> None:
    if os.path.isfile(target.database):
        check_alone(target.database)
        with closing(driver.connect(target.database)) as connection:
            held = [name for name in _CONTENT if _has_rows(connection, name)]
        if held:
            raise ConflictError(
                f"{target.path} has a memory of its own, which holds something. Both "
                "stay as they are: two memories are never made one."
            )
    number = 1
    while os.path.exists(f"{target.folder}{EMPTY}{number}"):
        number += 1
    os.rename(target.folder, f"{target.folder}{EMPTY}{number}")


def _has_rows(connection: driver.Connection, table: str) -> bool:
    try:
        sql = f"SELECT 1 FROM {table} LIMIT 1"
        return connection.execute(sql).fetchone() is not None
    except driver.OperationalError:
        return False  # No such table: nothing was ever written.


def _follow(known: registry.Known, old: str, new: str) -> None:
    """Let every folder that belonged to ``old``, and itself, belong to ``new``."""
    for rows in known.values():
        for place, root in rows.items():
            if root == old:
                rows[place] = new
    for kind in (registry.OWN, registry.ALIASES):
        known[kind].pop(old, None)
    known[registry.ALIASES].pop(new, None)
    known[registry.ALIASES][old] = new
