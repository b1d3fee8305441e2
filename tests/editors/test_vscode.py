"""A person's day in VS Code with the real server: review, correct, look up, switch."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

import pytest

from .workbench import Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Memory

pytestmark = pytest.mark.editor

QUEUE, NOTES, USED, SESSIONS = "Review queue", "Notes", "Memory used", "Sessions"
NET = "Net"
RULE = "Never log request bodies in payments/."
DECISION = "We decided to keep the ledger in Postgres."
RETRY = "Retry limit is 3 for all outbound calls."


@pytest.fixture
def window(bench: Workbench, memory: Memory) -> Workbench:
    """Show the project with Ibid's views, filled, and nothing else open."""
    bench.reopen(memory.folder)
    bench.do("container", "Ibid")
    bench.until(lambda: bench.labels(NOTES))
    return bench


def has(text: str):
    """Return whether any of the labels seen contains ``text``."""
    return lambda seen: any(text in one for one in seen)


def lacks(text: str):
    """Return whether none of the labels seen contains ``text``."""
    return lambda seen: not any(text in one for one in seen)


def test_a_candidate_shows_its_time_sentence_turn_and_reason(window: Workbench) -> None:
    """The queue has what C5 promises: sentence, turn, time left, why (C5)."""
    window.until(lambda: window.labels(QUEUE), has(RULE))
    row = next(row for row in window.do("rows", QUEUE) if RULE in row["label"])
    assert " min · " in row["label"]
    assert row["description"] == "constraint"
    tooltip = window.do("tooltip", QUEUE, RULE)["text"]
    assert RULE in tooltip
    assert "Said in turn 2 of" in tooltip
    assert "Why: " in tooltip
    window.shot("queue")
    window.do("expand", QUEUE, RULE)
    window.until(lambda: window.labels(QUEUE), has("Said in turn 2"))
    window.do("click", QUEUE, "Said in turn 2")
    turn = window.until(lambda: window.do("editor"), lambda seen: RULE in seen["text"])
    assert turn["language"] == "Markdown"
    window.shot("turn")


def test_a_rejected_candidate_comes_back_by_undo(window: Workbench) -> None:
    """Reject takes the row away at once; its undo brings it back (C5)."""
    window.until(lambda: window.labels(QUEUE), has(DECISION))
    window.do("act", QUEUE, DECISION, "Reject")
    window.until(lambda: window.labels(QUEUE), lacks(DECISION))
    window.do("messageButton", "Rejected", "Undo")
    window.until(lambda: window.labels(QUEUE), has(DECISION))


def test_a_candidate_can_be_edited_and_snoozed(window: Workbench) -> None:
    """An edit changes what waits; a snooze says until when (C5)."""
    window.until(lambda: window.labels(QUEUE), has(DECISION))
    window.do("act", QUEUE, DECISION, "Edit")
    assert window.do("typed") == DECISION
    window.do("type", "We decided to keep the ledger in Postgres 16.")
    window.until(lambda: window.labels(QUEUE), has("Postgres 16"))
    window.do("act", QUEUE, "Postgres 16", "Snooze")
    window.do("pick", "For a day")
    rows = window.until(
        lambda: [r for r in window.do("rows", QUEUE) if "Postgres 16" in r["label"]],
        lambda seen: seen and "snoozed" in seen[0]["description"],
    )
    assert "decision" in rows[0]["description"]


def test_an_accepted_candidate_becomes_a_note(window: Workbench) -> None:
    """Accept moves the sentence from the queue to the notes at once (C5)."""
    window.until(lambda: window.labels(QUEUE), has(RULE))
    window.do("act", QUEUE, RULE, "Accept")
    window.until(lambda: window.labels(QUEUE), lacks(RULE))
    window.until(lambda: window.labels(NOTES), has(RULE))
    window.shot("accepted")


