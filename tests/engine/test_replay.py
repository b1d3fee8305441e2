"""Past sessions once more, with only what was known at each moment (P5)."""

from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibid.duties.importing import find_transcripts
from ibid.duties.replaying import Ground, ReplayRun
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import open_memory
from ibid.engine.model import DAY, RecallRequest
from ibid.engine.replay import log
from ibid.engine.replay.sums import Line, Pile, Report, add_up
from ibid.errors import DisabledError
from ibid.store import includes
from ibid.store.schema import SCHEMA_VERSION
from ibid.text.tokens import estimate

from .past import BEGIN, CODE, Past, iso, of_kind, replayed

RULE = "Always print parcel labels on A6 paper."


@pytest.fixture
def past(project: Path, tmp_path: Path) -> Past:
    """A past without sessions."""
    return Past(project, tmp_path / "transcripts")


def line_of(report: Report, feature: str) -> Line:
    """Return the line of a feature, all roles together."""
    return next(line for line in report.features if line.feature == feature)


def two_sessions(past: Past) -> None:
    """One session teaches a rule; another asks an hour later."""
    past.begin("one")
    past.turn("one", f"Write the label printer. {RULE}", "Wrote label_printer.py.")
    past.wait(60)
    past.begin("two")
    past.turn("two", "Which paper do the parcel labels take?", "A6, as label_printer.")


# -- what would have been injected ---------------------------------------------------


def test_the_second_session_is_told_what_the_first_one_taught(past: Past) -> None:
    """A handoff at its start, and a block with the settled note for its prompt."""
    two_sessions(past)
    run = past.replay()
    costs = [(fact.who.session, fact.feature) for fact in of_kind(run, log.COST)]
    assert costs == [("two", "handoff"), ("two", "block")]
    items = of_kind(run, log.ITEM, "block")
    assert any(fact.about.startswith("n-") for fact in items)
    assert all(fact.tokens > 0 for fact in of_kind(run, log.COST))


def test_nothing_is_known_before_it_settled(past: Past) -> None:
    """Ten minutes after it was said a rule is no note yet; after forty it is (C1)."""
    past.begin("one")
    past.turn("one", f"Write the label printer. {RULE}", "Wrote it.")
    past.begin("two")
    for minutes in (10, 30):
        past.wait(minutes)
        past.turn("two", "Which paper do the parcel labels take?", "A6.")
    items = of_kind(past.replay(), log.ITEM, "block")
    early = [fact for fact in items if fact.at < BEGIN + 20 * 60_000]
    assert [fact.about[0] for fact in early] == ["e"]
    assert "n" in {fact.about[0] for fact in items}


def test_sessions_interleave(past: Past) -> None:
    """What one session says between two prompts of another is known to the second."""
    past.begin("two")
    past.turn("two", "Look at the parcel scales.", "Seen.")
    past.begin("one")
    past.turn("one", "Fit the heron scale driver.", "Fitted heron_scale.py.")
    past.turn("two", "What about the heron scale driver?", "It is in heron_scale.py.")
    past.turn("one", "And the zebra?", "Nobody said.")
    costs = of_kind(past.replay(), log.COST, "block")
    assert [fact.at for fact in costs if fact.who.session == "two"] == [
        BEGIN + 11_000  # Its second prompt; at the first one nothing was known.
    ]


def test_a_resumed_copy_counts_once(past: Path, project: Path, tmp_path: Path) -> None:
    """Records that another transcript told first neither ask nor save again."""
    own = Past(project, tmp_path / "own")
    own.begin("one")
    own.ask("one", "Look at the box.")
    own.read("one", "box.py")
    own.answer("one")
    copies = [{**record, "file": "zcopy"} for record in own.records]
    for record in copies:
        record["session"] = "two"
    own.records += copies
    own.wait(5)
    own.add("two", "prompt", text="Go on with the box.", file="zcopy")
    run = own.replay()
    assert len(of_kind(run, log.READ)) == 1
    assert [fact.who.session for fact in of_kind(run, log.PROMPT)] == ["one", "two"]


