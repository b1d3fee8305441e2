"""The reader of Copilot Chat in VS Code: people, tools, turns, documents and logs."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import encode, of

from ibid.agents import events as e
from ibid.agents.copilot_vscode import transcript as vscode
from ibid.agents.copilot_vscode.results import text_in
from ibid.agents.events import Batch
from ibid.agents.registry import WHOLE, find_agent, load_agent

SESSION = "7b7b7b7b-1111-4222-8333-444444444444"
CWD = "/srv/shop"
STORAGE = Path("/home/eva/.config/Code/User/workspaceStorage/abc")
PATH = STORAGE / "chatSessions" / f"{SESSION}.json"
START = 1_780_000_000_000
OWN = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'
SHOWN = "File: `/srv/shop/a.py`. Lines 3 to 5 (9 lines total): \n```python\nx\n\ny\n```"


def call(name: str, key: str, /, **given: Any) -> dict[str, Any]:
    """Return a call of a round."""
    return {"id": key, "name": name, "arguments": json.dumps(given)}


def request(text: str, answer: str = "Done.", /, **fields: Any) -> dict[str, Any]:
    """Return a request that was answered."""
    number = fields.pop("number", 1)
    metadata = {
        "sessionId": SESSION,
        "toolCallRounds": fields.pop("rounds", []),
        "toolCallResults": fields.pop("results", {}),
        "renderedUserMessage": fields.pop("sent", []),
    }
    response = fields.pop("response", None)
    return {
        "requestId": f"request_{number}",
        "responseId": f"response_{number}",
        "message": {"text": text, "parts": [{"kind": "text", "text": text}]},
        "variableData": {"variables": fields.pop("variables", [])},
        "timestamp": START + number * 60_000,
        "modelId": "copilot/model-x",
        "response": [{"value": answer}] if response is None else response,
        "result": {"timings": {"totalElapsed": 500}, "metadata": metadata},
    } | fields


def session(*requests: dict[str, Any], **about: Any) -> dict[str, Any]:
    """Return a stored session."""
    return {
        "version": 3,
        "responderUsername": "GitHub Copilot",
        "initialLocation": "panel",
        "sessionId": SESSION,
        "creationDate": START,
        "customTitle": "Tabs",
        "requests": list(requests),
    } | about


def everything() -> dict[str, Any]:
    """Return a session in which most things happen."""
    rounds = [
        {
            "id": "r1",
            "response": "I look.",
            "toolCalls": [
                call("read_file", "c1", filePath="/srv/shop/a.py"),
                call(
                    "replace_string_in_file",
                    "c2",
                    filePath="/srv/shop/a.py",
                    oldString="x",
                    newString="z",
                ),
            ],
        },
        {"id": "r2", "response": "Done.", "toolCalls": [], "summary": "We looked."},
    ]
    response = [
        {"value": "I look at "},
        {"kind": "inlineReference", "inlineReference": {"fsPath": "/srv/shop/a.py"}},
        {"value": ".\n"},
        {"kind": "thinking", "value": "hm"},
        {"kind": "toolInvocationSerialized", "toolId": "copilot_readFile"},
        {"value": "Done 密码."},
    ]
    results = {
        "c1": {"content": [{"value": SHOWN}]},
        "c2": {"content": [{"value": "edited"}]},
    }
    first = request(
        "Look at it \U0001f600", rounds=rounds, results=results, response=response
    )
    return session(first, request("Use tabs.", number=2))


def log_of(whole: dict[str, Any]) -> bytes:
    """Return the same session as a log of changes."""
    start = whole | {"requests": whole["requests"][:1]}
    first = copy.deepcopy(start["requests"][0])
    first["response"] = first["response"][:1]
    later = [
        {"kind": 0, "v": start | {"requests": [first], "customTitle": "Old"}},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "wrong"}]},
        {
            "kind": 2,
            "k": ["requests", 0, "response"],
            "v": start["requests"][0]["response"][1:],
            "i": 1,
        },
        {"kind": 1, "k": ["customTitle"], "v": whole["customTitle"]},
        {"kind": 1, "k": ["inputState"], "v": {"text": "half a wor"}},
        {"kind": 3, "k": ["inputState"]},
        {"kind": 2, "k": ["requests"], "v": whole["requests"][1:]},
    ]
    return encode(*later)


def read(data: Any, path: Path = PATH, folder: str = CWD) -> Batch:
    """Return what a reader makes of a session, or of bytes."""
    if not isinstance(data, bytes):
        data = json.dumps(data, indent=2, ensure_ascii=False).encode()
    state = {"folder": folder} if folder else None
    return vscode.reader(path, state).feed(data, 0, final=True)


def test_a_session_tells_its_story() -> None:
    """Prompts, answers as shown, tools, reads, edits, ends, the compaction."""
    batch = read(everything())
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Look at it \U0001f600", e.TYPED),
        ("Use tabs.", e.TYPED),
    ]
    assert [(a.text, a.head.id) for a in of(batch, e.Answer)] == [
        ("I look at `a.py`.\n\nDone 密码.", "response_1"),
        ("Done.", "response_2"),
    ]
    assert [(r.path, r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        ("/srv/shop/a.py", 3, 5, "x\n\ny", 9)
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        ("/srv/shop/a.py", "x", "z")
    ]
    assert [tool.name for tool in of(batch, e.Tool)] == [
        "read_file",
        "replace_string_in_file",
    ]
    assert [c.summary for c in of(batch, e.Compacted)] == ["We looked."]
    assert [end.status for end in of(batch, e.TurnEnded)] == [e.COMPLETED] * 2
    [seen] = of(batch, e.SessionSeen)
    assert (seen.cwd, seen.title, seen.kind, seen.head.session) == (
        CWD,
        "Tabs",
        "main",
        SESSION,
    )


def test_a_log_of_changes_is_the_same_session() -> None:
    """Values that are set, pushed, cut and deleted lead to the same state."""
    whole = everything()
    batch = read(log_of(whole))
    assert (batch.skipped, batch.unknown) == (0, {})
    plain = [
        [event._replace(head=event.head._replace(start=0, end=0)) for event in one]
        for one in (batch.events, read(whole).events)
    ]
    assert plain[0] == plain[1]


def test_each_event_names_the_bytes_of_its_request() -> None:
    """In a document the request's own, in a log the line that told of it."""
    data = json.dumps(everything(), ensure_ascii=False).encode()
    for prompt in of(read(data), e.Prompt):
        found = json.loads(data[prompt.head.start : prompt.head.end])
        assert found["message"]["text"] == prompt.text
    data = log_of(everything())
    second = of(read(data), e.Prompt)[1]
    assert b"Use tabs." in data[second.head.start : second.head.end]


