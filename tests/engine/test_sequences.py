"""Whatever a person and time do in whatever order, these things hold (C, D, J)."""

from __future__ import annotations

import random

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock, RecallRequest, SearchRequest
from ibid.errors import IbidError
from ibid.store.memories import Page
from ibid.store.verify import verify
from tests.engine.talk import Talk

SAYINGS = [
    "Always deploy the walrus service on port 8080.",
    "Never deploy the walrus service on port 8080.",
    "Always deploy the walrus service on port 9090.",
    "Always deploy the walrus service to port 8080.",
    "We decided to keep pelican migrations in db/pelican.",
    "I prefer pytest over unittest for the heron module.",
    "Use pnpm, not npm, for the heron module.",
    "The heron module talks to the ledger through gRPC.",
    "不要在主分支上直接提交鹈鹕代码。",
    "Never log the api token of the walrus service.",
]


class Play:
    """One memory, and a random person before it."""

    def __init__(self, memory: Memory, clock: FixedClock, seed: int) -> None:
        self.memory = memory
        self.clock = clock
        self.random = random.Random(seed)
        self.talks = [Talk(memory, clock, f"s{number}") for number in range(3)]
        self.did: list[str] = []

    def notes(self) -> list[str]:
        """Return the ids of all notes, in whatever state."""
        """Return the ids of all notes, oldest first."""
        rows = self.memory.store.read().execute(
            "SELECT key FROM memory WHERE layer = 1 ORDER BY id"
        )
        return [row[0] for row in rows.fetchall()]

    def step(self) -> None:
        """Do one thing at random; a refusal is an answer."""
        """Do one thing at random."""
        act = self.random.choice(
            ["say", "say", "say", "forget", "restore", "correct", "accept", "accept",
             "reject", "unreject", "pin", "unpin", "edit", "add", "wait", "wait",
             "snooze", "delete", "preset"]
        )  # fmt: skip
        self.did.append(act)
        try:
            getattr(self, f"_{act}")()
        except IbidError as error:
            self.did[-1] += f"! {error.code}"

    def _say(self) -> None:
        self.random.choice(self.talks).turn(self.random.choice(SAYINGS))

    def _note(self) -> str:
        keys = self.notes()
        return self.random.choice(keys) if keys else "n-none"

    def _candidate(self, state: str = "pending") -> str:
        rows = self.memory.store.read().execute(
            "SELECT key FROM candidate WHERE state = ?", (state,)
        ).fetchall()  # fmt: skip
        return self.random.choice(rows)[0] if rows else "c-none"

    def _forget(self) -> None:
        self.memory.notes.forget(self._note())

    def _restore(self) -> None:
        self.memory.notes.restore(self._note())

    def _correct(self) -> None:
        self.memory.notes.correct(self._note(), self.random.choice(SAYINGS))

    def _accept(self) -> None:
        self.memory.queue.accept(self._candidate())

    def _reject(self) -> None:
        self.memory.queue.reject(self._candidate())

    def _unreject(self) -> None:
        self.memory.queue.restore(self._candidate("rejected"))

    def _pin(self) -> None:
        self.memory.notes.pin(self._note())

    def _unpin(self) -> None:
        self.memory.notes.pin(self._note(), pinned=False)

    def _edit(self) -> None:
        text = self.random.choice(SAYINGS)
        self.memory.notes.edit(self._note(), {"text": text})

    def _add(self) -> None:
        self.memory.notes.add(NoteText(self.random.choice(SAYINGS)))

    def _wait(self) -> None:
        self.clock.move(self.random.choice([1, 31, 31, 24 * 60]) * MINUTE)
        self.memory.settle()

    def _snooze(self) -> None:
        self.memory.queue.snooze(self._candidate())

    def _delete(self) -> None:
        if self.random.random() < 0.5:
            self.memory.eraser.delete_note(self._note(), self.random.random() < 0.5)

    def _preset(self) -> None:
        name = self.random.choice(["default", "private", "recall-only", "learn-only"])
        self.memory.sessions.preset(self.random.choice(self.talks).session, name)

    def check(self) -> None:
        """Check everything that must hold at any moment."""
        """Demand what must always hold."""
        connection = self.memory.store.read()
        found = verify(connection, full=True)
        assert found == [], (self.did[-3:], found)
        rows = connection.execute("SELECT * FROM memory WHERE layer = 1").fetchall()
        by_id = {row["id"]: row for row in rows}
        for row in rows:
            old = by_id.get(row["supersedes"])
            if old is not None:
                assert not (row["active"] and old["active"]), self.did
            assert bool(row["active"]) == (row["state"] == "active"), (
                dict(row),
                self.did,
            )
        active = [row for row in rows if row["active"]]
        profile = connection.execute("SELECT * FROM memory WHERE layer = 3").fetchall()
        assert len(profile) == (1 if len(active) >= 3 else 0), self.did
        for row in rows:
            if profile and not row["active"]:
                same = any(row["text"] == one["text"] for one in active)
                assert same or row["text"] not in profile[0]["text"], self.did
        self._gone(rows, {row["text"] for row in active})

    def _gone(self, rows: list, active: set[str]) -> None:
        silent = {row["key"]: row["text"] for row in rows if not row["active"]}
        for text in set(silent.values()) - active:
            hits = self.memory.search(SearchRequest(text, ("L1", "L3"))).hits
            assert all(hit.id not in silent for hit in hits), self.did
            made = self.memory.recall(RecallRequest(f"{text}?", "fresh"))
            got = {one.item.id for one in made.items if one.item.layer == "L1"}
            assert not got & silent.keys(), self.did


