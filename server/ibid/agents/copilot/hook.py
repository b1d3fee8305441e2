"""Copilot's hooks, in the two forms it has: VS Code's and the command line's.

VS Code names the event in its input and takes text at SessionStart and SubagentStart
only; the command line tells the event beside the command and takes text at its start
and with a prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, additional, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "copilot"
VSCODE, TERMINAL = "vscode", "terminal"

_MOMENTS = {
    "sessionstart": hooks.START,
    "userpromptsubmit": hooks.PROMPT,
    "userpromptsubmitted": hooks.PROMPT,
    "precompact": hooks.COMPACTING,
    "subagentstart": hooks.SUBAGENT,
    "stop": hooks.STOP,
    "agentstop": hooks.STOP,
    "sessionend": hooks.END,
}
_SOURCES = {"new": hooks.STARTUP}
_ANSWERED = {
    VSCODE: frozenset({hooks.START, hooks.SUBAGENT}),
    TERMINAL: frozenset({hooks.START, hooks.PROMPT}),
}


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    event = text_of(data, "hookEventName", "hook_event_name")
    named = text_of(data, hooks.EVENT)
    moment = _MOMENTS.get((event or named).lower(), "")
    session = text_of(data, "sessionId", "session_id")
    if not moment or not session:
        return None
    source = text_of(data, "source")
    return Call(
        agent=AGENT,
        moment=moment,
        session=session,
        event=event or named,
        cwd=text_of(data, "cwd"),
        prompt=text_of(data, "prompt"),
        source=_SOURCES.get(source, source),
        transcript=text_of(data, "transcript_path", "transcriptPath"),
        scope=text_of(data, "agent_id", "agentId"),
        role=text_of(data, "agent_type", "agentType"),
        host=VSCODE if event else TERMINAL,
    )


def may_answer(call: Call) -> bool:
    """Say whether a text can be given at this moment."""
    return call.moment in _ANSWERED[call.host]


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that adds ``text`` to the context."""
    if call.host == VSCODE:
        return additional(call, text)
    return {"additionalContext": text}
