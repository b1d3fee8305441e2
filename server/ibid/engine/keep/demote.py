"""Demoting what a measure shows to cost more than it saves (P3).

A feature is judged for a role when a sample comes, in the same transaction: at least
`bounds.NEEDED` samples, and the lower bound of their net below zero.  Then it is off
for that role, but for the sessions that are known by then (Q3).  A person turns it on
again, at once; what was measured before does not count against it any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine.keep import bounds
from ibid.engine.keep.withhold import UNNAMED
from ibid.engine.recall.sources import date
from ibid.errors import InputError
from ibid.store import running

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection

FEATURES = ("stub", "delta", "hint", "handoff", "block")
"""What can be demoted; pins, tools' answers and what they cost to carry cannot."""


def judge(connection: Connection, role: str, feature: str, now: int) -> bool:
    """Demote a feature for a role if its samples say so; say whether they did."""
    row = running.find_running(connection, role, feature)
    if row is None or row["state"] != running.ON or row["samples"] < bounds.NEEDED:
        return False
    moments = running.Moments(row["samples"], row["mean"], row["squares"])
    plain = bounds.lower_bound(moments)
    if plain is None or plain >= 0:
        return False
    values = running.sample_values(connection, role, feature)[role, feature]
    low = bounds.lower_of(values)
    if low is None or low >= 0:
        return False
    figures = f"{moments.samples} samples, net {signed(moments.mean)} tokens each"
    demote(connection, (role, feature), f"{figures}, at least {signed(low)}", now)
    return True


def demote(connection: Connection, key: tuple[str, str], why: str, now: int) -> None:
    """Switch a feature off for a role from the next session on, and say so.

    ``why`` are the figures: a counterfactual's, a control group's or a replay's.
    """
    role, feature = key
    reason = f"demoted {date(now)}: {why} (95 %)"
    running.demote(connection, running.Judged(role, feature, reason, now))
    import logging

    logger = logging.getLogger(__name__)
    logger.warning("%s for %s is %s", feature, role or UNNAMED, reason)


def enable(memory: Memory, feature: str, role: str = "") -> list[str]:
    """Turn a demoted feature on again and measure anew; return for whom it was off.

    Without ``role`` for every role.  A feature that is on stays as it is.

    Raises:
        InputError: no such feature.
    """
    if feature not in FEATURES:
        known = ", ".join(FEATURES)
        raise InputError(f"No feature {feature!r} to turn on. There are: {known}.")
    now = memory.clock.now()
    reason = f"turned on again by you {date(now)}; samples count from then"
    with memory.store.write(durable=True) as connection:
        return [
            row["role"]
            for row in running.list_running(connection)
            if row["feature"] == feature
            and role in ("", row["role"])
            and running.enable(
                connection, running.Judged(row["role"], feature, reason, now)
            )
        ]


def told(connection: Connection) -> str:
    """Return in one sentence what is demoted; "" nothing is."""
    off = [
        f"{row['feature']} is off for {row['role'] or UNNAMED}"
        for row in running.list_demoted(connection)
    ]
    return f"{', '.join(off)}: the report says why." if off else ""


def signed(tokens: float) -> str:
    """Return tokens with their sign."""
    return f"{tokens:+,.1f}".replace("-", "−")
