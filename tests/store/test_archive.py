"""The archive gives back what was put in, by content, hot and cold (M1-M4)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.errors import (
    AmbiguousError,
    ConflictError,
    GoneError,
    NotFoundError,
    StoreCorruptError,
)
from ibid.store import archive, capacity, frames
from ibid.store.archive import ArchiveItem
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.text.digest import digest, handle

NOW = 1_900_000_000_000
DAY = 86_400_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an empty store."""
    made = Store(str(tmp_path / "ibid.db"))
    ensure_schema(made)
    yield made
    made.close()


def item(data: bytes, age: int = 0, **more: object) -> ArchiveItem:
    """Return a text observed ``age`` milliseconds ago."""
    return ArchiveItem(data, NOW - age, **more)  # type: ignore[arg-type]


def noise(size: int, seed: int) -> bytes:
    """Return bytes that do not compress."""
    return random.Random(seed).randbytes(size)


def freeze_all(store: Store, now: int = NOW) -> None:
    """Let everything that is due go cold."""
    more = True
    while more:
        with store.write() as connection:
            more = archive.freeze(connection, now)


def evict_all(
    store: Store, cap: int, unindex: capacity.Unindex | None = None
) -> tuple[int, int]:
    """Apply the cap; return how many texts and transcripts went."""
    texts = transcripts = 0
    more = True
    while more:
        with store.write() as connection:
            done = capacity.evict(connection, cap, NOW, unindex)
        texts, transcripts = texts + done.texts, transcripts + done.transcripts
        more = done.more
    return texts, transcripts


texts = st.lists(
    st.one_of(
        st.binary(max_size=200),
        st.builds(noise, st.integers(0, 700_000), st.integers(0, 9)),
        st.builds(
            lambda n, byte: bytes([byte]) * n, st.integers(0, 1 << 20), st.just(7)
        ),
    ),
    max_size=8,
)


@settings(max_examples=20, deadline=None)
@given(first=texts, second=texts)
def test_texts_come_back_byte_for_byte_hot_and_cold(
    tmp_path_factory: pytest.TempPathFactory, first: list[bytes], second: list[bytes]
) -> None:
    """Whatever was archived, directly cold or first hot, expands to the same bytes."""
    store = Store(str(tmp_path_factory.mktemp("s") / "ibid.db"))
    ensure_schema(store)
    with store.write() as connection:
        cold = archive.ensure_archives(
            connection, [item(data, DAY) for data in first], NOW - archive.HOT_MS
        )
        hot = [archive.ensure_archive(connection, item(data)) for data in second]
    every = list(zip(cold + hot, first + second, strict=True))
    for moment in (NOW, NOW + DAY):
        freeze_all(store, moment)
        for row, data in every:
            assert archive.load_bytes(store.read(), row) == data
            assert row.handle == handle(digest(data))
    states = store.read().execute("SELECT DISTINCT state FROM archive").fetchall()
    assert [state for (state,) in states] == (["cold"] if every else [])
    store.close()


def test_the_same_text_is_kept_once(store: Store) -> None:
    """A text observed again keeps its number and its first source, and is as young."""
    with store.write() as connection:
        first = archive.ensure_archive(connection, item(b"same", 9000, title="first"))
        again, other = archive.ensure_archives(
            connection, [item(b"same", title="second"), item(b"other")]
        )
    assert again.id == first.id
    assert again.title == "first"
    assert again.observed == NOW
    assert other.id != first.id
    assert store.read().execute("SELECT count(*) FROM archive").fetchone()[0] == 2


def test_a_text_younger_than_the_window_stays_hot(store: Store) -> None:
    """Only what has been hot for half an hour is frozen (M3)."""
    with store.write() as connection:
        young = archive.ensure_archive(connection, item(b"young", archive.HOT_MS - 1))
        old = archive.ensure_archive(connection, item(b"old", archive.HOT_MS))
    freeze_all(store)
    assert archive.load_archive(store.read(), young.handle).state == "hot"
    assert archive.load_archive(store.read(), old.handle).state == "cold"


