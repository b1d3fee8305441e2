"""A control group withholds features from some sessions, to compare (P6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.engine.keep import comparing, withhold
from ibid.engine.keep.account import Line
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import DAY, MINUTE, FixedClock, ReadRequest, RecallRequest
from ibid.errors import InputError
from ibid.store import receipts, sessions
from ibid.store.receipts import ReceiptPage

from .talk import Talk

AGENT = "claude-code"


def names(memory: Memory, feature: str, chosen: bool, percent: int = 50) -> list[str]:
    """Return names of sessions that the lot chose, or did not."""
    found = [f"s{number}" for number in range(400)]
    return [
        name
        for name in found
        if withhold.is_chosen(memory.key, name, feature, percent) == chosen
    ]


def ask(memory: Memory, session: str, **more: bool) -> str:
    """Return the block that a prompt gets, or why it gets none."""
    request = RecallRequest("How big is the heron queue?", session, AGENT)
    found = memory.recall(request._replace(**more))
    return found.block or found.reason


def marks(memory: Memory, session: str) -> list[tuple[str, str, int, str]]:
    """Return kind, mark, tokens and text of a session's receipts, oldest first."""
    views, _ = memory.receipts.page(ReceiptPage(session=session))
    return [
        (one.row["kind"], one.row["control"], one.row["tokens"], one.row["text"])
        for one in reversed(views)
    ]


@pytest.fixture
def heron(memory: Memory) -> Memory:
    """A memory with something to recall, and half of all sessions in the control."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    memory.set_policy("project", "control", 50)
    return memory


def test_nothing_is_withheld_unless_a_person_wants_it(memory: Memory) -> None:
    """The default is 0 per cent; no receipt has a mark then (P6)."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    for name in names(memory, "block", chosen=True)[:20]:
        assert "5 jobs" in ask(memory, name)
        assert [one[:2] for one in marks(memory, name)] == [("block", "")]
    assert memory.report().control == 0


@pytest.mark.parametrize("value", [51, -1, True, "10"])
def test_at_most_half_of_the_sessions_are_compared(
    memory: Memory, value: object
) -> None:
    """The setting is a whole number from 0 to 50."""
    with pytest.raises(InputError, match="0 to 50"):
        memory.set_policy("project", "control", value)


def test_the_lot_is_as_large_as_it_says_and_each_feature_s_own(memory: Memory) -> None:
    """By session, feature and the project's key; a larger group holds the smaller."""
    many = [f"session-{number}" for number in range(4_000)]

    def lot(key: bytes, feature: str, percent: int) -> set[str]:
        return {one for one in many if withhold.is_chosen(key, one, feature, percent)}

    key = memory.key
    ten, half = lot(key, "block", 10), lot(key, "block", 50)
    assert ten < half
    assert 320 < len(ten) < 480 and 1_880 < len(half) < 2_120
    assert lot(key, "block", 0) == set()
    for other in (lot(key, "hint", 50), lot(bytes(32), "block", 50)):
        assert 800 < len(half & other) < 1_200


def test_a_withheld_block_leaves_a_receipt_that_cost_nothing(heron: Memory) -> None:
    """No word of it is sent or kept, and no entry is made; the report says 50 %."""
    out, given = names(heron, "block", True)[0], names(heron, "block", False)[0]
    assert ask(heron, out) == "block is withheld to compare (control group)"
    assert marks(heron, out) == [("block", "withheld", 0, "")]
    assert "5 jobs" in ask(heron, given)
    ((kind, mark, tokens, _),) = marks(heron, given)
    assert (kind, mark) == ("block", "given")
    report = heron.report()
    found = [(one.feature, one.cost, one.samples) for one in report.lines]
    assert found == [("block", tokens, 1)]
    assert report.control == 50


def test_pins_are_not_withheld(heron: Memory) -> None:
    """They go out by themselves, under their own name (P3)."""
    heron.notes.add(NoteText("Never drain the heron queue.", pinned=True))
    out = names(heron, "block", True)[0]
    block = ask(heron, out)
    assert "Never drain" in block and "5 jobs" not in block
    assert [one[:2] for one in marks(heron, out)] == [
        ("block", "withheld"),
        ("pins", ""),
    ]


