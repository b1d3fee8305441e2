"""Titles of lenses, and which of them a client wants (R4)."""

from __future__ import annotations

import secrets
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ibid.duties.reading import FileRequest, file_history, read_file
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory
from ibid.engine.model import DAY, MINUTE, FixedClock
from ibid.faces.lsp import lenses, looking, stale
from ibid.faces.lsp.board import Board
from ibid.faces.lsp.hovers import Hovers
from ibid.faces.lsp.lenses import reads_title
from ibid.text.prints import GONE

CODE = "def lift(box):\n    return box\n\n\ndef lower(box):\n    return 0\n"


@pytest.fixture
def code(project: Path) -> Path:
    """A file of the project."""
    path = project / "crane.py"
    path.write_text(CODE)
    return path


def shown(memory: Memory, path: Path, **options: Any) -> list[tuple[int, str]]:
    """Return line and title of the lenses for a client with these options."""
    server: Any = SimpleNamespace(options=options, offers=lambda _: False)
    relative = memory.notes.relative(str(path))
    text = looking.read_text(str(path))
    looked = looking.Looked(memory, path.as_uri(), str(path), relative, text)
    found = lenses.lenses(server, looked, looking.places_in(looked))
    return [(one.range.start.line, one.command.title) for one in found if one.command]


def read(memory: Memory, path: Path, session: str, agent: str, **given: Any) -> None:
    """Let an agent read a file."""
    read_file(memory, FileRequest(str(path), session=session, agent=agent, **given))


def test_a_file_nobody_has_anything_to_say_of_has_none(
    memory: Memory, code: Path
) -> None:
    """No note, no read: no lens; what the person opened is none either."""
    memory.ledger.touched(str(code), "opened")
    assert shown(memory, code) == []


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({}, ["ibid: Codex", "ibid: 1 note", "ibid: 1 note", "recall"]),
        ({"lensReads": False}, ["ibid: 1 note", "ibid: 1 note", "recall"]),
        ({"lensNotes": False}, ["ibid: Codex", "recall"]),
        ({"lensRecall": False}, ["ibid: Codex", "ibid: 1 note", "ibid: 1 note"]),
        ({"lensReads": False, "lensNotes": False, "lensRecall": False}, []),
    ],
)
def test_each_kind_can_be_switched_off(
    memory: Memory, code: Path, options: dict[str, bool], left: list[str]
) -> None:
    """A kind that is off is left out, the others stay."""
    memory.notes.add(NoteText("lift() in crane.py returns its box."))
    read(memory, code, "s", "codex")
    titles = [title for _, title in shown(memory, code, **options)]
    assert len(titles) == len(left)
    assert all(map(str.startswith, titles, left))


def test_the_window_is_seven_days_unless_said_otherwise(
    memory: Memory, clock: FixedClock, code: Path
) -> None:
    """An older read gives no lens; nonsense for days is the default."""
    read(memory, code, "s", "codex")
    clock.move(7 * DAY)
    assert shown(memory, code) == [(0, "ibid: Codex read this 7 days ago")]
    assert shown(memory, code, lensDays=2) == []
    clock.move(1)
    for nonsense in ("a", None, True, [], {}, float("nan")):
        assert shown(memory, code, lensDays=nonsense) == []
    assert shown(memory, code, lensDays=8.5) == [
        (0, "ibid: Codex read this 7 days ago")
    ]


def test_titles_tell_what_was_done_and_by_how_many(
    memory: Memory, clock: FixedClock, code: Path
) -> None:
    """Lines of a part, one agent by name, several as a number."""

    def title() -> str:
        history = file_history(memory, str(code))
        return reads_title(history, clock.now())

    assert title() == ""
    read(memory, code, "s", "claude-code", first=2, last=4)
    assert title() == "Claude read lines 2–4, just now"
    clock.move(3 * MINUTE)
    assert title() == "Claude read lines 2–4, 3 min ago"
    read(memory, code, "t", "nobody\u202e$(x)", fresh=True)
    assert title() == "2 sessions read this, last just now"
    code.write_text(CODE.replace("box", "load"))
    assert title() == "2 sessions read this, last just now · changed since"


def test_an_agents_own_edit_is_no_change_since(
    memory: Memory, clock: FixedClock, code: Path
) -> None:
    """Who edited a file knows that it changed; what came after is not known."""
    from ibid.agents import events as e

    def head(name: str) -> e.Head:
        return e.Head("s", clock.now(), name)

    text = CODE.removesuffix("\n")
    memory.apply("claude-code", [e.SessionSeen(head("a"), agent="claude-code")])
    memory.apply("claude-code", [e.Read(head("b"), str(code), 1, 6, text, 6)])
    clock.move(MINUTE)
    memory.apply("claude-code", [e.Edit(head("c"), str(code), "box", "load")])
    code.write_text(CODE.replace("box", "load"))
    assert shown(memory, code) == [(0, "ibid: Claude changed this just now")]


def test_a_secret_in_a_name_is_masked(memory: Memory, project: Path) -> None:
    """What a hover shows of a file's and its symbols' names has been redacted (E1)."""
    token = "gh" + "p_" + secrets.token_hex(18)
    path = project / f"{token}.py"
    path.write_text(CODE)
    read(memory, path, "s", "codex")
    path.write_text(f"{CODE}\n\ndef {token}(box):\n    return 1\n")
    server: Any = SimpleNamespace(offers=lambda _: False)
    hub: Any = SimpleNamespace(suffix=lambda _: "")
    history = file_history(memory, str(path))
    shown, _, _ = Hovers(server, hub).reads(memory, history).partition("[All reads]")
    assert "added" in shown
    assert token not in shown.replace("\\", "")
    mention = looking.Mention({"text": "It is slow."}, token, GONE)  # type: ignore[arg-type]
    assert token not in stale.message_of(mention)


def test_two_names_of_a_symbol_are_one_place(memory: Memory, code: Path) -> None:
    """Notes on ``lift`` and on ``crane.lift`` share a lens."""
    memory.notes.add(NoteText("lift() in crane.py returns its box."))
    memory.notes.add(
        NoteText("`Crane.lift` is slow.", path="crane.py", symbol="x.lift")
    )
    titles = shown(memory, code, lensRecall=False)
    assert [(line, title[:13]) for line, title in titles] == [
        (0, "ibid: 1 note "),
        (0, "ibid: 2 notes"),
    ]


def test_the_board_tells_the_union_and_only_news() -> None:
    """Layers of one file are told together; nothing is told twice (R1)."""
    from lsprotocol import types

    told: list[Any] = []
    board = Board(lambda _, params: told.append(params))
    start = types.Position(0, 0)
    one = types.Diagnostic(types.Range(start, start), "one", source="ibid")
    two = types.Diagnostic(types.Range(start, start), "two", source="ibid")
    board.put("file:///a", "x", [])
    assert told == []
    board.put("file:///a", "x", [one])
    board.put("file:///a", "y", [two])
    board.put("file:///a", "y", [two])
    board.put("file:///a", "x", [])
    board.put("file:///a", "y", [])
    board.put("file:///a", "y", [])
    assert [[each.message for each in params.diagnostics] for params in told] == [
        ["one"],
        ["one", "two"],
        ["two"],
        [],
    ]
