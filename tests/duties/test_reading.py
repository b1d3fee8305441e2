"""Files read for an agent: the gate to the disk, and news before a short answer (N)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ibid.duties import reading
from ibid.duties.importing import ImportRun, find_transcripts
from ibid.duties.reading import FileRequest, file_history, read_file
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock
from ibid.errors import InputError, NotFoundError

TEXT = "".join(f"step {n}: pack the parcel and weigh it\n" for n in range(40))
AT = "2026-04-02T11:{:02}:{:02}Z"


@pytest.fixture
def file(project: Path) -> Path:
    """A file of the project."""
    path = project / "src" / "box.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def ask(memory: Memory, clock: FixedClock, path: str = "src/box.py", **who: Any) -> Any:
    """Read a file as session s1, a second later."""
    clock.move(1000)
    return read_file(memory, FileRequest(path, "s1", **who))


class Transcript:
    """A neutral file that grows while its session is read for."""

    def __init__(self, path: Path, memory: Memory) -> None:
        self.path = path
        self.memory = memory
        self.count = 0
        self.write({"type": "session", "agent": "demo", "cwd": memory.project.path})
        self.write({"type": "prompt", "text": "Have a look at the box, please."})
        run = ImportRun(find_transcripts([path]), memory)
        list(run.steps())

    def write(self, record: dict[str, Any], end: str = "\n") -> None:
        """Let the agent write a record; nobody reads it yet."""
        self.count += 1
        at = AT.format(self.count // 60, self.count % 60)
        head = {"session": "s1", "id": f"r{self.count}", "at": at}
        with self.path.open("a") as opened:
            opened.write(json.dumps({**head, **record}) + end)


@pytest.fixture
def transcript(memory: Memory, tmp_path: Path) -> Transcript:
    """Return the transcript of session s1."""
    return Transcript(tmp_path / "talk.ibid.jsonl", memory)


# -- news ------------------------------------------------------------------------------


def test_a_repeat_is_answered_short(
    memory: Memory, clock: FixedClock, file: Path, transcript: Transcript
) -> None:
    """By relative, absolute and home paths alike, in the turn that is known (N2)."""
    assert ask(memory, clock).answer == "full"
    stub = ask(memory, clock, str(file))
    assert stub.text == "[unchanged] src/box.py 1-40, turn 1 #1"


def test_a_compaction_nobody_told_of_yet_is_found(
    memory: Memory, clock: FixedClock, file: Path, transcript: Transcript
) -> None:
    """It stands in the transcript, which is read on before a stub (N4)."""
    ask(memory, clock)
    transcript.write({"type": "compacted"})
    assert ask(memory, clock).answer == "full"
    assert ask(memory, clock).answer == "stub"


def test_native_reads_nobody_told_of_yet_are_known(
    memory: Memory, clock: FixedClock, file: Path, transcript: Transcript
) -> None:
    """What the agent read itself meanwhile is the last that it saw (N5)."""
    ask(memory, clock)
    changed = TEXT.replace("step 7:", "pace 7:")
    late = {"type": "read", "path": str(file), "first": 1, "last": 40, "text": changed}
    transcript.write({**late, "at": "2026-04-02T12:00:02Z"})
    clock.move(5000)
    answer = ask(memory, clock)
    assert answer.answer == "delta"
    assert "-step" not in answer.text
    assert "+step 7:" in answer.text


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_record_that_cannot_be_read_is_a_gap(
    memory: Memory,
    clock: FixedClock,
    file: Path,
    transcript: Transcript,
    end: str,
) -> None:
    """What is missing may have been a compaction; half a line still waits (N4)."""
    ask(memory, clock)
    with transcript.path.open("a") as opened:
        opened.write('{"type": "compacted", "session": ' + end)
    assert ask(memory, clock).answer == ("full" if end else "stub")


def test_a_replaced_transcript_is_a_gap(
    memory: Memory, clock: FixedClock, file: Path, transcript: Transcript
) -> None:
    """Who wrote the file anew may have left out anything (N4)."""
    ask(memory, clock)
    lines = transcript.path.read_bytes().splitlines(keepends=True)
    transcript.path.write_bytes(lines[0] + b"\n" * 4000 + lines[1])
    assert ask(memory, clock).answer == "full"
    transcript.path.write_bytes(b"")
    ask(memory, clock, fresh=True)
    assert ask(memory, clock).answer == "full"


def test_too_much_news_is_doubt(
    memory: Memory,
    clock: FixedClock,
    file: Path,
    transcript: Transcript,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer does not wait for megabytes of transcript; it is the full text."""
    monkeypatch.setattr(reading, "MOST_NEWS", 100)
    ask(memory, clock)
    transcript.write({"type": "answer", "text": "word " * 100})
    answer = ask(memory, clock)
    assert (answer.answer, answer.reason) == (
        "full",
        "its transcript was replaced or has grown too far",
    )


def test_a_transcript_that_was_deleted_has_no_news(
    memory: Memory, clock: FixedClock, file: Path, transcript: Transcript
) -> None:
    """Agents delete theirs after a while; the session may go on all the same."""
    ask(memory, clock)
    transcript.path.unlink()
    assert ask(memory, clock).answer == "stub"


SESSION = "7d3f1c2a-0b4e-4f6a-9c1d-2e5b8a7f6d3c"


