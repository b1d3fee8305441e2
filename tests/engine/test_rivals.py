"""Another memory beside ours is named, wherever it comes in (Q1)."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.engine.keep import rivals
from ibid.engine.keep.rivals import ACTIVE, LEFTOVER, Traces, find_rivals
from ibid.engine.memory import Memory
from ibid.engine.model import ReadRequest, RecallRequest
from ibid.errors import InputError
from ibid.store import findings


def seen(value: Any = None, **environ: str) -> list[tuple[str, str, str]]:
    """Return (rival, state, what) of what one settings file and environment show."""
    rows = () if value is None else (("~/s.json", value, False),)
    return [one[:3] for one in find_rivals(Traces(rows, environ, ()))]


def hook(command: str, **more: Any) -> dict[str, Any]:
    """Settings in Claude Code's form with one hook."""
    one = {"type": "command", "command": command, **more}
    return {"hooks": {"Stop": [{"matcher": "", "hooks": [one]}]}}


@pytest.mark.parametrize(
    ("command", "rival"),
    [
        ("cavemem hook run stop --ide claude-code", "cavemem"),
        ('node "/usr/lib/node_modules/cavemem/dist/index.js" hook', "cavemem"),
        ("npx -y claude-mem@13.2.1 hook stop", "claude-mem"),
        ("/home/me/.claude/plugins/cache/thedotmack/claude-mem/1/run.js", "claude-mem"),
        ("cd /x && /opt/lean-ctx hook", "lean-ctx"),
        (r"C:\Tools\lean-ctx.exe hook", "lean-ctx"),
        ("python -m headroom hook", "headroom"),
    ],
)
def test_a_hook_that_runs_a_rival_is_active(command: str, rival: str) -> None:
    """By program, package or path, with version and ending."""
    assert seen(hook(command)) == [(rival, ACTIVE, "hook Stop")]


@pytest.mark.parametrize(
    "value",
    [
        hook("/home/me/cavemem-notes/lint.sh"),
        hook("echo 'no cavemem here' > /dev/null"),
        hook("grep -q claude-mem package.json"),
        {"note": "cavemem", "model": "claude-mem"},
        {"hooks": {}, "mcpServers": {"docs": {"command": "docs"}}},
        {"permissions": {"deny": ["Bash(cavemem:*)"]}},
        {"hooks": None, "mcpServers": [], "plugin": 3, "env": "x"},
    ],
)
def test_talk_of_a_rival_is_none(value: Any) -> None:
    """A name in a sentence, a search or another project's path proves nothing."""
    assert seen(value) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            {"mcpServers": {"headroom": {"command": "uvx", "args": ["x"]}}},
            ("headroom", ACTIVE, "MCP server headroom"),
        ),
        (
            {
                "mcp_servers": {
                    "m": {"command": "npx", "args": ["-y", "cavemem", "mcp"]}
                }
            },
            ("cavemem", ACTIVE, "MCP server m"),
        ),
        (
            {"mcp": {"lean": {"type": "local", "command": ["lean-ctx", "mcp"]}}},
            ("lean-ctx", ACTIVE, "MCP server lean"),
        ),
        (
            {"mcp": {"cavemem": {"command": ["cavemem"], "enabled": False}}},
            ("cavemem", LEFTOVER, "MCP server cavemem"),
        ),
        (
            {"mcp": {"servers": {"cavemem": {"command": "x"}}}},
            ("cavemem", ACTIVE, "MCP server cavemem"),
        ),
        (
            {"enabledPlugins": {"claude-mem@thedotmack": True}},
            ("claude-mem", ACTIVE, "plugin claude-mem@thedotmack"),
        ),
        (
            {"enabledPlugins": {"claude-mem@thedotmack": False}},
            ("claude-mem", LEFTOVER, "plugin claude-mem@thedotmack"),
        ),
        ({"plugin": ["cavemem@1.0"]}, ("cavemem", ACTIVE, "plugin cavemem@1.0")),
        (
            {"hooks": {"stop": [{"command": "cavemem hook"}]}, "version": 1},
            ("cavemem", ACTIVE, "hook stop"),
        ),
        (
            {"hooks": {"agentStop": [{"type": "command", "bash": "lean-ctx h"}]}},
            ("lean-ctx", ACTIVE, "hook agentStop"),
        ),
        ({"notify": ["cavemem", "notify"]}, ("cavemem", ACTIVE, "hook notify")),
        (
            {"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8787"}},
            ("headroom", ACTIVE, "variable ANTHROPIC_BASE_URL"),
        ),
        (
            {**hook("cavemem hook"), "disableAllHooks": True},
            ("cavemem", LEFTOVER, "hook Stop"),
        ),
    ],
)
def test_each_way_in_is_seen(value: Any, expected: tuple[str, str, str]) -> None:
    """Servers, plugins, hooks and environment in the forms of all agents."""
    assert seen(value) == [expected]


