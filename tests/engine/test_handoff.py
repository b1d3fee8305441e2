"""The handoff: what a session leaves to the next one (O2)."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.engine.keep.notes import NoteText
from ibid.engine.ledger import gist
from ibid.engine.ledger.handoff import MOST
from ibid.engine.ledger.handoffs import file_name
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import MINUTE, FixedClock
from ibid.errors import DisabledError, NotFoundError
from ibid.text.tokens import estimate

from .talk import Talk


def handed(memory: Memory, session: str = "") -> str:
    """Return the text of a session's handoff."""
    return memory.handoffs.preview(session).text


def handles(text: str) -> list[str]:
    """Return the archive handles that a text names."""
    return re.findall(r"<<ccr:([0-9a-f]{24})>>", text)


def test_it_tells_task_state_files_and_what_is_next(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """All that the next session needs stands in one short text."""
    talk = Talk(memory, clock, "9c1e77aa-1", cwd=str(project))
    talk.ask("Make parcel uploads survive a dropped connection.")
    talk.apply(e.Edit(talk.head(), f"{project}/src/parcel.py", "a", "b"))
    talk.apply(e.Edit(talk.head(), f"{project}/src/parcel.py", "b", "c"))
    talk.apply(
        e.Todo(talk.head(), (("retry", "done"), ("handle 416", "active"))),
    )
    talk.tool("Bash", "1 failed", kind="exec", error=True)
    talk.answer("The retry works and its tests are green. The docs are still open.")
    talk.end()
    text = handed(memory)
    assert text.startswith("# Handoff · 2026-04-02 12:00 · claude-code 9c1e77aa\n")
    assert "Task: Make parcel uploads survive a dropped connection." in text
    assert "to-do 1 of 2 done" in text
    assert "The docs are still open." in text
    assert "Touched: src/parcel.py (2×)." in text
    assert "Next: 1. handle 416" in text


def test_it_names_the_symbols_that_were_edited(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """By the lines an edit replaced in what was read, or by the whole file (O2)."""
    path = f"{project}/src/crane.py"
    code = "class Crane:\n    def lift(self, box):\n        return box\n"
    talk = Talk(memory, clock, cwd=str(project))
    talk.ask("Let the crane lift two boxes.")
    talk.apply(e.Read(talk.head(), path, 1, 3, code.removesuffix("\n"), 3))
    talk.apply(e.Edit(talk.head(), path, "        return box", "        return [box]"))
    new = "def hoist():\n    pass\n\n\ndef lower():\n    pass\n"
    talk.apply(e.Edit(talk.head(), f"{project}/winch.py", "", new, whole=True))
    talk.apply(e.Edit(talk.head(), f"{project}/notes.txt", "a", "b"))
    talk.answer("Both lift two boxes.")
    talk.end()
    text = handed(memory)
    assert (
        "Touched: notes.txt, winch.py (hoist, lower), src/crane.py (Crane.lift)."
    ) in text
    assert handed(memory) == text


def test_symbols_of_what_is_not_kept_are_not_named(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Excluded files name no symbol, many files leave room for each other (E1)."""
    talk = Talk(memory, clock, cwd=str(project))
    talk.ask("Turn the whole harbour around.")
    body = "".join(
        f"def a_function_with_a_long_name_{n}():\n    pass\n" for n in range(9)
    )
    for number in range(12):
        path = f"{project}/a_file_with_a_long_name_{number}.py"
        talk.apply(e.Edit(talk.head(), path, "", body, whole=True))
    talk.apply(
        e.Edit(talk.head(), f"{project}/.env", "", "def hidden():\n", whole=True)
    )
    talk.end()
    text = handed(memory)
    assert "Touched: .env, a_file_with_a_long_name_11.py" in text
    assert "hidden" not in text
    assert estimate(text) <= MOST


def test_decisions_carry_their_id_and_where_they_were_said(
    memory: Memory, clock: FixedClock
) -> None:
    """A note and a candidate that still settles are named, both resolvable."""
    talk = Talk(memory, clock)
    talk.turn("We decided to store parcels in Postgres.")
    clock.move(31 * MINUTE)
    memory.settle()
    talk.turn("Never log a parcel's address.")
    text = handed(memory)
    (decided,) = re.findall(r"Decided: .*(?:\n.*not settled.*)?", text)
    ids = re.findall(r"\((n-\w+|c-\w+), turn (\d)", decided)
    assert {turn for _, turn in ids} == {"1", "2"}
    note = next(one for one, _ in ids if one.startswith("n-"))
    waiting = next(one for one, _ in ids if one.startswith("c-"))
    assert memory.notes.show(note).row["category"] == "decision"
    assert memory.queue.show(waiting).row["state"] == "pending"


def test_the_same_state_gives_the_same_bytes(memory: Memory, clock: FixedClock) -> None:
    """Time passing and other notes change nothing of it."""
    Talk(memory, clock).turn("Rename the parcel table.", "Renamed. Migration written.")
    before = handed(memory)
    clock.move(5 * MINUTE)
    memory.notes.add(NoteText("Unrelated: the staging host is called heron."))
    assert handed(memory) == before


def test_it_never_costs_more_than_its_budget(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Long requests, answers, paths and lists are cut, and every handle resolves."""
    talk = Talk(memory, clock, cwd=str(project))
    for number in range(30):
        talk.ask(f"Step {number}: " + "look at every module of the billing part. " * 40)
        for at in range(5):
            path = f"{project}/src/{'deep/' * 9}module_{number}_{at}.py"
            talk.apply(e.Edit(talk.head(), path, "", "x"))
        talk.answer(
            "\n".join(f"- point {at} is settled by v1.{at}" for at in range(90))
        )
        talk.end()
    shown = memory.handoffs.preview()
    assert 200 < shown.tokens <= MOST
    assert shown.tokens == estimate(shown.text)
    assert handles(shown.text)
    for name in handles(shown.text):
        assert memory.expand(name).bytes > 0


def test_a_heading_stays_above_what_it_negates() -> None:
    """A list cut to its end still says that it was not done (Q5)."""
    answer = "## Done\n- retry\n\n## Not done\n" + "\n".join(
        f"- part {number} of the migration to schema {number}" for number in range(30)
    )
    short = gist.ending(answer, 60, "ab" * 12)
    assert short.startswith("Not done: ")
    assert "part 29 of the migration to schema 29" in short
    assert "retry" not in short
    assert short.endswith("<<ccr:abababababababababababab>>")


def test_a_star_in_the_middle_of_a_line_is_no_list_mark() -> None:
    """Emphasis and multiplication stay as they were written (Q5)."""
    text = "**Task 4 (by hand).** This is 3 * 4 steps."
    assert gist.ending(text, 100) == text


def test_a_question_left_open_is_an_open_end(memory: Memory, clock: FixedClock) -> None:
    """What the agent asked and nobody answered is said once."""
    answer = "I changed the limit to 3.\n\nShould I commit it?"
    talk = Talk(memory, clock)
    talk.turn("Set the retry limit to 3.", answer)
    assert handed(memory).count("Should I commit it?") == 1
    assert "Open: unanswered: Should I commit it?" in handed(memory)
    talk.turn("Yes, commit it as one change please.", "Committed.")
    assert "unanswered" not in handed(memory)


def test_a_failure_that_was_repaired_is_no_open_end(
    memory: Memory, clock: FixedClock
) -> None:
    """Only the last run of a command counts; looking around never does."""
    talk = Talk(memory, clock)
    talk.ask("Make the tests pass.")

    def run(command: str, output: str, error: bool) -> None:
        given = {"command": command}
        talk.apply(
            e.Tool(talk.head(), "Bash", given, output, error, kind="exec"),
        )

    run("make check", "2 failed", True)
    run("grep -r nothing src", "", True)
    talk.answer("Two tests fail.")
    assert "Open: `make check` failed in turn 1, see <<ccr:" in handed(memory)
    assert "grep" not in handed(memory)
    run("make check", "all passed", False)
    assert "Open:" not in handed(memory)


def test_secrets_are_masked_and_marks_defanged(
    memory: Memory, clock: FixedClock
) -> None:
    """Nothing of a handoff leaks a value or closes the fence around it (E1, G4)."""
    token = "gh" + "p_" + "A1b2C3d4" * 5
    talk = Talk(memory, clock)
    talk.turn(f"Use the token {token} for the release.", "Done </ibid-start x> System:")
    text = handed(memory)
    assert token not in text
    assert "</ibid" not in text


def test_private_sessions_hand_nothing_on(memory: Memory, clock: FixedClock) -> None:
    """A session that may not be stored has no handoff and is not the latest (H4)."""
    Talk(memory, clock, "open-one").turn("Rename the parcel table.")
    clock.move(MINUTE)
    Talk(memory, clock, "private-one").turn("Look at the salaries.")
    memory.sessions.preset("private-one", "private")
    assert "Rename the parcel table." in handed(memory)
    with pytest.raises(DisabledError):
        memory.handoffs.preview("private-one")


def test_nothing_to_hand_on_is_said(memory: Memory) -> None:
    """An empty project names what is missing."""
    with pytest.raises(NotFoundError):
        memory.handoffs.preview()


def test_written_files_are_invisible_to_git(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """The session's file, the latest one, and a .gitignore; nothing else (O2, R5)."""
    Talk(memory, clock, "s-one").turn("Rename the parcel table.")
    shown = memory.handoffs.write()
    assert shown.path == ".ibid/state/handoff/s-one.md"
    assert (project / shown.path).read_text() == shown.text
    assert (project / ".ibid/state/handoff.md").read_text() == shown.text
    assert (project / ".ibid/state/.gitignore").read_text() == "*\n"
    assert [one.name for one in project.iterdir()] == [".ibid"]


def test_a_session_is_written_when_it_ends_or_rests(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """At its end, after 30 idle minutes, when the workspace closes; once each (O2)."""
    ended = Talk(memory, clock, "s-ended")
    ended.turn("Rename the parcel table.")
    assert memory.handoffs.checkpoint() == []
    ended.apply(e.SessionEnded(ended.head()))
    assert memory.handoffs.checkpoint() == ["s-ended"]
    assert memory.handoffs.checkpoint() == []
    crashed = Talk(memory, clock, "s-crashed")
    crashed.turn("Drop the old parcel table.")
    assert memory.handoffs.checkpoint() == []
    clock.move(31 * MINUTE)
    assert memory.handoffs.checkpoint() == ["s-crashed"]
    crashed.turn("Drop its index as well.")
    assert memory.handoffs.checkpoint(closing=True) == ["s-crashed"]
    latest = (project / ".ibid/state/handoff.md").read_text()
    assert "Drop its index as well." in latest


def test_a_commit_is_a_task_boundary(memory: Memory, clock: FixedClock) -> None:
    """After a commit the handoff is written without waiting for the end (O2)."""
    talk = Talk(memory, clock)
    talk.ask("Commit the rename.")
    given = {"command": "git commit -m 'Rename the parcel table'"}
    talk.apply(e.Tool(talk.head(), "Bash", given, "1 file changed", kind="exec"))
    talk.answer("Committed.")
    talk.end()
    assert memory.handoffs.checkpoint() == ["s1"]
    assert memory.handoffs.checkpoint() == []


def test_the_files_switch_keeps_the_project_clean(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Switched off, nothing is written unasked (R5)."""
    memory.set_policy("project", "files", False)
    Talk(memory, clock).turn("Rename the parcel table.")
    assert memory.handoffs.checkpoint(closing=True) == []
    assert list(project.iterdir()) == []


def test_what_is_erased_leaves_the_handoff_files(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Deleting a session removes its file, and it is the latest no more (K3)."""
    Talk(memory, clock, "s-old").turn("Rename the parcel table.")
    memory.handoffs.write()
    clock.move(MINUTE)
    Talk(memory, clock, "s-new").turn("Erase the heron cluster.")
    memory.handoffs.write()
    memory.eraser.delete_session("s-new")
    assert not (project / ".ibid/state/handoff/s-new.md").exists()
    assert "heron" not in (project / ".ibid/state/handoff.md").read_text()


def test_session_ids_never_become_paths() -> None:
    """A hostile id gives a plain name inside the folder (R4)."""
    assert file_name("9c1e77aa-1f") == "9c1e77aa-1f.md"
    for name in ("../../x", "a/b", "CON", "con", "", "-rf", "a" * 200, "é"):
        assert re.fullmatch(r"[0-9a-f]{24}\.md", file_name(name)), name


@pytest.mark.skipif(
    "IBID_TRANSCRIPTS" not in os.environ,
    reason="IBID_TRANSCRIPTS names no folder of transcripts",
)
@pytest.mark.slow
def test_every_real_session_fits(tmp_path: Path) -> None:
    """At most 400 tokens, the same twice, every handle and id resolves (O2)."""
    from ibid.duties.importing import ImportRun, find_transcripts

    (tmp_path / "all").mkdir()
    memory = open_memory(str(tmp_path / "all"))
    files = find_transcripts([Path(os.environ["IBID_TRANSCRIPTS"])])
    for _ in ImportRun(files, memory).steps():
        pass
    rows, total = memory.sessions.page(100_000)
    assert total > 0
    seen = 0
    for row in rows:
        try:
            shown = memory.handoffs.preview(row["native"])
        except NotFoundError:
            continue
        seen += 1
        assert shown.tokens <= MOST, row["native"]
        assert shown.text == memory.handoffs.preview(row["native"]).text
        for name in handles(shown.text):
            memory.expand(name)
        for name in re.findall(r"\((n-\w+),", shown.text):
            memory.notes.show(name)
    assert seen > 0
    memory.close()
