"""Carry out and take back what `ibid.agents.setups` plans for an agent (R3, R5, Q1).

What was written is noted in ``$IBID_HOME/setup/<agent>.json`` before it is written, so
that a set-up that was cut off can be taken back too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.setups import load_setup
from ibid.errors import InputError
from ibid.files import edits, manifests
from ibid.text.digest import digest
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.agents.setups import File, Where


class Change(NamedTuple):
    """What happens to one file; None is no file."""

    path: str
    before: bytes | None
    after: bytes | None
    problem: str = ""  # Why it stays as it is, though it should not.

    @property
    def diff(self) -> str:
        """The change as people read it, secrets cut."""
        if self.before == self.after:
            return ""
        before, after = self.before or b"", self.after or b""
        return redact(edits.diff(self.path, before, after))


class Prepared(NamedTuple):
    """A set-up or an undo that was thought through and not yet carried out."""

    agent: str
    changes: list[Change]
    notes: list[dict[str, Any]]  # Of the manifest; empty after an undo.
    todo: tuple[str, ...]

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes."""
        return all(one.before == one.after for one in self.changes)


def prepare(agent: str, where: Where, home: str) -> Prepared:
    """Return what set-up would do; twice is the same as once.

    Raises:
        InputError: a file cannot be edited; the message says which and why.
    """
    plan = load_setup(agent).plan(where)
    known = {note["path"]: note for note in manifests.load(home, agent)}
    changes, notes = [], []
    for file in plan.files:
        change, note = _prepared(file, known.pop(file.path, None))
        changes.append(change)
        notes.append(note)
    for note in known.values():  # Files that an older version of us wrote to.
        changes.append(_taken_out(note))
    return Prepared(agent, changes, notes, plan.todo)


def prepare_undo(agent: str, where: Where, home: str) -> Prepared:
    """Return what taking it back would do; what others wrote since stays.

    Raises:
        InputError: no such agent.
    """
    plan = load_setup(agent).plan(where)
    notes = manifests.load(home, agent)
    if not notes:  # The manifest is lost, or set-up never ran.
        notes = [_bare(file) for file in plan.files]
    return Prepared(agent, [_taken_out(one) for one in notes], [], ())


def carry_out(prepared: Prepared, home: str) -> None:
    """Write the files, the manifest first; nothing happens for a file with a problem.

    Raises:
        InputError: a file changed since, or cannot be written; those before it were.
    """
    kept = manifests.load(home, prepared.agent)
    problems = {one.path for one in prepared.changes if one.problem}
    if prepared.notes:
        manifests.save(home, prepared.agent, prepared.notes)
    for change in prepared.changes:
        if change.before == change.after:
            continue
        edits.write(change.path, change.after, change.before)
    if not prepared.notes:
        manifests.save(
            home, prepared.agent, [one for one in kept if one["path"] in problems]
        )
        folders = {one for note in kept for one in note.get("folders", ())}
        for folder in sorted(folders, key=len, reverse=True):
            edits.remove_empty(folder)


def is_installed(agent: str, where: Where) -> bool:
    """Say whether all our entries stand in the agent's settings now."""
    for file in load_setup(agent).plan(where).files:
        try:
            data = edits.read(file.path)
        except InputError:
            return False
        entries = [edits.Entry(*one) for one in file.entries]
        if data is None or not edits.has_all(file.form, data, entries):
            return False
    return True


# -- one file ------------------------------------------------------------------------


def _prepared(file: File, note: dict[str, Any] | None) -> tuple[Change, dict[str, Any]]:
    """Return the change of one file and its note in the manifest."""
    try:
        before = edits.read(file.path)
        entries = [edits.Entry(*one) for one in file.entries]
        is_known = note is not None and note_entries(note) == entries
        if note and is_known and edits.has_all(file.form, before or b"", entries):
            return Change(file.path, before, before), note
        base = before if note is None else _base(note)
        done = edits.put_in(file.form, base or b"", entries)
    except InputError as error:
        raise InputError(f"{file.path}: {error} Nothing was changed.") from error
    made = {
        **_bare(file),
        "entries": [one for one in file.entries if edits.Entry(*one) in done.added],
        "all": list(file.entries),
        "before": None if base is None else digest(base),
        "after": digest(done.data),
        "steps": done.steps,
        "made": done.made,
        "folders": (note or {}).get("folders") or edits.missing_folders(file.path),
    }
    return Change(file.path, before, done.data), json.loads(json.dumps(made))


def _base(note: dict[str, Any]) -> bytes | None:
    """Return a file without what an earlier set-up wrote."""
    taken = _taken_out(note)
    if taken.problem and taken.after is None:
        raise InputError(taken.problem)
    return taken.after


def _taken_out(note: dict[str, Any]) -> Change:
    """Return the change that takes ours out of one file."""
    path, form = note["path"], note["form"]
    try:
        before = edits.read(path)
        if before is None or digest(before) == note["before"]:
            return Change(path, before, before)
        if digest(before) == note["after"]:
            after = edits.take_back(before, note["steps"])
            gone = note["before"] is None
            return Change(path, before, None if gone else after)
        mine = [edits.Entry(tuple(p), v, a) for p, v, a in note["entries"]]
        made = [tuple(one) for one in note["made"]]
        after = edits.take_out(form, before, mine, made)
    except InputError as error:
        return Change(path, None, None, str(error))
    if note["before"] is None and note["after"] and edits.is_empty(form, after):
        return Change(path, before, None)
    return Change(path, before, after, _left(form, after, mine))


def _left(form: str, data: bytes, entries: list[edits.Entry]) -> str:
    """Return what to say when an entry of ours was changed by somebody."""
    names = [one.path for one in entries if edits.is_left(form, data, one)]
    if not names:
        return ""
    shown = ", ".join(".".join(name) or "the file" for name in names)
    return f"{shown} is no longer what Ibid wrote; it was left as it is."


def _bare(file: File) -> dict[str, Any]:
    """Return the note of a file of which nothing is known but what would be ours."""
    mine = [list(one) for one in file.entries if isinstance(one.value, dict | str)]
    return {
        "path": file.path,
        "form": file.form,
        "entries": mine,
        "all": mine,
        "before": None,
        "after": "",
        "steps": [],
        "made": [],
        "folders": [],
    }


def note_entries(note: dict[str, Any]) -> list[edits.Entry]:
    """Return all entries that a file should have had."""
    return [edits.Entry(tuple(p), v, a) for p, v, a in note["all"]]
