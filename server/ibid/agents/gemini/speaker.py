"""Who is speaking in a user's message: the person, or what was put around them (B2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events
from ibid.agents.fields import join_path, text_of
from ibid.agents.own import without_own

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = "--- Content from referenced files ---"
_END = "--- End of content ---"
_FILE = re.compile(r"\s*Content from @(.{1,1000}):\s*")
_WRAPPERS = ("session_context", "hook_context")
_HARNESS = (
    "System: ",
    "I ran the following shell command:",
    "This is the Gemini CLI. We are setting up the context",
)
_CUT = ("[WARNING: This file was truncated", "\nIMPORTANT: The file content has been")


class Heard(NamedTuple):
    """What one message says, and in whose voice."""

    text: str
    voice: str = events.TYPED
    author: str = "person"
    flags: tuple[str, ...] = ()
    injected: tuple[tuple[str, str], ...] = ()


def listen(message: dict[str, Any]) -> Heard:
    """Return who says what in a message of the user's."""
    parts = texts(message.get("content"))
    shown = "\n".join(texts(message.get("displayContent")))
    typed, attached = _split(parts)
    words, injected = _unwrap("\n".join(typed))
    if shown:
        words = _unwrap(shown)[0]
    words, own = without_own(words)
    flags = []
    if attached:
        flags.append(events.FILES)
        injected.append(("files", "\n".join(attached)))
    if _has_images(message.get("content")):
        flags.append(events.IMAGES)
    heard = Heard(words.strip(), flags=tuple(flags), injected=(*injected, *own))
    if words.startswith(_HARNESS):
        return heard._replace(voice=events.INJECTED, author="harness")
    return heard


def attached_files(
    message: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Read]:
    """Yield the files that the client read because the person named them."""
    parts = texts(message.get("content"))
    for number, part in enumerate(parts[:-1]):
        match = _FILE.fullmatch(part)
        content = parts[number + 1]
        if match and content and not content.startswith((*_CUT, _END, "\n" + _END)):
            text = content.removesuffix("\n")
            last = text.count("\n") + 1
            path = join_path(folder, match[1])
            place = head._replace(id=f"{head.id}:file{number}")
            yield events.Read(place, path, 1, last, text, last)


def texts(content: Any) -> list[str]:
    """Return the texts of a message's content: one text, or those of its parts."""
    if type(content) is str:
        return [content]
    if type(content) is not list:
        return []
    found: list[str] = []
    for part in content:
        if type(part) is str:
            found.append(part)
        elif type(part) is dict and "text" in part:
            found.append(text_of(part, "text"))
    return found


def _split(parts: list[str]) -> tuple[list[str], list[str]]:
    """Return what was typed, and the files that stand behind it."""
    for number, part in enumerate(parts):
        before, found, after = part.partition(_FILES)
        if found:
            typed = [*parts[:number], before.rstrip()]
            return typed, [after, *parts[number + 1 :]]
    return parts, []


def _unwrap(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return ``text`` without the contexts that stand around it, and those."""
    found: list[tuple[str, str]] = []
    for tag in _WRAPPERS:
        opening, closing = f"<{tag}>", f"</{tag}>"
        start = text.find(opening)
        end = text.find(closing, start)
        if start >= 0 and end >= 0:
            end += len(closing)
            found.append((tag, text[start:end]))
            text = text[:start] + text[end:]
    return text.strip(), found


def _has_images(content: Any) -> bool:
    return type(content) is list and any(
        type(part) is dict and ("inlineData" in part or "fileData" in part)
        for part in content
    )