def test_a_note_shows_on_the_code_it_names(window: Workbench) -> None:
    """Lens and hover of a symbol bring the note, and clicking opens it (R4)."""
    window.do("file", "src/upload.py")
    lenses = window.until(lambda: window.do("lenses"))
    assert lenses[0].startswith("ibid: 1 note · decided")
    hover = window.do("hover", "backoff")
    assert RETRY in hover["text"]
    assert "Decision" in hover["text"]
    links = [link.split("?")[0] for link in hover["links"]]
    wanted = ("showEvidence", "correctNote", "forgetNote")
    assert links == [f"command:ibid.{verb}" for verb in wanted]
    window.shot("hover")
    window.do("hoverLink", "Open evidence")
    window.until(lambda: window.do("editor"), lambda seen: RETRY in seen["text"])
    window.shot("note")
    window.do("tidy")
    window.do("file", "src/upload.py")
    window.until(lambda: window.do("lenses"))
    window.do("lens", "ibid: 1 note")
    window.until(lambda: window.do("editor"), lambda seen: RETRY in seen["text"])


def test_the_sources_of_a_note_lead_to_its_turn(window: Workbench) -> None:
    """Evidence lists what was said, and choosing it opens the turn (I1, A4)."""
    window.until(lambda: window.labels(NOTES), has(RULE))
    window.do("menu", NOTES, RULE, "Show Where a Note Comes From")
    window.until(lambda: window.do("picks"), has("Said in turn 2"))
    window.shot("evidence")
    window.do("pick", "Said in turn 2")
    window.until(lambda: window.do("editor"), lambda seen: RULE in seen["text"])


def test_a_receipt_opens_the_block_as_it_was_sent(window: Workbench) -> None:
    """Memory used lists the injection, its items, and the exact text (I1)."""
    window.do("unfold", USED)
    window.until(lambda: window.labels(USED), has("tokens"))
    window.do("expand", USED, "tokens")
    window.until(lambda: window.labels(USED), has(RETRY))
    window.do("click", USED, "tokens")
    shown = window.until(
        lambda: window.do("editor"), lambda seen: "untrusted recalled" in seen["text"]
    )
    assert RETRY in shown["text"]
    window.shot("receipt")


def test_a_forgotten_note_comes_back_by_undo(window: Workbench) -> None:
    """Forget is one click and so is taking it back (C5, D5)."""
    window.until(lambda: window.labels(NOTES), has(RETRY))
    window.do("act", NOTES, RETRY, "Forget")
    window.until(lambda: window.labels(NOTES), lacks(RETRY))
    window.do("messageButton", "Forgotten", "Undo")
    window.until(lambda: window.labels(NOTES), has(RETRY))


def test_notes_are_narrowed_to_a_view(window: Workbench) -> None:
    """The filter offers the server's views with their counts."""
    window.do("title", NOTES, "Filter Notes")
    picks = window.until(lambda: window.do("picks"))
    assert any("Forgotten" in pick for pick in picks)
    window.shot("filter")
    window.do("pick", "Pinned")
    window.until(lambda: window.labels(NOTES), lacks(RULE))
    window.do("title", NOTES, "Filter Notes")
    window.do("pick", "All notes")
    window.until(lambda: window.labels(NOTES), has(RETRY))


def test_a_corrected_note_is_replaced_and_pinned(window: Workbench) -> None:
    """A correction takes the place of the note and names it (D4)."""
    window.do("palette", "Ibid: Add Note")
    window.do("type", "The staging host is called ember.")
    window.do("pick", "fact")
    window.until(lambda: window.labels(NOTES), has("ember"))
    window.do("act", NOTES, "ember", "Correct Note")
    window.do("type", "The staging host is called cinder.")
    window.until(lambda: window.labels(NOTES), has("cinder"))
    row = next(row for row in window.do("rows", NOTES) if "cinder" in row["label"])
    assert "pinned" in row["description"]


