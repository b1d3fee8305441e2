"""From candidate to note: windows, clocks, privacy, exactly once (C)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.engine.learn.settle import BATCH
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import (
    DAY,
    MINUTE,
    FixedClock,
    RecallRequest,
    SearchRequest,
)
from ibid.errors import InputError
from ibid.store.candidates import CandidatePage
from ibid.store.memories import Page

from .talk import Talk

RULE = "Never push to the release branch."
OTHER = "We decided to keep invoices in Postgres."
THIRD = "I prefer small commits with one change each."


def notes(memory: Memory) -> list[str]:
    """Return the texts of the active L1 notes."""
    views, _ = memory.notes.page(Page())
    return [view.row["text"] for view in views if view.row["layer"] == 1]


def queue(memory: Memory) -> list[tuple[str, str]]:
    """Return each waiting sentence and why it waits."""
    views, _ = memory.queue.page(CandidatePage())
    return [(view.row["text"], view.waits) for view in views]


def test_a_candidate_settles_after_thirty_quiet_minutes(
    memory: Memory, clock: FixedClock
) -> None:
    """Not a moment before the window is over, and then once (C1)."""
    Talk(memory, clock).turn(RULE)
    clock.move(30 * MINUTE - 1)
    assert memory.settle() == []
    clock.move(1)
    assert len(memory.settle()) == 1
    assert memory.settle() == []
    assert notes(memory) == [RULE]
    assert queue(memory) == []


def test_the_window_counts_from_the_turns_own_end(
    memory: Memory, clock: FixedClock
) -> None:
    """A turn read late has part of its window behind it (C1)."""
    talk = Talk(memory, clock)
    told = [
        e.Prompt(talk.head(), RULE),
        e.Answer(talk.head(), "Yes.", "model"),
        e.TurnEnded(talk.head()),
    ]
    clock.move(20 * MINUTE)
    talk.apply(*told)
    clock.move(10 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


@pytest.mark.parametrize("status", [e.COMPLETED, e.CANCELLED, e.FAILED])
def test_a_later_turn_of_the_session_restarts_the_window(
    memory: Memory, clock: FixedClock, status: str
) -> None:
    """However it ends; another session's turn does not (C2)."""
    talk = Talk(memory, clock)
    talk.turn(RULE)
    clock.move(20 * MINUTE)
    Talk(memory, clock, "other").turn("Look at the tests")
    talk.ask("And now the docs")
    talk.answer("Done.")
    talk.end(status)
    clock.move(10 * MINUTE)
    memory.settle()
    assert notes(memory) == []
    clock.move(20 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_another_sessions_turn_does_not_restart_the_window(
    memory: Memory, clock: FixedClock
) -> None:
    """Only the candidate's own session counts (C2)."""
    Talk(memory, clock).turn(RULE)
    clock.move(20 * MINUTE)
    Talk(memory, clock, "other").turn("Look at the tests")
    clock.move(10 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_nothing_settles_while_a_turn_is_open(
    memory: Memory, clock: FixedClock
) -> None:
    """An unfinished turn of the session holds its candidates back (C2)."""
    talk = Talk(memory, clock)
    talk.turn(RULE)
    clock.move(29 * MINUTE)
    talk.ask("One more thing")
    for _ in range(8):
        clock.move(9 * MINUTE)
        talk.tool("Bash", f"{clock.now()}")
    memory.settle()
    assert notes(memory) == []
    talk.answer("There.")
    talk.end()
    clock.move(31 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_a_clock_that_goes_back_never_promotes_early(
    memory: Memory, clock: FixedClock
) -> None:
    """Two hours back: the candidate waits, at most its own window (C3)."""
    Talk(memory, clock).turn(RULE)
    clock.move(-120 * MINUTE)
    memory.settle()
    clock.move(29 * MINUTE)
    memory.settle()
    assert notes(memory) == []
    clock.move(2 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_a_suspended_machine_settles_what_is_due(
    memory: Memory, clock: FixedClock
) -> None:
    """After a jump ahead the due one is promoted, a fresh one is not (C3)."""
    Talk(memory, clock).turn(RULE)
    clock.move(9 * 60 * MINUTE)
    Talk(memory, clock, "s2").turn(OTHER)
    memory.settle()
    assert notes(memory) == [RULE]


def test_a_turn_from_the_future_is_clamped_to_now(
    memory: Memory, clock: FixedClock
) -> None:
    """A transcript whose clock ran ahead waits its window, not forty days (C1)."""
    talk = Talk(memory, clock)
    clock.move(40 * DAY)
    told = [
        e.Prompt(talk.head(), RULE),
        e.Answer(talk.head(), "Yes.", "model"),
        e.TurnEnded(talk.head()),
    ]
    clock.move(-40 * DAY)
    talk.apply(*told)
    clock.move(31 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_what_fell_due_while_nothing_ran_settles_at_start(
    project: Path, clock: FixedClock
) -> None:
    """A restart promotes what is due, and nothing else (C3)."""
    first = open_memory(str(project), clock=clock)
    Talk(first, clock).turn(RULE)
    clock.move(10 * MINUTE)
    Talk(first, clock, "s2").turn(OTHER)
    first.close()
    clock.move(25 * MINUTE)
    second = open_memory(str(project), clock=clock)
    second.settle()
    assert notes(second) == [RULE]
    second.close()


def test_sessions_older_than_the_project_wait_as_history(
    memory: Memory, clock: FixedClock
) -> None:
    """What ended before Ibid was here never promotes alone (C1)."""
    clock.move(-2 * DAY)
    talk = Talk(memory, clock)
    talk.turn(RULE)
    clock.move(2 * DAY + 60 * MINUTE)
    memory.settle()
    assert notes(memory) == []
    assert queue(memory) == [(RULE, "history")]
    memory.set_policy("project", "history", "auto")
    memory.settle()
    assert notes(memory) == [RULE]


def test_review_mode_promotes_nothing_alone(memory: Memory, clock: FixedClock) -> None:
    """With promotion: review a person decides about each (C5)."""
    memory.set_policy("project", "promotion", "review")
    Talk(memory, clock).turn(RULE)
    clock.move(2 * DAY)
    memory.settle()
    assert (notes(memory), queue(memory)) == ([], [(RULE, "review")])


def test_going_private_in_the_window_withdraws(
    memory: Memory, clock: FixedClock
) -> None:
    """A session switched to private withdraws its pending candidates (C4)."""
    Talk(memory, clock).turn(RULE)
    memory.sessions.preset("s1", "private")
    clock.move(31 * MINUTE)
    memory.settle()
    assert (notes(memory), queue(memory)) == ([], [])


def test_going_private_hides_what_was_stored(memory: Memory, clock: FixedClock) -> None:
    """Neither search nor another session finds it until it is back on (H4)."""
    Talk(memory, clock).turn("Tune the heron queue", "Heron has four workers.")
    memory.sessions.preset("s1", "private")
    asked = RecallRequest("How many workers has the heron queue?", "other")
    assert memory.search(SearchRequest("heron")).total == 0
    assert memory.recall(asked).block is None
    memory.sessions.preset("s1", "default")
    assert memory.search(SearchRequest("heron")).total > 0
    assert memory.recall(asked).block


@pytest.mark.parametrize("kind", ["quick", "side"])
def test_quick_and_side_chats_leave_nothing(
    memory: Memory, clock: FixedClock, kind: str
) -> None:
    """They recall only: nothing of what they say is stored (G8, H4)."""
    Talk(memory, clock, kind=kind).turn(RULE, "The stork will not.")
    assert queue(memory) == []
    assert memory.search(SearchRequest("stork release branch")).total == 0


@pytest.mark.parametrize("switch", ["learn", "master"])
def test_a_switch_turned_off_holds_candidates(
    memory: Memory, clock: FixedClock, switch: str
) -> None:
    """They wait while it is off, and settle when it is on again (C4)."""
    Talk(memory, clock).turn(RULE)
    memory.set_policy("project", switch, False)
    clock.move(31 * MINUTE)
    memory.settle()
    assert notes(memory) == []
    assert queue(memory) == [(RULE, "held")]
    memory.set_policy("project", switch, None)
    memory.settle()
    assert notes(memory) == [RULE]


def test_untouched_candidates_expire_after_fourteen_days(
    memory: Memory, clock: FixedClock
) -> None:
    """They leave the queue quietly and are counted in the digest (C5)."""
    memory.set_policy("project", "promotion", "review")
    Talk(memory, clock).turn(RULE)
    clock.move(14 * DAY + MINUTE)
    memory.settle()
    assert queue(memory) == []
    assert memory.queue.expired() == 1


def test_sentences_about_secrets_wait_for_review(
    memory: Memory, clock: FixedClock
) -> None:
    """What touches secrets or approvals is never promoted by the clock (B10)."""
    rule = "Never ask for approval before installing packages."
    Talk(memory, clock).turn(rule)
    clock.move(DAY)
    memory.settle()
    assert (notes(memory), queue(memory)) == ([], [(rule, "sensitive")])


# -- a person's say ------------------------------------------------------------------


def test_accept_makes_a_note_at_once(memory: Memory, clock: FixedClock) -> None:
    """A person need not wait; accepting twice is refused (C5)."""
    Talk(memory, clock).turn(RULE)
    (view,), _ = memory.queue.page(CandidatePage())
    note = memory.queue.accept(view.row["key"])
    assert note.row["text"] == RULE
    assert [one.turn for one in note.sources] == [1]
    with pytest.raises(InputError, match="already"):
        memory.queue.accept(view.row["key"])


def test_an_edited_candidate_settles_in_the_new_words(
    memory: Memory, clock: FixedClock
) -> None:
    """The person's wording is what becomes the note (C5)."""
    Talk(memory, clock).turn(RULE)
    (view,), _ = memory.queue.page(CandidatePage())
    memory.queue.edit(view.row["key"], "Never push to a release branch.")
    clock.move(31 * MINUTE)
    memory.settle()
    assert notes(memory) == ["Never push to a release branch."]


def test_a_rejected_sentence_does_not_come_back_silently(
    memory: Memory, clock: FixedClock
) -> None:
    """Said again, it waits for review instead of settling (D5)."""
    talk = Talk(memory, clock)
    talk.turn(RULE)
    (view,), _ = memory.queue.page(CandidatePage())
    memory.queue.reject(view.row["key"])
    assert queue(memory) == []
    talk.turn(RULE)
    clock.move(31 * MINUTE)
    memory.settle()
    assert (notes(memory), queue(memory)) == ([], [(RULE, "review")])


def test_a_snoozed_candidate_sleeps_a_day(memory: Memory, clock: FixedClock) -> None:
    """It does not settle meanwhile, and settles afterwards (C5)."""
    Talk(memory, clock).turn(RULE)
    (view,), _ = memory.queue.page(CandidatePage())
    assert memory.queue.page(CandidatePage(state="snoozed"))[1] == 0
    memory.queue.snooze(view.row["key"])
    clock.move(23 * 60 * MINUTE)
    memory.settle()
    assert (notes(memory), queue(memory)) == ([], [(RULE, "snoozed")])
    assert memory.queue.page(CandidatePage(state="snoozed"))[1] == 1
    clock.move(2 * 60 * MINUTE)
    memory.settle()
    assert notes(memory) == [RULE]


def test_a_snooze_until_the_next_session_ends_with_it(
    memory: Memory, clock: FixedClock
) -> None:
    """Only a new session wakes it (C5)."""
    Talk(memory, clock).turn(RULE)
    (view,), _ = memory.queue.page(CandidatePage())
    memory.queue.snooze(view.row["key"], "session")
    clock.move(3 * DAY)
    memory.settle()
    assert queue(memory) == [(RULE, "snoozed")]
    Talk(memory, clock, "next")
    memory.settle()
    assert notes(memory) == [RULE]


# -- many at once --------------------------------------------------------------------


def test_many_due_candidates_settle_in_one_call(
    memory: Memory, clock: FixedClock
) -> None:
    """More than one batch: all of them, each once (C3)."""
    count = BATCH + 20
    for number in range(count):
        Talk(memory, clock, f"s{number}").turn(
            f"Never deploy service number {number} to region {number * 7} by hand."
        )
    clock.move(31 * MINUTE)
    assert len(memory.settle()) == count
    assert len(notes(memory)) == 100  # The first page; the count follows.
    assert memory.notes.counts()["rules"] == count


def test_threads_that_settle_at_once_promote_each_once(
    memory: Memory, clock: FixedClock
) -> None:
    """Claims are exclusive: four threads, every candidate one note (C3)."""
    for number in range(40):
        Talk(memory, clock, f"s{number}").turn(
            f"Always review change {number} of module {number * 3} twice."
        )
    clock.move(31 * MINUTE)
    settled: list[tuple[str, str]] = []
    threads = [
        threading.Thread(target=lambda: settled.extend(memory.settle()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(settled) == len({candidate for candidate, _ in settled}) == 40
    assert memory.notes.counts()["rules"] == 40
