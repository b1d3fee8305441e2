"""Links between folders and projects, and memories that follow their folder (S1)."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import open_memory
from ibid.errors import (
    ConflictError,
    InputError,
    StoreBusyError,
    StoreCorruptError,
    StoreReadOnlyError,
)
from ibid.store import driver, moving, projects, registry
from ibid.store.connection import check_alone
from ibid.store.memories import Page
from ibid.store.projects import list_projects, project_of

RULE = "Always run the linter before committing."


@pytest.fixture
def home(tmp_path: Path) -> str:
    """A home of Ibid's own."""
    return str(tmp_path / "home")


@pytest.fixture
def old(tmp_path: Path, home: str) -> Path:
    """A folder with a memory of one note."""
    folder = tmp_path / "old"
    (folder / "src").mkdir(parents=True)
    memory = open_memory(str(folder), home)
    memory.notes.add(NoteText(RULE))
    memory.close()
    return folder


def notes_of(folder: Path, home: str) -> list[str]:
    """Return the texts of the notes of a folder's project."""
    memory = open_memory(str(folder), home)
    try:
        views, _ = memory.notes.page(Page())
        return [view.row["text"] for view in views]
    finally:
        memory.close()


def test_a_memory_follows_its_folder(old: Path, home: str, tmp_path: Path) -> None:
    """After a rename the notes are there, and sessions of the old place belong here."""
    new = tmp_path / "new"
    old.rename(new)
    found = moving.move_project(home, str(old), str(new))
    assert found.path == str(new)
    assert notes_of(new, home) == [RULE]
    assert project_of(str(old / "src" / "a.py"), home).path == str(new)
    assert [one.path for one in list_projects(home)] == [str(new)]


def test_moving_back_and_on_again(old: Path, home: str, tmp_path: Path) -> None:
    """Links follow every move; none points at a place that was left."""
    new, third = tmp_path / "new", tmp_path / "third"
    for source, target in ((old, new), (new, old), (old, third)):
        source.rename(target)
        moving.move_project(home, str(source), str(target))
    assert notes_of(third, home) == [RULE]
    for place in (old, new, third):
        assert project_of(str(place), home).path == str(third)


def test_worktrees_follow(old: Path, home: str, tmp_path: Path) -> None:
    """A worktree that was seen once belongs to where its checkout is now."""
    registry.register(home, registry.WORKTREES, str(tmp_path / "wt"), str(old))
    new = tmp_path / "new"
    old.rename(new)
    moving.move_project(home, str(old), str(new))
    assert project_of(str(tmp_path / "wt" / "src"), home).path == str(new)


def test_an_empty_memory_gives_way_and_a_full_one_does_not(
    old: Path, home: str, tmp_path: Path
) -> None:
    """An editor that was opened too early is no reason to refuse; notes are."""
    new = tmp_path / "new"
    new.mkdir()
    open_memory(str(new), home).close()
    moving.move_project(home, str(old), str(new))
    assert notes_of(new, home) == [RULE]
    other = tmp_path / "other"
    other.mkdir()
    memory = open_memory(str(other), home)
    memory.notes.add(NoteText("Never rename the queue."))
    memory.close()
    with pytest.raises(ConflictError, match="holds something"):
        moving.move_project(home, str(new), str(other))
    assert notes_of(new, home) == [RULE]
    assert notes_of(other, home) == ["Never rename the queue."]


def test_what_is_in_use_stays(old: Path, home: str, tmp_path: Path) -> None:
    """While a process has the memory open, nothing is changed (one file, one place)."""
    new = tmp_path / "new"
    new.mkdir()
    memory = open_memory(str(old), home)
    with pytest.raises(StoreBusyError, match="in use"):
        moving.move_project(home, str(old), str(new))
    memory.notes.add(NoteText("The queue is called heron."))
    memory.close()
    assert len(notes_of(old, home)) == 2
    assert project_of(str(old), home).path == str(old)


def test_looking_whether_it_is_in_use_leaves_the_file_as_it_is(
    old: Path, home: str, tmp_path: Path
) -> None:
    """The journal stays what it was, after a move too."""
    database = project_of(str(old), home).database

    def journal(path: str) -> str:
        with closing(driver.connect(path)) as connection:
            return str(connection.execute("PRAGMA journal_mode").fetchone()[0])

    before = journal(database)
    check_alone(database)
    assert journal(database) == before
    new = tmp_path / "new"
    old.rename(new)
    moved = moving.move_project(home, str(old), str(new))
    assert journal(moved.database) == before


def test_a_home_that_cannot_be_made_says_what_next(tmp_path: Path, old: Path) -> None:
    """Without a store there is nothing that goes on; where and what next is said."""
    home = tmp_path / "no-folder"
    home.write_text("a file")
    with pytest.raises(StoreReadOnlyError) as caught:
        open_memory(str(old), str(home))
    said = str(caught.value)
    assert str(home) in said
    assert "IBID_HOME" in said
    assert "nothing was lost" not in said
    assert "nothing is remembered" in said


def test_note_files_that_stay_behind_are_told(
    old: Path, home: str, tmp_path: Path
) -> None:
    """Before a move: those of notes whose files are not in the new folder (O1)."""
    (place,) = (old / ".ibid/notes").glob("*.md")
    new = tmp_path / "new"
    new.mkdir()
    relative = place.relative_to(old).as_posix()
    assert moving.files_left(home, str(old), str(new)) == [relative]
    (new / relative).parent.mkdir(parents=True)
    (new / relative).write_bytes(place.read_bytes())
    assert moving.files_left(home, str(old), str(new)) == []
    assert moving.files_left(home, str(tmp_path / "none"), str(new)) == []
    moving.move_project(home, str(old), str(new))
    assert notes_of(new, home) == [RULE]


