"""What the command line prints fits the terminal, and says so when there is nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from rich.cells import cell_len

from ibid.faces.cli import render

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "sessions" / "6513270e-269e-4d37-b2a7-4de452e6b438.jsonl"

HEADS = ("id", "left", "why", "sentence")
ROW = (
    "c-24vget2t2",
    "waits for you",
    "from a session before Ibid was here",
    "Uploader.send must never retry more than three times, 绝不能.",
)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes standard output a terminal of some width."""

    def make(width: int) -> None:
        monkeypatch.setattr("rich.console.Console.is_terminal", True)
        monkeypatch.setattr("rich.console.Console.width", width)

    return make


def drawn(capsys: pytest.CaptureFixture[str], *given: Any) -> list[str]:
    """Return the lines of a table."""
    render.table(*given)
    return click.unstyle(capsys.readouterr().out).splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_nothing_of_a_table_is_cut(
    terminal: Any, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    """At any width each line fits, and every letter of every cell is there."""
    terminal(width)
    lines = drawn(capsys, HEADS, [ROW])
    assert max(map(cell_len, lines)) <= width
    printed, given = "".join(lines), "".join([*HEADS, *ROW])
    assert sorted(printed.replace(" ", "")) == sorted(given.replace(" ", ""))
    assert ROW[0] in printed


def test_a_terminal_too_narrow_for_anything_gets_all_the_same(
    terminal: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three columns are no table, and no reason to fail or to hang."""
    terminal(3)
    printed = "".join(drawn(capsys, HEADS, [ROW]))
    assert len(printed.replace(" ", "")) == len(
        "".join([*HEADS, *ROW]).replace(" ", "")
    )


def test_a_last_cell_without_room_stands_beneath(
    terminal: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody reads a sentence in a column of three letters."""
    terminal(80)
    assert drawn(capsys, HEADS, [ROW]) == [
        "id           left           why",
        "    sentence",
        "c-24vget2t2  waits for you  from a session before Ibid was here",
        "    Uploader.send must never retry more than three times, 绝不能.",
    ]


def test_what_is_piped_has_no_blanks_at_its_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A row is as long as its words, however long another's are."""
    lines = drawn(capsys, ("a", "b"), [("1", "x" * 90), ("2", ""), ("3", "y")])
    assert lines == ["a  b", f"1  {'x' * 90}", "2", "3  y"]


def test_an_empty_table_says_what_is_not_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On standard error, so that what counts lines counts none."""
    render.table(HEADS, [], "Nothing waits.")
    assert capsys.readouterr() == ("", "Nothing waits.\n")


def test_a_line_keeps_what_is_set_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """Indentation and gaps stay; line ends and tabs within do not."""
    render.line("ok    rival: one\n   two\tthree  \n\n")
    render.line("      → next")
    render.line("")
    assert capsys.readouterr().out == "ok    rival: one two three\n      → next\n\n"


def test_a_list_shows_the_beginning_of_a_long_text() -> None:
    """At most 240 characters, and it says that there is more."""
    assert render.brief("a\n b") == "a b"
    assert render.brief("x" * 240) == "x" * 240
    cut = render.brief("y " * 400)
    assert len(cut) <= 240
    assert cut.endswith("y …")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["note", "list"], "`ibid note add`"),
        (["review", "list"], "Nothing waits."),
        (["review", "list", "--state", "expired"], "No candidate is expired."),
        (["session", "list"], "`ibid import`"),
        (["receipts"], "Nothing was given"),
        (["reads"], "No session has read"),
        (["claim"], "No path is claimed."),
        (["report"], "Nothing was counted here yet."),
        (["import"], "ibid import PATH"),
    ],
)
def test_nothing_is_said_in_words(ibid: Any, words: list[str], said: str) -> None:
    """A memory without rows says so and what to do; JSON stays empty."""
    assert said in ibid(*words).stderr
    assert "id  " not in ibid(*words).stdout


def test_a_state_that_is_none_is_refused(ibid: Any) -> None:
    """An empty list for a misspelt state would be a false answer."""
    assert "'withdrawn'" in ibid("review", "list", "--state", "bogus", status=2).stderr


def test_sessions_are_named_as_short_as_is_unique(ibid: Any) -> None:
    """What the list shows is what the other commands take."""
    ibid("import", str(SAMPLE))
    row = ibid("session", "list").stdout.splitlines()[1]
    assert row.split()[0] == "6513270e"
    done = ibid("export", "--transcript", row.split()[0])
    assert done.stdout_bytes == SAMPLE.read_bytes()


def test_a_note_is_edited_as_a_candidate_is(ibid: Any) -> None:
    """The new wording may follow the id; given twice it is refused."""
    ibid("note", "add", "The queue is called heron.")
    assert "stork" in ibid("note", "edit", "n-", "It is", "called stork.").stdout
    ibid("note", "edit", "n-", "It is", "--text", "called crane", status=2)


def test_an_instruction_file_needs_something_to_say(ibid: Any) -> None:
    """Without a note nothing is asked for: it is not there already."""
    done = ibid("instructions", "CLAUDE.md", status=2)
    assert "--note ID" in done.stderr
    assert "already" not in done.stderr


def ran(project: Path, words: list[str], out: Any) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ibid", *words], cwd=project, stdout=out, stderr=-1
    )


def test_a_reader_that_leaves_ends_it_quietly(project: Path) -> None:
    """However little was printed: nothing on standard error, status 0."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        process = ran(project, ["policy", "get"], out)
    _, said = process.communicate()
    assert (said, process.returncode) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_is_said_in_a_sentence(project: Path) -> None:
    """Not by a traceback, and not by an error at exit."""
    with Path("/dev/full").open("wb") as out:
        process = ran(project, ["policy", "get"], out)
        _, said = process.communicate()
    assert said.startswith(b"ibid: Cannot print: no space left")
    assert len(said.splitlines()) == 1
    assert process.returncode == 1
