"""A damaged database file: how it is known, and how it is moved out of the way (C9).

A damaged file is never repaired in place.  It is set aside under a name that says when,
with its write-ahead log, so that everything in it can still be looked at.
"""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress

from ibid.errors import StoreReadOnlyError
from ibid.store import driver
from ibid.store.connection import uri_path

BACKUPS = "backup"  # The folder beside the file.
MARK = "initialised"  # An empty file in that folder: there were tables once.
SUSPECT = "suspect"  # Another one: the next to open the store looks thoroughly.
_BESIDE = ("-shm", "-wal", "-journal", "")  # The database itself last.
_SECONDS = 5.0  # That another process's lock is waited for.


def find_damage(path: str, thorough: bool = False) -> str:
    """Return what is wrong with the file at ``path``; "" when nothing is seen.

    The cheap form opens it and reads its tables' names.  ``thorough`` reads every page
    (a second for 30 MB): daily, after an end without goodbye, and when `suspect` was
    called.  A file that another process has locked or that cannot be opened is not
    called damaged.
    """
    # Never `open` the file: closing it would drop the locks that SQLite holds for the
    # other connections of this process.
    made = os.path.exists(mark_of(path))
    try:
        size = os.stat(path).st_size
    except FileNotFoundError:
        return "it is missing, but it was there before" if made else ""
    except OSError:
        return ""
    if not size:
        return "it is empty, but it was initialised before" if made else ""
    return _inside(path, made, thorough or os.path.exists(_suspect_of(path)))


def set_aside(path: str, now: int) -> str:
    """Move the database at ``path`` with its log aside; return its new path.

    Its name begins with ``corrupt-`` and the UTC time ``now`` (milliseconds).

    Raises:
        StoreReadOnlyError: the folder or another process does not let it be moved.
    """
    folder, name = os.path.split(path)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now / 1000))
    target, again = os.path.join(folder, f"corrupt-{stamp}-{name}"), 1
    while any(os.path.exists(target + suffix) for suffix in _BESIDE):
        again += 1
        target = os.path.join(folder, f"corrupt-{stamp}-{again}-{name}")
    # The log goes first: beside a new file, a left-over one would be played into it.
    for suffix in _BESIDE:
        try:
            os.replace(path + suffix, target + suffix)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreReadOnlyError(
                f"The damaged store at {path} cannot be moved aside ({error.strerror})."
                " Close the editors and agents that use it, or make its folder "
                "writable, and try again."
            ) from error
    return target


def list_aside(path: str) -> list[str]:
    """Return the files that were set aside from ``path``, oldest first."""
    folder, name = os.path.split(path)
    return sorted(
        os.path.join(folder, found)
        for found in os.listdir(folder or ".")
        if found.startswith("corrupt-") and found.endswith(f"-{name}")
    )


def remove_aside(path: str) -> None:
    """Delete what was set aside from ``path``: erased words may be in it (K3)."""
    for target in list_aside(path):
        for suffix in _BESIDE:
            if os.path.exists(target + suffix):
                os.remove(target + suffix)


def backup_folder(path: str) -> str:
    """Return the folder of the backups of the database at ``path``."""
    return os.path.join(os.path.dirname(path), BACKUPS)


def mark_of(path: str) -> str:
    """Return the file that says that the store at ``path`` had its tables once."""
    return os.path.join(backup_folder(path), MARK)


def open_reader(path: str) -> driver.Connection:
    """Open a database that may be damaged, for reading only; it is not written to."""
    uri = f"file:{uri_path(path)}?mode=ro"
    if not os.access(os.path.dirname(path) or ".", os.W_OK):
        uri += "&immutable=1"  # Without its log, which could not be read there.
    return driver.connect(uri, uri=True, isolation_level=None, timeout=_SECONDS)


def suspect(path: str) -> None:
    """Have the next opening look thoroughly: a damaged page was met (C9).

    It can only be put right when the file is opened anew.
    """
    with suppress(OSError):
        os.makedirs(backup_folder(path), mode=0o700, exist_ok=True)
        os.close(os.open(_suspect_of(path), os.O_CREAT | os.O_WRONLY, 0o600))


def clear_suspicion(path: str) -> None:
    """Forget `suspect`: the file was looked at, or replaced."""
    with suppress(OSError):
        os.remove(_suspect_of(path))


def _suspect_of(path: str) -> str:
    return os.path.join(backup_folder(path), SUSPECT)


def _inside(path: str, made: bool, thorough: bool) -> str:
    """Look at the tables, or at every page, through a connection of its own."""
    try:
        with closing(open_reader(path)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master").fetchall()
            tables = {name for (name,) in names}
            if tables and not {"session", "archive"} <= tables:
                return "it is the database of another program"
            if made and not tables:
                return "it has no tables, but it was initialised before"
            check = "PRAGMA quick_check(1)" if thorough else "PRAGMA user_version"
            found = connection.execute(check).fetchone()[0]
            return f"it is damaged ({found})" if thorough and found != "ok" else ""
    except driver.OperationalError as error:
        # Locked, unreadable or no room: nothing is known about its content.
        known = "malformed" in str(error) or "unsupported file format" in str(error)
        return f"it is damaged ({error})" if known else ""
    except MemoryError:
        # A damaged page may promise more than there is; else nothing is known.
        return "it is damaged (a page has no end)" if _has_room() else ""
    except (driver.DatabaseError, TypeError, ValueError) as error:
        return f"it is damaged ({error})"


def _has_room() -> bool:
    """Say whether memory is not what is short."""
    try:
        bytearray(1 << 26)
    except MemoryError:
        return False
    return True