def test_lines_that_fit_nowhere_are_counted() -> None:
    """A change to what is not there is unusable; the rest is told."""
    data = log_of(everything()) + encode(
        {"kind": 1, "k": ["requests", 9, "x"], "v": 1},
        {"kind": 2, "k": ["customTitle"], "v": [1]},
        {"kind": 7, "k": ["x"]},
        {"kind": 1, "k": [], "v": 1},
    )
    batch = read(data)
    assert batch.skipped == 4
    assert len(of(batch, e.Prompt)) == 2


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("key", [[], {}, None, True, 1.5])
def test_a_change_whose_key_is_none_is_counted(kind: int, key: Any) -> None:
    """A key that is no text, in the session or in a request, changes nothing."""
    data = log_of(everything()) + encode(
        {"kind": kind, "k": [key], "v": []},
        {"kind": kind, "k": ["requests", 0, key], "v": []},
        {"kind": kind, "k": ["requests", key], "v": []},
    )
    batch = read(data)
    assert batch.skipped == 3
    assert of(batch, e.Prompt) == of(read(log_of(everything())), e.Prompt)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"isCanceled": True}, e.CANCELLED),
        ({"modelState": {"value": 2}}, e.CANCELLED),
        ({"result": {"errorDetails": {"code": "canceled"}}}, e.CANCELLED),
        ({"result": {"errorDetails": {"message": "no network"}}}, e.FAILED),
        ({"modelState": {"value": 3}}, e.FAILED),
        ({"modelState": {"value": 1, "completedAt": START}}, e.COMPLETED),
    ],
)
def test_the_result_says_how_a_turn_ended(fields: Any, status: str) -> None:
    """Stopped, failed or done."""
    batch = read(session(request("Go.", **fields)))
    assert [end.status for end in of(batch, e.TurnEnded)] == [status]


def test_a_request_without_result_runs_or_broke_off() -> None:
    """The last one runs; one before another one was given up."""
    one = request("Go.")
    del one["result"]
    assert of(read(session(one)), e.TurnEnded) == []
    both = read(session(one, request("Again.", number=2)))
    assert [end.status for end in of(both, e.TurnEnded)] == [e.CANCELLED, e.COMPLETED]


def test_what_was_attached_flags_the_turn() -> None:
    """What a person attached counts, what settings attach does not (B7)."""
    variables = [
        {"kind": "promptFile", "automaticallyAdded": True},
        {"kind": "file", "name": "a.py"},
        {"kind": "image"},
        {"kind": "tool"},
        {"kind": "generic", "id": "mcp:tracker"},
    ]
    [prompt] = of(read(session(request("Go.", variables=variables))), e.Prompt)
    assert prompt.flags == (e.FILES, e.IMAGES, e.MCP)


