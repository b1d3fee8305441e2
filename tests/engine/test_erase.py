"""Permanent deletion leaves nothing, and nothing comes back (K3, I2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from ibid.duties.importing import ImportRun, find_transcripts
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, RecallRequest, SearchRequest
from ibid.store.candidates import CandidatePage
from ibid.store.memories import Page
from ibid.store.verify import verify

SENTENCE = "Never feed the marmalade-otter after midnight/noon."


def transcript(folder: Path, session: str = "s1") -> Path:
    """Write a session in which the sentence is said, queued, echoed and read."""
    at = "2026-04-02T12:00:0"
    lines = [
        {"type": "session", "session": session, "at": f"{at}0Z", "agent": "demo"},
        {"type": "prompt", "session": session, "at": f"{at}1Z", "id": "p1",
         "text": f"Look at the zoo. {SENTENCE} Thanks."},
        {"type": "tool", "session": session, "at": f"{at}2Z", "id": "t1",
         "name": "Grep", "input": {"q": "otter"}, "output": f"log: {SENTENCE}"},
        {"type": "answer", "session": session, "at": f"{at}3Z", "id": "a1",
         "text": f"Understood: {SENTENCE}"},
        {"type": "turn", "session": session, "at": f"{at}4Z", "status": "completed"},
    ]  # fmt: skip
    path = folder / f"{session}.ibid.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def load(memory: Memory, path: Path) -> dict[str, object]:
    """Import one file."""
    run = ImportRun(find_transcripts([path]), memory)
    for _ in run.steps():
        pass
    return run.report.as_dict()


def everything(*memories: Memory) -> bytes:
    """Return every byte under the home folder, and those that backups pack."""
    for memory in memories:
        memory.store.checkpoint()
    files = [one for one in Path(memories[0].home).rglob("*") if one.is_file()]
    return b"".join(one.read_bytes() + unpacked(one) for one in files)


def unpacked(file: Path) -> bytes:
    """Return what a backup holds; of another file nothing."""
    if file.suffix != ".zst":
        return b""
    with file.open("rb") as packed:
        return zstandard.ZstdDecompressor().stream_reader(packed).read()


def accepted(memory: Memory) -> str:
    """Accept the one waiting candidate and return its note's id."""
    (view,), _ = memory.queue.page(CandidatePage())
    return str(memory.queue.accept(view.row["key"]).row["key"])


@pytest.fixture
def note(memory: Memory, tmp_path: Path) -> str:
    """A note from an imported session, used once."""
    load(memory, transcript(tmp_path))
    key = accepted(memory)
    memory.recall(RecallRequest("What may one feed to the otter?", "other"))
    return key


def test_deleting_a_note_erases_its_words_but_keeps_totals(
    memory: Memory, note: str
) -> None:
    """Note, history, index and receipt text are gone; the receipt's total stays."""
    before = memory.receipts.show("#1").row["tokens"]
    memory.eraser.delete_note(note)
    assert memory.search(SearchRequest("marmalade", ("L1",))).total == 0
    view = memory.receipts.show("#1")
    assert view.row["erased"] and view.row["tokens"] == before
    assert f"fact {note}" not in view.row["text"]
    erased = [item for item in view.items if item["item"] == note]
    assert [item["text"] for item in erased] == ["[erased]"]
    assert memory.search(SearchRequest("marmalade", ("L0",))).total > 0


def test_and_where_it_was_said_leaves_no_byte(memory: Memory, note: str) -> None:
    """Turn, episode, answer, archive, transcript, index: nothing is left (K3)."""
    assert b"marmalade" in everything(memory)
    done = memory.eraser.delete_note(note, said=True)
    assert done.job is None
    left = everything(memory)
    assert b"marmalade" not in left
    assert SENTENCE.encode() not in left
    for layers in (("L0",), ("L1",), ("L2",), ("L3",)):
        assert memory.search(SearchRequest("marmalade otter", layers)).total == 0
    assert verify(memory.store.read(), full=True) == []


def test_the_rest_of_the_turn_stays(memory: Memory, note: str) -> None:
    """Only the sentence is cut; offsets of what stays do not move."""
    memory.eraser.delete_note(note, said=True)
    row = memory.store.read().execute("SELECT text FROM message WHERE role = 'person'")
    text = row.fetchone()["text"]
    assert text.startswith("Look at the zoo. ")
    assert text.endswith(" Thanks.")
    assert len(text) == len(f"Look at the zoo. {SENTENCE} Thanks.")


def test_a_new_import_does_not_bring_it_back(
    memory: Memory, note: str, tmp_path: Path
) -> None:
    """Neither the same file nor a copy elsewhere restores a byte (K3)."""
    memory.eraser.delete_note(note, said=True)
    copy = tmp_path / "copy"
    copy.mkdir()
    load(memory, transcript(tmp_path))
    load(memory, transcript(copy))
    with memory.store.write() as connection:
        connection.execute("DELETE FROM cursor")
    load(memory, transcript(tmp_path))
    assert b"marmalade" not in everything(memory)
    views, _ = memory.queue.page(CandidatePage())
    assert views == []


def test_deleting_a_session_removes_it_whole(
    memory: Memory, note: str, tmp_path: Path, clock: FixedClock
) -> None:
    """Turns, episodes, archive and kept file go; its note stays; it stays away."""
    memory.eraser.delete_session("s1")
    connection = memory.store.read()
    for table in ("session", "turn", "message", "tool", "transcript", "archive"):
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        assert (table, count) == (table, 0)
    views, _ = memory.notes.page(Page())
    assert [view.row["key"] for view in views] == [note]
    with memory.store.write() as writing:
        writing.execute("DELETE FROM cursor")
    report = load(memory, transcript(tmp_path))
    assert (report["sessions"], report["turns"]) == (0, 0)
    assert memory.search(SearchRequest("zoo")).total == 0
    assert verify(memory.store.read(), full=True) == []
