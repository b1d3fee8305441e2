"""Live sessions, what they touched last, and the paths they claimed (O4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.store.driver import Connection, Row

_SEEN = "s.write_policy <> 'deny' AND NOT s.hidden AND s.ended IS NULL"


def live_sessions(connection: Connection, since: int) -> list[Row]:
    """Return sessions that did something since then and did not end, newest first."""
    return connection.execute(
        f"""SELECT * FROM session s WHERE {_SEEN} AND s.last >= ?
        ORDER BY s.last DESC, s.id DESC LIMIT 20""",
        (since,),
    ).fetchall()


def touched_last(connection: Connection, session: int, most: int) -> list[str]:
    """Return the paths a session edited last, else read last."""
    for table in ("edit", "shown"):
        rows = connection.execute(
            f"""SELECT path, max(at) AS newest FROM {table} WHERE session = ?
            GROUP BY path ORDER BY newest DESC, path LIMIT ?""",
            (session, most),
        ).fetchall()
        if rows:
            return [row["path"] for row in rows]
    return []


def list_claims(connection: Connection, since: int) -> list[Row]:
    """Return the claims of sessions that did something since then, by path.

    A claim itself is such a doing.
    """
    return connection.execute(
        f"""SELECT s.id, s.native, s.agent, c.path, c.at FROM claim c
        JOIN session s ON s.id = c.session
        WHERE {_SEEN} AND max(s.last, c.at) >= ? ORDER BY c.path, c.at""",
        (since,),
    ).fetchall()


def claims_of(connection: Connection, session: int) -> list[str]:
    """Return the paths that one session has claimed."""
    rows = connection.execute(
        "SELECT path FROM claim WHERE session = ? ORDER BY path", (session,)
    ).fetchall()
    return [row["path"] for row in rows]


def ensure_claims(
    connection: Connection, session: int, paths: Sequence[str], at: int
) -> None:
    """Claim ``paths``; what is claimed already keeps its beginning."""
    connection.executemany(
        "INSERT OR IGNORE INTO claim (session, path, at) VALUES (?, ?, ?)",
        [(session, path, at) for path in paths],
    )


def drop_claims(connection: Connection, session: int, paths: Sequence[str]) -> None:
    """Release ``paths``, or all that the session has when none is given."""
    if not paths:
        connection.execute("DELETE FROM claim WHERE session = ?", (session,))
        return
    connection.executemany(
        "DELETE FROM claim WHERE session = ? AND path = ?",
        [(session, path) for path in paths],
    )


def drop_ended(connection: Connection, before: int) -> None:
    """Drop the claims of sessions that ended, or were silent since ``before``."""
    connection.execute(
        """DELETE FROM claim WHERE at < ?1 AND session IN
            (SELECT id FROM session WHERE last < ?1)
        OR session IN (SELECT id FROM session WHERE ended IS NOT NULL)""",
        (before,),
    )
