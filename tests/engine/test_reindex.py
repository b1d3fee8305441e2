"""What is restored, or was indexed in an older way, is found again (E1, F1, K3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.engine import reindex
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock, SearchRequest
from ibid.store import settings
from ibid.store.archive import ArchiveItem
from ibid.store.backup import write_backup
from ibid.store.verify import verify

from .talk import Talk

QUERIES = ("heron", "quokka", "wombat", "numbat")  # Note, prompt, answer, archive.


def fill(memory: Memory, clock: FixedClock) -> None:
    """Store one of each kind that search knows."""
    from ibid.engine import index

    memory.notes.add(NoteText("The queue is called heron."))
    gone = memory.notes.add(NoteText("The queue was called emu."))
    memory.notes.forget(gone.row["key"])
    Talk(memory, clock, "s1").turn("Look at the quokka module.", "The wombat is fixed.")
    with memory.store.write() as connection:
        item = ArchiveItem(b"numbat: 3 tests failed", clock.now())
        index.ensure_archived(connection, item)


def found(memory: Memory, query: str) -> list[tuple[str, str]]:
    """Return layer and id of what a query finds."""
    hits = memory.search(SearchRequest(query, archive=True)).hits
    return sorted((hit.layer, hit.id) for hit in hits)


def everything(memory: Memory) -> dict[str, list[tuple[str, str]]]:
    """Return what each query finds."""
    return {query: found(memory, query) for query in (*QUERIES, "emu")}


def test_a_restored_store_is_searched_as_before(
    memory: Memory, clock: FixedClock
) -> None:
    """Backups leave the index out; it is made again from the rows."""
    fill(memory, clock)
    before = everything(memory)
    assert all(before[query] for query in QUERIES)
    database, home = memory.project.database, memory.home
    write_backup(database, clock.now())
    memory.close()
    for name in ("-wal", "-shm"):
        Path(database + name).unlink(missing_ok=True)
    with Path(database).open("r+b") as file:
        file.write(b"x" * 8192)
    again = open_memory(memory.project.path, home, clock)
    try:
        assert again.healed and not reindex.is_whole(again)
        assert found(again, "quokka") == []
        list(reindex.steps(again))
        after = everything(again)
        del before["numbat"], after["numbat"]  # Its bytes were in no copy.
        assert after == before
        assert verify(again.store.read(), full=True) == []
        assert list(reindex.steps(again)) == []
    finally:
        again.close()


def test_an_older_index_is_made_anew(
    memory: Memory, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of terms or redaction: no old term stays, every row is found."""
    fill(memory, clock)
    list(reindex.steps(memory))
    before = everything(memory)
    monkeypatch.setattr(reindex, "TERMS_VERSION", 99)
    assert not reindex.is_whole(memory)
    list(reindex.steps(memory))
    assert everything(memory) == before
    assert verify(memory.store.read(), full=True) == []
    assert reindex.is_whole(memory)


def test_texts_are_redacted_as_they_would_be_now(
    memory: Memory, clock: FixedClock
) -> None:
    """A secret that an older version let through is masked when rows are renewed."""
    view = memory.notes.add(NoteText("The deploy user is heron."))
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with memory.store.write() as connection:
        connection.execute(
            "UPDATE memory SET text = text || ? WHERE id = ?",
            (f" Token {secret}", view.row["id"]),
        )
        settings.ensure_setting(connection, reindex.DONE, "0.0", 0)
    list(reindex.steps(memory))
    assert secret not in memory.notes.show(view.row["key"]).row["text"]
    assert found(memory, secret) == []


def test_steps_are_small_and_can_be_left_at_any_time(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes next goes on; what is in stays in."""
    monkeypatch.setattr(reindex, "BATCH", 2)
    for number in range(7):
        memory.notes.add(NoteText(f"Rule {number} is about heron{number} only."))
    with memory.store.write() as connection:
        settings.ensure_setting(connection, reindex.DONE, "0.0", 0)
    first = reindex.steps(memory)
    while next(first) == 0:  # No messages.
        pass
    first.close()
    counts = list(reindex.steps(memory))
    assert max(counts) == 2
    assert all(found(memory, f"heron{number}") for number in range(7))
    assert verify(memory.store.read(), full=True) == []
