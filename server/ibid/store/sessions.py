"""Sessions and their epochs: who talked, and when a reader's context began anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.store.tables import MESSAGE_BITS

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row


EDITOR = "editor"
"""Agent and native id of the person's own session at the editor (N8)."""

_PERSONS = f"s.agent = '{EDITOR}' AND s.native = '{EDITOR}'"


class SessionFacts(NamedTuple):
    """What is known of a session; empty fields add nothing."""

    agent: str
    native: str
    role: str = ""
    kind: str = ""
    title: str = ""
    cwd: str = ""
    branch: str = ""
    agent_version: str = ""
    at: int = 0


def ensure_session(connection: Connection, facts: SessionFacts) -> Row:
    """Return the session's row, made or completed with ``facts``; idempotent.

    The first working directory and role stay; title, branch and version follow.  A
    session that was met before its agent was known becomes this agent's.
    """
    if facts.agent:
        _adopt(connection, facts)
    connection.execute(
        "INSERT INTO session (agent, native, role, started, last)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (agent, native) DO NOTHING",
        (facts.agent, facts.native, facts.role, facts.at, facts.at),
    )
    connection.execute(
        """UPDATE session SET
            kind = CASE WHEN :kind <> '' THEN :kind ELSE kind END,
            title = CASE WHEN :title <> '' THEN :title ELSE title END,
            cwd = CASE WHEN cwd = '' THEN :cwd ELSE cwd END,
            branch = CASE WHEN :branch <> '' THEN :branch ELSE branch END,
            agent_version = CASE WHEN :agent_version <> '' THEN :agent_version
                ELSE agent_version END,
            started = CASE WHEN started = 0 OR (:at > 0 AND :at < started) THEN :at
                ELSE started END,
            last = max(last, :at)
        WHERE agent = :agent AND native = :native""",
        facts._asdict(),
    )
    row = find_session(connection, facts.native, facts.agent)
    assert row is not None
    return row


def _adopt(connection: Connection, facts: SessionFacts) -> None:
    """Make a session of an unknown agent this agent's.

    Perhaps it is another one of the same name, so what it was shown counts no more.
    """
    row = connection.execute(
        "SELECT id FROM session WHERE agent = '' AND native = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM session WHERE agent = ?2 AND native = ?1)",
        (facts.native, facts.agent),
    ).fetchone()
    if row is not None:
        connection.execute(
            "UPDATE session SET agent = ? WHERE id = ?", (facts.agent, row[0])
        )
        boundary = f"{WIRE}adopted"
        ensure_epoch(
            connection, EpochStart(row[0], EVERY, boundary, "adopted", facts.at)
        )


def find_session(
    connection: Connection, native: str, agent: str | None = None
) -> Row | None:
    """Return the session with this native id, of any agent unless one is named."""
    sql = "SELECT * FROM session WHERE native = ?"
    given: tuple[Any, ...] = (native,)
    if agent is not None:
        sql, given = sql + " AND agent = ?", (native, agent)
    row: Row | None = connection.execute(sql, given).fetchone()
    return row


def find_sessions(connection: Connection, prefix: str, limit: int = 3) -> list[Row]:
    """Return the sessions whose native id starts with ``prefix``, newest first."""
    escaped = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return connection.execute(
        "SELECT * FROM session WHERE native LIKE ? ESCAPE '\\'"
        " ORDER BY last DESC LIMIT ?",
        (escaped + "%", limit),
    ).fetchall()


def same_sessions(connection: Connection, native: str) -> list[Row]:
    """Return every agent's session with exactly this native id."""
    return connection.execute(
        "SELECT * FROM session WHERE native = ? ORDER BY id", (native,)
    ).fetchall()


def list_sessions(connection: Connection, limit: int, offset: int) -> list[Row]:
    """Return sessions newest first, each with its number of turns.

    ``control_of`` is what the control group withholds from it, by commas (P6).

    The person's own at the editor is none of them (N8).
    """
    return connection.execute(
        f"""SELECT s.*, (SELECT count(*) FROM turn t WHERE t.session = s.id) AS turns,
            (SELECT count(*) FROM transcript k
                WHERE k.session = s.id AND k.gone IS NULL) AS kept,
            (SELECT group_concat(DISTINCT r.kind) FROM receipt r
                WHERE r.native = s.native AND r.control = 'withheld') AS control_of
        FROM session s WHERE NOT ({_PERSONS})
        ORDER BY s.last DESC, s.id DESC LIMIT ? OFFSET ?""",
        (limit, offset),
    ).fetchall()


def count_sessions(connection: Connection) -> int:
    """Return how many sessions `list_sessions` has."""
    sql = f"SELECT count(*) FROM session s WHERE NOT ({_PERSONS})"
    return int(connection.execute(sql).fetchone()[0])


def touch_session(connection: Connection, session: int, at: int) -> None:
    """Move the session's last moment forward to ``at``; it is not ended any more."""
    connection.execute(
        "UPDATE session SET last = max(last, ?),"
        " started = CASE WHEN started = 0 THEN ? ELSE started END WHERE id = ?",
        (at, at, session),
    )


def end_session(connection: Connection, session: int, at: int) -> None:
    """Record that the agent said the session is over."""
    connection.execute(
        "UPDATE session SET ended = ?, last = max(last, ?) WHERE id = ?",
        (at, at, session),
    )


