"""The turn log, L0: turns, their messages and their tool calls (A2).

A message is one whole prompt or one whole answer.  Its row id is the session's number
shifted by `MESSAGE_BITS` plus its position, so that neighbours and the exclusion of a
session are ranges.  Turns and messages carry their native record id, unique over all
sessions of the project: what a fork or resume copied is found here, not doubled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import AmbiguousError, StoreError
from ibid.store.sessions import session_range

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

OPEN = "open"
COMPLETED = "completed"
PRESUMED = "presumed"


class NewMessage(NamedTuple):
    """A prompt or answer to be kept."""

    session: int
    turn: int | None
    role: str  # person | agent | harness
    text: str
    at: int
    native: str
    scope: str = ""
    voice: str = ""
    author: str = ""
    part: str = ""  # The agent's id of the message its blocks belong to.
    transcript: int | None = None
    start: int = 0
    end: int = 0
    secret: bool = False
    taint: bool = False
    length: int = 0  # Number of terms, for the ranking.
    handle: str = ""  # Of its text, so that a cut can say where the rest is (M4).
    redact_version: int = 0
    terms_version: int = 0


# -- turns ---------------------------------------------------------------------


def open_turn(connection: Connection, session: int, native: str, at: int) -> Row:
    """Return a new open turn of ``session``, numbered after its last one.

    If a turn with this native id exists it is returned as it is.
    """
    connection.execute(
        """INSERT INTO turn (session, number, native, at)
        SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3 FROM turn WHERE session = ?1
        ON CONFLICT (native) DO NOTHING""",
        (session, native, at),
    )
    row: Row = connection.execute(
        "SELECT * FROM turn WHERE native = ?", (native,)
    ).fetchone()
    return row


def last_turn(connection: Connection, session: int) -> Row | None:
    """Return the newest turn of ``session``."""
    row: Row | None = connection.execute(
        "SELECT * FROM turn WHERE session = ? ORDER BY number DESC LIMIT 1", (session,)
    ).fetchone()
    return row


def turn_at(connection: Connection, session: int, at: int) -> Row | None:
    """Return the turn of ``session`` that was running at the moment ``at``."""
    row: Row | None = connection.execute(
        "SELECT * FROM turn WHERE session = ? AND at <= ? ORDER BY number DESC LIMIT 1",
        (session, at),
    ).fetchone()
    return row


def find_turn(connection: Connection, turn: int) -> Row | None:
    """Return the turn with this row id."""
    row: Row | None = connection.execute(
        "SELECT * FROM turn WHERE id = ?", (turn,)
    ).fetchone()
    return row


def turn_by_number(connection: Connection, session: int, number: int) -> Row | None:
    """Return the ``number``-th turn of ``session``, counted from 1."""
    row: Row | None = connection.execute(
        "SELECT * FROM turn WHERE session = ? AND number = ?", (session, number)
    ).fetchone()
    return row


def end_turn(connection: Connection, turn: int, state: str, at: int) -> None:
    """Set how and when a turn ended (B1)."""
    connection.execute(
        "UPDATE turn SET state = ?, ended = max(at, ?), version = version + 1"
        " WHERE id = ?",
        (state, at, turn),
    )


def add_flags(connection: Connection, turn: int, flags: frozenset[str]) -> None:
    """Add provenance flags to a turn (B7); known ones stay once."""
    row = connection.execute("SELECT flags FROM turn WHERE id = ?", (turn,)).fetchone()
    if row is None:
        return
    merged = " ".join(sorted(set(row[0].split()) | flags))
    if merged != row[0]:
        connection.execute("UPDATE turn SET flags = ? WHERE id = ?", (merged, turn))


def idle_turns(connection: Connection, before: int) -> list[Row]:
    """Return open turns whose session has been silent since ``before``."""
    return connection.execute(
        """SELECT t.*, s.last AS session_last FROM turn t
        JOIN session s ON s.id = t.session WHERE t.state = ? AND s.last < ?""",
        (OPEN, before),
    ).fetchall()


def list_turns(connection: Connection, session: int) -> list[Row]:
    """Return the turns of ``session`` in order."""
    return connection.execute(
        "SELECT * FROM turn WHERE session = ? ORDER BY number", (session,)
    ).fetchall()


# -- messages ------------------------------------------------------------------


def find_native(connection: Connection, native: str) -> Row | None:
    """Return the message of this native record id, in whichever session.

    A block that joined another one's message is found as well.
    """
    row: Row | None = connection.execute(
        "SELECT * FROM message WHERE native = ?1 UNION ALL SELECT m.* FROM block b"
        " JOIN message m ON m.id = b.message WHERE b.native = ?1 LIMIT 1",
        (native,),
    ).fetchone()
    return row


def find_message(connection: Connection, message: int) -> Row | None:
    """Return the message with this row id."""
    row: Row | None = connection.execute(
        "SELECT * FROM message WHERE id = ?", (message,)
    ).fetchone()
    return row


def find_by_handle(connection: Connection, handle: str) -> Row | None:
    """Return a message whose text's handle is, or begins with, ``handle``; else None.

    Raises:
        AmbiguousError: several different handles begin so.
    """
    rows = connection.execute(
        "SELECT * FROM message WHERE handle >= ? AND handle < ?"
        " GROUP BY handle LIMIT 2",
        (handle, handle + "g"),
    ).fetchall()
    if len(rows) > 1 and rows[0]["handle"] != handle:
        raise AmbiguousError(f"Several texts begin with {handle}. Give more of it.")
    return rows[0] if rows and handle else None


def find_part(connection: Connection, turn: int, scope: str, part: str) -> Row | None:
    """Return the answer of ``turn`` that blocks of agent message ``part`` join."""
    row: Row | None = connection.execute(
        "SELECT * FROM message WHERE turn = ? AND scope = ? AND part = ?"
        " AND part <> ''",
        (turn, scope, part),
    ).fetchone()
    return row


def add_message(connection: Connection, message: NewMessage) -> int:
    """Insert ``message`` at the session's next position and return its row id.

    Raises:
        StoreError: the session has no positions left (a million messages).
    """
    low, high = session_range(message.session)
    row = connection.execute(
        "SELECT coalesce(max(id), ?) + 1 FROM message WHERE id BETWEEN ? AND ?",
        (low - 1, low, high),
    ).fetchone()
    if row[0] > high:
        raise StoreError(
            f"Session {message.session} has more than {high - low} messages; later "
            "ones are not kept. Start a new session in the agent."
        )
    connection.execute(
        """INSERT INTO message (id, session, turn, role, text, at, native, scope, voice,
            author, part, transcript, start, "end", secret, taint, length, handle,
            redact_version, terms_version)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (row[0], *message),
    )
    return int(row[0])


