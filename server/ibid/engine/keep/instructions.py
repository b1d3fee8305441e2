"""From a note to an always-loaded instruction file: a previewed edit (C6).

`preview` says what would change in ``CLAUDE.md`` and its like; a person applies it.
`propose` puts such an edit into the review queue: for a rule said in several sessions,
and for a correction of a rule that stands there.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.model import CERTAIN
from ibid.errors import InputError
from ibid.files import gate
from ibid.store import candidates, instructions, memories
from ibid.text.clean import one_line
from ibid.text.digest import digest
from ibid.text.meaning import difference, similarity
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

# Agent's name for it -> the file, the first the most common.
FILES = {
    "claude": "CLAUDE.md",
    "agents": "AGENTS.md",
    "gemini": "GEMINI.md",
    "copilot": ".github/copilot-instructions.md",
}
HEADING = "## Rules of this project"
IMPORTS = {
    "CLAUDE.md": "@.ibid/state/handoff.md",
    "GEMINI.md": "@./.ibid/state/handoff.md",
}
READ = "At the start of a session read `.ibid/state/handoff.md`, if it exists."
SESSIONS = 3  # In which a rule was said before it is proposed.
NEAR = 0.8
SIGNAL = "instructions:"  # And the file: what such a candidate would change.


class Change(NamedTuple):
    """One replaced range: lines and characters from 0, the end excluded."""

    line: int
    character: int
    end_line: int
    end_character: int
    text: str


class Preview(NamedTuple):
    """What an edit would make of an instruction file."""

    path: str  # Relative to the project.
    exists: bool
    before: str
    after: str
    changes: tuple[Change, ...]
    diff: str
    digest: str  # Of what is there now; "" for no file.


class Wanted(NamedTuple):
    """What should stand in an instruction file."""

    file: str = ""  # Its name or its agent's; "" means the first there is.
    notes: tuple[str, ...] = ()
    handoff: bool = False  # The one line by which a session reads the handoff.


def preview(memory: Memory, wanted: Wanted) -> Preview:
    """Return the edit that ``wanted`` needs; nothing is written.

    Raises:
        InputError: no such file is known, or nothing would change.
        NotFoundError, AmbiguousError: no note, or several, are called so.
    """
    path = _path(memory, wanted.file)
    if not wanted.notes and not wanted.handoff:
        raise InputError(
            f"Nothing to add to {path}: name a note (--note ID, from `ibid note list`) "
            "or --handoff."
        )
    found = gate.find_file(memory.project.path, path)
    before = "" if found is None else found.data.decode("utf-8", "surrogateescape")
    after = before
    connection = memory.store.read()
    for name in wanted.notes:
        row = memories.load_memory(connection, name)
        if row["layer"] != memories.NOTE or not row["active"]:
            raise InputError(f"{row['key']} is no active note.")
        after = _with_rule(after, row, _older(connection, row))
    if wanted.handoff:
        after = _with_line(after, IMPORTS.get(path, READ))
    if after == before:
        raise InputError(f"Nothing to change: {path} says so already.")
    return Preview(
        path=path,
        exists=found is not None,
        before=before,
        after=after,
        changes=_changes(before, after),
        diff=_diff(path, before, after),
        digest="" if found is None else digest(found.data),
    )


def propose(memory: Memory, before: str = "") -> str:
    """Put edits worth making into the queue, each once.

    Returns what it looked at; with that as ``before`` the same is not looked at again.
    """
    if memory.store.read_only or not memory.switches().learn:
        return before
    try:
        there = _texts(memory)
    except InputError:
        return before
    rows = instructions.rules(memory.store.read()) if there else []
    marks = [f"{row['id']}.{row['version']}.{row['sessions']}" for row in rows]
    seen = digest("\0".join([*marks, *there.values()]).encode("utf-8", "replace"))
    if seen == before:
        return before
    for row in rows:
        _propose_one(memory, row, there)
    return seen


def _texts(memory: Memory) -> dict[str, str]:
    """Return the instruction files that the project has."""
    found = {}
    for path in FILES.values():
        file = gate.find_file(memory.project.path, path)
        if file is not None:
            found[path] = file.data.decode("utf-8", "replace")
    return found


def _propose_one(memory: Memory, row: Row, there: dict[str, str]) -> None:
    connection = memory.store.read()
    older = _older(connection, row)
    if row["sessions"] < SESSIONS and not older:
        return
    for path, text in there.items():
        if instructions.proposed(connection, row["id"], path) is not None:
            return
        reason = _reason(text, row, older, path)
        if reason:
            _add(memory, row, path, reason)
            return


def _reason(text: str, row: Row, older: list[str], path: str) -> str:
    """Return why a rule should go into a file, or "" when it should not."""
    if _line_with(text, row["text"]) is not None:
        return ""
    if any(_line_with(text, one) is not None for one in older):
        return f"{path} still says what this corrects"
    if row["sessions"] >= SESSIONS:
        return f"said in {row['sessions']} sessions; {path} does not say it"
    return ""


def _add(memory: Memory, row: Row, path: str, reason: str) -> None:
    now = memory.clock.now()
    new = candidates.NewCandidate(
        key=memory.ids.new("c"),
        category=row["category"],
        text=row["text"],
        signal=SIGNAL + path,
        role=row["role"],
        confidence=CERTAIN,
        at=now,
        due=now,
        waits="review",
        reason=reason,
        created=now,
        author="ibid",
    )
    with memory.store.write() as connection:
        if instructions.proposed(connection, row["id"], path) is None:
            instructions.add_proposal(connection, new, row["id"])


# -- the text -------------------------------------------------------------------------


def _path(memory: Memory, name: str) -> str:
    if name:
        path = FILES.get(name.lower(), name)
        if path not in FILES.values():
            known = ", ".join(FILES.values())
            raise InputError(f"{name!r} is no instruction file. There are: {known}.")
        return path
    for path in FILES.values():
        if gate.find_file(memory.project.path, path) is not None:
            return path
    return FILES["agents"]


def _older(connection: Connection, row: Row) -> list[str]:
    """Return the wordings that a note has replaced, the newest first."""
    said = [one["text"] for one in memories.list_history(connection, row["id"])][::-1]
    if row["supersedes"] is not None:
        old = memories.find_memory(connection, row["supersedes"])
        said += [] if old is None else [old["text"]]
    return said


def _with_rule(text: str, row: Row, older: list[str]) -> str:
    """Return the file with a note's rule: in its old wording's place, else added."""
    rule = one_line(redact(row["text"]))
    if _line_with(text, rule) is not None:
        return text
    lines = text.splitlines(keepends=True)
    for one in older:
        at = _line_with(text, one)
        if at is not None:
            mark = re.match(r"\s*(?:[-*+]|\d+[.)])?\s*", lines[at])
            head = mark.group() if mark else ""
            lines[at] = f"{head}{rule}{_ending(lines[at])}"
            return "".join(lines)
    end = _end_of_section(lines)
    new = "\r\n" if "\r\n" in text else "\n"
    if end is not None:
        if lines[end - 1] == lines[end - 1].rstrip("\r\n"):
            lines[end - 1] += new
        lines.insert(end, f"- {rule}{new}")
        return "".join(lines)
    gap = "" if not text else (new if text.endswith("\n") else new * 2)
    return f"{text}{gap}{HEADING}{new}{new}- {rule}{new}"


def _with_line(text: str, line: str) -> str:
    if any(one.strip() == line for one in text.splitlines()):
        return text
    new = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else new
    return f"{text}{gap}{line}{new}"


def _end_of_section(lines: list[str]) -> int | None:
    """Return where our section's list ends, if the file has our heading."""
    for at, line in enumerate(lines):
        if line.strip() == HEADING:
            end = last = at + 1
            while end < len(lines) and not lines[end].startswith("#"):
                end += 1
                last = end if lines[end - 1].strip() else last
            return last
    return None


def _line_with(text: str, rule: str) -> int | None:
    """Return the line that says a rule, in these or nearly these words."""
    wanted = one_line(rule).rstrip(".。").casefold()
    for at, line in enumerate(text.splitlines()):
        bare = re.sub(r"^\s*(?:[-*+]|\d+[.)])?\s*", "", one_line(line))
        if not bare:
            continue
        if wanted and wanted in bare.casefold():
            return at
        if len(bare) < 4 * len(rule) and similarity(bare, rule) >= NEAR:
            return None if difference(bare, rule) else at
    return None


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _changes(before: str, after: str) -> tuple[Change, ...]:
    """Return the replaced ranges, in UTF-16 units, as an editor wants them."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            continue
        start = _place(old, a)
        end = _place(old, b)
        found.append(Change(*start, *end, "".join(new[c:d])))
    return tuple(found)


def _place(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Return the position before line ``at``: at the end, after a last open line."""
    if at < len(lines) or not lines or lines[-1].endswith("\n"):
        return at, 0
    return at - 1, len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2


def _diff(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
