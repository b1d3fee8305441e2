"""From a row's words to the terms it is found by: one way, for every layer (F5).

`canonical_text` defines what a row says.  Terms are made from its redacted original,
never from a cut or a summary (E1, F2).  The index keeps no text, so a row must leave it
with the very terms it came with: a message's are made again from its text, a memory
remembers them, because an episode's originals grow while its turn goes on.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from ibid.store import archive, search
from ibid.text.digest import digest, handle
from ibid.text.redact import REDACT_VERSION, has_secret, redact
from ibid.text.stems import index_terms
from ibid.text.terms import TERMS_VERSION

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

MESSAGES, MEMORIES, ARCHIVES = "message_terms", "memory_terms", "archive_terms"


CANONICAL_VERSION = 2  # Of what a row says; 2: an archived text's title, too.


class Indexed(NamedTuple):
    """What is known of a text once it is analysed."""

    terms: list[str]
    length: int  # Number of terms.
    secret: bool
    handle: str


def canonical_text(text: str, request: str = "") -> str:
    """Return what a row says: for an episode the request and what came of it."""
    return f"{request}\n\n{text}" if request else text


def archived_text(title: str, text: str) -> str:
    """Return what an archived text says: the file or command it is of, and itself."""
    return f"{title}\n{text}" if title else text


def analyse(text: str, author: str = "") -> Indexed:
    """Return the index terms, their number, whether a secret is in, and the handle.

    A message is also found by the name of its ``author``.
    """
    secret = has_secret(text)
    found = index_terms(redact(text) if secret else text, author)
    name = handle(digest(text.encode("utf-8", "replace")))
    return Indexed(found, len(found), secret, name)


def add(connection: Connection, table: str, row: int, terms: list[str]) -> None:
    """Put a new row into the index of its kind."""
    search.ensure_terms(connection, table, row, terms)


def remove(
    connection: Connection, table: str, row: int, text: str, author: str = ""
) -> None:
    """Take a message or archive row out, with the terms that it came in with."""
    search.delete_terms(connection, table, row, analyse(text, author).terms)


def index_message(connection: Connection, row: Row) -> None:
    """Index a message that is not in."""
    found = analyse(row["text"], row["author"])
    add(connection, MESSAGES, row["id"], found.terms)
    connection.execute(
        "UPDATE message SET secret = ?, length = ?, redact_version = ?,"
        " terms_version = ? WHERE id = ?",
        (found.secret, found.length, REDACT_VERSION, TERMS_VERSION, row["id"]),
    )


def unindex_archived(
    connection: Connection, row: archive.ArchiveRow, data: bytes
) -> None:
    """Take an archived text out, before its bytes go (M3)."""
    text = data.decode("utf-8", "replace")
    remove(connection, ARCHIVES, row.id, archived_text(row.title, text))


def ensure_archived(
    connection: Connection, item: archive.ArchiveItem
) -> archive.ArchiveRow:
    """Keep a text verbatim and findable; the same bytes again are the same row (M2).

    Raises:
        ConflictError: another text already has its handle.
    """
    row = archive.ensure_archive(connection, item)
    if row.terms_version != TERMS_VERSION:
        index_archived(connection, row, item.data.decode("utf-8", "replace"))
    return row


def index_archived(connection: Connection, row: archive.ArchiveRow, text: str) -> None:
    """Index an archived text that is not indexed yet, or not as texts are now."""
    found = analyse(archived_text(row.title, text))
    add(connection, ARCHIVES, row.id, found.terms)
    connection.execute(
        "UPDATE archive SET secret = ?, length = ?, redact_version = ?,"
        " terms_version = ? WHERE id = ?",
        (found.secret, found.length, REDACT_VERSION, TERMS_VERSION, row.id),
    )


def index_memory(connection: Connection, memory: int, text: str) -> None:
    """Index a memory by ``text`` instead of what it was indexed by before."""
    drop_memory(connection, memory)
    found = analyse(text)
    add(connection, MEMORIES, memory, found.terms)
    connection.execute(
        "UPDATE memory SET terms = ?, length = ?, handle = ?, redact_version = ?,"
        " terms_version = ? WHERE id = ?",
        (
            zlib.compress(" ".join(found.terms).encode("utf-8", "replace")),
            found.length,
            found.handle,
            REDACT_VERSION,
            TERMS_VERSION,
            memory,
        ),
    )


def drop_memory(connection: Connection, memory: int) -> None:
    """Take a memory out of the index; nothing happens when it is not in."""
    row = connection.execute(
        "SELECT terms FROM memory WHERE id = ?", (memory,)
    ).fetchone()
    if row is None or row[0] is None:
        return
    terms = zlib.decompress(row[0]).decode("utf-8").split(" ")
    search.delete_terms(connection, MEMORIES, memory, terms)
    connection.execute(
        "UPDATE memory SET terms = NULL, length = 0 WHERE id = ?", (memory,)
    )
