"""Cursor's hooks: sessionStart takes text, the others only tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "cursor"

# Also by the names of Claude Code, whose hook files Cursor runs as a third party's.
_MOMENTS = {
    "sessionstart": hooks.START,
    "beforesubmitprompt": hooks.PROMPT,
    "userpromptsubmit": hooks.PROMPT,
    "precompact": hooks.COMPACTING,
    "stop": hooks.STOP,
    "sessionend": hooks.END,
}


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    event = text_of(data, "hook_event_name")
    moment = _MOMENTS.get(event.lower(), "")
    session = text_of(data, "conversation_id", "session_id")
    if not moment or not session:
        return None
    roots = data.get("workspace_roots")
    root = roots[0] if type(roots) is list and roots else ""
    return Call(
        agent=AGENT,
        moment=moment,
        session=session,
        event=event,
        cwd=root if type(root) is str and root else text_of(data, "cwd"),
        prompt=text_of(data, "prompt"),
        source=text_of(data, "source") or hooks.STARTUP,
        transcript=text_of(data, "transcript_path"),
    )


def may_answer(call: Call) -> bool:
    """Say whether a text can be given at this moment."""
    return call.moment == hooks.START


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that adds ``text`` to the context."""
    return {"additional_context": text}
