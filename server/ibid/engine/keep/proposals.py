"""What an agent proposes to remember: always a candidate, always reviewed (B10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.learn.taint import load_outside
from ibid.engine.model import AUTOMATIC, CATEGORIES, MINUTE
from ibid.errors import ConflictError, InputError
from ibid.store import candidates, turns
from ibid.text.own import without_own
from ibid.text.redact import REDACT_VERSION, redact
from ibid.text.signals import is_sensitive
from ibid.text.terms import TERMS_VERSION

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

SHORTEST, LONGEST = 6, 360  # Characters (B6).
MOST = 8  # In a turn, or in ten minutes where the turn is not known (B6).
ORIGIN = "agent"
_WINDOW = 10 * MINUTE
_LIVE = 15 * MINUTE  # Sessions that may have proposed it, where none is named.

_REASON = "proposed by an agent"


class Proposal(NamedTuple):
    """A sentence that an agent wants remembered."""

    text: str
    category: str
    session: str = ""
    agent: str = ""


def propose(memory: Memory, given: Proposal) -> int:
    """Store a proposal as a candidate that waits for a person; return its row.

    It carries a taint mark if it repeats what its turn read from outside, or, where the
    session is not known, what any live session's turn did.

    Raises:
        InputError: the text or the category cannot be used, or it is one too many.
        ConflictError: the same was proposed in this turn already.
        DisabledError: nothing may be learned here.
    """
    text = _checked(given)
    session = memory.sessions.check_writable(given.session, given.agent)
    with memory.store.write() as connection:
        now = memory.clock.now()
        turn = None if session is None else turns.last_turn(connection, session["id"])
        _check_number(connection, turn, now)
        tainted = any(
            load_outside(connection, row["turn"], row["cwd"]).repeats(text)
            for row in _turns(connection, session, turn, now)
        )
        reason = _REASON
        if tainted:
            reason += "; repeats text that was read from outside"
        elif is_sensitive(text):
            reason += "; about secrets, network, installs or approvals"
        new = candidates.NewCandidate(
            key=memory.ids.new("c"),
            category=given.category,
            text=text,
            signal=f"remember: {given.agent or ORIGIN}",
            session=None if session is None else session["id"],
            turn=None if turn is None else turn["id"],
            confidence=AUTOMATIC,
            at=now,
            due=now,
            waits="review",
            reason=reason,
            created=now,
            author=ORIGIN,
            origin=ORIGIN,
            taint=tainted,
            redact_version=REDACT_VERSION,
            terms_version=TERMS_VERSION,
        )
        row = candidates.ensure_candidate(connection, new)
        if row is None:
            raise ConflictError("This was proposed already; a person decides.")
        return row


def _checked(given: Proposal) -> str:
    text = redact(" ".join(without_own(given.text).split()))
    if not SHORTEST <= len(text) <= LONGEST:
        raise InputError(
            f"Propose one sentence of {SHORTEST} to {LONGEST} characters, not what "
            "memory recalled."
        )
    if given.category not in CATEGORIES:
        known = ", ".join(CATEGORIES)
        raise InputError(f"No category {given.category!r}. There are: {known}.")
    return text


def _check_number(connection: Connection, turn: Row | None, now: int) -> None:
    where, value = "turn = ?", 0 if turn is None else turn["id"]
    if turn is None:
        where, value = "turn IS NULL AND created > ?", now - _WINDOW
    row = connection.execute(
        f"SELECT count(*) FROM candidate WHERE origin = 'agent' AND {where}",  # noqa: S608
        (value,),
    ).fetchone()
    if row[0] >= MOST:
        raise InputError(f"{MOST} proposals are enough for one turn.")


def _turns(
    connection: Connection, session: Row | None, turn: Row | None, now: int
) -> list[Row]:
    """Return the turns from which the sentence may come, each with its folder."""
    which = "t.id = ?"
    value = 0 if turn is None else turn["id"]
    if session is None:
        which, value = "s.last > ?", now - _LIVE
    joined = "FROM turn t JOIN session s ON s.id = t.session"
    return connection.execute(
        f"SELECT max(t.id) AS turn, s.cwd {joined} WHERE {which} GROUP BY s.id"
        " ORDER BY s.last DESC LIMIT 5",
        (value,),
    ).fetchall()
