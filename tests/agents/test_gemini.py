"""Gemini CLI's reader: documents and logs, people, tools, turns, folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import encode, of

from ibid.agents import events as e
from ibid.agents.events import Batch
from ibid.agents.gemini import transcript as gemini
from ibid.agents.gemini.places import hash_of
from ibid.agents.registry import WHOLE, find_agent, load_agent

SESSION = "0f0f0f0f-1111-4222-8333-444444444444"
CWD = "/srv/shop"
CHATS = Path("/home/eva/.gemini/tmp/shop/chats")
PATH = CHATS / "session-2026-05-06T07-08-0f0f0f0f.jsonl"
ABOUT: dict[str, Any] = {
    "sessionId": SESSION,
    "projectHash": hash_of(CWD),
    "startTime": "2026-05-06T07:08:09.000Z",
    "lastUpdated": "2026-05-06T07:09:09.000Z",
    "kind": "main",
}
TOKENS = {"input": 120, "output": 7, "cached": 100, "thoughts": 2, "tool": 5}


def message(kind: str, key: str, content: Any = "", **fields: Any) -> dict[str, Any]:
    """Return a message."""
    stamp = "2026-05-06T07:08:10.000Z"
    return {"id": key, "timestamp": stamp, "type": kind, "content": content} | fields


def call(name: str, output: str = "ok", key: str = "", **given: Any) -> dict[str, Any]:
    """Return a tool call that came to its end."""
    status = given.pop("status", "success")
    shown = given.pop("shown", "done")
    key = key or f"{name}_1780000000000_0"
    response = {"output": output} if status == "success" else {"error": output}
    result = {"functionResponse": {"id": key, "name": name, "response": response}}
    return {
        "id": key,
        "name": name,
        "args": given,
        "result": [result],
        "status": status,
        "timestamp": "2026-05-06T07:08:11.000Z",
        "resultDisplay": shown,
        "displayName": name,
    }


def everything() -> list[dict[str, Any]]:
    """Return a conversation in which most things happen."""
    return [
        message("info", "i1", "Update available."),
        message("user", "u1", [{"text": "Look at a.py 密码 \U0001f600"}]),
        message(
            "gemini",
            "g1",
            "I look.",
            model="model-x",
            tokens=TOKENS,
            toolCalls=[
                call("read_file", "x\ny\n", file_path="a.py"),
                call(
                    "replace",
                    file_path="a.py",
                    old_string="x",
                    new_string="z",
                    shown={"filePath": f"{CWD}/a.py"},
                ),
            ],
        ),
        message("gemini", "g2", "Done.", model="model-x", tokens=TOKENS),
        message("user", "u2", "Use tabs."),
        message("gemini", "g3", "Tabs.", model="model-x"),
    ]


def old(messages: list[dict[str, Any]], **about: Any) -> bytes:
    """Return the file of an older version: one document."""
    return json.dumps(ABOUT | about | {"messages": messages}, indent=2).encode()


def new(messages: list[dict[str, Any]], **about: Any) -> bytes:
    """Return the file of a newer version: a line a message."""
    return encode(ABOUT | about, *messages)


def read(data: bytes, path: Path = PATH, folder: str = CWD) -> Batch:
    """Return what a reader makes of it."""
    state = {"folder": folder} if folder else None
    return gemini.reader(path, state).feed(data, 0, final=True)


def bare(batch: Batch) -> list[e.Event]:
    """Return the events without their places in the file."""
    return [
        event._replace(head=event.head._replace(start=0, end=0))  # type: ignore[misc]
        for event in batch.events
    ]


@pytest.mark.parametrize("form", [old, new])
def test_both_forms_tell_the_same_story(form: Any) -> None:
    """Prompts, answers, tools, reads, edits, usage and ends."""
    batch = read(form(everything()))
    assert (batch.skipped, batch.unknown) == (0, {})
    assert bare(batch) == bare(read(old(everything())))
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Look at a.py 密码 \U0001f600", e.TYPED),
        ("Use tabs.", e.TYPED),
    ]
    assert [a.text for a in of(batch, e.Answer)] == ["I look.", "Done.", "Tabs."]
    assert [(r.path, r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        (f"{CWD}/a.py", 1, 2, "x\ny", 2)
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        (f"{CWD}/a.py", "x", "z")
    ]
    usage = of(batch, e.Usage)
    assert [one.head.id for one in usage] == ["g1", "g2"]
    assert usage[0][1:] == (25, 9, 100, 0, "model-x")
    ends = of(batch, e.TurnEnded)
    assert [(end.head.id, end.status) for end in ends] == [
        ("g2:end", e.COMPLETED),
        ("g3:end", e.COMPLETED),
    ]
    [seen] = of(batch, e.SessionSeen)
    assert (seen.cwd, seen.kind, seen.head.session) == (CWD, "main", SESSION)


@pytest.mark.parametrize("form", [old, new])
def test_each_event_names_the_bytes_of_its_message(form: Any) -> None:
    """A person can be shown the place, in documents and in lines."""
    data = form(everything())
    for answer in of(read(data), e.Answer):
        found = json.loads(data[answer.head.start : answer.head.end])
        assert (found["id"], found["content"]) == (answer.head.id, answer.text)


def test_a_message_that_comes_again_replaces_the_one_before() -> None:
    """It keeps its place, and counts once."""
    messages = everything()
    grown = messages[2] | {"content": "I looked.", "tokens": TOKENS | {"output": 50}}
    batch = read(new([*messages, grown]))
    assert [a.text for a in of(batch, e.Answer)] == ["I looked.", "Done.", "Tabs."]
    assert [usage.output for usage in of(batch, e.Usage)] == [52, 9]
    assert len(of(batch, e.Tool)) == 2


def test_a_rewind_is_told_and_nothing_said_is_lost() -> None:
    """What was taken back was said; the epoch ends there (N4)."""
    messages = everything()
    more = [{"$rewindTo": "u2"}, message("user", "u3", "Use spaces.")]
    batch = read(new([*messages, *more]))
    assert [p.text for p in of(batch, e.Prompt)][1:] == ["Use tabs.", "Use spaces."]
    assert [(b.reason, b.head.id) for b in of(batch, e.Boundary)] == [
        ("rewind", "rewind:u2")
    ]


def test_what_is_said_of_the_session_can_change() -> None:
    """Its title follows; messages that are put anew are the same ones."""
    messages = everything()
    change = {"$set": {"summary": "Tabs", "messages": messages[1:]}}
    batch = read(new([*messages, change]))
    assert of(batch, e.SessionSeen)[0].title == "Tabs"
    assert len(of(batch, e.Prompt)) == 2
    assert [b.reason for b in of(batch, e.Boundary)] == ["replaced"]
    same = read(new([*messages, {"$set": {"messages": messages}}]))
    assert of(same, e.Boundary) == []


@pytest.mark.parametrize(
    ("kind", "text", "status"),
    [
        ("info", "Request cancelled.", e.CANCELLED),
        ("error", "[API Error: quota]", e.FAILED),
    ],
)
def test_the_client_says_how_a_turn_ended(kind: str, text: str, status: str) -> None:
    """Stopped or failed: the turn teaches nothing."""
    batch = read(
        new([message("user", "u1", "Go."), message("gemini", "g1", "Hm."),
             message(kind, "n1", text), message("user", "u2", "Again.")])
    )  # fmt: skip
    assert [end.status for end in of(batch, e.TurnEnded)] == [status]


def test_a_turn_with_calls_as_its_last_word_runs_on() -> None:
    """Nothing says that it is over."""
    busy = message("gemini", "g1", "", toolCalls=[call("glob", pattern="*")])
    assert of(read(new([message("user", "u1", "Go."), busy])), e.TurnEnded) == []


def test_a_compression_ends_the_epoch() -> None:
    """The client says that the history was compressed."""
    note = message("info", "n1", "Chat history compressed from 9000 to 500 tokens.")
    assert [c.head.id for c in of(read(new([note])), e.Compacted)] == ["n1"]


def test_files_that_a_person_names_are_not_their_words() -> None:
    """Their content is injected, and a read; what was typed is shown apart."""
    content = [
        {"text": "Shorten @a.md and @docs/**"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @a.md:\n"},
        {"text": "Always use tabs.\n"},
        {"text": "\n--- End of content ---"},
    ]
    shown = [{"text": "Shorten @a.md and @docs"}]
    for fields, text in (({}, content[0]["text"]), ({"displayContent": shown}, None)):
        batch = read(new([message("user", "u1", content, **fields)]))
        [prompt] = of(batch, e.Prompt)
        assert prompt.text == (text or "Shorten @a.md and @docs")
        assert prompt.flags == (e.FILES,)
        assert [(r.path, r.text) for r in of(batch, e.Read)] == [
            (f"{CWD}/a.md", "Always use tabs.")
        ]
        assert [one.source for one in of(batch, e.Injected)] == ["files"]


def test_context_that_is_put_around_words_is_injected() -> None:
    """Session and hook contexts, and blocks of ours, are nobody's (B2, G6)."""
    own = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'
    text = (
        "<session_context>\nToday is Monday.\n</session_context>\nUse spaces.\n"
        f"<hook_context>{own}</hook_context>"
    )
    batch = read(new([message("user", "u1", text)]))
    assert [p.text for p in of(batch, e.Prompt)] == ["Use spaces."]
    assert [(one.source, one.own) for one in of(batch, e.Injected)] == [
        ("session_context", False),
        ("hook_context", True),
    ]


