"""A finished tool call becomes events: the call, what it showed, what it changed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events, views
from ibid.agents.fields import (
    count_of,
    dict_of,
    dicts_of,
    join_path,
    text_of,
    texts_of,
)
from ibid.agents.tools import OWN_SERVER, flags_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERVER = re.compile(r"\((.{1,80}) MCP Server\)$")
_PART = re.compile(r"Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines\.")
_PART_MARK = "--- FILE CONTENT (truncated) ---\n"
_SHELL = re.compile(r"Output: (?P<body>.*?)(?:\nProcess Group PGID: \d+)?\Z", re.DOTALL)
_SHELL_TROUBLE = ("\nExit Code:", "\nError:", "\nSignal:", "\nBackground PIDs:")
_DONE = frozenset({"success", "error", "cancelled"})
_STATES = {"pending": "pending", "in_progress": "active", "completed": "done"}


def finish(
    call: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Event]:
    """Yield the events of a call that has come to its end; else none.

    Args:
        call: the call, with its result.
        head: of its message; its id is the call's.
        folder: the one that relative paths belong to.
    """
    status = text_of(call, "status")
    if status not in _DONE:
        return
    name, given = text_of(call, "name"), dict_of(call, "args")
    output, images, failed = _output(call.get("result"))
    error = status != "success" or failed
    server, kind = _server(call, name), kind_of(name)
    flags = flags_of(kind, server, images=images)
    yield events.Tool(head, name, given, output, error, server, kind, flags)
    if error:
        return
    if name == "read_file":
        yield from _read(given, output, head, folder)
    elif kind == "exec":
        yield from _viewed(given, output, head, folder)
    elif kind in {"edit", "write"}:
        yield from _edit(call, given, head, folder)
    elif name == "write_todos":
        yield events.Todo(head, _todos(given))
    elif name == "ask_user":
        yield from _answers(given, output, head)


def _output(result: Any) -> tuple[str, bool, bool]:
    """Return what the model saw, whether images were in it, whether it failed."""
    shown: list[str] = []
    images = failed = False
    for part in dicts_of({"parts": result}, "parts"):
        response = dict_of(dict_of(part, "functionResponse"), "response")
        if "inlineData" in part or "fileData" in part:
            images = True
            shown.append("[image]")
        elif text_of(part, "text"):
            shown.append(text_of(part, "text"))
        elif "error" in response:
            failed = True
            shown.append(_plain(response["error"]))
        elif "output" in response:
            shown.append(_plain(response["output"]))
        elif response:
            shown.append(_plain(response))
    return "\n".join(shown), images, failed


def _plain(value: Any) -> str:
    return value if type(value) is str else json.dumps(value, ensure_ascii=False)


def _read(
    given: dict[str, Any], output: str, head: events.Head, folder: str
) -> Iterator[events.Read]:
    path = text_of(given, "file_path") or text_of(given, "absolute_path")
    path = join_path(folder, path or text_of(given, "path"))
    part = _PART.search(output[:600])
    if part:
        text = output.partition(_PART_MARK)[2].removesuffix("\n")
        first, last, total = int(part[1]), int(part[2]), int(part[3])
        if text.count("\n") != last - first:
            return
    else:
        text = output.removesuffix("\n")
        first, last = 1, text.count("\n") + 1
        total = last
        asked = count_of(given, "offset") or count_of(given, "start_line") > 1
        if asked or count_of(given, "end_line") or count_of(given, "limit"):
            return  # Which lines these are is not said.
    if path and text and "[image]" not in output[:8]:
        yield events.Read(head, path, first, last, text, total)


def _viewed(
    given: dict[str, Any], output: str, head: events.Head, folder: str
) -> Iterator[events.Read]:
    """Yield what a plain command showed of a file, if it all came through."""
    match = _SHELL.match(output)
    if match is None or any(trouble in output for trouble in _SHELL_TROUBLE):
        return
    where = text_of(given, "dir_path") or text_of(given, "directory")
    view = views.find_view(
        text_of(given, "command"), join_path(folder, where) or folder
    )
    lines = views.shown_lines(view, match["body"]) if view else None
    if lines is not None and lines.text != "(empty)":
        yield events.Read(
            head, lines.path, lines.first, lines.last, lines.text, lines.total
        )


def _edit(
    call: dict[str, Any], given: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Edit]:
    shown = dict_of(call, "resultDisplay")
    path = text_of(shown, "filePath") or text_of(given, "file_path")
    path = join_path(folder, path)
    if not path:
        return
    if "old_string" in given:
        before, after = text_of(given, "old_string"), text_of(given, "new_string")
        yield events.Edit(head, path, before, after)
        return
    original, new = shown.get("originalContent"), shown.get("newContent")
    known = original if type(original) is str else None
    written = new if type(new) is str else text_of(given, "content")
    yield events.Edit(head, path, known, written, whole=True)


def _todos(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (
            text_of(todo, "description"),
            _STATES.get(text_of(todo, "status"), "done"),
        )
        for todo in dicts_of(given, "todos")
    )


def _answers(
    given: dict[str, Any], output: str, head: events.Head
) -> Iterator[events.Prompt]:
    """Yield what a person wrote in answer to questions; labels are the agent's."""
    try:
        replies = dict_of(json.loads(output), "answers")
    except (ValueError, RecursionError, AttributeError):
        return
    words: list[str] = []
    for number, question in enumerate(dicts_of(given, "questions")):
        labels = {text_of(option, "label") for option in dicts_of(question, "options")}
        reply = texts_of(replies, str(number))
        if text_of(question, "type") == "yesno":
            continue
        words += [text.strip() for text in reply if not _is_chosen(text, labels)]
    text = "\n".join(word for word in words if word)
    if text:
        place = head._replace(id=f"{head.id}:{events.ANSWER}")
        yield events.Prompt(place, text, events.ANSWER)


def _is_chosen(text: str, labels: set[str]) -> bool:
    """Say whether a reply is made of labels alone."""
    return all(part in labels for part in text.split(", ")) or text in labels


def _server(call: dict[str, Any], name: str) -> str:
    """Return the MCP server that a tool is of, or ""."""
    match = _SERVER.search(text_of(call, "displayName"))
    server = match[1] if match else ""
    if not server and name.startswith("mcp_"):
        server = name[4:].lstrip("_").partition("_")[0]
    elif not server and "__" in name:
        server = name.partition("__")[0]
    return OWN_SERVER if server == OWN_SERVER else server
