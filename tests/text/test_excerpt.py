"""Excerpts are pieces of the text, and holes change nothing else (M4, K3)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ibid.text.excerpt import head, line_range, lines_of, search, tail
from ibid.text.spans import clipped, holed, merged

texts = st.text(alphabet="ab\n\r\x0c\u2028 é中", max_size=80)
spans = st.lists(st.tuples(st.integers(-5, 90), st.integers(-5, 90)), max_size=6)


@given(texts)
def test_lines_put_together_are_the_text(text: str) -> None:
    """Lines keep their ends, and only a newline ends one."""
    lines = lines_of(text)
    assert "".join(lines) == text
    assert all("\n" not in line[:-1] and line for line in lines)


@given(texts, st.integers(-3, 12), st.integers(-3, 12))
def test_a_range_says_which_lines_it_has(text: str, first: int, last: int) -> None:
    """A range is cut to what exists and names its lines."""
    part = line_range(text, first, last)
    lines = lines_of(text)
    assert part.total == len(lines)
    assert "".join(lines[part.first - 1 : part.last]) == part.text
    assert (part.text == "") == (max(first, 1) > min(last, len(lines)))


@given(texts, st.integers(0, 12))
def test_head_and_tail_together_are_the_text(text: str, count: int) -> None:
    """What is not in the head is the tail."""
    total = len(lines_of(text))
    rest = max(total - count, 0)
    assert head(text, count).text + tail(text, rest).text == text
    assert tail(text, count).last == (total if min(count, total) else 0)


def test_search_finds_lines_in_any_case_and_joins_neighbours() -> None:
    """Matches come with the lines around them, and places that touch are one."""
    text = "".join(f"line {n}\n" for n in range(1, 31)).replace("line 9", "ÉCHEC 9")
    text = text.replace("line 11\n", "échec 11\n").replace("line 30", "échec 30")
    found = search(text, "Échec", around=1)
    assert [(part.first, part.last) for part in found] == [(8, 12), (29, 30)]
    assert search(text, "échec", limit=1, around=0)[0].text == "ÉCHEC 9\n"
    assert search(text, "échec", limit=1)[0].last == 11
    assert search(text, " ") == []
    assert search(text, "nowhere") == []


@given(st.binary(max_size=80), st.integers(0, 9), spans)
def test_a_hole_changes_its_bytes_only(
    data: bytes, start: int, cuts: list[tuple[int, int]]
) -> None:
    """Bytes outside the spans, and newlines, stay; cutting twice is cutting once."""
    inside = {at for first, last in cuts for at in range(first, last)}
    out = holed(data, start, cuts)
    assert len(out) == len(data)
    for at, (old, new) in enumerate(zip(data, out, strict=True), start):
        assert new == (42 if at in inside and old != 10 else old)
    assert holed(out, start, cuts) == out


@given(spans, st.integers(0, 40), st.integers(40, 90))
def test_spans_put_in_order_cover_the_same(
    cuts: list[tuple[int, int]], start: int, end: int
) -> None:
    """Clipping and merging change how spans are written, not what they cover."""
    inside = {at for first, last in cuts for at in range(first, last)}
    out = merged(clipped(cuts, start, end))
    assert {at for span in out for at in range(*span)} == inside & set(
        range(start, end)
    )
    assert all(out[n][1] < out[n + 1][0] for n in range(len(out) - 1))
