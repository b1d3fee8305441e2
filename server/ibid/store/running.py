"""The running mean of what a short answer saves net, by role and feature (P2, P3).

One *sample* is one text withheld with its counterfactual: the tokens of the saving's
entry, less those of the cost that was paid for it (its ``pair``), less what entries
that reverse it took back.  A bounce makes no new sample, it changes the one it
reverses.  Nothing else is a sample: not a cost alone, nor what was only measured.

Mean and squared deviations are Welford's, so no sample has to be read again; what they
must be follows from the entries, and `recount` says it.  Samples count from entry
``since`` on, for a person who turns a feature on again begins a new window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.store.driver import Connection, Row

ON, DEMOTED = "on", "demoted"

_NET = """
    s.tokens * s.times - coalesce(c.tokens * c.times, 0) - coalesce((SELECT
        sum(b.tokens * b.times) FROM account b
        WHERE b.reverses = s.id AND b.kind = 'bounce'), 0)
"""
_SAMPLES = f"""
SELECT s.role, s.feature, {_NET} AS net FROM account s
LEFT JOIN account c ON c.id = s.pair
LEFT JOIN running r ON r.role = s.role AND r.feature = s.feature
WHERE s.kind = 'saving' AND s.id > coalesce(r.since, 0)
"""


class Moments(NamedTuple):
    """How many samples, their mean, and the sum of squared deviations from it."""

    samples: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def plus(self, value: float) -> Moments:
        """Return the moments with one more sample."""
        count = self.samples + 1
        mean = self.mean + (value - self.mean) / count
        squares = self.squares + (value - self.mean) * (value - mean)
        return Moments(count, mean, squares)

    def changed(self, old: float, new: float) -> Moments:
        """Return the moments after one sample of ``old`` became ``new``."""
        mean = self.mean + (new - old) / self.samples
        squares = self.squares + (new - old) * (new - mean + old - self.mean)
        return Moments(self.samples, mean, max(squares, 0.0))

    def is_near(self, other: Moments) -> bool:
        """Say whether both are the same but for what rounding makes of them."""
        scale = 1.0 + abs(other.squares) + self.samples * other.mean**2
        return (
            self.samples == other.samples
            and abs(self.mean - other.mean) <= 1e-6 * (1.0 + abs(other.mean))
            and abs(self.squares - other.squares) <= 1e-6 * scale
        )


def moments_of(values: Iterable[float]) -> Moments:
    """Return the moments of ``values``."""
    found = Moments()
    for value in values:
        found = found.plus(value)
    return found


def count_saving(connection: Connection, number: int) -> None:
    """Take the saving that is entry ``number`` into its running mean: a new sample."""
    row = _sample(connection, number)
    if row is not None:
        key = (row["role"], row["feature"])
        _store(connection, key, _moments(connection, key).plus(row["net"]))


def count_bounce(connection: Connection, saving: int, taken: int) -> None:
    """Change the sample of entry ``saving``, of which ``taken`` was just taken back."""
    row = _sample(connection, saving)
    if row is not None:
        key, before = (row["role"], row["feature"]), row["net"] + taken
        moments = _moments(connection, key).changed(before, row["net"])
        _store(connection, key, moments)


def _sample(connection: Connection, number: int) -> Row | None:
    """Return the sample of a saving, None when it is none or before the window."""
    row: Row | None = connection.execute(
        _SAMPLES + " AND s.id = ?", (number,)
    ).fetchone()
    return row


def _moments(connection: Connection, key: tuple[str, str]) -> Moments:
    row = find_running(connection, *key)
    if row is None:
        return Moments()
    return Moments(row["samples"], row["mean"], row["squares"])


def _store(connection: Connection, key: tuple[str, str], moments: Moments) -> None:
    connection.execute(
        """INSERT INTO running (role, feature, samples, mean, squares)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (role, feature) DO UPDATE
        SET samples = excluded.samples, mean = excluded.mean,
            squares = excluded.squares""",
        (*key, *moments),
    )


def find_running(connection: Connection, role: str, feature: str) -> Row | None:
    """Return the running mean and state of a feature for a role, if there is one."""
    row: Row | None = connection.execute(
        "SELECT * FROM running WHERE role = ? AND feature = ?", (role, feature)
    ).fetchone()
    return row


def list_running(connection: Connection) -> list[Row]:
    """Return all running means with their states."""
    return connection.execute("SELECT * FROM running ORDER BY role, feature").fetchall()


def list_demoted(connection: Connection) -> list[Row]:
    """Return what is demoted, by role."""
    return [row for row in list_running(connection) if row["state"] == DEMOTED]


def sample_values(
    connection: Connection, role: str = "", feature: str = ""
) -> dict[tuple[str, str], list[int]]:
    """Return role and feature -> the samples of their windows, the oldest first.

    With ``feature`` only those of one role and feature.
    """
    sql: str = _SAMPLES
    given: tuple[str, ...] = ()
    if feature:
        sql, given = sql + " AND s.role = ? AND s.feature = ?", (role, feature)
    found: dict[tuple[str, str], list[int]] = {}
    for row in connection.execute(f"{sql} ORDER BY s.id", given):
        found.setdefault((row["role"], row["feature"]), []).append(row["net"])
    return found


def recount(connection: Connection) -> dict[tuple[str, str], Moments]:
    """Return what the running means must be by the entries alone."""
    values = sample_values(connection)
    return {key: moments_of(nets) for key, nets in values.items()}


def rebuild(connection: Connection) -> None:
    """Make the running means again from the entries; states and windows stay."""
    connection.execute("UPDATE running SET samples = 0, mean = 0, squares = 0")
    for key, moments in recount(connection).items():
        _store(connection, key, moments)


class Judged(NamedTuple):
    """What became of a feature for a role, and from when on."""

    role: str
    feature: str
    reason: str
    at: int


def demote(connection: Connection, judged: Judged) -> None:
    """Switch a feature off for a role, but for the sessions that are known now."""
    connection.execute(
        """INSERT INTO running (role, feature, state, reason, at, known)
        SELECT ?1, ?2, 'demoted', ?3, ?4, coalesce(max(id), 0) FROM session WHERE 1
        ON CONFLICT (role, feature) DO UPDATE SET state = excluded.state,
            reason = excluded.reason, at = excluded.at, known = excluded.known""",
        judged,
    )


def enable(connection: Connection, judged: Judged) -> bool:
    """Turn a demoted feature on and begin a new window; say whether it was demoted."""
    done = connection.execute(
        """UPDATE running SET state = 'on', reason = ?3, at = ?4, began = ?4,
            samples = 0, mean = 0, squares = 0,
            since = (SELECT coalesce(max(id), 0) FROM account)
        WHERE role = ?1 AND feature = ?2 AND state = 'demoted'""",
        judged,
    )
    return done.rowcount > 0
