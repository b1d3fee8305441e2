"""What is deleted in one project is gone from those that recalled it (S2, K3, I2)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ibid.engine.keep import elsewhere
from ibid.engine.keep.elsewhere import clean
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock, RecallRequest
from ibid.engine.recall.recall import Recalled
from ibid.store import backup, driver, includes, moving, projects
from ibid.store.schema import SCHEMA_VERSION
from ibid.store.verify import verify

from .test_erase import SENTENCE, accepted, everything, load, transcript

ASKED = RecallRequest("What may one feed to the otter?", "reader-1", "demo")


@pytest.fixture
def reader(tmp_path: Path, clock: FixedClock, memory: Memory) -> Iterator[Memory]:
    """A project whose recall may use the memory."""
    folder = tmp_path / "reader"
    folder.mkdir()
    opened = open_memory(str(folder), clock=clock)
    includes.change(opened.home, opened.project, memory.project.path, on=True)
    yield opened
    opened.close()


@pytest.fixture
def note(memory: Memory, tmp_path: Path) -> str:
    """A note of the memory, from an imported session."""
    load(memory, transcript(tmp_path))
    return accepted(memory)


@pytest.fixture
def sent(reader: Memory, note: str) -> Recalled:
    """A block with the note and the episode, sent in the reading project."""
    answer = reader.recall(ASKED)
    assert {one.item.layer for one in answer.items} == {"L1", "L2"}
    return answer


def keep_block(reader: Memory, folder: Path, block: str | None) -> None:
    """Import a session of the reading project that has the block in a tool's answer."""
    at = "2026-04-02T12:00:0"
    lines = [
        {"type": "session", "session": "reader-1", "at": f"{at}0Z", "agent": "demo"},
        {"type": "prompt", "session": "reader-1", "at": f"{at}1Z", "id": "rp1",
         "text": ASKED.prompt},
        {"type": "tool", "session": "reader-1", "at": f"{at}2Z", "id": "rt1",
         "name": "mcp__ibid__recall", "input": {}, "output": block},
        {"type": "answer", "session": "reader-1", "at": f"{at}3Z", "id": "ra1",
         "text": "Only what the keeper allows."},
        {"type": "turn", "session": "reader-1", "at": f"{at}4Z", "status": "completed"},
    ]  # fmt: skip
    path = folder / "reader-1.ibid.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    load(reader, path)


def test_deleting_a_note_blanks_it_where_it_was_recalled(
    memory: Memory, reader: Memory, note: str, sent: Recalled
) -> None:
    """Its line is blank there, the total stays, and the job is done (I2)."""
    tokens = reader.receipts.show("#1").row["tokens"]
    assert memory.eraser.delete_note(note) == (note, None, "")
    view = reader.receipts.show("#1")
    assert view.row["erased"] and view.row["tokens"] == tokens == sent.tokens
    assert SENTENCE not in view.row["text"]
    assert {item["text"] for item in view.items} == {"[erased]"}
    assert verify(reader.store.read(), full=True) == []


def test_and_where_it_was_said_leaves_no_byte_anywhere(
    memory: Memory, reader: Memory, note: str, sent: Recalled, tmp_path: Path
) -> None:
    """Receipts, archive, kept transcript, index, log and backups of the reader (K3)."""
    keep_block(reader, tmp_path, sent.block)
    backup.write_backup(reader.project.database, reader.clock.now())
    assert everything(memory, reader).count(b"marmalade") > 0
    assert memory.eraser.delete_note(note, said=True).job is None
    assert b"marmalade" not in everything(memory, reader)
    assert verify(reader.store.read(), full=True) == []
    keep_block(reader, tmp_path, sent.block)
    with reader.store.write() as connection:
        connection.execute("DELETE FROM cursor")
    keep_block(reader, tmp_path, sent.block)
    assert b"marmalade" not in everything(memory, reader)


def test_deleting_a_session_blanks_its_episodes_everywhere(
    memory: Memory, reader: Memory, note: str, sent: Recalled
) -> None:
    """The episode's line goes, here and there; the note of it stays (K3)."""
    memory.recall(RecallRequest(ASKED.prompt, "own-1", "demo"))
    memory.eraser.delete_session("s1")
    for one in (memory, reader):
        items = {item["layer"]: item["text"] for item in one.receipts.show("#1").items}
        assert items["L2"] == "[erased]"
        assert SENTENCE in items["L1"]
        assert "Look at the zoo" not in one.receipts.show("#1").row["text"]
    assert b"Look at the zoo" not in everything(memory, reader)


def test_one_taken_off_the_list_is_still_erased(
    memory: Memory, reader: Memory, note: str, sent: Recalled
) -> None:
    """What was sent before stays in receipts, so the deletion still goes there."""
    includes.change(reader.home, reader.project, memory.project.path, on=False)
    assert memory.eraser.delete_note(note, said=True).job is None
    assert b"marmalade" not in everything(memory, reader)


