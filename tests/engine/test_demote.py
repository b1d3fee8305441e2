"""A feature that costs more than it saves is off from the next session on (P3)."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from ibid.engine.keep import demote
from ibid.engine.keep.account import Line
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock, ReadRequest, RecallRequest
from ibid.errors import InputError
from ibid.store import receipts, sessions
from ibid.store.receipts import COST, SAVING, Entry, add_entry

from .talk import Talk

CODE = "".join(f"value_{n} = compute(left, right, {n})\n" for n in range(90))
ROLE = "codex"


class Reader:
    """An agent's session that reads one file."""

    def __init__(self, memory: Memory, session: str, agent: str = ROLE) -> None:
        self.memory = memory
        self.session = session
        self.agent = agent

    def read(self, content: str = CODE) -> str:
        """Read the file; return the kind of answer."""
        path = f"{self.memory.project.path}/box.py"
        request = ReadRequest(path, self.session, agent=self.agent)
        return self.memory.read(request, content).answer


def enter(memory: Memory, nets: list[int], feature: str = "stub") -> None:
    """Enter short answers with these nets, judged as the ledger does."""
    with memory.store.write() as connection:
        for net in nets:
            base = Entry(1, None, "s", ROLE, feature, COST, 20, 1, "test", "none")
            paid = add_entry(connection, base)
            saving = base._replace(kind=SAVING, tokens=20 + net, pair=paid)
            add_entry(connection, saving)
            demote.judge(connection, ROLE, feature, memory.clock.now())


def line(memory: Memory, feature: str = "stub", role: str = ROLE) -> Line:
    """Return a feature's line of the report."""
    (found,) = [
        one
        for one in memory.report().lines
        if (one.role, one.feature) == (role, feature)
    ]
    return found


def bounce(memory: Memory, clock: FixedClock, name: str) -> list[str]:
    """Let a new session read, get a stub if there are any, and ask again."""
    reader = Reader(memory, name)
    found = [reader.read()]
    clock.move(1000)
    found.append(reader.read())
    clock.move(1000)
    found.append(reader.read())
    return found


