"""Rotated backups, taken while the store is in use (C10).

A backup holds everything but the bulk: what people did, what was said and learned, and
what is known of every archived text, compressed in one file.  It is taken in one read
transaction, table by table, because SQLite's own backup copies the file with all its
frames.  Frames and parts never change, so `copy_verbatim` copies each once into a file
that all backups share.
"""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from ibid.errors import StoreCorruptError, StoreReadOnlyError
from ibid.store import driver
from ibid.store.connection import translated
from ibid.store.damage import (
    backup_folder,
    find_damage,
    list_aside,
    remove_aside,
    suspect,
)
from ibid.store.locks import exclusive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERBATIM = "verbatim.db"
# The bulk: in a backup these have their rows, with nothing in ``data``.
BULK = {"frame": "id, bytes, x''", "part": "id, digest, bytes, codec, x''"}
DAYS = 2
WEEKS = 3
LEVEL = 6

_DAY = 86_400
_STAMP = "%Y%m%dT%H%M%SZ"
_COPY_STEP = 1 << 23  # Bytes that one step of `copy_verbatim` copies at most.


def write_backup(path: str, now: int, check: bool = True) -> str:
    """Back up the store at ``path`` and drop the backups that are due to go.

    Other processes go on reading and writing meanwhile.  Kept are the newest of each of
    the last two days and of the last three weeks that have one.  Returns the backup's
    path; ``now`` in milliseconds.  ``check`` reads every page first (a second for 30
    MB), so that a damaged store never pushes good backups out.

    Raises:
        StoreCorruptError: the store is damaged; the next opening heals it.
        StoreError: the store cannot be read, or the backup not be written; nothing
            half-made is left behind.
    """
    if check:
        _demand_sound(path)
    folder = backup_folder(path)
    stamp = time.strftime(_STAMP, time.gmtime(now / 1000))
    target = os.path.join(folder, f"ibid-{stamp}.db.zst")
    copy = os.path.join(folder, "making.db")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with exclusive(copy):
            _remove([copy, copy + "-journal", target + ".part"])
            try:
                os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with translated(path):
                    _copy_tables(path, copy)
                _compress(copy, target)
            finally:
                _remove([copy, copy + "-journal", target + ".part"])
            for old in _due(list_backups(path)):
                os.remove(old)
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot write a backup to {folder} ({error.strerror}). The store itself "
            "is unharmed. Free some room or make the folder writable."
        ) from error
    return target


def replace_backups(path: str, now: int) -> str:
    """Back up anew and delete every older copy: what was erased is in none (K3).

    Raises:
        StoreError: as `write_backup`; the older ones are then still there.
    """
    target = write_backup(path, now, check=False)
    for old in list_backups(path):
        if old != target:
            os.remove(old)
    remove_verbatim(path)
    remove_aside(path)
    return target


def has_copies(path: str) -> bool:
    """Say whether there is any copy that `replace_backups` would have to replace."""
    verbatim = os.path.join(backup_folder(path), VERBATIM)
    return bool(list_backups(path) or list_aside(path) or os.path.exists(verbatim))


def list_backups(path: str) -> list[str]:
    """Return the backups of the store at ``path``, newest first."""
    folder = backup_folder(path)
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    found = [
        name for name in names if name.startswith("ibid-") and name.endswith(".db.zst")
    ]
    return [os.path.join(folder, name) for name in sorted(found, reverse=True)]


def is_due(path: str, now: int) -> bool:
    """Say whether the newest backup is older than a day, or there is none."""
    newest = next(iter(list_backups(path)), "")
    return now - _moment(newest) * 1000 >= _DAY * 1000


def copy_verbatim(path: str) -> bool:
    """Copy frames and parts that are new, drop those that went: one step.

    Call it until it returns False: then the copy has everything.  It costs as much room
    as the archive itself.

    Raises:
        StoreError: the store cannot be read or the copy not be written.
    """
    folder = backup_folder(path)
    target = os.path.join(folder, VERBATIM)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with translated(target), closing(_writer(target)) as connection:
        connection.execute("ATTACH ? AS store", (path,))
        connection.execute("BEGIN IMMEDIATE")
        more = False
        for (sql,) in connection.execute(
            "SELECT sql FROM store.sqlite_master WHERE name IN ('frame', 'part')"
            " AND name NOT IN (SELECT name FROM main.sqlite_master)"
        ).fetchall():
            connection.execute(sql)
        for table in BULK:
            connection.execute(
                f"DELETE FROM main.{table} WHERE id NOT IN"
                f" (SELECT id FROM store.{table})"
            )
            more = _copy_new(connection, table) or more
        connection.execute("COMMIT")
    return more


def remove_verbatim(path: str) -> None:
    """Delete the copy of the bulk; the next `copy_verbatim` begins anew."""
    verbatim = os.path.join(backup_folder(path), VERBATIM)
    _remove([verbatim, verbatim + "-journal"])


