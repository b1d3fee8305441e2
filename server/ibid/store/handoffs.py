"""Which sessions' handoffs were written, for which moment, and which are due (O2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

_SEEN = "s.write_policy <> 'deny' AND NOT s.hidden"
_NEWEST = "ORDER BY s.last DESC, s.id DESC LIMIT 1"


class HandoffRow(NamedTuple):
    """A written handoff; ``seen`` is its session's last moment at that time."""

    session: int
    why: str
    seen: int
    digest: str
    at: int


def ensure_handoff(connection: Connection, row: HandoffRow) -> None:
    """Remember what was written last for a session."""
    connection.execute(
        "INSERT OR REPLACE INTO handoff (session, why, seen, digest, at)"
        " VALUES (?, ?, ?, ?, ?)",
        row,
    )


def list_handoffs(connection: Connection) -> list[Row]:
    """Return the sessions with a written handoff, each with ``why`` and ``digest``."""
    return connection.execute(
        """SELECT s.*, h.why, h.digest, h.seen FROM handoff h
        JOIN session s ON s.id = h.session WHERE h.digest <> ''
        ORDER BY s.last, s.id"""
    ).fetchall()


def due_sessions(connection: Connection, since: int) -> list[Row]:
    """Return sessions that went on since their handoff was written, oldest first.

    Each has ``turn_state`` of its last turn and whether since then something was
    ``committed`` or a plan or to-do list was ``planned`` or finished.
    """
    return connection.execute(
        f"""SELECT s.*, t.state AS turn_state,
            EXISTS (SELECT 1 FROM tool o WHERE o.session = s.id AND o.kind = 'exec'
                AND NOT o.error AND o.at > coalesce(h.seen, 0)
                AND (o.title LIKE '%git commit%' OR o.title LIKE '%git switch%'
                    OR o.title LIKE '%git checkout %')) AS committed,
            EXISTS (SELECT 1 FROM todo d WHERE d.session = s.id
                AND d.at > coalesce(h.seen, 0)
                AND d.items NOT LIKE '%"pending"]%'
                AND d.items NOT LIKE '%"active"]%') AS planned
        FROM session s LEFT JOIN handoff h ON h.session = s.id
        LEFT JOIN turn t ON t.session = s.id AND t.number =
            (SELECT max(number) FROM turn WHERE session = s.id)
        WHERE {_SEEN} AND s.kind = 'main' AND s.last >= ?
            AND (h.session IS NULL OR s.last > h.seen
                OR (s.ended IS NOT NULL AND h.why NOT IN ('ended', 'closing')))
        ORDER BY s.last, s.id LIMIT 50""",
        (since,),
    ).fetchall()


def latest_session(connection: Connection) -> Row | None:
    """Return the session that did something last and has turns."""
    row: Row | None = connection.execute(
        f"""SELECT * FROM session s WHERE {_SEEN} AND s.kind = 'main'
        AND EXISTS (SELECT 1 FROM turn t WHERE t.session = s.id) {_NEWEST}"""
    ).fetchone()
    return row


def latest_written(connection: Connection) -> int | None:
    """Return the number of the latest session that has a written handoff."""
    row = connection.execute(
        f"""SELECT s.id FROM handoff h JOIN session s ON s.id = h.session
        WHERE h.digest <> '' AND {_SEEN} {_NEWEST}"""
    ).fetchone()
    return None if row is None else int(row[0])