def test_a_locked_reader_keeps_the_job_open_and_is_named(
    memory: Memory,
    reader: Memory,
    note: str,
    sent: Recalled,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deletion waits, says for whom, and is done by itself later (K3)."""
    monkeypatch.setattr("ibid.engine.keep.elsewhere.HOOK_BUSY_MS", 20)
    with closing(driver.connect(reader.project.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = memory.eraser.delete_note(note, said=True)
        assert done.job is not None
        assert reader.project.path in done.waits
        assert memory.eraser.waiting() == [done.waits]
        told = memory.store.read().execute("SELECT payload FROM job").fetchall()
        assert "marmalade" not in str([tuple(row) for row in told])
        other.execute("ROLLBACK")
    assert memory.eraser.run() is None
    assert memory.eraser.waiting() == []
    assert b"marmalade" not in everything(memory, reader)


def test_a_reader_elsewhere_holds_up_only_the_cleaning(
    memory: Memory, reader: Memory, note: str, sent: Recalled
) -> None:
    """Who reads there just now sees it blank; the log is emptied afterwards."""
    with closing(driver.connect(reader.project.database)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM receipt").fetchone()
        done = memory.eraser.delete_note(note, said=True)
        assert "another process is reading there" in done.waits
        assert SENTENCE not in reader.receipts.show("#1").row["text"]
    assert memory.eraser.run() is None
    assert b"marmalade" not in everything(memory, reader)


def test_a_kill_before_the_cleaning_leaves_it_to_be_done(
    memory: Memory,
    reader: Memory,
    note: str,
    sent: Recalled,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That its receipts are blank already does not make a reader clean (K3)."""
    backup.write_backup(reader.project.database, reader.clock.now())

    def killed(one: Memory) -> bool:
        if one.project.key == reader.project.key:
            raise SystemExit
        return clean(one)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(elsewhere, "clean", killed)
        memory.eraser.delete_note(note, said=True)
    assert SENTENCE not in reader.receipts.show("#1").row["text"]
    assert memory.eraser.run() is None
    assert b"marmalade" not in everything(memory, reader)


@pytest.mark.parametrize("spoil", ["damaged", "newer", "list"])
def test_what_cannot_be_opened_now_is_waited_for(
    memory: Memory, reader: Memory, note: str, sent: Recalled, spoil: str
) -> None:
    """Nothing raises, and nothing counts as done that was not."""
    reader.close()
    path = Path(reader.project.database)
    listed = Path(memory.home) / projects.INCLUDES
    before, list_before = path.read_bytes(), listed.read_bytes()
    if spoil == "damaged":
        path.write_bytes(b"no database" * 999)
    elif spoil == "list":
        listed.write_text("[]")
    else:
        with closing(driver.connect(str(path))) as connection:
            connection.execute("PRAGMA user_version = 99")
    done = memory.eraser.delete_note(note, said=True)
    assert done.job is not None
    assert done.waits
    path.write_bytes(before)
    listed.write_bytes(list_before)
    assert memory.eraser.run() is None
    assert b"marmalade" not in everything(memory)


def test_a_reader_that_moved_meanwhile_is_found(
    memory: Memory, reader: Memory, note: str, sent: Recalled, tmp_path: Path
) -> None:
    """A job that waits follows the reader's memory to its new place (S1)."""
    reader.close()
    path = Path(reader.project.database)
    with closing(driver.connect(str(path))) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert memory.eraser.delete_note(note, said=True).job is not None
    with closing(driver.connect(str(path))) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    Path(reader.project.path).rename(tmp_path / "elsewhere")
    moving.move_project(memory.home, reader.project.path, str(tmp_path / "elsewhere"))
    assert memory.eraser.run() is None
    assert b"marmalade" not in everything(memory)


def test_a_reader_without_a_memory_holds_nothing_up(
    memory: Memory, reader: Memory, note: str, sent: Recalled
) -> None:
    """Where there is no store any more nothing is left to erase."""
    reader.close()
    for one in sorted(Path(reader.project.folder).rglob("*"), reverse=True):
        one.unlink() if one.is_file() else one.rmdir()
    assert memory.eraser.delete_note(note, said=True).job is None


def test_what_is_deleted_while_it_is_recalled_leaves_nothing(
    memory: Memory, reader: Memory, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the receipt: no receipt is written, so none is left (K3)."""
    from ibid.engine.recall import recall

    made = recall._rendered

    def delete(*given: object) -> object:
        memory.eraser.delete_note(note, said=True)
        return made(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(recall, "_rendered", delete)
    answer = reader.recall(ASKED)
    assert answer.receipt is None
    assert "was deleted just now" in answer.reason
    assert b"marmalade" not in everything(memory, reader)
