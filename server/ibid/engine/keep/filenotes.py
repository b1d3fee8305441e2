"""Curated notes as files: the file is canonical, the store indexes it (O1).

`publish` brings the files to what a person did here: added, pinned, corrected, forgot.
`scan` brings the store to what was done to the files elsewhere: an edit is a
correction, a missing file makes its note dormant until it returns, a rename is followed
by id.  What Ibid did not write and Git may have brought is never believed at sight: it
waits in the review queue until a person accepts exactly those bytes (R1).
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.engine import index
from ibid.engine.keep.about import follow_about, list_about, note_about
from ibid.engine.keep.filecandidates import propose, withdraw_stale
from ibid.engine.learn.profile import rebuild_profile
from ibid.engine.learn.settle import ensure_anchors
from ibid.engine.model import CERTAIN
from ibid.errors import InputError
from ibid.files import gate, state
from ibid.files import notes as files
from ibid.files.writer import remove_file, write_file
from ibid.store import candidates, memories, notefiles, settings
from ibid.text.digest import digest, handle
from ibid.text.redact import has_secret, redact

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

GRACE = 2_000  # Milliseconds a file may be missing: editors save by renaming.
LONGEST = 8_000  # Characters of a note's file that are read.
SHARED = "shareNotes"
SECRET = "its file holds a secret; the value is masked here"  # noqa: S105


class Found(NamedTuple):
    """A note file as it is now."""

    relative: str
    data: bytes
    digest: str
    note: files.NoteFile
    role: str

    @property
    def text(self) -> str:
        """What the note says, redacted."""
        return redact(self.note.body[:LONGEST]).strip()

    @property
    def tags(self) -> str:
        """Its tags as they are stored: JSON, redacted."""
        return json.dumps(_masked(self.note.items("tags")), ensure_ascii=False)

    @property
    def secret(self) -> bool:
        """Whether it holds a secret anywhere that is read."""
        items = [*self.note.items("tags"), *self.note.items("about")]
        return any(map(has_secret, [self.note.body, *items]))


class Finding(NamedTuple):
    """What is to be said about a line of a note file, in an editor; lines from 0."""

    line: int
    kind: str  # header | waiting | secret
    message: str


class FileNotes:
    """The note files of one project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._root = memory.project.path
        self._marks: dict[str, tuple[int, ...]] = {}
        self._missing: dict[int, int] = {}
        self._anew = True
        self._problems: dict[str, tuple[files.Problem, ...]] = {}
        self.skipped = 0  # Names in the folders that cannot be notes.
        self.trouble = ""  # Why files cannot be written or read, if they cannot.

    # -- from the store to the files -------------------------------------------------

    def publish(self) -> None:
        """Write the files of curated notes that changed; retried until it is done.

        Never raises for a file: the note holds without it, ``trouble`` says why.
        """
        memory = self._memory
        if memory.store.read_only or not self._is_on():
            return
        try:
            for number in notefiles.unfiled(memory.store.read()):
                with memory.store.write() as connection:
                    row = memories.find_memory(connection, number)
                    if row is not None and row["version"] != row["filed"]:
                        self._publish_one(connection, row)
            self.trouble = ""
        except InputError as error:
            self.trouble = str(error)

    def _publish_one(self, connection: Connection, row: Row) -> None:
        place = (row["file"], row["digest"])
        if row["active"] and row["curated"]:
            place = self._write(connection, row)
        elif row["state"] in (memories.FORGOTTEN, memories.SUPERSEDED) and row["file"]:
            place = self._let_go(connection, row)
        notefiles.set_file(connection, row["id"], *place, row["version"])

    def _write(self, connection: Connection, row: Row) -> tuple[str, str]:
        relative = row["file"]
        known = gate.find_file(self._root, relative) if relative else None
        if relative and known is None:
            return relative, row["digest"]  # Somebody removed it: `scan` decides.
        fields = _fields(connection, row)
        if known is None:
            return self._create(row, files.render(fields, row["text"]))
        said = files.parse(known.data)
        changes = {
            key: fields.get(key, "")
            for key in ("id", "category", "pinned", "role", "tags")
            if _masked(said.fields.get(key, "")) != fields.get(key, "")
            and (said.fields.get(key) or fields.get(key))
        }
        body = None if redact(said.body).strip() == row["text"] else row["text"]
        data = known.data
        if changes or body is not None:
            data = files.rewritten(known.data, changes, body)
        written = write_file(self._root, relative, data, row["digest"])
        return relative, row["digest"] if written.conflict else written.digest

    def _create(self, row: Row, data: bytes) -> tuple[str, str]:
        folder = self.folder_of(row["role"])
        self._ensure_folder(folder)
        names = state.names_below(self._root, folder)
        name = files.file_name(row["text"], row["key"], [])
        if name in names:
            there = gate.find_file(self._root, f"{folder}/{name}")
            if there is None or there.data != data:  # Else a crash left it behind.
                name = files.file_name(row["text"], row["key"], names)
        written = write_file(self._root, f"{folder}/{name}", data, None)
        return written.relative, written.digest

    def _ensure_folder(self, folder: str) -> None:
        if self._is_shared():
            found = gate.open_folder(self._root, folder, make=True)
            if found is not None:
                found.__exit__()
            return
        state.ensure_ignored(self._root, folder)

    def _let_go(self, connection: Connection, row: Row) -> tuple[str, str]:
        """Give a file to the note's correction, else remove it if it is unchanged."""
        heir = notefiles.heir_of(connection, row["id"])
        if heir is not None and not heir["file"]:
            notefiles.set_file(
                connection, heir["id"], row["file"], row["digest"], heir["filed"]
            )
            return "", ""
        gone = remove_file(self._root, row["file"], row["digest"])
        return ("", "") if gone else (row["file"], row["digest"])

    def remove(self, row: Row) -> bool:
        """Remove a deleted note's file; say whether it is gone (K3).

        A file that was changed since is somebody's, and stays.
        """
        return remove_file(self._root, row["file"], row["digest"])

    def share(self, on: bool = True) -> list[str]:
        """Let Git see the notes, or hide them again; return the folders (O1).

        Raises:
            InputError: a ``.gitignore`` cannot be changed.
        """
        memory = self._memory
        with memory.store.write(durable=True) as connection:
            now = memory.clock.now()
            settings.ensure_setting(connection, SHARED, True if on else None, now)
        folders = [place for place, _ in self._folders()]
        for folder in folders or [state.NOTES]:
            if on:
                state.share(self._root, folder)
            else:
                state.ensure_ignored(self._root, folder)
        return folders

    # -- from the files to the store -------------------------------------------------

    def scan(self, final: bool = False) -> bool:
        """Take in what was done to the files; say whether anything changed.

        ``final``: a missing file is missing, for nobody looks again soon.
        """
        memory = self._memory
        if memory.store.read_only or not self._is_on() or not self._exists():
            return False
        try:
            return self._scan(final)
        except InputError as error:
            self.trouble = str(error)
            return False

    def _scan(self, final: bool) -> bool:
        there, changed = self._look()
        connection = self._memory.store.read()
        rows = {row["file"]: row for row in notefiles.filed(connection)}
        missing = [row for place, row in rows.items() if place not in there]
        asleep = any(
            row["state"] == memories.DORMANT and place in there
            for place, row in rows.items()
        )
        now = self._memory.clock.now()
        self._missing = {
            row["id"]: self._missing.get(row["id"], now) for row in missing
        }
        lost = [
            row["id"]
            for row in missing
            if row["active"] and (final or now - self._missing[row["id"]] >= GRACE)
        ]
        if not (changed or lost or asleep or self._anew):
            return False
        self._anew = False
        found = [one for place in changed if (one := self._read(place, there[place]))]
        with self._memory.store.write() as connection:
            work = _Scan(self._memory, connection, frozenset(there))
            for one in found:
                work.meet(one, self._may_be_git(one.relative))
            work.wake(frozenset(there))
            for number in lost:
                work.lose(number)
            work.acted += withdraw_stale(connection, frozenset(there), now)
            if work.acted:
                rebuild_profile(connection, self._memory.ids.new, now)
        return work.acted > 0

    def _look(self) -> tuple[dict[str, str], list[str]]:
        """Return every note file with its role, and those that changed since."""
        there: dict[str, str] = {}
        marks: dict[str, tuple[int, ...]] = {}
        self.skipped = 0
        for place, role in self._folders():
            folder = gate.open_folder(self._root, place)
            if folder is None:
                continue
            with folder:
                for name in folder.names():
                    mark = folder.mark(name) if files.is_note_name(name) else None
                    if mark is None:
                        self.skipped += name != ".gitignore"
                        continue
                    there[f"{place}/{name}"] = role
                    marks[f"{place}/{name}"] = mark
        changed = [place for place in there if marks[place] != self._marks.get(place)]
        self._marks = marks
        return there, changed

    def _read(self, relative: str, role: str) -> Found | None:
        try:
            row = gate.find_file(self._root, relative)
        except InputError:
            self.skipped += 1
            return None
        if row is None:
            return None
        note = files.parse(row.data)
        self._problems[relative] = note.problems
        role = role or note.text("role")
        return Found(relative, row.data, files.digest_of(row.data), note, role)

    def findings(self) -> dict[str, list[Finding]]:
        """Return what there is to say about each note file, by its place.

        Of the files as `scan` saw them last.
        """
        found: dict[str, list[Finding]] = {
            place: [Finding(one.line, "header", one.message) for one in problems]
            for place, problems in self._problems.items()
            if problems and place in self._marks
        }
        connection = self._memory.store.read()
        for row in notefiles.waiting_files(connection):
            told = Finding(0, "waiting", f"In the review queue: {row['reason']}.")
            found.setdefault(row["file"], []).append(told)
        for row in notefiles.filed(connection):
            if row["reason"] == SECRET:
                told = Finding(0, "secret", "This note holds a secret; it is masked.")
                found.setdefault(row["file"], []).append(told)
        return found

    # -- places ----------------------------------------------------------------------

    def folder_of(self, role: str) -> str:
        """Return the folder of a role's notes; "" is for everybody's."""
        if not role:
            return state.NOTES
        plain = re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", role)
        name = role if plain else handle(digest(role.encode("utf-8", "replace")))
        return f"{state.ROLES}/{name}/notes"

    def _folders(self) -> list[tuple[str, str]]:
        """Return the note folders that exist, each with the role it is for."""
        found = [(state.NOTES, "")]
        found += [
            (f"{state.ROLES}/{name}/notes", name)
            for name in state.names_below(self._root, state.ROLES)
            if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", name)
        ]
        return found

    def path_of(self, relative: str) -> str:
        """Return the absolute path of a note's file; "" for none."""
        return os.path.join(self._root, *relative.split("/")) if relative else ""

    def _may_be_git(self, relative: str) -> bool:
        """Say whether Git knows the file, so that a pull may have changed it."""
        return state.is_tracked(self._root, relative)

    def _is_on(self) -> bool:
        return self._memory.switches().files and os.path.isdir(self._root)

    def _exists(self) -> bool:
        if os.path.isdir(os.path.join(self._root, state.FOLDER)):
            return True
        return bool(notefiles.filed(self._memory.store.read()))

    def _is_shared(self) -> bool:
        return bool(settings.find_setting(self._memory.store.read(), SHARED))