def test_an_agent_that_has_to_be_told_is_replayed_as_if_it_were(past: Past) -> None:
    """Codex gets a block only by a person's word; the replay says what that would be.

    Rule: G8.
    """
    two_sessions(past)
    for record in past.records:
        if record["type"] == "session":
            record["agent"] = "codex"
    run = past.replay()
    assert {fact.feature for fact in of_kind(run, log.COST)} == {"handoff", "block"}
    assert {fact.who.role for fact in run.facts} == {"codex"}


def test_where_an_agent_takes_no_text_none_is_counted(past: Past) -> None:
    """Cursor's hooks take text at a start and for no prompt."""
    two_sessions(past)
    for record in past.records:
        if record["type"] == "session":
            record["agent"] = "cursor"
    run = past.replay()
    assert {fact.feature for fact in of_kind(run, log.COST)} == {"handoff"}


# -- what would have been withheld ---------------------------------------------------


def test_a_repeat_saves_exactly_what_was_withheld(past: Past) -> None:
    """The saving is the full text, the cost the stub; times the requests that carry it.

    Rules: N2, P1, P2.
    """
    past.begin("one")
    past.ask("one", "Look at the box.")
    past.read("one", "box.py")
    past.add("one", "usage", input=1)
    past.read("one", "box.py")
    past.add("one", "usage", input=1)
    past.answer("one")
    line = line_of(past.replay().report(), log.STUB)
    full = estimate(CODE.removesuffix("\n"))
    assert (line.samples, line.once.gross, line.unknown) == (1, full, False)
    assert line.once.cost <= 20
    assert line.once.net == full - line.once.cost
    assert line.carried.net == 2 * line.once.net


def test_what_is_asked_for_again_saves_nothing(past: Past) -> None:
    """A third look within ten minutes takes the saving back (N6)."""
    past.begin("one")
    past.ask("one", "Look at the box.")
    for _ in range(3):
        past.read("one", "box.py")
    past.answer("one")
    line = line_of(past.replay().report(), log.STUB)
    assert line.once.gross == line.once.bounced > 0
    assert line.once.net == -line.once.cost < 0


def test_nothing_is_demoted_on_the_way(past: Past) -> None:
    """A replay measures to the end what would have been switched off by then (P3)."""
    past.begin("one")
    for number in range(36):
        past.ask("one", f"Look at box {number}.")
        for _ in range(3):
            past.read("one", f"box{number}.py")
        past.answer("one")
    past.begin("two")
    past.ask("two", "Look at the box.")
    for _ in range(2):
        past.read("two", "box.py")
    past.answer("two")
    costs = of_kind(past.replay(), log.COST, log.STUB)
    assert [fact.who.session for fact in costs] == ["one"] * 36 + ["two"]


def test_a_compaction_ends_what_is_carried_and_shown(past: Past) -> None:
    """Then the file is read in full again, and named as lost (N4)."""
    past.begin("one")
    past.turn("one", "Begin with the box.", "Begun.")
    past.wait(60 * 24)
    past.begin("two")
    past.ask("two", "Look at the box.")
    past.read("two", "box.py")
    past.add("two", "usage", input=1)
    past.add("two", "compacted")
    past.read("two", "box.py")
    past.answer("two")
    past.answer("two")
    run = past.replay()
    assert of_kind(run, log.SAVING) == []
    (lost,) = of_kind(run, log.LOST)
    assert lost.same
    assert lost.named == ("hint",)
    first, second = of_kind(run, log.COST, "handoff")
    assert (first.who.epoch, second.who.epoch) == (0, 1)
    report = run.report()
    handoff = line_of(report, "handoff")
    assert handoff.carried.cost == first.tokens + 2 * second.tokens
    assert report.held["lost"] == Pile(1, estimate(CODE.removesuffix("\n")))


# -- causality -----------------------------------------------------------------------

WORDS = ("heron", "label", "scale", "parcel", "crate", "A6")
SESSIONS = ("s0", "s1", "s2")


