"""Rules that could go into an instruction file, and what was proposed already (C6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.store.memories import _insert

if TYPE_CHECKING:
    from ibid.store.candidates import NewCandidate
    from ibid.store.driver import Connection, Row


def rules(connection: Connection) -> list[Row]:
    """Return active rules for all roles, each with the sessions that said it."""
    return connection.execute(
        """SELECT m.*, count(DISTINCT e.session) AS sessions FROM memory m
        LEFT JOIN evidence e ON e.memory = m.id
        WHERE m.layer = 1 AND m.active AND m.role = '' AND (NOT m.taint OR m.curated)
            AND m.conflicts IS NULL
            AND (m.category IN ('constraint', 'preference', 'decision')
                OR m.origin = 'correction')
        GROUP BY m.id ORDER BY sessions DESC, m.id"""
    ).fetchall()


def proposed(connection: Connection, note: int, path: str) -> Row | None:
    """Return the proposal to bring a note into a file, whatever became of it."""
    row: Row | None = connection.execute(
        "SELECT * FROM candidate WHERE resembles = ? AND signal = ?",
        (note, f"instructions:{path}"),
    ).fetchone()
    return row


def add_proposal(connection: Connection, new: NewCandidate, note: int) -> int:
    """Add a proposal about ``note`` to the queue."""
    values = {**new._asdict(), "updated": new.created, "resembles": note}
    return _insert(connection, "candidate", values)
