"""A tool call and its result become events: the call, what it showed, what it changed.

A result record has two copies: the block is what the model saw, ``toolUseResult`` the
client's own structured copy.  What was shown is taken from the first, names and totals
from the second where it exists; newer versions and subagents leave it out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events
from ibid.agents.claude_code import persons
from ibid.agents.fields import count_of, dict_of, dicts_of, join_path, text_of
from ibid.agents.tools import flags_of, kind_of, server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.calls import Call

_NUMBERED = re.compile(r"[ ]*(\d{1,9})(?:→|\t)")
_ERROR = "<tool_use_error>"


class Result(NamedTuple):
    """One result block, with the record it came in."""

    id: str  # The tool call's.
    output: str  # What the model saw.
    images: bool
    error: bool
    detail: dict[str, Any]  # The client's structured copy; {} if there is none.
    record: dict[str, Any]


def read_result(block: dict[str, Any], record: dict[str, Any]) -> Result:
    """Return the parts of a ``tool_result`` block."""
    output, images = _shown(block.get("content"))
    return Result(
        id=text_of(block, "tool_use_id"),
        output=output,
        images=images,
        error=block.get("is_error") is True or output.startswith(_ERROR),
        detail=dict_of(record, "toolUseResult"),
        record=record,
    )


def finish(
    call: Call, result: Result, head: events.Head, cwd: str
) -> Iterator[events.Event]:
    """Yield the events of a finished call.

    Args:
        call: name and input; a nameless one was never seen to begin.
        result: its outcome.
        head: of the record that brought the result.
        cwd: the folder that relative paths belong to.
    """
    head = head._replace(id=result.id)
    server = server_of(call.name)
    kind = kind_of(call.name)
    yield events.Tool(
        head,
        call.name,
        call.input,
        result.output,
        result.error,
        server,
        kind,
        flags_of(kind, server, images=result.images),
    )
    if not result.error:
        if kind == "read" or (not call.name and "file" in result.detail):
            yield from _reads(call, result, head, cwd)
        elif kind in {"edit", "write"}:
            yield from _edits(call, result, head, cwd)
    yield from persons.voices(call, result, head)


def numbered_lines(shown: str) -> tuple[int, str]:
    """Return the first line's number and the text of lines numbered as by `cat -n`.

    Numbers are followed by an arrow (old versions) or a tab.  Reminders before and
    after the lines are not part of the file.  The number is 0 if there are no lines.
    """
    shown_lines = shown.split("\n")
    for start, line in enumerate(shown_lines):
        match = _NUMBERED.match(line)
        if match:
            return _numbered_from(shown_lines[start:], match)
    return 0, ""


def _numbered_from(shown: list[str], match: re.Match[str]) -> tuple[int, str]:
    """Return the numbered lines at the start of ``shown``; the first is matched."""
    number = first = int(match[1])
    width = match.end() - 1  # Old versions pad to six places, newer ones do not pad.
    separator = shown[0][width]
    lines: list[str] = []
    for line in shown:
        prefix = f"{number:>{width}}{separator}"
        if not line.startswith(prefix):
            if width != len(str(number - 1)):
                break
            width = len(str(number))  # One place more: 9 to 10.
            prefix = f"{number}{separator}"
            if not line.startswith(prefix):
                break
        lines.append(line[len(prefix) :])
        number += 1
    return first, "\n".join(lines)


def file_read(file: dict[str, Any], head: events.Head, cwd: str) -> events.Read | None:
    """Return the lines that a structured copy of a file holds, or None if none."""
    path = text_of(file, "filePath")
    content = file.get("content")
    if not path or type(content) is not str or not content:
        return None
    first = count_of(file, "startLine") or 1
    return _read(head, join_path(cwd, path), (first, content), file)


def _reads(
    call: Call, result: Result, head: events.Head, cwd: str
) -> Iterator[events.Read]:
    file = dict_of(result.detail, "file")
    path = text_of(file, "filePath") or text_of(call.input, "file_path")
    path = join_path(cwd, path)
    if not path:
        return
    if text_of(result.detail, "type") == "file_unchanged" or _is_stub(result.output):
        first = count_of(call.input, "offset") or 1
        limit = count_of(call.input, "limit")
        last = first + limit - 1 if limit else 0
        yield events.Read(head, path, first, last, stub=True)
        return
    first, text = numbered_lines(result.output)
    if first:
        yield _read(head, path, (first, text), file)


def _read(
    head: events.Head, path: str, lines: tuple[int, str], file: dict[str, Any]
) -> events.Read:
    first, text = lines
    last = first + text.count("\n")
    return events.Read(head, path, first, last, text, count_of(file, "totalLines"))


def _is_stub(output: str) -> bool:
    """Say whether the agent itself answered that the file is unchanged."""
    return len(output) < 400 and output.startswith(
        ("File unchanged since last read", "Wasted call")
    )


def _edits(
    call: Call, result: Result, head: events.Head, cwd: str
) -> Iterator[events.Edit]:
    detail, given = result.detail, call.input
    path = text_of(detail, "filePath") or text_of(given, "file_path")
    path = join_path(cwd, path or text_of(given, "notebook_path"))
    if not path:
        return
    changed = detail.get("userModified") is True  # The person changed the proposal.
    if call.name == "Write" or (call.name != "Edit" and "content" in given):
        original = detail.get("originalFile")
        before = original if type(original) is str else None
        after = text_of(given, "content")
        if changed or "content" not in given:
            after = text_of(detail, "content") or after
        yield events.Edit(head, path, before, after, whole=True)
        return
    if "new_source" in given:
        yield events.Edit(head, path, None, text_of(given, "new_source"))
        return
    pairs = dicts_of(given, "edits") or [given]
    if changed and "newString" in detail:
        new, old = text_of(detail, "newString"), text_of(detail, "oldString")
        pairs = [{"old_string": old, "new_string": new}]
    for number, pair in enumerate(pairs):
        place = head if not number else head._replace(id=f"{head.id}:{number}")
        before, after = text_of(pair, "old_string"), text_of(pair, "new_string")
        if before or after:
            yield events.Edit(place, path, before, after)


def _shown(content: Any) -> tuple[str, bool]:
    """Return the text of a result's content and whether it holds images."""
    if type(content) is str:
        return content, False
    if type(content) is not list:
        return "", False
    texts: list[str] = []
    images = False
    for part in content:
        if type(part) is str:
            texts.append(part)
        if type(part) is not dict:
            continue
        kind = text_of(part, "type")
        if kind == "text":
            texts.append(text_of(part, "text"))
        elif kind == "image":
            images = True
            texts.append("[image]")
        elif kind == "tool_reference":
            texts.append(f"[tool {text_of(part, 'tool_name')}]")
        elif kind:
            texts.append(f"[{kind}]")
    return "\n".join(texts), images
