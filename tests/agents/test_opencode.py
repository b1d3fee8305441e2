"""opencode's reader: people, tools, turns, forks, subagents, half-written parts."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import of

from ibid.agents import events as e
from ibid.agents.events import Batch
from ibid.agents.opencode import transcript as opencode
from ibid.agents.registry import DATABASE, WHOLE, find_agent, load_agent

SESSION = "ses_31aa0000"
CWD = "/srv/shop"
PATH = Path(f"/tmp/{SESSION}.json")
START = 1_780_000_000_000
SHOWN = (
    "<path>/srv/shop/a.py</path>\n<type>file</type>\n<content>"
    "3: x\n4: \n5: y: z\n\n(End of file - total 5 lines)\n</content>"
)


class Export:
    """An exported session in the making."""

    def __init__(self, session: str = SESSION, **info: Any) -> None:
        self.info = {
            "id": session,
            "directory": CWD,
            "title": "Tabs",
            "version": "1.4.0",
            "time": {"created": START},
        } | info
        self.messages: list[dict[str, Any]] = []
        self.now = START

    def add(self, role: str, *parts: Any, **info: Any) -> dict[str, Any]:
        """Append a message; a part that is a text is a text part."""
        self.now += 1_000
        number = len(self.messages)
        listed = [
            {"type": "text", "text": part} if isinstance(part, str) else dict(part)
            for part in parts
        ]
        for place, part in enumerate(listed):
            part.setdefault("id", f"prt_{self.info['id']}_{number}_{place}")
        times = {"created": self.now}
        if role == "assistant":
            times["completed"] = self.now + 500
            info = {"modelID": "model-x", "finish": "stop", **info}
        message = {"id": f"msg_{self.info['id']}_{number}", "role": role, "time": times}
        self.messages.append({"info": message | info, "parts": listed})
        return self.messages[-1]

    def data(self) -> bytes:
        """Return the file."""
        whole = {"info": self.info, "messages": self.messages}
        return json.dumps(whole, indent=2, ensure_ascii=False).encode()

    def read(self) -> Batch:
        """Return what a reader makes of it."""
        return opencode.reader(PATH).feed(self.data(), 0, final=True)


def tool(name: str, output: str = "ok", key: str = "call_1", **given: Any) -> Any:
    """Return a finished tool part."""
    about = given.pop("metadata", {})
    state: dict[str, Any] = {
        "status": "completed",
        "input": given,
        "output": output,
        "metadata": about,
        "time": {"start": START + 7, "end": START + 9},
    }
    return {"type": "tool", "tool": name, "callID": key, "state": state}


def failed(name: str, error: str, **given: Any) -> Any:
    """Return a tool part that failed."""
    part = tool(name, **given)
    part["state"] |= {"status": "error", "error": error}
    return part


STEP = {
    "type": "step-finish",
    "reason": "stop",
    "tokens": {
        "total": 139,
        "input": 20,
        "output": 7,
        "reasoning": 2,
        "cache": {"read": 100, "write": 10},
    },
}


def everything() -> Export:
    """Return a session in which most things happen."""
    log = Export()
    log.add(
        "user",
        "Look at @a.py 密码 \U0001f600",
        {"type": "file", "mime": "text/plain", "filename": "a.py", "source": {}},
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "text", "text": SHOWN, "synthetic": True},
    )
    log.add(
        "assistant",
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm"},
        "I look.",
        tool("read", SHOWN, "call_r", filePath="a.py"),
        tool("edit", filePath="a.py", oldString="x", newString="y", key="call_e"),
        STEP,
        finish="tool-calls",
    )
    log.add("user", "And use tabs.")
    log.add("assistant", "Done.", "Really.", {"type": "patch", "files": []})
    log.add("user", {"type": "compaction", "auto": True})
    log.add("assistant", "We made tabs.", summary=True, mode="compaction")
    log.add("user", {"type": "text", "text": "Continue", "synthetic": True})
    log.add("assistant", tool("todowrite", key="call_t", todos=[]), finish="stop")
    return log


def test_a_session_tells_its_story() -> None:
    """Prompts, answers, tools, reads, edits, usage, ends and the compaction."""
    batch = everything().read()
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice, p.flags) for p in of(batch, e.Prompt)] == [
        ("Look at @a.py 密码 \U0001f600", e.TYPED, (e.FILES,)),
        ("And use tabs.", e.QUEUED, ()),
    ]
    answers = of(batch, e.Answer)
    assert [answer.text for answer in answers] == ["I look.", "Done.", "Really."]
    assert answers[1].message == answers[2].message != answers[0].message
    assert [(r.path, r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        ("/srv/shop/a.py", 3, 5, "x\n\ny: z", 5),
        ("/srv/shop/a.py", 3, 5, "x\n\ny: z", 5),
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        ("/srv/shop/a.py", "x", "y")
    ]
    [usage] = of(batch, e.Usage)
    assert usage[1:] == (20, 9, 100, 10, "model-x")
    boundary, summary = of(batch, e.Compacted)
    assert boundary.head.id == summary.head.id
    assert (boundary.trigger, summary.summary) == ("auto", "We made tabs.")
    assert [end.status for end in of(batch, e.TurnEnded)] == [e.COMPLETED] * 2
    [seen] = of(batch, e.SessionSeen)
    assert (seen.cwd, seen.title, seen.version, seen.kind) == (
        CWD,
        "Tabs",
        "1.4.0",
        "main",
    )


def test_each_event_names_the_bytes_of_its_message() -> None:
    """A person can be shown the place, also behind characters of many bytes."""
    data = everything().data()
    batch = opencode.reader(PATH).feed(data, 0, final=True)
    for event in of(batch, e.Answer):
        message = json.loads(data[event.head.start : event.head.end])
        texts = [part.get("text") for part in message["parts"]]
        assert event.text in texts


def test_reading_again_tells_the_same() -> None:
    """Every event has the id it had, so that a store adds nothing."""
    log = everything()
    before = log.read().events
    log.add("user", "More.")
    again = log.read().events
    assert [event.head.id for event in before] == [
        event.head.id for event in again[: len(before)]
    ]
    assert len({event.head.id for event in of(log.read(), e.Answer)}) == 3


def test_a_part_is_told_when_it_is_final() -> None:
    """A text that streams and a call that runs say nothing yet."""
    log = Export()
    log.add("user", "Go.")
    running = tool("bash", command="make")
    running["state"]["status"] = "running"
    message = log.add(
        "assistant",
        {"type": "text", "text": "I th", "time": {"start": 1}},
        running,
        finish=None,
    )
    del message["info"]["time"]["completed"]
    assert [type(event) for event in log.read().events] == [e.SessionSeen, e.Prompt]
    message["parts"][0] |= {"text": "I think.", "time": {"start": 1, "end": 2}}
    running = message["parts"][1]
    running["state"]["status"] = "completed"
    batch = log.read()
    assert [answer.text for answer in of(batch, e.Answer)] == ["I think."]
    assert len(of(batch, e.Tool)) == 1


def test_a_half_written_file_waits() -> None:
    """It is used when it is whole; at the end of an import it counts as unreadable."""
    data = everything().data()[:-20]
    assert opencode.reader(PATH).feed(data, 0) == Batch([], 0, {}, 0)
    assert opencode.reader(PATH).feed(data, 0, final=True) == Batch(
        [], 1, {}, len(data)
    )


@pytest.mark.parametrize(
    ("info", "status"),
    [
        ({"error": {"name": "MessageAbortedError"}, "finish": None}, e.CANCELLED),
        ({"error": {"name": "APIError"}, "finish": None}, e.FAILED),
        ({"finish": "content-filter"}, e.FAILED),
        ({"finish": "length"}, e.COMPLETED),
        ({"finish": None}, e.CANCELLED),
    ],
)
def test_the_last_message_says_how_a_turn_ended(
    info: dict[str, Any], status: str
) -> None:
    """Stopped, failed, refused or done; one that broke off without a word is over."""
    log = Export()
    log.add("user", "Go.")
    log.add("assistant", **info)
    assert [end.status for end in of(log.read(), e.TurnEnded)] == [status]


def test_a_fork_shares_what_it_copied() -> None:
    """Its copies have new ids, yet the names of the messages they are copies of."""
    log = everything()
    fork = Export("ses_42bb0000", title="Tabs (fork #1)")
    for number, message in enumerate(copy.deepcopy(log.messages)):
        message["info"]["id"] = f"msg_copy_{number}"
        for place, part in enumerate(message["parts"]):
            part["id"] = f"prt_copy_{number}_{place}"
        fork.messages.append(message)
    fork.now = log.now
    fork.add("user", "Other way.")
    known = {event.head.id for event in log.read().events}
    fresh = [
        event
        for kind in (e.Prompt, e.Answer, e.Tool, e.Usage)
        for event in of(fork.read(), kind)
        if event.head.id not in known
    ]
    assert [event.text for event in fresh] == ["Other way."]


def test_ids_that_say_nothing_do_not_make_calls_one() -> None:
    """Some models count their calls from zero; and logs are redacted."""
    log = Export()
    log.add("user", "Go.")
    log.add(
        "assistant",
        tool("grep", key="REDACTED", pattern="a"),
        tool("grep", key="REDACTED", pattern="b"),
    )
    found = of(log.read(), e.Tool)
    assert len({call.head.id for call in found}) == 2


def test_a_subagent_speaks_in_its_parents_session() -> None:
    """A child session's prompts are its parent agent's."""
    log = Export("ses_child", parentID=SESSION, title="Child session - x")
    log.add("user", "Find it.")
    log.add("assistant", "Found.")
    batch = log.read()
    assert [(p.voice, p.author) for p in of(batch, e.Prompt)] == [(e.AGENT, "agent")]
    assert {(x.head.session, x.head.scope) for x in batch.events} == {
        (SESSION, "ses_child")
    }


def test_outputs_taken_out_of_the_context_end_the_epoch() -> None:
    """What was pruned, reverted or rewound is no longer before the agent (N4)."""
    log = Export(revert={"messageID": "msg_1"})
    log.add("user", "Go.")
    part = tool("grep")
    part["state"]["time"]["compacted"] = START + 99
    log.add("assistant", part)
    assert [(b.reason, b.head.at) for b in of(log.read(), e.Boundary)] == [
        ("replaced", START + 99),
        ("rewind", 0),
    ]


def test_what_a_person_says_through_tools_is_theirs() -> None:
    """Free answers and refusals with a reason; chosen labels are the agent's."""
    questions = [{"question": "Which?", "options": [{"label": "Red"}]}]
    log = Export()
    log.add("user", "Ask me.")
    reject = "The user rejected permission to use this specific tool call"
    log.add(
        "assistant",
        tool(
            "question",
            questions=questions,
            metadata={"answers": [["Red", "never on Fridays"]]},
        ),
        failed("bash", f"{reject} with the following feedback: use make", command="x"),
        failed("bash", f"{reject}.", command="y"),
    )
    found = of(log.read(), e.Prompt)[1:]
    assert [(prompt.text, prompt.voice) for prompt in found] == [
        ("never on Fridays", e.ANSWER),
        ("use make", e.REFUSAL),
    ]
    assert [call.error for call in of(log.read(), e.Tool)] == [False, True, True]


