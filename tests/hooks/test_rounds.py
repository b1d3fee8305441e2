"""Memory never feeds on itself: ten rounds of inject and import (G6, B2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from tests.agents.records import NEW, Log

from ibid.duties.importing import ImportRun, find_transcripts
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock, RecallRequest

NUMBERS = count(1_000, 1_000)
RULE = "Never deploy the ledger service on a Friday."
CHOICE = "Use Postgres, not SQLite, for the ledger."


def counts(memory: Memory) -> dict[str, object]:
    """Return what must not grow: notes, candidates, evidence, wordings, profile."""
    connection = memory.store.read()
    return {
        name: connection.execute(sql).fetchone()[0]
        for name, sql in {
            "notes": "SELECT count(*) FROM memory WHERE layer = 1",
            "candidates": "SELECT count(*) FROM candidate",
            "evidence": "SELECT count(*) FROM evidence e JOIN memory m"
            " ON m.id = e.memory WHERE m.layer = 1",
            "history": "SELECT count(*) FROM history",
            "confidence": "SELECT total(confidence) FROM memory WHERE layer = 1",
            "profiles": "SELECT count(*) FROM memory WHERE layer = 3",
        }.items()
    }


def log_of(session: str, clock: FixedClock, project: Path) -> Log:
    """Return a transcript that begins now, in the project."""
    log = Log(NEW, session)
    log.cwd = str(project)
    log._count = log._message = next(NUMBERS)  # No session has another's records.
    log.now = datetime.fromtimestamp(clock.now() / 1000, UTC)
    return log


def import_log(memory: Memory, clock: FixedClock, log: Log, folder: Path) -> None:
    """Import a transcript and let everything settle."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{log.session}.jsonl"
    path.write_bytes(log.data())
    for _ in ImportRun(find_transcripts([path]), memory).steps():
        pass
    clock.move(int(timedelta(hours=2).total_seconds() * 1000))
    memory.settle()


@pytest.fixture
def taught(
    memory: Memory, clock: FixedClock, project: Path, tmp_path: Path
) -> tuple[Memory, Path]:
    """A memory that learned two rules from a person, with a pin, and its folder."""
    folder = tmp_path / "claude" / "projects" / "-p"
    log = log_of("aaaaaaaa-0000-4000-8000-000000000000", clock, project)
    log.user(f"{RULE} {CHOICE}")
    log.answer("Understood.", stop_reason="end_turn")
    log.system("turn_duration")
    import_log(memory, clock, log, folder)
    memory.notes.add(NoteText("The ledger has twelve tables.", pinned=True))
    assert memory.notes.counts()["rules"] == 2
    return memory, folder


def play_round(memory: Memory, log: Log, number: int) -> None:
    """Let a session get all that memory gives, and have it come back in every way."""
    start = memory.session_start(log.session, "claude-code")
    asked = f"Look at deploy step {number} of the ledger service in Postgres"
    block = memory.recall(RecallRequest(asked, log.session, "claude-code")).block
    assert start is not None
    assert block is not None
    assert "Friday" in block
    hook = {"hookEvent": "SessionStart", "hookName": "SessionStart:startup"}
    log.attachment("hook_additional_context", content=[start], **hook)
    reminder = f"<system-reminder>\n{block}\n</system-reminder>"
    log.user(f"{asked}\n{reminder}")
    hook = {"hookEvent": "UserPromptSubmit", "hookName": "UserPromptSubmit"}
    log.attachment("hook_additional_context", content=[block], **hook)
    log.attachment("hook_success", stdout=block, command="ibid hook claude-code")
    log.tool(f"t{number}", "mcp__ibid__recall", block, prompt=asked)
    lines = [line for line in block.splitlines() if line.startswith("[L1")]
    log.answer(
        f"Memory says:\n{block}\nIn short:\n> {lines[0]}\nStep {number} is fine.",
        stop_reason="end_turn",
    )
    log.system("turn_duration")
    log.user(f"This is what I got, is it complete?\n{start}\n{block}")
    log.answer("Yes.", stop_reason="end_turn")
    log.system("turn_duration")
    log.user("You wrote:\n" + "\n".join([lines[0], *(f"> {line}" for line in lines)]))
    log.answer(f"I did:\n{start}", stop_reason="end_turn")
    log.system("turn_duration")


def test_ten_rounds_leave_the_counts_unchanged(
    taught: tuple[Memory, Path], clock: FixedClock, project: Path
) -> None:
    """Injected, wrapped, quoted, pasted or read back by a tool: it teaches nothing."""
    memory, folder = taught
    before = counts(memory)
    for number in range(10):
        session = f"{number:08x}-1111-4000-8000-000000000000"
        log = log_of(session, clock, project)
        play_round(memory, log, number)
        import_log(memory, clock, log, folder)
        assert counts(memory) == before, number
    rows = memory.store.read().execute("SELECT count(*) FROM memory WHERE layer = 2")
    assert rows.fetchone()[0] > 20  # The rounds were imported, and their turns ended.
    rows = memory.store.read().execute("SELECT text, request FROM memory")
    assert [text for row in rows if "ibid-" in (text := row[0] + row[1])] == []
    handed = memory.handoffs.preview().text
    assert "ibid-" not in handed


def test_the_person_is_still_heard_beside_a_block(
    taught: tuple[Memory, Path], clock: FixedClock, project: Path
) -> None:
    """What they write around a pasted block is theirs and teaches."""
    memory, folder = taught
    before = memory.notes.counts()["rules"]
    block = memory.recall(RecallRequest("Deploy the ledger", "x")).block
    log = log_of("bbbbbbbb-0000-4000-8000-000000000000", clock, project)
    log.user(f"{block}\nThat is right. Always run the smoke tests after a deploy.")
    log.answer("Noted.", stop_reason="end_turn")
    log.system("turn_duration")
    import_log(memory, clock, log, folder)
    assert memory.notes.counts()["rules"] == before + 1
    clock.move(MINUTE)
