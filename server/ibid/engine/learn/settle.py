"""From candidate to note: the window, the privacy check, exactly once (C).

One pass is one transaction: due candidates are claimed, merged into L1, and the profile
is made anew.  Any number of processes may try at once.  Nothing is early: what is due
is compared with the wall clock, and a candidate made while the clock was ahead has its
window clamped to now (C1, C3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine import index
from ibid.engine.learn.merge import Again, Meeting, Neighbours, reinforce
from ibid.engine.learn.profile import rebuild_profile
from ibid.engine.model import DAY
from ibid.store import candidates, memories
from ibid.text.anchors import find_anchors

if TYPE_CHECKING:
    from ibid.engine.learn.context import Context
    from ibid.store.driver import Connection, Row

BATCH = 100
EXPIRY = 14 * DAY
EPISODES = 300  # Unpinned active ones a project (K1).
UNDO = 30 * DAY  # How long forgotten ones wait for Undo.


class Wanted(NamedTuple):
    """A note to be made from a candidate: by the clock, or by a person's word."""

    text: str
    category: str
    origin: str
    confidence: float
    taint: bool
    role: str
    at: int
    pinned: bool = False
    curated: bool = False  # A person vouches for it.


def settle(connection: Connection, context: Context) -> list[tuple[str, str]]:
    """Promote what is due; return (candidate id, note id) of each, in order.

    The caller's transaction is the claim: it must be a writing one.
    """
    _tidy(connection, context)
    if not context.switches.learn or context.switches.promotion == "review":
        return []
    since = 0 if context.switches.history == "auto" else context.first_seen
    due = candidates.due_candidates(connection, context.now, since, BATCH)
    if not due:
        return []
    neighbours = Neighbours(connection, context.key)
    settled = []
    for candidate in due:
        if _held_back(connection, context, candidate):
            continue
        if not candidates.claim(connection, candidate["id"], context.now):
            continue
        wanted = Wanted(
            text=candidate["text"],
            category=candidate["category"],
            origin="automatic",
            confidence=candidate["confidence"],
            taint=bool(candidate["taint"]),
            role=candidate["role"],
            at=context.now,
        )
        note = promote(connection, context, neighbours, Promotion(candidate, wanted))
        if note:
            settled.append((candidate["key"], note))
    rebuild_profile(connection, context.new_id, context.now)
    return settled


def _tidy(connection: Connection, context: Context) -> None:
    """Clamp windows from a future clock, wake the snoozed, drop what is past its time.

    Candidates nobody touched expire (C5); the oldest episodes leave by the cap (K1).
    """
    now, window = context.now, context.switches.settling
    connection.execute(
        "UPDATE candidate SET created = ?1, updated = min(updated, ?1),"
        " due = min(due, ?1 + ?2) WHERE state = 'pending' AND created > ?1",
        (now, window),
    )
    connection.execute(
        "UPDATE candidate SET waits = CASE WHEN reason = '' THEN 'settling'"
        " ELSE 'review' END, snoozed = NULL, updated = ?1"
        " WHERE state = 'pending' AND waits = 'snoozed' AND snoozed <= ?1",
        (now,),
    )
    candidates.expire(connection, now - EXPIRY, now)
    dropped = memories.drop_oldest_episodes(connection, EPISODES, now - UNDO)
    for episode in dropped:
        index.drop_memory(connection, episode)
        connection.execute("DELETE FROM memory WHERE id = ?", (episode,))


def _held_back(connection: Connection, context: Context, candidate: Row) -> bool:
    """Check again, at promotion, whether this candidate may become a note (C4, B10)."""
    waits, reason = "", ""
    if candidate["write_policy"] == "deny":
        candidates.withdraw_session(
            connection, candidate["session"], "the session is private", context.now
        )
        return True
    if candidate["taint"]:
        waits, reason = "taint", "repeats text that its turn read from outside"
    elif candidate["origin"] == "agent":
        waits, reason = "agent", "proposed by an agent"
    if not waits:
        return False
    _wait(connection, context, candidate["id"], waits, reason)
    return True


def _wait(
    connection: Connection, context: Context, candidate: int, waits: str, reason: str
) -> None:
    connection.execute(
        "UPDATE candidate SET state = 'pending', waits = ?, reason = ?, updated = ?,"
        " version = version + 1 WHERE id = ?",
        (waits, reason, context.now, candidate),
    )


class Promotion(NamedTuple):
    """A claimed candidate and the note it is to become."""

    candidate: Row
    wanted: Wanted


def promote(
    connection: Connection,
    context: Context,
    neighbours: Neighbours,
    promotion: Promotion,
) -> str:
    """Make or reinforce the note of a claimed candidate; return the note's id.

    "" means that it went to review instead, because it is like one that was let go.
    """
    candidate, wanted = promotion
    meeting = neighbours.meet(wanted.text, wanted.origin)
    if meeting.kind == "let-go" and not wanted.curated:
        _wait(connection, context, candidate["id"], "review", meeting.reason)
        return ""
    if meeting.kind == "same":
        assert meeting.note is not None
        note = meeting.note["id"]
        again = Again(
            wanted.text, wanted.category, wanted.origin, wanted.taint, wanted.at
        )
        reinforce(connection, meeting.note, again)
        if wanted.pinned or wanted.curated:
            marks = {"pinned": int(wanted.pinned or meeting.note["pinned"])}
            memories.update_memory(connection, note, {**marks, "curated": 1})
    else:
        note = _add_note(connection, context, wanted, meeting)
    said = memories.Evidence(
        note,
        candidate["session"],
        candidate["turn"],
        candidate["message"],
        candidate["start"],
        candidate["end"],
        candidate["at"],
    )
    memories.ensure_evidence(connection, said)
    connection.execute(
        "UPDATE candidate SET memory = ? WHERE id = ?", (note, candidate["id"])
    )
    row = memories.find_memory(connection, note)
    assert row is not None
    if row["active"]:
        neighbours.add(row)
    return str(row["key"])


def _add_note(
    connection: Connection, context: Context, wanted: Wanted, meeting: Meeting
) -> int:
    """Insert the note; one that contradicts a correction is quarantined (D4)."""
    state, reason, conflicts = memories.ACTIVE, "", None
    if meeting.note is not None:
        conflicts = meeting.note["id"]
        reason = f"differs from {meeting.note['key']} in {meeting.reason}"
        if meeting.kind == "contradicts" and not wanted.curated:
            state = memories.QUARANTINED
            reason = f"contradicts the correction {meeting.note['key']}"
    new = memories.NewMemory(
        key=context.new_id("n"),
        layer=memories.NOTE,
        category=wanted.category,
        text=wanted.text,
        confidence=wanted.confidence,
        origin=wanted.origin,
        at=wanted.at,
        role=wanted.role,
        pinned=wanted.pinned,
        author="person",
        taint=wanted.taint,
        curated=wanted.curated,
        state=state,
        reason=reason,
        conflicts=conflicts,
    )
    note = memories.add_memory(connection, new)
    index.index_memory(connection, note, wanted.text)
    ensure_anchors(connection, note, wanted.text)
    return note


def ensure_anchors(connection: Connection, note: int, text: str) -> None:
    """Tie a note to the paths and symbols that its own words name (R4)."""
    for path, symbol in find_anchors(text):
        memories.ensure_anchor(connection, note, path, symbol)