def test_the_reading_tools_older_form_is_read_too() -> None:
    """Numbers with zeros and a bar; a form that nobody knows is no read."""
    old = "<file>\n00001| a\n00002| \n\n(End of file - total 2 lines)\n</file>"
    odd = "<file>\n00001| a\nwhat is this\n</file>"
    folder = "<path>/srv</path>\n<type>directory</type>\n<entries>\n1: a\n</entries>"
    log = Export()
    log.add("user", "Look.")
    log.add(
        "assistant",
        tool("read", old, "c1", filePath="a.py"),
        tool("read", odd, "c2", filePath="a.py"),
        tool("read", folder, "c3", filePath="/srv"),
    )
    assert [(r.text, r.total) for r in of(log.read(), e.Read)] == [("a\n", 2)]


def test_a_plain_command_is_a_read_if_all_of_it_came_through() -> None:
    """A command that failed or was cut showed nothing for sure."""
    log = Export()
    log.add("user", "Look.")
    for number, about in enumerate(
        [
            {"exit": 0, "truncated": False},
            {"exit": 0, "truncated": True},
            {"exit": 1, "truncated": False},
        ]
    ):
        part = tool("bash", "x\n", f"c{number}", command="cat a", metadata=about)
        log.add("assistant", part)
    assert [r.head.id[:2] for r in of(log.read(), e.Read)] == ["c0"]