def test_what_the_harness_says_in_a_persons_place_is_not_theirs() -> None:
    """The client's own requests are marked."""
    text = "System: Please continue."
    [prompt] = of(read(new([message("user", "u1", text)])), e.Prompt)
    assert (prompt.voice, prompt.author) == (e.INJECTED, "harness")


def test_a_part_of_a_file_is_read_by_what_the_tool_says() -> None:
    """The lines are named in the output; where they are not, nothing is sure."""
    part = (
        "\nIMPORTANT: The file content has been truncated.\n"
        "Status: Showing lines 11-12 of 90 total lines.\nAction: more.\n\n"
        "--- FILE CONTENT (truncated) ---\nx\ny"
    )
    calls = [
        call("read_file", part, "r1", file_path="a.py", start_line=11, end_line=12),
        call("read_file", part + "\nz", "r2", file_path="a.py"),
        call("read_file", "x\n", "r3", file_path="a.py", start_line=4),
        call("read_file", "no such file", "r4", file_path="b.py", status="error"),
    ]
    batch = read(new([message("gemini", "g1", "", toolCalls=calls)]))
    assert [(r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        (11, 12, "x\ny", 90)
    ]
    assert [tool.error for tool in of(batch, e.Tool)] == [False, False, False, True]


def test_a_plain_command_is_a_read() -> None:
    """Without the words that the tool puts around the output."""
    calls = [
        call("run_shell_command", "Output: x\ny\nProcess Group PGID: 7", "c1",
             command="cat a.py"),
        call("run_shell_command", "Output: x\nExit Code: 1\nProcess Group PGID: 7",
             "c2", command="cat a.py"),
        call("run_shell_command", "Output: (empty)\nProcess Group PGID: 7", "c3",
             command="cat a.py"),
        call("run_shell_command", "Output: x", "c4", command="make"),
    ]  # fmt: skip
    batch = read(new([message("gemini", "g1", "", toolCalls=calls)]))
    assert [(r.head.id, r.text) for r in of(batch, e.Read)] == [("c1", "x\ny")]


def test_a_written_file_is_whole_as_it_was_and_is() -> None:
    """What the person changed in the proposal is what was written."""
    shown = {"filePath": f"{CWD}/n", "originalContent": "a", "newContent": "b!"}
    calls = [
        call("write_file", key="w1", file_path="n", content="b", shown=shown),
        call("write_file", key="w2", file_path="m", content="c"),
    ]
    batch = read(new([message("gemini", "g1", "", toolCalls=calls)]))
    found = of(batch, e.Edit)
    assert [(x.path, x.before, x.after, x.whole) for x in found] == [
        (f"{CWD}/n", "a", "b!", True),
        (f"{CWD}/m", None, "c", True),
    ]


def test_only_free_text_of_an_answer_is_a_persons() -> None:
    """A chosen label is the agent's wording."""
    questions = [
        {"question": "Which?", "options": [{"label": "Red"}, {"label": "Blue"}]},
        {"question": "Where?", "type": "text"},
    ]
    output = json.dumps({"answers": {"0": "Red, Blue", "1": "never on Fridays"}})
    chosen = json.dumps({"answers": {"0": "Red"}})
    calls = [
        call("ask_user", output, "q1", questions=questions),
        call("ask_user", chosen, "q2", questions=questions),
    ]
    batch = read(new([message("gemini", "g1", "", toolCalls=calls)]))
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("never on Fridays", e.ANSWER)
    ]


