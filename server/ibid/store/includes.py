"""Which projects a person lets another one's recall use (S2).

``includes.json`` in Ibid's home holds one row for each pair that ever was.  A pair that
was taken off the list stays as one that is off: receipts of the reader may still hold
words of the other, which a later deletion there has to find (I2, K3).  While nobody
ever listed anything there is no such file.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ibid.errors import (
    AmbiguousError,
    InputError,
    NotFoundError,
    StoreCorruptError,
    StoreReadOnlyError,
)
from ibid.store import projects
from ibid.store.folders import ensure_private, read_json, write_json

# A prompt waits for each of them.
MOST = 8

_ROWS = "includes"


class Include(NamedTuple):
    """The project at ``reader`` may recall from the one at ``other``, if ``on``."""

    reader: str
    reader_key: str
    other: str
    other_key: str
    on: bool


def included(home: str, key: str) -> list[str]:
    """Return the roots whose memory the project ``key`` recalls from, in order.

    A file that cannot be read counts as empty: recall goes on without (G7).
    """
    try:
        rows = load(home)
    except StoreCorruptError:
        return []
    return [one.other for one in rows if one.on and one.reader_key == key]


def readers(home: str, key: str) -> list[str]:
    """Return the roots of all that ever recalled from the project ``key`` (K3).

    Raises:
        StoreCorruptError: the file is there but cannot be read.
    """
    return [one.reader for one in load(home) if one.other_key == key]


def is_there(home: str, root: str) -> bool:
    """Say whether an included root is still a project with a memory."""
    project = projects.project_at(root, home)
    owner = projects.project_of(root, home)
    return owner.key == project.key and os.path.isfile(project.database)


def change(home: str, reader: projects.Project, name: str, on: bool) -> str:
    """Let ``reader`` recall from the project called ``name``, or no more; a person's.

    ``name`` is a path in it, or its name in the list of projects.  Returns its root.

    Raises:
        InputError: it is the reader itself, or too many are listed.
        NotFoundError, AmbiguousError: no project with a memory, or several, are meant;
            when it is to be removed, none of those that are listed.
        StoreCorruptError: the file is there but cannot be read; it is left as it is.
        StoreBusyError, StoreReadOnlyError: it cannot be written.
    """
    from ibid.store.locks import exclusive  # Few calls write, all read.

    other = _wanted(home, reader, name) if on else _listed(home, reader, name)
    path = os.path.join(home, projects.INCLUDES)
    try:
        ensure_private(home)
        with exclusive(path):
            _store(home, _changed(load(home), reader, other, on))
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot write {error.filename or path} ({error.strerror or error}). Make "
            "room or make it writable, then do it again."
        ) from error
    return other.path


def _changed(
    rows: list[Include], reader: projects.Project, other: projects.Project, on: bool
) -> list[Include]:
    listed = [one for one in rows if one.on and one.reader_key == reader.key]
    known = any(one.other_key == other.key for one in listed)
    if on and not known and len(listed) >= MOST:
        raise InputError(
            f"{reader.path} recalls from {MOST} projects already, and each prompt waits"
            " for all. Take one off first: `ibid project include NAME --remove`."
        )
    new = Include(reader.path, reader.key, other.path, other.key, on)
    pair = (reader.key, other.key)
    rest = [one for one in rows if (one.reader_key, one.other_key) != pair]
    return [*rest, new]


# -- who is meant ------------------------------------------------------------------


def _wanted(home: str, reader: projects.Project, name: str) -> projects.Project:
    """Return the project with a memory that a person means."""
    found = _named(projects.list_projects(home), name)
    if found is None:
        found = projects.project_of(os.path.expanduser(name), home)
    if found.key == reader.key:
        raise InputError(
            f"{name} is the project {found.path} itself. Name another project."
        )
    if not os.path.isfile(found.database):
        raise NotFoundError(
            f"There is no memory of {found.path}. `ibid project list` names all that "
            "there are; `ibid import --project DIR` makes one."
        )
    return found


def _listed(home: str, reader: projects.Project, name: str) -> projects.Project:
    """Return the listed project that a person means, also one that is no more."""
    rows = [
        projects.project_at(root, home) for root in included(home, reader.key)
    ]  # By its path as it was listed, for its folder may be gone.
    found = _named(rows, name)
    if found is None:
        root = projects.project_of(os.path.expanduser(name), home).key
        full = os.path.realpath(os.path.expanduser(name))
        found = next((one for one in rows if one.key in (root, full)), None)
    if found is None:
        raise NotFoundError(
            f"{reader.path} does not recall from {name}. `ibid project list` says what "
            "each project recalls from."
        )
    return found


def _named(rows: list[projects.Project], name: str) -> projects.Project | None:
    """Return the one project of that name; a path is no name."""
    found = [one for one in rows if one.name == name]
    if len(found) > 1:
        shown = ", ".join(one.path for one in found)
        raise AmbiguousError(f"{name!r} is the name of several: {shown}. Give a path.")
    return found[0] if found else None


# -- the file ----------------------------------------------------------------------


def follow(home: str, old: projects.Project, new: projects.Project) -> None:
    """Let what is said of ``old`` hold for ``new``, where its folder was moved (S1).

    Raises:
        StoreCorruptError: the file is there but cannot be read; it is left as it is.
        OSError: it cannot be written.
    """
    from ibid.store.locks import exclusive

    path = os.path.join(home, projects.INCLUDES)
    if not os.path.exists(path):
        return
    with exclusive(path):
        rows = [_moved(one, old, new) for one in load(home)]
        pairs = {(one.reader_key, one.other_key): one for one in rows}
        _store(home, [one for pair, one in pairs.items() if pair[0] != pair[1]])


def _moved(one: Include, old: projects.Project, new: projects.Project) -> Include:
    if one.reader_key == old.key:
        one = one._replace(reader=new.path, reader_key=new.key)
    if one.other_key == old.key:
        one = one._replace(other=new.path, other_key=new.key)
    return one


def load(home: str) -> list[Include]:
    """Return every pair that ever was; what is no pair is left out.

    Raises:
        StoreCorruptError: the file is there but cannot be read.
    """
    stored = read_json(os.path.join(home, projects.INCLUDES)).get(_ROWS)
    found = []
    for row in stored if isinstance(stored, list) else ():
        try:
            pair = Include(**row)
        except TypeError:
            continue
        if all(isinstance(one, str) for one in pair[:4]):
            found.append(pair)
    return found


def _store(home: str, rows: list[Include]) -> None:
    told = {_ROWS: [one._asdict() for one in rows]}
    write_json(os.path.join(home, projects.INCLUDES), told)
