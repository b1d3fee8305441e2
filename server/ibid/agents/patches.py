"""Patches as agents write them: the ``apply_patch`` form and unified differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.events import Edit, Head
from ibid.agents.fields import join_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_ADD = "*** Add File: "
_DELETE = "*** Delete File: "
_UPDATE = "*** Update File: "
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"
_FILES = (_ADD, _DELETE, _UPDATE)


class Change(NamedTuple):
    """One place of one file that a patch changes."""

    path: str
    before: str | None  # None: unknown, as of a file that is deleted.
    after: str
    whole: bool = False


def find_patch(text: str) -> str:
    """Return the patch within ``text``, such as a shell's here-document, or ""."""
    start = text.find(BEGIN)
    if start < 0:
        return ""
    end = text.find(_END, start)
    return text[start:] if end < 0 else text[start:end]


def read_patch(patch: str) -> Iterator[Change]:
    """Yield the changes of a patch of the ``apply_patch`` form."""
    path, body = "", [""]
    for line in patch.split("\n"):
        if line.startswith(_FILES):
            yield from _file_changes(path, body)
            path, body = line, []
        elif line.startswith((BEGIN, _END)):
            continue
        else:
            body.append(line)
    yield from _file_changes(path, body)


def read_diff(path: str, diff: str) -> Iterator[Change]:
    """Yield the changes of a unified difference of the file ``path``."""
    lines = [
        line for line in diff.split("\n") if not line.startswith(("--- ", "+++ ", "\\"))
    ]
    for hunk in _hunks(lines):
        yield _hunk_change(path, hunk)


def edits(changes: Iterable[Change], head: Head, folder: str) -> Iterator[Edit]:
    """Yield the events of a call that made ``changes``; ``head`` is the call's."""
    for number, change in enumerate(changes):
        place = head if not number else head._replace(id=f"{head.id}:{number}")
        path = join_path(folder, change.path)
        yield Edit(place, path, change.before, change.after, change.whole)


def _file_changes(header: str, body: list[str]) -> Iterator[Change]:
    """Yield the changes of one file of a patch."""
    if header.startswith(_ADD):
        added = [line[1:] for line in body if line.startswith("+")]
        yield Change(header[len(_ADD) :].strip(), "", "\n".join(added), whole=True)
    elif header.startswith(_DELETE):
        yield Change(header[len(_DELETE) :].strip(), None, "", whole=True)
    elif header.startswith(_UPDATE):
        path = header[len(_UPDATE) :].strip()
        if body and body[0].startswith(_MOVE):
            moved = body[0][len(_MOVE) :].strip()
            yield Change(path, None, "", whole=True)
            path, body = moved, body[1:]
        for hunk in _hunks(body):
            yield _hunk_change(path, hunk)


def _hunks(lines: list[str]) -> Iterator[list[str]]:
    hunk: list[str] = []
    for line in lines:
        if line.startswith("@@"):
            if any(kept[:1] in "+-" for kept in hunk if kept):
                yield hunk
            hunk = []
        elif line != _END_OF_FILE:
            hunk.append(line)
    if any(kept[:1] in "+-" for kept in hunk if kept):
        yield hunk


def _hunk_change(path: str, hunk: list[str]) -> Change:
    while hunk and not hunk[-1]:  # The end of the text, not an empty line of context.
        hunk = hunk[:-1]
    before = [line[1:] for line in hunk if line[:1] != "+"]
    after = [line[1:] for line in hunk if line[:1] != "-"]
    return Change(path, "\n".join(before), "\n".join(after))
