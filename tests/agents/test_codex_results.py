"""What comes of Codex's calls: shells that show files, patches, MCP, errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from records import of, read
from rollouts import CWD, MID, OLD, PATH, Rollout

from ibid.agents import events as e
from ibid.agents.codex import transcript as codex
from ibid.agents.events import Batch


def after(*steps: tuple[str, Any]) -> Batch:
    """Return what a reader makes of calls and their outputs."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("Go.")
    for method, arguments in steps:
        getattr(log, method)(*arguments)
    return read(codex, log.data(), PATH)


@pytest.mark.parametrize("version", [OLD, MID])
def test_a_shell_that_shows_a_file_is_a_read(version: str) -> None:
    """The lines are those the model saw, without the header of the output."""
    log = Rollout(version)
    log.meta()
    log.begin()
    log.ask("Look.")
    log.run("c1", "nl -ba src/a.py | sed -n '2,3p'", "     2\tx\n     3\t\n")
    batch = read(codex, log.data(), PATH)
    [shown], [tool] = of(batch, e.Read), of(batch, e.Tool)
    assert (shown.path, shown.first, shown.last, shown.text, shown.total) == (
        f"{CWD}/src/a.py",
        2,
        3,
        "x\n",
        0,
    )
    assert shown.head.id == tool.head.id == "c1"
    assert e.FILES in tool.flags


@pytest.mark.parametrize(
    "output",
    [
        "Exit code: 1\nWall time: 0 seconds\nOutput:\ncat: a: No such file\n",
        "Exit code: 0\nWall time: 0 seconds\nTotal output lines: 900\nOutput:\nx\n",
        "Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n…12 tokens truncated…\ny\n",
        "Chunk ID: 1\nProcess running with session ID 7\nOutput:\nx\n",
        "exec command rejected by user",
        "x\n",
    ],
)
def test_an_output_that_may_not_be_the_file_is_none(output: str) -> None:
    """Cut, failed, unfinished or unexplained: in doubt nothing was shown (N4)."""
    log = Rollout()
    log.meta()
    log.begin()
    log.call("c1", "shell_command", command="cat a")
    log.output("c1", output)
    batch = read(codex, log.data(), PATH)
    assert of(batch, e.Read) == []
    assert of(batch, e.Tool)[0].output == output


def test_a_command_that_fails_is_an_error() -> None:
    """The exit code says so, in the header or in the envelope."""
    batch = after(("run", ("c1", "make", "boom", 2)), ("run", ("c2", "make", "", 0)))
    assert [tool.error for tool in of(batch, e.Tool)] == [True, False]


def test_a_command_runs_in_the_folder_it_names() -> None:
    """Relative paths belong to the call's folder, not to the session's."""
    log = Rollout()
    log.meta()
    log.begin()
    log.call("c1", "shell_command", command="cat b.txt", workdir="/srv/other")
    log.output("c1", "Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n")
    [shown] = of(read(codex, log.data(), PATH), e.Read)
    assert shown.path == "/srv/other/b.txt"


def test_a_patch_is_an_edit_for_each_place() -> None:
    """Added files are whole; each hunk of another file is an edit of its own."""
    patch = (
        "*** Begin Patch\n*** Add File: n.txt\n+one\n+two\n"
        "*** Update File: m.txt\n@@ def f\n ctx\n-a\n+b\n@@\n-c\n*** End Patch\n"
    )
    found = of(after(("patch", ("c1", patch))), e.Edit)
    assert [(x.path, x.before, x.after, x.whole) for x in found] == [
        (f"{CWD}/n.txt", "", "one\ntwo", True),
        (f"{CWD}/m.txt", "ctx\na", "ctx\nb", False),
        (f"{CWD}/m.txt", "c", "", False),
    ]
    assert len({x.head.id for x in found}) == 3


def test_a_patch_that_failed_changed_nothing() -> None:
    """A verification error is an error, and no edit."""
    patch = "*** Begin Patch\n*** Update File: m.txt\n@@\n-a\n+b\n*** End Patch"
    failed = "apply_patch verification failed: Failed to find expected lines"
    batch = after(("patch", ("c1", patch, failed)))
    assert of(batch, e.Edit) == []
    assert of(batch, e.Tool)[0].error


