"""Search within what is about one file (F4, R4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, SearchRequest

from .talk import Talk

SEEN = "def lift(parcel):\n    return parcel.weight\n" * 12


@pytest.fixture
def talk(memory: Memory, clock: FixedClock, project: Path) -> Talk:
    """A session that saw two files, by tool and by read, and notes on both."""
    talk = Talk(memory, clock, cwd=str(project))
    talk.ask("Look at the crane.")
    crane, label = f"{project}/src/crane.py", f"{project}/src/label.py"
    talk.apply(e.Read(talk.head(), crane, 1, 0, f"# crane\n{SEEN}"))
    clock.move(1_000)
    talk.apply(e.Read(talk.head(), label, 1, 0, f"# label\n{SEEN}"))
    given = {"file_path": "src/crane.py"}
    text = f"# crane again\n{SEEN}"
    talk.apply(e.Tool(talk.head(), "Peek", given, text, kind="read"))
    talk.answer("A parcel has a weight in src/crane.py and src/label.py.")
    talk.end()
    memory.notes.add(NoteText("A parcel is lifted once.", path="src/crane.py"))
    memory.notes.add(NoteText("A parcel has one label.", path="src/label.py"))
    return talk


def found(memory: Memory, query: str, path: str, archive: bool = True) -> list[str]:
    """Return the first line of each hit of a search within a file, sorted."""
    asked = SearchRequest(query, archive=archive, path=path)
    return sorted(hit.text.replace("\n", " ") for hit in memory.search(asked).hits)


@pytest.mark.parametrize("query", ["", "parcel"])
@pytest.mark.parametrize("form", ["src/crane.py", "{project}/src/crane.py"])
def test_only_what_is_about_the_file(
    memory: Memory, project: Path, talk: Talk, query: str, form: str
) -> None:
    """Observations by tool or read and notes on it; with a word and without (F4)."""
    told = found(memory, query, form.format(project=project))
    assert len(told) == 3
    assert sum("# crane again" in text for text in told) == 1
    assert any(text == "A parcel is lifted once." for text in told)
    assert not any("label" in text for text in told)


def test_without_the_archive_there_are_notes_alone(memory: Memory, talk: Talk) -> None:
    """The archive is searched on request only, within a file too."""
    assert found(memory, "", "src/crane.py", False) == ["A parcel is lifted once."]
    assert found(memory, "label", "src/crane.py", False) == []
    assert found(memory, "", "src/none.py") == []


def test_a_file_of_another_name_end_is_another(memory: Memory, talk: Talk) -> None:
    """A path is compared whole: neither its end nor its start is enough."""
    for path in ("crane.py", "src", "rc/crane.py", "/src/crane.py"):
        assert found(memory, "parcel", path) == []


def test_pages_follow_one_another(memory: Memory, talk: Talk) -> None:
    """Without a word: notes first, then what was seen last; pages do not overlap."""
    pages = [
        memory.search(SearchRequest("", archive=True, path="src/crane.py", limit=1,
                                    offset=at))
        for at in range(4)
    ]  # fmt: skip
    assert [page.total for page in pages] == [3, 3, 3, 3]
    names = [hit.id for page in pages for hit in page.hits]
    assert len(set(names)) == len(names) == 3
    assert [hit.layer for page in pages for hit in page.hits] == [
        "L1",
        "archive",
        "archive",
    ]
    assert pages[3].reason


def test_what_a_hidden_session_saw_stays_hidden(memory: Memory, talk: Talk) -> None:
    """A private session's observations are in no list of a file either (G3)."""
    memory.sessions.preset("s1", "private")
    assert found(memory, "", "src/crane.py") == found(memory, "parcel", "src/crane.py")
    assert not any("crane again" in text for text in found(memory, "", "src/crane.py"))


@pytest.mark.parametrize("path", ["\0", "a\0/b.py", "\ud800", "/\ud800", "../..", "~"])
def test_a_path_no_file_can_have_is_about_nothing(memory: Memory, path: str) -> None:
    """No query and no path is an error (F4)."""
    assert found(memory, "", path) == found(memory, "parcel", path) == []
