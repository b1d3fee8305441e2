"""Ibid's own folder in a project, ``.ibid``, and that Git does not see it (O1, R5).

``state/`` holds what Ibid writes for agents and may be deleted at any time; ``notes/``
holds a person's notes.  Each has a ``.gitignore`` with ``*``; the one of the notes goes
when the person chooses to share them.  Nothing else of the repository is touched.
"""

from __future__ import annotations

import os

from ibid.errors import InputError
from ibid.files.gate import find_file, open_folder
from ibid.files.writer import ABSENT, Written, remove_file, write_file
from ibid.text.digest import digest

FOLDER = ".ibid"
STATE = ".ibid/state"
NOTES = ".ibid/notes"
ROLES = ".ibid/roles"
IGNORE = b"*\n"


def ensure_ignored(root: str, relative: str) -> None:
    """Make a folder below ``root`` and let Git leave it alone; idempotent.

    A ``.gitignore`` that is there already stays as it is.

    Raises:
        InputError: the folder cannot be used; the message says why.
    """
    place = f"{relative}/.gitignore"
    if find_file(root, place) is None:
        write_file(root, place, IGNORE, ABSENT)


def share(root: str, relative: str) -> bool:
    """Let Git see a folder: remove our ``.gitignore``; say whether none is left.

    One that a person changed stays.
    """
    return remove_file(root, f"{relative}/.gitignore", digest(IGNORE))


def write_state(root: str, name: str, text: str) -> Written:
    """Write ``name`` below ``.ibid/state``; whatever was there is replaced.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    ensure_ignored(root, STATE)
    return write_file(root, f"{STATE}/{name}", text.encode("utf-8", "replace"))


def names_below(root: str, relative: str) -> list[str]:
    """Return the names in a folder below ``root``; none when it does not exist.

    Raises:
        InputError: the folder may not be used.
    """
    folder = open_folder(root, relative)
    if folder is None:
        return []
    with folder:
        return folder.names()


_INDEX = ".git/index"
_MOST_INDEX = 64 << 20  # Bytes; a larger index is not read.


def is_tracked(root: str, relative: str) -> bool:
    """Say whether Git may know a file; in doubt, yes.

    Its index is looked into for the path: a pull can change only what stands there.
    """
    if not os.path.lexists(os.path.join(root, ".git")):
        return False
    try:
        found = find_file(root, _INDEX, _MOST_INDEX)
    except InputError:
        return True
    if found is None:
        return os.path.isfile(os.path.join(root, ".git"))  # A worktree: not ours.
    # Version 4 cuts what paths have in common.
    if found.data[:4] != b"DIRC" or found.data[4:8] == b"\0\0\0\x04":
        return True
    return relative.encode("utf-8", "surrogateescape") + b"\0" in found.data