def test_an_import_writes_old_texts_into_frames_at_once(store: Store) -> None:
    """What is older than the window at import goes cold in the same call (M3)."""
    with store.write() as connection:
        rows = archive.ensure_archives(
            connection,
            [item(b"old %d" % n, DAY) for n in range(100)] + [item(b"new")],
            NOW - archive.HOT_MS,
        )
    assert [row.state for row in rows] == ["cold"] * 100 + ["hot"]
    assert len({row.frame for row in rows}) == 2
    assert rows[100].frame is None


def test_many_small_texts_share_well_filled_frames(store: Store) -> None:
    """Texts added bit by bit end in frames of 512 kB to 1 MB, but for the last."""
    for batch in range(30):
        with store.write() as connection:
            archive.ensure_archives(
                connection,
                [item(noise(20_000, batch * 10 + n), DAY) for n in range(5)],
                NOW,
            )
    sizes = store.read().execute("SELECT bytes FROM frame ORDER BY id").fetchall()
    assert sum(size for (size,) in sizes) == 30 * 5 * 20_000
    assert all(frames.FULL <= size <= 2 * frames.FULL for (size,) in sizes[:-1])
    assert len(sizes) <= 6


def test_a_long_text_has_a_frame_of_its_own(store: Store) -> None:
    """A long text neither joins nor closes the frame that short ones share."""
    with store.write() as connection:
        for n in range(3):
            data = [item(noise(3 * frames.FULL, n), DAY), item(b"short %d" % n, DAY)]
            archive.ensure_archives(connection, data, NOW)
    sizes = store.read().execute("SELECT bytes FROM frame ORDER BY bytes").fetchall()
    assert [size for (size,) in sizes] == [21, *[3 * frames.FULL] * 3]


def test_every_name_of_a_text_finds_it(store: Store) -> None:
    """Handle, prefix, number, #number and marker all mean the text (M1)."""
    with store.write() as connection:
        row = archive.ensure_archive(connection, item(b"named"))
    names = [row.handle, row.handle[:6], row.handle.upper(), f"#{row.id}", str(row.id)]
    for name in [*names, f"<<ccr:{row.handle}>>", f"  {row.handle} "]:
        assert archive.find_archive(store.read(), name) == row, name


@pytest.mark.parametrize(
    "name", ["", "#", "#0", "#99", "xyz", "9" * 40, "#²", "%", "f*"]
)
def test_names_that_mean_nothing_find_nothing(store: Store, name: str) -> None:
    """A name without a row is None to `find_`, and an error to `load_`."""
    with store.write() as connection:
        archive.ensure_archive(connection, item(b"named"))
    assert archive.find_archive(store.read(), name) is None
    with pytest.raises(NotFoundError):
        archive.load_archive(store.read(), name)


def test_an_ambiguous_prefix_names_the_choices(store: Store) -> None:
    """A prefix of several handles is refused with handles and numbers."""
    with store.write() as connection:
        rows = archive.ensure_archives(
            connection, [item(b"text %d" % n) for n in range(40)]
        )
    groups = {
        letter: [row for row in rows if row.handle.startswith(letter)]
        for letter in "abcdef"
    }
    letter, group = next(pair for pair in groups.items() if 2 <= len(pair[1]) <= 5)
    with pytest.raises(AmbiguousError) as caught:
        archive.find_archive(store.read(), letter)
    for row in group:
        assert f"{row.handle} (#{row.id})" in str(caught.value)
        assert archive.find_archive(store.read(), row.handle[:12]) == row


def test_digits_alone_are_a_number_first(store: Store) -> None:
    """Digits mean the number where it exists, else a prefix of a handle."""
    with store.write() as connection:
        rows = archive.ensure_archives(
            connection, [item(b"digits %d" % n) for n in range(60)]
        )
    by_digit = [row for row in rows if row.handle[:2].isdigit()]
    row = next(row for row in by_digit if int(row.handle[:2]) > 60)
    for length in range(3, 25):
        if row.handle[:length].isdigit():
            assert archive.find_archive(store.read(), row.handle[:length]) == row
    assert archive.find_archive(store.read(), "7") == rows[6]


