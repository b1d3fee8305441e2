"""What VS Code shows of what agents saw: the archive and the reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .conftest import UPLOAD

if TYPE_CHECKING:
    from .conftest import Memory
    from .workbench import Workbench

pytestmark = pytest.mark.editor

ARCHIVE, NOTES, READS = "Archive", "Notes", "Reads"
TRACE = "assert receipt.number == 4711  # zeppelin"


@pytest.fixture(scope="module")
def seen(memory: Memory) -> Memory:
    """Return the project after an agent read a file and ran its tests."""
    upload = str(memory.folder / "src" / "upload.py")
    lines = len(UPLOAD.splitlines())
    whole = {"first": 1, "last": lines, "total": lines, "text": UPLOAD}
    memory.see(
        "green",
        "Why does the receipt test fail?",
        {"type": "read", "path": upload, **whole},
        {"type": "tool", "name": "Bash", "input": {"command": "pytest -x tests"},
         "output": f"FAILED tests/test_receipt.py\n{TRACE}\n"},
    )  # fmt: skip
    return memory


@pytest.fixture
def window(bench: Workbench, seen: Memory) -> Workbench:
    """Show the project with Ibid's views and nothing else open."""
    bench.reopen(seen.folder)
    bench.do("container", "Ibid")
    bench.until(lambda: bench.labels(NOTES))
    return bench


def has(text: str):
    """Return whether any of the labels seen contains ``text``."""
    return lambda seen: any(text in one for one in seen)


def test_the_archive_is_searched_as_one_types_and_opens_word_for_word(
    window: Workbench,
) -> None:
    """A hit shows its title, and choosing it opens the kept text (M2)."""
    window.do("palette", "Ibid: Search the Archive")
    window.do("type", "zeppelin", False)
    window.until(lambda: window.do("picks"), has("pytest -x tests"))
    window.shot("archive-search")
    window.do("pick", "pytest -x tests")
    opened = window.until(
        lambda: window.do("editor"), lambda seen: TRACE in seen["text"]
    )
    assert opened["language"] == "Markdown"


def test_the_last_archive_search_stays_in_its_view(window: Workbench) -> None:
    """The view lists what the search found; its rows open, and give their handle."""
    window.do("palette", "Ibid: Search the Archive")
    window.do("type", "zeppelin", False)
    window.until(lambda: window.do("picks"), has("pytest -x tests"))
    window.do("press", "Escape")
    window.do("unfold", ARCHIVE)
    window.until(lambda: window.labels(ARCHIVE), has("pytest -x tests"))
    rows = window.do("rows", ARCHIVE)
    assert rows[0]["description"].startswith("command · claude-code · green")
    window.do("click", ARCHIVE, "pytest -x tests")
    window.until(lambda: window.do("editor"), lambda seen: TRACE in seen["text"])
    window.shot("archive")
    window.do("act", ARCHIVE, "pytest -x tests", "Copy Handle")
    window.do("palette", "Ibid: Search the Archive")
    window.do("type", "nowhere-to-be-found", False)
    window.until(lambda: window.do("picks"))
    window.do("press", "Escape")
    window.until(
        lambda: window.do("welcome", ARCHIVE), lambda seen: "no row holds" in seen
    )
    window.do("title", ARCHIVE, "Clear Archive Search")
    window.until(lambda: window.do("welcome", ARCHIVE), lambda seen: "kept" in seen)


def test_the_reads_of_the_file_in_front_stand_first(
    window: Workbench, seen: Memory
) -> None:
    """Who read which lines when, what changed since, and the way to the turn (N7)."""
    window.do("file", "src/upload.py")
    window.do("palette", "Ibid: Show Reads")
    window.until(lambda: window.labels(READS), has("This file: upload.py"))
    labels = window.until(lambda: window.labels(READS), has("Claude read all"))
    assert "Unchanged since it was last read" in labels
    window.until(
        lambda: window.do("status")["label"], lambda seen: "Claude read all" in seen
    )
    window.shot("reads")
    window.do("act", READS, "green · turn 1", "Open What It Saw")
    window.until(lambda: window.do("editor"), lambda seen: "Uploader" in seen["text"])
    window.do("click", READS, "green · turn 1")
    window.until(
        lambda: window.do("editor"), lambda seen: "receipt test" in seen["text"]
    )


def test_a_file_that_was_read_leads_to_its_archive_search(window: Workbench) -> None:
    """The search keeps to the file, to be narrowed by words."""
    window.do("file", "src/upload.py")
    window.do("palette", "Ibid: Show Reads")
    window.until(lambda: window.labels(READS), has("This file: upload.py"))
    window.do("act", READS, "This file: upload.py", "Search the Archive")
    window.until(lambda: window.do("picks"), has("upload.py"))
    assert window.do("typed") == ""
    window.do("press", "Escape")


def test_lenses_lead_to_the_reads_and_to_what_is_recalled(window: Workbench) -> None:
    """Above a file that was read, and beside the notes of a symbol (R4)."""
    window.do("file", "src/upload.py")
    window.until(lambda: window.do("lenses"), has("Claude read"))
    window.shot("lenses")
    window.do("lens", "Claude read")
    window.until(lambda: window.labels(READS), has("This file: upload.py"))
    window.do("lens", "recall")
    shown = window.until(
        lambda: window.do("editor"), lambda seen: "Retry limit is 3" in seen["text"]
    )
    assert shown["language"] == "Markdown"


