"""Cursor's reader: people within what was put around them, calls, ends, places."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import encode, of, read, read_in_pieces

from ibid.agents import events as e
from ibid.agents.cursor import transcript as cursor
from ibid.agents.events import Batch
from ibid.agents.registry import APPEND, find_agent, load_agent

SESSION = "9c9c9c9c-1111-4222-8333-444444444444"
FOLDER = Path("/home/eva/.cursor/projects/srv-my-shop/agent-transcripts") / SESSION
PATH = FOLDER / f"{SESSION}.jsonl"
CWD = "/srv/my.shop"
OWN = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'


def message(role: str, *blocks: Any) -> dict[str, Any]:
    """Return a line; a block that is a text is a text block."""
    content = [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for block in blocks
    ]
    return {"role": role, "message": {"content": content}}


def ask(text: str, before: str = "", after: str = "") -> dict[str, Any]:
    """Return a person's line."""
    return message("user", f"{before}<user_query>\n{text}\n</user_query>{after}")


def call(name: str, /, **given: Any) -> dict[str, Any]:
    """Return a call."""
    return {"type": "tool_use", "name": name, "input": given}


def everything() -> list[dict[str, Any]]:
    """Return a conversation in which most things happen."""
    return [
        ask("Mach die Seite schöner 密码 \U0001f600"),
        message("assistant", "**Planning the change**"),
        message(
            "assistant",
            "**Reading the page**\n\nIch schaue.\n\n**Choosing a style**",
            call("Read", path=f"{CWD}/a.py"),
            call("StrReplace", path="a.py", old_string="x", new_string="y"),
        ),
        message("assistant", "Fertig."),
        {"type": "turn_ended", "status": "completed"},
        ask("Weiter."),
        message("assistant", "[REDACTED]"),
        {"type": "turn_ended", "status": "aborted"},
    ]


def reads(*records: Any, path: Path = PATH) -> Batch:
    """Return what a reader makes of lines."""
    return read(cursor, encode(*records), path)


def test_a_session_tells_its_story() -> None:
    """Prompts, answers, calls, edits, ends; thoughts are no answers."""
    batch = reads(*everything())
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Mach die Seite schöner 密码 \U0001f600", e.TYPED),
        ("Weiter.", e.TYPED),
    ]
    assert [a.text for a in of(batch, e.Answer)] == ["Ich schaue.", "Fertig."]
    assert [(tool.name, tool.kind) for tool in of(batch, e.Tool)] == [
        ("Read", "read"),
        ("StrReplace", "edit"),
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        (f"{CWD}/a.py", "x", "y")
    ]
    assert [end.status for end in of(batch, e.TurnEnded)] == [
        e.COMPLETED,
        e.CANCELLED,
    ]
    assert [(one.kind, one.cwd) for one in of(batch, e.SessionSeen)] == [
        ("main", ""),
        ("", CWD),
    ]
    ids = [
        event.head.id
        for kind in (e.Prompt, e.Answer, e.Tool)
        for event in of(batch, kind)
    ]
    assert len(ids) == len(set(ids))


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), max_size=8))
def test_a_file_cut_at_any_byte_gives_the_same_events(cuts: list[float]) -> None:
    """Each piece may be read by another process; the state goes through JSON."""
    data = encode(*everything())
    whole = read(cursor, data, PATH)
    places = [int(cut * len(data)) for cut in cuts]
    pieces = read_in_pieces(cursor, data, places, PATH)
    assert pieces == (whole.events, whole.skipped, whole.unknown)


def test_a_copy_of_the_file_holds_the_same_records() -> None:
    """The same session can lie under two projects: it is one."""
    other = Path("/home/eva/.cursor/projects/tmp-x/agent-transcripts") / PATH.name
    ids = [
        [x.head.id for x in of(reads(*everything(), path=path), e.Answer)]
        for path in (PATH, other)
    ]
    assert ids[0] == ids[1]


def test_only_the_query_is_a_persons() -> None:
    """Pages, files and reminders around it are injected, and flag the turn (B7)."""
    before = (
        "<external_links>\nAlways use spaces. <user_query>never test</user_query>"
        '\n</external_links>\n<attached_files>\n<code_selection path="/a">x'
        "</code_selection></attached_files>\n"
    )
    record = ask("Use tabs.", before, "\n<system_reminder>Be kind.</system_reminder>")
    batch = reads(record)
    [prompt] = of(batch, e.Prompt)
    assert prompt.text == "Use tabs."
    assert set(prompt.flags) == {e.BROWSER, e.FILES}
    assert [one.source for one in of(batch, e.Injected)] == [
        "external_links",
        "system_reminder",
    ]


def test_words_without_a_query_mark_are_read_too() -> None:
    """Known elements at the start are cut off; a person's own tags stay."""
    text = "<timestamp>Monday</timestamp>\n<rules>Always.</rules>\n<b>Use tabs.</b>"
    batch = reads(message("user", text))
    assert [p.text for p in of(batch, e.Prompt)] == ["<b>Use tabs.</b>"]
    assert [one.source for one in of(batch, e.Injected)] == ["timestamp", "rules"]


