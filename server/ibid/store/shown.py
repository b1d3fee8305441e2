"""The read ledger's rows: which lines of which file a reader was shown (N1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ibid.store.driver import Connection


class Shown(NamedTuple):
    """Lines ``first`` to ``last`` of ``path``, as delivered to one reader."""

    session: int
    scope: str
    epoch: int
    path: str
    first: int
    last: int
    total: int
    fingerprint: str
    archive: int | None
    turn: int | None
    native: str
    tokens: int
    at: int


class Edited(NamedTuple):
    """A file that an agent changed."""

    session: int
    scope: str
    turn: int | None
    path: str
    native: str
    lines: int
    at: int


def ensure_shown(connection: Connection, shown: Shown) -> bool:
    """Record a read once, whichever file tells of it; say whether it was new."""
    done = connection.execute(
        """INSERT INTO shown (session, scope, epoch, path, first, last, total,
            fingerprint, archive, turn, native, tokens, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (native) DO NOTHING""",
        shown,
    )
    return done.rowcount > 0


def ensure_edited(connection: Connection, edited: Edited) -> bool:
    """Record an edit once; say whether it was new."""
    done = connection.execute(
        """INSERT INTO edit (session, scope, turn, path, native, lines, at)
        VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (native) DO NOTHING""",
        edited,
    )
    return done.rowcount > 0
