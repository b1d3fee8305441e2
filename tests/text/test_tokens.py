"""Estimated tokens (G1, P2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.tokens import (
    CLAUDE,
    ESTIMATOR,
    OPENAI,
    WEIGHTS,
    count_kinds,
    estimate,
    estimator,
)


def test_nothing_costs_nothing() -> None:
    """The empty text is 0 tokens; anything else at least 1."""
    assert estimate("") == 0
    assert estimate(" ") == 1


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("plain words", (2, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("configuration", (1, 7, 0, 0, 0, 0, 0, 0, 0, 0)),
        ("getHTTPServer", (3, 0, 2, 0, 0, 0, 0, 0, 0, 0)),
        ("x = 12;", (1, 0, 0, 2, 0, 0, 0, 2, 0, 0)),
        ("a\n\n  b", (2, 0, 0, 0, 0, 1, 1, 0, 0, 0)),
        ("=> ...", (0, 0, 0, 0, 0, 0, 0, 2, 3, 0)),
        ("必须 café →", (1, 0, 0, 0, 2, 0, 0, 0, 0, 2)),
    ],
)
def test_the_kinds_of_a_text(text: str, kinds: tuple[int, ...]) -> None:
    """Words are cut at case changes; blanks, marks, digits and scripts differ."""
    assert count_kinds(text) == kinds


def test_english_prose_is_about_three_characters_a_token() -> None:
    """The default vocabulary is the dear one: characters over four would be too low."""
    prose = "the reader keeps what it was shown and forgets it when asked to " * 20
    assert 2.6 < len(prose) / estimate(prose) < 4.4
    assert estimate(prose) > estimate(prose, OPENAI) > len(prose) / 6


def test_an_unknown_vocabulary_counts_as_the_dearest() -> None:
    """A budget must not be overrun because a provider is new."""
    assert estimate("Some Text", "nobody") == estimate("Some Text", CLAUDE)
    assert estimator("nobody") == ESTIMATOR
    assert all(estimator(name).endswith(name) for name in WEIGHTS)


@settings(deadline=None)
@given(st.text(), st.text())
def test_more_text_never_costs_less(one: str, two: str) -> None:
    """Adding a line adds tokens, whatever the characters."""
    assert estimate(one + "\n" + two) + 1 >= max(estimate(one), estimate(two))


def test_a_megabyte_is_counted() -> None:
    """Long runs of one kind are counted once through; 1 MB does not hang."""
    for unit in ("A", "a", "_", " ", "\n", "必", "aB", "\ud83d"):
        text = unit * (1_000_000 // len(unit))
        assert estimate(text) >= 1
