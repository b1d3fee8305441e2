"""The running means are what the append-only entries say, whatever came (P2, P3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, pvariance
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.store import running
from ibid.store.connection import Store
from ibid.store.receipts import BOUNCE, COST, SAVING, Entry, add_entry, is_reversed
from ibid.store.running import Judged, Moments, moments_of
from ibid.store.schema import ensure_schema
from ibid.store.verify import verify

KEYS = [("codex", "stub"), ("codex", "delta"), ("", "stub")]
KEY = st.sampled_from(KEYS)
TOKENS = st.integers(0, 200_000)
STEP = st.one_of(
    st.tuples(st.just("short"), KEY, TOKENS, st.integers(0, 500), st.integers(1, 3)),
    st.tuples(st.just("bounce"), st.integers(0, 40)),
    st.tuples(st.just("cost"), KEY, TOKENS),
    st.tuples(st.just("measured"), KEY, TOKENS),
    st.tuples(st.just("again"), KEY),
)


def entry(key: tuple[str, str], kind: str, tokens: int, **more: Any) -> Entry:
    """Return an entry of a role and feature."""
    times = more.pop("times", 1)
    return Entry(0, None, "s", *key, kind, tokens, times, "test", "none", **more)


class Book:
    """Keeps the same accounts in plain lists."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.samples: dict[int, list[Any]] = {}  # Saving -> [key, net, withheld].
        self.window: dict[tuple[str, str], int] = {}

    def play(self, step: tuple[Any, ...]) -> None:
        """Do one step in the store and in the lists."""
        with self.store.write() as connection:
            getattr(self, step[0])(connection, *step[1:])

    def short(self, connection: Any, key: tuple[str, str], *given: int) -> None:
        """Enter a short answer: its cost, and the saving that it is paired with."""
        withheld, cost, times = given
        paid = add_entry(connection, entry(key, COST, cost, times=times))
        saving = entry(key, SAVING, withheld, times=times, pair=paid)
        number = add_entry(connection, saving)
        self.samples[number] = [key, (withheld - cost) * times, withheld * times]

    def bounce(self, connection: Any, at: int) -> None:
        """Take a saving back, as the ledger does: whole, and once."""
        if at >= len(self.samples):
            return
        number = list(self.samples)[at]
        if is_reversed(connection, number):
            return
        sample = self.samples[number]
        add_entry(connection, entry(sample[0], BOUNCE, sample[2], reverses=number))
        sample[1] -= sample[2]

    def cost(self, connection: Any, key: tuple[str, str], tokens: int) -> None:
        """Enter a cost that saved nothing."""
        add_entry(connection, entry(key, COST, tokens))

    def measured(self, connection: Any, key: tuple[str, str], tokens: int) -> None:
        """Enter what would have been saved."""
        add_entry(connection, entry(key, "measured", tokens))

    def again(self, connection: Any, key: tuple[str, str]) -> None:
        """Demote a feature and turn it on again: a new window."""
        running.demote(connection, Judged(*key, "", 1))
        assert running.enable(connection, Judged(*key, "", 2))
        self.window[key] = max(self.samples, default=0)

    def nets(self, key: tuple[str, str]) -> list[int]:
        """Return the samples of a role and feature in their window."""
        begun = self.window.get(key, 0)
        return [
            net
            for number, (of, net, _) in self.samples.items()
            if of == key and number > begun
        ]


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEP, max_size=60))
def test_the_running_means_are_those_of_the_entries(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    """Samples, mean and spread follow from the entries, bounces and windows (P2)."""
    store = Store(str(tmp_path_factory.mktemp("running") / "ibid.db"))
    ensure_schema(store)
    book = Book(store)
    for step in steps:
        book.play(step)
    connection = store.read()
    for key in KEYS:
        nets = book.nets(key)
        row = running.find_running(connection, *key)
        samples, mean, squares = (0, 0.0, 0.0) if row is None else tuple(row)[2:5]
        assert samples == len(nets)
        assert running.sample_values(connection, *key).get(key, []) == nets
        if nets:
            scale = 1 + max(map(abs, nets))
            assert mean == pytest.approx(fmean(nets), abs=1e-6 * scale)
            due = pvariance(nets) * len(nets)
            assert squares == pytest.approx(due, rel=1e-6, abs=1e-6 * scale**2)
    assert verify(connection, full=False) == []
    with store.write() as connection:
        before = list(map(tuple, running.list_running(connection)))
        running.rebuild(connection)
        for was, now in zip(before, running.list_running(connection), strict=True):
            assert Moments(*was[2:5]).is_near(Moments(*tuple(now)[2:5]))
    store.close()


@settings(deadline=None)
@given(st.lists(st.integers(-500, 90_000), min_size=1), st.data())
def test_a_changed_sample_is_as_if_it_had_been_so(
    values: list[int], data: st.DataObject
) -> None:
    """Welford's step for a sample that changes gives what a new count gives."""
    at = data.draw(st.integers(0, len(values) - 1))
    new = data.draw(st.integers(-500, 90_000))
    changed = moments_of(values).changed(values[at], new)
    assert changed.is_near(moments_of([*values[:at], new, *values[at + 1 :]]))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with two short answers of which one bounced."""
    made = Store(str(tmp_path / "ibid.db"))
    ensure_schema(made)
    book = Book(made)
    for step in (
        ("short", KEYS[0], 900, 12, 1),
        ("short", KEYS[0], 400, 14, 1),
        ("bounce", 1),
    ):
        book.play(step)
    yield made
    made.close()


def test_a_bounce_changes_its_sample_and_makes_none(store: Store) -> None:
    """Two short answers are two samples: 888, and the 14 that were lost (N6)."""
    row = running.find_running(store.read(), *KEYS[0])
    assert row is not None
    assert (row["samples"], row["mean"]) == (2, pytest.approx((888 - 14) / 2))


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE running SET mean = mean + 1", "a running mean is not"),
        ("UPDATE running SET squares = 2 * squares", "a running mean is not"),
        ("UPDATE running SET samples = 3", "a running mean is not"),
        ("DELETE FROM running", "entries have no running mean"),
        ("UPDATE account SET tokens = 901 WHERE tokens = 900", "a running mean is not"),
        ("UPDATE account SET tokens = 401 WHERE kind = 'bounce'", "a saving was taken"),
    ],
)
def test_verify_sees_a_mean_that_is_not_its_entries(
    store: Store, sql: str, what: str
) -> None:
    """`ibid verify` makes the means again and names the feature (P2)."""
    assert verify(store.read(), full=False) == []
    with store.write() as connection:
        connection.execute(sql)
    found = [one.what for one in verify(store.read(), full=False)]
    assert any(one.startswith(what) for one in found), found