def test_where_a_person_set_allow_nothing_is_withheld(heron: Memory) -> None:
    """A session set to recall, and what a tool is asked for (P6)."""
    out, other = names(heron, "block", True)[:2]
    with heron.store.write() as connection:
        sessions.ensure_session(connection, sessions.SessionFacts(AGENT, out))
    heron.sessions.preset(out, "memory-on")
    assert "5 jobs" in ask(heron, out)
    assert marks(heron, out)[0][:2] == ("block", "")
    assert "5 jobs" in ask(heron, other, asked=True)
    assert marks(heron, other)[0][:2] == ("block", "asked")
    heron.notes.add(NoteText("The heron queue is drained at noon."))
    assert "control group" in ask(heron, other)


def test_the_lot_of_a_session_is_drawn_once(heron: Memory) -> None:
    """A greater group does not take from a session what it had (Q3); 0 frees all."""
    given, out = names(heron, "block", False, 10), names(heron, "block", True, 10)
    late = next(one for one in given if one in names(heron, "block", True, 50))
    heron.set_policy("project", "control", 10)
    assert "5 jobs" in ask(heron, late)
    assert "control group" in ask(heron, out[0])
    heron.set_policy("project", "control", 50)
    heron.notes.add(NoteText("The heron queue is drained at noon."))
    assert "at noon" in ask(heron, late)
    heron.set_policy("project", "control", 0)
    assert "at noon" in ask(heron, out[0])


def test_a_session_that_had_it_before_anything_was_compared_is_left_alone(
    memory: Memory,
) -> None:
    """It is in neither group (Q3)."""
    memory.notes.add(NoteText("The heron queue holds 5 jobs."))
    name = names(memory, "block", True)[0]
    assert "5 jobs" in ask(memory, name)
    memory.set_policy("project", "control", 50)
    memory.notes.add(NoteText("The heron queue is drained at noon."))
    assert "at noon" in ask(memory, name)
    assert [one[1] for one in marks(memory, name)] == ["", ""]


def test_a_start_withholds_each_part_by_its_own_lot(
    memory: Memory, clock: FixedClock
) -> None:
    """The parts that are left share the fence; their texts are what was sent (I1)."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    memory.notes.add(NoteText("Never log addresses.", pinned=True))
    clock.move(5 * MINUTE)
    memory.set_policy("project", "control", 50)
    lots = {
        (hint, handoff): (
            set(names(memory, "hint", hint)) & set(names(memory, "handoff", handoff))
        ).pop()
        for hint in (True, False)
        for handoff in (True, False)
    }
    for (hint, handoff), name in lots.items():
        text = memory.session_start(name, AGENT) or ""
        assert ("Another session" in text) != hint
        assert ("Task:" in text) != handoff
        assert "Never log addresses." in text
        found = marks(memory, name)
        told = {kind: mark for kind, mark, _, _ in found}
        assert told == {
            "handoff": "withheld" if handoff else "given",
            "hint": "withheld" if hint else "given",
            "pins": "",
        }
        sent = [(tokens, part) for _, mark, tokens, part in found if mark != "withheld"]
        assert "\n".join(part for _, part in reversed(sent)) == text
        assert all(tokens > 0 for tokens, _ in sent)
        assert memory.session_start(name, AGENT) is None


def test_a_start_without_anything_left_says_nothing_twice(
    memory: Memory, clock: FixedClock
) -> None:
    """What was withheld counts as told: asking again makes no second receipt."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    clock.move(20 * MINUTE)
    memory.set_policy("project", "control", 50)
    name = names(memory, "handoff", True)[0]
    assert memory.session_start(name, AGENT) is None
    assert memory.session_start(name, AGENT) is None
    assert marks(memory, name) == [("handoff", "withheld", 0, "")]


