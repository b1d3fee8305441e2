"""How far each transcript file was read, and the lease that one reader holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.store.sessions import session_range

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row


class CursorRow(NamedTuple):
    """The place a file was read up to, and how to know the file again."""

    path: str
    agent: str
    device: str  # Device and inode, or the Windows file id.
    offset: int
    size: int
    tail: bytes  # Digest of the last bytes before ``offset``.
    state: str  # The reader's own state, JSON.
    skipped: int
    unknown: str  # JSON: record kind -> count.
    transcript: int | None
    at: int


def find_cursor(connection: Connection, path: str) -> Row | None:
    """Return the cursor of the file at ``path``."""
    row: Row | None = connection.execute(
        "SELECT * FROM cursor WHERE path = ?", (path,)
    ).fetchone()
    return row


def ensure_cursor(connection: Connection, cursor: CursorRow) -> None:
    """Store how far a file was read; in the same transaction as what was read."""
    connection.execute(
        """INSERT OR REPLACE INTO cursor (path, agent, device, offset, size, tail,
            state, skipped, unknown, transcript, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        cursor,
    )


def list_cursors(connection: Connection) -> list[Row]:
    """Return all cursors."""
    return connection.execute("SELECT * FROM cursor").fetchall()


def session_cursors(
    connection: Connection, native: str, sessions: list[int]
) -> list[Row]:
    """Return the cursors of a session's files.

    These are the kept files that are its own, the one its newest message came from
    (a file may tell of several sessions), and those named after it.
    """
    found: dict[str, Row] = {}
    for session in sessions:
        low, high = session_range(session)
        for row in connection.execute(
            """SELECT * FROM cursor WHERE transcript IN
                (SELECT id FROM transcript WHERE session = ?1 UNION
                SELECT * FROM (SELECT transcript FROM message
                    WHERE id BETWEEN ?2 AND ?3 ORDER BY id DESC LIMIT 1))
            OR (length(?4) >= 8 AND instr(path, ?4) > 0)""",
            (session, low, high, native),
        ).fetchall():
            found[row["path"]] = row
    return list(found.values())


def take_lease(
    connection: Connection, name: str, holder: str, now: int, length: int
) -> bool:
    """Take or renew the lease ``name`` for ``length`` ms; False when another holds it.

    A lease from the future (a clock that went back) counts as expired.
    """
    done = connection.execute(
        """INSERT INTO lease (name, holder, until) VALUES (?1, ?2, ?3 + ?4)
        ON CONFLICT (name) DO UPDATE SET holder = ?2, until = ?3 + ?4
        WHERE holder = ?2 OR until <= ?3 OR until > ?3 + 10 * ?4""",
        (name, holder, now, length),
    )
    return done.rowcount == 1


def is_held(connection: Connection, name: str, now: int) -> bool:
    """Say whether somebody holds the lease; one from the far future is void."""
    row = connection.execute(
        "SELECT 1 FROM lease WHERE name = ? AND until > ? AND until <= ? + 600000",
        (name, now, now),
    ).fetchone()
    return row is not None


def drop_lease(connection: Connection, name: str, holder: str) -> None:
    """Give the lease back, so that the next process need not wait for its end."""
    connection.execute(
        "DELETE FROM lease WHERE name = ? AND holder = ?", (name, holder)
    )