def test_to_do_lists_and_servers_are_known() -> None:
    """The list is for the handoff; a server's tool comes from outside (B7)."""
    todos = [{"description": "Style", "status": "in_progress"}]
    calls = [
        call("write_todos", key="t1", todos=todos),
        call("list", key="t2") | {"displayName": "list (tracker MCP Server)"},
        call("mcp_ibid_search", key="t3"),
        call("google_web_search", key="t4", query="tabs"),
        call("glob", key="t5", status="executing"),
    ]
    batch = read(new([message("gemini", "g1", "", toolCalls=calls)]))
    assert of(batch, e.Todo)[0].items == (("Style", "active"),)
    assert [(tool.mcp, tool.flags) for tool in of(batch, e.Tool)] == [
        ("", (e.TOOLS,)),
        ("tracker", (e.TOOLS, e.MCP)),
        ("ibid", (e.TOOLS, e.RECALLED)),
        ("", (e.TOOLS, e.BROWSER)),
    ]


def test_a_subagents_file_lies_in_its_parents_folder() -> None:
    """Its events belong to the parent's session, its prompts to the agent."""
    path = CHATS / SESSION / "aaaa.jsonl"
    about = {"sessionId": "aaaa", "kind": "subagent"}
    batch = read(new(everything(), **about), path)
    assert {(x.head.session, x.head.scope) for x in batch.events} == {(SESSION, "aaaa")}
    assert {p.voice for p in of(batch, e.Prompt)} == {e.AGENT}


