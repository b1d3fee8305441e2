"""From notes to always-loaded instruction files: previewed, proposed, never written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.engine.keep import instructions
from ibid.engine.keep.instructions import Wanted
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock
from ibid.errors import InputError
from ibid.store.candidates import CandidatePage

from .talk import Talk

RULE = "Never print labels in landscape."


def applied(made: instructions.Preview) -> str:
    """Return the file after an editor made the previewed changes, last first."""
    lines = made.before.splitlines(keepends=True)
    for one in reversed(made.changes):
        head = "".join(lines[: one.line])
        if one.character:
            head += lines[one.line][: one.character]
        tail = "".join(lines[one.end_line :])
        if one.end_character:
            tail = tail[one.end_character :]
        lines = (head + one.text + tail).splitlines(keepends=True)
    return "".join(lines)


def test_a_preview_writes_nothing(memory: Memory, project: Path) -> None:
    """It says what would be there, and the file stays as it is (C6)."""
    note = memory.notes.add(NoteText(RULE))
    made = memory.preview_instructions(Wanted("CLAUDE.md", (note.row["key"],)))
    assert not made.exists
    assert made.after == f"## Rules of this project\n\n- {RULE}\n"
    assert f"+- {RULE}" in made.diff
    assert not (project / "CLAUDE.md").exists()


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# Parcel\n\nUse make.\n",
        "# Parcel\r\n\r\nUse make.\r\n",
        "# Parcel\n\nUse make. 🚚",
        "## Rules of this project\n\n- Use make.\n\n# After\nx\n",
        "## Rules of this project\n- Use make.",
    ],
)
def test_the_edit_makes_the_preview(memory: Memory, project: Path, before: str) -> None:
    """Ranges and text give exactly what was shown, whatever the file looks like."""
    (project / "AGENTS.md").write_bytes(before.encode())
    note = memory.notes.add(NoteText(RULE))
    made = memory.preview_instructions(Wanted("agents", (note.row["key"],)))
    assert made.before == before
    if "🚚" not in before:
        assert applied(made) == made.after
    assert made.after.count(RULE) == 1
    for line in before.splitlines():
        assert line in made.after
    assert ("\r\n" in before) == ("\r\n" in made.after)


def test_places_count_in_utf_16(memory: Memory, project: Path) -> None:
    """An editor's characters are UTF-16 units: a lorry counts two."""
    (project / "AGENTS.md").write_text("Use make. 🚚")
    note = memory.notes.add(NoteText(RULE))
    (change,) = memory.preview_instructions(
        Wanted("agents", (note.row["key"],))
    ).changes
    assert (change.end_line, change.end_character) == (0, 12)


def test_a_correction_takes_its_old_wordings_place(
    memory: Memory, project: Path
) -> None:
    """The line that says the old rule says the new one, its list mark kept."""
    (project / "CLAUDE.md").write_text("# P\n\n* Labels are printed on A5.\n* Else.\n")
    old = memory.notes.add(NoteText("Labels are printed on A5."))
    new = memory.notes.correct(old.row["key"], "Labels are printed on A6.")
    made = memory.preview_instructions(Wanted("", (new.row["key"],)))
    assert made.after == "# P\n\n* Labels are printed on A6.\n* Else.\n"


def test_what_stands_there_is_not_added(memory: Memory, project: Path) -> None:
    """Nothing to change is said; an unknown file is named with the known ones."""
    (project / "CLAUDE.md").write_text(f"Please: {RULE}\n")
    note = memory.notes.add(NoteText(RULE))
    with pytest.raises(InputError, match="already"):
        memory.preview_instructions(Wanted("claude", (note.row["key"],)))
    with pytest.raises(InputError, match=r"GEMINI\.md"):
        memory.preview_instructions(Wanted("../.bashrc", (note.row["key"],)))


def test_one_line_brings_the_handoff(memory: Memory, project: Path) -> None:
    """By the person's choice, once (O3)."""
    made = memory.preview_instructions(Wanted("CLAUDE.md", handoff=True))
    assert made.after == "@.ibid/state/handoff.md\n"
    written = memory.write_instructions(made)
    assert not written.conflict
    assert (project / "CLAUDE.md").read_text() == made.after
    with pytest.raises(InputError):
        memory.preview_instructions(Wanted("CLAUDE.md", handoff=True))


def test_a_file_changed_since_the_preview_stays(memory: Memory, project: Path) -> None:
    """A person's words are never overwritten (R5)."""
    made = memory.preview_instructions(Wanted("CLAUDE.md", handoff=True))
    (project / "CLAUDE.md").write_text("mine\n")
    assert memory.write_instructions(made).conflict
    assert (project / "CLAUDE.md").read_text() == "mine\n"


def test_a_rule_of_several_sessions_is_proposed_once(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """In the queue, with the reason; accepting changes neither note nor file (C6)."""
    (project / "CLAUDE.md").write_text("# Parcel\n")
    for number in range(3):
        Talk(memory, clock, f"s{number}").turn("Always run the linter before commits.")
        clock.move(31 * MINUTE)
        memory.settle()
    seen = instructions.propose(memory)
    assert instructions.propose(memory, seen) == seen
    instructions.propose(memory)
    (view,), total = memory.queue.page(CandidatePage())
    assert total == 1
    assert view.reason == "said in 3 sessions; CLAUDE.md does not say it"
    before = memory.notes.show(view.row["resembles_key"]).row
    after = memory.queue.accept(view.row["key"]).row
    assert (after["key"], after["version"]) == (before["key"], before["version"])
    assert (project / "CLAUDE.md").read_text() == "# Parcel\n"
    instructions.propose(memory)
    assert memory.queue.page(CandidatePage())[1] == 0


def test_a_correction_of_a_rule_that_is_there_is_proposed(
    memory: Memory, project: Path
) -> None:
    """One session is enough when the file says what is not true any more (C6)."""
    (project / "AGENTS.md").write_text("- Labels are printed on A5.\n")
    old = memory.notes.add(NoteText("Labels are printed on A5."))
    instructions.propose(memory)
    assert memory.queue.page(CandidatePage())[1] == 0
    memory.notes.correct(old.row["key"], "Labels are printed on A6.")
    instructions.propose(memory)
    (view,), _ = memory.queue.page(CandidatePage())
    assert view.reason == "AGENTS.md still says what this corrects"


def test_nothing_is_proposed_without_such_a_file(
    memory: Memory, clock: FixedClock
) -> None:
    """A project without instruction files is left in peace."""
    for number in range(3):
        Talk(memory, clock, f"s{number}").turn("Always run the linter before commits.")
        clock.move(31 * MINUTE)
        memory.settle()
    instructions.propose(memory)
    assert memory.queue.page(CandidatePage())[1] == 0
