"""Text of ours that came back is known again, wherever it stands (B2, G6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.own import blank_own, without_own

BLOCK = (
    '<ibid-recall receipt="r-1" nonce="k2" status="untrusted recalled context">\n'
    "From this project's earlier sessions.\n"
    "[L1 constraint n-7k3q] Never deploy on a Friday. (you, session s turn 3)\n"
    "</ibid-recall k2>"
)
START = BLOCK.replace("ibid-recall", "ibid-start")


@pytest.mark.parametrize("block", [BLOCK, START])
def test_a_block_is_blanked_and_nothing_else_moves(block: str) -> None:
    """What stands around a pasted block keeps its place."""
    text = f"Look:\n{block}\nAlways run the linter."
    blank = blank_own(text)
    assert len(blank) == len(text)
    assert "Friday" not in blank
    at = text.index("Always")
    assert blank[at:] == text[at:]
    assert without_own(text) == "Look:\nAlways run the linter."


@pytest.mark.parametrize(
    "line",
    [
        "[L1 constraint n-7k3q] Never deploy on a Friday. (you, session s turn 3)",
        "> [L1 decision n-8w2m, pinned] The ledger is in Postgres. (you)",
        "- [L0 agent 4f0c-11] Always squash. (session 4f0c turn 2)",
        "# Handoff · 2 Apr 16:40 · claude-code 91be\nTask: never use tabs.\n"
        "Decided: always rebase (n-1, turn 2).",
    ],
)
def test_lines_of_ours_are_known_without_their_fence(line: str) -> None:
    """A line that an agent or person copied out of a block teaches nothing."""
    assert blank_own(f"before\n{line}\nafter").split() == ["before", "after"]


@pytest.mark.parametrize(
    "text",
    [
        "Rename <ibid-recall to something shorter.",
        "The list [L1, L2] is sorted.",
        "Handoff notes are kept in docs.",
        "",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    """The name of a block in a sentence is a word like others."""
    assert blank_own(text) == text


@given(st.text(alphabet="<ibid-recall start>/=\n[L1 fact]a", max_size=200))
def test_the_length_never_changes(text: str) -> None:
    """Offsets in the blanked text are offsets in the text (B4)."""
    assert len(blank_own(text)) == len(text)


def test_a_megabyte_of_openings_takes_linear_time() -> None:
    """Nothing is looked for again and again."""
    assert len(blank_own("<ibid-recall a=" * 70_000)) == 1_050_000
    assert len(blank_own("<ibid-recall " * 80_000)) == 1_040_000
