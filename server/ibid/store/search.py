"""Full text: which rows hold a term, and the facts about rows that ranking needs.

Each kind of row has one contentless FTS5 table that maps our own terms to row ids and
nothing else; ranking is plain code above (`ibid.engine.recall.rank`).  A fetch is
bounded: a term that fills its bound is *common*, and the newest rows are what it gave.

What is indexed are the terms of the canonical text, of the redacted original (E1, F2).
A row is deleted with the very terms it was indexed with, so its text must still be
there: index, change, index again, in one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.store.tables import MESSAGE_BITS, TERM_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ibid.store.driver import Connection

MESSAGES, MEMORIES, ARCHIVE = TERM_TABLES

# The highest row id there can be.
LAST_ROW = (1 << 63) - 1


# -- finding ----------------------------------------------------------------------


def find_rows(
    connection: Connection, table: str, match: str, limit: int, ranges: Ranges
) -> list[int]:
    """Return the newest at most ``limit`` row ids that hold ``match``, newest first.

    ``match`` comes from `exactly`, `starting` or `both`; ``ranges`` are inclusive and
    disjoint, the newest first.  The cost is that of the rows returned, whatever the
    size of the index.
    """
    found: list[int] = []
    sql = (
        f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid BETWEEN ? AND ?"
        " ORDER BY rowid DESC LIMIT ?"
    )
    for low, high in ranges:
        if len(found) >= limit:
            break
        rows = connection.execute(sql, (match, low, high, limit - len(found)))
        found += [row[0] for row in rows]
    return found


Ranges = tuple[tuple[int, int], ...]
EVERYWHERE: Ranges = ((0, LAST_ROW),)


def exactly(term: str) -> str:
    """Return the expression that matches ``term``.

    >>> exactly('say"so')
    '"say""so"'
    """
    return '"' + term.replace('"', '""') + '"'


def starting(term: str) -> str:
    """Return the expression that matches every term that starts with ``term``."""
    return exactly(term) + "*"


def both(one: str, two: str) -> str:
    """Return the expression that matches rows that hold both terms."""
    return f"{exactly(one)} AND {exactly(two)}"


class Size(NamedTuple):
    """How much a full-text table holds, and where."""

    rows: int
    first: int  # The lowest row id.
    last: int


def load_size(connection: Connection, table: str) -> Size:
    """Return the size of ``table``, without counting.

    FTS5 keeps the number of rows as the first variable-length integer of the record
    with id 1 of its data table.
    """
    row = connection.execute(
        f"SELECT block, (SELECT min(id) FROM {table}_docsize),"
        f" (SELECT max(id) FROM {table}_docsize) FROM {table}_data WHERE id = 1"
    ).fetchone()
    if row is None or row[1] is None:
        return Size(0, 0, 0)
    rows = _varint(bytes(row[0])) or count_rows(connection, table)
    return Size(rows, row[1], row[2])


def count_rows(connection: Connection, table: str) -> int:
    """Return how many rows are indexed, by counting: inside the first transaction."""
    row = connection.execute(f"SELECT count(*) FROM {table}_docsize").fetchone()
    return int(row[0])


def count_since(connection: Connection, table: str, low: int, size: Size) -> int:
    """Return about how many indexed rows have at least the id ``low``.

    A few are counted; more are guessed from where ``low`` lies among the sessions, or
    among the rows where ids are dense.
    """
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {table}_docsize WHERE id >= ? LIMIT ?)",
        (low, _COUNTED),
    ).fetchone()
    counted = int(row[0])
    if counted < _COUNTED:
        return counted
    shift = MESSAGE_BITS if table == MESSAGES else 0
    first, last, at = size.first >> shift, size.last >> shift, low >> shift
    return max(counted, size.rows * (last - at + 1) // (last - first + 1))


_COUNTED = 1_000


def find_words(
    connection: Connection, table: str, first: str, end: str
) -> list[tuple[str, int]]:
    """Return the terms from ``first`` up to ``end`` with the number of their rows.

    The cost grows with the rows of those terms: ask for narrow spans only.
    """
    name = f"{table}_vocabulary"
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name}"
        f" USING fts5vocab(main, {table}, row)"
    )
    rows = connection.execute(
        f"SELECT term, doc FROM temp.{name} WHERE term >= ? AND term < ?", (first, end)
    )
    return [(row[0], row[1]) for row in rows]


def _varint(data: bytes) -> int:
    """Return the variable-length integer, below 2**56, at the start of ``data``."""
    value = 0
    for byte in data[:8]:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value


# -- facts of rows ----------------------------------------------------------------


class Facts(NamedTuple):
    """What ranking knows of a row beside its terms."""

    layer: int  # 0 to 3, or `ARCHIVED`.
    length: int
    at: int  # Milliseconds.
    confidence: float
    pinned: bool
    role: str  # L0: person | agent | harness.
    author: str
    head: str  # L0: the first `HEAD_LENGTH` characters.
    tail: str  # L0: the last characters.


ARCHIVED = 4
HEAD_LENGTH = 400


class Filter(NamedTuple):
    """Which rows may be found at all; applied before anything is cut."""

    layers: frozenset[int] = frozenset((0, 1, 2, 3))
    excluded: frozenset[int] = frozenset()  # Sessions, for L0, L2 and the archive.
    automatic: bool = False  # Only what an automatic block may show (B10, E1).
    role: str | None = None  # Only notes of all roles and of this one.


def find_facts(
    connection: Connection, table: str, rows: Sequence[int], allowed: Filter
) -> dict[int, Facts]:
    """Return the facts of those of ``rows`` that ``allowed`` lets through."""
    found: dict[int, Facts] = {}
    sql, extra = _facts_query(table, allowed)
    for at in range(0, len(rows), 500):
        part = rows[at : at + 500]
        marks = ",".join("?" * len(part))
        for row in connection.execute(sql.format(rows=marks), (*part, *extra)):
            found[row[0]] = Facts(*tuple(row)[1:])
    return found


def _facts_query(table: str, allowed: Filter) -> tuple[str, list[object]]:
    excluded = ",".join(map(str, sorted(allowed.excluded)))
    if table == MESSAGES:
        own = " AND NOT secret AND NOT taint" if allowed.automatic else ""
        return (
            "SELECT id, 0, length, at, 1.0, 0, role, author,"
            f" substr(text, 1, {HEAD_LENGTH}), substr(text, -2) FROM message"
            " WHERE id IN ({rows}) AND session NOT IN"
            f" (SELECT id FROM session WHERE hidden){own}",
            [],
        )
    if table == ARCHIVE:
        return (
            f"SELECT id, {ARCHIVED}, length, observed, 1.0, 0, '', '', '', ''"
            " FROM archive WHERE id IN ({rows}) AND gone IS NULL"
            f" AND coalesce(session, 0) NOT IN ({excluded})",
            [],
        )
    layers = ",".join(map(str, sorted(allowed.layers)))
    own = " AND (NOT taint OR layer <> 1 OR curated)" if allowed.automatic else ""
    role = "" if allowed.role is None else " AND role IN ('', ?)"
    return (
        "SELECT id, layer, length, updated, confidence, pinned, '', '', '', ''"
        " FROM memory WHERE id IN ({rows}) AND active AND layer IN"
        f" ({layers}) AND (layer <> 2 OR coalesce(session, 0) NOT IN ({excluded}))"
        f"{own}{role}",
        [] if allowed.role is None else [allowed.role],
    )


def find_texts(connection: Connection, rows: Sequence[int]) -> dict[int, str]:
    """Return the first 2,000 characters of each of these messages."""
    marks = ",".join("?" * len(rows))
    found = connection.execute(
        f"SELECT id, substr(text, 1, 2000) FROM message WHERE id IN ({marks})",
        tuple(rows),
    )
    return {row[0]: row[1] for row in found}


def find_tails(connection: Connection, rows: Sequence[int]) -> dict[int, str]:
    """Return the last two characters of each of these messages."""
    marks = ",".join("?" * len(rows))
    found = connection.execute(
        f"SELECT id, substr(text, -2) FROM message WHERE id IN ({marks})", tuple(rows)
    )
    return {row[0]: row[1] for row in found}


# -- indexing ---------------------------------------------------------------------


def archived_about(
    connection: Connection, paths: Sequence[str], hidden: frozenset[int], limit: int
) -> list[int]:
    """Return the archived texts of a file called one of ``paths``, the newest first.

    Those that a reader was shown, and those of calls that named nothing but it.
    """
    marks = ", ".join("?" * len(paths))
    rows = connection.execute(
        f"""SELECT id, session FROM archive WHERE state <> 'gone' AND id IN (
            SELECT archive FROM shown WHERE path IN ({marks}) AND archive IS NOT NULL
            UNION SELECT archive FROM tool WHERE title IN ({marks})
                AND archive IS NOT NULL
        ) ORDER BY id DESC""",
        (*paths, *paths),
    )
    return [row[0] for row in rows if row[1] not in hidden][:limit]


def noted_about(connection: Connection, path: str, limit: int) -> list[int]:
    """Return the active notes tied to ``path`` (relative), the newest first."""
    rows = connection.execute(
        """SELECT id FROM memory WHERE active = 1 AND layer = 1 AND id IN (
            SELECT memory FROM anchor WHERE path = ?) ORDER BY id DESC LIMIT ?""",
        (path, limit),
    )
    return [row[0] for row in rows]


def ensure_terms(
    connection: Connection, table: str, row: int, terms: Iterable[str]
) -> bool:
    """Index ``row`` under ``terms``; say whether it was not indexed before.

    An indexed row is left as it is: `delete_terms` first if its text changed.
    """
    if is_indexed(connection, table, row):
        return False
    connection.execute(
        f"INSERT INTO {table} (rowid, terms) VALUES (?, ?)", (row, _joined(terms))
    )
    return True


def delete_terms(
    connection: Connection, table: str, row: int, terms: Iterable[str]
) -> bool:
    """Take ``row`` out of the index; say whether it was there.

    ``terms`` are those it was indexed with; others would leave it half in.
    """
    if not is_indexed(connection, table, row):
        return False
    connection.execute(
        f"INSERT INTO {table} ({table}, rowid, terms) VALUES ('delete', ?, ?)",
        (row, _joined(terms)),
    )
    return True


def is_indexed(connection: Connection, table: str, row: int) -> bool:
    """Say whether ``row`` is in the index ``table``."""
    found = connection.execute(f"SELECT 1 FROM {table} WHERE rowid = ?", (row,))
    return found.fetchone() is not None


def clear_terms(connection: Connection, table: str) -> None:
    """Empty the index ``table``, to make it again with other terms or redaction."""
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")


def _joined(terms: Iterable[str]) -> str:
    return " ".join(sorted(set(terms)))
