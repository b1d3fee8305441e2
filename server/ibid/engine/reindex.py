"""The index made again: after a restore, or when terms or redaction changed (E1, F1).

Backups leave the indexes out, and rows indexed by an older way of making terms would be
found by neither the old words nor the new.  The setting `DONE` says by which way the
whole index was made; while it is another, rows that are not in are put in, a few in
each transaction, by whatever process has the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine import index
from ibid.engine.learn.capture import full_text
from ibid.store import archive, memories, search, settings, turns
from ibid.text.redact import REDACT_VERSION, redact
from ibid.text.terms import TERMS_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

DONE = settings.INDEXED
BATCH = 200  # Rows of one transaction.

# What is to be found and is not in the index, from a row on.
_MISSING = {
    index.MESSAGES: """SELECT * FROM message WHERE id > ?
        AND id NOT IN (SELECT id FROM message_terms_docsize) ORDER BY id LIMIT ?""",
    index.MEMORIES: """SELECT * FROM memory WHERE id > ? AND active
        AND id NOT IN (SELECT id FROM memory_terms_docsize) ORDER BY id LIMIT ?""",
    index.ARCHIVES: """SELECT * FROM archive WHERE id > ? AND state <> 'gone'
        AND id NOT IN (SELECT id FROM archive_terms_docsize) ORDER BY id LIMIT ?""",
}


def is_whole(memory: Memory) -> bool:
    """Say whether every row is in the index as rows are put in now."""
    return bool(settings.find_setting(memory.store.read(), DONE) == _way())


def steps(memory: Memory, always: bool = False) -> Iterator[int]:
    """Put in what is not, and yield after each transaction how many rows it was.

    Nothing happens where the store can only be read, nor where the index is said to be
    whole, unless ``always`` asks to look for rows that damage took out of it.

    Raises:
        StoreError: the store cannot be read or written.
    """
    if memory.store.read_only or (is_whole(memory) and not always):
        return
    with memory.store.write() as connection:
        _begin(connection)
    for table, sql in _MISSING.items():
        last, count = 0, BATCH
        while count == BATCH:
            with memory.store.write() as connection:
                rows = connection.execute(sql, (last, BATCH)).fetchall()
                for row in rows:
                    _put_in(connection, table, row)
            count = len(rows)
            last = rows[-1]["id"] if rows else last
            yield count
    with memory.store.write() as connection:
        settings.ensure_setting(connection, DONE, _way(), memory.clock.now())


def _way() -> str:
    return f"{TERMS_VERSION}.{REDACT_VERSION}.{index.CANONICAL_VERSION}"


def _begin(connection: Connection) -> None:
    """Empty an index that was made in another way, once; then rows come in anew."""
    begun = f"{_way()} begun"
    if settings.find_setting(connection, DONE) not in (_way(), begun):
        for table in _MISSING:
            search.clear_terms(connection, table)
        settings.ensure_setting(connection, DONE, begun, 0)


def _put_in(connection: Connection, table: str, row: Row) -> None:
    if table == index.MESSAGES:
        index.index_message(connection, row)
    elif table == index.MEMORIES:
        _put_in_memory(connection, row)
    else:
        known = archive.find_archive(connection, row["handle"])
        for one, data in archive.load_many(connection, [known] if known else []):
            if data is not None:  # Damaged bytes are `verify`'s to tell.
                text = data.decode("utf-8", "replace")
                index.index_archived(connection, one, text)


def _put_in_memory(connection: Connection, row: Row) -> None:
    """Index a memory, its words redacted as they would be now."""
    values = {name: redact(row[name]) for name in ("text", "request")}
    if any(values[name] != row[name] for name in values):
        memories.update_memory(connection, row["id"], values)
    text = index.canonical_text(values["text"], values["request"])
    if row["layer"] == memories.EPISODE and row["turn"] is not None:
        text = full_text(turns.turn_messages(connection, row["turn"]))
    connection.execute("UPDATE memory SET terms = NULL WHERE id = ?", (row["id"],))
    index.index_memory(connection, row["id"], text)
