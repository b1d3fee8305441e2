"""Edits of other people's settings: nothing else moves, and undo is exact (R5)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.errors import InputError
from ibid.files import edits, jsonc, toml
from ibid.files.edits import JSON, TEXT, TOML, Entry

HOOK = {"hooks": [{"type": "command", "command": "/opt/ibid hook x", "timeout": 5}]}
SERVER = {"command": "/opt/ibid", "args": ["mcp"]}
ENTRIES = [
    Entry(("hooks", "Stop"), HOOK, append=True),
    Entry(("hooks", "Begin"), HOOK, append=True),
    Entry(("mcpServers", "ibid"), SERVER),
]

GAPS = [
    "",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\n  ",
    "\r\n\t",
    " // left, [as] {is}\n",
    "/* , */",
]
gaps = st.lists(st.sampled_from(GAPS), max_size=1).map("".join)
names = st.sampled_from(["a", "Stop", "model", 'q"uo\\te', "ключ"]) | st.text(
    max_size=4
)
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=6)


@st.composite
def written(draw: Any, value: Any) -> str:
    """A value as somebody may have typed it: comments, gaps, trailing commas."""
    if isinstance(value, dict | list):
        rows = []
        is_object = isinstance(value, dict)
        for name in value if is_object else range(len(value)):
            key = json.dumps(name) + draw(gaps) + ":" + draw(gaps) if is_object else ""
            rows.append(draw(gaps) + key + draw(written(value[name])) + draw(gaps))
        comma = "," if rows and draw(st.booleans()) else ""
        ends = "{}" if isinstance(value, dict) else "[]"
        return ends[0] + ",".join(rows) + comma + draw(gaps) + ends[1]
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3)
    ),
    max_leaves=4,
)
others = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(
            st.sampled_from(["Stop", "Begin", "Other"]),
            st.lists(values, max_size=3),
            max_size=3,
        ),
        "mcpServers": st.dictionaries(st.sampled_from("abc"), values, max_size=2),
        "rest": values,
        "more": values,
    },
)


@st.composite
def documents(draw: Any) -> tuple[dict[str, Any], bytes]:
    """Settings of somebody, as a value and as bytes."""
    value = draw(others)
    order = draw(st.permutations(list(value)))
    value = {key: value[key] for key in order}
    text = draw(gaps) + draw(written(value)) + draw(gaps)
    return value, (draw(st.sampled_from(["", "\ufeff"])) + text).encode()


@settings(max_examples=60, deadline=None)
@given(documents())
def test_install_and_undo_give_the_same_bytes(
    given: tuple[dict[str, Any], bytes],
) -> None:
    """Others' values stay, twice is the same as once, and undo is exact."""
    value, before = given
    done = edits.put_in(JSON, before, ENTRIES)
    assert edits.put_in(JSON, done.data, ENTRIES).data == done.data
    found = jsonc.loads(done.data.decode())
    for entry in ENTRIES:
        at = found[entry.path[0]][entry.path[1]]
        assert (at.pop() if entry.append else at) == entry.value
    del found["mcpServers"]["ibid"]
    for path in [("hooks", "Stop"), ("hooks", "Begin"), ("hooks",), ("mcpServers",)]:
        node = found if len(path) == 1 else found.get(path[0], {})
        if path in done.made and path[-1] in node and not node[path[-1]]:
            del node[path[-1]]
    assert found == value
    steps = json.loads(json.dumps(done.steps))
    assert edits.take_back(done.data, steps) == before


@settings(max_examples=40, deadline=None)
@given(documents(), st.sampled_from(["", "\n", " // new\n"]))
def test_entries_go_from_a_file_that_changed(
    given: tuple[dict[str, Any], bytes], added: str
) -> None:
    """Somebody else's later change stays; only ours goes, and the value is theirs."""
    value, before = given
    done = edits.put_in(JSON, before, ENTRIES)
    changed = done.data + added.encode()
    theirs = Entry(("later",), {"x": 1})
    changed = edits.put_in(JSON, changed, [theirs]).data
    left = edits.take_out(JSON, changed, done.added, done.made)
    assert jsonc.loads(left.decode()) == {**value, "later": {"x": 1}}


def test_the_lines_of_others_are_kept_whole() -> None:
    """Tabs, carriage returns, comments and a trailing comma stay where they stood."""
    before = (
        b'\xef\xbb\xbf{\r\n\t// models\r\n\t"model": "x", // fast\r\n\t"hooks": {\r\n'
        b'\t\t"Stop": [\r\n\t\t\t{"hooks": []} // theirs\r\n\t\t],\r\n\t},\r\n}\r\n'
    )
    after = edits.put_in(JSON, before, ENTRIES[:1]).data
    assert b'{"hooks": []}, // theirs\r\n\t\t\t{\r\n\t\t\t\t"hooks": [' in after
    assert after.count(b"\n") == after.count(b"\r\n")


def test_a_hook_that_somebody_tuned_is_still_ours() -> None:
    """A changed time-out is not doubled by set-up, and goes with the undo."""
    done = edits.put_in(JSON, b"{}", ENTRIES[:1])
    tuned = done.data.replace(b'"timeout": 5', b'"timeout": 9')
    assert edits.put_in(JSON, tuned, ENTRIES[:1]).data == tuned
    assert jsonc.loads(edits.take_out(JSON, tuned, ENTRIES[:1]).decode()) == {
        "hooks": {"Stop": []}
    }