def test_a_buttons_words_are_not_typed() -> None:
    """*Try again* is the client's text."""
    [prompt] = of(
        read(session(request("@agent Try Again", confirmation="Try Again"))), e.Prompt
    )
    assert (prompt.voice, prompt.author) == (e.INJECTED, "harness")


def test_blocks_of_ours_are_found_where_they_were_put() -> None:
    """In the words themselves, or in what was sent around them (G6)."""
    batch = read(session(request(f"{OWN}\nUse spaces.")))
    assert [p.text for p in of(batch, e.Prompt)] == ["Use spaces."]
    assert [one.own for one in of(batch, e.Injected)] == [True]
    sent = [{"type": 1, "text": f"<context>{OWN}</context>"}]
    batch = read(session(request("Use spaces.", sent=sent)))
    assert [one.own for one in of(batch, e.Injected)] == [True]


def test_files_are_made_and_changed_in_many_ways() -> None:
    """Each tool names its file and texts differently."""
    patch = "*** Begin Patch\n*** Update File: /m\n@@\n-a\n+b\n*** End Patch"
    several = [
        {"filePath": "/p", "oldString": "1", "newString": "2"},
        {"filePath": "/q", "oldString": "3", "newString": "4"},
    ]
    calls = [
        call("create_file", "c1", filePath="/n", content="new"),
        call("multi_replace_string_in_file", "c2", replacements=several),
        call("apply_patch", "c3", input=patch),
        call("insert_edit_into_file", "c4", filePath="/i", code="...\nx"),
        call("replace_string_in_file", "c5", filePath="/f", oldString="a"),
    ]
    results = {"c5": {"content": [{"value": "ERROR while calling tool: no match"}]}}
    rounds = [{"id": "r", "toolCalls": calls}]
    batch = read(session(request("Go.", rounds=rounds, results=results)))
    assert [(x.path, x.before, x.after, x.whole) for x in of(batch, e.Edit)] == [
        ("/n", None, "new", True),
        ("/p", "1", "2", False),
        ("/q", "3", "4", False),
        ("/m", "a", "b", False),
        ("/i", None, "...\nx", False),
    ]
    assert len({x.head.id for x in of(batch, e.Edit)}) == 5
    assert [tool.error for tool in of(batch, e.Tool)] == [False] * 4 + [True]


def test_a_result_may_be_a_tree_of_texts() -> None:
    """Its leaves in order; a line is broken where none is yet."""
    leaves = [
        {"type": 2, "text": "a"},
        {"type": 2, "text": "b", "lineBreakBefore": True},
        {"type": 2, "text": "\n"},
        {"type": 1, "children": [{"type": 2, "text": "c", "lineBreakBefore": True}]},
    ]
    assert text_in({"node": {"type": 1, "children": leaves}}) == "a\nb\nc"
    assert text_in("plain") == "plain"
    assert text_in(7) == ""


def test_a_read_whose_lines_do_not_fit_is_none() -> None:
    """In doubt nothing was shown (N4)."""
    odd = SHOWN.replace("3 to 5", "3 to 9")
    results = {"c1": {"content": [{"value": odd}]}, "c2": {"content": []}}
    calls = [call("read_file", "c1"), call("read_file", "c2")]
    rounds = [{"id": "r", "toolCalls": calls}]
    batch = read(session(request("Go.", rounds=rounds, results=results)))
    assert of(batch, e.Read) == []
    assert len(of(batch, e.Tool)) == 2


def test_without_rounds_calls_are_told_as_they_were_shown() -> None:
    """Half of the requests keep no more than that."""
    response = [
        {
            "kind": "toolInvocationSerialized",
            "toolId": "copilot_applyPatch",
            "toolCallId": "t1",
            "isComplete": True,
        },
        {
            "kind": "toolInvocationSerialized",
            "toolId": "list_issues",
            "toolCallId": "t2",
            "isComplete": True,
            "source": {"type": "mcp", "label": "tracker"},
        },
        {
            "kind": "textEditGroup",
            "uri": {"fsPath": "/srv/shop/a.py"},
            "edits": [[{"text": "x"}], [{"text": "\n"}], []],
        },
    ]
    batch = read(session(request("Go.", response=response)))
    assert [(tool.kind, tool.flags) for tool in of(batch, e.Tool)] == [
        ("edit", (e.TOOLS, e.FILES)),
        ("other", (e.TOOLS, e.MCP)),
    ]
    assert [(x.path, x.after) for x in of(batch, e.Edit)] == [("/srv/shop/a.py", "x\n")]


