"""The path gate and the writer: hostile workspaces, nobody's words lost (R3, R5)."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ibid.errors import InputError
from ibid.files import state
from ibid.files.gate import MOST_BYTES, find_file, open_folder
from ibid.files.writer import ABSENT, conflict_name, remove_file, write_file
from ibid.text.digest import digest


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with one file in a folder."""
    folder = tmp_path / "work"
    (folder / "notes").mkdir(parents=True)
    (folder / "notes" / "a.md").write_text("one\n")
    return folder


def test_a_file_is_read(root: Path) -> None:
    """Its bytes; nothing for one that is not there, nor below a missing folder."""
    found = find_file(str(root), "notes/a.md")
    assert found is not None
    assert found.data == b"one\n"
    assert find_file(str(root), "notes/b.md") is None
    assert find_file(str(root), "none/b.md") is None
    assert open_folder(str(root / "gone"), "") is None


@pytest.mark.parametrize("place", ["notes", "notes/a.md", "notes/inner/a.md"])
def test_no_component_is_a_link(root: Path, tmp_path: Path, place: str) -> None:
    """A link in any place of the path is refused, wherever it points."""
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    (outside / "a.md").write_text("secret")
    (outside / "inner" / "a.md").write_text("secret")
    (root / "notes" / "a.md").unlink()
    if place == "notes":
        (root / "notes").rmdir()
        (root / "notes").symlink_to(outside)
        asked = "notes/a.md"
    elif place == "notes/a.md":
        (root / "notes" / "a.md").symlink_to(outside / "a.md")
        asked = place
    else:
        (root / "notes" / "inner").symlink_to(outside / "inner")
        asked = place
    with pytest.raises(InputError):
        find_file(str(root), asked)
    with pytest.raises(InputError):
        write_file(str(root), asked, b"x")
    assert (outside / "a.md").read_text() == "secret"


@pytest.mark.parametrize("path", ["../x.md", "notes/../../x.md", "notes/./a.md"])
def test_no_path_climbs_out(root: Path, path: str) -> None:
    """Dots are no components."""
    with pytest.raises(InputError):
        find_file(str(root), path)


def test_pipes_devices_and_folders_are_refused_at_once(root: Path) -> None:
    """Nothing blocks, and nothing that is not a regular file is read."""
    os.mkfifo(root / "notes" / "pipe.md")
    (root / "notes" / "folder.md").mkdir()
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(InputError):
            find_file(str(root), f"notes/{name}")


def test_large_files_are_refused(root: Path) -> None:
    """One byte over a megabyte is too much."""
    (root / "notes" / "big.md").write_bytes(b"x" * MOST_BYTES)
    assert find_file(str(root), "notes/big.md") is not None
    (root / "notes" / "big.md").write_bytes(b"x" * (MOST_BYTES + 1))
    with pytest.raises(InputError, match="larger"):
        find_file(str(root), "notes/big.md")


def test_a_link_that_comes_and_goes_is_never_followed(
    root: Path, tmp_path: Path
) -> None:
    """While a file is swapped for a link, no read gives what is outside."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    target, stop = root / "notes" / "a.md", threading.Event()

    def swap() -> None:
        while not stop.is_set():
            temporary = root / "notes" / "t"
            temporary.symlink_to(secret)
            temporary.replace(target)
            temporary.write_text("one\n")
            temporary.replace(target)

    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(600):
            try:
                found = find_file(str(root), "notes/a.md")
            except InputError:
                continue
            seen.add(None if found is None else found.data)
    finally:
        stop.set()
        thread.join()
    assert seen <= {b"one\n", b"", None}


def test_writing_makes_folders_and_says_what_was_written(root: Path) -> None:
    """Nothing else is left in the folder; the same again changes nothing."""
    written = write_file(str(root), "x/y/new.md", b"two\n", ABSENT)
    assert (written.relative, written.digest) == ("x/y/new.md", digest(b"two\n"))
    assert not written.conflict
    assert os.listdir(root / "x" / "y") == ["new.md"]  # noqa: PTH208
    before = (root / "x/y/new.md").stat().st_ino
    assert not write_file(str(root), "x/y/new.md", b"two\n", ABSENT).changed
    assert (root / "x/y/new.md").stat().st_ino == before


def test_what_somebody_else_wrote_is_never_lost(root: Path) -> None:
    """A file that is not what was expected stays; ours goes beside it (R5)."""
    (root / "notes" / "a.md").write_text("mine\n")
    written = write_file(str(root), "notes/a.md", b"ours\n", digest(b"one\n"))
    assert written.conflict
    assert (root / "notes" / "a.md").read_text() == "mine\n"
    copy = root / written.relative
    assert copy.name == conflict_name("a.md", digest(b"ours\n"))
    assert copy.read_text() == "ours\n"
    again = write_file(str(root), "notes/a.md", b"ours\n", ABSENT)
    assert again.relative == written.relative


def test_a_file_with_a_second_name_is_not_written(root: Path, tmp_path: Path) -> None:
    """A hard link into another place would change there too."""
    os.link(root / "notes" / "a.md", tmp_path / "other")
    with pytest.raises(InputError, match="several names"):
        write_file(str(root), "notes/a.md", b"two\n", digest(b"one\n"))
    assert (tmp_path / "other").read_text() == "one\n"


def test_permissions_survive(root: Path) -> None:
    """A rewritten file keeps its mode."""
    (root / "notes" / "a.md").chmod(0o600)
    write_file(str(root), "notes/a.md", b"two\n", digest(b"one\n"))
    assert (root / "notes" / "a.md").stat().st_mode & 0o777 == 0o600


def test_only_the_expected_file_is_removed(root: Path) -> None:
    """What changed since stays."""
    assert not remove_file(str(root), "notes/a.md", digest(b"other"))
    assert (root / "notes" / "a.md").exists()
    assert remove_file(str(root), "notes/a.md", digest(b"one\n"))
    assert remove_file(str(root), "notes/a.md", digest(b"one\n"))


def test_a_gitignore_of_a_persons_own_stays(root: Path) -> None:
    """Ours is made once and goes when shared; another one is left alone."""
    state.ensure_ignored(str(root), "notes")
    assert (root / "notes" / ".gitignore").read_text() == "*\n"
    assert state.share(str(root), "notes")
    assert not (root / "notes" / ".gitignore").exists()
    (root / "notes" / ".gitignore").write_text("drafts\n")
    state.ensure_ignored(str(root), "notes")
    assert not state.share(str(root), "notes")
    assert (root / "notes" / ".gitignore").read_text() == "drafts\n"