@pytest.mark.parametrize("cut", ["store", "write_manifest", "rename"])
def test_a_move_that_was_cut_short_can_be_done_again(
    old: Path, home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: str
) -> None:
    """Whatever step failed, nothing is lost and the same command ends it."""
    new = tmp_path / "new"
    new.mkdir()

    def fail(*_: object) -> None:
        raise OSError("no room")

    with monkeypatch.context() as patch:
        target = {"write_manifest": moving, "rename": os, "store": registry}[cut]
        patch.setattr(target, cut, fail)
        with pytest.raises(StoreReadOnlyError, match="no room"):
            moving.move_project(home, str(old), str(new))
    moving.move_project(home, str(old), str(new))
    assert notes_of(new, home) == [RULE]
    assert project_of(str(old), home).path == str(new)


def test_a_move_that_was_killed_at_any_step_can_be_done_again(
    old: Path, home: str, tmp_path: Path
) -> None:
    """A process that ends between two writes leaves what the same command mends."""
    new = tmp_path / "new"
    new.mkdir()
    registry.register(home, registry.WORKTREES, str(tmp_path / "wt"), str(old))
    code = (
        "import os, sys\n"
        "from ibid.store import moving\n"
        "left, rename, replace = int(sys.argv[4]), os.rename, os.replace\n"
        "def after(change):\n"
        "    def run(*given):\n"
        "        global left\n"
        "        change(*given)\n"
        "        left -= 1\n"
        "        left or os._exit(9)\n"
        "    return run\n"
        "os.rename, os.replace = after(rename), after(replace)\n"
        "moving.move_project(*sys.argv[1:4])\n"
    )
    source, target = old, new
    for step in range(1, 5):
        given = [home, str(source), str(target), str(step)]
        ended = subprocess.run([sys.executable, "-c", code, *given], check=False)
        assert ended.returncode == 9
        if not Path(projects.project_at(str(target), home).database).is_file():
            moving.move_project(home, str(source), str(target))
        assert notes_of(target, home) == [RULE]
        for place in (source, tmp_path / "wt"):
            assert project_of(str(place), home).path == str(target)
        source, target = target, source


@pytest.mark.parametrize("inner", [False, True])
def test_a_link_may_stand_where_the_folder_was(
    old: Path, home: str, tmp_path: Path, inner: bool
) -> None:
    """Who moves a folder and leaves a link there moves its memory all the same."""
    moved, new = (tmp_path / "at" / "old", tmp_path / "new")
    if inner:  # A folder above it was moved.
        moved.parent.mkdir()
        old.rename(moved)
        memory = open_memory(str(moved), home)
        memory.notes.add(NoteText(RULE))
        memory.close()
        moved.parent.rename(tmp_path / "further")
        (tmp_path / "at").symlink_to(tmp_path / "further")
        old, new = moved, tmp_path / "further" / "old"
    else:
        old.rename(new)
        old.symlink_to(new)
    assert moving.move_project(home, str(old), str(new)).path == str(new)
    assert notes_of(new, home) == [RULE]
    assert project_of(str(old), home).path == str(new)


@pytest.mark.parametrize("where", ["nowhere", "sub"])
def test_only_a_project_of_its_own_can_take_a_memory(
    old: Path, home: str, tmp_path: Path, where: str
) -> None:
    """A folder that is not there, or is another's, is refused with what to do."""
    repo = tmp_path / "repo"
    (repo / "sub").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    with pytest.raises(
        InputError, match=r"Move the files first|belongs to the project"
    ):
        moving.move_project(home, str(old), str(repo / where))
    with pytest.raises(InputError, match="no memory of"):
        moving.move_project(home, str(tmp_path / "unknown"), str(repo))


def test_links_are_made_and_taken_back(old: Path, home: str, tmp_path: Path) -> None:
    """A folder can be another's, or its own project, and again what it was."""
    sub, other = old / "src", tmp_path / "other"
    other.mkdir()
    moving.link(home, str(other), str(old))
    assert project_of(str(other), home).path == str(old)
    moving.unlink(home, str(other))
    assert project_of(str(other), home).path == str(other)
    moving.link(home, str(sub), str(sub))
    assert project_of(str(sub / "a.py"), home).path == str(sub)
    moving.unlink(home, str(sub))
    with pytest.raises(InputError, match="never linked"):
        moving.unlink(home, str(sub))


def test_no_link_is_lost_to_another_at_the_same_time(home: str, tmp_path: Path) -> None:
    """Forty at once: all forty are registered."""
    places = [tmp_path / f"p{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        for place in places:
            pool.submit(
                registry.register, home, registry.ALIASES, str(place), str(tmp_path)
            )
    assert sorted(registry.load(home)["aliases"]) == sorted(map(str, places))


@pytest.mark.parametrize("content", ["{", "\ufeff{}x", "", "[]", "3"])
def test_a_registry_that_cannot_be_read_is_left_alone(home: str, content: str) -> None:
    """Projects are found without it; what a person might mend is not overwritten."""
    path = Path(home, registry.REGISTRY)
    path.parent.mkdir(parents=True)
    path.write_text(content)
    assert project_of(home, home).path == os.path.realpath(home)
    with pytest.raises(StoreCorruptError, match="cannot be read"):
        registry.register(home, registry.OWN, home, home)
    assert path.read_text() == content


def test_odd_values_in_a_registry_count_as_nothing(home: str) -> None:
    """Kinds of another shape find nothing and break nothing."""
    path = Path(home, registry.REGISTRY)
    path.parent.mkdir(parents=True)
    path.write_text('{"own": [1], "aliases": null}')
    assert registry.load(home) == {"own": {}, "aliases": {}, "worktrees": {}}
    assert projects.project_of(home, home).path == os.path.realpath(home)
