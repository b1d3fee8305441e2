"""Hooks in one form: what an agent tells, and where memory may answer (R3).

One folder an agent, one module ``hook`` in it: it turns the JSON of a hook call into a
`Call` and a text into exactly the keys that this agent allows there.  All of it is
pure, and the modules are imported when their agent calls.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

EVENT = "ibid:event"
"""Where the event stands that a command line named beside the agent."""

# The moments at which hooks call.
START = "start"  # A session begins or goes on; ``source`` says how.
PROMPT = "prompt"
COMPACTING = "compacting"  # Before: what was shown counts no more (N4).
COMPACTED = "compacted"
SUBAGENT = "subagent"  # A subagent begins.
STOP = "stop"  # The agent's turn is over.
END = "end"

# How a session may start.
STARTUP, RESUME, CLEAR, COMPACT, FORK = (
    "startup",
    "resume",
    "clear",
    "compact",
    "fork",
)

ROOM = 9_500
"""Characters of one answer: Claude Code takes 10,000 and puts the rest elsewhere."""


class Call(NamedTuple):
    """One hook call."""

    agent: str
    moment: str
    session: str
    event: str = ""  # The moment, as the agent names it.
    cwd: str = ""  # Where the session began, as far as the agent says.
    prompt: str = ""
    source: str = ""  # Of a start.
    transcript: str = ""
    scope: str = ""  # The subagent it is about.
    role: str = ""
    kind: str = ""  # main | quick | side; "" unknown.
    host: str = ""  # Which of an agent's forms was spoken, where it has several.


class Adapter(Protocol):
    """The module ``ibid.agents.<agent>.hook``."""

    def from_hook(self, data: Json, environ: Mapping[str, str]) -> Call | None:
        """Return what was told; None for what concerns no memory.  Never raises."""
        ...

    def may_answer(self, call: Call) -> bool:
        """Say whether a text can be given to the agent at this moment."""
        ...

    def to_hook(self, call: Call, text: str) -> Json:
        """Return the answer that hands ``text`` to the agent; only allowed keys."""
        ...


_MODULES = {
    "claude-code": "ibid.agents.claude_code.hook",
    "codex": "ibid.agents.codex.hook",
    "gemini": "ibid.agents.gemini.hook",
    "opencode": "ibid.agents.opencode.hook",
    "copilot": "ibid.agents.copilot.hook",
    "cursor": "ibid.agents.cursor.hook",
}

HOOKED = tuple(_MODULES)


def load_adapter(name: str) -> Adapter:
    """Return the hook module of agent ``name``.

    Raises:
        InputError: no such agent has hooks.
    """
    if name not in _MODULES:
        raise InputError(f"No hooks for agent {name!r}. There are: {', '.join(HOOKED)}")
    module: Any = import_module(_MODULES[name])
    return module  # type: ignore[no-any-return]


def recognise(name: str, data: Json) -> str:
    """Return who really calls: VS Code and Cursor run Claude's hook files as well.

    They are known by their own keys, never by the environment, which a terminal
    inherits.
    """
    if name != "claude-code":
        return name
    if "cursor_version" in data or "conversation_id" in data:
        return "cursor"
    camel = "sessionId" in data or "hookEventName" in data
    if camel and "session_id" not in data:
        return "copilot"
    place = text_of(data, "transcript_path").replace("\\", "/")
    if "/GitHub.copilot-chat/" in place or "/workspaceStorage/" in place:
        return "copilot"
    return name


def text_of(data: Json, *keys: str) -> str:
    """Return the first text at one of ``keys`` that is not empty, or ""."""
    for key in keys:
        value = data.get(key)
        if type(value) is str and value:
            return value
    return ""


def told(
    data: Json, agent: str, moments: Mapping[str, str], project: str = ""
) -> Call | None:
    """Return what the form tells that Claude Code began and others took over.

    ``project`` is where the agent's environment says that the session began.
    """
    event = text_of(data, "hook_event_name")
    moment = moments.get(event, "")
    session = text_of(data, "session_id")
    if not moment or not session:
        return None
    return Call(
        agent=agent,
        moment=moment,
        session=session,
        event=event,
        cwd=project or text_of(data, "cwd"),
        prompt=text_of(data, "prompt"),
        source=text_of(data, "source"),
        transcript=text_of(data, "transcript_path"),
    )


def additional(call: Call, text: str) -> Json:
    """Return the answer that Claude Code gave its name to, and others took over."""
    return {
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "additionalContext": text,
        }
    }