class _Scan:
    """One transaction in which changed files are taken in."""

    def __init__(
        self, memory: Memory, connection: Connection, there: frozenset[str]
    ) -> None:
        self._memory = memory
        self._connection = connection
        self._there = there
        self._now = memory.clock.now()
        self.acted = 0

    def meet(self, found: Found, tracked: bool) -> None:
        """Take in one file that is new or changed."""
        owner = self._owner(found)
        if owner is None:
            known = notefiles.by_digest(self._connection, found.digest)
            if known is not None and known["file"] not in self._there:
                owner = known  # Renamed, and it has no id.
        if owner is None:
            key = found.note.text("id")
            if key and candidates.is_suppressed(self._connection, f"note:{key}"):
                return
            self.acted += propose(self._memory, self._connection, found, None)
            return
        if owner["state"] in (memories.FORGOTTEN, memories.SUPERSEDED):
            return
        if owner["digest"] == found.digest or found.text == owner["text"]:
            self._follow(owner, found, apply=not tracked)
        elif not found.text:
            return
        elif tracked:
            self.acted += propose(self._memory, self._connection, found, owner)
        else:
            correct_by_file(self._memory, self._connection, owner, found)
            self.acted += 1

    def _owner(self, found: Found) -> Row | None:
        """Return the note a file is: by its id, else by its place."""
        key = found.note.text("id")
        here = notefiles.by_file(self._connection, found.relative)
        if not key or (here is not None and here["key"] == key):
            return here
        named = notefiles.by_key(self._connection, key)
        if named is None:
            return None
        moved = not named["file"] or named["file"] not in self._there
        return named if moved and named["curated"] else None

    def _follow(self, owner: Row, found: Found, apply: bool) -> None:
        """Note where the file is now; its front matter holds unless Git brought it."""
        if owner["file"] == found.relative and owner["digest"] == found.digest:
            return
        values = _header_values(owner, found) if apply else {}
        edited = apply and owner["digest"] != found.digest
        if (edited and follow_about(self._connection, owner, found)) or values:
            values["updated"] = self._now
            memories.update_memory(self._connection, owner["id"], values)
        self._filed(owner["id"], found)
        self.acted += 1

    def _filed(self, number: int, found: Found) -> None:
        notefiles.file_seen(self._connection, number, found.relative, found.digest)

    def wake(self, there: frozenset[str]) -> None:
        """Bring back the notes whose files returned."""
        for row in notefiles.filed(self._connection):
            if row["state"] != memories.DORMANT or row["file"] not in there:
                continue
            values = {"active": 1, "state": memories.ACTIVE, "reason": ""}
            memories.update_memory(self._connection, row["id"], values)
            index.index_memory(self._connection, row["id"], row["text"])
            notefiles.file_seen(self._connection, row["id"], row["file"], row["digest"])
            self.acted += 1

    def lose(self, number: int) -> None:
        """Let a note sleep whose file is missing; it is never forgotten."""
        row = memories.find_memory(self._connection, number)
        if row is None or not row["active"] or row["file"] in self._there:
            return
        values = {
            "active": 0,
            "state": memories.DORMANT,
            "reason": f"its file is missing: {row['file']}",
        }
        memories.update_memory(self._connection, number, values)
        index.drop_memory(self._connection, number)
        notefiles.file_seen(self._connection, number, row["file"], row["digest"])
        self.acted += 1