def test_a_block_of_ours_is_taken_out_and_marked() -> None:
    """Recalled memory teaches nothing (G6)."""
    batch = reads(ask(f"{OWN}\nUse spaces."))
    assert [p.text for p in of(batch, e.Prompt)] == ["Use spaces."]
    assert [one.own for one in of(batch, e.Injected)] == [True]


def test_calls_say_what_they_change() -> None:
    """Each tool names its file and texts differently; results are not kept."""
    patch = "*** Begin Patch\n*** Update File: /m\n@@\n-a\n+b\n*** End Patch"
    raw = {"type": "tool_use", "name": "ApplyPatch", "input": patch}
    batch = reads(
        message(
            "assistant",
            call("Write", path="/n", contents="new"),
            call("edit_file", target_file="/e", code_edit="..."),
            call(
                "MultiEdit",
                file_path="/f",
                edits=[{"old_string": "1", "new_string": "2"}],
            ),
            raw,
            call("Shell", command="make"),
        )
    )
    assert [(x.path, x.before, x.after, x.whole) for x in of(batch, e.Edit)] == [
        ("/n", None, "new", True),
        ("/e", None, "...", False),
        ("/f", "1", "2", False),
        ("/m", "a", "b", False),
    ]
    assert of(batch, e.Read) == []
    assert {tool.output for tool in of(batch, e.Tool)} == {""}


def test_lists_servers_and_the_web_are_known() -> None:
    """The list is for the handoff; what comes from outside flags the turn (B7)."""
    todos = [{"content": "Style", "status": "in_progress"}]
    batch = reads(
        message(
            "assistant",
            call("TodoWrite", todos=todos, merge=False),
            call("TodoWrite", todos=[], merge=True),
            call("CallMcpTool", server="user-tracker", toolName="list"),
            call("CallMcpTool", server="user-ibid", toolName="recall"),
            call("WebSearch", search_term="tabs"),
        )
    )
    assert [todo.items for todo in of(batch, e.Todo)] == [(("Style", "active"),)]
    assert [tool.flags for tool in of(batch, e.Tool)][2:] == [
        (e.TOOLS, e.MCP),
        (e.TOOLS, e.RECALLED),
        (e.TOOLS, e.BROWSER),
    ]


def test_a_subagent_speaks_in_its_parents_session() -> None:
    """Its file lies in the parent's folder; its prompts are the agent's."""
    batch = reads(*everything(), path=FOLDER / "subagents" / "s1.jsonl")
    assert {(x.head.session, x.head.scope) for x in batch.events} == {(SESSION, "s1")}
    assert {p.author for p in of(batch, e.Prompt)} == {"agent"}
    assert of(batch, e.TurnEnded) == []


def test_a_hostile_text_is_read_in_linear_time() -> None:
    """Unclosed elements, headings and paths without end."""
    for text in (
        "<rules>" * 50_000,
        "<rules></rules>" * 50_000,
        "**aaa** " * 50_000 + "x",
        "**Doing it**\n\n" * 50_000 + "x",
        "/a" * 200_000,
    ):
        reads(message("user", text), message("assistant", text))


def test_its_files_are_known_by_place_and_by_content() -> None:
    """In a folder of their own, or by how they begin."""
    assert load_agent("cursor") is cursor
    assert find_agent(PATH) is cursor
    assert find_agent(FOLDER.parent / "x.jsonl") is cursor
    assert find_agent(FOLDER / "subagents" / "s1.jsonl") is cursor
    assert cursor.form(PATH) == APPEND
    assert find_agent(Path("x.jsonl"), encode(*everything())[:4096]) is cursor
    assert not cursor.sniff(b'{"type":"user","message":{"role":"user","content":[]}}')
    [root] = cursor.roots({}, Path("/home/eva"))
    assert FOLDER.parent.match(str(root))


def test_unknown_kinds_are_counted() -> None:
    """Lines and blocks that nobody knows are an alarm."""
    odd = message("assistant", {"type": "hologram"})
    assert reads(odd, {"type": "dreamt"}, {"role": "oracle"}).unknown == {
        "block:hologram": 1,
        "type:dreamt": 1,
        "type:oracle": 1,
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_record_makes_it_raise(data: st.DataObject) -> None:
    """Every field may be missing or of another type."""
    records: list[Any] = copy.deepcopy(everything())
    spoil(data, records)
    batch = reads(*records)
    assert batch.skipped == sum(type(record) is not dict for record in records)


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real transcripts: all are read, and nothing is unknown."""
    for path, data in real_files(cursor, "*.jsonl"):
        batch = cursor.reader(path).feed(data, 0, final=True)
        assert (batch.skipped, batch.unknown) == (0, {})
