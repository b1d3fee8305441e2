"""A finished tool call becomes events: the call, what it showed, what it changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events, views
from ibid.agents.fields import dict_of, join_path, text_of, texts_of
from ibid.agents.patches import edits, find_patch, read_patch
from ibid.agents.tools import OWN_SERVER, flags_of, kind_of, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.calls import Call

_LINE = re.compile(r"(\d{1,9})\. ")
_EXIT = re.compile(
    r"<(?:shellId: \S{1,40} completed|exited|command completed) with exit code"
    r" (-?\d{1,6})>\s*\Z"
)
_ITEM = re.compile(r"\s*[-*] \[([ xX~/-])\] (.+)")
_MARKS = {" ": "pending", "~": "active", "/": "active", "-": "active"}
_REPLIES = ("User responded: ", "User selected: ", "User answered: ")
_TAIL = 300  # Characters at whose end an output says how its command ended.


def finish(
    call: Call, data: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Event]:
    """Yield the events of a call that came to its end.

    Args:
        call: its name and input.
        data: of the event that told its end.
        head: of that event; its id is the call's.
        folder: the one that relative paths belong to.
    """
    name, given = call.name, call.input
    error = data.get("success") is not True
    output = text_of(dict_of(data, "result"), "content")
    if error:
        output = text_of(dict_of(data, "error"), "message") or output
    server = text_of(given, "mcp server") or server_of(name)
    server = OWN_SERVER if server.endswith(OWN_SERVER) else server
    given = {key: value for key, value in given.items() if key != "mcp server"}
    kind = "other" if server else kind_of(name)
    if name == "str_replace_editor" and text_of(given, "command") == "view":
        kind = "read"
    yield events.Tool(
        head, name, given, output, error, server, kind, flags_of(kind, server)
    )
    if error:
        return
    if kind == "read":
        yield from _view(given, output, head, folder)
    elif kind == "exec":
        yield from _viewed(given, output, head, folder)
    elif kind in {"edit", "write"}:
        yield from _edits(given, head, folder)
    elif name == "update_todo":
        yield events.Todo(head, _todos(text_of(given, "todos")))
    elif name == "ask_user":
        yield from _answer(given, output, head)


def _view(
    given: dict[str, Any], output: str, head: events.Head, folder: str
) -> Iterator[events.Read]:
    """Yield the lines that the viewing tool showed; each stands behind its number."""
    path = join_path(folder, text_of(given, "path"))
    rows = output.removesuffix("\n").split("\n")
    match = _LINE.match(rows[0])
    if not path or match is None:
        return
    first = int(match[1])
    lines: list[str] = []
    for number, row in enumerate(rows, first):
        mark = f"{number}. "
        if not row.startswith(mark) and row != mark.rstrip():
            return
        lines.append(row[len(mark) :])
    last = first + len(lines) - 1
    total = last if "view_range" not in given and first == 1 else 0
    yield events.Read(head, path, first, last, "\n".join(lines), total)


def _viewed(
    given: dict[str, Any], output: str, head: events.Head, folder: str
) -> Iterator[events.Read]:
    """Yield what a plain command showed of a file, if it succeeded."""
    match = _EXIT.search(output, max(0, len(output) - _TAIL))
    if match is None or int(match[1]) != 0:
        return
    view = views.find_view(text_of(given, "command"), folder)
    lines = views.shown_lines(view, output[: match.start()]) if view else None
    if lines is not None:
        yield events.Read(
            head, lines.path, lines.first, lines.last, lines.text, lines.total
        )


def _edits(
    given: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Edit]:
    patch = next((found for text in texts_of({"all": list(given.values())}, "all")
                  if (found := find_patch(text))), "")  # fmt: skip
    if patch:
        yield from edits(read_patch(patch), head, folder)
        return
    path = join_path(folder, text_of(given, "path"))
    if not path:
        return
    if "file_text" in given:
        text = text_of(given, "file_text")
        yield events.Edit(head, path, None, text, whole=True)
        return
    before, after = text_of(given, "old_str"), text_of(given, "new_str")
    if before or after:
        yield events.Edit(head, path, before, after)


def _todos(text: str) -> tuple[tuple[str, str], ...]:
    """Return the items of a list of boxes."""
    found = (_ITEM.match(line) for line in text.split("\n"))
    return tuple(
        (match[2].strip(), _MARKS.get(match[1], "done")) for match in found if match
    )


def _answer(
    given: dict[str, Any], output: str, head: events.Head
) -> Iterator[events.Prompt]:
    """Yield what a person wrote in answer to a question; choices are the agent's."""
    start = next((start for start in _REPLIES if output.startswith(start)), "")
    words = output[len(start) :].strip()
    if start and words and words not in texts_of(given, "choices"):
        place = head._replace(id=f"{head.id}:{events.ANSWER}")
        yield events.Prompt(place, words, events.ANSWER)