def test_the_environment_counts() -> None:
    """A variable of a rival's own is active, unless it switches it off."""
    assert seen(CAVEMEM_HOME="/x")[0][:2] == ("cavemem", ACTIVE)
    assert seen(OPENAI_BASE_URL="http://localhost:8787/v1")[0][0] == "headroom"
    assert seen(HEADROOM_MEMORY="0")[0][:2] == ("headroom", LEFTOVER)
    assert seen(CAVEMEM_NO_AUTOSTART="1")[0][:2] == ("cavemem", LEFTOVER)
    assert seen(OPENAI_BASE_URL="https://api.example.com:8787") == []


def test_a_folder_is_only_left_over() -> None:
    """What lies on the disk alone warns and does not refuse."""
    found = find_rivals(Traces((), {}, ("~/.cavemem", "~/.claude-mem")))
    assert {one.state for one in found} == {LEFTOVER}
    assert rivals.active(found, frozenset()) == []


def test_the_refusal_names_rival_place_and_way_out() -> None:
    """One sentence says who, where, how to remove it and how to allow it."""
    found = find_rivals(Traces((("~/s.json", hook("cavemem hook"), False),), {}, ()))
    said = rivals.refusal(rivals.active(found, frozenset()))
    assert said.startswith("cavemem is active (hook Stop in ~/s.json).")
    assert "nothing was changed" in said
    assert said.endswith("ibid doctor --allow cavemem")
    assert rivals.active(found, frozenset({"cavemem"})) == []


def test_recall_is_silent_beside_a_rival_until_it_is_allowed(memory: Memory) -> None:
    """Recall and the start of a session read what was noted, and say why."""
    findings.record(memory.home, memory.project.key, ["cavemem"], [])
    answer = memory.recall(RecallRequest("why do uploads retry?", "s", "claude-code"))
    assert answer.block is None
    assert "cavemem is active" in answer.reason
    assert memory.session_start("s", "claude-code") is None
    with pytest.raises(InputError, match="no-such"):
        memory.allow_rival("no-such")
    memory.allow_rival("cavemem")
    answer = memory.recall(RecallRequest("why do uploads retry?", "s", "claude-code"))
    assert answer.reason == "nothing relevant is known"


def test_a_rival_of_one_project_leaves_others_alone(memory: Memory) -> None:
    """What a repository's own settings bring in holds for that project only."""
    findings.record(memory.home, "elsewhere", [], ["cavemem"])
    assert memory.switches().beside == ""
    findings.record(memory.home, memory.project.key, [], ["lean-ctx"])
    assert "lean-ctx" in memory.switches().beside
    findings.record(memory.home, memory.project.key, [], [])
    assert memory.switches().beside == ""
    assert findings.load(memory.home, "elsewhere") == ["cavemem"]


def test_no_read_is_shortened_beside_a_rival(memory: Memory) -> None:
    """The ledger gives whole texts until the rival is gone or allowed."""
    text = "".join(f"value_{n} = compute(left, right, {n})\n" for n in range(60))
    asked = ReadRequest(f"{memory.project.path}/src/box.py", "s1")
    memory.read(asked, text)
    findings.record(memory.home, memory.project.key, ["cavemem"], [])
    answer = memory.read(asked, text)
    assert (answer.answer, answer.text) == ("full", text)
    memory.allow_rival("cavemem")
    assert memory.read(asked, text).answer == "stub"
