"""Claude Code's hooks: SessionStart, UserPromptSubmit, SubagentStart and silent ones.

Only text is added, never a result of its own tools replaced (N6).  After a compaction
the one way in is SessionStart with source ``compact``; PreCompact and PostCompact take
no text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, additional, text_of, told

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "claude-code"

_MOMENTS = {
    "SessionStart": hooks.START,
    "UserPromptSubmit": hooks.PROMPT,
    "PreCompact": hooks.COMPACTING,
    "PostCompact": hooks.COMPACTED,
    "SubagentStart": hooks.SUBAGENT,
    "Stop": hooks.STOP,
    "SessionEnd": hooks.END,
}
_ANSWERED = frozenset({hooks.START, hooks.PROMPT, hooks.SUBAGENT})
# Prompts that nobody typed, by the source that newer versions name, or their beginning.
_MACHINE = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})
_HARNESS = ("<task-notification>", "<local-command-", "<bash-", "<teammate-message")


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    call = told(data, AGENT, _MOMENTS, environ.get("CLAUDE_PROJECT_DIR", ""))
    if call is None:
        return None
    scope, role = text_of(data, "agent_id"), text_of(data, "agent_type")
    return call._replace(scope=scope, role=role)


def may_answer(call: Call) -> bool:
    """Say whether a text can be given: never to a fork, which has it, or a machine."""
    if call.moment not in _ANSWERED:
        return False
    if call.moment == hooks.PROMPT:
        return call.source not in _MACHINE and not call.prompt.startswith(_HARNESS)
    return call.source != hooks.FORK


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that adds ``text`` to the context."""
    return additional(call, text)
