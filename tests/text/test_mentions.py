"""Names of memories in a text (M4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.mentions import find_mentions, mention_at


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "[9 more lines: <<ccr:0a1b2c3d4e5f60718293a4b5>>]",
            ["0a1b2c3d4e5f60718293a4b5"],
        ),
        ("turn 12 #412.", ["#412"]),
        ("colour #412ab, a#4, /issues#7, &#60;", []),
        ("(n-7k3q2m4p8r, turn 3) c-7k3q2m4p8r", ["n-7k3q2m4p8r", "c-7k3q2m4p8r"]),
        ("range(n-1), un-7k3q2m4p, n-underscored", []),
        ('<ibid-recall receipt="#88" nonce="k2">', ["#88"]),
        ("see ibid://note/n-7k3q2m4p, and", ["ibid://note/n-7k3q2m4p"]),
        ("[a](ibid://reads/src/a%20b.py)", ["ibid://reads/src/a%20b.py"]),
        ("turn:4f0c-aa/3", ["4f0c-aa/3"]),
    ],
)
def test_names_are_found_as_they_are_written(text: str, found: list[str]) -> None:
    """What Ibid prints is found, what only looks like it is not."""
    assert [one.name for one in find_mentions(text)] == found


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_a_name_lies_where_it_is_said_to(text: str) -> None:
    """Spans are in order and never overlap, whatever the text."""
    end = 0
    for one in find_mentions(text):
        assert end <= one.start < one.end <= len(text)
        assert mention_at(text, one.start) is not None
        end = one.end


def test_long_texts_are_read_in_time() -> None:
    """A megabyte of beginnings ends."""
    for piece in ("<<ccr:", "ibid://", "n-7k3q2m4p-", "turn:a.", "#1#", "receipt="):
        text = piece * (1_000_000 // len(piece))
        assert len(find_mentions(text)) <= 2_000
