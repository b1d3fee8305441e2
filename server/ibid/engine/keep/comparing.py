"""What sessions without a feature tell about it: the control group's estimate (P6).

Compared is what sessions spent on exploring again: the tokens of what they read in full
of files that an earlier session knew.  A feature that helps spares some of it, and what
the feature cost is taken off.  That is an estimate with an interval, in tokens a
session; the accounts hold nothing of it, for nobody knows which text was spared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import bounds, demote
from ibid.engine.keep.withhold import CONTROLLED
from ibid.engine.ledger.seen import GAP
from ibid.engine.model import MINUTE
from ibid.store import receipts, running, settings, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

AGAIN = 60 * MINUTE  # Between two judgements.
_JUDGED = "controlJudged"

Key = tuple[str, str]  # Role and feature.


class Estimate(NamedTuple):
    """What a feature does to a session, in estimated tokens."""

    basis: str
    given: int  # Sessions that had it.
    withheld: int  # Sessions that had it not.
    saved: float  # Exploring again that a session was spared.
    net: float  # The same less what the feature cost, between the two below (90 %).
    low: float
    high: float


class _Arms(NamedTuple):
    """The sessions of one role and feature: what each explored again, and paid."""

    given: list[tuple[int, int]]
    withheld: list[int]


def estimates(connection: Connection, now: int) -> dict[Key, Estimate]:
    """Return the estimate of each role and feature that can be compared."""
    found = {}
    for key, arms in _arms(connection, now).items():
        costs = [explored + paid for explored, paid in arms.given]
        apart = bounds.difference(arms.withheld, costs)
        if apart is not None:
            spent = running.moments_of(explored for explored, _ in arms.given).mean
            saved = running.moments_of(arms.withheld).mean - spent
            counts = (len(arms.given), len(arms.withheld))
            found[key] = Estimate("control", *counts, saved, *apart)
    return found


def review(memory: Memory) -> None:
    """Demote what the control group shows to cost more than it saves; once an hour."""
    connection, now = memory.store.read(), memory.clock.now()
    if not receipts.is_compared(connection):
        return
    judged = settings.find_setting(connection, _JUDGED)
    if isinstance(judged, int) and 0 <= now - judged < AGAIN:
        return
    found = estimates(connection, now)  # Before the transaction, which is to be short.
    with memory.store.write() as connection:
        settings.ensure_setting(connection, _JUDGED, now, now)
        for key, one in found.items():
            row = running.find_running(connection, *key)
            is_off = row is not None and row["state"] == running.DEMOTED
            if is_off or min(one.given, one.withheld) < bounds.NEEDED or one.low >= 0:
                continue
            why = (
                f"{one.withheld} sessions without and {one.given} with it, net "
                f"{demote.signed(one.net)} tokens each, at least "
                f"{demote.signed(one.low)}"
            )
            demote.demote(connection, key, why, now)


def _arms(connection: Connection, now: int) -> dict[Key, _Arms]:
    """Return the groups; only sessions that are over, and only of the window."""
    began = {
        (row["role"], row["feature"]): row["began"]
        for row in running.list_running(connection)
    }
    found: dict[Key, _Arms] = {}
    explored: dict[int, int] = {}
    for row in _marked(connection, now):
        key = (row["role"], row["kind"])
        if row["at"] < began.get(key, 0):
            continue
        number = row["session"]
        if number not in explored:
            explored[number] = shown.explored_again(connection, number)
        arms = found.setdefault(key, _Arms([], []))
        if row["control"] == receipts.WITHHELD:
            arms.withheld.append(explored[number])
        else:
            arms.given.append((explored[number], row["tokens"]))
    return found


def _marked(connection: Connection, now: int) -> Iterator[Row]:
    """Give each session and feature that was compared, once.

    A session that has both marks, or had the feature before anything was compared,
    belongs to neither group.
    """
    for row in receipts.list_compared(connection, now - GAP):
        if row["kind"] in CONTROLLED and row["control"] in (
            receipts.GIVEN,
            receipts.WITHHELD,
        ):
            yield row
