"""Each part of a hook call fails alone, and what was sent stays sent (Q3, Q4, G7)."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ibid.agents import hooks
from ibid.engine.keep import arrival
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import RecallRequest
from ibid.faces.hooks.answering import MARK, PURGE, serve
from ibid.store import includes

PROMPT = "Write a migration for the ledger"
NOTE = "Migrations of the ledger are reversible."


@pytest.fixture
def call(memory: Memory) -> hooks.Call:
    """A prompt in a project that has something to recall."""
    memory.notes.add(NoteText(NOTE, pinned=True))
    return hooks.Call(
        "claude-code",
        hooks.PROMPT,
        "s1",
        "UserPromptSubmit",
        memory.project.path,
        PROMPT,
    )


def failing(*_: Any, **__: Any) -> Any:
    """Fail as no code foresees."""
    raise RuntimeError(PROMPT)


@pytest.mark.parametrize(
    "target",
    [
        "ibid.engine.recall.recall._choose",
        "ibid.engine.recall.recall._record",
        "ibid.engine.recall.block.render",
        "ibid.engine.recall.rank.search",
        "ibid.text.redact.find_secrets",
        "ibid.text.clean.plain",
        "ibid.engine.keep.policy.may_recall",
        "ibid.faces.hooks.answering.open_existing",
    ],
)
def test_a_part_that_fails_sends_the_prompt_as_it_is(
    call: hooks.Call, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """Nothing is added, the trouble is named, and no word of the prompt is in it."""
    assert NOTE in serve(call._replace(session="before"), True).text
    monkeypatch.setattr(target, failing)
    served = serve(call, True)
    assert served.text == ""
    assert len(served.troubles) == 1
    assert PROMPT not in served.troubles[0]


def test_what_cannot_be_purged_is_left_to_another_process(
    call: hooks.Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text goes out all the same; the purge is not forgotten (N4)."""
    monkeypatch.setattr("ibid.engine.ledger.epochs.end_epoch", failing)
    start = call._replace(moment=hooks.START, source=hooks.COMPACT)
    served = serve(start, True)
    assert NOTE in served.text
    assert served.after == (PURGE,)
    assert served.troubles[0].startswith("not purged")


def test_where_it_cannot_be_marked_nothing_is_given(
    call: hooks.Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a session may recall was not written down: it gets nothing (H3, H4)."""
    monkeypatch.setattr(arrival, "ensure_marked", failing)
    served = serve(call, True)
    assert served.text == ""
    assert MARK in served.after


def test_what_was_sent_is_never_sent_otherwise(
    call: hooks.Call, memory: Memory
) -> None:
    """A note that is forgotten, or a switch that is turned, changes no sent text (Q3).

    The block as it was sent stays in its receipt, and the next prompt gets no second
    wording of it in the same epoch.
    """
    first = serve(call, True).text
    assert NOTE in first
    memory.notes.add(NoteText("The ledger has twelve tables."))
    second = serve(call._replace(prompt="Count the tables of the ledger"), True).text
    assert "twelve" in second
    assert NOTE not in second
    rows = memory.store.read().execute("SELECT text FROM receipt ORDER BY id")
    assert [row[0] for row in rows] == [first, second]


@pytest.mark.parametrize(
    "build",
    [
        lambda memory: memory.session_start("s9", "claude-code"),
        lambda memory: memory.recall(RecallRequest(PROMPT, "s9", "claude-code")).block,
    ],
)
def test_the_same_state_gives_the_same_bytes(
    call: hooks.Call, memory: Memory, build: Callable[[Memory], str]
) -> None:
    """Whoever asks, in whichever process (G4, O3)."""
    source = hooks.STARTUP
    moment = hooks.START if build(memory).startswith("<ibid-start") else hooks.PROMPT
    again = serve(call._replace(moment=moment, session="s10", source=source), True)
    other = serve(call._replace(moment=moment, session="s11", source=source), True)
    assert again.text == other.text
    assert os.environ.get("IBID_PRESET") is None


def test_a_hook_recalls_from_a_listed_project_and_names_one_it_could_not_read(
    call: hooks.Call, memory: Memory, tmp_path: Path
) -> None:
    """The block comes either way; the trouble is one line of the log (S2, G7)."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with closing(open_memory(str(folder))) as shop:
        shop.notes.add(NoteText("Ledger migrations run at night."))
        database = Path(shop.project.database)
    includes.change(memory.home, memory.project, "shop", on=True)
    served = serve(call, True)
    assert ", from shop] Ledger migrations run at night." in served.text
    assert served.troubles == ()
    database.write_bytes(b"no database" * 999)
    served = serve(call._replace(session="s2"), True)
    assert NOTE in served.text
    (trouble,) = served.troubles
    assert trouble.startswith("shop is left out: ")
    assert "\n" not in trouble
