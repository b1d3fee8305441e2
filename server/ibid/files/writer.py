"""Write a file of the workspace so that nobody's words are ever lost (R5).

Into a temporary file of the same folder, flushed to the disk, then renamed.  A file
that is not what was last written by Ibid is somebody's: what was to be written goes
beside it as a conflict copy.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from ibid.errors import InputError
from ibid.files.gate import MOST_BYTES, Folder, open_folder
from ibid.text.digest import digest

ABSENT = ""  # The expected digest of a file that must not exist yet.


class Written(NamedTuple):
    """What became of a write: where the bytes are, and whether beside the target."""

    relative: str
    digest: str
    conflict: bool = False
    changed: bool = True


def write_file(
    root: str,
    relative: str,
    data: bytes,
    expected: str | None = None,
    most: int = MOST_BYTES,
) -> Written:
    """Write ``data`` to ``relative`` below ``root``, its folders made.

    ``expected`` is the digest of what is there as far as the caller knows, `ABSENT`
    for nothing; None replaces whatever is there.  What is there may have at most
    ``most`` bytes.

    Raises:
        InputError: the path is refused, or the disk; nothing was changed.
    """
    above, _, name = relative.rpartition("/")
    folder = open_folder(root, above, make=True)
    assert folder is not None
    with folder:
        new = digest(data)
        now = _now(folder, name, most)
        if now == new:
            return Written(relative, new, changed=False)
        conflict = expected is not None and now != expected
        target = conflict_name(name, new) if conflict else name
        try:
            _replace(folder, target, data, None if conflict else expected, most)
        except _ChangedError:
            conflict, target = True, conflict_name(name, new)
            _replace(folder, target, data, None, most)
        except OSError as error:
            raise InputError(
                f"Cannot write {os.path.join(folder.path, name)}: {error.strerror}. "
                "Nothing was changed there."
            ) from error
        where = f"{above}/{target}" if above else target
        return Written(where, new, conflict)


def remove_file(
    root: str, relative: str, expected: str, most: int = MOST_BYTES
) -> bool:
    """Remove a file if it still is what ``expected`` says; say whether it is gone.

    Raises:
        InputError: the path is refused.
    """
    above, _, name = relative.rpartition("/")
    folder = open_folder(root, above)
    if folder is None:
        return True
    with folder:
        now = _now(folder, name, most)
        if now == ABSENT:
            return True
        if now != expected:
            return False
        try:
            folder.remove(name)
        except OSError as error:
            raise InputError(f"Cannot remove {relative}: {error.strerror}.") from error
        return True


def conflict_name(name: str, new: str) -> str:
    """Return the name of a conflict copy: the same content always has the same.

    >>> conflict_name("plan.md", "b3:0123456789ab")
    'plan.conflict-01234567.md'
    """
    stem, dot, ending = name.rpartition(".")
    stem, ending = (stem, dot + ending) if dot else (name, "")
    return f"{stem}.conflict-{new.removeprefix('b3:')[:8]}{ending}"


class _ChangedError(Exception):
    """Somebody wrote the file between the look and the rename."""


def _now(folder: Folder, name: str, most: int) -> str:
    """Return the digest of what is there; `ABSENT` for nothing.

    Raises:
        InputError: it is no regular file, or has other names that would change too.
    """
    found = folder.find(name, most)
    if found is None:
        return ABSENT
    if found.links > 1:
        raise InputError(
            f"{os.path.join(folder.path, name)} has several names (hard links); Ibid "
            "does not write to it."
        )
    return digest(found.data)


def _replace(
    folder: Folder, name: str, data: bytes, expected: str | None, most: int
) -> None:
    known = folder.find(name, most)
    mode = 0o644 if known is None else known.mode
    temporary = f".ibid-{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = folder.open(temporary, flags, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        if expected is not None and _now(folder, name, most) != expected:
            raise _ChangedError
        folder.replace(temporary, name)
    except BaseException:
        folder.remove(temporary)
        raise
