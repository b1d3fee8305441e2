"""opencode has plugins, not hooks: what the plugin that set-up writes sends and takes.

One object: ``event`` by the name of the plugin's own entrance, ``sessionID``,
``directory``, and where they apply ``parentID``, ``prompt``, ``source`` and ``agent``.
The answer is ``{"context": TEXT}``, which the plugin adds to the next request; it never
rewrites one that was sent (Q3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "opencode"

_MOMENTS = {
    "session.created": hooks.START,
    "chat.message": hooks.PROMPT,
    "session.compacting": hooks.COMPACTING,
    "session.compacted": hooks.START,
    "session.idle": hooks.STOP,
    "session.deleted": hooks.END,
}


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    event = text_of(data, "event")
    moment = _MOMENTS.get(event, "")
    session = text_of(data, "sessionID")
    if not moment or not session:
        return None
    source = text_of(data, "source") or hooks.STARTUP
    if event == "session.compacted":
        source = hooks.COMPACT
    parent = text_of(data, "parentID")
    if moment == hooks.START and parent and source == hooks.STARTUP:
        moment = hooks.SUBAGENT
    return Call(
        agent=AGENT,
        moment=moment,
        session=parent if moment == hooks.SUBAGENT else session,
        event=event,
        cwd=text_of(data, "directory"),
        prompt=text_of(data, "prompt"),
        source=source,
        scope=session if moment == hooks.SUBAGENT else "",
        role=text_of(data, "agent"),
    )


def may_answer(call: Call) -> bool:
    """Say whether a text can be given at this moment."""
    return call.moment in (hooks.START, hooks.PROMPT, hooks.SUBAGENT)


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that the plugin adds to the next request."""
    return {"context": text}
