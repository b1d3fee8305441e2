"""A finished tool part becomes events: the call, what it showed, what it changed."""

from __future__ import annotations

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
from ibid.agents.patches import edits, find_patch, read_patch
from ibid.agents.tools import OWN_SERVER, flags_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# Tools of its own whose names look like those of a server's.
_BUILTIN = frozenset({"apply_patch", "plan_enter", "plan_exit"})
_CONTENT = re.compile(r"<(?:content|file)>\n?")
_PATH = re.compile(r"<path>([^<\n]{1,4000})</path>\n<type>file</type>")
_LINE = re.compile(r"0*(\d{1,9})(?:: |\| )")
_END = re.compile(
    r"\n*(?:\((?:End of file|File has more|Showing lines)|</(?:content|file)>|$)"
)
_TOTAL = re.compile(
    r"\(End of file - total (\d{1,9}) lines\)|of (\d{1,9})\. Use offset"
)
_FEEDBACK = "with the following feedback: "
_STATES = {"pending": "pending", "in_progress": "active", "completed": "done"}


def finish(
    part: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Event]:
    """Yield the events of a tool part whose state is final; else none.

    Args:
        part: the part.
        head: of its message; its id is the call's.
        folder: the one that relative paths belong to.
    """
    state = dict_of(part, "state")
    status = text_of(state, "status")
    if status not in {"completed", "error"}:
        return
    name, given = text_of(part, "tool"), dict_of(state, "input")
    error = status == "error"
    output = text_of(state, "error") if error else text_of(state, "output")
    server, kind = _server(name), kind_of(name)
    images = any(
        text_of(file, "mime").startswith("image/")
        for file in dicts_of(state, "attachments")
    )
    yield events.Tool(
        head,
        name,
        given,
        output,
        error,
        server,
        kind,
        flags_of(kind, server, images=images),
    )
    if error:
        yield from _refused(output, head)
        return
    if kind == "read":
        yield from shown(output, head, folder, text_of(given, "filePath"))
    elif kind == "exec":
        yield from _viewed(state, output, head, folder)
    elif kind in {"edit", "write"}:
        yield from _edits(name, given, head, folder)
    elif name == "todowrite":
        yield events.Todo(head, _todos(given))
    elif name == "question":
        yield from _answers(state, head)


def shown(
    output: str, head: events.Head, folder: str, path: str = ""
) -> Iterator[events.Read]:
    """Yield the lines of a file that an answer of the reading tool holds."""
    match = _PATH.match(output)
    path = match[1] if match else path
    content = _CONTENT.search(output, 0, 5_000)
    if not path or content is None or (output.startswith("<path>") and not match):
        return
    first, lines = _numbered(output[content.end() :])
    if not lines:
        return
    total = _TOTAL.search(output, max(0, len(output) - 2_000))
    yield events.Read(
        head,
        join_path(folder, path),
        first,
        first + len(lines) - 1,
        "\n".join(lines),
        int(total[1] or total[2]) if total else 0,
    )


def _numbered(text: str) -> tuple[int, list[str]]:
    """Return the first number and the lines, which are numbered in order."""
    match = _LINE.match(text)
    if match is None:
        return 0, []
    first = number = int(match[1])
    lines: list[str] = []
    rows = text.split("\n")
    for place, row in enumerate(rows):
        match = _LINE.match(row)
        if match is None or int(match[1]) != number:
            # What follows must be the tool's own words, else the form is another.
            rest = "\n".join(rows[place : place + 4])
            return (first, lines) if _END.match(rest) else (0, [])
        lines.append(row[match.end() :])
        number += 1
    return first, lines


def _viewed(
    state: dict[str, Any], output: str, head: events.Head, folder: str
) -> Iterator[events.Read]:
    """Yield what a plain command showed of a file, if it all came through."""
    given, about = dict_of(state, "input"), dict_of(state, "metadata")
    if about.get("exit") != 0 or about.get("truncated") is not False:
        return
    folder = join_path(folder, text_of(given, "workdir")) or folder
    view = views.find_view(text_of(given, "command"), folder)
    lines = views.shown_lines(view, output) if view else None
    if lines is not None:
        yield events.Read(
            head, lines.path, lines.first, lines.last, lines.text, lines.total
        )


def _edits(
    name: str, given: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Edit]:
    if name in {"apply_patch", "patch"}:
        patch = find_patch(text_of(given, "patchText"))
        yield from edits(read_patch(patch), head, folder)
        return
    path = join_path(folder, text_of(given, "filePath"))
    if not path:
        return
    if name == "write":
        yield events.Edit(head, path, None, text_of(given, "content"), whole=True)
        return
    for number, pair in enumerate(dicts_of(given, "edits") or [given]):
        place = head if not number else head._replace(id=f"{head.id}:{number}")
        before, after = text_of(pair, "oldString"), text_of(pair, "newString")
        if before or after:
            yield events.Edit(place, path, before, after)


def _answers(state: dict[str, Any], head: events.Head) -> Iterator[events.Prompt]:
    """Yield what a person wrote in answer to questions; labels are the agent's."""
    questions = dicts_of(dict_of(state, "input"), "questions")
    replies = dict_of(state, "metadata").get("answers")
    words: list[str] = []
    for question, reply in zip(
        questions, replies if type(replies) is list else [], strict=False
    ):
        labels = {text_of(option, "label") for option in dicts_of(question, "options")}
        given = texts_of({"reply": reply}, "reply")
        words += [text.strip() for text in given if text not in labels]
    text = "\n".join(word for word in words if word)
    if text:
        place = head._replace(id=f"{head.id}:{events.ANSWER}")
        yield events.Prompt(place, text, events.ANSWER)


def _refused(output: str, head: events.Head) -> Iterator[events.Prompt]:
    """Yield the text with which a person refused a tool use, if there is one."""
    if not output.startswith("The user rejected permission"):
        return
    said = output.partition(_FEEDBACK)[2].strip()
    if said:
        place = head._replace(id=f"{head.id}:{events.REFUSAL}")
        yield events.Prompt(place, said, events.REFUSAL)


def _server(name: str) -> str:
    """Return the MCP server in ``server_tool``, or "" for a tool of opencode's own."""
    if name in _BUILTIN or "_" not in name:
        return ""
    return OWN_SERVER if name.startswith(f"{OWN_SERVER}_") else name.partition("_")[0]


def _todos(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (text_of(todo, "content"), _STATES.get(text_of(todo, "status"), "done"))
        for todo in dicts_of(given, "todos")
    )


def pruned(part: dict[str, Any]) -> int:
    """Return when a call's output was taken out of the context, 0 if it is there."""
    return count_of(dict_of(dict_of(part, "state"), "time"), "compacted")
