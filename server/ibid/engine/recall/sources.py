"""Where a memory was said, for receipts, hits and people (A4, G5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.model import Source, native_of
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

SHORT = 8  # Characters of a session's id, as shown.


_SOURCES = """SELECT s.native, s.agent, s.title, t.number, m.native AS message, e.at
FROM evidence e JOIN session s ON s.id = e.session
LEFT JOIN turn t ON t.id = e.turn LEFT JOIN message m ON m.id = e.message
WHERE e.memory = ? ORDER BY e.at DESC, e.rowid DESC LIMIT ?"""


def source_of(connection: Connection, memory: Row) -> Source | None:
    """Return the newest place where a note was said, or an episode's turn."""
    found = sources_of(connection, memory["id"], 1)
    return found[0] if found else None


def sources_of(connection: Connection, memory: int, limit: int = 50) -> list[Source]:
    """Return where a memory was said, the newest first."""
    rows = connection.execute(_SOURCES, (memory, limit)).fetchall()
    return [
        Source(
            row["native"],
            row["number"],
            native_of(row["message"] or "", row["agent"]),
            redact(row["title"]),
            row["agent"],
            row["at"],
        )
        for row in rows
    ]


def turn_source(connection: Connection, turn: Row) -> Source | None:
    """Return a turn as a source."""
    row = connection.execute(
        "SELECT native, agent, title FROM session WHERE id = ?", (turn["session"],)
    ).fetchone()
    if row is None:
        return None
    return Source(
        row["native"],
        turn["number"],
        "",
        redact(row["title"]),
        row["agent"],
        turn["at"],
    )


def describe(memory: Row, source: Source | None) -> str:
    """Return the source as a block shows it, the date absolute."""
    if memory["layer"] == 3:
        return f"from notes, {date(memory['updated'])}"
    if source is None:
        return f"{memory['origin']}, {date(memory['updated'])}"
    who = "" if memory["layer"] == 2 else "you, "
    return f"{who}{date(source.at)}, {place(source)}"


def place(source: Source) -> str:
    """Return ``session 4f0c1d2e turn 3``."""
    turn = "" if source.turn is None else f" turn {source.turn}"
    return f"session {source.session[:SHORT]}{turn}"


def date(at: int) -> str:
    """Return the day of a moment in milliseconds, in UTC; ``undated`` for 0."""
    if at <= 0:
        return "undated"
    try:
        return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return "undated"


class MessageSource(NamedTuple):
    """A message of the turn log with its place."""

    id: str
    row: Row
    source: Source
    shown: str


def message_source(connection: Connection, message: int) -> MessageSource | None:
    """Return a message with its place, or None when it is gone."""
    from ibid.store import turns

    row = turns.find_message(connection, message)
    if row is None:
        return None
    place_row = connection.execute(
        """SELECT s.native, s.agent, s.title, t.number FROM session s
        LEFT JOIN turn t ON t.id = ? WHERE s.id = ?""",
        (row["turn"], row["session"]),
    ).fetchone()
    native = native_of(row["native"], place_row["agent"])
    source = Source(
        place_row["native"],
        place_row["number"],
        native,
        redact(place_row["title"]),
        place_row["agent"],
        row["at"],
    )
    who = "you" if row["role"] == "person" else (row["author"] or place_row["agent"])
    shown = f"{who}, {date(row['at'])}, {place(source)}"
    return MessageSource(f"m-{message}", row, source, shown)
