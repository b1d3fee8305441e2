"""The full-text tables: what is indexed, found, counted and taken out again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ibid.store import driver, search
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.store.search import MESSAGES, exactly


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[driver.Connection]:
    """A writing connection to an empty store."""
    store = Store(str(tmp_path / "store" / "ibid.db"))
    ensure_schema(store)
    with store.write() as opened:
        yield opened
    store.close()


def rows_of(connection: driver.Connection, term: str, limit: int = 10) -> list[int]:
    """Return the rows that hold ``term`` exactly."""
    return search.find_rows(
        connection, MESSAGES, exactly(term), limit, search.EVERYWHERE
    )


def test_a_row_is_found_by_its_terms_and_only_by_them(
    connection: driver.Connection,
) -> None:
    """Marks belong to terms: ``c++`` is not ``c``, a quote breaks nothing."""
    search.ensure_terms(
        connection, MESSAGES, 7, ["c++", 'say"so', "src/api.py", "必须"]
    )
    for term in ("c++", 'say"so', "src/api.py", "必须"):
        assert rows_of(connection, term) == [7]
    for term in ("c", "c+", "say", "api", "必"):
        assert rows_of(connection, term) == []


def test_indexing_twice_changes_nothing(connection: driver.Connection) -> None:
    """A second import finds the row indexed and leaves it."""
    assert search.ensure_terms(connection, MESSAGES, 1, ["one", "one"])
    assert not search.ensure_terms(connection, MESSAGES, 1, ["two"])
    assert rows_of(connection, "one") == [1] and rows_of(connection, "two") == []
    assert search.load_size(connection, MESSAGES).rows == 1


def test_a_deleted_row_leaves_no_term_behind(connection: driver.Connection) -> None:
    """K3: neither the row nor its words are in the vocabulary afterwards."""
    search.ensure_terms(connection, MESSAGES, 1, ["secret", "plan"])
    search.ensure_terms(connection, MESSAGES, 2, ["plan"])
    assert search.delete_terms(connection, MESSAGES, 1, ["plan", "secret", "plan"])
    assert not search.delete_terms(connection, MESSAGES, 1, ["plan", "secret"])
    assert rows_of(connection, "plan") == [2]
    assert search.find_words(connection, MESSAGES, "", "\uffff") == [("plan", 1)]


def test_the_newest_rows_come_first_and_no_more_than_asked(
    connection: driver.Connection,
) -> None:
    """A fetch is bounded and keeps to its ranges, the newest of which stand first."""
    for row in range(1, 21):
        search.ensure_terms(connection, MESSAGES, row, ["word"])
    assert rows_of(connection, "word", 3) == [20, 19, 18]
    ranges = ((15, 16), (1, 3))
    found = search.find_rows(connection, MESSAGES, exactly("word"), 4, ranges)
    assert found == [16, 15, 3, 2]


def test_beginnings_and_pairs_of_terms(connection: driver.Connection) -> None:
    """A single character is found by prefix; two terms by both."""
    search.ensure_terms(connection, MESSAGES, 1, ["死锁", "锁"])
    search.ensure_terms(connection, MESSAGES, 2, ["锁定", "word"])
    find = search.find_rows
    start, pair = search.starting("锁"), search.both("锁定", "word")
    assert find(connection, MESSAGES, start, 9, search.EVERYWHERE) == [2, 1]
    assert find(connection, MESSAGES, pair, 9, search.EVERYWHERE) == [2]


def test_the_size_is_known_without_counting(connection: driver.Connection) -> None:
    """FTS5's own record of its rows agrees with what was put in and taken out."""
    assert search.load_size(connection, MESSAGES) == search.Size(0, 0, 0)
    for row in range(1, 301):
        search.ensure_terms(connection, MESSAGES, row << 20, ["a", "b"])
    search.delete_terms(connection, MESSAGES, 300 << 20, ["a", "b"])
    size = search.load_size(connection, MESSAGES)
    assert size == search.Size(299, 1 << 20, 299 << 20)
    assert search.count_since(connection, MESSAGES, 290 << 20, size) == 10


def test_many_newer_rows_are_guessed(connection: driver.Connection) -> None:
    """Beyond a thousand the count is taken from the place among the sessions."""
    for session in range(1, 41):
        for place in range(50):
            search.ensure_terms(connection, MESSAGES, session << 20 | place, ["a"])
    size = search.load_size(connection, MESSAGES)
    guess = search.count_since(connection, MESSAGES, 11 << 20, size)
    assert guess == 1500


def test_the_words_of_a_span(connection: driver.Connection) -> None:
    """The vocabulary is read in narrow spans, with the rows of each word."""
    search.ensure_terms(connection, MESSAGES, 1, ["upload", "upset", "down"])
    search.ensure_terms(connection, MESSAGES, 2, ["upload"])
    found = search.find_words(connection, MESSAGES, "upl", "upm")
    assert found == [("upload", 2)]


def test_an_index_can_be_made_again(connection: driver.Connection) -> None:
    """Terms or redaction of a newer version: all is cleared, then indexed anew."""
    search.ensure_terms(connection, MESSAGES, 1, ["old"])
    search.clear_terms(connection, MESSAGES)
    assert search.load_size(connection, MESSAGES).rows == 0
    assert search.ensure_terms(connection, MESSAGES, 1, ["new"])
    assert rows_of(connection, "old") == [] and rows_of(connection, "new") == [1]
