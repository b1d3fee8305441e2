"""The read ledger's rows: which lines of which file a reader was shown (N1).

A reader is a session's main thread or one of its subagents (``scope``), and what it has
in context are the rows of its present epoch.  Row ids grow in the order in which things
became known; ``at`` is when they happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.store.driver import Connection, Row

# How a row came about.  The first three gave the reader text, which it also has after
# it wrote the whole file itself.
FULL, DELTA, NATIVE, WROTE = "full", "delta", "native", "wrote"
STUB, GONE = "stub", "gone"
OPENED, SAVED = "opened", "saved"  # By the person, in the editor (N8).
READS = (FULL, DELTA, NATIVE, STUB)
KNOWING = (FULL, DELTA, NATIVE, WROTE)  # After them the reader has the text.

MOST = 64  # Rows of one reader and file that are looked at; older ones do not count.
STALE = -1  # The epoch of what was not, or not surely, shown in the present context.


class Shown(NamedTuple):
    """Lines ``first`` to ``last`` of ``path``, as delivered to one reader."""

    session: int
    scope: str
    epoch: int
    path: str
    first: int
    last: int
    total: int  # Lines of the whole file; 0 unknown; ``last`` if it ends there.
    fingerprint: str
    archive: int | None
    turn: int | None
    native: str | None  # The record that tells of it; None for our own answers.
    tokens: int
    at: int
    structure: str = ""
    answer: str = NATIVE
    encoding: str = ""
    account: int | None = None


class Edited(NamedTuple):
    """A file that an agent changed."""

    session: int
    scope: str
    turn: int | None
    path: str
    native: str
    lines: int
    at: int
    whole: bool = False  # The reader knows the whole result: it wrote it.


class ReaderKey(NamedTuple):
    """Who has something in context: session number, scope and present epoch."""

    session: int
    scope: str
    epoch: int


_COLUMNS = ", ".join(Shown._fields)
_PLACES = ", ".join("?" * len(Shown._fields))


def ensure_shown(connection: Connection, shown: Shown) -> int | None:
    """Record a read once, whichever file tells of it; return its row if it was new."""
    done = connection.execute(
        f"INSERT INTO shown ({_COLUMNS}) VALUES ({_PLACES})"
        " ON CONFLICT (native) DO NOTHING",
        shown,
    )
    return done.lastrowid if done.rowcount > 0 else None


def ensure_edited(connection: Connection, edited: Edited) -> bool:
    """Record an edit once; say whether it was new."""
    done = connection.execute(
        """INSERT INTO edit (session, scope, turn, path, native, lines, at, whole)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (native) DO NOTHING""",
        edited,
    )
    return done.rowcount > 0


def set_symbols(connection: Connection, native: str, symbols: Sequence[str]) -> None:
    """Note which symbols an edit changed."""
    connection.execute(
        "UPDATE edit SET symbols = ? WHERE native = ?", ("\n".join(symbols), native)
    )


def last_text(connection: Connection, session: int, path: str) -> int | None:
    """Return the archived whole text of a file that a session knew last, if hot."""
    row = connection.execute(
        """SELECT s.archive FROM shown s JOIN archive a ON a.id = s.archive
        WHERE s.session = ? AND s.path = ? AND s.first = 1 AND s.last = s.total
            AND a.state = 'hot' ORDER BY s.at DESC, s.id DESC LIMIT 1""",
        (session, path),
    ).fetchone()
    return None if row is None else int(row[0])


def reader_rows(
    connection: Connection, reader: ReaderKey, paths: Sequence[str]
) -> list[Row]:
    """Return what a reader was shown of a file in its epoch, the newest first."""
    return connection.execute(
        "SELECT * FROM shown WHERE session = ? AND scope = ? AND epoch = ?"
        f" AND path IN ({_marks(paths)}) ORDER BY at DESC, id DESC LIMIT ?",
        (*reader, *paths, MOST),
    ).fetchall()


def last_moment(connection: Connection, reader: ReaderKey) -> int:
    """Return when the reader was last shown anything, in any epoch; 0 never."""
    row = connection.execute(
        "SELECT coalesce(max(at), 0) FROM shown WHERE session = ? AND scope = ?",
        reader[:2],
    ).fetchone()
    return int(row[0])


def last_edit(connection: Connection, reader: ReaderKey, paths: Sequence[str]) -> int:
    """Return when the reader last changed part of a file; -1 never.

    An edit of an unknown moment counts as one that is always the last.
    """
    row = connection.execute(
        "SELECT max(CASE WHEN at > 0 THEN at ELSE 9223372036854775807 END) FROM edit"
        f" WHERE session = ? AND scope = ? AND path IN ({_marks(paths)}) AND NOT whole",
        (*reader[:2], *paths),
    ).fetchone()
    return -1 if row[0] is None else int(row[0])


def reads_since(connection: Connection, reader: ReaderKey, row: int) -> int:
    """Return how many reads of the reader became known after row ``row``."""
    found = connection.execute(
        "SELECT count(*) FROM shown WHERE session = ? AND scope = ? AND id > ?"
        f" AND answer IN ({_marks(READS)})",
        (*reader[:2], row, *READS),
    ).fetchone()
    return int(found[0])


def count_current(connection: Connection, session: int, scope: str) -> int:
    """Return how many rows of a session's readers count in their present epochs."""
    row = connection.execute(
        """SELECT count(*) FROM shown s WHERE s.session = ?1 AND s.answer NOT IN
            ('stub', 'gone') AND (?2 = '*' OR s.scope = ?2) AND s.epoch =
            (SELECT count(*) FROM epoch e WHERE e.session = ?1
                AND e.scope IN (s.scope, '*'))""",
        (session, scope),
    ).fetchone()
    return int(row[0])