def test_deleting_for_good_asks_first(window: Workbench, memory: Memory) -> None:
    """Delete is a modal question about the note, what was said, and its file (K3)."""
    window.do("palette", "Ibid: Add Note")
    window.do("type", "The old queue was called turnip.")
    window.do("pick", "fact")
    window.until(lambda: window.labels(NOTES), has("turnip"))
    window.do("menu", NOTES, "turnip", "Delete Note for Good")
    asked = window.do("dialog")
    assert "turnip" in asked["text"]
    assert "Delete, and where it was said" in asked["buttons"]
    window.shot("delete")
    window.do("dialog", "Delete")
    window.until(lambda: window.do("dialog")["text"], lambda seen: "a file" in seen)
    window.do("dialog", "Delete the file too")
    window.until(lambda: window.labels(NOTES), lacks("turnip"))
    files = (memory.folder / ".ibid" / "notes").glob("*.md")
    assert not any("turnip" in file.read_text(encoding="utf-8") for file in files)


def test_search_answers_as_one_types(window: Workbench) -> None:
    """The pick shows hits of the query so far, and opens what is chosen (F4)."""
    window.do("palette", "Ibid: Search Memory")
    window.do("type", "outbound", False)
    window.until(lambda: window.do("picks"), has(RETRY))
    window.shot("search")
    window.do("pick", RETRY)
    window.until(lambda: window.do("editor"), lambda seen: RETRY in seen["text"])


def test_the_order_of_hits_is_the_servers(window: Workbench, memory: Memory) -> None:
    """What ranks first is shown first, whatever letter it begins with (F3)."""
    ranked = [hit["text"] for hit in memory.run("search", "calls payments")["hits"]]
    window.do("palette", "Ibid: Search Memory")
    window.do("type", "calls payments", False)
    picks = window.until(lambda: window.do("picks"), lambda seen: len(seen) > 1)
    for text, pick in zip(ranked, picks, strict=False):
        assert pick.startswith(text.splitlines()[0][:40])
    window.do("press", "Escape")


def test_a_note_goes_into_an_instruction_file_by_a_preview(
    window: Workbench, memory: Memory
) -> None:
    """The editor previews the edit; nothing is written until it is applied (C6)."""
    window.until(lambda: window.labels(NOTES), has(RETRY))
    window.do("menu", NOTES, RETRY, "Put into an Instruction File")
    window.do("pick", "AGENTS.md")
    window.until(lambda: window.do("refactoring"), lambda seen: "AGENTS.md" in seen)
    file = memory.folder / "AGENTS.md"
    assert not file.exists()
    window.shot("instructions")
    window.do("applyRefactoring")
    window.until(lambda: file.exists() and RETRY in file.read_text(encoding="utf-8"))


def test_the_handoff_of_the_latest_session_opens(window: Workbench) -> None:
    """Show Handoff renders where the last session left off (O2)."""
    window.do("palette", "Ibid: Show Handoff")
    window.until(lambda: window.do("editor"), lambda seen: "andoff" in seen["text"])
    window.shot("handoff")


def test_the_net_shows_what_a_block_cost(window: Workbench) -> None:
    """Each feature has a row with its cost, and says what is not known (P2)."""
    window.do("unfold", NET)
    rows = window.until(
        lambda: window.do("rows", NET),
        lambda seen: any("saving unknown" in row["label"] for row in seen),
    )
    assert any("n=" in row["description"] for row in rows)
    window.shot("net")


def test_notes_are_workspace_symbols(window: Workbench) -> None:
    """Go to Symbol in Workspace finds a note by its words (R1)."""
    window.do("press", "ControlOrMeta+t")
    window.do("type", "#outbound", False)
    window.until(lambda: window.do("picks"), has("Retry limit"))
    window.do("press", "Escape")


def test_a_selection_is_remembered_on_its_symbol(window: Workbench) -> None:
    """Remember Selection makes a note that shows on the code at once (C5, R4)."""
    window.do("file", "src/upload.py")
    window.until(lambda: window.do("lenses"))
    window.do("select", "Send one file.")
    window.do("palette", "Ibid: Remember Selection")
    window.until(lambda: window.do("typed"), lambda seen: "Send one file." in seen)
    window.do("type", "Uploads are sent one file at a time.")
    window.do("pick", "fact")
    window.until(lambda: window.labels(NOTES), has("one file at a time"))
    window.until(lambda: window.do("lenses"), lambda seen: len(seen) >= 2)
    window.shot("remembered")


