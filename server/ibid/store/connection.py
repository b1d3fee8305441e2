"""Opening the project's database, and the one way to write to it.

`Store.write` is one short ``BEGIN IMMEDIATE`` transaction; `Store.read` hands out this
thread's own connection.  Two writing connections stand ready, because ``synchronous``
cannot change inside a transaction: *durable* (FULL) for what a person did, and NORMAL
for what can be read again from a transcript.  A process writes through one lock, so it
is one writer among the processes that share the file.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from ibid.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreReadOnlyError,
)
from ibid.store import driver
from ibid.store.folders import ensure_private
from ibid.store.tables import TERM_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY_MS = 5_000
_PATIENCE_S = 1.0  # Seconds that `check_alone` waits for others.
HOOK_BUSY_MS = 800
FILE_NAME = "ibid.db"


class Store:
    """One project's database file, for the threads of one process.

    ``path`` is the file; its folder is made with mode 0700.  ``busy_ms`` bounds every
    wait for another process's lock.
    """

    def __init__(self, path: str, busy_ms: int = BUSY_MS) -> None:
        self.path = path
        self.busy_ms = busy_ms
        self.read_only = False
        self._local = threading.local()
        self._lock = threading.RLock()
        self._writers: dict[bool, driver.Connection] = {}
        self._readers: list[driver.Connection] = []
        self._depth: driver.Connection | None = None
        self._owner = 0
        self._prepare()

    # -- reading ----------------------------------------------------------------

    def read(self) -> driver.Connection:
        """Return this thread's reading connection; inside `write`, the writing one.

        Raises:
            StoreError: the file cannot be opened.
        """
        if self._depth is not None and self._owner == threading.get_ident():
            return self._depth
        connection: driver.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._open()
            self._local.connection = connection
            with self._lock:
                self._readers.append(connection)
        return connection

    def changes(self) -> int:
        """Return a number that moves when another connection has committed."""
        with translated(self.path):
            return int(self.read().execute("PRAGMA data_version").fetchone()[0])

    # -- writing ----------------------------------------------------------------

    @contextmanager
    def write(self, durable: bool = False) -> Iterator[driver.Connection]:
        """Run the block in one ``BEGIN IMMEDIATE`` transaction, or not at all.

        ``durable`` waits until the disk has it: for what a person did.  A nested call
        joins the outer transaction.

        Raises:
            StoreBusyError: another process held the lock longer than ``busy_ms``.
            StoreReadOnlyError: the disk is full or the file cannot be written.
            StoreCorruptError: the file is damaged.
        """
        with self._lock:
            if self._depth is not None:
                yield self._depth
                return
            if self.read_only:
                raise _read_only(self.path, "it was opened read-only")
            with translated(self.path):
                connection = self._writer(durable)
                connection.execute("BEGIN IMMEDIATE")
                self._depth, self._owner = connection, threading.get_ident()
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                finally:
                    self._depth, self._owner = None, 0

    # -- erasing ----------------------------------------------------------------

    def scrub(self) -> bool:
        """Let nothing erased be left in index, free pages or write-ahead log (K3).

        False when another process reads just now: try again later.
        """
        with self.write(durable=True) as connection:
            for name in TERM_TABLES:
                connection.execute(f"INSERT INTO {name} ({name}) VALUES ('optimize')")
        self.give_back()
        return self.checkpoint()

    def give_back(self) -> None:
        """Give free pages back to the disk."""
        with self._lock, translated(self.path):
            self._writer(durable=True).execute("PRAGMA incremental_vacuum").fetchall()

    def checkpoint(self) -> bool:
        """Empty the write-ahead log; False when a reader elsewhere holds it up."""
        with self._lock, translated(self.path):
            connection = self._writer(durable=True)
            row = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return row is None or row[0] == 0

    # -- lifetime ---------------------------------------------------------------

    def close(self) -> None:
        """Close every connection; idempotent, from any thread."""
        with self._lock:
            for connection in [*self._readers, *self._writers.values()]:
                with suppress(driver.Error):
                    connection.close()
            self._readers.clear()
            self._writers.clear()
            self._local = threading.local()

    def _writer(self, durable: bool) -> driver.Connection:
        connection = self._writers.get(durable)
        if connection is None:
            connection = self._open()
            connection.execute(
                f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}"
            )
            self._writers[durable] = connection
        return connection

    def _prepare(self) -> None:
        """Make folder and file, choose the journal, or fall back to reading only."""
        folder = os.path.dirname(self.path)
        try:
            ensure_private(folder)
            writable = os.access(folder, os.W_OK)
            if os.path.exists(self.path):
                writable = writable and os.access(self.path, os.W_OK)
            else:
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise _read_only(self.path, error.strerror or str(error)) from error
        self.read_only = not writable
        with translated(self.path):
            connection = self.read()
            if not self.read_only:
                _choose_journal(connection, self.busy_ms)

    def _open(self) -> driver.Connection:
        with translated(self.path):
            mode = "ro" if self.read_only else "rw"
            uri = f"file:{uri_path(self.path)}?mode={mode}"
            if self.read_only and not os.access(self.path + "-wal", os.R_OK):
                uri += "&immutable=1"
            connection = driver.connect(
                uri,
                uri=True,
                isolation_level=None,
                timeout=self.busy_ms / 1000,
                check_same_thread=False,
            )
            connection.row_factory = driver.Row
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA mmap_size = 0")
            connection.execute("PRAGMA journal_size_limit = 16777216")
            return connection


def check_alone(database: str) -> None:
    """Refuse while anybody has the file open: leaving WAL needs to be alone.

    The journal is afterwards what it was, so that the file stays as others know it.

    Raises:
        StoreBusyError: somebody has; nothing was changed.
    """
    if not os.path.isfile(database):
        return
    busy = StoreBusyError(
        f"The memory at {database} is in use. Close the editors and agents that have "
        "the project open, then try again; nothing was changed."
    )
    try:
        with closing(driver.connect(database, timeout=_PATIENCE_S)) as connection:
            before = connection.execute("PRAGMA journal_mode").fetchone()[0]
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
            with suppress(driver.OperationalError):  # Opened just now: it will choose.
                connection.execute(f"PRAGMA journal_mode = {before}")
    except driver.OperationalError as error:
        raise busy from error
    except driver.DatabaseError:
        return  # Damaged: nobody can have it open for long.
    if mode != "delete":
        raise busy


def _choose_journal(connection: driver.Connection, busy_ms: int) -> None:
    """Use WAL where this SQLite may share it, else a rollback journal.

    The switch is not covered by ``busy_timeout``: it is tried again until that is over.
    """
    row = connection.execute("PRAGMA journal_mode").fetchone()
    wanted = "wal" if driver.SAFE else "delete"
    if row[0] == wanted:
        return
    if wanted == "delete" and row[0] == "wal":
        connection.execute("PRAGMA query_only = ON")
        return
    if not _has_tables(connection):
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    deadline = time.monotonic() + busy_ms / 1000
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {wanted}")
            return
        except driver.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _has_tables(connection: driver.Connection) -> bool:
    return (
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    )


def uri_path(path: str) -> str:
    """Return ``path`` as the path part of a ``file:`` URI.

    >>> uri_path("/a b/c?d#e%")
    '/a%20b/c%3fd%23e%25'
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    quoted = quoted.replace(" ", "%20").replace("\\", "/")
    return quoted if quoted.startswith("/") else "/" + quoted


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors inside the block into the named ones.

    Raises:
        StoreError: always a named subclass where the cause is known.
    """
    try:
        yield
    except driver.Error as error:
        raise _named(path, error) from error


def _named(path: str, error: driver.Error) -> StoreError:
    text = str(error).lower()
    if "locked" in text or "busy" in text:
        return StoreBusyError(
            f"The store at {path} is in use by another process. Nothing was written; "
            "try again in a moment."
        )
    if "malformed" in text or "not a database" in text or "corrupt" in text:
        return StoreCorruptError(
            f"The store at {path} is damaged ({error}). Run `ibid verify`; it says "
            "what can be read and how to go on."
        )
    if "full" in text or "readonly" in text or "read-only" in text or "i/o" in text:
        return _read_only(path, str(error))
    if "unable to open" in text:
        return _read_only(path, str(error))
    return StoreError(f"The store at {path} refused: {error}.")


def _read_only(path: str, why: str) -> StoreReadOnlyError:
    if not os.path.exists(path):
        return StoreReadOnlyError(
            f"Cannot make the store at {path}: {why}. Until it can be made nothing is "
            f"remembered of this project. Make {_nearest(path)} writable, or set "
            "IBID_HOME to a folder that is."
        )
    return StoreReadOnlyError(
        f"Cannot write the store at {path}: {why}. Memory goes on read-only; nothing "
        "was lost. Free some room or make it writable and it continues by itself."
    )


def _nearest(path: str) -> str:
    """Return what exists of the folders above ``path``, the deepest one."""
    folder = os.path.dirname(path)
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
