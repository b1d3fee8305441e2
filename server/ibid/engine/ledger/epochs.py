"""The end of an epoch, as a face or a hook was told of it: one transaction (N4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.ledger import seen
from ibid.store import sessions, shown

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row


class Ended(NamedTuple):
    """An epoch that ended: of whom, its successor's number, and what counts no more."""

    session: str
    scope: str | None
    epoch: int
    purged: int


class Ending(NamedTuple):
    """Why a reader's context began anew, as a face was told (N4)."""

    session: str
    scope: str | None = None  # None: all readers of the session.
    reason: str = "compacted"
    agent: str = ""


def end_epoch(memory: Memory, ending: Ending) -> Ended:
    """Let nothing that was shown before count any more (N4).

    A session that is not known yet is made known, so that what a transcript tells later
    of the time before does not count either.

    Raises:
        StoreError: it could not be written; what was shown goes on counting.
    """
    scope = sessions.EVERY if ending.scope is None else ending.scope
    with memory.store.write() as connection:
        now = memory.clock.now()
        rows = sessions.same_sessions(connection, ending.session)
        if ending.agent or not rows:
            facts = sessions.SessionFacts(ending.agent, ending.session)
            rows = [sessions.ensure_session(connection, facts)]
        purged = 0
        for row in rows:
            seen.end_silence(connection, row, scope, now)
            before = shown.count_current(connection, row["id"], scope)
            epoch = _begin(connection, row, ending, now)
            sessions.touch_session(connection, row["id"], now)
            purged += before - shown.count_current(connection, row["id"], scope)
    return Ended(ending.session, ending.scope, epoch, purged)


def _begin(connection: Connection, row: Row, ending: Ending, now: int) -> int:
    scope = sessions.EVERY if ending.scope is None else ending.scope
    # Told twice, it counts twice: a needless read, never a false stub.
    number = sessions.current_epoch(connection, row["id"], scope)
    boundary = f"{sessions.WIRE}{ending.reason}@{now}+{number}"
    start = sessions.EpochStart(row["id"], scope, boundary, ending.reason, now)
    return sessions.ensure_epoch(connection, start)
