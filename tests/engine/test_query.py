"""What a query asks for: words, whose, and when (F1)."""

from __future__ import annotations

import pytest

from ibid.engine.recall.spelling import edit_distance, likeness
from ibid.engine.recall.terms import MAX_LOOKED_UP, analyse, is_weak
from ibid.engine.recall.times import SOON_FACTOR, THEN_FACTOR, When, then_factor

DAY = 86_400_000
MAY = 1_778_000_000_000  # 2026-05-05.


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What did we decide about the upload retries?", "decid upload retri"),
        ("Please take a look at src/api.py", "take look src/api.py src api.py api py"),
        ("Ann's C++ parser", "ann c++ parser"),
        ("为什么上传失败", "么上 上传 传失 失败"),
        ("the of and", "the of and"),
        ("", ""),
        ("🚀", ""),
    ],
)
def test_the_words_of_a_query(query: str, words: str) -> None:
    """Stop words go, unless nothing else is there; each word comes once."""
    assert " ".join(analyse(query, 0).words) == words


def test_a_paste_is_cut_to_its_telling_words() -> None:
    """Of many words the names and the long ones are looked up, in their order."""
    filler = [f"wo{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(200)]
    query = " ".join(["E0433", *filler, "synchronisation", "src/api.py"])
    words = analyse(query, 0).words
    assert len(words) == MAX_LOOKED_UP
    assert {"e0433", "src/api.py"} < set(words) and "synchronis" in words


@pytest.mark.parametrize(
    ("query", "voice"),
    [
        ("what did I ask for?", "person"),
        ("I told you about tabs", "person"),
        ("what did you suggest?", "agent"),
        ("you fixed it", "agent"),
        ("can you fix it", ""),
        ("我说过什么", "person"),
        ("你建议了什么", "agent"),
        ("what did we say", ""),
    ],
)
def test_whose_words_a_query_is_about(query: str, voice: str) -> None:
    """Only what tells of the past names a side: a request does not."""
    assert analyse(query, 0).voice == voice


@pytest.mark.parametrize(
    ("query", "when"),
    [
        ("in May 2026", When(frozenset({5}), frozenset({2026}))),
        ("it may fail", None),
        ("since 2026-03-01", When(frozenset({3}), frozenset({2026}))),
        ("2026年", When(years=frozenset({2026}))),
        ("yesterday", When(span=(MAY - int(2.5 * DAY), MAY))),
        ("昨天", When(span=(MAY - int(2.5 * DAY), MAY))),
        ("port 2080", When(years=frozenset({2080}))),
        ("line 20451", None),
    ],
)
def test_the_times_a_query_names(query: str, when: When | None) -> None:
    """Months by name with a capital, years, dates, and spans before now."""
    assert analyse(query, MAY).when == when


def test_how_times_count() -> None:
    """What was said then counts most, the month after it some, the rest plainly."""
    april = When(frozenset({4}), frozenset({2026}))
    assert then_factor(MAY - 20 * DAY, april) == THEN_FACTOR
    assert then_factor(MAY, april) == SOON_FACTOR
    assert then_factor(MAY - 60 * DAY, april) == 1.0
    december = When(frozenset({12}), frozenset({2025}))
    assert then_factor(MAY - 120 * DAY, december) == SOON_FACTOR
    for moment in (-5, 0, 1 << 62):
        assert then_factor(moment, april) == 1.0


def test_weak_words() -> None:
    """G2: what any request says makes nothing relevant; a subject does."""
    assert all(is_weak(word) for word in ("fix", "file", "the", "x", "do"))
    assert not any(is_weak(word) for word in ("upload", "必须", "e0433"))


@pytest.mark.parametrize(
    ("one", "two", "edits"),
    [
        ("upload", "upload", 0),
        ("uplaod", "upload", 1),
        ("uploa", "upload", 1),
        ("uploadd", "upload", 1),
        ("uploat", "upload", 1),
        ("ca", "abc", 3),
        ("", "abc", 3),
    ],
)
def test_edits_between_words(one: str, two: str, edits: int) -> None:
    """Two neighbouring letters swapped are one edit."""
    assert edit_distance(one, two) == edit_distance(two, one) == edits


def test_short_words_are_not_alike() -> None:
    """One edit is forgiven for each four letters: three-letter words never match."""
    assert likeness("cat", "car") == 0
    assert likeness("cart", "card") == 0.75
    assert likeness("uplaod", "reload") == 0
