"""What a call says of itself: transcripts hold no results, only what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.fields import dicts_of, join_path, text_of, texts_of
from ibid.agents.patches import edits, find_patch, read_patch
from ibid.agents.tools import OWN_SERVER, flags_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATHS = ("path", "file_path", "target_file", "target_notebook")
_WRITTEN = ("contents", "content", "file_text")
_BEFORE = ("old_string", "old_str")
_AFTER = ("new_string", "new_str", "code_edit")
_STATES = {"pending": "pending", "in_progress": "active", "completed": "done"}


def called(
    block: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Event]:
    """Yield the events of a call; whether it succeeded is not known.

    Args:
        block: the call.
        head: of its record; its id is the call's.
        folder: the one that relative paths belong to.
    """
    name, raw = text_of(block, "name"), block.get("input")
    given: dict[str, Any] = raw if type(raw) is dict else {"input": raw}
    server = _server(name, given)
    kind = "other" if server else kind_of(name)
    flags = flags_of(kind, server)
    yield events.Tool(head, name, given, mcp=server, kind=kind, flags=flags)
    if kind in {"edit", "write"}:
        yield from _edits(given, head, folder)
    elif name.lower() in {"todowrite", "todo_write"} and given.get("merge") is not True:
        yield events.Todo(head, _todos(given))


def _edits(
    given: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Edit]:
    texts = texts_of({"all": list(given.values())}, "all")
    patch = next((found for text in texts if (found := find_patch(text))), "")
    if patch:
        yield from edits(read_patch(patch), head, folder)
        return
    path = join_path(folder, _first(given, _PATHS))
    if not path:
        return
    written = [key for key in _WRITTEN if type(given.get(key)) is str]
    if written:
        yield events.Edit(head, path, None, given[written[0]], whole=True)
        return
    for number, pair in enumerate(dicts_of(given, "edits") or [given]):
        place = head if not number else head._replace(id=f"{head.id}:{number}")
        before, after = _first(pair, _BEFORE), _first(pair, _AFTER)
        if before or after:
            yield events.Edit(place, path, before or None, after)


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := text_of(given, key))), "")


def _server(name: str, given: dict[str, Any]) -> str:
    """Return the MCP server that a call goes to, or ""."""
    server = ""
    if name.lower() in {"callmcptool", "call_mcp_tool"}:
        server = text_of(given, "server") or "?"
    elif name.startswith("mcp_"):
        server = name[4:].lstrip("_").partition("_")[0]
    return OWN_SERVER if server.endswith(OWN_SERVER) else server


def _todos(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (text_of(todo, "content"), _STATES.get(text_of(todo, "status"), "done"))
        for todo in dicts_of(given, "todos")
    )