def test_recall_shows_what_an_agent_would_get(window: Workbench) -> None:
    """Recall for a prompt leaves a receipt and opens it (I1)."""
    window.do("palette", "Ibid: Recall for a Prompt")
    window.do("type", "the retry limit for outbound calls")
    window.until(
        lambda: window.do("editor"), lambda seen: "untrusted recalled" in seen["text"]
    )


def test_a_session_is_made_private(window: Workbench) -> None:
    """A preset is chosen by name and shows on the session's row (H1)."""
    window.do("unfold", SESSIONS)
    rows = window.until(lambda: window.do("rows", SESSIONS))
    title = rows[0]["label"]
    window.do("act", SESSIONS, title, "Set Memory of a Session")
    window.do("pick", "Recall only")
    window.until(
        lambda: window.do("rows", SESSIONS),
        lambda seen: any("Recall only" in row["description"] for row in seen),
    )
    window.shot("sessions")


def test_the_project_switch_shows_in_the_status_bar(window: Workbench) -> None:
    """Recall off for the project is one choice away, and back (H2)."""
    for value, state in (("off", "does not recall|not recalled"), ("on", "is on")):
        window.do("palette", "Ibid: Memory Switches")
        window.do("pick", "Recall into prompts")
        window.do("pick", value)
        window.until(
            lambda: window.do("status")["label"],
            lambda seen, state=state: any(one in seen for one in state.split("|")),
        )
    window.do("palette", "Ibid: Memory Switches")
    window.until(lambda: window.do("picks"))
    window.shot("switches")
    window.do("press", "Escape")


def test_import_reports_what_it_found(window: Workbench) -> None:
    """An import shows progress and ends with its counts (R2)."""
    window.do("palette", "Ibid: Import Sessions")
    said = window.do("message", "Imported")
    assert "candidates to review" in said["text"]


def test_a_killed_server_comes_back_with_its_memory(
    window: Workbench, memory: Memory
) -> None:
    """A crash is mended by itself, a restart by command; nothing is lost."""
    before = memory.server_pid()
    with contextlib.suppress(ProcessLookupError):
        os.kill(before, signal.SIGKILL)
    window.until(memory.server_pid, lambda pid: pid != before)
    window.until(lambda: window.labels(NOTES), has(RETRY))
    again = memory.server_pid()
    window.do("palette", "Ibid: Restart the Server")
    window.until(memory.server_pid, lambda pid: pid != again)
    window.until(lambda: window.labels(NOTES), has(RETRY))


def test_a_workspace_cannot_name_the_server(window: Workbench, memory: Memory) -> None:
    """A path in the workspace's own settings is not run, trusted or not."""
    trap = memory.folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {memory.home}/sprung\n", encoding="utf-8")
    trap.chmod(0o755)
    settings = memory.folder / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(f'{{"ibid.server.path": "{trap}"}}', encoding="utf-8")
    window.open(memory.folder)
    window.do("container", "Ibid")
    window.until(lambda: window.labels(NOTES), has(RETRY))
    assert not (memory.home / "sprung").exists()


def test_without_trust_only_the_persons_own_server_runs(
    editor: Path, vsix: Path, memory: Memory, tmp_path: Path
) -> None:
    """In a folder without trust memory is shown, by the server of the own settings."""
    bench = Workbench(editor, vsix, tmp_path, memory.command, asks_for_trust=True)
    try:
        bench.open(memory.folder)
        bench.until(lambda: bench.do("banner"), lambda seen: "Restricted" in seen)
        bench.do("container", "Ibid")
        bench.until(lambda: bench.labels(NOTES), has(RETRY))
        assert "Restricted" in bench.do("banner")
        bench.shot("untrusted")
    finally:
        bench.close()
