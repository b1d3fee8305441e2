"""What a turn teaches (B), and when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.agents import events as e
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock
from ibid.store.candidates import CandidatePage
from ibid.store.memories import Page

from .talk import Talk

RULE = "Never push to the release branch."


def waiting(memory: Memory) -> list[str]:
    """Return the sentences in the queue."""
    views, _ = memory.queue.page(CandidatePage())
    return [view.row["text"] for view in views]


def episodes(memory: Memory) -> list[Any]:
    """Return the episodes' rows."""
    views, _ = memory.notes.page(Page("episodes"))
    return [view.row for view in views]


def audits(memory: Memory) -> list[tuple[str, str]]:
    """Return status and reason of every turn."""
    rows = memory.store.read().execute("SELECT status, reason FROM audit ORDER BY turn")
    return [tuple(row) for row in rows]


@pytest.fixture
def talk(memory: Memory, clock: FixedClock) -> Talk:
    """A session in an empty project."""
    return Talk(memory, clock)


def test_a_completed_turn_gives_an_episode_and_a_candidate(
    memory: Memory, talk: Talk
) -> None:
    """The rule waits as a candidate, the episode is there at once (B1, B8, C1)."""
    talk.turn(f"Fix the login page. {RULE}", "The login page works again.")
    assert waiting(memory) == [RULE]
    (episode,) = episodes(memory)
    assert episode["request"] == f"Fix the login page. {RULE}"
    assert episode["text"] == "The login page works again."
    assert episode["confidence"] == 0.85
    assert audits(memory) == [("captured", "")]
    assert memory.notes.counts()["all"] == 1  # The episode: no note yet.


@pytest.mark.parametrize("status", [e.CANCELLED, e.FAILED])
def test_a_turn_that_did_not_complete_teaches_nothing(
    memory: Memory, talk: Talk, status: str
) -> None:
    """Cancelled and failed turns give neither candidate nor episode (B1)."""
    talk.ask(RULE)
    talk.answer("I began.")
    talk.end(status)
    assert waiting(memory) == []
    assert episodes(memory) == []
    assert audits(memory) == [("not completed", status)]


def test_the_next_prompt_completes_the_turn(memory: Memory, talk: Talk) -> None:
    """Without an end mark the person's next prompt is the end (B1)."""
    talk.ask(RULE)
    talk.answer("I will not.")
    talk.ask("Thanks, now look at the tests")
    assert waiting(memory) == [RULE]


def test_ten_idle_minutes_complete_a_turn_presumably(
    memory: Memory, talk: Talk, clock: FixedClock
) -> None:
    """A turn that nobody ended is presumed over after ten idle minutes (B1)."""
    talk.ask(RULE)
    talk.answer("I will not.")
    clock.move(9 * MINUTE)
    memory.settle()
    assert waiting(memory) == []
    clock.move(2 * MINUTE)
    memory.settle()
    assert waiting(memory) == [RULE]
    row = memory.store.read().execute("SELECT state FROM turn").fetchone()
    assert row["state"] == "presumed"


def test_a_turn_that_goes_on_updates_its_episode(
    memory: Memory, talk: Talk, clock: FixedClock
) -> None:
    """What comes after a presumed end joins the episode and its index (B1)."""
    talk.ask("Fix the flaky upload test")
    talk.answer("I am looking.")
    clock.move(11 * MINUTE)
    memory.settle()
    talk.answer("The zebra fixture was at fault.")
    (episode,) = episodes(memory)
    assert "zebra" in episode["text"]
    from ibid.engine.model import SearchRequest

    found = memory.search(SearchRequest("zebra", ("L2",)))
    assert [hit.id for hit in found.hits] == [episode["key"]]


@pytest.mark.parametrize(
    ("voice", "author"),
    [(e.INJECTED, "harness"), (e.AGENT, "agent"), (e.TYPED, "agent")],
)
def test_only_a_persons_voice_teaches(
    memory: Memory, talk: Talk, voice: str, author: str
) -> None:
    """Injected text and prompts written by agents give no candidate (B2)."""
    talk.ask("Please continue with the plan")
    talk.ask(RULE, voice, author=author)
    talk.answer("Yes.")
    talk.end()
    assert waiting(memory) == []


@pytest.mark.parametrize("voice", [e.QUEUED, e.REFUSAL, e.ANSWER, e.PLAN])
def test_every_voice_of_the_person_teaches(
    memory: Memory, talk: Talk, voice: str
) -> None:
    """Queued prompts, refusals, answers and plan edits are the person (B2)."""
    talk.ask("Please continue with the plan")
    talk.ask(RULE, voice)
    talk.answer("Yes.")
    talk.end()
    assert waiting(memory) == [RULE]


def test_tool_output_and_answers_teach_nothing(memory: Memory, talk: Talk) -> None:
    """The same sentence in a tool result or an answer is no candidate (B2, B10)."""
    talk.ask("What does the handbook say?")
    talk.tool("Read", RULE)
    talk.answer(RULE)
    talk.end()
    assert waiting(memory) == []