def record_of(draw: Any, number: int, at: int) -> dict[str, Any]:
    """Return a record of any kind, told at ``at``."""
    session = draw(st.sampled_from(SESSIONS))
    kind = draw(
        st.sampled_from(
            (
                *("prompt", "prompt", "answer", "turn", "read", "edit", "tool"),
                *("usage", "compacted", "end"),
            )
        )
    )
    word, other = draw(st.sampled_from(WORDS)), draw(st.sampled_from(WORDS))
    text = draw(
        st.sampled_from(
            (
                f"Always use {word} for the {other} crates.",
                f"What did we say about {word} and {other} before?",
                f"Fix {word}_{other}() in src/{word}.py to be {number}.",
            )
        )
    )
    body = "".join(f"{word}_{n} = {other!r}\n" for n in range(40))
    fields: dict[str, Any] = {
        "prompt": {"text": text},
        "answer": {"text": f"{text} Done in src/{other}.py."},
        "turn": {"status": "completed"},
        "read": {"path": f"src/{word}.py", "first": 1, "last": 40, "text": body},
        "edit": {"path": f"src/{word}.py", "before": word, "after": other},
        "tool": {"name": "Bash", "input": {"command": f"rg {word}"}, "output": body},
    }.get(kind, {})
    name = f"{session}-{number}"
    head = {"type": kind, "session": session, "at": iso(at), "id": name}
    return {**head, **fields}


@st.composite
def pasts(draw: Any) -> tuple[list[dict[str, Any]], int]:
    """Return records in order, and a moment among theirs."""
    at, records = BEGIN, []
    for session in SESSIONS:
        records.append(
            {
                "type": "session",
                "session": session,
                "at": iso(at),
                "agent": draw(st.sampled_from(("claude-code", "opencode"))),
                "cwd": "/invented/parcel",
            }
        )
    count = draw(st.integers(4, 20))
    for number in range(count):
        at += draw(st.sampled_from((1_000, 90_000, 700_000, 2_400_000, DAY)))
        records.append(record_of(draw, number, at))
    return records, draw(st.integers(BEGIN, at))


def moment(record: dict[str, Any]) -> str:
    """Return when a record was written."""
    at: str = record["at"]
    return at


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(world=pasts(), seed=st.integers(0, 99))
def test_the_future_changes_nothing_about_the_past(
    world: tuple[list[dict[str, Any]], int], seed: int, tmp_path_factory: Any
) -> None:
    """Cut off after a moment, or shuffled after it: what is known by then stays."""
    records, cut = world
    past = [record for record in records if moment(record) <= iso(cut)]
    future = [record for record in records if moment(record) > iso(cut)]
    chance = random.Random(seed)
    other = [dict(record) for record in future]
    moments = [moment(record) for record in other]
    chance.shuffle(other)
    for record, at in zip(other, moments, strict=True):
        record["at"] = at
        record["id"] += "x"
    known = []
    for given_records in (records, past, past + other, records):
        folder = Past(Path("/invented/parcel"), tmp_path_factory.mktemp("past") / "t")
        run = replayed(folder.write(given_records))
        known.append([fact for fact in run.facts if fact.at <= cut])
    assert known[0] == known[1] == known[2] == known[3]


def test_the_same_past_gives_the_same_report(past: Past, tmp_path: Path) -> None:
    """Whatever the machine, the home and the age of the files."""
    two_sessions(past)
    first = past.replay().report()
    later = Past(past.project, tmp_path / "later" / "transcripts")
    later.records = past.records
    assert later.replay(tmp_path / "another-home").report() == first


def test_the_disk_of_today_has_no_say(past: Past, project: Path) -> None:
    """A file counts as it was seen then, not as it is now, or is gone (N7)."""
    past.begin("one")
    past.ask("one", "Look at the box.")
    past.read("one", "box.py")
    past.add("one", "compacted")
    past.answer("one")
    before = past.replay()
    assert of_kind(before, log.COST, "hint")
    (project / "box.py").write_text("nothing = 1\n")
    assert past.replay().facts == before.facts


