"""Candidates that wait to become notes (C1-C5), tombstones and suppression keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.store.memories import _insert

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

PENDING = "pending"
ACCEPTED = "accepted"
REJECTED = "rejected"
EXPIRED = "expired"
WITHDRAWN = "withdrawn"
SNOOZED = "snoozed"  # Shown as a state of its own; kept as pending that waits so.
STATES = (PENDING, SNOOZED, REJECTED, EXPIRED, WITHDRAWN, ACCEPTED)


class NewCandidate(NamedTuple):
    """A sentence that may become a note; its text has been redacted."""

    key: str
    category: str
    text: str
    signal: str
    confidence: float
    at: int
    due: int
    waits: str
    reason: str
    created: int
    # Where it was said; nowhere, for what no person said in a session.
    session: int | None = None
    turn: int | None = None
    message: int | None = None
    start: int = 0
    end: int = 0
    role: str = ""
    author: str = "person"
    origin: str = "automatic"
    taint: bool = False
    redact_version: int = 0
    terms_version: int = 0


def ensure_candidate(connection: Connection, new: NewCandidate) -> int | None:
    """Insert a candidate; None when its turn said the same already."""
    known = connection.execute(
        "SELECT 1 FROM candidate WHERE session IS ? AND turn IS ? AND category = ?"
        " AND text = ?",
        (new.session, new.turn, new.category, new.text),
    ).fetchone()
    if known:
        return None
    return _insert(connection, "candidate", {**new._asdict(), "updated": new.created})


def restart_window(connection: Connection, session: int, due: int) -> int:
    """Move the session's settling candidates to ``due``, never earlier (C2)."""
    done = connection.execute(
        "UPDATE candidate SET due = max(due, ?) WHERE session = ? AND state = ?"
        " AND waits = 'settling'",
        (due, session, PENDING),
    )
    return done.rowcount


def withdraw_session(connection: Connection, session: int, reason: str, at: int) -> int:
    """Withdraw a session's pending candidates, as its policy changed (C4)."""
    done = connection.execute(
        "UPDATE candidate SET state = ?, reason = ?, updated = ?, version = version + 1"
        " WHERE session = ? AND state = ?",
        (WITHDRAWN, reason, at, session, PENDING),
    )
    return done.rowcount


_JOINED = """SELECT c.*, s.native AS session_native, s.agent, s.title,
    s.last AS session_last, s.write_policy, t.number AS turn_number, t.at AS turn_at,
    m.native AS message_native, r.key AS resembles_key
FROM candidate c LEFT JOIN session s ON s.id = c.session
LEFT JOIN turn t ON t.id = c.turn LEFT JOIN message m ON m.id = c.message
LEFT JOIN memory r ON r.id = c.resembles"""


def due_candidates(
    connection: Connection, now: int, since: int, limit: int
) -> list[Row]:
    """Return settling candidates whose window is over and whose session rests (C2).

    Sessions that were over before ``since`` are history and not among them (C1).
    """
    return connection.execute(
        f"""{_JOINED} WHERE c.state = 'pending' AND c.waits = 'settling' AND c.due <= ?
        AND coalesce(s.last, c.at) >= ?
        AND NOT EXISTS (SELECT 1 FROM turn o WHERE o.session = c.session
            AND o.state = 'open')
        ORDER BY c.due, c.id LIMIT ?""",
        (now, since, limit),
    ).fetchall()


def claim(connection: Connection, candidate: int, at: int) -> bool:
    """Take a pending candidate for promotion; False when another process did (C3)."""
    done = connection.execute(
        "UPDATE candidate SET state = ?, updated = ?, version = version + 1"
        " WHERE id = ? AND state = ?",
        (ACCEPTED, at, candidate, PENDING),
    )
    return done.rowcount == 1


class CandidatePage(NamedTuple):
    """Which candidates to list; ``state`` "" means those that wait."""

    query: str = ""
    state: str = ""
    limit: int = 100
    offset: int = 0


