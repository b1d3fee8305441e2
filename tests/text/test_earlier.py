"""What a prompt wants of the past (G1, G2)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.earlier import asks_about_earlier_work, is_contentless

from .cases import read_cases, read_more


@pytest.mark.parametrize(
    "case", read_cases("earlier.jsonl"), ids=lambda case: case["prompt"][:40]
)
def test_earlier_work(case: dict[str, Any]) -> None:
    """A question about earlier work is told from words that only look like it (G1)."""
    assert asks_about_earlier_work(case["prompt"]) is case["earlier_work"]


@pytest.mark.parametrize(
    "case", read_cases("contentless.jsonl"), ids=lambda case: case["prompt"][:40]
)
def test_contentless(case: dict[str, Any]) -> None:
    """A prompt that only goes on, agrees or greets has nothing to search for (G2)."""
    assert is_contentless(case["prompt"]) is case["contentless"]


def test_outside_cases() -> None:
    """The cases of whoever judges the result hold as well (G1)."""
    wrong = [
        case
        for case in read_more("earlier-work.jsonl")
        if asks_about_earlier_work(case["prompt"]) is not case["earlier_work"]
    ]
    assert wrong == []


def test_code_does_not_ask() -> None:
    """Words in inline code are names, not a question (G1)."""
    assert not asks_about_earlier_work("what does `what did we decide` print")


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No text at all makes the readers fail (G1, G2)."""
    assert asks_about_earlier_work(text) in (True, False)
    assert is_contentless(text) in (True, False)


@pytest.mark.parametrize("unit", ["好", "ok ", "what did ", "我们上次", "y"])
def test_runs_of_one_word_end(unit: str) -> None:
    """A long run of one word, broken at its end, is read in linear time."""
    assert not is_contentless(unit * 60 + "#")
    assert asks_about_earlier_work(unit * 20_000 + "#") in (True, False)
