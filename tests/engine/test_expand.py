"""Parts of a text behind a handle: lines, ends, and what is around a word (M2)."""

from __future__ import annotations

import pytest

from ibid.engine import index
from ibid.engine.memory import Memory
from ibid.engine.recall.expanding import Part
from ibid.errors import InputError
from ibid.store.archive import ArchiveItem

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def store(memory: Memory, text: str) -> str:
    """Archive a text; return its number."""
    with memory.store.write() as connection:
        item = ArchiveItem(text.encode(), memory.clock.now())
        return f"#{index.ensure_archived(connection, item).id}"


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        (Part(3, 5), [3, 4, 5]),
        (Part(29, 99), [29, 30]),
        (Part(40, 50), []),
        (Part(head=2), [1, 2]),
        (Part(tail=2), [29, 30]),
        (Part(head=1, tail=2), [1, 29, 30]),
        (Part(head=20, tail=20), list(range(1, 31))),
        (Part(find="LINE 17"), [15, 16, 17, 18, 19]),
        (Part(find="nothing like it"), []),
    ],
)
def test_a_part_is_a_piece_of_the_text(
    memory: Memory, part: Part, lines: list[int]
) -> None:
    """The lines that were asked for, byte for byte; the size is the whole text's."""
    found = memory.expand(store(memory, TEXT), part=part)
    assert found.data.decode() == "".join(f"line {number}\n" for number in lines)
    told = [at for one in found.parts for at in range(one.first, one.last + 1)]
    assert told == lines
    assert (found.bytes, found.total) == (len(TEXT), 30)


def test_what_is_left_out_is_said(memory: Memory) -> None:
    """Numbered lines tell how many lack before, between and after."""
    found = memory.expand(store(memory, TEXT), part=Part(head=1, tail=1))
    assert found.numbered() == "1: line 1\n[28 more lines]\n30: line 30"
    found = memory.expand(store(memory, TEXT), part=Part(2, 2))
    assert found.numbered() == "[1 more line]\n2: line 2\n[28 more lines]"


def test_a_secret_over_several_lines_is_masked_in_every_part(memory: Memory) -> None:
    """The whole is masked before it is cut: no part shows a piece of a key (E2)."""
    key = "-----BEGIN PRIVATE" + " KEY-----\n"
    key += "".join(f"{SECRET[4:]}{number:024}\n" for number in range(8))
    key += "-----END PRIVATE" + " KEY-----\n"
    name = store(memory, f"before\n{key}after\ntoken {SECRET}\n")
    for first in range(1, 14):
        found = memory.expand(name, part=Part(first, first))
        assert SECRET[4:] not in found.data.decode(), first
    found = memory.expand(name, part=Part(find="token"))
    assert b"token [redacted" in found.data


@pytest.mark.parametrize(
    "part", [Part(1, 2, head=1), Part(5, 3), Part(0, 3), Part(-1, 3), Part(head=-1)]
)
def test_parts_that_cannot_be_are_refused(memory: Memory, part: Part) -> None:
    """Two kinds at once, lines backwards or from 0: said, not guessed."""
    with pytest.raises(InputError):
        memory.expand(store(memory, TEXT), part=part)


def test_bytes_that_are_no_text_have_parts_too(memory: Memory) -> None:
    """Whatever was observed is cut at its line ends and nowhere else."""
    data = b"a\xff\n\xfe\x00b\nc"
    with memory.store.write() as connection:
        row = index.ensure_archived(connection, ArchiveItem(data, memory.clock.now()))
    assert memory.expand(f"#{row.id}", part=Part(2, 2)).data == b"\xfe\x00b\n"
