"""Records that are told again: by files read anew, and with other words (A2, K3)."""

from __future__ import annotations

from ibid.agents import events as e
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, SearchRequest

from .talk import Talk


def texts(memory: Memory) -> list[str]:
    """Return every message of the turn log, in order."""
    rows = memory.store.read().execute("SELECT text FROM message ORDER BY id")
    return [row["text"] for row in rows]


def states(memory: Memory) -> list[str]:
    """Return how each turn stands."""
    rows = memory.store.read().execute("SELECT state FROM turn ORDER BY id")
    return [row["state"] for row in rows]


def test_an_answer_has_its_newest_text(memory: Memory, clock: FixedClock) -> None:
    """It is found by its new words and no more by its old ones."""
    talk = Talk(memory, clock)
    talk.ask("Which bird?")
    head = talk.head()
    talk.apply(e.Answer(head, "A heron."))
    talk.end()
    talk.apply(e.Answer(head, "An egret."))
    assert texts(memory) == ["Which bird?", "An egret."]
    assert memory.search(SearchRequest("egret", ("L0",))).total == 1
    assert memory.search(SearchRequest("heron", ("L0",))).total == 0
    episode = memory.store.read().execute("SELECT text FROM memory WHERE layer = 2")
    assert "egret" in episode.fetchone()["text"]


def test_an_answer_of_several_blocks_stays(memory: Memory, clock: FixedClock) -> None:
    """A block that is told again is no other text of the whole answer."""
    talk = Talk(memory, clock)
    talk.ask("Which bird?")
    heads = [talk.head(), talk.head()]
    blocks = [
        e.Answer(heads[0], "One.", "m", "msg"),
        e.Answer(heads[1], "Two.", "m", "msg"),
    ]
    talk.apply(*blocks)
    talk.apply(*blocks)
    assert texts(memory) == ["Which bird?", "One.\n\nTwo."]


def test_a_copy_in_a_fork_leaves_the_original(
    memory: Memory, clock: FixedClock
) -> None:
    """Another session's text for the same record changes nothing here."""
    talk = Talk(memory, clock)
    talk.ask("Which bird?")
    head = talk.head()
    talk.apply(e.Answer(head, "A heron."))
    fork = Talk(memory, clock, "s2")
    fork.apply(e.Answer(head._replace(session="s2"), "[shortened]"))
    assert texts(memory) == ["Which bird?", "A heron."]


def test_an_end_told_again_ends_only_its_own_turn(
    memory: Memory, clock: FixedClock
) -> None:
    """A file that is read anew does not end the turn that runs."""
    talk = Talk(memory, clock)
    first, end = talk.head(), talk.head()
    told = [e.Prompt(first, "One."), e.TurnEnded(end)]
    talk.apply(*told)
    talk.ask("Two.")
    assert states(memory) == ["completed", "open"]
    talk.apply(*told)
    assert states(memory) == ["completed", "open"]
