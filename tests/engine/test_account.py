"""The report is the sum of its entries, and nothing else (P1, P2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.engine.keep.account import report
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import RecallRequest
from ibid.store.receipts import BOUNCE, COST, SAVING, Entry, add_entry

ENTRY = st.tuples(
    st.sampled_from(["claude-code", "codex"]),
    st.sampled_from(["block", "stubs", "deltas"]),
    st.sampled_from([COST, SAVING, BOUNCE]),
    st.integers(0, 5000),
    st.integers(1, 40),
)


def entry(role: str, feature: str, kind: str, tokens: int, times: int) -> Entry:
    """Return an account entry."""
    return Entry(0, None, "s", role, feature, kind, tokens, times, "test", "none")


@settings(max_examples=40, deadline=None)
@given(told=st.lists(ENTRY, max_size=30))
def test_the_sum_of_entries_is_the_report(
    tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, str, str, int, int]]
) -> None:
    """Every role and feature: gross, bounced, cost and net add up exactly (P2)."""
    folder = tmp_path_factory.mktemp("sum")
    memory = open_memory(str(folder), str(folder / "home"))
    with memory.store.write() as connection:
        for one in told:
            add_entry(connection, entry(*one))
    lines = report(memory).lines
    memory.close()

    def total(line: tuple[str, str], kind: str) -> int:
        return sum(
            tokens * times
            for role, feature, of, tokens, times in told
            if (role, feature, of) == (*line, kind)
        )

    for line in lines:
        key = (line.role, line.feature)
        assert line.gross == total(key, SAVING)
        assert line.bounced == total(key, BOUNCE)
        assert line.cost == total(key, COST)
        assert line.net == line.gross - line.bounced - line.cost
        assert line.unknown == (not any(one[:3] == (*key, SAVING) for one in told))
    assert {(line.role, line.feature) for line in lines} == {one[:2] for one in told}


def test_a_recall_is_cost_with_saving_unknown(memory: Memory, project: Path) -> None:
    """A block costs its tokens; what it saved nobody measured, so nobody claims it."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    answer = memory.recall(
        RecallRequest("How big is the heron queue?", "s", "claude-code")
    )
    (line,) = report(memory).lines
    assert (line.feature, line.cost, line.net) == (
        "block",
        answer.tokens,
        -answer.tokens,
    )
    assert line.unknown and line.samples == 1