def correct_by_file(
    memory: Memory, connection: Connection, owner: Row, found: Found
) -> None:
    """Let the words of a file take the place of its note's: a correction (O1, D4)."""
    now = memory.clock.now()
    if found.text != owner["text"]:
        memories.add_history(connection, owner, "corrected in its file", now)
    values: dict[str, Any] = {
        "text": found.text,
        "origin": "correction",
        "confidence": CERTAIN,
        "curated": 1,
        "author": "person",
        "updated": now,
        "reason": "",
        **_header_values(owner, found),
    }
    memories.update_memory(connection, owner["id"], values)
    if owner["active"]:
        index.index_memory(connection, owner["id"], found.text)
    notefiles.drop_anchors(connection, owner["id"])
    ensure_anchors(connection, owner["id"], found.text)
    note_about(connection, owner["id"], found)
    notefiles.file_seen(connection, owner["id"], found.relative, found.digest)


def _header_values(owner: Row, found: Found) -> dict[str, Any]:
    """Return what the front matter changes of a note."""
    said, values = found.note, dict[str, Any]()
    if found.secret or owner["reason"] == SECRET:
        values["reason"] = SECRET if found.secret else ""
    if said.text("category") and said.text("category") != owner["category"]:
        values["category"] = said.text("category")
    if "pinned" in said.fields or owner["pinned"]:
        pinned = int(bool(said.fields.get("pinned", False)))
        if pinned != owner["pinned"]:
            values["pinned"] = pinned
    if found.tags != owner["tags"]:
        values["tags"] = found.tags
    if found.role != owner["role"]:
        values["role"] = found.role
    return values


def _masked(value: files.Value) -> files.Value:
    """Return a value as the store has it (E1)."""
    return tuple(map(redact, value)) if isinstance(value, tuple) else value


def _fields(connection: Connection, row: Row) -> dict[str, files.Value]:
    """Return the front matter of a note."""
    about = [
        f"{path}#{symbol}" if symbol else path
        for path, symbol in list_about(connection, row)
    ]
    return {
        "id": row["key"],
        "category": row["category"],
        "pinned": bool(row["pinned"]),
        "role": row["role"],
        "tags": tuple(json.loads(row["tags"])),
        "about": tuple(about),
    }