@pytest.mark.parametrize("seed", range(12))
def test_invariants_hold_after_every_act(
    memory: Memory, clock: FixedClock, seed: int
) -> None:
    """Index, profile, supersession and recall agree with the active notes."""
    play = Play(memory, clock, seed)
    for _ in range(40):
        play.step()
        play.check()


def test_a_chain_of_corrections_has_one_active_end(
    memory: Memory, clock: FixedClock
) -> None:
    """Restoring the first of three wordings retires whatever came of it (D4)."""
    first = memory.notes.add(NoteText("Always deploy the walrus on port 8080.")).row
    second = memory.notes.correct(first["key"], "Deploy the walrus on port 8081.").row
    third = memory.notes.correct(second["key"], "Deploy the walrus on port 8082.").row
    memory.notes.restore(first["key"])
    views, _ = memory.notes.page(Page("rules"))
    assert [view.row["key"] for view in views] == [first["key"]]
    memory.notes.restore(third["key"])
    views, _ = memory.notes.page(Page("rules"))
    assert [view.row["key"] for view in views] == [third["key"]]


def test_correcting_a_retired_wording_leaves_one_active(
    memory: Memory, clock: FixedClock
) -> None:
    """A second correction of the same original retires the first one (D4)."""
    first = memory.notes.add(NoteText("Always deploy the walrus on port 8080.")).row
    memory.notes.correct(first["key"], "Always deploy the walrus on port 8081.")
    last = memory.notes.correct(first["key"], "Always deploy the walrus on port 8082.")
    views, _ = memory.notes.page(Page("rules"))
    assert [view.row["key"] for view in views] == [last.row["key"]]


def test_a_chain_with_a_deleted_middle_stays_one(
    memory: Memory, clock: FixedClock
) -> None:
    """Deleting the second of three wordings lets no two of the rest be active (D4)."""
    first = memory.notes.add(NoteText("Always deploy the walrus on port 8080.")).row
    second = memory.notes.correct(first["key"], "Deploy the walrus on port 8081.").row
    memory.notes.correct(second["key"], "Deploy the walrus on port 8082.")
    memory.eraser.delete_note(second["key"])
    memory.notes.restore(first["key"])
    views, _ = memory.notes.page(Page("rules"))
    assert [view.row["key"] for view in views] == [first["key"]]
