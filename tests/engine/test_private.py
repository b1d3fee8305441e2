"""Policies in every combination: who learns, who recalls, and what private hides."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.keep.policy import PRESETS
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock, RecallRequest, SearchRequest
from tests.engine.talk import Talk

READS = {"default": True, "memory-on": True, "recall-only": True}
WRITES = {"default": True, "memory-on": True, "learn-only": True}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini"])
@pytest.mark.parametrize("preset", list(PRESETS))
def test_presets_and_switches(
    memory: Memory, clock: FixedClock, agent: str, preset: str
) -> None:
    """Recall and learn hold exactly where H and G8 say."""
    memory.notes.add(NoteText("The walrus exporter runs on port 7311."))
    flips = itertools.product([True, False], repeat=3)
    for number, (kind, switches) in enumerate(
        itertools.product(["main", "quick", "side"], flips)
    ):
        for name, value in zip(("master", "learn", "recall"), switches, strict=True):
            memory.set_policy("project", name, value)
        master, learn, recall = switches
        name = f"{preset}-{kind}-{number}"
        talk = Talk(memory, clock, name, agent=agent, kind=kind)
        memory.sessions.preset(name, preset)
        got = memory.recall(RecallRequest("Which port has the walrus?", name, agent))
        wanted = master and recall and READS.get(preset, False)
        if agent == "codex" and preset == "default" and kind == "main":
            wanted = False
        assert bool(got.block) == wanted, (switches, kind, got.reason)
        word = f"zebra{number}{preset.replace('-', '')}{kind}"
        talk.turn(f"Never feed the {word} on Mondays.", f"I will not feed {word}.")
        rows = memory.store.read().execute(
            "SELECT count(*) FROM candidate WHERE text LIKE ?", (f"%{word}%",)
        )
        may = master and learn and WRITES.get(preset, False) and kind == "main"
        assert rows.fetchone()[0] == int(may), (switches, kind)
        stored = memory.search(SearchRequest(word, ("L0",))).total
        if not WRITES.get(preset, False):
            assert stored == 0, (switches, kind)


def test_private_in_the_middle_withdraws_what_was_stored(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Search, recall and handoff of others show nothing of it any more (H4)."""
    talk = Talk(memory, clock, "secret-one", title="The okapi plan")
    talk.turn("Never show the okapi to the press.", "The okapi is hidden in barn 9.")
    other = Talk(memory, clock, "other")
    other.turn("What did we do with the barn?", "Nothing.")
    memory.handoffs.write("secret-one")
    memory.sessions.preset("secret-one", "private")
    talk.turn("Feed the okapi in barn 10 by night.", "Fed the okapi in barn 10.")
    clock.move(40 * MINUTE)
    memory.settle()
    for layers in (("L0",), ("L1",), ("L2",), ("L3",)):
        assert memory.search(SearchRequest("okapi", layers)).total == 0, layers
    got = memory.recall(
        RecallRequest("What did we do earlier with the okapi?", "other")
    )
    assert got.block is None or "okapi" not in got.block
    left = [
        str(path)
        for path in (project / ".ibid").rglob("*")
        if path.is_file() and "okapi" in path.read_text().lower()
    ]
    assert left == []
    stored = memory.store.read().execute(
        "SELECT count(*) FROM message WHERE text LIKE '%barn 10%'"
    )
    assert stored.fetchone()[0] == 0


def test_a_private_session_is_listed_and_the_persons_own_never(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """That a session exists is no secret (H4); the editor's is no session (N8)."""
    Talk(memory, clock, "secret-one").turn("Look at the okapi.", "Looked.")
    memory.ledger.touched(str(project / "barn.py"), "opened")
    for preset in ("default", "private", "memory-on"):
        memory.sessions.preset("secret-one", preset)
        memory.sessions.preset("editor", preset)
        rows, total = memory.sessions.page()
        assert [(row["native"], row["preset"]) for row in rows] == [
            ("secret-one", preset)
        ]
        assert total == 1


def test_private_next_session_holds_for_a_fork_with_old_records(
    memory: Memory, clock: FixedClock
) -> None:
    """A fork begins with copies of old records; the waiting preset is for it too."""
    Talk(memory, clock, "parent").turn("Look at the tapir.", "Looked.")
    clock.move(120 * MINUTE)
    memory.sessions.preset_next("claude-code", "private")
    clock.move(-110 * MINUTE)
    fork = Talk(memory, clock, "fork", parent="parent")
    clock.move(110 * MINUTE)
    fork.turn("Hide the aardvark in the loft.", "Hidden the aardvark.")
    assert memory.search(SearchRequest("aardvark", ("L0", "L2"))).total == 0


def test_a_note_for_the_sessions_role_is_recalled(
    memory: Memory, clock: FixedClock
) -> None:
    """A session runs as a role; its notes reach it though the caller names none."""
    note = NoteText("The walrus exporter runs on port 7311.", role="reviewer")
    memory.notes.add(note)
    Talk(memory, clock, "s1", role="reviewer")
    Talk(memory, clock, "s2", role="author")
    asked = "Which port has the walrus exporter?"
    assert memory.recall(RecallRequest(asked, "s1")).block
    assert memory.recall(RecallRequest(asked, "s2")).block is None
