"""What memory costs and saves, per role and feature: the net, maybe negative (P).

The entries are append-only; a report is nothing but their sums.  A saving counts only
with a recorded counterfactual; a feature without any says *unknown* and never zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.text.tokens import ESTIMATOR

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection


class Line(NamedTuple):
    """One role and feature; estimated tokens, times the requests that carry them."""

    role: str
    feature: str
    gross: int  # What was saved, before bounces.
    bounced: int  # Savings taken back.
    cost: int
    net: int
    unknown: bool  # It has no measured saving.
    samples: int  # Injections or withheld texts.
    state: str  # on | measuring | demoted
    reason: str


class Report(NamedTuple):
    """The lines, and whose tokens they count."""

    lines: list[Line]
    estimator: str


_SUMS = """
SELECT a.role, a.feature,
    total(CASE WHEN a.kind = 'saving' THEN a.tokens * a.times END) AS gross,
    total(CASE WHEN a.kind = 'bounce' THEN a.tokens * a.times END) AS bounced,
    total(CASE WHEN a.kind = 'cost' THEN a.tokens * a.times END) AS cost,
    sum(a.kind = 'saving') AS savings,
    max(sum(a.kind = 'saving'), sum(a.kind = 'cost')) AS samples,
    coalesce(r.state, 'on') AS state, coalesce(r.reason, '') AS reason
FROM account a LEFT JOIN running r ON r.role = a.role AND r.feature = a.feature
GROUP BY a.role, a.feature ORDER BY a.role, a.feature
"""


def report(memory: Memory) -> Report:
    """Return the net of every role and feature so far (P2)."""
    return Report(_lines(memory.store.read()), ESTIMATOR)


def _lines(connection: Connection) -> list[Line]:
    return [
        Line(
            role=row["role"],
            feature=row["feature"],
            gross=int(row["gross"]),
            bounced=int(row["bounced"]),
            cost=int(row["cost"]),
            net=int(row["gross"] - row["bounced"] - row["cost"]),
            unknown=not row["savings"],
            samples=row["samples"],
            state=row["state"],
            reason=row["reason"],
        )
        for row in connection.execute(_SUMS).fetchall()
    ]
