"""Neutral events: the written form becomes the canonical events, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import encode, read, read_in_pieces

from ibid.agents import events as e
from ibid.agents.neutral import transcript as neutral
from ibid.agents.registry import find_agent

PATH = Path("work.ibid.jsonl")
AT = "2026-03-04T05:06:07.250Z"
MOMENT = 1_772_600_767_250


def events_of(*records: dict[str, Any]) -> list[Any]:
    """Return the events of records of one session at one moment."""
    lines = encode(*({"session": "s", "at": AT, **record} for record in records))
    return list(read(neutral, lines, PATH).events)


def one(**record: Any) -> Any:
    """Return the event of a single record, its head checked and taken off."""
    [event] = events_of(record)
    assert (event.head.session, event.head.at) == ("s", MOMENT)
    return event


def test_its_files_are_known_by_name() -> None:
    """`.ibid.jsonl` belongs to this reader, before any other."""
    assert find_agent(PATH) is neutral
    assert not neutral.accepts(Path("work.jsonl"))
    assert neutral.roots({}, Path("/home/eva")) == []


def test_a_session_tells_what_is_known_of_it() -> None:
    """Agent, role, folder, kind and parent are taken over."""
    event = one(
        type="session",
        agent="robo",
        role="review",
        cwd="/srv/shop",
        kind="side",
        parent="p",
    )
    assert event[1:6] == ("robo", "review", "/srv/shop", "side", "p")


@pytest.mark.parametrize(
    ("fields", "voice", "author"),
    [
        ({}, e.TYPED, "person"),
        ({"author": "user"}, e.TYPED, "person"),
        ({"author": "person", "voice": "queued"}, e.QUEUED, "person"),
        ({"voice": "refusal"}, e.REFUSAL, "person"),
        ({"voice": "answer"}, e.ANSWER, "person"),
        ({"voice": "plan"}, e.PLAN, "person"),
        ({"author": "agent"}, e.AGENT, "agent"),
        ({"author": "agent", "voice": "typed"}, e.AGENT, "agent"),
        ({"author": "harness", "voice": "typed"}, e.INJECTED, "harness"),
        ({"voice": "whisper"}, "whisper", "person"),
    ],
)
def test_only_a_person_speaks_in_a_persons_voice(
    fields: dict[str, str], voice: str, author: str
) -> None:
    """Whatever voice another author claims, it is not a person's."""
    event = one(type="prompt", text="Use tabs.", flags=["mcp", 7, "images"], **fields)
    assert (event.text, event.voice, event.author) == ("Use tabs.", voice, author)
    assert event.flags == ("mcp", "images")
    assert (voice in e.PERSON_VOICES) == (author == "person" and voice != "whisper")


def test_a_tool_keeps_what_was_given_and_shown() -> None:
    """Name, input, output and error are kept; kind, server and flags follow from it."""
    event = one(
        type="tool",
        id="t1",
        name="mcp__browser__open",
        input={"url": "https://x.test"},
        output="page",
        error=True,
        scope="sub",
    )
    assert event.head.id == "t1"
    assert event.head.scope == "sub"
    assert event[1:5] == ("mcp__browser__open", {"url": "https://x.test"}, "page", True)
    assert (event.mcp, event.kind) == ("browser", "web")
    assert set(event.flags) == {e.TOOLS, e.MCP, e.BROWSER}


def test_our_own_server_is_recalled_memory() -> None:
    """A tool of the server `ibid` gives its turn no outside flag (B7)."""
    for name in ("mcp__ibid__recall", "mcp__plugin_notes_ibid__recall"):
        event = one(type="tool", name=name, output={"n": [1]})
        assert event.mcp == "ibid"
        assert event.output == '{"n": [1]}'
        assert set(event.flags) == {e.TOOLS, e.RECALLED}
        assert not set(event.flags) & e.OUTSIDE_FLAGS


def test_paths_are_joined_with_the_sessions_folder_if_there_is_one() -> None:
    """Relative paths stay as given until a folder is known; absolute ones always."""
    found = events_of(
        {"type": "read", "path": "src/a.py", "text": "x"},
        {"type": "session", "cwd": "/srv/shop"},
        {"type": "read", "path": "src/a.py", "first": 3, "last": 4, "text": "x\ny"},
        {"type": "edit", "path": "./b.py", "before": "x", "after": "y"},
        {"type": "edit", "path": "/etc/c", "after": "z"},
        {"type": "read", "session": "other", "path": "C:\\a", "text": ""},
    )
    paths = [event.path for event in found if not isinstance(event, e.SessionSeen)]
    assert paths == [
        "src/a.py",
        "/srv/shop/src/a.py",
        "/srv/shop/b.py",
        "/etc/c",
        "C:\\a",
    ]
    assert found[2][2:5] == (3, 4, "x\ny")
    assert (found[3].before, found[3].after) == ("x", "y")
    assert found[4].before is None