def test_thirty_bounces_demote_from_the_next_session_on(
    memory: Memory, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Not the twenty-ninth; then running sessions keep it and new ones do not (Q3)."""
    early = Reader(memory, "early", ROLE)
    assert early.read() == "full"
    for number in range(29):
        assert bounce(memory, clock, f"s{number}") == ["full", "stub", "full"]
        clock.move(MINUTE)
    assert line(memory).state == "on"
    with caplog.at_level(logging.INFO):
        assert bounce(memory, clock, "s29")[1] == "stub"
    assert "stub for codex is demoted" in caplog.text
    told = line(memory)
    assert (told.state, told.samples) == ("demoted", 30)
    assert told.reason == (
        "demoted 2026-04-02: 30 samples, net +31.3 tokens each, at least −17.0 (95 %)"
    )  # The thirtieth was not taken back yet.
    assert told.lower is not None and told.lower < 0 and told.at is not None
    assert early.read() == "stub"
    assert bounce(memory, clock, "late") == ["full", "full", "full"]
    other = Reader(memory, "other", "claude-code")
    assert [other.read(), other.read()] == ["full", "stub"]


def test_a_bounce_can_be_what_demotes(memory: Memory) -> None:
    """The thirtieth sample pays until it is taken back (N6)."""
    enter(memory, [1] * 29)
    reader = Reader(memory, "s1")
    assert [reader.read(), reader.read()] == ["full", "stub"]
    assert line(memory).state == "on"
    assert reader.read() == "full"
    told = line(memory)
    assert (told.state, told.samples) == ("demoted", 30)


def test_what_a_demoted_feature_would_save_is_still_measured(
    memory: Memory, clock: FixedClock
) -> None:
    """The report says how often; the sums and the samples stay as they were."""
    enter(memory, [-5] * 30)
    before = line(memory)
    bounce(memory, clock, "late")
    after = line(memory)
    assert after.reason == f"{before.reason}; 2 more were measured only"
    assert after[2:8] == before[2:8]


def test_a_feature_of_its_own_is_judged_by_itself(
    memory: Memory, clock: FixedClock
) -> None:
    """A stub that is demoted leaves deltas alone."""
    enter(memory, [-5] * 30)
    reader = Reader(memory, "late")
    changed = CODE.replace("value_3 ", "value_three ")
    assert [reader.read(), reader.read(changed)] == ["full", "delta"]


@pytest.mark.parametrize(
    ("nets", "state"),
    [
        ([-5] * 29, "on"),
        ([-5] * 30, "demoted"),
        ([400, 380, 420] * 10, "on"),
        ([8] * 29 + [90_000], "on"),
        ([-12] * 27 + [300] * 3, "demoted"),
        ([900, -20] * 15, "on"),
        ([90, -80] * 15, "demoted"),
    ],
)
def test_the_lower_bound_decides(memory: Memory, nets: list[int], state: str) -> None:
    """Thirty samples, and a net that is not surely above zero: neither one alone."""
    enter(memory, nets)
    told = line(memory)
    assert told.state == state
    if len(nets) >= 30:
        assert ((told.lower or 0) < 0) == (state == "demoted")


def test_a_person_turns_it_on_again_and_the_old_samples_are_forgiven(
    memory: Memory, clock: FixedClock
) -> None:
    """At once, for a session that runs as well; a new window begins, and is told."""
    enter(memory, [-5] * 30)
    late = Reader(memory, "late")
    assert [late.read(), late.read()] == ["full", "full"]
    assert memory.enable("stub", "claude-code") == []
    assert line(memory).state == "demoted"
    assert memory.enable("stub") == [ROLE]
    assert late.read() == "stub"
    told = line(memory)
    assert told.state == "on"
    assert told.reason == (
        "turned on again by you 2026-04-02; samples count from then; "
        "1 of 30 samples for a judgement"
    )
    assert told.at == clock.now()
    enter(memory, [-5] * 28)
    assert line(memory).state == "on"
    enter(memory, [-5] * 5)
    assert line(memory).state == "demoted"


def test_a_bounce_of_before_does_not_count_in_the_new_window(
    memory: Memory, clock: FixedClock
) -> None:
    """What is taken back after the switch was measured before it."""
    reader = Reader(memory, "s1")
    assert [reader.read(), reader.read()] == ["full", "stub"]
    enter(memory, [-500] * 30)
    assert memory.enable("stub") == [ROLE]
    assert reader.read() == "full"
    told = line(memory)
    assert told.bounced > 0
    assert (told.lower, told.state) == (None, "on")


def test_turning_on_what_is_on_changes_nothing(memory: Memory) -> None:
    """Its samples go on counting; an unknown feature is refused by name."""
    enter(memory, [-5] * 20)
    assert memory.enable("stub", ROLE) == []
    enter(memory, [-5] * 10)
    assert line(memory).state == "demoted"
    with pytest.raises(InputError, match="stub, delta, hint, handoff, block"):
        memory.enable("pins")


# -- what is left out, and what never is -----------------------------------------------


def off(memory: Memory, feature: str, role: str = ROLE) -> None:
    """Demote a feature as a control group or a replay would."""
    with memory.store.write() as connection:
        demote.demote(connection, (role, feature), "40 sessions", memory.clock.now())


def ask(memory: Memory, session: str, **more: str | bool) -> str:
    """Return the block that a prompt gets, or why it gets none."""
    request = RecallRequest("How big is the heron queue?", session, "gemini", "gemini")
    found = memory.recall(request._replace(**more))  # type: ignore[arg-type]
    return found.block or found.reason


def test_a_demoted_block_leaves_the_pins(memory: Memory) -> None:
    """Pins go on, under their own name; what was found stays out (P3)."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    off(memory, "block", "gemini")
    assert ask(memory, "new").startswith("block is demoted for gemini")
    memory.notes.add(NoteText("Never drain the heron queue.", pinned=True))
    block = ask(memory, "new")
    assert "Never drain" in block and "5 jobs" not in block
    lines = {one.feature: one.cost for one in memory.report().lines}
    assert set(lines) == {"pins"}


def test_what_a_person_asked_for_is_never_demoted(memory: Memory) -> None:
    """A tool's answer, a look without a session, and a session set to recall (P3)."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    off(memory, "block", "gemini")
    assert "5 jobs" in ask(memory, "new", asked=True)
    assert "5 jobs" in ask(memory, "")
    with memory.store.write() as connection:
        facts = sessions.SessionFacts("gemini", "chosen", "gemini")
        sessions.ensure_session(connection, facts)
    assert "demoted" in ask(memory, "chosen")
    memory.sessions.preset("chosen", "memory-on")
    assert "5 jobs" in ask(memory, "chosen")


def test_the_preset_of_the_environment_is_a_person_s_too(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``IBID_PRESET=memory-on`` speaks for a session that has none of its own."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    off(memory, "block", "gemini")
    monkeypatch.setenv("IBID_PRESET", "memory-on")
    assert "5 jobs" in ask(memory, "new")


def test_a_session_that_had_blocks_before_it_was_known_keeps_them(
    memory: Memory,
) -> None:
    """A hook recalls for sessions that no transcript has told of yet (Q3)."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    assert "5 jobs" in ask(memory, "unknown")
    off(memory, "block", "gemini")
    memory.notes.add(NoteText("The heron queue is drained at noon."))
    assert "drained at noon" in ask(memory, "unknown")
    assert "demoted" in ask(memory, "another")


def test_a_demoted_handoff_and_hint_leave_each_other_and_the_pins(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """A start tells what is left; nothing of what is off has a receipt or a cost."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    memory.notes.add(NoteText("Never log addresses.", pinned=True))
    clock.move(5 * MINUTE)
    off(memory, "handoff", "claude-code")
    text = memory.session_start("second", "claude-code") or ""
    assert "Another session" in text and "Never log addresses." in text
    assert "Task:" not in text
    off(memory, "hint", "claude-code")
    text = memory.session_start("third", "claude-code") or ""
    assert "Another session" not in text and "Never log addresses." in text
    page = receipts.ReceiptPage(session="third")
    assert [one.row["kind"] for one in memory.receipts.page(page)[0]] == ["pins"]


def test_a_running_session_gets_its_own_handoff_back(
    memory: Memory, clock: FixedClock
) -> None:
    """What was demoted meanwhile it keeps after its compaction (O2, Q3)."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    off(memory, "handoff", "claude-code")
    text = memory.session_start("first", "claude-code", source="compact") or ""
    assert "Rename the parcel table" in text


def test_a_demoted_hint_is_left_out_of_a_first_read(memory: Memory) -> None:
    """The line about earlier reads is a hint as well, with its cost (N7)."""
    path = f"{memory.project.path}/box.py"
    memory.read(ReadRequest(path, "s1", agent=ROLE), CODE)
    assert memory.read(ReadRequest(path, "s2", agent=ROLE), CODE).before
    off(memory, "hint")
    assert not memory.read(ReadRequest(path, "s3", agent=ROLE), CODE).before
    assert memory.read(ReadRequest(path, "s4", agent="gemini"), CODE).before
