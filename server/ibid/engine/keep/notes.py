"""What a person does with notes: add, edit, correct, pin, forget, restore (D, K).

Each act is one durable transaction in which the profile is made anew.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ibid.engine import index
from ibid.engine.learn.merge import Again, Neighbours, reinforce, term_hashes
from ibid.engine.learn.profile import rebuild_profile
from ibid.engine.learn.settle import ensure_anchors
from ibid.engine.model import CATEGORIES, CERTAIN
from ibid.engine.recall import sources
from ibid.errors import InputError, StoreError
from ibid.store import anchors, candidates, memories
from ibid.text.anchors import find_anchors
from ibid.text.clean import whole
from ibid.text.redact import redact
from ibid.text.signals import find_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from ibid.engine.keep.queue import Queue
    from ibid.engine.memory import Memory
    from ibid.engine.model import Source
    from ibid.store.driver import Connection, Row

LONGEST = 2_000  # Characters of a note.

_Act = TypeVar("_Act", bound="Callable[..., NoteView]")


def published(act: _Act) -> _Act:
    """Bring the note's file up to date after an act, and show the note as it is now.

    The file follows the store in a step of its own: what a person did holds without it.
    """

    @functools.wraps(act)
    def run(self: Notes | Queue, *given: Any, **named: Any) -> NoteView:
        view = act(self, *given, **named)
        self.memory.filenotes.publish()
        with contextlib.suppress(StoreError):  # The duties look again.
            self.memory.anchors.refresh()
        return self.memory.notes.show(view.row["key"])

    return run  # type: ignore[return-value]


class NoteText(NamedTuple):
    """What a person wants noted."""

    text: str
    category: str = ""
    pinned: bool = False
    role: str = ""
    tags: tuple[str, ...] = ()
    path: str = ""
    symbol: str = ""


class NoteView(NamedTuple):
    """A note's row with what is shown beside it."""

    row: Row
    sources: list[Source]
    anchors: list[Row]
    supersedes: str | None
    conflicts: str | None


