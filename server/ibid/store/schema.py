"""The tables, and how an older file becomes a newer one.

Migrations are sqlite-utils' own, run inside one ``BEGIN IMMEDIATE`` of ours, so that of
several processes that start at once one migrates and the others wait.  Their number is
mirrored in ``PRAGMA user_version``: a process that finds it current (a hook, above all)
never imports sqlite-utils.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.errors import StoreReadOnlyError, StoreTooNewError
from ibid.store import driver, running, tables
from ibid.store.connection import translated

if TYPE_CHECKING:
    from ibid.store.connection import Store


# How a reader came to have the lines of a row, and what of an edit is known (N1, N6).
# ``answer``: full, delta, native, wrote; stub and gone show nothing; opened and saved
# are the person's.  ``account`` is the saving that a bounce takes back.
READ_ANSWERS = """
ALTER TABLE shown ADD COLUMN answer TEXT NOT NULL DEFAULT 'native';
ALTER TABLE shown ADD COLUMN encoding TEXT NOT NULL DEFAULT '';
ALTER TABLE shown ADD COLUMN account INTEGER REFERENCES account(id);
ALTER TABLE edit ADD COLUMN whole INTEGER NOT NULL DEFAULT 0
"""

# What demotion needs (P3): the cost that a saving was paid with, the window that a
# running mean counts (from entry ``since``, from the moment ``began``), and the highest
# session that was ``known`` when a feature was demoted, which keeps it.
RUNNING = """
ALTER TABLE account ADD COLUMN pair INTEGER REFERENCES account(id);
CREATE INDEX account_reverses ON account(reverses) WHERE reverses IS NOT NULL;
CREATE INDEX receipt_control ON receipt(control) WHERE control <> '';
ALTER TABLE running ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE running ADD COLUMN began INTEGER NOT NULL DEFAULT 0;
ALTER TABLE running ADD COLUMN known INTEGER NOT NULL DEFAULT 0;
UPDATE account SET pair = id - 1 WHERE kind = 'saving' AND EXISTS (
    SELECT 1 FROM account c WHERE c.id = account.id - 1 AND c.kind = 'cost'
    AND c.receipt IS NULL AND c.native = account.native AND c.role = account.role
    AND c.feature = account.feature)
"""

# Which symbols an edit changed, for the handoff: names, one a line (O2).
EDIT_SYMBOLS = "ALTER TABLE edit ADD COLUMN symbols TEXT NOT NULL DEFAULT ''"

# The root of the project that a sent memory is of; '' the receipt's own (S2, I1).
ITEM_PROJECT = "ALTER TABLE receipt_item ADD COLUMN project TEXT NOT NULL DEFAULT ''"


def ensure_schema(store: Store) -> None:
    """Bring the file up to this code's schema; idempotent, safe among processes.

    Raises:
        StoreTooNewError: a newer Ibid wrote the file; it is left alone.
        StoreReadOnlyError: it needs a migration and cannot be written.
    """
    version = _version(store.read())
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        raise StoreTooNewError(
            f"The store at {store.path} was written by a newer Ibid (schema {version}; "
            f"this one knows {SCHEMA_VERSION}). Update ibid-memory."
        )
    if store.read_only:
        raise StoreReadOnlyError(
            f"The store at {store.path} needs an update and cannot be written. Make it "
            "writable, or open it once with a user who may write."
        )
    with store.write(durable=True) as connection:
        if _version(connection) < SCHEMA_VERSION:
            _migrate(connection)


def is_current(store: Store) -> bool:
    """Say whether the file has this code's schema, without changing anything."""
    with translated(store.path):
        return _version(store.read()) == SCHEMA_VERSION


def _version(connection: driver.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _migrate(connection: driver.Connection) -> None:
    from sqlite_utils import Database, Migrations

    migrations = Migrations("ibid")

    @migrations()
    def m001_initial(database: Database) -> None:
        for script in (
            tables.CONVERSATION,
            tables.MEMORY,
            tables.ARCHIVE,
            tables.LEDGER,
        ):
            for statement in script.split(";"):
                database.execute(statement)
        tokenize = (
            f"\"ascii tokenchars '{tables.MARKS.replace(chr(39), chr(39) * 2)}'\""
        )
        tokenize = "'" + tokenize[1:-1].replace("'", "''") + "'"
        for name in tables.TERM_TABLES:
            database.execute(tables.FTS.format(name=name, tokenize=tokenize))

    @migrations()
    def m002_read_answers(database: Database) -> None:
        for statement in READ_ANSWERS.split(";"):
            database.execute(statement)

    @migrations()
    def m003_running(database: Database) -> None:
        for statement in RUNNING.split(";"):
            database.execute(statement)
        running.rebuild(connection)

    @migrations()
    def m004_edit_symbols(database: Database) -> None:
        database.execute(EDIT_SYMBOLS)

    @migrations()
    def m005_item_project(database: Database) -> None:
        database.execute(ITEM_PROJECT)

    # sqlite-utils must not turn recursive triggers on or commit: it joins our
    # transaction by savepoints.
    migrations.apply(Database(connection, recursive_triggers=False))
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


SCHEMA_VERSION = 5
