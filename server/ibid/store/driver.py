"""The one SQLite of this process.

Two copies of SQLite in one process drop each other's file locks, and acknowledged rows
vanish; so the choice is made here, once, and nothing else imports ``sqlite3``.
``pysqlite3`` carries a SQLite without the WAL-reset race (fixed in 3.51.3, 3.50.7 and
3.44.6); where it has no wheel the standard library's is used, and `is_safe` says
whether several processes may share a WAL file through it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import pysqlite3 as sqlite3  # sqlite-utils makes the same choice.
    except ImportError:
        import sqlite3

Connection = sqlite3.Connection
Cursor = sqlite3.Cursor
Row = sqlite3.Row
Binary = sqlite3.Binary
Error = sqlite3.Error
DatabaseError = sqlite3.DatabaseError
OperationalError = sqlite3.OperationalError
IntegrityError = sqlite3.IntegrityError
connect = sqlite3.connect

VERSION: tuple[int, ...] = tuple(
    int(part) for part in sqlite3.sqlite_version.split(".")
)
MODULE: str = sqlite3.__name__


def is_safe(version: tuple[int, ...]) -> bool:
    """Say whether ``version`` of SQLite is free of the WAL-reset race.

    >>> [is_safe(v) for v in [(3, 51, 2), (3, 51, 3), (3, 50, 7), (3, 44, 6)]]
    [False, True, True, True]
    """
    fixed_in = {(3, 44): 6, (3, 50): 7, (3, 51): 3}
    series = version[:2]
    if series in fixed_in:
        return version[2] >= fixed_in[series]
    return series > (3, 51)


SAFE: bool = is_safe(VERSION)
