"""Line differences that are minimal, quick, and proven before they are sent (N2).

Lines end at a line feed and nowhere else, so that a carriage return, a form feed or a
Unicode separator stays inside its line and every text is put together again exactly.
Equal heads and tails are cut off first, lines become numbers, and rapidfuzz finds the
shortest edit; its time does not depend on what the lines say.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_CHANGED = 120  # Lines; with more the whole text is the better answer (N2).
MOST_CELLS = 400_000_000  # Compared lines, at an eighth of a byte each: 50 MB.
CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file\n"


class Change(NamedTuple):
    """Lines ``start`` to ``end`` of the old text became those of the new; from 0."""

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def lines(self) -> int:
        """How many lines changed: a replaced line counts once."""
        return max(self.end - self.start, self.new_end - self.new_start)


class Delta(NamedTuple):
    """A unified diff without file heads, and how many lines it changes."""

    text: str
    changed: int
    at_end: bool  # Whether it changes the last line of either text.


def make_delta(
    old: str, new: str, first: int = 1, most: int = MOST_CHANGED
) -> Delta | None:
    """Return what makes ``new`` of ``old``; None if it is too much or not certain.

    ``first`` is the number of the texts' first line in their file; ``most`` the lines
    that may change.  A delta is returned only after it was applied and gave ``new``.
    """
    before, after = split_lines(old), split_lines(new)
    changes = find_changes(before, after, most)
    if changes is None:
        return None
    text = "".join(_hunks(before, after, changes, first))
    if apply_delta(old, text, first) != new:
        return None
    last = changes[-1] if changes else Change(0, 0, 0, 0)
    at_end = bool(changes) and (last.end == len(before) or last.new_end == len(after))
    return Delta(text, sum(change.lines for change in changes), at_end)


def split_lines(text: str) -> list[str]:
    r"""Return the lines of ``text`` with their line feeds; joined they are ``text``.

    >>> split_lines("a\r\nb\x0cc\n"), split_lines("a\nb"), split_lines("")
    (['a\r\n', 'b\x0cc\n'], ['a\n', 'b'], [])
    """
    lines = text.split("\n")
    last = lines.pop()
    found = [line + "\n" for line in lines]
    return [*found, last] if last else found


def find_changes(
    old: Sequence[str], new: Sequence[str], most: int = MOST_CHANGED
) -> list[Change] | None:
    """Return the fewest changes from ``old`` to ``new``, in order.

    None when more than ``most`` lines change or the texts are too large to compare.
    """
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    if not one and not other:
        return []
    if not one or not other:
        change = Change(head, head + len(one), head, head + len(other))
        return [change] if change.lines <= most else None
    if _at_least(one, other) > most or len(one) * len(other) > MOST_CELLS:
        return None
    changes = _shortest(one, other, most)
    if changes is None:
        return None
    moved = [Change(*(number + head for number in change)) for change in changes]
    return moved if sum(change.lines for change in moved) <= most else None


def apply_delta(old: str, delta: str, first: int = 1) -> str:
    """Return the text that ``delta`` makes of ``old``.

    ``first`` as it was given to `make_delta`.

    Raises:
        ValueError: the delta is no delta, or was made for another text.
    """
    before = split_lines(old)
    lines = _marked_lines(delta)
    made: list[str] = []
    at = here = 0
    while here < len(lines):
        start, end = _read_head(lines[here], first)
        if not at <= start <= len(before):
            raise ValueError("the hunk lies outside the text")
        made += before[at:start]
        at, here = start, here + 1
        while here < len(lines) and not lines[here].startswith("@@"):
            mark, text = lines[here][:1], lines[here][1:]
            if mark != "+":
                if before[at : at + 1] != [text]:
                    raise ValueError(f"line {at + first} is not what it should be")
                at += 1
            if mark != "-":
                made.append(text)
            here += 1
        if at != end:
            raise ValueError("the hunk is not whole")
    return "".join(made + before[at:])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many first items two sequences share."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _at_least(old: Sequence[str], new: Sequence[str]) -> int:
    """Return a number of changed lines below which no diff can stay; linear."""
    before, after = Counter(old), Counter(new)
    return max((before - after).total(), (after - before).total())


def _shortest(old: Sequence[str], new: Sequence[str], most: int) -> list[Change] | None:
    from rapidfuzz.distance import Indel

    numbers: dict[str, int] = {}
    one = [numbers.setdefault(line, len(numbers)) for line in old]
    other = [numbers.setdefault(line, len(numbers)) for line in new]
    # A changed line costs at most two, one out and one in.
    if Indel.distance(one, other, score_cutoff=2 * most) > 2 * most:
        return None
    changes: list[Change] = []
    for code in Indel.opcodes(one, other):
        if code.tag == "equal":
            continue
        start, new_start = code.src_start, code.dest_start
        if changes and (changes[-1].end, changes[-1].new_end) == (start, new_start):
            last = changes.pop()
            start, new_start = last.start, last.new_start
        changes.append(Change(start, code.src_end, new_start, code.dest_end))
    return changes


# -- writing and reading hunks -------------------------------------------------------


def _hunks(
    old: Sequence[str], new: Sequence[str], changes: Sequence[Change], first: int
) -> Iterator[str]:
    for group in _grouped(changes):
        start = max(group[0].start - CONTEXT, 0)
        end = min(group[-1].end + CONTEXT, len(old))
        new_start = group[0].new_start - (group[0].start - start)
        new_end = group[-1].new_end + (end - group[-1].end)
        yield (
            f"@@ -{_range(start, end, first)} +{_range(new_start, new_end, first)} @@\n"
        )
        at = start
        for change in group:
            yield from _marked(" ", old[at : change.start])
            yield from _marked("-", old[change.start : change.end])
            yield from _marked("+", new[change.new_start : change.new_end])
            at = change.end
        yield from _marked(" ", old[at:end])


def _grouped(changes: Sequence[Change]) -> list[list[Change]]:
    """Return changes so near each other that their context meets, together."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change.start - groups[-1][-1].end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _range(start: int, end: int, first: int) -> str:
    """Return a range as a hunk's head names it: an empty one by the line before."""
    length = end - start
    return f"{start + first - (length == 0)},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line
        if not line.endswith("\n"):
            yield "\n" + _NO_NEWLINE


def _marked_lines(delta: str) -> list[str]:
    """Return a delta's lines; one that has no line feed in the text has none here.

    Raises:
        ValueError: a line has no mark.
    """
    found: list[str] = []
    for line in split_lines(delta):
        if line == _NO_NEWLINE and found:
            found[-1] = found[-1].removesuffix("\n")
        elif line[0] not in " -+@":
            raise ValueError(f"a line of a delta begins with {line[0]!r}")
        else:
            found.append(line)
    return found


def _read_head(line: str, first: int) -> tuple[int, int]:
    """Return where a hunk begins and ends in the old text, from 0, the end excluded."""
    parts = line.split(" ")
    if len(parts) != 4 or parts[0] != "@@" or parts[3] != "@@\n":
        raise ValueError("a hunk should begin here")
    start, _, count = parts[1].removeprefix("-").partition(",")
    begin = int(start) - first + (count == "0")
    return begin, begin + int(count)
