"""The sums of the accounts: in all, and day by day (P2).

Days are those of UTC, as the number of days since the epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

DAY = 86_400_000

_SUMS = """
    CAST(total(CASE WHEN a.kind = 'saving' THEN a.tokens * a.times END) AS INTEGER)
        AS gross,
    CAST(total(CASE WHEN a.kind = 'bounce' THEN a.tokens * a.times END) AS INTEGER)
        AS bounced,
    CAST(total(CASE WHEN a.kind = 'cost' THEN a.tokens * a.times END) AS INTEGER)
        AS cost
"""


def sum_features(connection: Connection) -> list[Row]:
    """Return the sums of each role and feature, with its state.

    ``savings``, ``costs`` and ``measured`` are how many such entries there are,
    ``would`` what the measured ones would have saved, ``since`` how many of them came
    after the state changed; ``counted`` are the samples of the running mean.
    """
    return connection.execute(
        f"""SELECT a.role, a.feature, {_SUMS},
            sum(a.kind = 'saving') AS savings, sum(a.kind = 'cost') AS costs,
            sum(a.kind = 'measured') AS measured,
            total(CASE WHEN a.kind = 'measured' THEN a.tokens * a.times END) AS would,
            sum(a.kind = 'measured' AND a.at >= coalesce(r.at, 0)) AS since,
            coalesce(r.state, 'on') AS state, coalesce(r.reason, '') AS told,
            coalesce(r.at, 0) AS at, coalesce(r.samples, 0) AS counted
        FROM account a
        LEFT JOIN running r ON r.role = a.role AND r.feature = a.feature
        GROUP BY a.role, a.feature ORDER BY a.role, a.feature"""
    ).fetchall()


def sum_days(connection: Connection, first: int) -> list[Row]:
    """Return the sums of each day, role and feature from day ``first`` on."""
    return connection.execute(
        f"""SELECT a.at / {DAY} AS day, a.role, a.feature, {_SUMS} FROM account a
        WHERE a.at >= ? AND a.kind IN ('saving', 'bounce', 'cost')
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
        (first * DAY,),
    ).fetchall()


def sum_since(connection: Connection, after: int) -> list[Row]:
    """Return net, number of savings and newest id of entries after row ``after``.

    One row for each role and feature that has any.
    """
    return connection.execute(
        """SELECT role, feature, max(id) AS newest, sum(kind = 'saving') AS savings,
            CAST(total(CASE kind WHEN 'saving' THEN tokens * times
                WHEN 'bounce' THEN -tokens * times
                WHEN 'cost' THEN -tokens * times END) AS INTEGER) AS net
        FROM account WHERE id > ? GROUP BY role, feature""",
        (after,),
    ).fetchall()