def add_block(connection: Connection, native: str, message: int) -> None:
    """Record that the block ``native`` joined a message (A2)."""
    connection.execute(
        "INSERT OR IGNORE INTO block (native, message) VALUES (?, ?)",
        (native, message),
    )


def has_blocks(connection: Connection, message: int) -> bool:
    """Say whether other blocks joined a message."""
    row = connection.execute(
        "SELECT 1 FROM block WHERE message = ? LIMIT 1", (message,)
    ).fetchone()
    return row is not None


class NewText(NamedTuple):
    """A message's text after another block was added to it."""

    message: int
    text: str
    end: int
    secret: bool
    length: int
    handle: str


def replace_text(connection: Connection, new: NewText) -> None:
    """Replace the text of a message, when another block of it arrived."""
    connection.execute(
        'UPDATE message SET text = ?, "end" = ?, secret = ?, length = ?, handle = ?,'
        " version = version + 1 WHERE id = ?",
        (new.text, new.end, new.secret, new.length, new.handle, new.message),
    )


def turn_messages(connection: Connection, turn: int) -> list[Row]:
    """Return the main thread's messages of a turn, in order."""
    return connection.execute(
        "SELECT * FROM message WHERE turn = ? AND scope = '' ORDER BY id", (turn,)
    ).fetchall()


# -- tools, usage, audit, to-do lists ------------------------------------------


class NewTool(NamedTuple):
    """A finished tool call."""

    native: str
    session: int
    turn: int | None
    scope: str
    name: str
    kind: str
    title: str
    error: bool
    archive: int | None
    tokens: int
    at: int


def ensure_tool(connection: Connection, tool: NewTool) -> bool:
    """Record a tool call once, whichever file tells of it; say whether it was new."""
    done = connection.execute(
        """INSERT INTO tool (native, session, turn, scope, name, kind, title, error,
            archive, tokens, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (native) DO NOTHING""",
        tool,
    )
    return done.rowcount > 0


def find_tool(connection: Connection, native: str) -> Row | None:
    """Return the tool call with this native id."""
    row: Row | None = connection.execute(
        "SELECT * FROM tool WHERE native = ?", (native,)
    ).fetchone()
    return row


class LoggedUsage(NamedTuple):
    """Tokens of one request as its agent logged them (P1)."""

    native: str
    session: int
    scope: str
    model: str
    input: int
    output: int
    cached: int
    written: int
    at: int


def ensure_usage(connection: Connection, usage: LoggedUsage) -> None:
    """Keep the last figures of a request, never their sum."""
    connection.execute(
        """INSERT INTO usage (native, session, scope, model, input, output, cached,
            written, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (native) DO UPDATE SET input = excluded.input,
            output = max(output, excluded.output), cached = excluded.cached,
            written = excluded.written""",
        usage,
    )


class AuditEntry(NamedTuple):
    """What became of one turn (B9)."""

    turn: int
    session: int
    status: str
    captured: int
    reason: str
    at: int


def ensure_audit(connection: Connection, entry: AuditEntry) -> None:
    """Keep exactly one audit row a turn; a later outcome replaces it."""
    connection.execute(
        "INSERT OR REPLACE INTO audit (turn, session, status, captured, reason, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        entry,
    )


def ensure_todo(
    connection: Connection, session: int, items: str, plan: str, at: int
) -> None:
    """Keep the newest to-do list (JSON) and plan of a session (O2)."""
    connection.execute(
        """INSERT INTO todo (session, items, plan, at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (session) DO UPDATE SET at = ?4,
            items = CASE WHEN ?2 <> '[]' THEN ?2 ELSE items END,
            plan = CASE WHEN ?3 <> '' THEN ?3 ELSE plan END WHERE at <= ?4""",
        (session, items, plan, at),
    )
