"""A finished call becomes events: the call, the lines it showed, what it changed.

The output that the model saw is taken from the call's own output item; the structured
``exec_command_end``, where there is one, is cut to 10 kB and only says where a command
ran.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events, views
from ibid.agents.codex.speaker import answer_words
from ibid.agents.fields import dict_of, dicts_of, join_path, text_of, texts_of
from ibid.agents.patches import Change, edits, find_patch, read_diff, read_patch
from ibid.agents.tools import flags_of, kind_of, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.calls import Call

_OUTPUT = "Output:\n"
_HEADER = 400  # Characters in which the header of an output ends.
_EXIT = re.compile(r"(?:Exit code:|Process exited with code) (-?\d{1,9})\n")
_RUNNING = "Process running with session ID"
_CUT = re.compile(
    r"…\d+ \w+ truncated…|\[\.\.\. (?:omitted|truncated) |\[\.\.\. \d+ lines? omitted"
    r"|truncated output \(original token count"
)
_CUT_HEADER = "Total output lines:"
_PATCH_FAILED = ("apply_patch verification failed", "patch rejected", "Failed to ")
_REJECTED = ("exec command rejected by user", "rejected by user", "aborted by user")
_STATES = {"pending": "pending", "in_progress": "active", "completed": "done"}


class Output(NamedTuple):
    """What a call gave back."""

    text: str  # As the model saw it, but for an envelope of JSON.
    body: str  # What the command itself wrote.
    exit: int | None = None
    error: bool = False
    images: bool = False
    whole: bool = True  # Nothing of it was cut, and the command has ended.


def read_output(value: Any) -> Output:
    """Return the parts of an output item's ``output``, of whichever version."""
    if type(value) is dict:
        content = value.get("content", value.get("content_items"))
        read = read_output(content if content is not None else "")
        return read._replace(error=read.error or value.get("success") is False)
    if type(value) is list:
        return _parts(value)
    if type(value) is not str:
        return Output("", "")
    if value.startswith('{"output":'):
        enveloped = _enveloped(value)
        if enveloped is not None:
            return enveloped
    return _with_header(value)


def finish(
    call: Call, output: Output, head: events.Head, folder: str
) -> Iterator[events.Event]:
    """Yield the events of a finished call.

    Args:
        call: its full name and input; a nameless one was never seen to begin.
        output: what came of it.
        head: of the record that brought the output; its id is the call's.
        folder: the one that the call ran in.
    """
    name = call.name
    server = server_of(name)
    kind = kind_of(name)
    patch = _patch_of(call)
    if patch and kind == "exec":
        kind = "edit"
    error = _is_error(output, kind)
    view = None if error or patch else _view_of(call, folder)
    flags = flags_of(kind, server, images=output.images)
    if view is not None:
        flags = (*flags, events.FILES)
    yield events.Tool(head, name, call.input, output.text, error, server, kind, flags)
    if view is not None and output.whole and output.exit == 0:
        yield from _shown(view, output, head)
    if patch and not error:
        yield from edits(read_patch(patch), head, folder)
    if name == "update_plan" and not error:
        yield events.Todo(head, _steps(call.input))
    elif name == "request_user_input" and not error:
        yield from _answers(call, output, head)


def applied(
    payload: dict[str, Any], head: events.Head, folder: str
) -> Iterator[events.Edit]:
    """Yield the changes of a `patch_apply_end` whose call wrote no patch itself."""
    if payload.get("success") is not True:
        return
    changes: list[Change] = []
    for path, change in dict_of(payload, "changes").items():
        if type(change) is not dict:
            continue
        diff, content = text_of(change, "unified_diff"), change.get("content")
        moved = text_of(change, "move_path")
        kind = text_of(change, "type")
        if type(content) is str:
            gone = kind == "delete"
            before, after = (content, "") if gone else ("", content)
            changes.append(Change(path, before, after, whole=True))
        if moved:
            changes.append(Change(path, None, "", whole=True))
        changes += read_diff(moved or path, diff)
    yield from edits(changes, head, folder)


