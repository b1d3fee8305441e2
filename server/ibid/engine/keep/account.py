"""What memory costs and saves, per role and feature: the net, maybe negative (P).

The entries are append-only; a report is nothing but their sums.  A saving counts only
with a recorded counterfactual; a feature without any says *unknown* and never zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import bounds, comparing, demote
from ibid.engine.model import DAY
from ibid.engine.recall.sources import date
from ibid.store import accounts, running
from ibid.text.tokens import ESTIMATOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.engine.keep.comparing import Estimate
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

DAYS = 30  # Told unless more or fewer are asked for.
MOST_DAYS = 3660

ON, MEASURING, DEMOTED = running.ON, "measuring", running.DEMOTED


class Line(NamedTuple):
    """One role and feature; estimated tokens, times the requests that carry them."""

    role: str
    feature: str
    gross: int  # What was saved, before bounces.
    bounced: int  # Savings taken back.
    cost: int
    net: int
    unknown: bool  # It has no measured saving.
    samples: int  # Withheld texts; without any, injections.
    state: str  # on | measuring | demoted
    reason: str
    lower: float | None = None  # What a sample saves net at least (P3).
    at: int | None = None  # When the state last changed.
    estimate: Estimate | None = None  # What the control group tells (P6).


class DayLine(NamedTuple):
    """One role and feature on one day (UTC)."""

    day: str
    role: str
    feature: str
    gross: int
    bounced: int
    cost: int


class Report(NamedTuple):
    """The lines, whose tokens they count, and cost against saving day by day."""

    lines: list[Line]
    estimator: str
    days: list[DayLine]
    control: int  # Per cent of sessions from which a feature is withheld.


class NetSoFar:
    """The net of what is measured, kept up as entries come: they are never changed."""

    def __init__(self) -> None:
        self._newest = 0
        self._nets: dict[tuple[str, str], int] = {}
        self._measured: set[tuple[str, str]] = set()

    def net(self, connection: Connection) -> int | None:
        """Return it in tokens; None while no feature has a measured saving (P1)."""
        for row in accounts.sum_since(connection, self._newest):
            key = (row["role"], row["feature"])
            self._nets[key] = self._nets.get(key, 0) + row["net"]
            self._newest = max(self._newest, row["newest"])
            if row["savings"]:
                self._measured.add(key)
        nets = [self._nets[key] for key in self._measured]
        return sum(nets) if nets else None


def report(memory: Memory, days: int = DAYS) -> Report:
    """Return the net of every role and feature so far, and of the last days (P2).

    ``days`` counts the days of UTC, today included; 0 tells none.
    """
    connection, now = memory.store.read(), memory.clock.now()
    estimates = comparing.estimates(connection, now)
    values = running.sample_values(connection)
    lines = []
    for row in accounts.sum_features(connection):
        key = (row["role"], row["feature"])
        low = bounds.lower_of(values.get(key, []))
        lines.append(_line(row, low, estimates))
    told = _days(connection, now, min(days, MOST_DAYS))
    return Report(lines, ESTIMATOR, told, memory.switches().control)


def _line(
    row: Row, low: float | None, estimates: Mapping[tuple[str, str], Estimate]
) -> Line:
    estimate = estimates.get((row["role"], row["feature"]))
    is_measured_only = row["state"] == ON and row["measured"] and not row["savings"]
    state = MEASURING if is_measured_only else row["state"]
    return Line(
        role=row["role"],
        feature=row["feature"],
        gross=row["gross"],
        bounced=row["bounced"],
        cost=row["cost"],
        net=row["gross"] - row["bounced"] - row["cost"],
        unknown=not row["savings"],
        samples=row["savings"] or row["costs"] or row["measured"],
        state=state,
        reason=_reason(row, state, low, estimate),
        lower=None if low is None else round(low, 1),
        at=row["at"] or None,
        estimate=estimate,
    )


def _reason(row: Row, state: str, low: float | None, estimate: Estimate | None) -> str:
    """Return in words, with figures, what holds for a feature and why (P3)."""
    if state == DEMOTED:
        more = f"; {row['since']} more were measured only" if row["since"] else ""
        return f"{row['told']}{more}"
    if state == MEASURING:
        return (
            f"measured only: {row['measured']} short answers would have saved "
            f"{demote.signed(row['would'])} tokens"
        )
    told = [row["told"]] if row["told"] else []
    if estimate is not None:
        told.append(
            f"control group: {estimate.withheld} sessions without and "
            f"{estimate.given} with it, net {demote.signed(estimate.net)} tokens each "
            f"({demote.signed(estimate.low)} to {demote.signed(estimate.high)})"
        )
    elif not row["savings"]:
        told.append(f"cost {row['cost']:,}, saving unknown")
    elif row["counted"] < bounds.NEEDED:
        told.append(f"{row['counted']} of {bounds.NEEDED} samples for a judgement")
    elif low is not None:
        told.append(f"a sample saves at least {demote.signed(low)} (95 %)")
    return "; ".join(told)


def _days(connection: Connection, now: int, days: int) -> list[DayLine]:
    if days <= 0:
        return []
    return [
        DayLine(date(row["day"] * DAY), *tuple(row)[1:])
        for row in accounts.sum_days(connection, now // DAY - days + 1)
    ]
