"""``ibid read`` and ``ibid reads``, as a script uses them (N, R6)."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from ibid.errors import InputError
from ibid.faces.cli.options import parse_range

TEXT = "".join(f"def step_{n}(parcel):\n    return {n}\n\n\n" for n in range(20))


@pytest.fixture(autouse=True)
def code(project: Path) -> Path:
    """A file of the project."""
    path = project / "src" / "box.py"
    path.parent.mkdir()
    path.write_bytes(TEXT.encode())
    return path


def test_a_script_reads_twice(ibid: Any) -> None:
    """The bytes of the file, then one line; --fresh gives the bytes again."""
    assert ibid("read", "src/box.py", "--session", "s1").stdout_bytes == TEXT.encode()
    again = ibid("read", "src/box.py", "--session", "s1").stdout
    assert again == "[unchanged] src/box.py 1-80, turn 0 #1\n"
    fresh = ibid("read", "src/box.py", "--session", "s1", "--fresh")
    assert fresh.stdout_bytes == TEXT.encode()
    assert ibid("expand", "#1").stdout_bytes == TEXT.encode()


def test_the_objects_are_those_of_the_wire(ibid: Any, code: Path) -> None:
    """Answer, text, tokens, handle and turn; ranges, scopes and deltas (N2)."""
    shape = json.loads(ibid("--json", "read", "src/box.py", "--session", "s1").stdout)
    assert set(shape) >= {"answer", "text", "tokens", "rawTokens", "handle", "turn"}
    assert (shape["answer"], shape["text"]) == ("full", TEXT)
    part = ("--json", "read", str(code), "--session", "s1", "--range", "5:40")
    shape = json.loads(ibid(*part).stdout)
    assert (shape["answer"], shape["lines"]) == ("stub", [5, 40])
    helper = json.loads(ibid(*part, "--scope", "helper").stdout)
    assert helper["answer"] == "full"
    code.write_text(TEXT.replace("return 7\n", "return 70\n"))
    shape = json.loads(ibid("--json", "read", str(code), "--session", "s1").stdout)
    assert shape["answer"] == "delta"
    assert "+    return 70\n" in shape["text"]


def test_reads_says_who_and_what_changed(ibid: Any, code: Path) -> None:
    """One file with its readers, or the last files (N7)."""
    ibid("read", "src/box.py", "--session", "first")
    code.write_text(TEXT.replace("return 7\n", "return 70\n"))
    done = ibid("read", "src/box.py", "--session", "second")
    assert "Read before: 1 session" in done.stderr
    assert "step_7() changed" in done.stderr
    code.write_text(TEXT)
    shape = json.loads(ibid("--json", "reads", "src/box.py").stdout)
    assert [one["session"] for one in shape["reads"]] == ["second", "first"]
    assert shape["since"]["symbols"] == [
        {"name": "step_7", "callable": True, "change": "changed"}
    ]
    assert "step_7() changed" in ibid("reads", "src/box.py").stdout
    listed = json.loads(ibid("--json", "reads").stdout)
    assert listed["total"] == 1
    assert listed["files"][0]["sessions"] == 2
    row = ibid("reads").stdout.splitlines()[1]
    assert row.split()[-1] == "src/box.py"  # From the project on.
    assert "no session knew it" in ibid("reads", "src/other.py").stdout


@pytest.mark.parametrize(
    "words",
    [
        ("src/none.py",),
        ("src",),
        ("src/box.py", "--range", "x"),
        ("src/box.py", "--range", "90:99"),
    ],
)
def test_what_cannot_be_read_says_so(ibid: Any, words: tuple[str, ...]) -> None:
    """A sentence and exit status 2, no traceback."""
    done = ibid("read", *words, "--session", "s1", status=2)
    assert done.stderr.startswith("ibid: ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3:9", (3, 9)), ("3-9", (3, 9)), (":9", (1, 9)), ("3:", (3, 0)), ("", (0, 0))],
)
def test_ranges(text: str, expected: tuple[int, int]) -> None:
    """Either end may be left out."""
    assert parse_range(text) == expected


@pytest.mark.parametrize("text", ["x", "0:3", "3:0", ":", "1:2:3", "-1:3", "3"])
def test_what_is_no_range(text: str) -> None:
    """Lines count from 1."""
    with pytest.raises(InputError):
        parse_range(text)


def test_a_secret_in_a_name_is_masked(ibid: Any, code: Path) -> None:
    """Files named for people, and symbols anywhere, are words like others (E1)."""
    token = "gh" + "p_" + secrets.token_hex(18)
    path = code.with_name(f"{token}.py")
    path.write_text(TEXT)
    ibid("read", str(path), "--session", "first")
    path.write_text(f"{TEXT}def {token}(parcel):\n    return 1\n")
    done = ibid("reads", str(path)).stdout + ibid("reads").stdout
    assert "[redacted:" in done
    assert token not in done
    shape = json.loads(ibid("--json", "reads", str(path)).stdout)
    assert [one["change"] for one in shape["since"]["symbols"]] == ["added"]
    assert token not in str(shape["since"])


def test_a_file_is_searched_for_alone(ibid: Any, code: Path) -> None:
    """``search --path`` lists what was seen of a file, with a word or without (F4)."""
    other = code.with_name("other.py")
    other.write_text(TEXT)
    ibid("read", "src/box.py", "--session", "s1")
    ibid("read", "src/other.py", "--session", "s1")
    for words in ((), ("parcel",)):
        for path in ("src/box.py", str(code)):
            asked = ("--json", "search", *words, "--archive", "--path", path)
            shape = json.loads(ibid(*asked).stdout)
            assert [hit["id"] for hit in shape["hits"]] == ["#1"], asked
    assert "--path" in ibid("search", status=2).output
