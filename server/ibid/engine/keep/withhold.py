"""Whether a session gets a feature: it may be demoted, or withheld (P3, P6).

Nothing is ever withheld where a person asked: from a caller without a session, from a
tool's answer, or from a session that was set to recall.  Pins are never asked about.
What a session had it keeps: a demotion counts from the next session on (Q3), and the
control group decides once a session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy
from ibid.store import receipts, running
from ibid.text.digest import keyed

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

CONTROLLED = frozenset({"hint", "handoff", "block"})
"""What the control group withholds; stubs and deltas are measured by each one."""

UNNAMED = "unnamed agents"
"""What the role of sessions is called whose agent nobody named."""


class Case(NamedTuple):
    """Who would get what."""

    feature: str
    role: str
    session: Row | None
    native: str  # The session's own id, known or not; "" nobody's.
    agent: str
    asked: bool = False  # A tool was asked for it.


def case_of(feature: str, session: Row) -> Case:
    """Return the case of a session that is known."""
    role = session["role"] or session["agent"]
    return Case(feature, role, session, session["native"], session["agent"])


class Verdict(NamedTuple):
    """Whether it is given; ``mark`` is what its receipt says of the control group."""

    mark: str = ""
    reason: str = ""  # Why it is not given; "" it is.

    @property
    def is_control(self) -> bool:
        """Whether it is withheld to compare, which leaves a receipt."""
        return self.mark == receipts.WITHHELD


def decide(memory: Memory, connection: Connection, case: Case) -> Verdict:
    """Return whether a session gets a feature, before it is made."""
    if case.asked:
        return Verdict(receipts.ASKED)
    if not case.native or policy.is_wanted(case.session, case.agent):
        return Verdict()
    demoted = why_demoted(connection, case)
    if demoted:
        return Verdict("", demoted)
    percent = memory.switches().control
    if not percent or case.feature not in CONTROLLED:
        return Verdict()
    mark = receipts.control_of(connection, case.native, case.feature)
    if mark is None:
        chosen = is_chosen(memory.key, case.native, case.feature, percent)
        mark = receipts.WITHHELD if chosen else receipts.GIVEN
    if mark == receipts.WITHHELD:
        return Verdict(mark, f"{case.feature} is withheld to compare (control group)")
    return Verdict(mark)


def goes_without(memory: Memory, connection: Connection, case: Case) -> bool:
    """Say whether a session gets no more of a feature whose receipts its start leaves.

    The control group decides there, so what a start did not withhold is given.
    """
    verdict = decide(memory, connection, case)
    if verdict.is_control:
        known = receipts.control_of(connection, case.native, case.feature)
        return known == receipts.WITHHELD
    return bool(verdict.reason)


def why_demoted(connection: Connection, case: Case) -> str:
    """Return that a feature is demoted for the role of a new session, or ""."""
    row = running.find_running(connection, case.role, case.feature)
    if row is None or row["state"] != running.DEMOTED:
        return ""
    if case.session is not None and case.session["id"] <= row["known"]:
        return ""
    had = receipts.control_of(connection, case.native, case.feature)
    if had not in (None, receipts.WITHHELD):
        return ""  # The session had it before it was known here.
    return f"{case.feature} is demoted for {case.role or UNNAMED}; see ibid report"


def is_chosen(key: bytes, session: str, feature: str, percent: int) -> bool:
    """Say whether a session is in the control group of a feature (P6).

    The project's key makes the choice its own; it is fixed for a session.
    """
    lot = int(keyed(key, f"control\0{feature}\0{session}", 8), 16)
    return lot % 10_000 < percent * 100
