"""Merge, conflict, correction, forgetting and the profile (D, J, K)."""

from __future__ import annotations

import secrets

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.learn.settle import EPISODES
from ibid.engine.memory import Memory
from ibid.engine.model import DAY, MINUTE, FixedClock, RecallRequest, SearchRequest
from ibid.errors import AmbiguousError, ConflictError, InputError, NotFoundError
from ibid.store.candidates import CandidatePage
from ibid.store.memories import Page
from ibid.store.verify import verify

from .talk import Talk

RULE = "Always run the linter before committing."


def settle(memory: Memory, clock: FixedClock, text: str, session: str = "s1") -> None:
    """Say ``text`` in a session and let it settle."""
    Talk(memory, clock, session).turn(text)
    clock.move(31 * MINUTE)
    memory.settle()


def rows(memory: Memory, view: str = "all") -> list[str]:
    """Return the texts of a view's notes, without episodes."""
    views, _ = memory.notes.page(Page(view))
    return [one.row["text"] for one in views if one.row["layer"] == 1]


def test_the_same_said_again_confirms_one_note(
    memory: Memory, clock: FixedClock
) -> None:
    """One note, +0.05, both places, the newest wording, the older one kept (D1)."""
    settle(memory, clock, "Always run the linter before committing")
    settle(memory, clock, RULE, "s2")
    views, _ = memory.notes.page(Page("rules"))
    (view,) = views
    assert view.row["text"] == RULE
    assert view.row["confidence"] == pytest.approx(0.95)
    assert {one.session for one in view.sources} == {"s1", "s2"}
    _, history = memory.notes.evidence(view.row["key"])
    assert [old["text"] for old in history] == [
        "Always run the linter before committing"
    ]


def test_opposites_stay_apart_and_are_flagged(
    memory: Memory, clock: FixedClock
) -> None:
    """A difference of meaning keeps both notes, and a person sees the pair (D2)."""
    rule = "{} commit the generated files of our web client after each release build."
    settle(memory, clock, rule.format("Always"))
    settle(memory, clock, rule.format("Never"), "s2")
    assert len(rows(memory)) == 2
    (flagged,), _ = memory.notes.page(Page("attention"))
    assert "negation" in flagged.row["reason"]


def test_a_manual_note_keeps_its_wording(memory: Memory, clock: FixedClock) -> None:
    """An automatic repetition confirms a person's own note, no more (D1)."""
    note = memory.notes.add(NoteText(RULE, "preference"))
    settle(memory, clock, "Always run the linter before committing")
    (view,), _ = memory.notes.page(Page("rules"))
    assert (view.row["key"], view.row["text"]) == (note.row["key"], RULE)
    assert (view.row["category"], view.row["confidence"]) == ("preference", 1.0)
    assert len(view.sources) == 1


def test_a_correction_retires_the_original(memory: Memory, clock: FixedClock) -> None:
    """Pinned, certain, with the sources of what it supersedes (D4)."""
    settle(memory, clock, RULE)
    (old,), _ = memory.notes.page(Page("rules"))
    new = memory.notes.correct(old.row["key"], "Always run the linter before pushing.")
    assert new.row["pinned"] and new.row["confidence"] == 1.0
    assert new.row["origin"] == "correction"
    assert new.supersedes == old.row["key"]
    assert [one.session for one in new.sources] == ["s1"]
    assert rows(memory) == ["Always run the linter before pushing."]


def test_what_contradicts_a_correction_is_quarantined(
    memory: Memory, clock: FixedClock
) -> None:
    """It is shown as needing attention and never recalled (D4)."""
    note = memory.notes.add(NoteText("Use npm in this repository."))
    memory.notes.correct(note.row["key"], "Always use pnpm in this repository.")
    settle(memory, clock, "Never use pnpm in this repository.")
    assert rows(memory) == ["Always use pnpm in this repository."]
    (held,), _ = memory.notes.page(Page("attention"))
    assert held.row["state"] == "quarantined"
    found = memory.search(SearchRequest("never pnpm repository", ("L1",)))
    assert [hit.id for hit in found.hits] != [held.row["key"]]
    assert held.row["key"] not in [hit.id for hit in found.hits]


def test_restoring_the_original_retires_the_correction(
    memory: Memory, clock: FixedClock
) -> None:
    """Original and correction are never both active (D4)."""
    old = memory.notes.add(NoteText("Tabs are four wide here."))
    new = memory.notes.correct(old.row["key"], "Tabs are two wide here.")
    memory.notes.restore(old.row["key"])
    assert rows(memory) == ["Tabs are four wide here."]
    memory.notes.restore(new.row["key"])
    assert rows(memory) == ["Tabs are two wide here."]


