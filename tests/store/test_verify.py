"""`verify` names every damage and never raises for one (C9, C10)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.store import archive, driver, transcripts
from ibid.store.archive import ArchiveItem
from ibid.store.connection import Store
from ibid.store.damage import find_damage
from ibid.store.schema import ensure_schema
from ibid.store.transcripts import TranscriptItem
from ibid.store.verify import MOST, verify

NOW = 1_900_000_000_000
DAY = 86_400_000


def make(folder: Path) -> Store:
    """Return a store with something of everything that `verify` looks at."""
    store = Store(str(folder / "ibid.db"))
    ensure_schema(store)
    text = random.Random(3)
    with store.write() as connection:
        archive.ensure_archives(
            connection,
            [ArchiveItem(text.randbytes(700), NOW - DAY) for _ in range(9)]
            + [ArchiveItem(b"still hot", NOW)],
            NOW - archive.HOT_MS,
        )
        file = TranscriptItem(
            "claude-code", "s1.jsonl", "/logs/s1.jsonl", "8:1", at=NOW
        )
        row = transcripts.ensure_transcript(connection, file)
        for at in range(5):
            transcripts.keep(connection, row.id, at * 900, text.randbytes(900))
        transcripts.cut_spans(connection, row.id, [(10, 20)])
        for sql in (
            "INSERT INTO session (id, agent, native) VALUES (7, 'claude-code', 's1')",
            "INSERT INTO turn (id, session, number, native, at)"
            " VALUES (1, 7, 1, 't', 0)",
            "INSERT INTO message (id, session, turn, role, text, at, native, length)"
            " VALUES (7 << 20, 7, 1, 'user', 'hello there', 0, 'm1', 2)",
            "INSERT INTO message_terms (rowid, terms) VALUES (7 << 20, 'hello there')",
            "INSERT INTO memory (id, key, layer, category, text, confidence, created,"
            " updated) VALUES (1, 'n-1', 1, 'fact', 'it is so', 0.9, 0, 0)",
            "INSERT INTO evidence (memory, session, turn, message, at)"
            " VALUES (1, 7, 1, 7 << 20, 0)",
            "INSERT INTO reference (archive, kind, owner) VALUES (1, 'note', 'n-1')",
        ):
            connection.execute(sql)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a sound store."""
    made = make(tmp_path)
    yield made
    made.close()


def test_a_sound_store_has_no_problem(store: Store) -> None:
    """Nothing is reported of a store that is as it should be."""
    assert verify(store.read(), full=True) == []
    with store.write() as connection:
        while transcripts.pack_step(connection, NOW + transcripts.IDLE_MS):
            pass
        while archive.freeze(connection, NOW + DAY):
            pass
        rows = [archive.load_archive(connection, str(at)) for at in range(2, 6)]
        archive.bury(connection, rows, NOW, "the cap")
        transcripts.bury_transcript(connection, 1, NOW, "the cap")
    assert verify(store.read(), full=True) == []