def test_no_other_project_has_a_say(past: Past, project: Path, tmp_path: Path) -> None:
    """What a project recalls from others today is not what its past would get (S2)."""
    two_sessions(past)
    home, shop = tmp_path / "ibid-home", tmp_path / "shop"
    shop.mkdir()
    before = past.replay(home).facts
    with (
        closing(open_memory(str(project), str(home))) as here,
        closing(open_memory(str(shop), str(home))) as there,
    ):
        there.notes.add(NoteText("Parcel labels take glossy paper."))
        includes.change(str(home), here.project, "shop", on=True)
        asked = RecallRequest("Which paper do the parcel labels take?")
        assert here.recall(asked).block
    assert past.replay(home).facts == before


# -- what is left alone --------------------------------------------------------------


def bytes_below(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {
        str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_nothing_is_written_and_nothing_is_left(
    past: Past, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither into the project nor into the person's store; the scratch is gone."""
    scratch, home = tmp_path / "scratch", tmp_path / "ibid-home"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    open_memory(str(project), str(home)).close()
    two_sessions(past)
    folder = past.write()
    known = bytes_below(home), bytes_below(project), bytes_below(folder)
    assert replayed(folder, home).facts
    run = ReplayRun(find_transcripts([folder]), Ground(str(home)))
    steps = run.steps()
    for _ in range(4):
        next(steps)
    assert list(scratch.iterdir())
    steps.close()  # Cancelled.
    assert list(scratch.iterdir()) == []
    now = bytes_below(home), bytes_below(project), bytes_below(folder)
    assert now == known


@pytest.mark.parametrize("version", [0, -1, 1])
def test_private_and_deleted_sessions_are_not_played(
    past: Past, project: Path, tmp_path: Path, version: int
) -> None:
    """What may not be stored is not replayed either, whoever wrote the store (H4, K3).

    ``version`` is how much older or newer its schema is.
    """
    home = tmp_path / "ibid-home"
    two_sessions(past)
    folder = past.write()
    memory = open_memory(str(project), str(home))
    with memory.store.write() as connection:
        connection.execute(
            "INSERT INTO suppression (native, at) VALUES ('session:one', 1)"
        )
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + version}")
    memory.close()
    known = bytes_below(home)
    run = replayed(folder, home)
    assert bytes_below(home) == known
    assert {fact.who.session for fact in run.facts} == {"two"}
    assert of_kind(run, log.COST) == []


def test_what_is_switched_off_is_replayed_as_if_it_were_on(
    past: Past, project: Path, tmp_path: Path
) -> None:
    """That is what a replay is for; budgets stay the person's own (P5)."""
    home = tmp_path / "ibid-home"
    memory = open_memory(str(project), str(home))
    memory.set_policy("project", "recall", False)
    memory.set_policy("project", "settling", 1440)
    memory.close()
    two_sessions(past)
    run = replayed(past.write(), home)
    assert of_kind(run, log.COST, "block")
    items = of_kind(run, log.ITEM, "block")
    assert not any(fact.about.startswith("n-") for fact in items)


def test_the_kill_switch_holds(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    """IBID_DISABLE ends the discussion (H3)."""
    two_sessions(past)
    folder = past.write()
    monkeypatch.setenv("IBID_DISABLE", "1")
    with pytest.raises(DisabledError):
        replayed(folder)


# -- what became of it ---------------------------------------------------------------


def test_used_found_unused_and_untold(past: Past) -> None:
    """Told from names that nothing but the item held before the agent wrote them."""
    past.begin("one")
    past.turn(
        "one", "Fit the heron scale.", "Set heron_limit to 4711 in heron/kilo.py."
    )
    past.turn("one", "Paint the heron crate.", "Used crateColour and crate_form.")
    past.turn("one", "Sweep the heron yard.", "Swept.")
    past.wait(60)
    past.begin("two")
    past.ask("two", "The heron scale, the heron crate and the heron yard: go on.")
    past.add("two", "tool", name="Grep", input={}, output="heron/x.py: crate_form = 2")
    past.answer("two", "I keep heron_limit as it is, and crate_form too.")
    run = past.replay()
    line = line_of(run.report(), "block")
    assert (line.items, line.used, line.found, line.unused, line.untold) == (
        (3, 1, 1, 0, 1)
    )
    assert line.once.most == estimate("heron/x.py: crate_form = 2")
    assert line.unknown
    assert line.once.gross == 0


def test_what_the_person_or_the_prompt_says_is_no_use_of_memory(past: Past) -> None:
    """A name in the prompt, or said by the person meanwhile, tells nothing."""
    past.begin("one")
    past.turn("one", "Fit the heron scale.", "Set heron_limit to 4711.")
    past.wait(60)
    past.begin("two")
    past.turn(
        "two", "Is heron_limit of the heron scale right?", "heron_limit is right."
    )
    past.ask("two", "Then make it 4711 again for the heron scale.")
    past.answer("two", "It is 4711.")
    line = line_of(past.replay().report(), "block")
    assert line.items == 1
    assert (line.used, line.found) == (0, 0)


def test_what_a_summary_says_is_no_use_of_memory(past: Past) -> None:
    """After a compaction its summary is in context, beside our handoff."""
    past.begin("one")
    past.turn("one", "Fit the heron scale to 4711 grams.", "Set heron_limit.")
    past.add("one", "compacted", summary="heron_limit is 4711 now")
    past.answer("one", "heron_limit stays at 4711.")
    line = line_of(past.replay().report(), "handoff")
    assert line.items > 0
    assert (line.used, line.found) == (0, 0)


def test_what_was_got_again_is_counted_apart(past: Past) -> None:
    """First reads, commands and sentences that memory held; never as a saving."""
    past.begin("one")
    past.ask("one", f"Look at the box. {RULE}")
    past.read("one", "box.py")
    past.run("one", "make count", "12 crates\n")
    past.answer("one", "Seen.")
    past.wait(120)
    past.begin("two")
    past.ask("two", f"Look at the box again. {RULE}")
    past.read("two", "box.py")
    past.run("two", "make count", "12 crates\n")
    past.answer("two", "Seen.")
    run = past.replay()
    held = run.report().held
    full = estimate(CODE.removesuffix("\n"))
    assert held["again"] == held["againSame"] == Pile(1, full)
    assert held["reruns"] == held["rerunsElsewhere"] == Pile(1, estimate("12 crates\n"))
    assert held["said"] == Pile(1, estimate(RULE))
    assert held["reads"] == Pile(2, 2 * full)
    assert of_kind(run, log.SAVING) == []


# -- sums ----------------------------------------------------------------------------


@pytest.mark.parametrize("first", [10**9, 10**15])
def test_lines_that_no_file_has_are_not_made(past: Past, first: int) -> None:
    """A read far behind any end is learned from, but nothing is built for it."""
    two_sessions(past)
    past.read("two", "vast.py", "a = 1\n", first=first, last=first, total=10**16)
    run = past.replay()
    assert of_kind(run, log.COST)
    assert not any(fact.about.endswith("vast.py") for fact in run.facts)


def test_an_empty_past_has_an_empty_report() -> None:
    """No line, no row, and no figure made up."""
    report = add_up([], random.Random(1))
    assert (report.features, report.roles, report.rows) == ([], [], [])
    assert set(report.held.values()) == {Pile(0, 0)}


def test_the_interval_holds_the_net_and_needs_two_sessions(past: Past) -> None:
    """One session tells nothing about others."""
    for name in ("one", "two", "three"):
        past.begin(name)
        past.ask(name, "Look at the box.")
        for _ in range(2):
            past.read(name, f"{name}.py", CODE * len(name))
        past.answer(name)
        past.wait(90)
        line = line_of(past.replay().report(), log.STUB)
        if name == "one":
            assert line.interval is None
        else:
            assert line.interval is not None
            assert line.interval[0] <= line.once.net <= line.interval[1]
    assert line.sessions == 3


def test_rows_say_the_same_session_by_session(past: Past) -> None:
    """Their costs together are the features'."""
    two_sessions(past)
    report = past.replay().report()
    rows = {row.who.session: row for row in report.rows}
    assert list(rows) == ["one", "two"]
    assert rows["one"].features == []
    assert (rows["two"].prompts, rows["two"].requests) == (1, 1)
    both = sum(line.once.cost for row in report.rows for line in row.features)
    assert both == sum(line.once.cost for line in report.features)
    assert json.dumps([row.who.project for row in report.rows])
