"""Each agent's hooks: what is understood, and exactly the keys it allows (R3, G8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.agents import hooks
from ibid.agents.hooks import HOOKED, load_adapter, recognise
from ibid.errors import InputError

ADDITIONAL = {"hookSpecificOutput": {"hookEventName", "additionalContext"}}

# Agent, input, moment, the keys of its answer (None: it takes no text there).
CASES: list[tuple[str, dict[str, Any], str, Any]] = [
    ("claude-code", {"hook_event_name": "SessionStart"}, "start", ADDITIONAL),
    ("claude-code", {"hook_event_name": "UserPromptSubmit"}, "prompt", ADDITIONAL),
    ("claude-code", {"hook_event_name": "SubagentStart"}, "subagent", ADDITIONAL),
    ("claude-code", {"hook_event_name": "PreCompact"}, "compacting", None),
    ("claude-code", {"hook_event_name": "PostCompact"}, "compacted", None),
    ("claude-code", {"hook_event_name": "Stop"}, "stop", None),
    ("claude-code", {"hook_event_name": "SessionEnd"}, "end", None),
    ("codex", {"hook_event_name": "SessionStart"}, "start", ADDITIONAL),
    ("codex", {"hook_event_name": "UserPromptSubmit"}, "prompt", ADDITIONAL),
    ("codex", {"hook_event_name": "PreCompact"}, "compacting", None),
    ("codex", {"hook_event_name": "SessionEnd"}, "end", None),
    ("gemini", {"hook_event_name": "SessionStart"}, "start", ADDITIONAL),
    ("gemini", {"hook_event_name": "BeforeAgent"}, "prompt", ADDITIONAL),
    ("gemini", {"hook_event_name": "PreCompress"}, "compacting", None),
    ("gemini", {"hook_event_name": "AfterAgent"}, "stop", None),
    ("opencode", {"event": "session.created"}, "start", {"context": None}),
    ("opencode", {"event": "chat.message"}, "prompt", {"context": None}),
    ("opencode", {"event": "session.compacting"}, "compacting", None),
    ("opencode", {"event": "session.compacted"}, "start", {"context": None}),
    ("opencode", {"event": "session.idle"}, "stop", None),
    ("copilot", {"hookEventName": "SessionStart"}, "start", ADDITIONAL),
    ("copilot", {"hookEventName": "UserPromptSubmit"}, "prompt", None),
    ("copilot", {"hookEventName": "SubagentStart"}, "subagent", ADDITIONAL),
    ("copilot", {"hookEventName": "PreCompact"}, "compacting", None),
    ("copilot", {hooks.EVENT: "sessionStart"}, "start", {"additionalContext": None}),
    (
        "copilot",
        {hooks.EVENT: "userPromptSubmitted"},
        "prompt",
        {"additionalContext": None},
    ),
    ("copilot", {hooks.EVENT: "agentStop"}, "stop", None),
    ("cursor", {"hook_event_name": "sessionStart"}, "start", {"additional_context": 0}),
    ("cursor", {"hook_event_name": "beforeSubmitPrompt"}, "prompt", None),
    ("cursor", {"hook_event_name": "preCompact"}, "compacting", None),
    ("cursor", {"hook_event_name": "sessionEnd"}, "end", None),
]
SESSION = {
    "copilot": "sessionId",
    "opencode": "sessionID",
    "cursor": "conversation_id",
}


@pytest.mark.parametrize(("agent", "told", "moment", "keys"), CASES)
def test_a_call_is_understood_and_answered_with_allowed_keys_only(
    agent: str, told: dict[str, Any], moment: str, keys: Any
) -> None:
    """One unknown key fails a hook of Codex; a text goes only where it is taken."""
    adapter = load_adapter(agent)
    told = {**told, SESSION.get(agent, "session_id"): "s1", "cwd": "/w"}
    call = adapter.from_hook(told, {})
    assert call is not None
    assert (call.agent, call.moment, call.session) == (agent, moment, "s1")
    assert adapter.may_answer(call) == (keys is not None)
    if keys is None:
        return
    answer = adapter.to_hook(call, "text")
    assert set(answer) == set(keys)
    inner = answer.get("hookSpecificOutput")
    if inner is not None:
        assert set(inner) == keys["hookSpecificOutput"]
        assert inner["additionalContext"] == "text"
        assert inner["hookEventName"] == call.event


@pytest.mark.parametrize("agent", HOOKED)
@given(
    st.dictionaries(
        st.sampled_from(
            (*SESSION.values(), "session_id", "hook_event_name", "event", hooks.EVENT)
        )
        | st.sampled_from(("hookEventName", "workspace_roots", "source", "prompt")),
        st.none()
        | st.integers()
        | st.lists(st.text())
        | st.sampled_from(["SessionStart", "Stop", "s1", "session.created", ""]),
    )
)
def test_no_input_is_too_odd(agent: str, told: dict[str, Any]) -> None:
    """Fields may be missing or of a wrong type: the call is understood or ignored."""
    adapter = load_adapter(agent)
    call = adapter.from_hook(told, {})
    if call is not None:
        assert call.session
        adapter.may_answer(call)


@pytest.mark.parametrize(
    ("told", "who"),
    [
        ({"session_id": "s", "hook_event_name": "Stop"}, "claude-code"),
        ({"sessionId": "s", "hookEventName": "Stop"}, "copilot"),
        ({"session_id": "s", "cursor_version": "2.1"}, "cursor"),
        ({"conversation_id": "s", "hook_event_name": "stop"}, "cursor"),
        (
            {
                "session_id": "s",
                "transcript_path": "/u/workspaceStorage/1/GitHub.copilot-chat/t.jsonl",
            },
            "copilot",
        ),
    ],
)
def test_the_host_is_known_by_its_own_keys(told: dict[str, Any], who: str) -> None:
    """VS Code and Cursor run Claude Code's hook files too."""
    assert recognise("claude-code", told) == who
    assert recognise("codex", told) == "codex"


def test_machines_and_forks_get_nothing() -> None:
    """A prompt that nobody typed recalls nothing; a fork has its text already."""
    adapter = load_adapter("claude-code")
    base = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Go"}
    for extra in ({"source": "loop_wakeup"}, {"prompt": "<task-notification>x"}):
        call = adapter.from_hook({**base, **extra}, {})
        assert call is not None
        assert not adapter.may_answer(call)
    fork = {"session_id": "s", "hook_event_name": "SessionStart", "source": "fork"}
    call = adapter.from_hook(fork, {})
    assert call is not None
    assert not adapter.may_answer(call)


def test_a_child_session_of_opencode_is_a_subagent_of_its_parent() -> None:
    """It gets what a subagent gets, and its parent is the session."""
    told = {"event": "session.created", "sessionID": "kid", "parentID": "top"}
    call = load_adapter("opencode").from_hook(told, {})
    assert call is not None
    assert (call.moment, call.session, call.scope) == ("subagent", "top", "kid")


def test_the_folder_a_session_began_in_is_taken_before_the_present_one() -> None:
    """A session belongs to the project of its first working directory (S1)."""
    told = {"session_id": "s", "hook_event_name": "Stop", "cwd": "/p/sub"}
    call = load_adapter("claude-code").from_hook(told, {"CLAUDE_PROJECT_DIR": "/p"})
    assert call is not None
    assert call.cwd == "/p"


def test_an_agent_without_hooks_is_said() -> None:
    """The message names those that have some."""
    with pytest.raises(InputError, match="claude-code"):
        load_adapter("emacs")