def test_a_hook_put_into_our_group_stays() -> None:
    """Of a group that others joined only our own command goes."""
    other = {"type": "command", "command": "theirs"}
    group = {"hooks": [HOOK["hooks"][0], other]}
    data = json.dumps({"hooks": {"Stop": [group]}}).encode()
    left = edits.take_out(JSON, data, ENTRIES[:1], [("hooks", "Stop"), ("hooks",)])
    assert json.loads(left) == {"hooks": {"Stop": [{"hooks": [other]}]}}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"hooks": []}', "no object"),
        (b'{"hooks": {"Stop": {}}}', "already there"),
        (b'{"mcpServers": {"ibid": {"command": "other"}}}', "already there"),
        (b'{"a": 1', "Line 1"),
        (b'{"a": 1}}', "Line 1"),
        (b'{\n"a": [1 2]}', "Line 2"),
        (b"[" * 100_000, "deeper"),
        (b"{'a': 1}", "Line 1"),
        (b"/* open", "Line 1"),
        (b'\xff\xfe{\x00"\x00', "UTF-16"),
    ],
)
def test_what_cannot_be_edited_is_refused(data: bytes, said: str) -> None:
    """A file of another shape, or broken, is named and left alone."""
    with pytest.raises(InputError, match=said):
        edits.put_in(JSON, data, ENTRIES)


TOMLS = [
    b"",
    b"model = 'x'",
    b"# mine\r\nmodel = 'x' # fast\r\n\r\n[mcp_servers.other]\r\ncommand = 'a'\r\n",
    b"\xef\xbb\xbf[features]\nhooks = true\n\n\n",
    b"[mcp_servers]\n",
    b"[[things]]\na = 1\n# >>> ibid is no mark\n",
]
TABLE = Entry(("mcp_servers", "ibid"), {**SERVER, "env": {"IBID_HOME": '/a "b"\\c'}})


@pytest.mark.parametrize("before", TOMLS)
def test_toml_gets_a_block_and_loses_it(before: bytes) -> None:
    """The table is there by the parser's word; undo is exact, also after a change."""
    done = edits.put_in(TOML, before, [TABLE])
    assert done.data.startswith(before)
    found = tomllib.loads(done.data.decode("utf-8-sig"))
    assert found["mcp_servers"]["ibid"] == TABLE.value
    assert edits.put_in(TOML, done.data, [TABLE]).data == done.data
    assert edits.take_back(done.data, done.steps) == before
    later = done.data + b"[later]\nx = 1\n"
    left = edits.take_out(TOML, later, [TABLE])
    assert b"ibid]" not in left
    assert left.endswith(b"[later]\nx = 1\n")
    assert left.startswith(before)


@pytest.mark.parametrize(
    "before", [b"mcp_servers = {}\n", b"[mcp_servers.ibid]\ncommand='x'\n", b"a = \n"]
)
def test_toml_that_cannot_take_a_table_is_refused(before: bytes) -> None:
    """An inline table, a table of somebody else's, a broken file."""
    with pytest.raises(InputError):
        edits.put_in(TOML, before, [TABLE])


def test_a_file_of_ours_is_all_or_nothing() -> None:
    """Somebody else's file of that name stays; a changed one is not taken away."""
    entry = Entry((), "export const x = 1;\n")
    assert edits.put_in(TEXT, b"", [entry]).data == b"export const x = 1;\n"
    with pytest.raises(InputError):
        edits.put_in(TEXT, b"theirs", [entry])
    assert edits.take_out(TEXT, b"theirs", [entry]) == b"theirs"


def test_large_files_take_linear_time() -> None:
    """A megabyte of comments, strings or braces is edited, not hung on."""
    for filling in ('"a": "' + "\\\\" * 250_000 + '"', "// x\n" * 100_000, " " * 10**6):
        before = ("{" + filling + "}").encode()
        done = edits.put_in(JSON, before, ENTRIES[2:])
        assert edits.take_back(done.data, done.steps) == before


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """Settings that a dotfiles folder holds stay a link; a changed file is refused."""
    real = tmp_path / "dots" / "settings.json"
    real.parent.mkdir()
    real.write_bytes(b"{}")
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    edits.write(str(link), b'{"a": 1}', b"{}")
    assert link.is_symlink()
    assert real.read_bytes() == b'{"a": 1}'
    with pytest.raises(InputError, match="changed just now"):
        edits.write(str(link), b"{}", b"{}")


@pytest.mark.parametrize("braces", ["mcp_servers = {}\n", "mcp_servers = { o = {} }\n"])
def test_a_table_in_braces_is_left_alone_and_named(braces: str) -> None:
    """It is TOML, only nothing can be added behind it; it says what to do (R5)."""
    with pytest.raises(InputError, match=r"braces, write .* \[mcp_servers\.NAME\]"):
        toml.insertion(braces, ("mcp_servers", "ibid"), {"command": "ibid"})
