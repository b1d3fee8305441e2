"""Another program's or project's SQLite file, read and never written.

Its owner may be writing at the same moment: one short read transaction gives one
moment's rows, no lock is held longer, and nothing is ever checkpointed.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ibid.errors import InputError
from ibid.store import driver
from ibid.store.connection import uri_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Query = Callable[[str, tuple[Any, ...]], list[dict[str, Any]]]

BUSY_MS = 2_000


@contextmanager
def open_foreign(path: str) -> Iterator[Query]:
    """Give a function that answers queries about one moment of the file at ``path``.

    Raises:
        InputError: the file is missing, locked, damaged, or no SQLite file.
    """
    connection = None
    try:
        connection = connect(path)
        connection.execute("BEGIN")
        yield _query(connection)
    except driver.Error as error:
        raise InputError(f"Cannot read the database {path}: {error}.") from error
    finally:
        if connection is not None:
            with suppress(driver.Error):
                connection.close()


def connect(path: str, busy_ms: int = BUSY_MS) -> driver.Connection:
    """Return a connection that cannot write, and waits at most ``busy_ms`` for a lock.

    Raises:
        driver.Error: there is no such file, or it cannot be read.
    """
    uri = f"file:{uri_path(path)}?mode=ro"
    if not os.path.exists(path + "-wal") and not os.access(
        os.path.dirname(path) or ".", os.W_OK
    ):
        # Nobody can be writing there, and no shared memory file can be made.
        uri += "&immutable=1"
    connection = driver.connect(
        uri, uri=True, isolation_level=None, timeout=busy_ms / 1000
    )
    connection.row_factory = driver.Row
    connection.execute("PRAGMA query_only = ON")
    return connection


def _query(connection: driver.Connection) -> Query:
    def query(sql: str, values: tuple[Any, ...]) -> list[dict[str, Any]]:
        return [dict(row) for row in connection.execute(sql, values).fetchall()]

    return query
