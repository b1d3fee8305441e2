"""Codex's hooks: Claude Code's form with a closed set of keys.

One unknown key fails a hook there.  Codex shows added context as the person's words:
without *Memory on* or *Recall only* a main session gets none (G8), which the engine's
policy decides; quick and side chats recall only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, additional, text_of, told

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "codex"

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
_KINDS = frozenset({"quick", "side"})


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    call = told(data, AGENT, _MOMENTS)
    if call is None:
        return None
    kind = text_of(data, "thread_source", "session_kind", "kind")
    return call._replace(
        scope=text_of(data, "agent_id"),
        role=text_of(data, "agent_type"),
        kind=kind if kind in _KINDS else "",
    )


def may_answer(call: Call) -> bool:
    """Say whether a text can be given at this moment."""
    return call.moment in _ANSWERED and call.source != hooks.FORK


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that adds ``text`` to the context."""
    return additional(call, text)
