"""L3: the project's profile, made only from its active notes (J1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine import index
from ibid.engine.model import PROFILE
from ibid.store import memories

if TYPE_CHECKING:
    from ibid.engine.model import NewId
    from ibid.store.driver import Connection, Row

LEAST = 3  # Active notes; below there is no profile (A3).
MOST = 40
A_SECTION = 8

_SECTIONS = (
    ("constraint", "Constraints"),
    ("preference", "Preferences"),
    ("decision", "Decisions"),
    ("fact", "Facts"),
)


def rebuild_profile(connection: Connection, new_id: NewId, now: int) -> None:
    """Make the profile anew; call it in the transaction of any change to L1.

    Notes with a taint mark, of one role only, or outside the main wording stay out.
    """
    chosen = connection.execute(
        """SELECT * FROM memory WHERE layer = 1 AND active AND NOT taint AND role = ''
        ORDER BY pinned DESC, confidence DESC, updated DESC, id DESC LIMIT ?""",
        (MOST,),
    ).fetchall()
    known = connection.execute("SELECT * FROM memory WHERE layer = 3").fetchone()
    if len(chosen) < LEAST:
        if known is not None:
            index.drop_memory(connection, known["id"])
            connection.execute("DELETE FROM memory WHERE id = ?", (known["id"],))
        return
    text = profile_text(chosen)
    if known is not None and known["text"] == text:
        return
    if known is not None:
        memories.update_memory(connection, known["id"], {"text": text, "updated": now})
        row = known["id"]
    else:
        new = memories.NewMemory(
            key=new_id("p"),
            layer=memories.PROFILE,
            category="profile",
            text=text,
            confidence=PROFILE,
            origin="profile",
            at=now,
        )
        row = memories.add_memory(connection, new)
    index.index_memory(connection, row, text)


def profile_text(notes: list[Row]) -> str:
    """Return the sections of a profile, at most eight notes each, verbatim."""
    lines = []
    for category, heading in _SECTIONS:
        group = [note["text"] for note in notes if note["category"] == category]
        if group:
            lines.append(f"{heading}:")
            lines += [f"- {text}" for text in group[:A_SECTION]]
    return "\n".join(lines)