def _copy_new(connection: driver.Connection, table: str) -> bool:
    """Copy rows with higher ids than any copied before; say whether more are left."""
    rows = connection.execute(
        f"SELECT id, length(data) FROM store.{table} WHERE id >"
        f" (SELECT coalesce(max(id), 0) FROM main.{table}) ORDER BY id"
    ).fetchall()
    total, last = 0, 0
    for number, size in rows:
        if last and total + size > _COPY_STEP:
            break
        last, total = number, total + size
    connection.execute(
        f"INSERT INTO main.{table} SELECT * FROM store.{table} WHERE id <= ?"
        f" AND id > (SELECT coalesce(max(id), 0) FROM main.{table})",
        (last,),
    )
    return bool(rows) and last != rows[-1][0]


def _demand_sound(path: str) -> None:
    found = find_damage(path, thorough=True)
    if found:
        suspect(path)
        raise StoreCorruptError(
            f"The store at {path} was not backed up: {found}. Open the project anew: "
            "the damaged file is then set aside and the newest backup takes its place."
        )


def _writer(path: str) -> driver.Connection:
    """Open a file of ours, made with mode 0600, that is not the store."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = driver.connect(path, isolation_level=None, timeout=5)
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def _copy_tables(path: str, copy: str) -> None:
    """Copy all tables but the bulk and the indexes, as of one moment."""
    with closing(driver.connect(copy, isolation_level=None, timeout=5)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("ATTACH ? AS store", (path,))
        connection.execute("BEGIN")
        version = connection.execute("PRAGMA store.user_version").fetchone()[0]
        for name, sql in list(_tables(connection)):
            # What counts ids makes itself, and has counted the copied rows by now.
            connection.execute(sql or f"DELETE FROM main.{name}")
            columns = BULK.get(name, "*")
            connection.execute(
                f'INSERT INTO main."{name}" SELECT {columns} FROM store."{name}"'
            )
        for (sql,) in connection.execute(
            "SELECT sql FROM store.sqlite_master WHERE sql IS NOT NULL"
            " AND (type = 'index' OR sql LIKE 'CREATE VIRTUAL%')"
        ).fetchall():
            connection.execute(sql)
        connection.execute(f"PRAGMA main.user_version = {version}")
        connection.execute("COMMIT")


def _tables(connection: driver.Connection) -> Iterator[tuple[str, str]]:
    """Give the plain tables with what makes them; `sqlite_sequence` makes itself."""
    rows = connection.execute(
        "SELECT name, sql FROM store.sqlite_master WHERE type = 'table'"
    ).fetchall()
    indexes = [name for name, sql in rows if sql.startswith("CREATE VIRTUAL")]
    for name, sql in rows:
        if any(name == index or name.startswith(index + "_") for index in indexes):
            continue
        if not name.startswith("sqlite_"):
            yield name, sql
    yield from ((name, "") for name, _ in rows if name == "sqlite_sequence")


def _compress(source: str, target: str) -> None:
    """Write ``source`` to ``target`` with a checksum, whole or not at all."""
    import zstandard

    parameters = zstandard.ZstdCompressionParameters.from_level(
        LEVEL, write_checksum=True
    )
    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
    with (
        open(source, "rb") as raw,
        os.fdopen(os.open(target + ".part", flags, 0o600), "wb") as packed,
    ):
        compressor = zstandard.ZstdCompressor(compression_params=parameters)
        compressor.copy_stream(raw, packed, size=os.path.getsize(source))
        packed.flush()
        os.fsync(packed.fileno())
    os.replace(target + ".part", target)


def _due(backups: Iterable[str]) -> list[str]:
    """Return which of ``backups`` (newest first) no day and no week needs any more.

    >>> days = ["0521", "0520", "0519", "0518", "0512", "0505", "0428"]
    >>> names = [f"ibid-2030{day}T120000Z.db.zst" for day in days]
    >>> [name[9:13] for name in _due(names)]
    ['0519', '0518', '0428']
    """
    days: set[int] = set()
    weeks: set[int] = set()
    due = []
    for path in backups:
        day = _moment(path) // _DAY
        week = (day + 3) // 7  # Weeks begin on Monday; day 0 was a Thursday.
        fresh = (day not in days and len(days) < DAYS) or (
            week not in weeks and len(weeks) < WEEKS
        )
        if not fresh:
            due.append(path)
        days.add(day)
        weeks.add(week)
    return due


def _moment(path: str) -> int:
    """Return when a backup was taken, in seconds, from its name; 0 when it says not."""
    import calendar

    stamp = os.path.basename(path)[len("ibid-") :].partition(".")[0]
    try:
        return calendar.timegm(time.strptime(stamp, _STAMP))
    except ValueError:
        return 0


def _remove(paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(FileNotFoundError):
            os.remove(path)