def test_a_hint_that_was_withheld_is_not_told_with_a_read(
    memory: Memory, clock: FixedClock
) -> None:
    """The start decides, where there is a receipt of it; other reads go on (N7)."""
    path = f"{memory.project.path}/box.py"
    Talk(memory, clock, "first").turn("Rename the parcel table.")
    memory.read(ReadRequest(path, "first", agent=AGENT), "x = 1\n")
    memory.set_policy("project", "control", 50)
    out, never = names(memory, "hint", True)[:2]
    memory.session_start(out, AGENT)
    assert ("hint", "withheld") in [one[:2] for one in marks(memory, out)]
    assert not memory.read(ReadRequest(path, out, agent=AGENT), "x = 1\n").before
    assert memory.read(ReadRequest(path, never, agent=AGENT), "x = 1\n").before


def test_the_list_of_sessions_says_what_is_withheld(
    memory: Memory, clock: FixedClock
) -> None:
    """Each session names the features that it goes without."""
    from ibid.faces import shapes

    Talk(memory, clock, "first").turn("Rename the parcel table.")
    memory.set_policy("project", "control", 50)
    both = set(names(memory, "hint", True)) & set(names(memory, "handoff", True))
    name = both.pop()
    Talk(memory, clock, name)
    memory.session_start(name, AGENT)
    found = {row["native"]: shapes.session(row) for row in memory.sessions.page()[0]}
    assert found[name]["control"] == ["handoff", "hint"]
    assert found["first"]["control"] == []


# -- the estimate ----------------------------------------------------------------------

WORD = "word "


def explore(
    memory: Memory, clock: FixedClock, name: str, words: int, path: str = "/known.py"
) -> Talk:
    """Let a session read so many words of a file, and end."""
    talk = Talk(memory, clock, name)
    talk.ask("Go on.")
    clock.move(1000)
    if words:
        talk.apply(e.Read(talk.head(), path, 1, 1, WORD * words))
    talk.end()
    talk.apply(e.SessionEnded(talk.head()))
    clock.move(MINUTE)
    return talk


def run(memory: Memory, clock: FixedClock, each: int, words: tuple[int, int]) -> None:
    """Play sessions of both groups of hints that read words of a known file.

    ``words`` is what those read that have the hint, and those that have it not.
    """
    explore(memory, clock, "origin", 50)
    memory.set_policy("project", "control", 50)
    for chosen in (False, True):
        for at, name in enumerate(names(memory, "hint", chosen)[:each]):
            with memory.store.write() as connection:
                mark(memory, connection, name, chosen)
            explore(memory, clock, name, words[chosen] + at % 3)


def mark(memory: Memory, connection: object, name: str, chosen: bool) -> None:
    """Write the receipt that a start leaves, with a cost of 40 tokens if given."""
    receipt = receipts.NewReceipt(
        name="r-1",
        kind="hint",
        session=None,
        native=name,
        agent=AGENT,
        role=AGENT,
        at=memory.clock.now(),
        prompt="",
        query="startup",
        text="" if chosen else "hint",
        tokens=0 if chosen else 40,
        estimator="none",
        layers="{}",
        control=receipts.WITHHELD if chosen else receipts.GIVEN,
    )
    receipts.add_receipt(connection, receipt, [])  # type: ignore[arg-type]


def hint(memory: Memory) -> Line:
    """Return the report's line of hints."""
    return next(one for one in memory.report().lines if one.feature == "hint")


def test_the_estimate_is_what_was_spared_less_what_it_cost(
    memory: Memory, clock: FixedClock
) -> None:
    """Means of both groups, with an interval; the accounts get no entry of it (P1)."""
    run(memory, clock, 12, words=(100, 600))
    made = hint(memory)
    estimate = made.estimate
    assert estimate is not None
    assert (estimate.basis, estimate.given, estimate.withheld) == ("control", 12, 12)
    connection = memory.store.read()
    spent = {
        chosen: connection.execute(
            "SELECT avg(tokens) FROM shown x JOIN session s ON s.id = x.session"
            f" WHERE s.native IN ({', '.join('?' * 12)})",
            names(memory, "hint", chosen)[:12],
        ).fetchone()[0]
        for chosen in (True, False)
    }
    assert spent[True] - spent[False] > 300
    assert estimate.saved == pytest.approx(spent[True] - spent[False])
    assert estimate.net == pytest.approx(estimate.saved - 40)
    assert estimate.low < estimate.net < estimate.high
    assert made.unknown and made.gross == 0 and made.net == -12 * 40
    assert "control group: 12 sessions without and 12 with it" in made.reason


