"""Which shell commands do nothing but show a file, and which lines they showed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.agents.views import Shown, View, find_view, script_of, shown_lines

ROOT = "/srv/shop"


@pytest.mark.parametrize(
    ("script", "view"),
    [
        ("cat a.py", View("/srv/shop/a.py")),
        ("cat  -- 'my file.py'", View("/srv/shop/my file.py")),
        ('cat "/etc/x y"', View("/etc/x y")),
        ("sed -n '1,220p' src/a.py", View("/srv/shop/src/a.py", 1, 220)),
        ("sed -n 5p a", View("/srv/shop/a", 5, 5)),
        ("sed -n '7,$p' a", View("/srv/shop/a", 7, 0)),
        ("head a", View("/srv/shop/a", 1, 10)),
        ("head -n 30 a", View("/srv/shop/a", 1, 30)),
        ("head -30 a", View("/srv/shop/a", 1, 30)),
        ("tail -n +4 a", View("/srv/shop/a", 4, 0)),
        ("nl -ba a", View("/srv/shop/a", 1, 0, True)),
        ("nl -ba a | sed -n '3,9p'", View("/srv/shop/a", 3, 9, True)),
        ("cat a | head -n 5", View("/srv/shop/a", 1, 5)),
        ("cat -n a", View("/srv/shop/a", 1, 0, True)),
        ("cd lib && cat a", View("/srv/shop/lib/a")),
        ("Get-Content -Path src\\a.ps1 -TotalCount 5", None),
        ("Get-Content src/a.ps1 -TotalCount 5", View("/srv/shop/src/a.ps1", 1, 5)),
        (
            "Get-Content a | Select-Object -Skip 4 -First 3",
            View("/srv/shop/a", 5, 7),
        ),
    ],
)
def test_plain_commands_show_a_file(script: str, view: View | None) -> None:
    """Their lines are known from the command alone."""
    assert find_view(script, ROOT) == view


@pytest.mark.parametrize(
    "script",
    [
        "cat a b",
        "cat a; ls",
        "cat a && cat b",
        "cat a > b",
        "cat $FILE",
        "cat `x`",
        "cat *.py",
        "cat ~/a",
        "cat a | grep x",
        "cat a || true",
        "cat <<EOF",
        "cat",
        "cat -A a",
        "type a",
        "nl a",
        "tail -n 5 a",
        "sed -n '1,5p;9p' a",
        "sed -n '5,2p' a",
        "sed 's/a/b/' a",
        "sed -n '1,5p' a | head -n 2",
        "head -n 5 a | sed -n '2,3p'",
        "ls\ncat a",
        "cat 'a",
        "",
    ],
)
def test_all_other_commands_show_nothing_for_sure(script: str) -> None:
    """In doubt a command showed no file (N4)."""
    assert find_view(script, ROOT) is None


def test_an_output_is_the_lines_asked_for() -> None:
    """One line end at its end is no line; fewer lines than asked for end the file."""
    view = View("/a", 3, 5)
    assert shown_lines(view, "x\ny\nz\n") == Shown("/a", 3, 5, "x\ny\nz", 0)
    assert shown_lines(view, "x\n") == Shown("/a", 3, 3, "x", 3)
    assert shown_lines(View("/a"), "x\ny") == Shown("/a", 1, 2, "x\ny", 2)
    assert shown_lines(view, "") is None
    assert shown_lines(view, "1\n2\n3\n4\n") is None


def test_numbers_are_taken_off_if_they_are_in_order() -> None:
    """A line whose number does not fit is not one of the file's."""
    view = View("/a", 9, 10, True)
    assert shown_lines(view, "     9\tx\n    10\t\n") == Shown("/a", 9, 10, "x\n", 0)
    assert shown_lines(view, "     9\tx\n    11\ty\n") is None
    assert shown_lines(view, "x\n") is None


def test_a_shells_script_is_its_last_argument() -> None:
    """Only of shells; other commands are joined if no word needs quotes."""
    assert script_of(["/bin/zsh", "-lc", "cat a"]) == "cat a"
    assert script_of(["pwsh", "-Command", "gc a"]) == "gc a"
    assert script_of(["sed", "-n", "1,$p", "a"]) == "sed -n '1,$p' a"
    assert script_of(["python", "-c", "cat a"]) == ""
    assert script_of(["cat", "a b"]) == ""
    assert script_of([]) == ""


@given(st.text(max_size=60))
def test_no_command_makes_it_raise(text: str) -> None:
    """Whatever stands behind a known beginning."""
    for start in ("cat ", "sed -n ", "head -n ", "nl -ba ", "cd x && cat "):
        view = find_view(start + text, ROOT)
        assert view is None or view.path


def test_long_commands_are_refused_at_once() -> None:
    """A hostile command of a megabyte is not even looked at."""
    assert find_view("cat " + "a/" * 500_000, ROOT) is None
    assert find_view("cat " + " " * 1_000_000 + "a b", ROOT) is None