def test_a_second_text_with_the_same_handle_is_refused(store: Store) -> None:
    """Two texts never share a handle silently."""
    with store.write() as connection:
        row = archive.ensure_archive(connection, item(b"one"))
        connection.execute("UPDATE archive SET digest = 'b3:other'")
        with pytest.raises(ConflictError, match=row.handle):
            archive.ensure_archive(connection, item(b"one"))


@pytest.mark.parametrize("age", [0, DAY])
def test_a_flipped_byte_is_found_and_named(store: Store, age: int) -> None:
    """Damaged bytes are never given out: the error names the handle (M1)."""
    data = noise(5000, 1)
    with store.write() as connection:
        rows = archive.ensure_archives(
            connection, [item(data, age), item(b"beside", age)], NOW - 1
        )
        table = "archive" if age == 0 else "frame"
        where = f"WHERE id = {rows[0].id}" if age == 0 else ""
        stored = connection.execute(f"SELECT data FROM {table} {where}").fetchone()[0]
        broken = bytearray(stored)
        broken[len(broken) // 2] ^= 1
        connection.execute(f"UPDATE {table} SET data = ? {where}", (bytes(broken),))
    with pytest.raises(StoreCorruptError, match=rows[0].handle):
        archive.load_bytes(store.read(), rows[0])
    checked = dict(archive.load_many(store.read(), rows))
    assert checked[rows[0]] is None
    assert checked[rows[1]] == b"beside"


def test_a_frame_that_promises_too_much_is_damage(store: Store) -> None:
    """A damaged frame head is an error, not an allocation."""
    with pytest.raises(StoreCorruptError):
        frames.inflate(frames.deflate(bytes(1 << 20)), 5)
    with pytest.raises(StoreCorruptError):
        frames.inflate(b"no frame at all", 5)


def test_numbers_are_never_used_again(store: Store) -> None:
    """The number of an erased text does not come to mean another one (M4)."""
    with store.write() as connection:
        row = archive.ensure_archive(connection, item(b"secret plan", DAY))
    freeze_all(store)
    with store.write() as connection:
        archive.erase(connection, [archive.load_archive(connection, row.handle)])
        other = archive.ensure_archive(connection, item(b"another"))
    assert other.id > row.id
    assert store.read().execute("SELECT count(*) FROM frame").fetchone()[0] == 0
    with pytest.raises(NotFoundError):
        archive.load_bytes(store.read(), row)


# -- the cap -----------------------------------------------------------------------


def fill(store: Store, count: int, size: int = 60_000) -> list[archive.ArchiveRow]:
    """Archive ``count`` cold texts, each a minute younger than the one before."""
    with store.write() as connection:
        return archive.ensure_archives(
            connection,
            [item(noise(size, n), DAY - n * 60_000) for n in range(count)],
            NOW - archive.HOT_MS,
        )


def test_the_cap_takes_the_oldest_first(store: Store) -> None:
    """Under the cap stays what is youngest, and the rest expands to when and why."""
    rows = fill(store, 40)
    cap = 25 * 60_000
    gone, _ = evict_all(store, cap)
    assert capacity.usage(store.read()).total <= cap
    now = [archive.load_archive(store.read(), row.handle) for row in rows]
    assert [row.state for row in now] == ["gone"] * gone + ["cold"] * (40 - gone)
    assert 15 <= gone <= 16
    for row, at in zip(now[gone:], range(gone, 40), strict=True):
        assert archive.load_bytes(store.read(), row) == noise(60_000, at)
    with pytest.raises(GoneError, match=r"2030-03-17 17:46 UTC.*size cap of 1\.4 MB"):
        archive.load_bytes(store.read(), rows[0])


def test_what_something_refers_to_is_never_taken(store: Store) -> None:
    """References without end and unexpired ones protect a text; expired ones do not."""
    rows = fill(store, 20)
    with store.write() as connection:
        for row, kind in zip(rows, ("note", "episode", "handoff", "pin"), strict=False):
            archive.add_reference(connection, row.id, kind, "owner")
        archive.add_reference(connection, rows[4].id, "marker", "7", NOW + 1)
        archive.add_reference(connection, rows[5].id, "marker", "8", NOW)
    evict_all(store, 0)
    states = [archive.load_archive(store.read(), row.handle).state for row in rows]
    assert states == ["cold"] * 5 + ["gone"] * 15
    for at in range(5):
        assert archive.load_bytes(store.read(), rows[at]) == noise(60_000, at)
    with store.write() as connection:
        archive.remove_references(connection, "note", "owner")
    assert not archive.is_protected(store.read(), rows[0].id, NOW)
    assert archive.is_protected(store.read(), rows[1].id, NOW)
    assert evict_all(store, 0) == (1, 0)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_eviction_spares_every_referenced_text(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever is referred to survives any cap, and what survives is intact."""
    store = Store(str(tmp_path_factory.mktemp("s") / "ibid.db"))
    ensure_schema(store)
    rows = fill(store, data.draw(st.integers(1, 30)), data.draw(st.integers(1, 99_999)))
    kept = data.draw(st.sets(st.integers(0, len(rows) - 1)))
    with store.write() as connection:
        for at in kept:
            archive.add_reference(connection, rows[at].id, "note", f"n-{at}")
    evict_all(store, data.draw(st.integers(0, 2_000_000)))
    size = rows[0].bytes
    for at, row in enumerate(rows):
        if archive.load_archive(store.read(), row.handle).state == "gone":
            assert at not in kept
        else:
            assert archive.load_bytes(store.read(), row) == noise(size, at)
    store.close()


def test_hot_texts_are_not_taken(store: Store) -> None:
    """A text in its first half hour stays whatever the cap (M3)."""
    with store.write() as connection:
        row = archive.ensure_archive(connection, item(noise(9000, 1)))
    assert evict_all(store, 0) == (0, 0)
    assert archive.load_bytes(store.read(), row) == noise(9000, 1)


def test_eviction_gives_each_text_to_the_index_first(store: Store) -> None:
    """The terms of a text are deleted while it can still be read."""
    rows = fill(store, 3)
    with store.write() as connection:
        archive.add_reference(connection, rows[2].id, "note", "n-1")
    seen: dict[int, bytes] = {}
    evict_all(store, 0, lambda _, row, data: seen.update({row.id: data}))
    assert seen == {rows[at].id: noise(60_000, at) for at in (0, 1)}


def test_a_text_that_went_can_come_back(store: Store) -> None:
    """Observed again, a text has its old number and bytes, and is to be indexed."""
    (row,) = fill(store, 1)
    with store.write() as connection:
        connection.execute("UPDATE archive SET length = 5, terms_version = 1")
    evict_all(store, 0)
    with store.write() as connection:
        back = archive.ensure_archive(connection, item(noise(60_000, 0)))
    assert (back.id, back.state, back.length, back.terms_version) == (
        row.id,
        "hot",
        0,
        0,
    )
    assert (back.gone, back.why) == (None, "")
    assert archive.load_bytes(store.read(), row) == noise(60_000, 0)


def test_a_reference_lasts_as_long_as_its_session(store: Store) -> None:
    """The end of a reference only moves on, and none at all outlasts every end."""
    (row,) = fill(store, 1)
    with store.write() as connection:
        archive.add_reference(connection, row.id, "marker", "7", NOW + 50)
        archive.add_reference(connection, row.id, "marker", "7", NOW + 10)
        assert archive.is_protected(connection, row.id, NOW + 49)
        archive.extend_references(connection, "marker", "7", NOW + 90)
        archive.extend_references(connection, "marker", "7", NOW + 20)
        assert archive.is_protected(connection, row.id, NOW + 89)
        assert not archive.is_protected(connection, row.id, NOW + 90)
        archive.add_reference(connection, row.id, "marker", "7")
        archive.extend_references(connection, "marker", "7", NOW + 95)
        assert archive.is_protected(connection, row.id, NOW + DAY)


def test_a_text_is_read_while_its_frame_is_replaced(store: Store) -> None:
    """A row read before its frame was written anew still gives its text."""
    rows = fill(store, 3, 1000)
    fill(store, 6, 999)
    assert archive.load_bytes(store.read(), rows[2]) == noise(1000, 2)
