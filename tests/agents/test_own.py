"""What readers take out of what agents logged, because it is ours."""

from __future__ import annotations

import pytest

from ibid.agents.own import OWN, is_own, without_own


@pytest.mark.parametrize("name", ["ibid-recall", "ibid-start"])
def test_every_block_of_ours_is_taken_out(name: str) -> None:
    """The block of a prompt and that of a session's start are both ours (B2, G6)."""
    block = f"<{name} receipt=r-1>\n[L1 fact n-1] tabs\n</{name} k=1>"
    text = f"Before {block} between {block} after"
    assert without_own(text) == ("Before  between  after", [(OWN, block)] * 2)
    assert is_own(block)


@pytest.mark.parametrize(
    "text",
    [
        "What does <ibid-start> mean?",
        "Compare <ibid-recall> with </ibid-recall>, and a > b.",
        "<ibid-other a=1> x",
    ],
)
def test_a_name_in_a_sentence_stays(text: str) -> None:
    """Talking about a block is not a block."""
    assert without_own(text) == (text, [])


def test_many_blocks_take_no_longer_than_their_length() -> None:
    """A megabyte of short blocks does not hang."""
    rest, parts = without_own("<ibid-start a=1>x</ibid-start>" * 40_000)
    assert (rest, len(parts)) == ("", 40_000)
