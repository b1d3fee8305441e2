"""A damaged store is set aside and made again from a backup (C9, C10, K3)."""

from __future__ import annotations

import itertools
import os
import random
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ibid.errors import (
    GoneError,
    StoreBusyError,
    StoreCorruptError,
    StoreReadOnlyError,
)
from ibid.store import archive, driver, transcripts
from ibid.store.archive import ArchiveItem
from ibid.store.backup import (
    copy_verbatim,
    has_copies,
    is_due,
    list_backups,
    replace_backups,
    write_backup,
)
from ibid.store.connection import Store
from ibid.store.damage import (
    backup_folder,
    find_damage,
    list_aside,
    set_aside,
    suspect,
)
from ibid.store.locks import exclusive
from ibid.store.restore import heal, restore
from ibid.store.schema import ensure_schema
from ibid.store.transcripts import TranscriptItem
from ibid.store.verify import verify

NOW = 1_900_000_000_000
DAY = 86_400_000
FILE = TranscriptItem("claude-code", "s1.jsonl", "/logs/s1.jsonl", "8:1", at=NOW)


def opened(path: str) -> Store:
    """Return the store at ``path``, with its tables."""
    store = Store(path)
    ensure_schema(store)
    return store


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return the path of a store that has texts, a transcript and a note, closed."""
    store = opened(str(tmp_path / "ibid.db"))
    add_texts(store, 0, 40)
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, FILE)
        for at in range(0, 20_000, 5000):
            transcripts.keep(connection, row.id, at, log()[at : at + 5000])
        connection.execute(
            "INSERT INTO memory (key, layer, category, text, confidence, created,"
            " updated, length, terms_version) VALUES ('n-1', 1, 'fact', 'kept', 1, 0,"
            " 0, 3, 1)"
        )
        connection.execute("INSERT INTO memory_terms (rowid, terms) VALUES (1, 'kept')")
        archive.add_reference(connection, 1, "note", "n-1")
    store.close()
    return store.path


def text(number: int) -> bytes:
    """Return the text archived as ``number``, too large for one page."""
    return random.Random(number).randbytes(30_000)


def log() -> bytes:
    """Return the bytes of the kept transcript."""
    return random.Random(77).randbytes(20_000)


def add_texts(store: Store, first: int, count: int) -> list[archive.ArchiveRow]:
    """Archive texts, cold."""
    with store.write() as connection:
        return archive.ensure_archives(
            connection,
            [ArchiveItem(text(first + at), NOW - DAY + at) for at in range(count)],
            NOW,
        )


def alter(path: str, at: int, value: bytes) -> None:
    """Write into the file as a failing disk does."""
    with Path(path).open("r+b") as file:
        file.seek(at)
        file.write(value)


def size_of(path: str) -> int:
    """Return the size of a file."""
    return Path(path).stat().st_size


def mode_of(path: str) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def checked(path: str, lost: int = 0) -> None:
    """Demand that the store at ``path`` is sound and has all but ``lost`` texts."""
    store = opened(path)
    assert verify(store.read(), full=True) == []
    gone = 0
    for number in range(40):
        row = archive.load_archive(store.read(), f"#{number + 1}")
        try:
            assert archive.load_bytes(store.read(), row) == text(number)
        except GoneError as error:
            assert "damaged" in str(error)
            gone += 1
    assert gone == lost
    found = store.read().execute("SELECT key, text, terms_version FROM memory")
    assert [tuple(row) for row in found.fetchall()] == [("n-1", "kept", 0)]
    store.close()


# -- damage ------------------------------------------------------------------------


DAMAGED = {
    "garbage": lambda path: Path(path).write_bytes(random.Random(1).randbytes(8192)),
    "short garbage": lambda path: Path(path).write_bytes(b"not one"),
    "empty": lambda path: Path(path).write_bytes(b""),
    "missing": lambda path: Path(path).unlink(),
    "header": lambda path: alter(path, 20, b"\xff\xff\xff"),
    "schema page": lambda path: alter(path, 100, bytes(4)),
    "cut": lambda path: os.truncate(path, 5 * 4096 + 9),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_set_aside_and_the_backup_takes_its_place(
    path: str, kind: str
) -> None:
    """Every kind of broken file is found on opening and replaced, whole (C9)."""
    write_backup(path, NOW)
    while copy_verbatim(path):
        pass
    assert heal(path, NOW) is None
    DAMAGED[kind](path)
    broken = Path(path).read_bytes() if kind != "missing" else None
    done = heal(path, NOW)
    assert done is not None
    assert done.backup == list_backups(path)[0]
    assert done.lost == 0
    if broken is None:
        assert done.aside == ""
    else:
        assert Path(done.aside).name == "corrupt-20300317T174640Z-ibid.db"
        assert Path(done.aside).read_bytes() == broken
        assert done.aside in str(done)
    assert heal(path, NOW) is None
    checked(path)


def test_a_page_in_the_middle_is_found_by_the_thorough_look(path: str) -> None:
    """The daily look finds a zeroed page, and texts come out of the damaged file."""
    write_backup(path, NOW)
    page = _page_of(path, "archive")
    alter(path, (page - 1) * 4096, bytes(4096))
    assert heal(path, NOW, thorough=True) is not None
    checked(path)


def _page_of(path: str, table: str) -> int:
    """Return the number of the first page of a table."""
    raw = driver.connect(path)
    page = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    number = int(page.fetchone()[0])
    raw.close()
    return number


@pytest.mark.parametrize("kind", ["header", "longer than it is"])
def test_texts_come_out_of_a_file_that_sqlite_does_not_open(
    path: str, kind: str
) -> None:
    """A head that is damaged, or a missing end, costs only what lay there."""
    write_backup(path, NOW)
    if kind == "header":
        alter(path, 0, bytes(100))
    else:
        with Path(path).open("r+b") as file:
            file.truncate(size_of(path) - 4096)
    damaged = Path(path).read_bytes()
    done = heal(path, NOW)
    assert done is not None
    assert done.lost <= (kind != "header")
    checked(path, lost=done.lost)
    assert Path(done.aside).read_bytes() == damaged
    assert not [file for file in Path(path).parent.iterdir() if "mended" in file.name]


def test_what_no_copy_has_is_gone_with_a_reason(path: str) -> None:
    """Without the shared copy a broken file gives what is right, the rest is gone."""
    write_backup(path, NOW)
    damaged = Path(path).read_bytes()
    at = damaged.index(text(25)[:64])
    alter(path, at, b"\0\1\2\3")
    alter(path, (_page_of(path, "session") - 1) * 4096, bytes(4096))
    done = heal(path, NOW, thorough=True)
    assert done is not None
    assert done.lost == 1
    assert "1 archived texts were in no copy" in str(done)
    checked(path, lost=1)


def test_a_transcript_ends_before_its_lost_part_and_goes_on(path: str) -> None:
    """A kept file that lost a part is shorter, and can be kept on from there (M5)."""
    write_backup(path, NOW)
    Path(path).unlink()
    Path(path).write_bytes(b"")
    heal(path, NOW)
    Path(path).write_bytes(b"junk" * 2048)
    done = heal(path, NOW)
    assert done is not None
    assert done.lost == 40
    store = opened(path)
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, FILE)
        assert row.bytes == 0
        assert transcripts.keep(connection, row.id, 0, log()) == 20_000
        back = archive.ensure_archive(connection, ArchiveItem(text(3), NOW))
    assert back.id == 4
    assert b"".join(transcripts.load_transcript(store.read(), row.id)) == log()
    store.close()


def test_numbers_given_since_the_backup_are_not_given_again(path: str) -> None:
    """A number that an agent may have seen never comes to mean another text (M4)."""
    write_backup(path, NOW)
    store = opened(path)
    seen = add_texts(store, 100, 5)
    store.close()
    alter(path, 0, b"nothing")
    assert heal(path, NOW) is not None
    store = opened(path)
    assert add_texts(store, 200, 1)[0].id > seen[-1].id
    store.close()


def test_texts_moved_since_the_backup_are_found(path: str) -> None:
    """A text is taken from wherever the damaged file has it now."""
    write_backup(path, NOW)
    store = opened(path)
    add_texts(store, 100, 30)
    with store.write() as connection:
        rows = [archive.load_archive(connection, f"#{at}") for at in range(41, 71, 2)]
        archive.erase(connection, rows)
        transcripts.pack(connection, 1)
    store.close()
    alter(path, (_page_of(path, "job") - 1) * 4096, bytes(4096))
    done = heal(path, NOW, thorough=True)
    assert done is not None
    assert done.lost == 0
    checked(path)
    store = opened(path)
    assert b"".join(transcripts.load_transcript(store.read(), 1)) == log()
    store.close()


def test_the_newest_good_backup_is_taken(path: str) -> None:
    """A damaged backup is passed over for the one before it."""
    first = write_backup(path, NOW - DAY)
    second = write_backup(path, NOW)
    alter(second, size_of(second) // 2, b"\0\1\2\3")
    alter(path, 0, b"nothing")
    done = heal(path, NOW)
    assert done is not None
    assert done.backup == first


def test_without_a_backup_a_new_store_begins(path: str) -> None:
    """Damage without a backup leaves the damaged file and room for a new store."""
    assert heal(path, NOW) is None
    alter(path, 0, b"nothing")
    done = heal(path, NOW)
    assert done is not None
    assert done.backup == ""
    assert not Path(path).exists()
    assert "new store was begun" in str(done)
    assert heal(path, NOW) is None
    Path(path).write_bytes(b"")
    assert heal(path, NOW) is None
    opened(path).close()
    assert heal(path, NOW) is None


def test_a_new_or_locked_file_is_not_damage(tmp_path: Path) -> None:
    """A file just made, or held by another process, is left where it is."""
    path = str(tmp_path / "ibid.db")
    assert find_damage(path) == ""
    Path(path).touch()
    assert heal(path, NOW) is None
    store = opened(path)
    with store.write() as connection:
        connection.execute("INSERT INTO setting VALUES ('a', 'b', 0)")
        assert heal(path, NOW, thorough=True) is None
    store.close()
    assert list_aside(path) == []


def test_another_programs_database_is_set_aside(path: str) -> None:
    """A database that is not ours is not written to."""
    Path(path).unlink()
    raw = driver.connect(path)
    raw.execute("CREATE TABLE note (id)")
    raw.commit()
    raw.close()
    done = heal(path, NOW)
    assert done is not None
    assert "another program" in done.damage


def test_a_log_moves_with_its_file(path: str) -> None:
    """No left-over log is beside the new file; two of one second do not collide."""
    for suffix in ("-wal", "-shm"):
        Path(path + suffix).write_bytes(b"old")
    first = set_aside(path, NOW)
    assert Path(first + "-wal").read_bytes() == b"old"
    assert sorted(file.name for file in Path(path).parent.iterdir()) == sorted(
        Path(first).name + suffix for suffix in ("", "-shm", "-wal")
    )
    Path(path).touch()
    second = set_aside(path, NOW)
    assert first != second
    assert list_aside(path) == sorted([first, second])


# -- backups ------------------------------------------------------------------------


def test_a_backup_leaves_the_bulk_out_and_is_private(path: str) -> None:
    """A backup is small, for the owner only, and nothing is left of its making."""
    backup = write_backup(path, NOW)
    assert size_of(backup) < size_of(path) / 20
    assert mode_of(backup) == 0o600
    assert mode_of(backup_folder(path)) == 0o700
    names = {file.name for file in Path(backup_folder(path)).iterdir()}
    assert names == {Path(backup).name, "making.db.lock"}


def test_a_backup_can_be_taken_while_others_write(path: str) -> None:
    """A writer in the middle of a transaction neither waits nor is seen."""
    store = opened(path)
    with store.write() as connection:
        connection.execute("UPDATE memory SET text = 'half'")
        write_backup(path, NOW)
    store.close()
    restore(path, list_backups(path)[0], NOW)
    checked(path)


def test_backups_rotate_by_days_and_weeks(path: str) -> None:
    """Many backups become a few: of the last two days and of three weeks."""
    for hours in range(0, 40 * 24, 6):
        write_backup_name(path, NOW - 40 * DAY + hours * 3_600_000)
    write_backup(path, NOW)
    days = [Path(name).name[5:13] for name in list_backups(path)]
    assert days == ["20300317", "20300316", "20300310", "20300303"]


def test_a_backup_is_due_once_a_day(path: str) -> None:
    """Without a backup, or with a name that says no time, one is due at once."""
    assert is_due(path, NOW)
    write_backup(path, NOW)
    assert not is_due(path, NOW + DAY - 1)
    assert is_due(path, NOW + DAY)
    (Path(backup_folder(path)) / "ibid-unknown.db.zst").touch()
    assert is_due(path, NOW)


def write_backup_name(path: str, at: int) -> None:
    """Leave a file with the name of a backup."""
    folder = Path(backup_folder(path))
    folder.mkdir(exist_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at / 1000))
    (folder / f"ibid-{stamp}.db.zst").touch()


def test_the_shared_copy_follows_the_store(path: str) -> None:
    """Frames and parts are copied once, and those that went go from the copy too."""
    assert [copy_verbatim(path) for _ in range(2)] == [False, False]
    store = opened(path)
    add_texts(store, 300, 20)
    with store.write() as connection:
        rows = [archive.load_archive(connection, f"#{at}") for at in range(1, 30)]
        archive.erase(connection, rows)
    store.close()
    assert not copy_verbatim(path)
    copy, now = (
        driver.connect(name) for name in (f"{backup_folder(path)}/verbatim.db", path)
    )
    for table in ("frame", "part"):
        sql = f"SELECT * FROM {table} ORDER BY id"
        assert copy.execute(sql).fetchall() == now.execute(sql).fetchall()
    copy.close()
    now.close()


def test_what_was_erased_is_in_no_copy(path: str) -> None:
    """After `replace_backups` no older backup and no damaged file is left (K3)."""
    write_backup(path, NOW - DAY)
    copy_verbatim(path)
    alter(path, 0, b"nothing")
    heal(path, NOW)
    store = opened(path)
    with store.write() as connection:
        connection.execute("UPDATE memory SET text = 'blank'")
    store.close()
    assert has_copies(path)
    only = replace_backups(path, NOW)
    assert list_backups(path) == [only]
    assert list_aside(path) == []
    assert not (Path(backup_folder(path)) / "verbatim.db").exists()


def test_a_person_can_take_a_backup_back(path: str) -> None:
    """Restoring sets the present store aside and refuses a damaged backup."""
    backup = write_backup(path, NOW)
    store = opened(path)
    with store.write() as connection:
        connection.execute("UPDATE memory SET text = 'later'")
    store.close()
    done = restore(path, backup, NOW)
    assert Path(done.aside).exists()
    checked(path)
    alter(backup, size_of(backup) // 2, b"\0\1\2\3")
    before = Path(path).read_bytes()
    with pytest.raises(StoreCorruptError, match="left as it is"):
        restore(path, backup, NOW)
    assert Path(path).read_bytes() == before


def test_a_backup_that_cannot_be_written_says_so(path: str) -> None:
    """No room or no folder is a named error that leaves nothing half-made."""
    Path(backup_folder(path)).touch()
    with pytest.raises(StoreReadOnlyError, match="unharmed"):
        write_backup(path, NOW)


def test_a_damaged_store_is_not_backed_up_and_healed_next_time(path: str) -> None:
    """Damage met by a backup stops it and is healed by the next to open the store."""
    good = write_backup(path, NOW - DAY)
    alter(path, (_page_of(path, "memory") - 1) * 4096, bytes(4096))
    assert find_damage(path) == ""
    with pytest.raises(StoreCorruptError, match="not backed up"):
        write_backup(path, NOW)
    with pytest.raises(StoreCorruptError):
        write_backup(path, NOW, check=False)
    assert list_backups(path) == [good]
    done = heal(path, NOW)
    assert done is not None
    assert done.backup == good
    assert heal(path, NOW) is None
    checked(path)


def test_a_suspicion_that_was_wrong_is_forgotten(path: str) -> None:
    """A sound store that was suspected is looked at once and left alone."""
    suspect(path)
    marker = Path(backup_folder(path)) / "suspect"
    assert marker.exists()
    assert heal(path, NOW) is None
    assert not marker.exists()


def test_one_process_at_a_time_repairs(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one waits for the first and then finds nothing to do."""
    ticks: Iterator[float] = itertools.count(0.0, 3.0)
    monkeypatch.setattr("ibid.store.damage.time.monotonic", lambda: next(ticks))
    with exclusive(path), pytest.raises(StoreBusyError), exclusive(path):
        pass
    with exclusive(path):
        pass
