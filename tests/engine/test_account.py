"""The report is the sum of its entries, and nothing else (P1, P2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.engine.keep.account import NetSoFar, report
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import DAY, FixedClock, RecallRequest
from ibid.store.receipts import BOUNCE, COST, SAVING, Entry, add_entry

NOW = 1_775_131_200_000
ENTRY = st.tuples(
    st.sampled_from(["claude-code", "codex"]),
    st.sampled_from(["block", "stubs", "deltas"]),
    st.sampled_from([COST, SAVING, BOUNCE]),
    st.integers(0, 5000),
    st.integers(1, 40),
    st.integers(0, 4 * DAY),
)


def entry(*given: Any) -> Entry:
    """Return an account entry; the last of ``given`` is how long ago it was."""
    role, feature, kind, tokens, times, ago = given
    return Entry(
        NOW - ago, None, "s", role, feature, kind, tokens, times, "test", "none"
    )


@settings(max_examples=20, deadline=None)
@given(told=st.lists(ENTRY, max_size=30))
def test_the_sum_of_entries_is_the_report(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[tuple[str, str, str, int, int, int]],
) -> None:
    """Every role and feature: gross, bounced, cost and net add up exactly (P2)."""
    folder = tmp_path_factory.mktemp("sum")
    memory = open_memory(str(folder), str(folder / "home"), FixedClock(NOW))
    so_far = NetSoFar()
    with memory.store.write() as connection:
        for one in told:
            add_entry(connection, entry(*one))
            so_far.net(connection)
    found = report(memory)
    nets = [line.net for line in found.lines if not line.unknown]
    assert so_far.net(memory.store.read()) == (sum(nets) if nets else None)
    two, none = report(memory, days=2).days, report(memory, days=0).days
    lines = found.lines
    memory.close()

    def total(line: tuple[str, str], kind: str) -> int:
        return sum(
            tokens * times
            for role, feature, of, tokens, times, _ in told
            if (role, feature, of) == (*line, kind)
        )

    for line in lines:
        key = (line.role, line.feature)
        assert line.gross == total(key, SAVING)
        assert line.bounced == total(key, BOUNCE)
        assert line.cost == total(key, COST)
        assert line.net == line.gross - line.bounced - line.cost
        assert line.unknown == (not any(one[:3] == (*key, SAVING) for one in told))
        mine = [one for one in found.days if (one.role, one.feature) == key]
        assert sum(one.gross for one in mine) == line.gross
        assert sum(one.bounced for one in mine) == line.bounced
        assert sum(one.cost for one in mine) == line.cost
    assert {(line.role, line.feature) for line in lines} == {one[:2] for one in told}
    assert none == []
    assert two == [one for one in found.days if one.day >= "2026-04-01"]


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


def test_what_nobody_measured_is_called_unknown(memory: Memory) -> None:
    """Cost N, saving unknown: it has no bound, no estimate, and stays on (P3)."""
    with memory.store.write() as connection:
        for _ in range(200):
            add_entry(connection, entry("codex", "block", COST, 60, 1, 0))
    (line,) = report(memory).lines
    assert (line.state, line.reason) == ("on", "cost 12,000, saving unknown")
    assert (line.lower, line.at, line.estimate) == (None, None, None)


def test_too_few_samples_say_how_many_there_are(memory: Memory) -> None:
    """A bound is told from two samples on, a judgement takes thirty (P3)."""
    with memory.store.write() as connection:
        add_entry(connection, entry("codex", "stub", SAVING, 60, 1, 0))
    assert report(memory).lines[0].lower is None
    with memory.store.write() as connection:
        add_entry(connection, entry("codex", "stub", SAVING, 60, 1, 0))
    (line,) = report(memory).lines
    assert (line.lower, line.samples) == (60.0, 2)
    assert line.reason == "2 of 30 samples for a judgement"