def claude_record(kind: str, cwd: Path, **fields: Any) -> str:
    """Return a line of Claude Code's transcript of `SESSION`."""
    head = {"type": kind, "sessionId": SESSION, "cwd": str(cwd), "version": "2.1.119"}
    told = {**head, "uuid": f"{len(str(fields)):08x}-{kind}", "parentUuid": None}
    return json.dumps({**told, "timestamp": AT.format(30, 0), **fields}) + "\n"


def test_a_transcript_nobody_has_read_yet_is_looked_for(
    memory: Memory, clock: FixedClock, file: Path, project: Path
) -> None:
    """Without a server that watches, a compaction stands only there (N4)."""
    request = FileRequest("src/box.py", SESSION)
    assert read_file(memory, request).answer == "full"
    folder = Path.home() / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    path = folder / f"{SESSION}.jsonl"
    message = {"role": "user", "content": "Have a look at the box, please."}
    lines = claude_record("user", project, message=message)
    meta = {"trigger": "auto", "preTokens": 9}
    lines += claude_record(
        "system", project, subtype="compact_boundary", compactMetadata=meta
    )
    path.write_text(lines)
    clock.move(1000)
    assert read_file(memory, request).answer == "full"
    clock.move(1000)
    assert read_file(memory, request).answer == "stub"
    rows, _ = memory.sessions.page()
    assert [(row["agent"], row["turns"]) for row in rows] == [("claude-code", 1)]


def test_a_transcript_of_another_project_is_doubt(
    memory: Memory, clock: FixedClock, file: Path, tmp_path: Path
) -> None:
    """It is not this project's to import, and may tell anything (S1, N4)."""
    request = FileRequest("src/box.py", SESSION)
    read_file(memory, request)
    folder = Path.home() / ".claude" / "projects" / "-elsewhere"
    folder.mkdir(parents=True)
    message = {"role": "user", "content": "Have a look at the box, please."}
    line = claude_record("user", tmp_path / "elsewhere", message=message)
    (folder / f"{SESSION}.jsonl").write_text(line)
    clock.move(1000)
    answer = read_file(memory, request)
    assert (answer.answer, answer.reason) == (
        "full",
        "its transcript is another project's",
    )


def test_nothing_is_imported_while_ibid_is_off(
    memory: Memory,
    clock: FixedClock,
    file: Path,
    transcript: Transcript,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The master switch holds for news as well (H4)."""
    ask(memory, clock)
    transcript.write({"type": "answer", "text": "A heron."})
    monkeypatch.setenv("IBID_DISABLE", "1")
    assert ask(memory, clock).text == TEXT
    count = memory.store.read().execute("SELECT count(*) FROM message")
    assert count.fetchone()[0] == 1


# -- the gate --------------------------------------------------------------------------


def test_only_regular_files_are_read(
    memory: Memory, clock: FixedClock, file: Path, project: Path
) -> None:
    """No folder, no pipe that would block, no empty name, nothing too large."""
    os.mkfifo(project / "pipe")
    large = project / "large.txt"
    with large.open("wb") as opened:
        opened.truncate(reading.MOST_BYTES + 1)
    for name in ("src", "pipe", "", "a\0b", "large.txt", "/dev/null"):
        with pytest.raises(InputError):
            ask(memory, clock, name)


def test_links_are_followed_within_the_project_only(
    memory: Memory, clock: FixedClock, file: Path, project: Path, tmp_path: Path
) -> None:
    """A link out of the project or to nothing is refused; by its name it is read."""
    outside = tmp_path / "outside.txt"
    outside.write_text(TEXT)
    (project / "in.py").symlink_to(file)
    (project / "out.txt").symlink_to(outside)
    (project / "nowhere").symlink_to(project / "gone")
    assert ask(memory, clock, "in.py").text == TEXT
    assert ask(memory, clock, "src/box.py").answer == "full"
    with pytest.raises(InputError, match="leads out of the project"):
        ask(memory, clock, "out.txt")
    with pytest.raises(NotFoundError):
        ask(memory, clock, "nowhere")
    assert ask(memory, clock, str(outside)).text == TEXT


def test_deleted_and_renamed_files_fall_out(
    memory: Memory, clock: FixedClock, file: Path
) -> None:
    """Under its new name it is new, and its old name is forgotten (N5)."""
    ask(memory, clock)
    moved = file.with_name("lid.py")
    file.rename(moved)
    with pytest.raises(NotFoundError, match=r"box\.py"):
        ask(memory, clock)
    assert ask(memory, clock, "src/lid.py").answer == "full"
    moved.rename(file)
    assert ask(memory, clock).answer == "full"


def test_an_edit_of_the_same_size_in_the_same_second(
    memory: Memory, clock: FixedClock, file: Path
) -> None:
    """Neither size nor time is looked at: content decides (N3)."""
    ask(memory, clock)
    status = file.stat()
    file.write_text(TEXT.replace("step 7:", "pace 7:"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    assert ask(memory, clock).answer == "delta"


def test_the_history_reads_the_file_as_it_is(
    memory: Memory, clock: FixedClock, file: Path
) -> None:
    """Changed, unchanged and gone are told apart (N7)."""
    ask(memory, clock)
    assert file_history(memory, "src/box.py").since.state == "unchanged"
    file.write_text(TEXT + "more\n")
    found = file_history(memory, str(file))
    assert (found.since.state, found.since.lines) == ("changed", 1)
    file.unlink()
    assert file_history(memory, "src/box.py").since.state == "gone"
    assert file_history(memory, "src/box.py").line.endswith("; it is gone")
