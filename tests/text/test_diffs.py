"""Deltas: minimal, exact, bounded, and readable by other tools (N2)."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.diffs import (
    MOST_CHANGED,
    apply_delta,
    find_changes,
    make_delta,
    split_lines,
)

# Few different lines, so that they repeat, and all that could be taken for a line end.
LINE = st.sampled_from(
    [
        *("", "a", "b", "c", "\r", "a\r", "\x0c", "\x1c", "\u2028", "- a", "+", "-"),
        *(" ", "@@ -1,1 +1,1 @@", "\\ No newline at end of file", "\ufeffx", "日本"),
    ]
)
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINE, max_size=30),
    st.sampled_from(["", "\n"]),
)


@settings(max_examples=120, deadline=None)
@given(TEXT, TEXT, st.integers(1, 5000))
def test_a_delta_rebuilds_the_text(old: str, new: str, first: int) -> None:
    """Whatever the lines, applying the delta to the old text gives the new one."""
    delta = make_delta(old, new, first)
    assert delta is not None
    assert apply_delta(old, delta.text, first) == new
    assert (delta.changed == 0) == (old == new)


@settings(max_examples=80, deadline=None)
@given(TEXT, TEXT)
def test_changes_are_the_fewest(old: str, new: str) -> None:
    """As many lines stay as the longest common subsequence has."""
    before, after = split_lines(old), split_lines(new)
    changes = find_changes(before, after)
    assert changes is not None
    removed = sum(change.end - change.start for change in changes)
    assert len(before) - removed == common_length(before, after)


def common_length(one: list[str], other: list[str]) -> int:
    """Return the length of the longest common subsequence, the slow and plain way."""
    row = [0] * (len(other) + 1)
    for left in one:
        above = row[:]
        for at, right in enumerate(other):
            row[at + 1] = (
                above[at] + 1 if left == right else max(row[at], above[at + 1])
            )
    return row[-1]


@settings(max_examples=80, deadline=None)
@given(TEXT)
def test_lines_joined_are_the_text(text: str) -> None:
    """Only a line feed ends a line; nothing is lost (N5)."""
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all("\n" not in line[:-1] for line in lines)


def test_a_delta_reads_as_unified_diff() -> None:
    """Three lines of context, hunks that meet are one, numbers are the file's."""
    old = "".join(f"{n}\n" for n in range(1, 41))
    new = old.replace("10\n", "ten\n").replace("16\n", "").replace("30\n", "30\n30b\n")
    delta = make_delta(old, new)
    assert delta is not None
    assert delta.changed == 3
    heads = [line for line in delta.text.splitlines() if line.startswith("@@")]
    assert heads == ["@@ -7,13 +7,12 @@", "@@ -28,6 +27,7 @@"]
    moved = make_delta(old, new, first=101)
    assert moved is not None
    assert moved.text.startswith("@@ -107,13 +107,12 @@\n")


@pytest.mark.skipif(shutil.which("patch") is None, reason="no `patch` here")
@pytest.mark.parametrize("ends", [("\n", "\n"), ("", "\n"), ("\n", ""), ("", "")])
def test_patch_takes_a_delta(tmp_path: Path, ends: tuple[str, str]) -> None:
    """Other tools understand what is sent, missing line ends included."""
    rng = random.Random(7)
    lines = [f"line {rng.randrange(9)}" for _ in range(60)]
    changed = [*lines[:5], "new", *lines[5:30], *lines[33:-1], "other end"]
    old, new = "\n".join(lines) + ends[0], "\n".join(changed) + ends[1]
    delta = make_delta(old, new)
    assert delta is not None
    file = tmp_path / "file"
    file.write_bytes(old.encode())
    (tmp_path / "delta").write_bytes(delta.text.encode())
    done = subprocess.run(
        ["patch", "--quiet", "--unified", str(file), str(tmp_path / "delta")],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert file.read_bytes() == new.encode()


@pytest.mark.parametrize("changed", [MOST_CHANGED, MOST_CHANGED + 1])
def test_too_many_changed_lines_give_no_delta(changed: int) -> None:
    """120 replaced lines are a delta, 121 are not; a replaced line counts once."""
    lines = [f"{n}\n" for n in range(1000)]
    new = [f"new {n}\n" if n < changed else line for n, line in enumerate(lines)]
    delta = make_delta("".join(lines), "".join(new))
    assert (delta is not None) == (changed <= MOST_CHANGED)
    grown = make_delta("".join(lines), "".join(lines) + "more\n" * changed)
    assert (grown is not None) == (changed <= MOST_CHANGED)


@pytest.mark.parametrize("distinct", [3, 120, 100_000])
def test_long_files_do_not_hang(distinct: int) -> None:
    """20,000 lines, repeated or not, edited in many places: exact and at once."""
    rng = random.Random(distinct)
    old = [f"line {rng.randrange(distinct)}\n" for _ in range(20_000)]
    new = old[:]
    for at in rng.sample(range(20_000), 50):
        new[at] = f"edited {at}\n"
    for at in rng.sample(range(19_000), 40):
        new.insert(at, new[at + 5])
    delta = make_delta("".join(old), "".join(new))
    assert delta is not None
    marks = [line[0] for line in delta.text.splitlines() if not line.startswith("@@")]
    assert len(marks) - marks.count(" ") <= 2 * 50 + 40
    assert make_delta("".join(old), "".join(old[::-1])) is None
    shuffled = old[:]
    rng.shuffle(shuffled)
    assert make_delta("".join(old), "".join(shuffled)) is None


@pytest.mark.parametrize(
    "delta",
    [
        "x",
        "+a\n",
        "@@ -1 @@\n",
        "@@ -9,1 +9,1 @@\n-a\n",
        "@@ -1,1 +1,1 @@\n-b\n+c\n",
        "@@ -1,2 +1,1 @@\n-a\n",
        "@@ -1,1 +1,1 @@\n?\n",
    ],
)
def test_a_wrong_delta_is_refused(delta: str) -> None:
    """What does not fit is an error, never a wrong text."""
    with pytest.raises(ValueError, match=r"."):
        apply_delta("a\n", delta)
