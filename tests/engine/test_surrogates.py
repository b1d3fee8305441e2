"""Text with lone surrogates, from a wire or an argument, is no accident (G7, R6)."""

from __future__ import annotations

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, RecallRequest, SearchRequest
from ibid.store.candidates import CandidatePage
from tests.engine.talk import Talk

HALF = "Always let the \ud83d yak use port 7001."
WHOLE = "Always let the \ufffd yak use port 7001."


def test_a_person_may_give_half_a_character(memory: Memory) -> None:
    """Notes hold a replacement character instead, whatever way they came in."""
    made = memory.notes.add(NoteText(HALF, tags=("\udc00",), path="src/\udcff.py")).row
    assert made["text"] == WHOLE
    edited = memory.notes.edit(
        made["key"], {"text": f"{HALF} Yes.", "tags": ["\ud83d"]}
    )
    assert edited.row["text"] == f"{WHOLE} Yes."
    right = memory.notes.correct(made["key"], f"{HALF} No.")
    assert right.row["text"] == f"{WHOLE} No."


def test_a_candidate_may_be_edited_so(memory: Memory, clock: FixedClock) -> None:
    """The queue's edit takes it as well."""
    Talk(memory, clock).turn("Never feed the yak.")
    (view,), _ = memory.queue.page(CandidatePage())
    memory.queue.edit(view.row["key"], HALF)
    (view,), _ = memory.queue.page(CandidatePage())
    assert view.row["text"] == WHOLE


def test_a_prompt_may_hold_it(memory: Memory) -> None:
    """Recall and search answer, with a receipt."""
    memory.notes.add(NoteText("The yak exporter uses port 7001."))
    got = memory.recall(
        RecallRequest("Which port \ud83d has the yak exporter?", "s\udc00")
    )
    assert got.block and got.receipt, got.reason
    assert memory.search(SearchRequest("yak \ud83d exporter")).total == 1
