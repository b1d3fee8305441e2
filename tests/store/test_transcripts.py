"""Kept transcripts give back the file's bytes, and are cheap to keep (M5)."""

from __future__ import annotations

import functools
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.errors import (
    ConflictError,
    GoneError,
    InputError,
    NotFoundError,
    StoreCorruptError,
)
from ibid.store import capacity, parts, transcripts
from ibid.store.connection import Store
from ibid.store.parts import BLOCK
from ibid.store.schema import ensure_schema
from ibid.store.transcripts import TranscriptItem, TranscriptRow

NOW = 1_900_000_000_000
FILE = TranscriptItem("claude-code", "s1.jsonl", "/logs/s1.jsonl", "8:100", at=NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    made = Store(str(tmp_path / "ibid.db"))
    ensure_schema(made)
    yield made
    made.close()


@functools.cache
def log(size: int, seed: int = 1) -> bytes:
    """Return ``size`` bytes that look like an agent's log."""
    source = random.Random(seed)
    words = [f"word{source.randrange(9999)}" for _ in range(300)]
    lines = []
    total = 0
    while total < size:
        text = " ".join(source.choices(words, k=source.randrange(3, 120)))
        lines.append(json.dumps({"id": source.randrange(1 << 60), "text": text}) + "\n")
        total += len(lines[-1])
    return "".join(lines).encode()[:size]


def keep(
    store: Store, data: bytes, sizes: Iterator[int], file: TranscriptItem = FILE
) -> TranscriptRow:
    """Keep a file piece by piece, as an importer that follows it does."""
    at = 0
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, file)
    while at < len(data):
        piece = data[at : at + next(sizes)]
        with store.write() as connection:
            assert transcripts.keep(connection, row.id, at, piece) == len(piece)
        at += len(piece)
    return transcripts.load_row(store.read(), row.id)


def load(store: Store, row: TranscriptRow) -> bytes:
    """Return all bytes of a kept file."""
    return b"".join(transcripts.load_transcript(store.read(), row.id))


def pack_all(store: Store) -> None:
    """Pack every file that is at rest."""
    more = True
    while more:
        with store.write() as connection:
            more = transcripts.pack_step(connection, NOW + transcripts.IDLE_MS)


