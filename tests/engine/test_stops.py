"""Data made beforehand is what the code would make (R3)."""

from __future__ import annotations

from ibid.engine.recall import stops, terms
from ibid.text.stems import stem


def test_the_stored_stems_are_those_of_the_words() -> None:
    """Stop words and weak words, stemmed."""
    stop = {stem(word) for word in terms._ENGLISH.split() if word.isalpha()}
    weak = {stem(word) for word in terms._WEAK.split()}
    assert set(stops.STOP_STEMS.split()) == stop
    assert set(stops.WEAK_STEMS.split()) == weak - stop