def test_forgetting_and_undoing(memory: Memory, clock: FixedClock) -> None:
    """Forgotten notes are neither listed nor found; undo brings them back (K2)."""
    note = memory.notes.add(NoteText("The staging cluster is called heron."))
    memory.notes.forget(note.row["key"])
    assert rows(memory) == []
    assert memory.search(SearchRequest("heron")).total == 0
    assert rows(memory, "forgotten") == ["The staging cluster is called heron."]
    assert verify(memory.store.read(), full=True) == []
    memory.notes.restore(note.row["key"])
    assert rows(memory) == ["The staging cluster is called heron."]
    assert memory.search(SearchRequest("heron")).total == 1


def test_a_forgotten_note_said_again_waits_for_review(
    memory: Memory, clock: FixedClock
) -> None:
    """It does not silently come back (D5)."""
    settle(memory, clock, RULE)
    (view,), _ = memory.notes.page(Page("rules"))
    memory.notes.forget(view.row["key"])
    settle(memory, clock, RULE, "s2")
    assert rows(memory) == []
    (waiting,), _ = memory.queue.page(CandidatePage())
    assert waiting.waits == "review"
    assert "forgotten" in waiting.reason


def test_the_profile_needs_three_notes(memory: Memory) -> None:
    """It appears with the third, lists them by section, and goes again (A3, J1)."""

    def profile() -> str | None:
        row = memory.store.read().execute("SELECT text FROM memory WHERE layer = 3")
        found = row.fetchone()
        return None if found is None else str(found["text"])

    memory.notes.add(NoteText("Never log bodies.", "constraint"))
    memory.notes.add(NoteText("Tests live beside the code.", "fact"))
    assert profile() is None
    third = memory.notes.add(NoteText("We chose SQLite.", "decision"))
    assert profile() == (
        "Constraints:\n- Never log bodies.\nDecisions:\n- We chose SQLite.\n"
        "Facts:\n- Tests live beside the code."
    )
    memory.notes.forget(third.row["key"])
    assert profile() is None


def test_a_section_of_the_profile_has_at_most_eight(memory: Memory) -> None:
    """Eight notes a section, forty in all (J1)."""
    for number in range(12):
        memory.notes.add(NoteText(f"Port {number * 100} is service {number}.", "fact"))
    row = memory.store.read().execute("SELECT text FROM memory WHERE layer = 3")
    assert row.fetchone()["text"].count("\n- ") == 8


def test_the_profile_cannot_be_changed(memory: Memory) -> None:
    """L3 is read-only; the message says why (J1)."""
    for text in ("Never log bodies.", "We chose SQLite.", "I like short names."):
        memory.notes.add(NoteText(text))
    row = memory.store.read().execute("SELECT key FROM memory WHERE layer = 3")
    key = row.fetchone()["key"]
    for act in (memory.notes.pin, memory.notes.forget, memory.notes.restore):
        with pytest.raises(InputError, match="read-only"):
            act(key)


def test_episodes_are_capped_but_pinned_ones_are_not(
    memory: Memory, clock: FixedClock
) -> None:
    """The oldest unpinned active ones go; pinned are exempt and uncounted (K1)."""
    talk = Talk(memory, clock)
    for number in range(EPISODES + 5):
        clock.move(1000)
        talk.turn(f"Request number {number}", f"Answer number {number}")
        if number == 0:
            (first,), _ = memory.notes.page(Page("episodes"))
            memory.notes.pin(first.row["key"])
    memory.settle()
    assert memory.notes.counts()["episodes"] == EPISODES + 1
    kept = memory.store.read().execute("SELECT request FROM memory WHERE layer = 2")
    texts = {row["request"] for row in kept}
    assert "Request number 0" in texts
    assert "Request number 4" not in texts
    assert "Request number 5" in texts


def test_forgotten_episodes_wait_thirty_days_for_undo(
    memory: Memory, clock: FixedClock
) -> None:
    """They do not count towards the cap; after the grace undo says so (K1, K2)."""
    Talk(memory, clock).turn("Fix the door", "The door is fixed.")
    (episode,), _ = memory.notes.page(Page("episodes"))
    memory.notes.forget(episode.row["key"])
    clock.move(29 * DAY)
    memory.settle()
    memory.notes.restore(episode.row["key"])
    memory.notes.forget(episode.row["key"])
    clock.move(31 * DAY)
    memory.settle()
    with pytest.raises(NotFoundError):
        memory.notes.restore(episode.row["key"])


def test_lost_updates_are_refused(memory: Memory) -> None:
    """Who read an older version gets a conflict, and nothing is written."""
    note = memory.notes.add(NoteText("The queue is called stork."))
    version = note.row["version"]
    memory.notes.edit(note.row["key"], {"text": "The queue is called crane."})
    with pytest.raises(ConflictError):
        memory.notes.edit(note.row["key"], {"text": "Lost.", "version": version})
    assert rows(memory) == ["The queue is called crane."]