def list_candidates(
    connection: Connection, page: CandidatePage, first_seen: int
) -> tuple[list[Row], int]:
    """Return one page of candidates and how many there are.

    Those of living sessions come first, the soonest due on top; then *From your
    history* (sessions that ended before ``first_seen``), the most repeated first (C1).
    """
    where = "c.state = :state"
    if page.state == SNOOZED:
        where += " AND c.waits = 'snoozed'"
    if page.query:
        where += " AND instr(lower(c.text), lower(:query)) > 0"
    state = PENDING if page.state in ("", SNOOZED) else page.state
    given = {**page._asdict(), "state": state, "first": first_seen}
    count = f"SELECT count(*) FROM candidate c WHERE {where}"
    total = int(connection.execute(count, given).fetchone()[0])
    sql = (
        f"{_JOINED} WHERE {where} ORDER BY coalesce(s.last < :first, 0),"
        " CASE WHEN coalesce(s.last < :first, 0) THEN -c.repeats ELSE 0 END,"
        " c.due, c.id LIMIT :limit OFFSET :offset"
    )
    return connection.execute(sql, given).fetchall(), total


def find_candidate(connection: Connection, candidate: int) -> Row | None:
    """Return a candidate with its session and turn."""
    row: Row | None = connection.execute(
        f"{_JOINED} WHERE c.id = ?", (candidate,)
    ).fetchone()
    return row


def count_pending(connection: Connection) -> int:
    """Return how many candidates wait."""
    row = connection.execute(
        "SELECT count(*) FROM candidate WHERE state = 'pending'"
    ).fetchone()
    return int(row[0])


def expire(connection: Connection, before: int, at: int) -> int:
    """Let what nobody touched since ``before`` expire quietly (C5)."""
    done = connection.execute(
        "UPDATE candidate SET state = 'expired', updated = ?, version = version + 1"
        " WHERE state = 'pending' AND updated < ?",
        (at, before),
    )
    return done.rowcount


NEXT_SESSION = 2**53  # A snooze that only a new session ends.


def wake_snoozed(connection: Connection, now: int) -> None:
    """Wake what was put off until a next session begins (C5)."""
    connection.execute(
        "UPDATE candidate SET snoozed = ? WHERE state = 'pending'"
        " AND waits = 'snoozed' AND snoozed >= ?",
        (now, NEXT_SESSION),
    )


def count_repeats(connection: Connection) -> None:
    """Note how often each waiting sentence was said, for *From your history* (C1)."""
    connection.execute(
        """UPDATE candidate SET repeats = said.count FROM
            (SELECT lower(text) AS text, count(*) AS count FROM candidate
            WHERE state = 'pending' GROUP BY lower(text)) AS said
        WHERE state = 'pending' AND lower(candidate.text) = said.text"""
    )


# -- tombstones and suppression ------------------------------------------------


class Tombstone(NamedTuple):
    """What is left of a forgotten, rejected or deleted note: keyed hashes (D5, K3)."""

    kind: str  # forgotten | rejected | deleted
    key: str
    category: str
    hashes: str  # Space separated, sorted.
    at: int


def add_tombstone(connection: Connection, stone: Tombstone) -> None:
    """Remember that this was let go, so that it does not silently come back."""
    connection.execute(
        "INSERT INTO tombstone (kind, key, category, hashes, at)"
        " VALUES (?, ?, ?, ?, ?)",
        stone,
    )


def drop_tombstones(connection: Connection, key: str) -> None:
    """Forget the tombstones of ``key``: it was restored."""
    connection.execute("DELETE FROM tombstone WHERE key = ?", (key,))


def list_tombstones(connection: Connection) -> list[Row]:
    """Return all tombstones, newest first."""
    return connection.execute("SELECT * FROM tombstone ORDER BY id DESC").fetchall()


class Suppression(NamedTuple):
    """A record, or a span of its text in characters, that must not come back (K3).

    Start and end 0 mean the whole record; ``session:ID`` a whole session.
    """

    native: str
    start: int
    end: int
    at: int


def ensure_suppression(connection: Connection, given: Suppression) -> None:
    """Remember what a later import must leave out."""
    connection.execute(
        'INSERT OR REPLACE INTO suppression (native, start, "end", at)'
        " VALUES (?, ?, ?, ?)",
        given,
    )


def suppressed_spans(connection: Connection, native: str) -> list[tuple[int, int]]:
    """Return the spans of a record's text that were cut out of it."""
    rows = connection.execute(
        'SELECT start, "end" FROM suppression WHERE native = ? AND "end" > 0',
        (native,),
    ).fetchall()
    return [(row[0], row[1]) for row in rows]


def is_suppressed(connection: Connection, native: str) -> bool:
    """Say whether the whole record ``native`` was deleted and must not return (K3)."""
    row = connection.execute(
        'SELECT 1 FROM suppression WHERE native = ? AND start = 0 AND "end" = 0',
        (native,),
    ).fetchone()
    return row is not None