def test_the_folder_is_told_by_files_beside_or_known_by_its_hash() -> None:
    """Sessions do not say where they were made."""
    beside = {CHATS.parent / ".project_root": "/srv/shop\n"}
    assert gemini.folder_of(PATH, lambda path: beside.get(path, "")) == CWD
    listed = json.dumps({"projects": {"/srv/other": "x", CWD: "shop"}})
    beside = {Path("/home/eva/.gemini/projects.json"): listed}
    assert gemini.folder_of(PATH, lambda path: beside.get(path, "")) == CWD
    assert gemini.folder_of(PATH, lambda path: "") == ""
    known = call("list_directory", f"Directory {CWD}/src/deep is empty.")
    messages = [message("gemini", "g1", "", toolCalls=[known])]
    assert of(read(new(messages), folder=""), e.SessionSeen)[0].cwd == CWD
    assert of(read(new(everything()[:2]), folder=""), e.SessionSeen)[0].cwd == ""


def test_its_files_are_known_by_place_and_by_content() -> None:
    """Sessions and subagents are; the prompt log beside them is not."""
    assert load_agent("gemini") is gemini
    assert find_agent(PATH) is gemini
    assert find_agent(CHATS / SESSION / "aaaa.jsonl") is gemini
    assert find_agent(CHATS.parent / "logs.json") is None
    assert gemini.form(PATH) == WHOLE
    for data in (old(everything()), new(everything())):
        assert find_agent(Path("x.json"), data[:4096]) is gemini
    late = json.dumps(
        {"kind": "main", "lastUpdated": "x", "messages": everything(), **ABOUT}
    )
    assert gemini.sniff(late.encode()[:300])
    assert not gemini.sniff(b'{"sessionId": "x", "type": "user"}')
    [root] = gemini.roots({}, Path("/home/eva"))
    assert PATH.match(f"{root}/*")


def test_half_written_files_and_broken_lines_lose_nothing_else() -> None:
    """A document waits until it is whole; of a log, good lines are told."""
    data = old(everything())[:-9]
    assert gemini.reader(PATH).feed(data, 0) == Batch([], 0, {}, 0)
    torn = new(everything()) + b'{"id": "g9", "type": "gem'
    batch = read(torn)
    assert (len(of(batch, e.Prompt)), batch.skipped) == (2, 1)


def test_unknown_kinds_are_counted() -> None:
    """A message of a kind that nobody knows is an alarm."""
    assert read(new([message("oracle", "o1")])).unknown == {"type:oracle": 1}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from([old, new]))
def test_no_session_makes_it_raise(data: st.DataObject, form: Any) -> None:
    """Every field may be missing or of another type."""
    messages = everything()
    spoil(data, messages, 7)
    read(form(messages))


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real sessions: all are read, and nothing is unknown."""
    for path, data in real_files(gemini, "*.json*"):
        batch = gemini.reader(path).feed(data, 0, final=True)
        assert (batch.skipped, batch.unknown) == (0, {})