def test_a_note_whose_code_changed_is_still_true(
    window: Workbench, seen: Memory
) -> None:
    """Its row and quick fixes say so until a person confirms it (R4)."""
    upload = seen.folder / "src" / "upload.py"
    upload.write_text(UPLOAD.replace("60.0", "45.0"), encoding="utf-8")
    window.do("file", "src/upload.py")
    window.do("palette", "Ibid: Refresh")
    row = lambda: [  # noqa: E731
        row["description"]
        for row in window.do("rows", NOTES)
        if "Retry limit" in row["label"] and "decision" in row["description"]
    ]
    window.until(row, has("code changed"))
    fixes = window.until(
        lambda: window.do("fixes", "def backoff", "Update note"), has("Update note")
    )
    assert has("Still true")(fixes)
    assert has("Forget")(fixes)
    window.until(
        lambda: window.do("typed") == "Retry limit is 3 for all outbound calls."
    )
    window.do("press", "Escape")
    window.do("menu", NOTES, "Retry limit", "Still True")
    window.until(row, lambda seen: seen != [] and not has("code changed")(seen))


def test_past_sessions_are_replayed_into_a_document(window: Workbench) -> None:
    """Replay Past Sessions tells what memory would have cost and saved (P5)."""
    window.do("palette", "Ibid: Replay Past Sessions")
    report = window.until(
        lambda: window.do("editor"), lambda seen: "# Replay" in seen["text"]
    )
    assert "in the order of time" in report["text"]


def test_the_nets_page_has_the_servers_own_figures(
    window: Workbench, seen: Memory
) -> None:
    """Each role and feature of the report is a row of the page (P2)."""
    lines = seen.run("report")["roles"]
    window.do("palette", "Ibid: Show Net of Cost and Saving")
    page = window.until(lambda: window.do("page"), lambda page: page["rows"])
    shown = {(row[0], row[3]) for row in page["rows"] if len(row) == 7}
    assert {(line["feature"], f"{line['cost']:,}") for line in lines} <= shown
    assert lines[0]["role"] in page["text"]


def test_the_editors_agents_are_offered_the_tools_once(
    window: Workbench, seen: Memory
) -> None:
    """The MCP server is there, but not beside one that the workspace starts (R3)."""
    settings = window.home / "data" / "User" / "settings.json"
    before = json.loads(settings.read_text(encoding="utf-8"))
    chatty = {**before, "chat.disableAIFeatures": False}
    settings.write_text(json.dumps(chatty), encoding="utf-8")
    window.open(seen.folder)
    window.do("container", "Ibid")
    window.until(lambda: window.labels(NOTES))

    def servers() -> list[str]:
        window.do("palette", "MCP: List Servers")
        picks = window.do("picks")
        window.do("press", "Escape")
        return picks

    window.until(servers, has("Ibid"))
    own = {"servers": {"recollections": {"command": "ibid", "args": ["mcp"]}}}
    listed = seen.folder / ".vscode" / "mcp.json"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text(json.dumps(own), encoding="utf-8")
    window.until(servers, has("recollections"))
    window.until(servers, lambda picks: not has("Ibid")(picks))
    listed.unlink()
    window.until(servers, has("Ibid"))
    settings.write_text(json.dumps(before), encoding="utf-8")


def test_the_doctors_report_opens_as_a_document(window: Workbench) -> None:
    """What was looked at and found, versions and agents too (Q1)."""
    window.do("palette", "Ibid: Ask the Doctor")
    report = window.until(
        lambda: window.do("editor"), lambda seen: "Ibid's doctor" in seen["text"]
    )
    assert "The store's structure and links hold." in report["text"]
    window.shot("doctor")
    window.do("palette", "Ibid: Show Accounts as Text")
    window.until(
        lambda: window.do("editor"), lambda seen: "saving unknown" in seen["text"]
    )


def test_a_claimed_path_is_listed_and_released(window: Workbench, seen: Memory) -> None:
    """What a session has for itself shows with whose it is, and can be freed (O4)."""
    seen.run("claim", "src", "--session", "green")
    window.do("palette", "Ibid: Release Claimed Paths")
    window.until(lambda: window.do("picks"), has("srcClaude green"))
    window.do("pick", "src")
    window.do("press", "Enter")
    window.until(lambda: seen.run("claim"), lambda claims: claims == [])


def test_the_nets_page_is_there_after_the_window_was_reloaded(
    window: Workbench,
) -> None:
    """A reload gives the page back with its figures, once (P2, R1)."""
    window.do("palette", "Ibid: Show Net of Cost and Saving")
    before = window.until(lambda: window.do("page"), lambda page: page["rows"])
    window.do("reload")
    after = window.until(lambda: window.do("page"), lambda page: page["rows"])
    assert after["rows"] == before["rows"]
    window.do("palette", "Ibid: Show Net of Cost and Saving")
    assert window.do("page")["rows"] == before["rows"]