@pytest.mark.parametrize(
    "command",
    [
        ["apply_patch", "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch"],
        [
            "bash",
            "-lc",
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n\n+x\nEOF",
        ],
    ],
)
def test_a_patch_through_a_shell_is_an_edit(command: list[str]) -> None:
    """Models also write patches as commands."""
    log = Rollout(OLD)
    log.meta()
    log.ask("Go.")
    log.call("c1", "shell", command=command)
    log.output("c1", json.dumps({"output": "Success", "metadata": {"exit_code": 0}}))
    batch = read(codex, log.data(), PATH)
    assert [x.path for x in of(batch, e.Edit)] == [f"{CWD}/n"]
    assert of(batch, e.Tool)[0].kind == "edit"


def test_a_patch_that_a_script_made_is_told_by_its_event() -> None:
    """Its call has another id, or none; what failed changed nothing."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("Go.")
    diff = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    changes = {
        "/srv/shop/a.py": {"type": "update", "unified_diff": diff, "move_path": None},
        "/srv/shop/n.py": {"type": "add", "content": "new\n"},
        "/srv/shop/d.py": {"type": "delete", "content": "old\n"},
    }
    log.event("patch_apply_end", call_id="x1", success=True, changes=changes)
    log.event("patch_apply_end", call_id="x2", success=False, changes=changes)
    found = of(read(codex, log.data(), PATH), e.Edit)
    assert [(x.path, x.before, x.after) for x in found] == [
        ("/srv/shop/a.py", "a\nb", "a\nc"),
        ("/srv/shop/n.py", "", "new\n"),
        ("/srv/shop/d.py", "old\n", ""),
    ]


def test_an_mcp_tool_names_its_server() -> None:
    """By its name, by a namespace, or by the event of its end."""
    log = Rollout()
    log.meta()
    log.begin()
    log.call("c1", "mcp__tracker__list")
    log.output("c1", "[]")
    log.item(
        "function_call",
        name="search",
        namespace="mcp__ibid__",
        arguments="{}",
        call_id="c2",
    )
    log.output("c2", "x")
    log.call("c3", "tracker__get")
    invocation = {"server": "tracker", "tool": "get"}
    log.event("mcp_tool_call_end", call_id="c3", invocation=invocation)
    log.output("c3", [{"type": "input_text", "text": "y"}])
    found = of(read(codex, log.data(), PATH), e.Tool)
    assert [(tool.mcp, tool.flags) for tool in found] == [
        ("tracker", (e.TOOLS, e.MCP)),
        ("ibid", (e.TOOLS, e.RECALLED)),
        ("tracker", (e.TOOLS, e.MCP)),
    ]
    assert found[2].output == "y"


def test_images_and_searches_flag_their_turn() -> None:
    """An image that a tool gave, and the web, come from outside (B7)."""
    log = Rollout()
    log.meta()
    log.begin()
    log.call("c1", "view_image", path="a.png")
    log.output("c1", [{"type": "input_image", "image_url": "data:"}])
    action = {"type": "search", "queries": ["tabs"]}
    log.event("web_search_end", call_id="w1", query="tabs", action=action)
    log.item("web_search_call", status="completed", action=action)
    found = of(read(codex, log.data(), PATH), e.Tool)
    assert [tool.flags for tool in found] == [
        (e.TOOLS, e.IMAGES),
        (e.TOOLS, e.BROWSER),
    ]
    assert found[0].output == "[image]"


def test_the_models_own_shell_is_read_too() -> None:
    """Some versions call the shell as an item of its own."""
    log = Rollout()
    log.meta()
    log.begin()
    action = {"type": "exec", "command": ["cat", "a.py"], "working_directory": CWD}
    log.item("local_shell_call", call_id="c1", action=action)
    log.output("c1", "Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n")
    assert [shown.path for shown in of(read(codex, log.data(), PATH), e.Read)] == [
        f"{CWD}/a.py"
    ]
