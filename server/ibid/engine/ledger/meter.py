"""What short answers cost and save, entry by entry (P1, P2).

The cost is the text sent; the saving is the exact text withheld.  A bounce takes the
saving back by an entry of its own, for entries never change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from ibid.engine.keep import demote
from ibid.engine.model import DAY
from ibid.store import receipts
from ibid.text.tokens import ESTIMATOR, estimate

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

MARKER_MS = 30 * DAY  # A printed number holds so long after its session (M3).
MEASURED = "measured"  # Would have been saved; counts as nothing.

_WITHHELD = "exact text withheld"


class Sent(Protocol):
    """What is metered of a short answer."""

    @property
    def answer(self) -> str:
        """Stub or delta, which is the feature."""

    @property
    def tokens(self) -> int:
        """Estimated tokens of what is sent."""


class Metered(NamedTuple):
    """For which session, when, and the tokens of the full text."""

    session: Row
    at: int
    raw: int


def add_short(connection: Connection, metered: Metered, sent: Sent) -> int:
    """Enter the cost and the saving of a short answer; return the saving's number.

    Together they are one sample, by which the feature is judged at once (P3).
    """
    cost = _entry(metered, sent.answer, receipts.COST, sent.tokens, "text sent")
    paid = receipts.add_entry(connection, cost)
    saving = _entry(metered, sent.answer, receipts.SAVING, metered.raw, _WITHHELD)
    number = receipts.add_entry(connection, saving._replace(pair=paid))
    demote.judge(connection, saving.role, saving.feature, metered.at)
    return number


def add_measured(connection: Connection, metered: Metered, sent: Sent) -> None:
    """Enter what a short answer would have saved net, had it been given (H3)."""
    net = metered.raw - sent.tokens
    entry = _entry(metered, sent.answer, MEASURED, net, "measured only: not sent")
    receipts.add_entry(connection, entry)


def take_back(connection: Connection, row: Row, at: int) -> None:
    """Take back the saving of the short answer that ``row`` records; once (N6)."""
    entry = receipts.find_entry(connection, row["account"])
    if entry is None or receipts.is_reversed(connection, entry["id"]):
        return
    bounce = receipts.Entry(
        at=at,
        session=entry["session"],
        native=entry["native"],
        role=entry["role"],
        feature=entry["feature"],
        kind=receipts.BOUNCE,
        tokens=entry["tokens"],
        times=1,
        basis="asked again",
        estimator=entry["estimator"],
        reverses=entry["id"],
    )
    receipts.add_entry(connection, bounce)
    demote.judge(connection, entry["role"], entry["feature"], at)


def add_hint(connection: Connection, metered: Metered, line: str) -> None:
    """Enter the cost of a line about earlier reads."""
    if line:
        entry = _entry(metered, "hint", receipts.COST, estimate(line), "text sent")
        receipts.add_entry(connection, entry)


def _entry(
    metered: Metered, feature: str, kind: str, tokens: int, basis: str
) -> receipts.Entry:
    session = metered.session
    return receipts.Entry(
        at=metered.at,
        session=session["id"],
        native=session["native"],
        role=session["role"] or session["agent"],
        feature=feature,
        kind=kind,
        tokens=tokens,
        times=1,
        basis=basis,
        estimator=ESTIMATOR,
    )
