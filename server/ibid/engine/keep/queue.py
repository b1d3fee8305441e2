"""The review queue: what may become memory, and a person's say in it (C5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep.filecandidates import accept_file, check_editable
from ibid.engine.keep.instructions import SIGNAL as INSTRUCTIONS
from ibid.engine.keep.notes import NoteView, published
from ibid.engine.keep.proposals import Proposal, propose
from ibid.engine.learn.merge import Neighbours, term_hashes
from ibid.engine.learn.profile import rebuild_profile
from ibid.engine.learn.settle import Promotion, Wanted, promote
from ibid.engine.model import CATEGORIES, CERTAIN, DAY
from ibid.errors import InputError, NotFoundError
from ibid.store import candidates, memories
from ibid.text.clean import whole
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

LONGEST = 360  # Characters of a candidate (B6).


class CandidateView(NamedTuple):
    """A candidate's row with why it waits and how long."""

    row: Row
    waits: str
    reason: str
    left: int | None  # Milliseconds until it settles; None: it waits for a person.


class Queue:
    """The candidates of one project."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def page(self, page: candidates.CandidatePage) -> tuple[list[CandidateView], int]:
        """Return one page of the queue and how many candidates it has."""
        connection = self.memory.store.read()
        rows, total = candidates.list_candidates(
            connection, page, self.memory.first_seen
        )
        return [self._view(row) for row in rows], total

    def show(self, name: str) -> CandidateView:
        """Return one candidate.

        Raises:
            NotFoundError, AmbiguousError: none, or several, are called so.
        """
        return self._seen(self.memory.store.read(), name)

    def expired(self) -> int:
        """Return how many candidates expired untouched, for the digest."""
        row = self.memory.store.read().execute(
            "SELECT count(*) FROM candidate WHERE state = 'expired'"
        )
        return int(row.fetchone()[0])

    @published
    def accept(self, name: str, pinned: bool = False) -> NoteView:
        """Make a candidate a note now; a person vouches for it (C5, B10).

        Raises:
            InputError: it was accepted already.
        """
        memory = self.memory
        with memory.store.write(durable=True) as connection:
            row = self._load(connection, name)
            if row["state"] == candidates.ACCEPTED:
                raise InputError(f"{row['key']} is a note already.")
            now = memory.clock.now()
            connection.execute(
                "UPDATE candidate SET state = ?, updated = ?, version = version + 1"
                " WHERE id = ?",
                (candidates.ACCEPTED, now, row["id"]),
            )
            if row["signal"].startswith(INSTRUCTIONS):
                return self._agreed(connection, row)
            if row["file"]:
                key = accept_file(memory, connection, row, pinned)
                return memory.notes.show(key)
            wanted = Wanted(
                text=row["text"],
                category=row["category"],
                origin=row["origin"],
                confidence=row["confidence"],
                taint=bool(row["taint"]),
                role=row["role"],
                at=now,
                pinned=pinned,
                curated=True,
            )
            key = promote(
                connection,
                memory.context(""),
                Neighbours(connection, memory.key),
                Promotion(row, wanted),
            )
            rebuild_profile(connection, memory.ids.new, now)
            return memory.notes.show(key)

    def propose(
        self, text: str, category: str, session: str = "", agent: str = ""
    ) -> CandidateView:
        """Put what an agent wants remembered into the queue (B10).

        Raises:
            InputError: the text or category cannot be used, or it is one too many.
            ConflictError: the same was proposed in this turn already.
            DisabledError: nothing may be learned here.
        """
        given = Proposal(text, category, session, agent)
        row = candidates.find_candidate(
            self.memory.store.read(), propose(self.memory, given)
        )
        assert row is not None
        return self._view(row)

    def edit(
        self, name: str, text: str, category: str = "", version: int | None = None
    ) -> CandidateView:
        """Change a candidate's words or category; it waits on.

        Raises:
            InputError: the text is empty or too long, or the category unknown.
            ConflictError: it moved on since ``version`` was read.
        """
        text = redact(" ".join(whole(text).split()))
        if not text or len(text) > LONGEST:
            raise InputError(f"A candidate has 1 to {LONGEST} characters.")
        with self.memory.store.write(durable=True) as connection:
            row = self._pending(connection, name)
            check_editable(row)
            category = category or row["category"]
            if category not in CATEGORIES:
                known = ", ".join(CATEGORIES)
                raise InputError(f"No category {category!r}. There are: {known}.")
            values = {
                "text": text,
                "category": category,
                "author": "person",
                "confidence": CERTAIN,
                "updated": self.memory.clock.now(),
            }
            memories.update_row(connection, "candidate", row["id"], values, version)
            return self._seen(connection, row["key"])

    def reject(self, name: str) -> CandidateView:
        """Let a candidate go; the like of it goes to review from now on (D5)."""
        with self.memory.store.write(durable=True) as connection:
            row = self._pending(connection, name)
            now = self.memory.clock.now()
            values = {"state": candidates.REJECTED, "updated": now}
            memories.update_row(connection, "candidate", row["id"], values)
            hashes = term_hashes(self.memory.key, row["text"])
            stone = candidates.Tombstone(
                "rejected", row["key"], row["category"], hashes, now
            )
            candidates.add_tombstone(connection, stone)
            return self._seen(connection, row["key"])

    def restore(self, name: str) -> CandidateView:
        """Undo a reject: the candidate waits for a person again."""
        with self.memory.store.write(durable=True) as connection:
            row = self._load(connection, name)
            if row["state"] not in (candidates.REJECTED, candidates.EXPIRED):
                raise InputError(f"{row['key']} is {row['state']}; nothing to undo.")
            values = {
                "state": candidates.PENDING,
                "waits": "review",
                "reason": "taken back from rejected",
                "updated": self.memory.clock.now(),
            }
            memories.update_row(connection, "candidate", row["id"], values)
            candidates.drop_tombstones(connection, row["key"])
            return self._seen(connection, row["key"])

    def snooze(self, name: str, until: str = "day") -> CandidateView:
        """Put a candidate off for a day, or until a next session begins.

        Raises:
            InputError: ``until`` is neither ``day`` nor ``session``.
        """
        if until not in ("day", "session"):
            raise InputError("Snooze until `day` or `session`.")
        with self.memory.store.write(durable=True) as connection:
            row = self._pending(connection, name)
            now = self.memory.clock.now()
            end = now + DAY if until == "day" else candidates.NEXT_SESSION
            values = {"waits": "snoozed", "snoozed": end, "updated": now}
            memories.update_row(connection, "candidate", row["id"], values)
            return self._seen(connection, row["key"])

    def _agreed(self, connection: Connection, row: Row) -> NoteView:
        """Note that a person wants a rule in an instruction file; no note changes.

        The edit itself is another act: ``ibid/instructions/preview`` (C6).
        """
        note = memories.find_memory(connection, row["resembles"] or 0)
        if note is None:
            raise NotFoundError("The note of this proposal is gone.")
        connection.execute(
            "UPDATE candidate SET memory = ? WHERE id = ?", (note["id"], row["id"])
        )
        return self.memory.notes.show(note["key"])

    # -- parts ---------------------------------------------------------------------

    def _load(self, connection: Connection, name: str) -> Row:
        found = memories.load_candidate(connection, name)
        row = candidates.find_candidate(connection, found["id"])
        if row is None:
            raise NotFoundError(f"No candidate {name!r} in this project.")
        return row

    def _pending(self, connection: Connection, name: str) -> Row:
        row = self._load(connection, name)
        if row["state"] != candidates.PENDING:
            raise InputError(f"{row['key']} is {row['state']} and does not wait.")
        return row

    def _seen(self, connection: Connection, name: str) -> CandidateView:
        return self._view(self._load(connection, name))

    def _view(self, row: Row) -> CandidateView:
        """Say why a candidate waits: what its row says, its session, the switches."""
        memory = self.memory
        switches = memory.switches()
        waits, reason = row["waits"], row["reason"]
        if waits == "settling":
            if (row["session_last"] or 0) < memory.first_seen and (
                switches.history != "auto"
            ):
                waits, reason = "history", "from a session before Ibid was here"
            elif not switches.learn:
                waits, reason = "held", "learning is switched off"
            elif switches.promotion == "review":
                waits, reason = "review", "this project promotes nothing alone"
        left = max(0, row["due"] - memory.clock.now()) if waits == "settling" else None
        return CandidateView(row, waits, reason, left)