class Notes:
    """The notes of one project."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    # -- looking -------------------------------------------------------------------

    def page(self, wanted: memories.Page) -> tuple[list[NoteView], int]:
        """Return one page of a view and how many it has.

        Raises:
            InputError: no such view, or nothing to sort by.
        """
        if wanted.view not in memories.VIEWS:
            known = ", ".join(memories.VIEWS)
            raise InputError(f"No view {wanted.view!r} of notes. There are: {known}.")
        if wanted.sort not in memories.SORTS:
            known = ", ".join(memories.SORTS)
            raise InputError(f"Notes are not sorted by {wanted.sort!r}, but: {known}.")
        connection = self.memory.store.read()
        if wanted.path:
            wanted = wanted._replace(path=self.relative(wanted.path))
        rows, total = memories.list_memories(connection, wanted, self._now())
        return [self._view(connection, row) for row in rows], total

    def counts(self) -> dict[str, int]:
        """Return how many notes each view has."""
        return memories.count_views(self.memory.store.read(), self._now())

    def show(self, name: str) -> NoteView:
        """Return one note.

        Raises:
            NotFoundError, AmbiguousError: no note, or several, are called so.
        """
        connection = self.memory.store.read()
        return self._view(connection, memories.load_memory(connection, name))

    def anchored(self, path: str) -> list[Row]:
        """Return the active notes that name ``path``, each with its symbol (R4)."""
        connection = self.memory.store.read()
        return anchors.anchored_notes(connection, self.relative(path))

    def evidence(self, name: str) -> tuple[list[Row], list[Row]]:
        """Return where a note was said, and its older wordings."""
        connection = self.memory.store.read()
        row = memories.load_memory(connection, name)
        said = memories.list_evidence(connection, row["id"])
        return said, memories.list_history(connection, row["id"])

    # -- acting --------------------------------------------------------------------

    @published
    def add(self, new: NoteText) -> NoteView:
        """Note what a person said: active at once, stored redacted (C5).

        The same said before is confirmed and becomes a person's own.

        Raises:
            InputError: the text is empty or too long, or the category unknown.
        """
        text, category = self._checked(new)
        with self._writing() as connection:
            meeting = Neighbours(connection, self.memory.key).meet(text, "manual")
            if meeting.kind == "same" and meeting.note is not None:
                note = meeting.note["id"]
                again = Again(text, category, "manual", False, self._now())
                reinforce(connection, meeting.note, again)
                changes: dict[str, Any] = {"curated": 1}
                if new.pinned:
                    changes["pinned"] = 1
                memories.update_memory(connection, note, changes)
            else:
                note = self._insert(connection, new, text, category)
            self._anchor(connection, note, new, text)
            self._rebuild(connection)
            return self._seen(connection, note)

    @published
    def edit(self, name: str, changes: dict[str, Any]) -> NoteView:
        """Change text, category or tags of a note; ``version`` guards against loss.

        An automatic note whose text changes becomes a person's own wording.

        Raises:
            ConflictError: the note moved on since ``version`` was read.
            InputError: nothing to change, or a value that cannot be.
        """
        with self._writing() as connection:
            row = self._note(connection, name)
            values = self._edited(row, changes)
            if values.get("text", row["text"]) != row["text"]:
                memories.add_history(connection, row, "edited", self._now())
                index.index_memory(connection, row["id"], values["text"])
                _tie_anew(connection, row, values["text"])
            memories.update_memory(
                connection, row["id"], values, changes.get("version")
            )
            self._rebuild(connection)
            return self._seen(connection, row["id"])

    @published
    def correct(self, name: str, text: str, version: int | None = None) -> NoteView:
        """Replace a note by a pinned correction that keeps its sources (D4).

        Raises:
            InputError: the text is empty or too long, or an episode is meant.
        """
        with self._writing() as connection:
            row = self._note(connection, name)
            if row["layer"] != memories.NOTE:
                raise InputError("Only notes can be corrected; forget the episode.")
            new = NoteText(text, row["category"], pinned=True, role=row["role"])
            checked, category = self._checked(new)
            self._retire_rival(connection, row, self._now())
            memories.update_memory(
                connection,
                row["id"],
                {"active": 0, "state": memories.SUPERSEDED, "updated": self._now()},
                version,
            )
            index.drop_memory(connection, row["id"])
            note = self._insert(
                connection, new, checked, category, ("correction", row["id"])
            )
            memories.copy_evidence(connection, row["id"], note)
            for one in memories.list_anchors(connection, row["id"]):
                memories.ensure_anchor(
                    connection, note, one["path"], one["symbol"], one["line"]
                )
            ensure_anchors(connection, note, checked)
            self._rebuild(connection)
            return self._seen(connection, note)

    @published
    def pin(self, name: str, pinned: bool = True) -> NoteView:
        """Pin or unpin a note; its place in time does not move.

        Raises:
            InputError: the profile is meant, which is read-only (J1).
        """
        with self._writing() as connection:
            row = self._note(connection, name)
            values = {"pinned": int(pinned)}
            if pinned:
                values["curated"] = 1
            memories.update_memory(connection, row["id"], values)
            self._rebuild(connection)
            return self._seen(connection, row["id"])

    @published
    def forget(self, name: str) -> NoteView:
        """Deactivate a note: Undo brings it back (K2), repetition does not (D5)."""
        with self._writing() as connection:
            row = self._note(connection, name)
            now = self._now()
            values = {
                "active": 0,
                "state": memories.FORGOTTEN,
                "forgotten": now,
                "reason": "",
            }
            memories.update_memory(connection, row["id"], values)
            index.drop_memory(connection, row["id"])
            hashes = term_hashes(self.memory.key, row["text"])
            stone = candidates.Tombstone(
                "forgotten", row["key"], row["category"], hashes, now
            )
            candidates.add_tombstone(connection, stone)
            self._rebuild(connection)
            return self._seen(connection, row["id"])

    @published
    def restore(self, name: str) -> NoteView:
        """Reactivate a note; what superseded it or was superseded retires (D4)."""
        with self._writing() as connection:
            row = self._note(connection, name)
            now = self._now()
            self._retire_rival(connection, row, now)
            values = {
                "active": 1,
                "state": memories.ACTIVE,
                "forgotten": None,
                "conflicts": None,
                "reason": "",
                "updated": now,
                "curated": 1,
            }
            if row["state"] == memories.DORMANT:
                values |= {"file": "", "digest": ""}  # Its file is made anew.
            memories.update_memory(connection, row["id"], values)
            index.index_memory(connection, row["id"], self._full_text(connection, row))
            candidates.drop_tombstones(connection, row["key"])
            self._rebuild(connection)
            return self._seen(connection, row["id"])

    def confirm(self, name: str, path: str = "") -> NoteView:
        """Say that a note is still true of its code, as that is now (R4).

        ``path`` is the file meant; without one all that the note names.

        Raises:
            NotFoundError, AmbiguousError: no note, or several, are called so.
            InputError: it names nothing in the code, or not that file.
        """
        number = self.memory.anchors.confirm(name, self.relative(path) if path else "")
        return self._seen(self.memory.store.read(), number)

    # -- parts ---------------------------------------------------------------------

    def relative(self, path: str) -> str:
        """Return ``path`` as anchors hold it: relative to the project, with slashes."""
        root = self.memory.project.path
        full = os.path.normpath(os.path.join(root, path))
        for one in (full, real_of(full)):
            if one.startswith(root + os.sep):
                return whole(one[len(root) + 1 :]).replace(os.sep, "/")
        return whole(path).replace(os.sep, "/")

    def _inside(self, path: str) -> str:
        """Return ``path`` relative to the project.

        Raises:
            InputError: it lies outside, where no note of this project shows.
        """
        inner = self.relative(path)
        if inner.startswith("/") or ":" in inner[:3] or ".." in inner.split("/"):
            raise InputError(
                f"{path} is outside of {self.memory.project.path}: a note is about "
                "code of its own project."
            )
        return inner

    def _checked(self, new: NoteText) -> tuple[str, str]:
        text = redact(" ".join(whole(new.text).split()))
        if not text:
            raise InputError("A note needs text.")
        if len(text) > LONGEST:
            raise InputError(
                f"A note has at most {LONGEST} characters; this one has {len(text)}. "
                "Say the rule, and keep the rest in a file."
            )
        category = new.category or _guessed(text)
        if category not in CATEGORIES:
            known = ", ".join(CATEGORIES)
            raise InputError(f"No category {category!r}. There are: {known}.")
        return text, category

    def _insert(
        self,
        connection: Connection,
        new: NoteText,
        text: str,
        category: str,
        lineage: tuple[str, int | None] = ("manual", None),
    ) -> int:
        origin, supersedes = lineage
        note = memories.NewMemory(
            key=self.memory.ids.new("n"),
            layer=memories.NOTE,
            category=category,
            text=text,
            confidence=CERTAIN,
            origin=origin,
            at=self._now(),
            role=whole(new.role),
            tags=_tags(new.tags),
            pinned=new.pinned,
            author="person",
            curated=True,
            supersedes=supersedes,
        )
        row = memories.add_memory(connection, note)
        index.index_memory(connection, row, text)
        return row

    def _edited(self, row: Row, changes: dict[str, Any]) -> dict[str, Any]:
        values: dict[str, Any] = {"updated": self._now(), "curated": 1}
        if row["layer"] != memories.NOTE:
            raise InputError("Episodes and the profile are for inspection only (K2).")
        if changes.get("text") is not None:
            new = NoteText(changes["text"], changes.get("category") or row["category"])
            values["text"], values["category"] = self._checked(new)
            if row["origin"] == "automatic":
                values |= {"origin": "manual", "confidence": CERTAIN}
        if changes.get("category"):
            new = NoteText(row["text"], changes["category"])
            values["category"] = self._checked(new)[1]
        if changes.get("tags") is not None:
            values["tags"] = _tags(changes["tags"])
        if len(values) == 2:
            raise InputError("Nothing to change: give text, category or tags.")
        return values

    def _retire_rival(self, connection: Connection, row: Row, now: int) -> None:
        """Retire what the note corrects or is corrected by, at any remove (D4)."""
        rivals = connection.execute(
            """WITH RECURSIVE kin (id, supersedes) AS (
                SELECT id, supersedes FROM memory WHERE id = ?1
                UNION SELECT m.id, m.supersedes FROM memory m JOIN kin
                ON m.supersedes = kin.id OR m.id = kin.supersedes)
            SELECT m.id FROM memory m JOIN kin USING (id)
            WHERE m.active AND m.id <> ?1""",
            (row["id"],),
        ).fetchall()
        for rival in rivals:
            values = {"active": 0, "state": memories.SUPERSEDED, "updated": now}
            memories.update_memory(connection, rival["id"], values)
            index.drop_memory(connection, rival["id"])

    def _full_text(self, connection: Connection, row: Row) -> str:
        if row["layer"] != memories.EPISODE:
            return str(row["text"])
        return index.canonical_text(row["text"], row["request"])

    def _anchor(
        self, connection: Connection, note: int, new: NoteText, text: str
    ) -> None:
        """Tie the note to the code it is about: as given, else as its words say."""
        if new.path:
            path = self._inside(new.path)
            memories.ensure_anchor(connection, note, path, new.symbol)
            return
        ensure_anchors(connection, note, text)

    def _note(self, connection: Connection, name: str) -> Row:
        row = memories.load_memory(connection, name)
        if row["layer"] == memories.PROFILE:
            raise InputError("The profile is made from the notes and read-only (J1).")
        return row

    def _rebuild(self, connection: Connection) -> None:
        rebuild_profile(connection, self.memory.ids.new, self._now())

    def _writing(self) -> AbstractContextManager[Connection]:
        return self.memory.store.write(durable=True)

    def _seen(self, connection: Connection, note: int) -> NoteView:
        row = memories.find_memory(connection, note)
        assert row is not None
        return self._view(connection, row)

    def _view(self, connection: Connection, row: Row) -> NoteView:
        said = sources.sources_of(connection, row["id"])
        anchors = memories.list_anchors(connection, row["id"])
        return NoteView(
            row,
            said,
            anchors,
            _key_of(connection, row["supersedes"]),
            _key_of(connection, row["conflicts"]),
        )

    def _now(self) -> int:
        return self.memory.clock.now()


def real_of(path: str) -> str:
    """Return ``path`` without links; as it is where no file can be called so."""
    try:
        return os.path.realpath(path)
    except ValueError:  # A NUL, or half a character.
        return path


def _key_of(connection: Connection, memory: int | None) -> str | None:
    row = None if memory is None else memories.find_memory(connection, memory)
    return None if row is None else str(row["key"])


def _tie_anew(connection: Connection, row: Row, text: str) -> None:
    """Tie an edited note to what its new words name, as that is now (R4)."""
    named = set(find_anchors(text))
    for path, symbol in set(find_anchors(row["text"])) - named:
        anchors.drop_anchor(connection, row["id"], path, symbol)
    anchors.begin_anew(connection, row["id"])
    ensure_anchors(connection, row["id"], text)


def _tags(given: Iterable[str]) -> str:
    """Return tags as they are stored: JSON, redacted like the text (E1)."""
    return json.dumps([redact(whole(tag)) for tag in given], ensure_ascii=False)


def _guessed(text: str) -> str:
    """Return the category that the text itself signals, else a fact."""
    found = find_signals(text)
    return found[0].category if found else "fact"