def searched(payload: dict[str, Any], head: events.Head) -> events.Tool:
    """Return the call of a web search, whose results the file does not hold."""
    given = {"query": text_of(payload, "query")} | dict_of(payload, "action")
    flags = flags_of("web", "")
    return events.Tool(head, "web_search", given, kind="web", flags=flags)


def folder_of(call: Call, cwd: str) -> str:
    """Return the folder that ``call`` asks to run in."""
    given = text_of(call.input, "workdir") or text_of(call.input, "cwd")
    return join_path(cwd, given) if given else cwd


def _patch_of(call: Call) -> str:
    """Return the patch that a call applies, by whichever tool, or ""."""
    if kind_of(call.name) == "edit":
        return find_patch(text_of(call.input, "input"))
    words = texts_of(call.input, "command") or texts_of(call.input, "cmd")
    if not words or "apply_patch" not in "".join(words)[:400]:
        return ""
    return find_patch(words[-1])


def _view_of(call: Call, folder: str) -> views.View | None:
    """Return what a call to a shell shows of a file, if it does just that."""
    if kind_of(call.name) != "exec" or call.name == "write_stdin":
        return None
    command = call.input.get("command", call.input.get("cmd"))
    if type(command) is list:
        words = texts_of({"words": command}, "words")
        script = views.script_of(words) if len(words) == len(command) else ""
    else:
        script = command if type(command) is str else ""
    return views.find_view(script, folder) if script else None


def _shown(
    view: views.View, output: Output, head: events.Head
) -> Iterator[events.Read]:
    shown = views.shown_lines(view, output.body)
    if shown is not None:
        yield events.Read(
            head, shown.path, shown.first, shown.last, shown.text, shown.total
        )


def _is_error(output: Output, kind: str) -> bool:
    if output.error or (output.exit or 0) != 0:
        return True
    if output.text.startswith(_REJECTED):
        return True
    return kind == "edit" and output.text.startswith(_PATCH_FAILED)


def _with_header(text: str) -> Output:
    """Return an output whose header stands before the word ``Output:``."""
    header, found, body = text[:_HEADER].partition(_OUTPUT)
    if not found or not header.startswith(("Exit code:", "Chunk ID:", "Wall time")):
        return Output(text, text, whole=_CUT.search(text) is None)
    body += text[_HEADER:]
    match = _EXIT.search(header)
    whole = (
        match is not None
        and _CUT_HEADER not in header
        and _RUNNING not in header
        and _CUT.search(body) is None
    )
    return Output(text, body, int(match[1]) if match else None, whole=whole)


def _enveloped(text: str) -> Output | None:
    """Return an output that older versions wrap in JSON, or None if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    body = text_of(value, "output")
    code = dict_of(value, "metadata").get("exit_code")
    if type(code) is not int:
        return None
    return Output(body, body, code, whole=_CUT.search(body) is None)


def _parts(parts: list[Any]) -> Output:
    """Return an output that is a list of texts and images."""
    shown: list[str] = []
    images = False
    for part in dicts_of({"parts": parts}, "parts"):
        kind = text_of(part, "type")
        if "image" in kind:
            images = True
            shown.append("[image]")
        else:
            shown.append(text_of(part, "text"))
    text = "\n".join(shown)
    return _with_header(text)._replace(images=images)


def _steps(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (text_of(step, "step"), _STATES.get(text_of(step, "status"), "pending"))
        for step in dicts_of(given, "plan")
    )


def _answers(call: Call, output: Output, head: events.Head) -> Iterator[events.Prompt]:
    try:
        replies = dict_of(json.loads(output.text), "answers")
    except (ValueError, RecursionError, AttributeError):
        return
    words = answer_words(call.input, replies)
    if words:
        place = head._replace(id=f"{head.id}:{events.ANSWER}")
        yield events.Prompt(place, words, events.ANSWER)