def explored_again(connection: Connection, session: int) -> int:
    """Return the tokens that a session read in full of what earlier ones knew (P6).

    Earlier ones are agents' sessions of another descent, before this one started.
    """
    row = connection.execute(
        f"""SELECT coalesce(sum(x.tokens), 0) FROM shown x
        JOIN session s ON s.id = x.session
        WHERE x.session = ? AND x.answer IN (?, ?) AND EXISTS (
            SELECT 1 FROM shown y JOIN session t ON t.id = y.session
            WHERE y.path = x.path AND y.at < s.started
            AND y.answer IN ({_marks(KNOWING)})
            AND coalesce(t.lineage, t.id) <> coalesce(s.lineage, s.id))""",
        (session, FULL, NATIVE, *KNOWING),
    ).fetchone()
    return int(row[0])


# -- across sessions (N7) ------------------------------------------------------------

_WHO = """
    SELECT {columns}, s.native AS session_native, s.agent, s.role, s.title,
        s.write_policy, s.hidden, coalesce(s.lineage, s.id) AS lineage,
        t.number AS turn_number
    FROM {table} x JOIN session s ON s.id = x.session
    LEFT JOIN turn t ON t.id = x.turn
"""
_SHOWN = _WHO.format(columns="x.*", table="shown")
_EDITED = _WHO.format(columns="x.*", table="edit")


def path_reads(connection: Connection, paths: Sequence[str], limit: int) -> list[Row]:
    """Return who was shown a file, in any session, the newest first."""
    return connection.execute(
        _SHOWN + f"WHERE x.path IN ({_marks(paths)}) AND x.answer <> 'gone'"
        " ORDER BY x.at DESC, x.id DESC LIMIT ?",
        (*paths, limit),
    ).fetchall()


def path_edits(connection: Connection, paths: Sequence[str], limit: int) -> list[Row]:
    """Return who changed a file, in any session, the newest first."""
    return connection.execute(
        _EDITED + f"WHERE x.path IN ({_marks(paths)})"
        " ORDER BY x.at DESC, x.id DESC LIMIT ?",
        (*paths, limit),
    ).fetchall()


class FilePage(NamedTuple):
    """Which files to list."""

    limit: int = 100
    offset: int = 0
    since: int = 0  # Only those touched at or after this moment.


def list_files(connection: Connection, page: FilePage) -> tuple[list[Row], int]:
    """Return files by who touched them last, and how many there are."""
    given: dict[str, Any] = page._asdict()
    touched = """(SELECT path, session, at, answer FROM shown WHERE answer <> 'gone'
        UNION ALL SELECT path, session, at, 'edited' FROM edit) WHERE at >= :since"""
    total = connection.execute(f"SELECT count(DISTINCT path) FROM {touched}", given)
    rows = connection.execute(
        f"""SELECT path, max(at) AS at, count(DISTINCT session) AS sessions,
            total(answer IN ('full', 'delta', 'native', 'stub')) AS reads,
            total(answer IN ('edited', 'saved')) AS edits
        FROM {touched} GROUP BY path ORDER BY at DESC, path LIMIT :limit
        OFFSET :offset""",
        given,
    )
    return rows.fetchall(), int(total.fetchone()[0])


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