def test_usage_and_answers_are_taken_over() -> None:
    """Tokens count as given; an answer without a message id is one of its own."""
    usage = one(type="usage", id="m", input=5, output=6, cached=7)
    assert (usage.head.id, usage.input, usage.output, usage.cached) == ("m", 5, 6, 7)
    answer = one(type="answer", id="a1", text="Done.", author="model-x")
    assert answer[1:] == ("Done.", "model-x", "a1")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, e.COMPLETED),
        ({"status": "completed"}, e.COMPLETED),
        ({"status": "cancelled"}, e.CANCELLED),
        ({"status": "failed"}, e.FAILED),
        ({"status": "refused"}, e.FAILED),
        ({"status": 7}, e.FAILED),
    ],
)
def test_a_turn_ends_well_only_if_it_says_so(
    fields: dict[str, Any], status: str
) -> None:
    """What is no known good end teaches nothing (B1)."""
    assert one(type="turn", **fields).status == status


def test_boundaries_and_ends_are_told() -> None:
    """Compaction, another boundary and the session's end have their events (N4)."""
    found = events_of(
        {"type": "compacted", "trigger": "auto", "summary": "so far"},
        {"type": "boundary", "reason": "rewind"},
        {"type": "end"},
    )
    assert [type(event) for event in found] == [
        e.Compacted,
        e.Boundary,
        e.SessionEnded,
    ]
    assert found[0].summary == "so far"
    assert found[1].reason == "rewind"


def test_unknown_types_and_bad_lines_are_counted() -> None:
    """An unknown type is named; what has no type or session could not be read."""
    data = encode(
        {"type": "dream", "session": "s"},
        {"type": "dream", "session": "s"},
        {"type": "prompt", "text": "no session"},
        {"session": "s"},
        "text",
    )
    batch = read(neutral, data + b"{broken\n", PATH)
    assert batch.events == []
    assert batch.unknown == {"type:dream": 2}
    assert batch.skipped == 4
    assert batch.consumed == len(data) + 8


@pytest.mark.parametrize(
    ("at", "moment"),
    [
        (AT, MOMENT),
        ("2026-03-04T06:06:07.250+01:00", MOMENT),
        ("2026-03-04T05:06:07.25", MOMENT),
        (MOMENT, MOMENT),
        (MOMENT // 1000, MOMENT - 250),
        ("yesterday", 0),
        ("2026-02-30T00:00:00Z", 0),
        ("0001-01-01T00:00:00+10:00", 0),
        (-1, 0),
        (1e308, 0),
        (True, 0),
        (None, 0),
    ],
)
def test_moments_are_milliseconds_or_unknown(at: object, moment: int) -> None:
    """Any way to write a time is read; what is none is 0."""
    [event] = events_of({"type": "end", "at": at})
    assert event.head.at == moment


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.text(max_size=4),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.text(max_size=3), inner, max_size=2),
    ),
    max_leaves=3,
)
KINDS = st.sampled_from(sorted(neutral._MAKERS))
FIELDS = [
    *("at", "id", "scope", "agent", "role", "cwd", "kind", "parent", "text", "author"),
    *("voice", "flags", "name", "input", "output", "error", "path", "first", "last"),
    *("before", "after", "total", "stub", "status", "trigger", "summary", "reason"),
]


@given(
    st.lists(
        st.tuples(KINDS, st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6)),
        max_size=4,
    ),
    st.lists(st.integers(0, 400), max_size=3),
)
def test_fields_of_any_type_in_pieces_of_any_size(
    given_records: list[tuple[str, dict[str, Any]]], cuts: list[int]
) -> None:
    """Wrong types are left out, and cutting the file changes nothing."""
    data = encode(
        *({**fields, "type": kind, "session": "s"} for kind, fields in given_records)
    )
    whole = read(neutral, data, PATH)
    assert len(whole.events) == len(given_records)
    for event in whole.events:
        assert type(event.head.at) is int
    pieces = read_in_pieces(neutral, data, [min(cut, len(data)) for cut in cuts], PATH)
    assert pieces == (whole.events, whole.skipped, whole.unknown)


def test_the_form_is_documented() -> None:
    """docs/events.md has a row for each type, and its example is read to the end."""
    text = (Path(__file__).parents[2] / "docs" / "events.md").read_text()
    rows = [line.split("`")[1] for line in text.splitlines() if line[:3] == "| `"]
    assert rows == list(neutral._MAKERS)
    example = text.split("```")[1].lstrip("\n").encode()
    batch = read(neutral, example, PATH)
    told = [type(event).__name__ for event in batch.events]
    assert batch.skipped == 0
    assert told == [
        *("SessionSeen", "Prompt", "Read", "Edit", "Tool", "Answer"),
        *("TurnEnded", "SessionEnded"),
    ]
    assert all(event.head.at for event in batch.events)
    assert batch.events[2].path == "/home/eva/parcel/src/upload.py"


@pytest.mark.parametrize("kind", list(neutral._MAKERS))
def test_each_documented_field_is_read(kind: str) -> None:
    """A field of docs/events.md changes what is told; none is written for nothing."""
    text = (Path(__file__).parents[2] / "docs" / "events.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith(f"| `{kind}` |"))
    plain = one(type=kind)
    for name in row.split("|")[2].replace("`", "").replace(" ", "").split(","):
        values = ("x", 7, True, {"x": 1}, ["x"])
        told = [one(type=kind, **{name: value}) for value in values]
        assert any(event[1:] != plain[1:] for event in told), name