def test_bad_names_are_told_apart(memory: Memory) -> None:
    """No such id, and a prefix of several, are different errors with the next step."""
    memory.notes.add(NoteText("One rule is to be brief."))
    memory.notes.add(NoteText("Another rule is to be kind."))
    with pytest.raises(NotFoundError, match="note list"):
        memory.notes.pin("n-nothing")
    with pytest.raises(AmbiguousError, match="several"):
        memory.notes.pin("n-")


@pytest.mark.parametrize("text", ["", "   \n ", "x" * 2001])
def test_unusable_texts_are_refused(memory: Memory, text: str) -> None:
    """Empty and overlong notes are named as such; nothing is stored."""
    with pytest.raises(InputError):
        memory.notes.add(NoteText(text))
    assert rows(memory) == []


def test_a_secret_in_a_name_is_stored_nowhere(memory: Memory) -> None:
    """A path or symbol that holds one is masked like the words are (C5, E1)."""
    path, symbol = ("gh" + "p_" + secrets.token_hex(18) for _ in range(2))
    given = NoteText("Check the label twice.", path=f"src/{path}.py", symbol=symbol)
    view = memory.notes.add(given)
    said = str([tuple(one) for one in view.anchors])
    assert "src/" in said
    assert path not in said
    assert symbol not in said


def test_notes_name_the_code_they_are_about(memory: Memory) -> None:
    """Paths and symbols in the words anchor a note to that code (R4)."""
    memory.notes.add(NoteText("backoff() in src/upload.py stops after 30 s."))
    memory.notes.add(NoteText("Never log bodies in payments/."))
    named = [row["anchor_symbol"] for row in memory.notes.anchored("src/upload.py")]
    assert sorted(named) == ["", "backoff"]
    assert len(memory.notes.anchored("payments/api/charge.py")) == 1
    assert memory.notes.anchored("src/download.py") == []


@pytest.mark.parametrize("path", ["../other/a.py", "/etc/hosts", "a/../../b.py"])
def test_a_note_is_about_code_of_its_project(memory: Memory, path: str) -> None:
    """A path outside could never show the note; nothing is noted then (R4, S1)."""
    with pytest.raises(InputError, match="outside"):
        memory.notes.add(NoteText("Keep this file sorted.", path=path))
    assert rows(memory) == []


def test_what_a_correction_replaced_can_be_listed(memory: Memory) -> None:
    """A view shows it, so that it can be restored without knowing its id (D4)."""
    old = memory.notes.add(NoteText("The cache lives 5 minutes."))
    new = memory.notes.correct(old.row["key"], "The cache lives 50 minutes.")
    assert rows(memory, "superseded") == ["The cache lives 5 minutes."]
    memory.notes.restore(old.row["key"])
    assert rows(memory, "superseded") == [new.row["text"]]


def test_notes_are_sorted_as_asked(memory: Memory, clock: FixedClock) -> None:
    """By last change, making, use or number of uses; what cannot be is said."""
    keys = []
    for name in ("heron", "stork", "crane"):
        clock.move(MINUTE)
        keys.append(memory.notes.add(NoteText(f"The {name} is a queue.")).row["key"])
    heron, stork, crane = keys
    for query in ("stork", "stork", "heron"):
        clock.move(MINUTE)
        memory.recall(RecallRequest(f"What is the {query}?", query))
    clock.move(MINUTE)
    memory.notes.edit(stork, {"tags": ["bird"]})

    def sort(by: str) -> list[str]:
        return [view.row["key"] for view in memory.notes.page(Page(sort=by))[0]]

    assert sort("updated") == [stork, crane, heron]
    assert sort("created") == [crane, stork, heron]
    assert sort("used") == [heron, stork, crane]
    assert sort("uses") == [stork, heron, crane]
    with pytest.raises(InputError, match="not sorted by 'text'"):
        sort("text")


def test_pinning_does_not_make_a_note_newer(memory: Memory, clock: FixedClock) -> None:
    """The place in time stays, so that pins do not push others out."""
    note = memory.notes.add(NoteText("The queue is called stork."))
    clock.move(DAY)
    assert memory.notes.pin(note.row["key"]).row["updated"] == note.row["updated"]


def test_the_evidence_of_an_episode_is_what_was_asked(
    memory: Memory, clock: FixedClock
) -> None:
    """It is of a whole turn, whose words are there as long as the turn is (A4)."""
    Talk(memory, clock).turn("Why is the heron queue slow?", "Its index is missing.")
    (episode,), _ = memory.notes.page(Page(view="episodes"))
    ((row,), _) = memory.notes.evidence(episode.row["key"])
    assert row["message_text"] == "Why is the heron queue slow?"
    proposed = memory.notes.add(NoteText("Herons are slow."))
    assert memory.notes.evidence(proposed.row["key"])[0] == []