def flip(connection: driver.Connection, table: str, where: str) -> None:
    """Change one byte of a stored blob."""
    number, data = connection.execute(
        f"SELECT id, data FROM {table} WHERE {where} ORDER BY id LIMIT 1"
    ).fetchone()
    broken = bytearray(data)
    broken[len(broken) // 2] ^= 1
    connection.execute(
        f"UPDATE {table} SET data = ? WHERE id = ?", (bytes(broken), number)
    )


@pytest.mark.parametrize(
    ("table", "where", "named"),
    [
        ("archive", "state = 'hot'", "archive #10 "),
        ("frame", "1", "archive #"),
        ("part", "id = 2", "transcript 1 s1.jsonl: the part at byte 900"),
    ],
)
def test_a_flipped_byte_is_found_by_its_digest(
    store: Store, table: str, where: str, named: str
) -> None:
    """The full check names the text or transcript that a flipped byte is in (M1)."""
    with store.write() as connection:
        flip(connection, table, where)
    assert verify(store.read(), full=False) == []
    problems = verify(store.read(), full=True)
    assert problems
    assert all("is damaged" in problem.what for problem in problems)
    assert any(problem.where.startswith(named) for problem in problems)
    assert all(problem.next for problem in problems)


WRONG = [
    ("UPDATE archive SET offset = 999999 WHERE id = 1", "archive #1 "),
    ("UPDATE archive SET frame = NULL WHERE id = 2", "archive #2 "),
    ("UPDATE archive SET data = x'00' WHERE state = 'hot'", "archive #10 "),
    ("UPDATE archive SET state = 'gone' WHERE id = 3", "archive #3 "),
    ("UPDATE archive SET handle = 'x' WHERE id = 4", "archive #4 "),
    ("UPDATE frame SET bytes = bytes + 1", "frame 1"),
    ("INSERT INTO frame (bytes, data) VALUES (0, x'')", "frame 2"),
    ("DELETE FROM frame", "archive #1 "),
    ("DELETE FROM transcript_part WHERE start = 900", "transcript 1 at byte 900"),
    ("DELETE FROM transcript_part WHERE start = 3600", "transcript 1 s1.jsonl"),
    ("UPDATE transcript SET bytes = 1", "transcript 1 s1.jsonl"),
    ("UPDATE transcript SET cut = 9", "transcript 1 s1.jsonl"),
    ("UPDATE part SET bytes = 5 WHERE id = 2", "transcript 1 at byte 900"),
    ("INSERT INTO part VALUES (99, 'b3:x', 1, 'raw', x'00')", "part 99"),
    ("UPDATE reference SET owner = 'n-2'", "note n-2"),
    (
        "UPDATE archive SET state = 'gone', gone = 1, frame = NULL WHERE id = 1",
        "archive #1 ",
    ),
    ("UPDATE message SET session = 8", "message 7340032"),
    ("UPDATE evidence SET message = 5", "memory 1 message 5"),
    ("INSERT INTO audit (turn, session, status, at) VALUES (9, 9, 'x', 0)", "audit"),
    ("UPDATE memory SET length = 3", "memory 1"),
    ("INSERT INTO archive_terms (rowid, terms) VALUES (99, 'a')", "archive 99"),
    ("DELETE FROM message", "message 7340032"),
    ("DELETE FROM session", "turn"),
]


@pytest.mark.parametrize(("sql", "named"), WRONG)
def test_rows_that_do_not_fit_are_named(store: Store, sql: str, named: str) -> None:
    """The quick check finds places, sums, links and indexes that do not fit."""
    store.close()
    raw = driver.connect(store.path, isolation_level=None)
    raw.execute("PRAGMA foreign_keys = OFF")
    raw.execute(sql)
    problems = verify(raw, full=False)
    raw.close()
    assert any(problem.where.startswith(named) for problem in problems), problems


def test_many_problems_of_a_kind_are_cut_short(store: Store) -> None:
    """A flood of one kind does not hide the others."""
    with store.write() as connection:
        for at in range(MOST + 30):
            connection.execute(
                "INSERT INTO part (digest, bytes, codec, data) VALUES (?, 1, 'raw', ?)",
                (f"b3:{at}", b"x"),
            )
        connection.execute("UPDATE transcript SET cut = 9")
    problems = verify(store.read(), full=True)
    assert len(problems) == MOST + 2
    assert sum(problem.what.startswith("more like this") for problem in problems) == 1


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_damaged_file_is_reported_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever bytes of the file change, what `verify` does not report reads right."""
    sound = _sound(tmp_path_factory)
    broken = bytearray(sound)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(sound) - 1))
        length = data.draw(st.sampled_from([1, 1, 8, 4096]))
        for place in range(at, min(at + length, len(sound))):
            broken[place] ^= 0xA5
    path = tmp_path_factory.mktemp("broken") / "ibid.db"
    path.write_bytes(bytes(broken))
    damage = find_damage(str(path), thorough=True)
    raw = driver.connect(str(path), isolation_level=None)
    if not verify(raw, full=True) and not damage:
        assert _contents(raw) == _expected()
    raw.close()


def _contents(connection: driver.Connection) -> list[bytes]:
    """Return every archived text and the kept transcript."""
    rows = [archive.load_archive(connection, f"#{at}") for at in range(1, 11)]
    texts = [archive.load_bytes(connection, row) for row in rows]
    return [*texts, b"".join(transcripts.load_transcript(connection, 1))]


def _expected() -> list[bytes]:
    text = random.Random(3)
    texts = [text.randbytes(700) for _ in range(9)]
    log = b"".join(text.randbytes(900) for _ in range(5))
    hole = bytes(10 if byte == 10 else 42 for byte in log[10:20])
    return [*texts, b"still hot", log[:10] + hole + log[20:]]


def test_the_sound_store_holds_what_is_expected(store: Store) -> None:
    """The yardstick of the damage test is right."""
    assert _contents(store.read()) == _expected()


_made: list[bytes] = []


def _sound(factory: pytest.TempPathFactory) -> bytes:
    """Return the bytes of a sound store's file, made once."""
    if not _made:
        folder = factory.mktemp("sound")
        make(folder).close()
        assert [file.name for file in folder.iterdir()] == ["ibid.db"]
        _made.append((folder / "ibid.db").read_bytes())
    return _made[0]


def test_damage_to_an_archived_text_in_the_file_is_never_missed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A byte flipped in the file, anywhere in a stored text, is reported (C10)."""
    sound = _sound(tmp_path_factory)
    text = random.Random(3).randbytes(700)
    start = sound.index(b"still hot")
    places = [start, start + 8, sound.index(text[:50]) + 20]
    for at in places:
        broken = bytearray(sound)
        broken[at] ^= 16
        (tmp_path / "ibid.db").write_bytes(bytes(broken))
        raw = driver.connect(str(tmp_path / "ibid.db"), isolation_level=None)
        assert [p for p in verify(raw, full=True) if "is damaged" in p.what]
        raw.close()