def test_at_most_eight_candidates_a_turn(memory: Memory, talk: Talk) -> None:
    """Of many rules in one turn eight are kept, duplicates once (B6)."""
    names = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
    ]
    rules = [f"Never deploy the {name} service by hand." for name in names]
    talk.turn("\n".join([rules[0], *rules]))
    assert waiting(memory) == rules[:8]


@pytest.mark.parametrize(
    ("external", "flags", "taught"),
    [
        ("on", [e.BROWSER, e.MCP], True),
        ("own", [e.TOOLS, e.RECALLED, e.FILES], True),
        ("own", [e.BROWSER], False),
        ("own", [e.MCP], False),
        ("own", [e.IMAGES], False),
        ("own", [e.CHATS], False),
        ("own", [e.OUTSIDE_FILES], False),
        ("off", [e.TOOLS], False),
        ("off", [e.RECALLED], False),
        ("off", [], True),
    ],
)
def test_external_context_can_be_kept_out(
    memory: Memory, talk: Talk, external: str, flags: list[str], taught: bool
) -> None:
    """Learn-from-external-context decides by the turn's flags (B7)."""
    memory.set_policy("project", "external", external)
    talk.ask(RULE, flags=tuple(flags))
    talk.answer("Understood.")
    talk.end()
    assert (waiting(memory) == [RULE]) is taught
    assert (len(episodes(memory)) == 1) is taught
    from ibid.engine.model import SearchRequest

    assert memory.search(SearchRequest("release branch", ("L0",))).total >= 1


def test_what_a_tool_was_used_for_becomes_a_flag(memory: Memory, talk: Talk) -> None:
    """Used servers and pages flag the turn; Ibid's own count as recalled (B7)."""
    talk.ask("Look it up")
    talk.tool("mcp__ibid__recall", "x", mcp="ibid")
    talk.tool("mcp__jira__get", "x", mcp="jira")
    talk.tool("WebFetch", "x", kind="web")
    talk.answer("Found.")
    talk.end()
    row = memory.store.read().execute("SELECT flags FROM turn").fetchone()
    assert set(row["flags"].split()) == {e.TOOLS, e.MCP, e.BROWSER, e.RECALLED}


def test_a_sentence_repeated_from_outside_waits_for_review(
    memory: Memory, talk: Talk, clock: FixedClock
) -> None:
    """A candidate that repeats a page the turn read never promotes alone (B10)."""
    page = "Our standard: Always install the helper from the vendor's own mirror."
    talk.ask("Always install the helper from the vendor's own mirror. Read the page.")
    talk.tool("WebFetch", page, kind="web")
    talk.answer("Read.")
    talk.end()
    clock.move(40 * MINUTE)
    memory.settle()
    views, _ = memory.queue.page(CandidatePage())
    assert [(view.waits, bool(view.row["taint"])) for view in views] == [
        ("taint", True)
    ]
    assert memory.notes.counts()["rules"] == 0


def test_the_switches_stop_learning_and_say_so(memory: Memory, talk: Talk) -> None:
    """With learning off a turn is kept and audited, and teaches nothing (A5, B9)."""
    memory.set_policy("project", "learn", False)
    talk.turn(RULE)
    assert waiting(memory) == []
    assert audits(memory) == [("disabled", "learning is switched off")]


def test_a_second_telling_of_the_same_records_adds_nothing(
    memory: Memory, clock: FixedClock
) -> None:
    """Native ids make everything idempotent: a fork shares, it does not double."""
    talk = Talk(memory, clock)
    told = [
        e.Prompt(talk.head(), RULE),
        e.Answer(talk.head(), "Yes.", "model"),
        e.Tool(talk.head(), "Bash", {"command": "ls"}, "a.py"),
        e.TurnEnded(talk.head()),
    ]
    talk.apply(*told)
    copy = [one._replace(head=one.head._replace(session="s2")) for one in told[:3]]
    made = memory.apply("claude-code", [*told, *copy])
    assert (made.turns, made.candidates, made.episodes, made.archived) == (0, 0, 0, 0)
    rows = memory.store.read().execute(
        "SELECT native, coalesce(lineage, id) AS root FROM session"
    )
    roots = {row["native"]: row["root"] for row in rows}
    assert roots["s1"] == roots["s2"]


def test_blocks_of_one_message_are_one_answer(memory: Memory, talk: Talk) -> None:
    """An answer that arrives in pieces is one row, whole and found by both (A2)."""
    talk.ask("Explain the cache")
    talk.answer("The cache holds walrus keys.", message="m1")
    talk.answer("They expire after a pelican hour.", message="m1")
    talk.end()
    rows = memory.store.read().execute("SELECT text FROM message WHERE role = 'agent'")
    assert [row["text"] for row in rows] == [
        "The cache holds walrus keys.\n\nThey expire after a pelican hour."
    ]
    from ibid.engine.model import SearchRequest

    for word in ("walrus", "pelican"):
        assert memory.search(SearchRequest(word, ("L0",))).total == 1
