"""Tool calls of one request become events: calls, what they showed and changed.

Calls and arguments stand in the rounds of the request's result; what they gave back
stands there too, but not always.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.fields import count_of, dict_of, dicts_of, text_of
from ibid.agents.patches import edits, find_patch, read_patch
from ibid.agents.tools import OWN_SERVER, flags_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = re.compile(
    r"File: `(?P<path>[^`\n]{1,2000})`\. Lines (?P<first>\d{1,9}) to (?P<last>\d{1,9})"
    r" \((?P<total>\d{1,9}) lines total\): ?\n(?P<fence>`{3,})[^\n]*\n"
)
_FAILED = ("ERROR while calling tool", "ERROR: ", "The user cancelled", "Error: ")
_STATES = {"not-started": "pending", "in-progress": "active", "completed": "done"}
_NODES = 200_000  # Parts of a result that are put together.


def finish(
    call: dict[str, Any], output: str, server: str, head: events.Head
) -> Iterator[events.Event]:
    """Yield the events of a call.

    Args:
        call: its name and arguments.
        output: what it gave back, "" if that is not kept.
        server: the MCP server it is of, "" for others.
        head: of its request; its id is the call's.
    """
    name, given = text_of(call, "name"), _arguments(call)
    kind = "other" if server else kind_of(name)
    error = output.startswith(_FAILED)
    yield events.Tool(
        head, name, given, output, error, server, kind, flags_of(kind, server)
    )
    if error:
        return
    if kind == "read":
        yield from _read(output, head)
    elif kind in {"edit", "write"}:
        yield from _edits(name, given, head)
    elif name == "manage_todo_list":
        yield events.Todo(head, _todos(given))
    else:
        yield from _answers(output, head)


def results(metadata: dict[str, Any]) -> dict[str, str]:
    """Return what each call of a request gave back, by the call's id."""
    return {
        key: "\n".join(
            text_in(part.get("value")) for part in dicts_of(value, "content")
        )
        for key, value in dict_of(metadata, "toolCallResults").items()
        if type(value) is dict
    }


def text_in(value: Any) -> str:
    """Return the text of a result's part: a text, or a tree whose leaves are texts."""
    if type(value) is str:
        return value
    if type(value) is not dict:
        return ""
    shown: list[str] = []
    waiting: list[Any] = [value.get("node", value)]
    for _ in range(_NODES):
        if not waiting:
            break
        node = waiting.pop()
        if type(node) is not dict:
            continue
        if type(node.get("text")) is str:
            if node.get("lineBreakBefore") and shown and not shown[-1].endswith("\n"):
                shown.append("\n")
            shown.append(node["text"])
        children = node.get("children")
        if type(children) is list:
            waiting += reversed(children)
    return "".join(shown)


def server_of(name: str, servers: dict[str, str]) -> str:
    """Return the MCP server that the tool ``name`` is of, or "".

    ``servers`` are those that the response names by their tools.
    """
    server = servers.get(name, "")
    if not server and name.startswith("mcp_"):
        rest = name[4:]
        server = rest.partition("__")[0] if "__" in rest else rest.partition("_")[0]
    return OWN_SERVER if OWN_SERVER in re.split(r"[\W_]+", server.lower()) else server


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    given = call.get("arguments")
    if type(given) is dict:
        return given
    try:
        value = json.loads(given) if type(given) is str else None
    except (ValueError, RecursionError):
        return {"input": given}
    return value if type(value) is dict else {}


def _read(output: str, head: events.Head) -> Iterator[events.Read]:
    match = _FILE.match(output)
    if match is None:
        return
    end = output.rfind(f"\n{match['fence']}", match.end() - 1)
    text = output[match.end() : end] if end >= match.end() else ""
    first, last = int(match["first"]), int(match["last"])
    if end < 0 or text.count("\n") != last - first:
        return
    total = int(match["total"])
    yield events.Read(head, match["path"], first, last, text, total)


def _edits(
    name: str, given: dict[str, Any], head: events.Head
) -> Iterator[events.Edit]:
    patch = find_patch(text_of(given, "input")) if name == "apply_patch" else ""
    if patch:
        yield from edits(read_patch(patch), head, "")
        return
    for number, pair in enumerate(dicts_of(given, "replacements") or [given]):
        place = head if not number else head._replace(id=f"{head.id}:{number}")
        path = text_of(pair, "filePath") or text_of(given, "filePath")
        if not path:
            continue
        if "oldString" in pair:
            before, after = text_of(pair, "oldString"), text_of(pair, "newString")
            yield events.Edit(place, path, before, after)
        elif "content" in pair:
            text = text_of(pair, "content")
            yield events.Edit(place, path, None, text, whole=True)
        else:
            after = text_of(pair, "code") or text_of(pair, "newCode")
            yield events.Edit(place, path, None, after)


def _todos(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (text_of(todo, "title"), _STATES.get(text_of(todo, "status"), "pending"))
        for todo in dicts_of(given, "todoList")
    )


def _answers(output: str, head: events.Head) -> Iterator[events.Prompt]:
    """Yield what a person wrote in answer to questions; what they chose is not."""
    if not output.startswith('{"answers":'):
        return
    try:
        replies = dict_of(json.loads(output), "answers")
    except (ValueError, RecursionError):
        return
    words = [
        text_of(reply, "freeText").strip()
        for reply in replies.values()
        if type(reply) is dict
    ]
    text = "\n".join(word for word in words if word)
    if text:
        place = head._replace(id=f"{head.id}:{events.ANSWER}")
        yield events.Prompt(place, text, events.ANSWER)


def usage(result: dict[str, Any], head: events.Head, model: str) -> events.Usage | None:
    """Return the tokens of a request; few versions tell them."""
    told = dict_of(result, "usage") or dict_of(result, "metadata") or result
    given = count_of(told, "promptTokens")
    output = count_of(told, "completionTokens") or count_of(told, "outputTokens")
    if not given and not output:
        return None
    cached = count_of(dict_of(told, "promptTokensDetails"), "cachedTokens")
    return events.Usage(head, max(0, given - cached), output, cached, 0, model)
