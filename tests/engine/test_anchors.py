"""Whether the code that notes name is still what it was (R4)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock
from ibid.errors import InputError, NotFoundError
from ibid.store.driver import Row

CRANE = "def lift(box):\n    return box\n\n\ndef lower(box):\n    return 0\n"


@pytest.fixture
def crane(project: Path) -> Path:
    """A file of the project."""
    path = project / "src" / "crane.py"
    path.parent.mkdir()
    path.write_text(CRANE)
    return path


def add(memory: Memory, text: str, **fields: str) -> str:
    """Add a note; return its id."""
    key: str = memory.notes.add(NoteText(text, **fields)).row["key"]
    return key


def states(memory: Memory, note: str) -> dict[str, str]:
    """Return path#symbol -> state of a note, after a look at the files."""
    memory.anchors.refresh(seek=True)
    return {_name(row): row["state"] for row in memory.notes.show(note).anchors}


def _name(row: Row) -> str:
    return f"{row['path']}#{row['symbol']}" if row["symbol"] else str(row["path"])


def test_a_change_is_noticed_and_its_undoing_too(memory: Memory, crane: Path) -> None:
    """The state follows the file, both ways."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    assert states(memory, note) == {
        "src/crane.py": "fresh",
        "src/crane.py#lift": "fresh",
    }
    crane.write_text(CRANE.replace("return box", "return None"))
    assert states(memory, note)["src/crane.py#lift"] == "changed"
    crane.write_text(CRANE.replace("def lift", "def hoist"))
    assert states(memory, note)["src/crane.py#lift"] == "gone"
    crane.unlink()
    assert set(states(memory, note).values()) == {"gone"}
    crane.write_text(CRANE)
    assert set(states(memory, note).values()) == {"fresh"}


def test_a_note_on_symbols_is_not_judged_by_the_rest_of_the_file(
    memory: Memory, crane: Path
) -> None:
    """Another function changed: the note on this one holds; one on the file may not."""
    narrow = add(memory, "lift() in src/crane.py returns its box.")
    wide = add(memory, "src/crane.py has no state.")
    crane.write_text(CRANE.replace("return 0", "return 1"))
    assert set(states(memory, narrow).values()) == {"fresh"}
    assert states(memory, wide) == {"src/crane.py": "changed"}


def test_what_never_was_there_is_never_gone(memory: Memory, crane: Path) -> None:
    """A file or symbol that a note only plans has no state before it exists."""
    note = add(memory, "hoist() belongs in src/winch.py.")
    assert set(states(memory, note).values()) == {"fresh"}
    winch = crane.parent / "winch.py"
    winch.write_text("def hoist():\n    return 1\n")
    assert set(states(memory, note).values()) == {"fresh"}
    winch.write_text("def hoist():\n    return 2\n")
    assert states(memory, note)["src/winch.py#hoist"] == "changed"


def test_a_folder_is_there_or_gone(memory: Memory, crane: Path) -> None:
    """What changes in a folder is nothing to a note on all of it."""
    note = add(memory, "Keep src/ free of globals.", path="src")
    crane.write_text("x = 1\n")
    assert states(memory, note) == {"src": "fresh"}
    crane.unlink()
    crane.parent.rmdir()
    assert states(memory, note) == {"src": "gone"}


def test_a_bare_file_name_is_looked_for_among_files_that_were_touched(
    memory: Memory, crane: Path
) -> None:
    """The one file of that name that anybody read is meant; of two, none."""
    note = add(memory, "lift() in crane.py returns its box.")
    crane.write_text(CRANE.replace("return box", "return None"))
    assert set(states(memory, note).values()) == {"fresh"}  # Nobody knows which file.
    memory.ledger.touched(str(crane), "opened")
    assert set(states(memory, note).values()) == {"fresh"}
    crane.write_text(CRANE)
    assert states(memory, note)["crane.py#lift"] == "changed"


def test_a_symbol_without_a_file_is_looked_for_among_files_that_were_touched(
    memory: Memory, crane: Path, project: Path
) -> None:
    """The one file that defines it is meant; calls count nothing; of two, none."""
    note = add(memory, "Crane.lift_all() never takes two boxes.")
    code = "class Crane {\n  lift_all(box) {\n    return box;\n  }\n}\n"
    path = project / "crane.js"
    path.write_text(code)
    caller = project / "use.js"
    caller.write_text("crane.lift_all(1);\n")
    assert states(memory, note) == {"#Crane.lift_all": "fresh"}
    memory.ledger.touched(str(path), "opened")
    memory.ledger.touched(str(caller), "opened")
    assert states(memory, note) == {"#Crane.lift_all": "fresh"}
    path.write_text(code.replace("return box", "return [box]"))
    assert states(memory, note) == {"#Crane.lift_all": "changed"}
    memory.notes.confirm(note, "crane.js")
    assert states(memory, note) == {"#Crane.lift_all": "fresh"}
    path.write_text("class Crane {}\n")
    assert states(memory, note) == {"#Crane.lift_all": "gone"}
    other = add(memory, "lower() is slow in winter.")
    (project / "a.py").write_text(CRANE)
    for one in (crane, project / "a.py"):
        memory.ledger.touched(str(one), "opened")
    assert states(memory, other) == {"#lower": "fresh"}
    crane.write_text("x = 1\n")
    (project / "a.py").write_text("x = 1\n")
    assert states(memory, other) == {"#lower": "fresh"}


def test_another_process_reads_only_what_changed(
    memory: Memory, crane: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was judged is not read again before its own time changes."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    other = open_memory(str(project))
    looked: list[str] = []
    look = other.anchors._look
    monkeypatch.setattr(
        other.anchors, "_look", lambda path: looked.append(path) or look(path)
    )
    assert not other.anchors.refresh()
    assert looked == []
    crane.write_text(CRANE.replace("return box", "return None"))
    assert other.anchors.refresh()
    assert looked == ["src/crane.py"]
    assert not memory.anchors.refresh()
    assert memory.notes.show(note).anchors[1]["state"] == "changed"
    other.close()


def test_still_true_is_on_the_record(
    memory: Memory, crane: Path, clock: FixedClock
) -> None:
    """A person confirms: fresh as the code is now, and the note's history says so."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    before = memory.notes.show(note).row
    crane.write_text(CRANE.replace("return box", "return None"))
    assert states(memory, note)["src/crane.py#lift"] == "changed"
    clock.move(1_000)
    view = memory.notes.confirm(note, str(crane))
    assert {row["state"] for row in view.anchors} == {"fresh"}
    assert (view.row["text"], view.row["version"]) == (
        before["text"],
        before["version"],
    )
    (said,) = memory.notes.evidence(note)[1]
    assert (said["why"], said["at"]) == ("confirmed", clock.now())
    crane.write_text(CRANE)
    assert states(memory, note)["src/crane.py#lift"] == "changed"


