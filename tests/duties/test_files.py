"""The duties of files: notes, handoffs and agents.md while nobody asks (O1, O2, O4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ibid.agents import events as e
from ibid.duties import runner as running
from ibid.duties.runner import Checked, Runner
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import SystemClock

PATIENCE = 20.0


@pytest.fixture
def now_memory(project: Path) -> Iterator[Memory]:
    """A memory whose clock runs."""
    memory = open_memory(str(project), clock=SystemClock())
    yield memory
    memory.close()


@pytest.fixture
def runs(
    now_memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Runner, list[Any]]]:
    """A runner that looks often, and what it told."""
    monkeypatch.setattr(running, "TICK", 0.02)
    monkeypatch.setattr(running, "SETTLE", 0.05)
    told: list[Any] = []
    runner = Runner(told.append, watch=False)
    runner.add(now_memory)
    runner.start()
    yield runner, told
    runner.stop()


def until(wanted: Callable[[], bool]) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it never does.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if wanted():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def turn(memory: Memory, session: str, text: str, at: int) -> None:
    """Store a session that is at work: one finished turn."""

    def head(name: str) -> e.Head:
        return e.Head(session, at, f"{session}-{name}")

    seen = e.SessionSeen(head("seen"), agent="claude-code")
    prompt, answer = e.Prompt(head("p"), text), e.Answer(head("a"), "Done.", "model")
    memory.apply("claude-code", [seen, prompt, answer, e.TurnEnded(head("e"))])


def test_an_edited_note_file_is_taken_in(
    now_memory: Memory, runs: tuple[Runner, list[Any]], project: Path
) -> None:
    """An editor's save reaches the store by itself (O1)."""
    view = now_memory.notes.add(NoteText("Labels are printed on A5."))
    path = project / view.row["file"]
    path.write_text(path.read_text().replace("A5", "A6"))
    key = view.row["key"]
    until(lambda: now_memory.notes.show(key).row["text"].endswith("A6."))


def test_a_wrong_front_matter_is_told(
    now_memory: Memory, runs: tuple[Runner, list[Any]], project: Path
) -> None:
    """What a line gets wrong is told once, and that it was put right."""
    _, told = runs
    view = now_memory.notes.add(NoteText("Labels are printed on A5.", "fact"))
    path = project / view.row["file"]
    whole = path.read_text()
    path.write_text(whole.replace("category: fact", "category: rumour"))

    def findings() -> list[dict[str, Any]]:
        return [one.findings for one in told if isinstance(one, Checked)]

    until(lambda: bool(findings()))
    (finding,) = findings()[0][view.row["file"]]
    assert (finding.line, finding.kind) == (2, "header")
    path.write_text(whole)
    until(lambda: findings()[-1] == {})


def test_closing_the_workspace_writes_the_handoff(
    now_memory: Memory, runs: tuple[Runner, list[Any]], project: Path
) -> None:
    """A session that still runs is handed on when the folder or the server goes."""
    runner, _ = runs
    turn(now_memory, "s-running", "Rename the parcel table.", now_memory.clock.now())
    until((project / ".ibid/state/agents.md").exists)
    latest = project / ".ibid/state/handoff.md"
    assert not latest.exists()
    runner.drop(now_memory)
    assert "Rename the parcel table." in latest.read_text()


def test_a_session_that_ended_is_handed_on(
    now_memory: Memory, runs: tuple[Runner, list[Any]], project: Path
) -> None:
    """Its end is enough; nobody has to ask (O2)."""
    now = now_memory.clock.now()
    turn(now_memory, "s-over", "Rename the parcel table.", now)
    now_memory.apply("claude-code", [e.SessionEnded(e.Head("s-over", now, "over"))])
    until((project / ".ibid/state/handoff/s-over.md").exists)
    assert (project / ".ibid/state/.gitignore").read_text() == "*\n"