def link_lineage(connection: Connection, child: int, parent: int, point: str) -> None:
    """Record that ``child`` goes on where ``parent`` was, from record ``point``.

    All sessions of one descent share ``lineage``, the oldest one's number (G3).
    """
    row = connection.execute(
        "SELECT coalesce(lineage, id) FROM session WHERE id = ?", (parent,)
    ).fetchone()
    own = connection.execute(
        "SELECT coalesce(lineage, id) FROM session WHERE id = ?", (child,)
    ).fetchone()
    if child == parent or row is None or row[0] == own[0]:
        return
    connection.execute(
        "UPDATE session SET parent = coalesce(parent, ?),"
        " fork_point = coalesce(fork_point, ?) WHERE id = ?",
        (parent, point, child),
    )
    connection.execute(
        "UPDATE session SET lineage = ? WHERE id IN (?, ?) OR lineage = ?",
        (min(row[0], own[0]), child, parent, max(row[0], own[0])),
    )


def lineage_of(connection: Connection, session: int) -> list[int]:
    """Return the numbers of all sessions of the same descent, itself included (G3)."""
    rows = connection.execute(
        """SELECT id FROM session WHERE coalesce(lineage, id) =
            (SELECT coalesce(lineage, id) FROM session WHERE id = ?)""",
        (session,),
    ).fetchall()
    return [row[0] for row in rows]


def set_policy(connection: Connection, session: int, values: dict[str, str]) -> None:
    """Store ``preset``, ``read`` and ``write`` of a session (H1).

    A session that may not be written hides what was stored of it before (H4).
    """
    connection.execute(
        "UPDATE session SET preset = :preset, read_policy = :read,"
        " write_policy = :write, hidden = :write = 'deny', version = version + 1"
        " WHERE id = :id",
        {**values, "id": session},
    )


def hidden_sessions(connection: Connection) -> frozenset[int]:
    """Return the sessions whose content is withdrawn from search and recall (H4)."""
    rows = connection.execute("SELECT id FROM session WHERE hidden").fetchall()
    return frozenset(row[0] for row in rows)


def closed_sessions(connection: Connection) -> frozenset[int]:
    """Return the sessions that no other project hears of: hidden, or private (H4)."""
    rows = connection.execute(
        "SELECT id FROM session WHERE hidden OR write_policy = 'deny'"
    ).fetchall()
    return frozenset(row[0] for row in rows)


def session_range(session: int) -> tuple[int, int]:
    """Return the first and the last row id a message of ``session`` can have."""
    return session << MESSAGE_BITS, ((session + 1) << MESSAGE_BITS) - 1


# -- epochs --------------------------------------------------------------------

EVERY = "*"  # The scope of what ends the context of all readers of a session.
WIRE = "wire:"  # Begins a boundary's id that no transcript gave.


class EpochStart(NamedTuple):
    """Why and when a reader's context began anew (N4)."""

    session: int
    scope: str  # `EVERY`: all readers of the session.
    boundary: str  # The native id of what began it: hook and transcript count once.
    reason: str
    at: int


def ensure_epoch(connection: Connection, start: EpochStart) -> int:
    """Return the number of the epoch that ``start`` began, made if it is new."""
    connection.execute(
        """INSERT INTO epoch (session, scope, number, boundary, reason, at)
        SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5 FROM epoch
        WHERE session = ?1 AND scope = ?2
        ON CONFLICT (session, scope, boundary) DO NOTHING""",
        start,
    )
    return current_epoch(connection, start.session, start.scope)


def current_epoch(connection: Connection, session: int, scope: str = "") -> int:
    """Return the number of the reader's present epoch; 0 is the first.

    It counts what began one for this reader or for all: it only ever grows.
    """
    row = connection.execute(
        "SELECT count(*) FROM epoch WHERE session = ? AND scope IN (?, ?)",
        (session, scope, EVERY),
    ).fetchone()
    return int(row[0])


def epoch_at(connection: Connection, session: int, scope: str, at: int) -> int:
    """Return the reader's epoch if the moment ``at`` lies in it, else -1 (N4).

    What a transcript tells late, of before a compaction that is known already, is not
    in the reader's context any more.  Boundaries from elsewhere than a transcript have
    no order with its records but the time, so an equal moment counts as before.
    """
    row = connection.execute(
        "SELECT coalesce(max(at), -1),"
        " coalesce(max(CASE WHEN boundary LIKE ? THEN at END), -1)"
        " FROM epoch WHERE session = ? AND scope IN (?, ?)",
        (WIRE + "%", session, scope, EVERY),
    ).fetchone()
    if at < row[0] or at <= row[1]:
        return -1
    return current_epoch(connection, session, scope)


def epoch_began(connection: Connection, session: int) -> int:
    """Return when the main thread's present epoch began; 0 when that is not known."""
    row = connection.execute(
        "SELECT max(at) AS last, (SELECT at FROM epoch WHERE session = ?1"
        " AND scope IN ('', '*') ORDER BY id DESC LIMIT 1) AS told"
        " FROM epoch WHERE session = ?1 AND scope IN ('', '*')",
        (session,),
    ).fetchone()
    return int(row["last"]) if row["told"] else 0