def test_lists_answers_servers_and_tokens() -> None:
    """To-do lists, a person's free answers, servers by name, few tokens."""
    todos = [{"title": "Style", "status": "in-progress"}]
    calls = [
        call("manage_todo_list", "c1", todoList=todos),
        call("ask_questions", "c2"),
        call("mcp_tracker_list", "c3"),
        call("mcp_my_ibid__search", "c4"),
    ]
    answers = {
        "When": {"selected": ["Now"], "freeText": "never on Fridays"},
        "Who": {"selected": ["Eva"], "freeText": None},
    }
    value = json.dumps({"answers": answers}, separators=(",", ":"))
    results = {"c2": {"content": [{"value": value}]}}
    one = request("Go.", rounds=[{"id": "r", "toolCalls": calls}], results=results)
    one["result"]["usage"] = {"promptTokens": 900, "completionTokens": 30}
    batch = read(session(one))
    assert of(batch, e.Todo)[0].items == (("Style", "active"),)
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)][1:] == [
        ("never on Fridays", e.ANSWER)
    ]
    assert [tool.mcp for tool in of(batch, e.Tool)] == ["", "", "tracker", "ibid"]
    assert [(u.input, u.output) for u in of(batch, e.Usage)] == [(900, 30)]


def test_inline_chats_are_quick() -> None:
    """A chat within an editor or a terminal recalls only."""
    whole = session(request("Go."), initialLocation="editor")
    assert of(read(whole), e.SessionSeen)[0].kind == "quick"


def test_an_export_is_named_by_its_results() -> None:
    """It has no id of its own; else the file's name stands for one."""
    whole = everything()
    for key in ("sessionId", "creationDate", "version", "customTitle"):
        del whole[key]
    path = Path("/tmp/chat.json")
    assert {x.head.session for x in read(whole, path).events} == {SESSION}
    for one in whole["requests"]:
        del one["result"]["metadata"]["sessionId"]
    assert {x.head.session for x in read(whole, path).events} == {"chat"}


def test_the_folder_is_noted_beside_the_sessions() -> None:
    """VS Code notes which folder a window had open, on whichever machine."""

    def noted(**fields: str) -> str:
        beside = {STORAGE / "workspace.json": json.dumps(fields)}
        return vscode.folder_of(PATH, lambda path: beside.get(path, ""))

    assert noted(folder="file:///srv/my%20shop") == "/srv/my shop"
    assert noted(folder="file:///c%3A/shop") == "c:/shop"
    assert noted(folder="vscode-remote://wsl%2Bubuntu/srv/shop") == CWD
    assert noted(workspace="file:///srv/shop/all.code-workspace") == CWD
    assert noted() == ""
    text = "I am working in a workspace with the following folders:\n- /srv/shop \n"
    whole = session(request("Go.", sent=[{"text": text}]))
    assert of(read(whole, folder=""), e.SessionSeen)[0].cwd == CWD


def test_its_files_are_known_by_place_and_by_content() -> None:
    """Stored sessions lie in folders of their own; exports begin as they do."""
    assert load_agent("vscode-copilot") is vscode
    assert find_agent(PATH) is vscode
    assert find_agent(PATH.with_suffix(".jsonl")) is vscode
    assert vscode.form(PATH) == WHOLE
    export = {"requesterUsername": "eva", **everything()}
    for data in (
        json.dumps(everything()).encode(),
        json.dumps(everything(), indent=2).encode(),
        json.dumps(export, indent=2).encode(),
        log_of(everything()),
    ):
        assert find_agent(Path("chat.json"), data[:4096]) is vscode
    assert not vscode.sniff(b'{"kind": 0, "v": {"a": 1}}')
    roots = vscode.roots({"APPDATA": "/roaming"}, Path("/home/eva"))
    assert any(PATH.parent.match(str(root)) for root in roots)
    assert Path("/roaming/Code/User/globalStorage/emptyWindowChatSessions") in roots


def test_half_written_files_wait() -> None:
    """A document is used when it is whole; what is no session is unreadable."""
    data = json.dumps(everything()).encode()
    assert vscode.reader(PATH).feed(data[:-5], 0) == Batch([], 0, {}, 0)
    assert read(b'{"name": "heron"}').skipped == 1


def test_unknown_kinds_are_counted() -> None:
    """A part that nobody knows is an alarm."""
    response = [{"kind": "hologram"}, {"value": "Hi."}]
    assert read(session(request("Go.", response=response))).unknown == {
        "response:hologram": 1
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.booleans())
def test_no_session_makes_it_raise(data: st.DataObject, as_log: bool) -> None:
    """Every field may be missing or of another type."""
    whole: Any = everything()
    lines = [json.loads(line) for line in log_of(whole).splitlines()]
    spoil(data, lines if as_log else whole, 8)
    read(encode(*lines) if as_log else whole)


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real chats: all are read, and nothing is unknown."""
    for path, data in real_files(vscode, "*.json*"):
        batch = vscode.reader(path).feed(data, 0, final=True)
        assert (batch.skipped, batch.unknown) == (0, {})
