"""Who is speaking in a user's record: the person, within what was put around them."""

from __future__ import annotations

import re
from typing import NamedTuple

from ibid.agents import events
from ibid.agents.own import without_own

_OPEN, _CLOSE = "<user_query>", "</user_query>"
_TAG = re.compile(r"<([a-z][a-z0-9_]{1,40})(?:\s[^<>]{0,400})?>")
_FLAGS = {
    "external_links": events.BROWSER,
    "web_search_results": events.BROWSER,
    "attached_files": events.FILES,
    "code_selection": events.FILES,
    "additional_data": events.FILES,
    "attached_images": events.IMAGES,
    "image_files": events.IMAGES,
    "past_chats": events.CHATS,
    "agent_transcripts": "",
}
_PUT_THERE = frozenset(
    {
        "additional_data",
        "agent_skills",
        "agent_transcripts",
        "attached_files",
        "attached_images",
        "cursor_commands",
        "external_links",
        "git_status",
        "image_files",
        "manually_attached_skills",
        "mcp_instructions",
        "open_and_recently_viewed_files",
        "past_chats",
        "project_layout",
        "rules",
        "system_notification",
        "system_reminder",
        "timestamp",
        "user_info",
        "web_search_results",
    }
)


class Heard(NamedTuple):
    """What one record says."""

    text: str
    flags: tuple[str, ...] = ()
    injected: tuple[tuple[str, str], ...] = ()


def listen(text: str) -> Heard:
    """Return what a person says in ``text``, and what was put around their words."""
    # The last ones are the client's own: pages put before may hold any text.
    end = text.rfind(_CLOSE)
    start = text.rfind(_OPEN, 0, max(0, end))
    if 0 <= start < end:
        words = text[start + len(_OPEN) : end]
        around = [text[:start], text[end + len(_CLOSE) :]]
    else:
        words, around = _without_tags(text)
    words, own = without_own(words)
    found = [part for part in around if part.strip()]
    flags: dict[str, None] = {}
    for part in found:
        for match in _TAG.finditer(part):
            flags[_FLAGS.get(match[1], "")] = None
    injected = [(_source(part), part) for part in found]
    kept = tuple(flag for flag in flags if flag)
    return Heard(words.strip(), kept, (*injected, *own))


def _without_tags(text: str) -> tuple[str, list[str]]:
    """Return ``text`` without the known elements at its start, and those."""
    around: list[str] = []
    at = _next(text, 0)
    while match := _TAG.match(text, at):
        closing = f"</{match[1]}>"
        end = text.find(closing, match.end())
        if match[1] not in _PUT_THERE or end < 0:
            break
        end += len(closing)
        around.append(text[at:end])
        at = _next(text, end)
    return text[at:], around


def _next(text: str, at: int) -> int:
    """Return where the next character stands that is no white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _source(part: str) -> str:
    match = _TAG.search(part)
    return match[1] if match else "context"