def test_servers_are_known_by_the_names_of_tools() -> None:
    """A tool that is not opencode's own comes from a server (B7)."""
    log = Export()
    log.add("user", "Go.")
    log.add(
        "assistant",
        tool("tracker_list", key="c1"),
        tool("ibid_search", key="c2"),
        tool("webfetch", key="c3", url="x"),
        tool("apply_patch", key="c4", patchText="*** Begin Patch\n*** End Patch"),
    )
    found = of(log.read(), e.Tool)
    assert [call.flags for call in found] == [
        (e.TOOLS, e.MCP),
        (e.TOOLS, e.RECALLED),
        (e.TOOLS, e.BROWSER),
        (e.TOOLS, e.FILES),
    ]


def test_a_block_of_ours_is_no_speech() -> None:
    """Recalled memory is taken out of a prompt and marked (G6)."""
    own = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'
    log = Export()
    log.add("user", f"{own}\nUse spaces.")
    batch = log.read()
    assert [prompt.text for prompt in of(batch, e.Prompt)] == ["Use spaces."]
    assert [one.own for one in of(batch, e.Injected)] == [True]


def test_unknown_kinds_are_counted() -> None:
    """Parts and roles that nobody knows are an alarm."""
    log = Export()
    log.add("user", {"type": "hologram"})
    log.add("oracle", "Hm.")
    assert log.read().unknown == {"part:hologram": 1, "role:oracle": 1}


