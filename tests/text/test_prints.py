"""Prints of the code that a note names, and what became of it (R4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.prints import CHANGED, FRESH, GONE, Code, judge

CRANE = """# Moves boxes.
LIMIT = 3

def lift(box, height=2):
    # slowly
    return box + height


class Crane:
    def turn(self, by):
        return by

    def lower(self):
        return 0
"""


def became(old: str, new: str, symbol: str = "", path: str = "crane.py") -> str | None:
    """Return what became of a symbol between two texts."""
    return judge(Code(old, path).print_of(symbol), Code(new, path).print_of(symbol))


@pytest.mark.parametrize(
    ("symbol", "old", "new", "state"),
    [
        ("lift", "box + height", "box - height", CHANGED),
        ("lift", "    # slowly\n", "", FRESH),
        ("lift", "return by", "return -by", FRESH),
        ("Crane.turn", "return by", "return -by", CHANGED),
        ("Crane.turn", "return 0", "return 1", FRESH),
        ("Crane", "return 0", "return 1", CHANGED),
        ("Crane", "box + height", "box - height", FRESH),
        ("Crane.lower", "def lower(self)", "def drop(self)", GONE),
        ("lift", "def lift", "def raise_", GONE),
        ("LIMIT", "LIMIT = 3", "LIMIT = 4", CHANGED),
        ("", "# Moves boxes.\n", "", FRESH),
        ("", "LIMIT = 3", "LIMIT = 4", CHANGED),
    ],
)
def test_a_print_is_of_the_symbol_alone(
    symbol: str, old: str, new: str, state: str
) -> None:
    """What else changes in the file, comments and layout, change nothing of it."""
    assert old in CRANE
    assert became(CRANE, CRANE.replace(old, new), symbol) == state


def test_what_does_not_parse_now_is_not_judged() -> None:
    """Between two key strokes code is broken: nothing is said of it (N3)."""
    broken = CRANE.replace("box + height", "box + (")
    assert became(CRANE, broken, "lift") is None
    assert became(CRANE, broken) is None


def test_without_a_grammar_lines_decide() -> None:
    """A language that no grammar reads is compared by the lines of the definition."""
    old = "sub lift {\n  $box + 1\n}\n\nsub lower {\n  0\n}\n"
    assert became(old, old.replace("  $box", "    $box"), "lift", "c.pl") == FRESH
    assert became(old, old.replace("+ 1", "+ 2"), "lift", "c.pl") == CHANGED
    assert became(old, old.replace("+ 1", "+ 2"), "lower", "c.pl") == FRESH


def test_a_key_of_a_settings_file_is_known_by_its_lines() -> None:
    """A name that is defined nowhere is where it is used."""
    old = "name: crane\nretry_limit: 3\nother: 1\n"
    assert became(old, old.replace("other: 1", "other: 2"), "retry_limit", "a.yml") == (
        FRESH
    )
    assert became(old, old.replace("3", "5"), "retry_limit", "a.yml") == CHANGED
    assert became(old, "name: crane\n", "retry_limit", "a.yml") == GONE
    assert Code(old, "a.yml").line_of("retry_limit", used=True) == 1
    assert Code(old, "a.yml").line_of("retry_limit") is None


def test_a_definition_that_is_only_called_now_is_gone() -> None:
    """A call that is left over does not keep its function alive."""
    assert became("def lift():\n    pass\n", "lift()\n", "lift", "c.py") == GONE


def test_line_ends_and_a_last_newline_are_layout() -> None:
    """The same file with other line ends is the same."""
    assert became("a\nb\n", "a\r\nb", "", "notes.txt") == FRESH


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_and_any_name_have_a_print(text: str, symbol: str) -> None:
    """No text fails, and nothing changes by itself."""
    print_ = Code(text, "a.py").print_of(symbol)
    assert print_ == "" or judge(print_, print_) == FRESH
    assert " @" not in print_


def test_many_symbols_of_one_name_take_no_time() -> None:
    """Thousands of classes with the same method are read once each."""
    text = "".join(f"class C{n}:\n    def go(self): return {n}\n" for n in range(4_000))
    code = Code(text, "a.py")
    assert code.line_of("go") == 1
    assert judge(code.print_of("go"), code.print_of("go")) == FRESH