def test_only_what_an_earlier_session_knew_counts(
    memory: Memory, clock: FixedClock
) -> None:
    """A new file, and one that only a later session reads, is no exploring again."""
    explore(memory, clock, "origin", 50)
    fresh = explore(memory, clock, "fresh", 900, "/new.py")
    again = explore(memory, clock, "again", 300)
    explore(memory, clock, "later", 900, "/new.py")
    connection = memory.store.read()
    rows = {
        name: sessions.find_session(connection, name) for name in ("fresh", "again")
    }
    from ibid.store.shown import explored_again

    assert fresh.session == "fresh" and again.session == "again"
    assert explored_again(connection, rows["fresh"]["id"]) == 0  # type: ignore
    assert explored_again(connection, rows["again"]["id"]) > 200  # type: ignore


def test_sessions_that_run_or_that_are_mixed_are_not_compared(
    memory: Memory, clock: FixedClock
) -> None:
    """Both marks, or a hint from before: neither group; nor is a session that runs."""
    run(memory, clock, 3, words=(100, 600))
    out, given = names(memory, "hint", True), names(memory, "hint", False)
    with memory.store.write() as connection:
        mark(memory, connection, out[0], False)
        mark(memory, connection, given[5], False)
    talk = Talk(memory, clock, given[5])
    estimate = hint(memory).estimate
    assert estimate is not None
    assert (estimate.given, estimate.withheld) == (3, 2)
    talk.apply(e.SessionEnded(talk.head()))
    assert hint(memory).estimate[1] == 4  # type: ignore[index]


def test_thirty_sessions_in_each_group_can_demote(
    memory: Memory, clock: FixedClock
) -> None:
    """A hint that spares nothing goes, and says so; fewer sessions decide nothing."""
    run(memory, clock, 29, words=(500, 500))
    memory.settle()
    assert hint(memory).state == "on"
    for chosen in (False, True):
        name = names(memory, "hint", chosen)[29]
        with memory.store.write() as connection:
            mark(memory, connection, name, chosen)
        explore(memory, clock, name, 500)
    memory.settle()
    assert hint(memory).state == "on"  # It was judged within the hour.
    clock.move(comparing.AGAIN)
    memory.settle()
    made = hint(memory)
    assert made.state == "demoted"
    assert "30 sessions without and 30 with it, net −" in made.reason
    text = memory.session_start("newer", AGENT) or ""
    assert "Another session" not in text and "Read before" not in text


def test_what_the_group_shows_to_save_stays(memory: Memory, clock: FixedClock) -> None:
    """The lower end of the interval is above zero."""
    run(memory, clock, 30, words=(100, 600))
    memory.settle()
    made = hint(memory)
    assert made.state == "on"
    assert made.estimate is not None and made.estimate.low > 0


def test_turning_it_on_again_compares_anew(memory: Memory, clock: FixedClock) -> None:
    """Sessions from before the switch are in no group any more."""
    run(memory, clock, 30, words=(500, 500))
    memory.settle()
    assert memory.enable("hint") == [AGENT]
    made = hint(memory)
    assert (made.state, made.estimate) == ("on", None)
    clock.move(DAY)
    memory.settle()
    assert hint(memory).state == "on"


def test_a_subagent_s_hint_is_its_session_s(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """One lot for all threads of a session; what they cost is added up (P6)."""
    Talk(memory, clock, "first").turn("Rename the parcel table.")
    memory.set_policy("project", "control", 50)
    out, given = names(memory, "hint", True)[0], names(memory, "hint", False)[0]
    assert memory.subagent_start(out, AGENT, AGENT, "a1") is None
    assert memory.subagent_start(given, AGENT, AGENT, "a1")
    assert memory.session_start(given, AGENT)
    Talk(memory, clock, given)
    rows = receipts.list_compared(memory.store.read(), clock.now() + 1)
    ((tokens,),) = memory.store.read().execute(
        "SELECT sum(tokens) FROM receipt WHERE kind = 'hint' AND control = 'given'"
    )
    found = {row["kind"]: (row["control"], row["tokens"]) for row in rows}
    assert found["hint"] == ("given", tokens)