def test_its_files_are_known_by_name_and_by_content() -> None:
    """The database and exports are; another JSON document is not."""
    assert load_agent("opencode") is opencode
    database = Path("/home/eva/.local/share/opencode/opencode.db")
    assert find_agent(database) is opencode
    assert (opencode.form(database), opencode.form(PATH)) == (DATABASE, WHOLE)
    assert find_agent(PATH) is opencode
    assert find_agent(Path("x.json"), everything().data()[:4096]) is opencode
    assert find_agent(Path("x.json"), b'{"info": {"name": "x"}}') is None
    roots = opencode.roots({"XDG_DATA_HOME": "/data"}, Path("/home/eva"))
    assert roots[0] == Path("/data/opencode/opencode*.db")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_document_makes_it_raise(data: st.DataObject) -> None:
    """Every field may be missing or of another type."""
    log = everything()
    whole: Any = {"info": log.info, "messages": log.messages}
    spoil(data, whole)
    opencode.reader(PATH).feed(json.dumps(whole).encode(), 0, final=True)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    """Whatever they are, alone and within a document."""
    for hostile in (data, b'{"info":{"id":"ses_x"},"messages":[' + data + b"]}"):
        opencode.reader(PATH).feed(hostile, 0, final=True)


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real exports: all are read, and nothing is unknown."""
    for path, data in real_files(opencode, "*.json"):
        batch = opencode.reader(path).feed(data, 0, final=True)
        assert (batch.skipped, batch.unknown) == (0, {})
        ids = [event.head.id for event in of(batch, e.Tool)]
        assert len(ids) == len(set(ids))
