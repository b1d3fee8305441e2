"""Claude Code's folders and file names."""

from __future__ import annotations

from pathlib import Path

import pytest
from records import FOLDER, MAIN, SESSION

from ibid.agents.claude_code import transcript as claude
from ibid.agents.registry import find_agent, load_agent

HOME = Path("/home/eva")
SUBAGENTS = FOLDER / SESSION / "subagents"


def test_its_reader_is_found_by_name() -> None:
    """The registry knows the agent, and its files by their names alone."""
    assert load_agent("claude-code") is claude
    assert find_agent(MAIN) is claude


def test_its_folders_are_those_of_the_person_and_of_the_environment() -> None:
    """A configured folder comes first; home, desktop and Windows folders follow."""
    plain = claude.roots({}, HOME)
    assert HOME / ".claude" / "projects" in plain
    assert HOME / ".config" / "Claude" / "local-agent-mode-sessions" in plain
    env = {
        "CLAUDE_CONFIG_DIR": "/etc/claude",
        "APPDATA": "/roaming",
        "LOCALAPPDATA": "/local",
        "XDG_CONFIG_HOME": "/cfg",
    }
    found = claude.roots(env, HOME)
    assert found[0] == Path("/etc/claude/projects")
    assert Path("/cfg/Claude/local-agent-mode-sessions") in found
    assert Path("/roaming/Claude/local-agent-mode-sessions") in found
    assert any(str(root).startswith("/local/Packages/Claude_") for root in found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (MAIN, True),
        (FOLDER / "notes-of-mine.jsonl", True),
        (SUBAGENTS / "agent-a1b2c3.jsonl", True),
        (SUBAGENTS / "workflows" / "wf_1" / "agent-a1b2c3.jsonl", True),
        (FOLDER / "agent-a1b2c3.jsonl", True),
        (SUBAGENTS / "agent-acompact-9f8e.jsonl", False),
        (SUBAGENTS / "agent-aprompt_suggestion-9f8e.jsonl", False),
        (SUBAGENTS / "agent-aside_question-9f8e.jsonl", False),
        (SUBAGENTS / "workflows" / "wf_1" / "journal.jsonl", False),
        (SUBAGENTS / "agent-a1b2c3.meta.json", False),
        (HOME / ".claude" / "history.jsonl", False),
        (FOLDER / "rollout-2026.jsonl", False),
        (FOLDER / "work.ibid.jsonl", False),
        (FOLDER / SESSION / "tool-results" / "b1.txt", False),
    ],
)
def test_files_are_accepted_by_name(path: Path, expected: bool) -> None:
    """Sessions and subagents are read; summarisers, histories and others are not."""
    assert claude.accepts(path) is expected


def test_a_name_tells_session_and_subagent() -> None:
    """A session's file is named after it; a subagent's lies below its session."""
    assert claude.describe(MAIN)[:2] == (SESSION, "")
    assert claude.describe(SUBAGENTS / "agent-a1.jsonl")[:2] == (SESSION, "a1")
    deep = SUBAGENTS / "workflows" / "wf_1" / "agent-a2.jsonl"
    assert claude.describe(deep)[:2] == (SESSION, "a2")
    assert claude.describe(FOLDER / "agent-a3.jsonl")[:2] == ("", "a3")