def count(store: Store, table: str) -> int:
    """Return the number of rows of a table."""
    return int(store.read().execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@settings(max_examples=12, deadline=None)
@given(
    size=st.integers(0, 3 * BLOCK // 2),
    pieces=st.lists(
        st.one_of(st.integers(1, 300), st.integers(1, BLOCK)), min_size=1, max_size=9
    ),
    packed=st.booleans(),
)
def test_a_file_kept_in_any_pieces_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    size: int,
    pieces: list[int],
    packed: bool,
) -> None:
    """However a file was appended, its bytes are the same afterwards."""
    store = Store(str(tmp_path_factory.mktemp("s") / "ibid.db"))
    ensure_schema(store)
    data = log(size)
    small = min(pieces)
    sizes = itertools.chain(pieces, itertools.repeat(max(small, size // 150 + 1)))
    row = keep(store, data, sizes)
    if packed:
        pack_all(store)
        assert count(store, "transcript_part") == -(-size // BLOCK)
    assert load(store, row) == data
    assert count(store, "part") <= count(store, "transcript_part")
    for first, last in ((0, 1), (size // 3, size // 2), (size - 1, size + 9)):
        part = transcripts.load_range(store.read(), row.id, max(first, 0), last)
        assert part == data[max(first, 0) : last]
    store.close()


@pytest.mark.parametrize("piece", [10, 100, 997])
def test_small_appends_leave_few_parts_and_little_work(
    store: Store, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Appending in small pieces writes each byte a few times, not once a piece."""
    written = 0
    encode = parts.encoded

    def counted(raw: bytes, full: bool) -> tuple[str, bytes]:
        nonlocal written
        written += len(raw)
        return encode(raw, full)

    monkeypatch.setattr(parts, "encoded", counted)
    data = log(piece * 3000)
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, FILE)
        for at in range(0, len(data), piece):
            transcripts.keep(connection, row.id, at, data[at : at + piece])
            if at % (piece * 500) == 0:
                loose = transcripts.load_row(connection, row.id).loose
                assert loose <= parts.LOOSE
    assert load(store, row) == data
    assert written < 12 * len(data)


def test_pieces_that_grow_smaller_do_not_pile_up(store: Store) -> None:
    """The number of loose parts stays bounded for pieces of falling size too."""
    data = log(sum(range(1, 700)))
    row = keep(store, data, iter(range(699, 0, -1)))
    assert row.loose <= parts.LOOSE
    assert load(store, row) == data


def test_keeping_the_same_bytes_again_adds_nothing(store: Store) -> None:
    """A file read again from any earlier byte is only compared (M5)."""
    data = log(90_000)
    row = keep(store, data[:70_000], itertools.repeat(7000))
    with store.write() as connection:
        assert transcripts.keep(connection, row.id, 0, data[:70_000]) == 0
        assert transcripts.keep(connection, row.id, 65_000, data[65_000:]) == 20_000
        assert transcripts.keep(connection, row.id, 89_000, data[89_000:]) == 0
        assert transcripts.keep(connection, row.id, 90_000, b"") == 0
    assert load(store, row) == data


def test_a_gap_is_refused(store: Store) -> None:
    """Bytes that do not follow what is kept are refused with the place to go on."""
    row = keep(store, log(100), itertools.repeat(100))
    with store.write() as connection, pytest.raises(InputError, match="byte 100"):
        transcripts.keep(connection, row.id, 101, b"x")
    with pytest.raises(NotFoundError):
        transcripts.load_row(store.read(), row.id + 1)


def test_a_rewritten_file_is_noticed_and_begins_a_generation(store: Store) -> None:
    """Other bytes at a kept place are a conflict; the older generation stays."""
    old, new = log(50_000, 1), log(60_000, 2)
    row = keep(store, old, itertools.repeat(9000))
    with store.write() as connection:
        with pytest.raises(ConflictError, match=r"s1\.jsonl"):
            transcripts.keep(connection, row.id, 0, new)
        second = transcripts.begin_generation(connection, FILE)
        assert transcripts.begin_generation(connection, FILE) == second
        transcripts.keep(connection, second.id, 0, new)
        assert transcripts.ensure_transcript(connection, FILE).id == second.id
    assert (row.generation, second.generation) == (1, 2)
    assert load(store, row) == old
    assert load(store, second) == new


def test_a_file_written_anew_by_design_keeps_only_its_last_form(store: Store) -> None:
    """With ``replaces`` the older bytes go, and the row stays the same."""
    row = keep(store, log(50_000, 1), itertools.repeat(9000))
    new = log(1000, 2)
    with store.write() as connection:
        again = transcripts.begin_generation(connection, FILE, replaces=True)
        transcripts.keep(connection, again.id, 0, new)
    assert (again.id, again.generation) == (row.id, 2)
    assert load(store, row) == new
    assert count(store, "part") == 1


def test_another_inode_is_another_generation(store: Store) -> None:
    """A file moved into the place of another is kept apart; an unknown one is not."""
    row = keep(store, log(1000), itertools.repeat(1000))
    with store.write() as connection:
        same = transcripts.ensure_transcript(connection, FILE._replace(device=""))
        other = transcripts.ensure_transcript(connection, FILE._replace(device="8:7"))
    assert same.id == row.id
    assert (other.generation, other.bytes) == (2, 0)


def test_a_copy_at_another_path_costs_nothing(store: Store) -> None:
    """The same bytes kept twice share their parts, whatever pieces they came in."""
    data = log(BLOCK + BLOCK // 2)
    keep(store, data, itertools.repeat(100_000))
    pack_all(store)
    before = capacity.usage(store.read()).transcripts
    copy = FILE._replace(path="/copy/s1.jsonl", device="8:101")
    row = keep(store, data, itertools.repeat(333_333), copy)
    pack_all(store)
    assert capacity.usage(store.read()).transcripts == before
    fork = FILE._replace(path="/logs/s2.jsonl", device="8:102")
    keep(store, data[:BLOCK] + log(500, 9), itertools.repeat(1 << 20), fork)
    assert capacity.usage(store.read()).transcripts < before + 600
    with store.write() as connection:
        transcripts.drop_bytes(connection, row.id - 1)
    assert load(store, row) == data


def test_a_session_lists_its_files_with_their_places(store: Store) -> None:
    """The files of a session come with their subagents', by relative place (M5)."""
    with store.write() as connection:
        session = connection.execute(
            "INSERT INTO session (agent, native) VALUES ('claude-code', 's1')"
        ).lastrowid
        names = ["s1/subagents/agent-b.jsonl", "s1.jsonl", "s1/subagents/agent-a.jsonl"]
        for name in names:
            file = FILE._replace(name=name, path=f"/logs/{name}", session=session)
            transcripts.ensure_transcript(connection, file)
        transcripts.ensure_transcript(connection, FILE._replace(path="/else"))
        assert session is not None
        listed = transcripts.list_transcripts(connection, session)
        assert [row.name for row in listed] == sorted(names)
        transcripts.erase_transcripts(connection, session)
        assert transcripts.list_transcripts(connection, session) == []
    assert count(store, "transcript") == 1


def test_a_session_met_later_is_added(store: Store) -> None:
    """The first sight of a file may not know its session yet."""
    with store.write() as connection:
        first = transcripts.ensure_transcript(connection, FILE._replace(at=5))
        session = connection.execute(
            "INSERT INTO session (agent, native) VALUES ('claude-code', 's1')"
        ).lastrowid
        again = transcripts.ensure_transcript(
            connection, FILE._replace(session=session, scope="a1", at=9)
        )
    assert (again.id, again.session, again.scope, again.at) == (
        first.id,
        session,
        "a1",
        9,
    )


# -- cutting ---------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(
    spans=st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 300)), max_size=6),
    size=st.integers(1, 9000),
)
def test_cut_spans_are_holes_of_the_same_length(
    tmp_path_factory: pytest.TempPathFactory, spans: list[tuple[int, int]], size: int
) -> None:
    """A cut changes the bytes of its spans only, never a newline or a length (K3)."""
    store = Store(str(tmp_path_factory.mktemp("s") / "ibid.db"))
    ensure_schema(store)
    data = log(size)
    row = keep(store, data, itertools.repeat(700))
    wanted = [(first, first + length) for first, length in spans]
    with store.write() as connection:
        done = transcripts.cut_spans(connection, row.id, wanted)
        assert transcripts.cut_spans(connection, row.id, wanted) == done
    inside = {at for first, last in wanted for at in range(first, min(last, size))}
    holes = bytes(
        42 if at in inside and byte != 10 else byte for at, byte in enumerate(data)
    )
    assert load(store, row) == holes
    assert done == len(inside)
    cuts = transcripts.list_cuts(store.read(), row.id)
    assert {at for first, last in cuts for at in range(first, last)} == inside
    with store.write() as connection:
        more = b"and it goes on\n"
        assert transcripts.keep(connection, row.id, 0, data + more) == len(more)
    assert load(store, row) == holes + more
    store.close()


def test_a_cut_leaves_nothing_behind_and_no_other_file_changed(store: Store) -> None:
    """What was cut is in no part any more, but a copy of the file keeps its own."""
    secret = b"the plan that must not stay"
    data = log(5000) + secret + log(5000, 2)
    row = keep(store, data, itertools.repeat(4000))
    pack_all(store)
    with store.write() as connection:
        transcripts.cut_spans(connection, row.id, [(5000, 5000 + len(secret))])
    assert secret not in load(store, row)
    assert count(store, "part") == 1
    other = FILE._replace(path="/copy", device="8:9")
    copy = keep(store, data, itertools.repeat(4000), other)
    assert load(store, copy) == data
    assert secret not in load(store, row)
    assert (row.cut, transcripts.load_row(store.read(), row.id).cut) == (0, len(secret))


def test_spans_cut_at_the_door_never_enter(store: Store) -> None:
    """A span given with the bytes is a hole from the start, and stays one (E1)."""
    data = b'{"key": "abcdefgh"}\n' * 50
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, FILE)
        for at in (0, 500):
            piece = data[at : at + 500]
            cuts = [(9, 17), (489, 517), (989, 997)]
            assert transcripts.keep(connection, row.id, at, piece, cuts) == 500
            assert transcripts.keep(connection, row.id, at, piece, cuts) == 0
        assert transcripts.keep(connection, row.id, 0, data) == 0
        assert transcripts.load_row(connection, row.id).cut == 8 + 28 + 8
    kept = load(store, row)
    assert kept[:20] == b'{"key": "********"}\n'
    assert kept.count(b"\n") == 50
    assert transcripts.list_cuts(store.read(), row.id) == [
        (9, 17),
        (489, 517),
        (989, 997),
    ]


# -- damage and the cap ------------------------------------------------------------


def test_a_flipped_byte_is_named_with_its_place(store: Store) -> None:
    """A damaged part is never given out; the pieces before it are."""
    data = log(3 * BLOCK)
    row = keep(store, data, itertools.repeat(BLOCK))
    with store.write() as connection:
        part, stored = connection.execute(
            "SELECT p.id, p.data FROM transcript_part t JOIN part p ON p.id = t.part"
            " WHERE t.start = ?",
            (BLOCK,),
        ).fetchone()
        broken = bytearray(stored)
        broken[len(broken) // 2] ^= 4
        connection.execute("UPDATE part SET data = ? WHERE id = ?", (broken, part))
    pieces = transcripts.load_transcript(store.read(), row.id)
    assert next(pieces) == data[:BLOCK]
    with pytest.raises(StoreCorruptError, match=rf"s1\.jsonl.*byte {BLOCK}"):
        next(pieces)


def test_a_missing_part_is_named_with_its_place(store: Store) -> None:
    """A hole in the parts is damage, not a shorter file."""
    row = keep(store, log(3000), itertools.repeat(1000))
    with store.write() as connection:
        connection.execute("DELETE FROM transcript_part WHERE start = 1000")
    with pytest.raises(StoreCorruptError, match="byte 1000 is missing"):
        load(store, row)


def test_a_damaged_file_does_not_stop_the_packing_of_others(store: Store) -> None:
    """A file that cannot be packed is left for `verify`, and the rest is packed."""
    keep(store, log(3000), itertools.repeat(1000))
    other = FILE._replace(path="/logs/s2.jsonl", device="8:2")
    row = keep(store, log(3000, 2), itertools.repeat(1000), other)
    with store.write() as connection:
        connection.execute("UPDATE part SET data = x'00' WHERE id = 2")
    pack_all(store)
    assert transcripts.load_row(store.read(), row.id).loose == 0
    assert load(store, row) == log(3000, 2)
    assert count(store, "transcript_part") == 4


def test_the_cap_takes_whole_transcripts_and_says_so(store: Store) -> None:
    """A transcript counts in the cap, goes as a whole, and says when and why (M5)."""
    old = keep(store, log(400_000), itertools.repeat(99_999), FILE._replace(at=NOW - 9))
    file = FILE._replace(path="/logs/s2.jsonl", device="8:2")
    young = keep(store, log(400_000, 2), itertools.repeat(99_999), file)
    cap = capacity.usage(store.read()).total - 1
    with store.write() as connection:
        assert capacity.evict(connection, cap, NOW).transcripts == 1
        assert not capacity.evict(connection, cap, NOW).more
        assert transcripts.keep(connection, old.id, 0, b"it goes on") == 0
    with pytest.raises(GoneError, match=r"s1\.jsonl.*2030-03-17 17:46 UTC.*size cap"):
        load(store, old)
    assert load(store, young) == log(400_000, 2)


def test_reading_survives_packing_meanwhile(store: Store) -> None:
    """A file that is packed and appended to while it is read is read as it was."""
    data = log(600_000)
    row = keep(store, data, itertools.repeat(50_000))
    pieces = transcripts.load_transcript(store.read(), row.id)
    read = next(pieces)
    pack_all(store)
    with store.write() as connection:
        transcripts.keep(connection, row.id, len(data), b"more")
    assert read + b"".join(pieces) == data
