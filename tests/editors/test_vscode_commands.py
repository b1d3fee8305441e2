"""Each command of VS Code that no story in the other modules calls, called once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .workbench import CLIENT

if TYPE_CHECKING:
    from .conftest import Memory
    from .workbench import Workbench

pytestmark = pytest.mark.editor

QUEUE, NOTES, USED, SESSIONS = "Review queue", "Notes", "Memory used", "Sessions"
DECISION = "We decided to keep the ledger in Postgres."
RETRY = "Retry limit is 3 for all outbound calls."
HERE = Path(__file__).parent
# Called by rows, lenses and other commands, under no name of their own.
UNNAMED = {"ibid.openDocument", "ibid.loadMore", "ibid.openRecall"}


@pytest.fixture
def window(bench: Workbench, memory: Memory) -> Workbench:
    """Show the project with Ibid's views, filled, and nothing else open."""
    bench.reopen(memory.folder)
    bench.do("container", "Ibid")
    bench.until(lambda: bench.labels(NOTES))
    return bench


def has(text: str) -> Any:
    """Return whether any of the labels seen contains ``text``."""
    return lambda seen: any(text in one for one in seen)


def lacks(text: str) -> Any:
    """Return whether none of the labels seen contains ``text``."""
    return lambda seen: not any(text in one for one in seen)


def test_every_command_is_called_by_a_test() -> None:
    """Each title of the manifest stands in a test of this folder."""
    manifest = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    words = json.loads((CLIENT / "package.nls.json").read_text(encoding="utf-8"))
    tests = "".join(
        one.read_text(encoding="utf-8") for one in HERE.glob("test_vscode*.py")
    )
    called = re.sub(r"\s+", " ", tests)
    missing = [
        one["command"]
        for one in manifest["contributes"]["commands"]
        if one["command"] not in UNNAMED
        and words[one["title"].strip("%")].removesuffix(" …") not in called
    ]
    assert missing == []


def test_the_queue_is_narrowed_by_words(window: Workbench) -> None:
    """Filter Review Queue shows what has the words, and all again without."""
    window.until(lambda: window.labels(QUEUE), has("Never log"))
    window.do("title", QUEUE, "Filter Review Queue")
    window.do("type", "ledger")
    window.until(lambda: window.labels(QUEUE), lacks("Never log"))
    assert has(DECISION)(window.labels(QUEUE))
    window.do("palette", "Ibid: Filter Review Queue")
    window.do("type", "")
    window.until(lambda: window.labels(QUEUE), has("Never log"))


def test_a_candidate_is_pinned_and_the_note_let_loose_again(window: Workbench) -> None:
    """Accept and Pin makes a pinned note; Unpin Note and Pin Note turn it (C5)."""
    window.do("menu", QUEUE, DECISION, "Accept and Pin")
    pinned = lambda: [  # noqa: E731
        "pinned" in row["description"]
        for row in window.do("rows", NOTES)
        if DECISION in row["label"] and "decision" in row["description"]
    ]
    window.until(pinned, lambda seen: seen == [True])
    window.do("menu", NOTES, f"{DECISION}decision", "Unpin Note")
    window.until(pinned, lambda seen: seen == [False])
    window.do("menu", NOTES, f"{DECISION}decision", "Pin Note")
    window.until(pinned, lambda seen: seen == [True])


def test_a_forgotten_note_is_restored_from_its_list(window: Workbench) -> None:
    """Forget Note and, days later, Restore Note from the palette (D5)."""
    window.do("menu", NOTES, RETRY, "Forget Note")
    window.until(lambda: window.labels(NOTES), lacks(RETRY))
    window.do("palette", "Ibid: Restore Note")
    window.do("pick", RETRY)
    window.until(lambda: window.labels(NOTES), has(RETRY))


def test_where_a_note_was_used_leads_to_the_receipt(window: Workbench) -> None:
    """Show Where a Note Was Used lists receipts; Open Block as Sent opens one (I1)."""
    window.do("menu", NOTES, RETRY, "Show Where a Note Was Used")
    window.until(lambda: window.do("picks"), has("tokens"))
    window.do("pick", "tokens")
    sent = lambda: "untrusted recalled" in window.do("editor")["text"]  # noqa: E731
    window.until(sent)
    window.do("tidy")
    window.do("unfold", USED)
    window.until(lambda: window.labels(USED), has("tokens"))
    window.do("act", USED, "tokens", "Open Block as Sent")
    window.until(sent)


def test_the_next_session_of_an_agent_is_made_private(
    window: Workbench, memory: Memory
) -> None:
    """Set Memory of an Agent's Next Session asks which agent, then how (H1)."""
    window.do("palette", "Ibid: Set Memory of an Agent's Next Session")
    window.do("pick", "codex")
    window.until(lambda: window.do("picks"), has("Private session"))
    window.do("pick", "Private session")
    memory.run("verify")


