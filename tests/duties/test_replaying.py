"""Transcripts are fed to a replay line by line, in the order of time (P5)."""

from __future__ import annotations

import errno
import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from tests.engine.past import BEGIN, Past, iso, of_kind, replayed

from ibid.duties import importing, replaying
from ibid.duties.importing import find_transcripts
from ibid.duties.replaying import Ground, ReplayRun, moments_of
from ibid.engine.memory import open_memory
from ibid.engine.replay import log
from ibid.errors import StoreReadOnlyError


@pytest.fixture
def past(project: Path, tmp_path: Path) -> Past:
    """Two sessions that work at the same time."""
    made = Past(project, tmp_path / "transcripts")
    for name in ("one", "two"):
        made.begin(name)
    for step in range(3):
        for name in ("one", "two"):
            made.wait(2)
            made.turn(name, f"Step {step} of {name}.")
    return made


def test_a_file_tells_record_by_record(past: Past) -> None:
    """Each line at its own moment, and the bytes read by then."""
    found = find_transcripts([past.write()])
    timed = list(moments_of(found[0], 0))
    assert all(len(one.moment.events) == 1 for one in timed)
    assert all(one.moment.at < two.moment.at for one, two in pairwise(timed))
    assert all(one.bytes < two.bytes for one, two in pairwise(timed))
    assert timed[-1].bytes == found[0].size


def test_the_end_of_a_file_is_not_looked_at_before(past: Past, tmp_path: Path) -> None:
    """Cut at any line, what comes before is told the same."""
    found = find_transcripts([past.write()])[0]
    whole = list(moments_of(found, 0))
    lines = found.path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):
        part = tmp_path / "part.ibid.jsonl"
        part.write_bytes(b"".join(lines[:count]))
        (cut,) = find_transcripts([part])
        assert list(moments_of(cut, 0)) == whole[:count]


def test_lines_longer_than_a_block_are_whole(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the file is cut for reading, it tells the same; an end needs no newline.

    A block of a few bytes stands for a line of many blocks.
    """
    made = Past(project, tmp_path / "long")
    made.begin("one")
    made.turn("one", "Step " + "over and " * 50 + "out.")
    path = made.write() / "one.ibid.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    (found,) = find_transcripts([path])
    whole = list(moments_of(found, 0))
    assert len(whole) == 5
    monkeypatch.setattr(replaying, "_BLOCK", 7)
    assert list(moments_of(found, 0)) == whole


def test_moments_never_go_back(past: Path, project: Path, tmp_path: Path) -> None:
    """A record that is dated before the one above it was written after it."""
    folder = Past(project, tmp_path / "other")
    folder.begin("one")
    folder.wait(10)
    folder.ask("one", "Later.")
    folder.records.append({**folder.records[-1], "at": iso(BEGIN), "id": "x"})
    (found,) = find_transcripts([folder.write()])
    moments = [timed.moment.at for timed in moments_of(found, 0)]
    assert moments == sorted(moments)


def test_what_has_no_moment_waits_for_the_first_one(
    project: Path, tmp_path: Path
) -> None:
    """It is told with it, not at the beginning of time."""
    made = Past(project, tmp_path / "undated")
    made.begin("one")
    del made.records[0]["at"]
    made.ask("one", "Look at the box.")
    path = made.folder / "one.ibid.jsonl"
    made.write()
    lines = path.read_bytes().splitlines()
    assert len(lines) == 2
    first = next(moments_of(find_transcripts([path])[0], 0))
    assert len(first.moment.events) >= 1
    assert first.moment.at > BEGIN


def test_progress_ends_at_the_whole(past: Past) -> None:
    """Bytes only grow, up to those of all files."""
    files = find_transcripts([past.write()])
    run = ReplayRun(files, Ground(""))
    seen = [step.bytes for step in run.steps()]
    assert seen == sorted(seen)
    assert seen[-1] == sum(one.size for one in files) == run.bytes
    assert (run.files, run.moments) == (2, len(seen) - 1)


def test_a_file_that_cannot_be_read_is_reported(past: Past) -> None:
    """The others are played."""
    files = find_transcripts([past.write()])
    files[0].path.unlink()
    run = ReplayRun(files, Ground(""))
    for _ in run.steps():
        pass
    assert len(run.problems) == 1
    assert {fact.who.session for fact in run.facts} == {"two"}


def test_kept_transcripts_are_played_when_their_agent_deleted_them(
    past: Past, project: Path, tmp_path: Path
) -> None:
    """As they were, and once (M5)."""
    folder, home = past.write(), str(tmp_path / "ibid-home")
    expected = replayed(folder, owner=str(project)).facts
    memory = open_memory(str(project), home)
    for _ in importing.ImportRun(find_transcripts([folder]), memory).steps():
        pass
    ground = Ground(home, str(project))
    there = ReplayRun([], ground, memory)
    for _ in there.steps():
        pass
    assert there.facts == []  # The files themselves are still to be had.
    for path in folder.iterdir():
        path.unlink()
    run = ReplayRun([], ground, memory)
    for _ in run.steps():
        pass
    memory.close()
    assert run.facts == expected


def test_no_room_is_told_in_a_sentence(
    past: Past, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever finds the disk full, a kept transcript too; nothing is left (M5)."""
    home = str(tmp_path / "ibid-home")
    memory = open_memory(str(project), home)
    folder = past.write()
    for _ in importing.ImportRun(find_transcripts([folder]), memory).steps():
        pass
    shutil.rmtree(folder)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(replaying.exporting, "read_transcript", full)
    run = ReplayRun([], Ground(home, str(project)), memory)
    with pytest.raises(StoreReadOnlyError, match="No space left"):
        list(run.steps())
    assert list(scratch.iterdir()) == []
    memory.close()


def test_each_session_is_its_own_projects(past: Past, tmp_path: Path) -> None:
    """Nothing crosses projects, unless all of them are said to be one (S1, S2)."""
    other = tmp_path / "other"
    other.mkdir()
    for record in past.records:
        if record.get("cwd") and record["session"] == "two":
            record["cwd"] = str(other)
    folder = past.write()
    apart = replayed(folder)
    assert {fact.who.project for fact in apart.facts} == {
        str(past.project),
        str(other),
    }
    assert of_kind(apart, log.COST) == []
    together = replayed(folder, owner=str(past.project))
    assert {fact.who.project for fact in together.facts} == {str(past.project)}
    assert json.dumps([fact.at for fact in together.facts])
