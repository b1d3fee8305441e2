"""Who is speaking in a `user.message`: a person, an agent, or the harness (B2)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ibid.agents import events
from ibid.agents.fields import dicts_of, text_of
from ibid.agents.own import is_own, without_own

# Where messages come from that nobody typed, by how the source begins.
_MACHINES = (
    "agent",
    "autopilot",
    "command",
    "hook",
    "schedule",
    "skill",
    "subagent",
    "system",
    "thinking",
)
_REMINDER = re.compile(r"<(system_reminder|system_notification|current_datetime)>")
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg")


class Heard(NamedTuple):
    """What one message says, and in whose voice."""

    text: str
    voice: str = events.TYPED
    author: str = "person"
    flags: tuple[str, ...] = ()
    injected: tuple[tuple[str, str], ...] = ()


def listen(data: dict[str, Any]) -> Heard:
    """Return who says what in a message to the main agent."""
    text, injected = _unwrap(text_of(data, "content"))
    text, own = without_own(text)
    injected += own
    sent = text_of(data, "transformedContent")
    if is_own(sent) and not own:
        injected.append(("context", sent))
    heard = Heard(text.strip(), flags=_flags(data), injected=tuple(injected))
    if text_of(data, "agentMode") == "shell":
        return Heard("", injected=(("user-shell", text), *injected))
    if text_of(data, "source").startswith(_MACHINES):
        return heard._replace(voice=events.INJECTED, author="harness")
    return heard


def _flags(data: dict[str, Any]) -> tuple[str, ...]:
    """Return the flags of what is attached (B7)."""
    flags: dict[str, None] = {}
    for one in dicts_of(data, "attachments"):
        kind = text_of(one, "type")
        path = (text_of(one, "path") or text_of(one, "displayName")).lower()
        if text_of(one, "mimeType").startswith("image/") or path.endswith(_IMAGES):
            flags[events.IMAGES] = None
        elif kind == "github_reference":
            flags[events.BROWSER] = None
        else:
            flags[events.FILES] = None
    return tuple(flags)


def _unwrap(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return ``text`` without the harness's notes, and those; in linear time."""
    found: list[tuple[str, str]] = []
    kept: list[str] = []
    at = 0
    for match in _REMINDER.finditer(text):
        if match.start() < at:
            continue
        closing = f"</{match[1]}>"
        end = text.find(closing, match.end())
        if end < 0:
            break
        end += len(closing)
        kept.append(text[at : match.start()])
        found.append((match[1], text[match.start() : end]))
        at = end
    return "".join((*kept, text[at:])), found