def test_note_files_are_shared_and_the_handoff_written(
    window: Workbench, memory: Memory
) -> None:
    """Share Note Files lets Git see them; Write Handoff says where it is (O1, O2)."""
    ignored = memory.folder / ".ibid" / "notes" / ".gitignore"
    window.until(ignored.exists)
    window.do("palette", "Ibid: Share Note Files")
    window.do("pick", "Share with the team")
    window.do("message", "Git now sees")
    window.until(lambda: not ignored.exists())
    window.do("palette", "Ibid: Write Handoff")
    said = window.do("message", "Written:")
    assert ".ibid/state/handoff" in said["text"]


def test_the_state_the_log_and_the_store_are_looked_at(window: Workbench) -> None:
    """Show Status offers all there is; Show the Log and Check the Store are two."""
    window.do("palette", "Ibid: Show Status")
    picks = window.until(lambda: window.do("picks"))
    assert any("Review queue" in pick for pick in picks)
    window.do("press", "Escape")
    window.do("palette", "Ibid: Check the Store")
    window.do("message", "The store is sound.")
    window.do("palette", "Ibid: Show the Log")
    window.until(lambda: window.do("panel"), lambda seen: "Output" in seen)
    window.do("palette", "View: Toggle Panel Visibility")
    window.do("palette", "Ibid: Turn a Feature Back On")
    window.do("message", "No feature is switched off.")
    window.do("palette", "Ibid: Show Notes")


def test_a_path_is_claimed_for_a_session(window: Workbench, memory: Memory) -> None:
    """Claim Paths for a Session asks which; it is there for every agent (O4)."""
    window.do("unfold", SESSIONS)
    window.until(lambda: window.labels(SESSIONS))
    window.do("palette", "Ibid: Claim Paths for a Session")
    window.do("pick", "red")
    window.until(lambda: window.do("typed"), lambda seen: str(memory.folder) in seen)
    window.do("type", str(memory.folder / "src" / "upload.py"), False)
    window.until(lambda: window.do("picks"), has("upload.py"))
    window.do("press", "Enter")
    window.until(lambda: memory.run("claim"))
    window.do("message", "src/upload.py for itself now")


def test_recall_takes_in_another_project_and_leads_there(
    window: Workbench, memory: Memory
) -> None:
    """Recall from Other Projects ticks one; its item says whence and opens (S2)."""
    depot = memory.home / "depot"
    depot.mkdir()
    rule = "Parcels over twenty kilograms ship by freight."
    memory.run("note", "add", rule, "--project", str(depot))
    window.do("palette", "Ibid: Recall from Other Projects")
    window.until(lambda: window.do("picks"), has("depot"))
    window.do("pick", "depot")
    window.do("press", "Enter")
    window.do("message", "Recall uses depot, too.")
    rows = {row["path"]: row for row in memory.run("project", "list")}
    listed = rows[str(memory.folder)]["includes"]
    assert [one["path"] for one in listed] == [str(depot)]
    memory.run("recall", "How do heavy parcels ship by freight?", "--session", "far")
    window.do("unfold", USED)
    shown = window.until(lambda: window.labels(USED), has("far"))
    # Its receipt stands below it; how many items that has, earlier tests decide.
    window.do("expand", USED, shown[shown.index("far") + 1])
    row = lambda: [  # noqa: E731
        one["description"] for one in window.do("rows", USED) if rule in one["label"]
    ]
    window.until(row, lambda seen: len(seen) == 1 and "from depot" in seen[0])
    window.do("click", USED, rule)
    window.until(lambda: rule in window.do("editor")["text"])
    window.do("tidy")
    window.do("palette", "Ibid: Recall from Other Projects")
    window.until(lambda: window.do("picks"), has("depot"))
    window.do("pick", "depot")
    window.do("press", "Enter")
    window.do("message", "Recall uses this project alone.")


def test_a_session_is_exported_or_deleted_after_a_question(
    window: Workbench, memory: Memory
) -> None:
    """The transcript comes out byte for byte; deleting asks first (K3, M5)."""
    window.do("unfold", SESSIONS)
    window.until(lambda: window.labels(SESSIONS), has("red"))
    to = memory.home / "kept"
    to.mkdir()
    window.do("menu", SESSIONS, "red", "Export Transcript")
    # What the box begins with comes a moment after it, over what was typed till then.
    window.until(lambda: window.do("typed"), lambda seen: str(memory.folder) in seen)
    window.do("type", f"{to}/", False)
    window.until(lambda: window.do("typed"), lambda seen: "kept" in seen)
    window.do("press", "Enter")
    window.do("message", "Exported 1 files")
    assert [one.read_bytes() for one in to.iterdir()] == [
        (memory.home / "red.ibid.jsonl").read_bytes()
    ]
    before = len(memory.run("session", "list"))
    window.do("menu", SESSIONS, "red", "Delete Session")
    asked = window.do("dialog")
    assert "Delete all that is remembered of this session?" in asked["text"]
    window.do("dialog", "Delete")
    window.until(lambda: len(memory.run("session", "list")), lambda now: now < before)