def test_what_is_gone_is_watched_again_when_it_is_back(
    memory: Memory, crane: Path
) -> None:
    """Still true though gone: the note is fresh until the code returns and changes."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    crane.unlink()
    assert set(states(memory, note).values()) == {"gone"}
    memory.notes.confirm(note)
    assert set(states(memory, note).values()) == {"fresh"}
    crane.write_text(CRANE)
    assert set(states(memory, note).values()) == {"fresh"}
    crane.write_text(CRANE.replace("return box", "return None"))
    assert states(memory, note)["src/crane.py#lift"] == "changed"


def test_only_what_a_note_names_can_be_confirmed(memory: Memory, crane: Path) -> None:
    """A note without code, another file, no note at all: each is said by name."""
    plain = add(memory, "The crew starts at six.")
    note = add(memory, "lift() in src/crane.py returns its box.")
    with pytest.raises(InputError, match="names no code"):
        memory.notes.confirm(plain)
    with pytest.raises(InputError, match=r"src/other\.py"):
        memory.notes.confirm(note, "src/other.py")
    with pytest.raises(NotFoundError):
        memory.notes.confirm("n-none")


def test_new_words_are_tied_to_the_code_as_it_is(memory: Memory, crane: Path) -> None:
    """An edit or correction is a person's word of now; old names are let go."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    crane.write_text(CRANE.replace("def lift", "def hoist"))
    assert states(memory, note)["src/crane.py#lift"] == "gone"
    memory.notes.edit(note, {"text": "hoist() in src/crane.py returns its box."})
    assert states(memory, note) == {
        "src/crane.py": "fresh",
        "src/crane.py#hoist": "fresh",
    }
    crane.write_text(CRANE)
    right = memory.notes.correct(note, "lift() in src/crane.py returns it.").row["key"]
    assert set(states(memory, right).values()) == {"fresh"}


@pytest.mark.parametrize("odd", ["link", "pipe", "binary", "secret"])
def test_what_may_not_be_read_is_never_judged(
    memory: Memory, crane: Path, project: Path, tmp_path: Path, odd: str
) -> None:
    """Links, pipes, binaries and excluded files are left alone (R3, E1)."""
    name = ".env" if odd == "secret" else "odd.py"
    path = project / name
    if odd == "link":
        (tmp_path / "outside.py").write_text(CRANE)
        path.symlink_to(tmp_path / "outside.py")
    elif odd == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"\0\1" if odd == "binary" else b"HOIST_MODE=1\n")
    note = add(memory, "Nobody edits it by hand.", path=name)
    (anchor,) = memory.notes.show(note).anchors
    assert (anchor["state"], anchor["fingerprint"]) == ("fresh", "")


def test_a_forgotten_note_is_not_looked_after(memory: Memory, crane: Path) -> None:
    """Only active notes are judged; a restored one is, from where it was."""
    note = add(memory, "lift() in src/crane.py returns its box.")
    memory.notes.forget(note)
    crane.write_text(CRANE.replace("return box", "return None"))
    assert set(states(memory, note).values()) == {"fresh"}
    memory.notes.restore(note)
    assert states(memory, note)["src/crane.py#lift"] == "changed"
