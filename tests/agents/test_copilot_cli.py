"""Copilot CLI's reader: people, tools, turns, subagents, usage, pieces."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import encode, of, read, read_in_pieces

from ibid.agents import events as e
from ibid.agents.copilot_cli import transcript as copilot
from ibid.agents.events import Batch
from ibid.agents.registry import APPEND, find_agent, load_agent

SESSION = "5a5a5a5a-1111-4222-8333-444444444444"
CWD = "/srv/shop"
PATH = Path(f"/home/eva/.copilot/session-state/{SESSION}/events.jsonl")
START = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
OWN = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'


class Log:
    """A session's events in the making."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.add(
            "session.start",
            sessionId=SESSION,
            copilotVersion="1.0.64",
            context={"cwd": CWD, "gitRoot": CWD, "branch": "main"},
        )

    def add(self, kind: str, /, agent: str = "", **data: Any) -> str:
        """Append an event and return its id."""
        number = len(self.records)
        stamp = (START + timedelta(seconds=number)).isoformat()
        key = f"{number:08x}-0000-4000-8000-000000000000"
        record = {"type": kind, "data": data, "id": key, "timestamp": stamp}
        if agent:
            record["agentId"] = agent
        self.records.append(record)
        return key

    def say(self, text: str, **data: Any) -> None:
        """Append a person's message, and how the request begins."""
        self.add("user.message", content=text, transformedContent=text, **data)
        self.add("assistant.turn_start", turnId="0")

    def answer(self, text: str = "Done.", calls: int = 0, **data: Any) -> None:
        """Append an answer, and its turn's end if it calls nothing."""
        requests = [{"toolCallId": f"c{n}", "name": "bash"} for n in range(calls)]
        key = f"msg_{len(self.records)}"
        more = {"messageId": key, "model": "model-x", "outputTokens": 7} | data
        self.add("assistant.message", content=text, toolRequests=requests, **more)
        if not calls:
            self.add("assistant.turn_end", turnId="0")

    def tool(self, key: str, name: str, content: str, /, **given: Any) -> None:
        """Append a call that came to its end."""
        self.add("tool.execution_start", toolCallId=key, toolName=name, arguments=given)
        self.done(key, content)

    def done(self, key: str, content: str) -> None:
        """Append the end of a call."""
        result = {"content": content, "detailedContent": content}
        self.add("tool.execution_complete", toolCallId=key, success=True, result=result)

    def read(self) -> Batch:
        """Return what a reader makes of it."""
        return read(copilot, encode(*self.records), PATH)


def everything() -> Log:
    """Return a session in which most things happen."""
    log = Log()
    log.add("system.message", role="system", content="You are an assistant.")
    log.say("Mach die Seite schöner 密码 \U0001f600")
    log.answer("Ich schaue.", calls=1)
    log.tool("c1", "view", "1. a\n2. b", path="src/ü.py")
    log.add("assistant.turn_end", turnId="0")
    log.add("hook.start", hookType="postToolUse", input={})
    log.add("hook.end", hookType="postToolUse", output={"additionalContext": OWN})
    log.tool("c2", "edit", "updated", path="src/ü.py", old_str="a", new_str="c")
    log.answer("Fertig.")
    log.add("session.compaction_start")
    log.add("session.compaction_complete", success=True, summaryContent="Styled.")
    log.say("Weiter.")
    log.add("abort", reason="user")
    log.add("session.shutdown", shutdownType="routine", modelMetrics={})
    log.add("session.resume", context={"cwd": CWD})
    log.say("Doch.")
    log.answer("Gut.")
    return log


def test_a_session_tells_its_story() -> None:
    """Prompts, answers, tools, reads, edits, ends, compaction, resume."""
    batch = everything().read()
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Mach die Seite schöner 密码 \U0001f600", e.TYPED),
        ("Weiter.", e.TYPED),
        ("Doch.", e.TYPED),
    ]
    assert [a.text for a in of(batch, e.Answer)] == ["Ich schaue.", "Fertig.", "Gut."]
    assert [(r.path, r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        (f"{CWD}/src/ü.py", 1, 2, "a\nb", 2)
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        (f"{CWD}/src/ü.py", "a", "c")
    ]
    assert [end.status for end in of(batch, e.TurnEnded)] == [
        e.COMPLETED,
        e.CANCELLED,
        e.COMPLETED,
    ]
    assert [c.summary for c in of(batch, e.Compacted)] == ["Styled."]
    assert [b.reason for b in of(batch, e.Boundary)] == ["resume"]
    assert [(one.source, one.own) for one in of(batch, e.Injected)] == [
        ("system", False),
        ("postToolUse", True),
    ]
    seen = of(batch, e.SessionSeen)[0]
    assert (seen.cwd, seen.branch, seen.version, seen.kind) == (
        CWD,
        "main",
        "1.0.64",
        "main",
    )
    assert {event.head.session for event in batch.events} == {SESSION}


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), max_size=8))
def test_a_file_cut_at_any_byte_gives_the_same_events(cuts: list[float]) -> None:
    """Each piece may be read by another process; the state goes through JSON."""
    data = encode(*everything().records)
    whole = read(copilot, data, PATH)
    places = [int(cut * len(data)) for cut in cuts]
    pieces = read_in_pieces(copilot, data, places, PATH)
    assert pieces == (whole.events, whole.skipped, whole.unknown)


def test_the_words_are_those_that_were_typed() -> None:
    """What is sent has the date and reminders around them; a task's id says nothing."""
    log = Log()
    log.add(
        "user.message",
        content="Use tabs.",
        transformedContent="<current_datetime>x</current_datetime>\nUse tabs."
        f"<system_reminder>y</system_reminder>{OWN}",
        parentAgentTaskId="task-1",
        attachments=[
            {"type": "file", "path": "/a.py"},
            {"type": "file", "path": "b.PNG"},
        ],
    )
    batch = log.read()
    [prompt] = of(batch, e.Prompt)
    assert (prompt.text, prompt.voice) == ("Use tabs.", e.TYPED)
    assert prompt.flags == (e.FILES, e.IMAGES)
    assert [one.own for one in of(batch, e.Injected)] == [True]


@pytest.mark.parametrize("source", ["skill-pdf", "autopilot", "system", "command-x"])
def test_messages_of_the_harness_are_marked(source: str) -> None:
    """Newer versions name where a message comes from."""
    log = Log()
    log.say("Always use tabs.", source=source)
    [prompt] = of(log.read(), e.Prompt)
    assert (prompt.voice, prompt.author) == (e.INJECTED, "harness")


def test_a_shell_command_of_the_persons_is_no_prompt() -> None:
    """It is run, not said."""
    log = Log()
    log.say("make all", agentMode="shell")
    assert of(log.read(), e.Prompt) == []


def test_a_message_into_a_running_turn_was_queued() -> None:
    """It steers the turn and begins none."""
    log = Log()
    log.say("Build it.")
    log.answer("On it.", calls=1)
    log.say("With tabs.")
    log.answer("Done.")
    log.say("Thanks, now test it.")
    assert [p.voice for p in of(log.read(), e.Prompt)] == [e.TYPED, e.QUEUED, e.TYPED]


def test_subagents_speak_under_their_own_ids() -> None:
    """By the agent's id, or by the call that started them."""
    log = Log()
    log.say("Find it.", parentAgentTaskId="root")
    log.add("tool.execution_start", toolCallId="t1", toolName="task", arguments={})
    log.add("subagent.started", toolCallId="t1", agentName="explore")
    log.add("user.message", agent="a1", content="Search tabs.")
    log.add("user.message", content="Search spaces.", parentAgentTaskId="other")
    log.add("assistant.message", content="Here.", parentToolCallId="t1")
    log.tool("c1", "view", "1. x", path="a")
    log.records[-1]["data"]["parentToolCallId"] = "t1"
    log.add("subagent.completed", toolCallId="t1", agentName="explore")
    log.done("t1", "Found.")
    log.answer("Found.")
    batch = log.read()
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)][1:] == [
        ("Search tabs.", e.AGENT),
        ("Search spaces.", e.AGENT),
    ]
    assert [(a.text, a.head.scope) for a in of(batch, e.Answer)] == [
        ("Here.", "t1"),
        ("Found.", ""),
    ]
    assert [r.head.scope for r in of(batch, e.Read)] == ["t1"]
    assert len(of(batch, e.TurnEnded)) == 1


def test_tokens_are_counted_once() -> None:
    """Messages tell what they wrote, the end of the process what was read."""
    log = Log()
    log.say("Go.")
    log.answer(outputTokens=40)
    used = {"inputTokens": 900, "outputTokens": 50, "cacheReadTokens": 600}
    metrics = {"model-x": {"usage": used}, "model-y": {"usage": {"inputTokens": 5}}}
    log.add("session.shutdown", shutdownType="routine", modelMetrics=metrics)
    found = of(log.read(), e.Usage)
    assert [(u.input, u.output, u.cached, u.model) for u in found] == [
        (0, 40, 0, "model-x"),
        (300, 10, 600, "model-x"),
        (5, 0, 0, "model-y"),
    ]
    assert len({usage.head.id for usage in found}) == 3


def test_the_viewing_tool_shows_numbered_lines() -> None:
    """A range is named by its first number; anything else is no file."""
    log = Log()
    log.say("Look.")
    log.tool("c1", "view", "9. x\n10. \n11.", path="a", view_range=[9, 11])
    log.tool("c2", "view", "1. x\n3. y", path="a")
    log.tool("c3", "view", "a.py\nb.py", path="/srv")
    log.add("tool.execution_start", toolCallId="c4", toolName="view", arguments={})
    log.add(
        "tool.execution_complete",
        toolCallId="c4",
        success=False,
        error={"message": "no"},
    )
    batch = log.read()
    assert [(r.first, r.last, r.text, r.total) for r in of(batch, e.Read)] == [
        (9, 11, "x\n\n", 0)
    ]
    last = of(batch, e.Tool)[-1]
    assert (last.error, last.output) == (True, "no")


def test_a_plain_command_is_a_read_if_it_succeeded() -> None:
    """The last line says how the command ended, and is no line of the file."""
    log = Log()
    log.say("Look.")
    end = "<shellId: 3 completed with exit code {}>"
    log.tool("c1", "bash", f"x\ny\n{end.format(0)}", command="cat a")
    log.tool("c2", "bash", f"x\n{end.format(1)}", command="cat a")
    log.tool("c3", "bash", "x\n", command="cat a")
    log.tool("c4", "powershell", f"x\n{end.format(0)}", command="Get-Content b")
    assert [(r.head.id, r.path, r.text) for r in of(log.read(), e.Read)] == [
        ("c1", f"{CWD}/a", "x\ny"),
        ("c4", f"{CWD}/b", "x"),
    ]


def test_files_are_made_and_patched() -> None:
    """A new file is whole; a patch is an edit wherever its text stands."""
    patch = "*** Begin Patch\n*** Update File: m\n@@\n-a\n+b\n*** End Patch"
    log = Log()
    log.say("Go.")
    log.tool("c1", "create", "Created.", path="n", file_text="one\n")
    log.add(
        "tool.execution_start", toolCallId="c2", toolName="apply_patch", arguments=patch
    )
    log.done("c2", "ok")
    assert [(x.path, x.before, x.after, x.whole) for x in of(log.read(), e.Edit)] == [
        (f"{CWD}/n", None, "one\n", True),
        (f"{CWD}/m", "a", "b", False),
    ]


def test_what_a_person_says_through_tools_is_theirs() -> None:
    """Free answers, reasons of refusals, words about a plan."""
    log = Log()
    log.say("Ask me.")
    log.tool("q1", "ask_user", "User responded: never on Fridays", question="When?")
    log.tool("q2", "ask_user", "User selected: Red", choices=["Red", "Blue"])
    denied = {"kind": "denied-interactively-by-user", "feedback": "use make"}
    log.add("permission.completed", requestId="r", result=denied)
    log.add("permission.completed", requestId="r", result={"kind": "approved"})
    log.add("exit_plan_mode.completed", approved=True, planContent="# Tabs")
    log.add("exit_plan_mode.completed", approved=False, feedback="shorter")
    batch = log.read()
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)][1:] == [
        ("never on Fridays", e.ANSWER),
        ("use make", e.REFUSAL),
        ("shorter", e.REFUSAL),
    ]
    assert [todo.plan for todo in of(batch, e.Todo)] == ["# Tabs"]


def test_to_do_lists_and_servers_are_known() -> None:
    """The list is for the handoff; a server's tool comes from outside (B7)."""
    log = Log()
    log.say("Go.")
    log.tool("t1", "update_todo", "ok", todos="- [x] Style\n- [ ] Test\nnote")
    log.add(
        "tool.execution_start",
        toolCallId="t2",
        toolName="list",
        arguments={"a": 1},
        mcpServerName="tracker",
    )
    log.done("t2", "[]")
    log.add("tool.execution_start", toolCallId="t3", toolName="x", mcpServerName="ibid")
    log.done("t3", "[]")
    batch = log.read()
    assert of(batch, e.Todo)[0].items == (("Style", "done"), ("Test", "pending"))
    assert [(tool.mcp, tool.flags) for tool in of(batch, e.Tool)][1:] == [
        ("tracker", (e.TOOLS, e.MCP)),
        ("ibid", (e.TOOLS, e.RECALLED)),
    ]
    assert of(batch, e.Tool)[1].input == {"a": 1}


def test_a_failure_and_a_rewind_are_told() -> None:
    """What was cut out of the context ends the epoch; an error ends the turn."""
    log = Log()
    log.say("Go.")
    log.add("session.error", errorType="quota", message="no")
    log.add("session.truncation", messagesRemovedDuringTruncation=4)
    log.add("session.snapshot_rewind", upToEventId="x")
    batch = log.read()
    assert [end.status for end in of(batch, e.TurnEnded)] == [e.FAILED]
    assert [b.reason for b in of(batch, e.Boundary)] == ["replaced", "rewind"]


def test_its_files_are_known_by_place_and_by_content() -> None:
    """Newer sessions have a folder each, older ones a file."""
    assert load_agent("copilot") is copilot
    assert find_agent(PATH) is copilot
    assert copilot.form(PATH) == APPEND
    assert copilot.describe(PATH).session == SESSION
    older = PATH.parent.with_suffix(".jsonl")
    assert find_agent(older) is copilot
    assert copilot.describe(older).session == SESSION
    assert not copilot.accepts(Path("/tmp/events.jsonl"))
    head = encode(*everything().records)[:4096]
    assert find_agent(Path(f"{SESSION}.jsonl"), head) is copilot
    assert not copilot.sniff(b'{"type": "user", "data": "session.start"}')
    roots = copilot.roots({"COPILOT_HOME": "/opt/c"}, Path("/home/eva"))
    assert Path("/opt/c/session-state") in roots
    assert Path("/home/eva/.copilot/session-state") in roots


def test_notes_without_end_are_taken_out_in_linear_time() -> None:
    """A hundred thousand of them leave the words."""
    log = Log()
    log.say("<system_reminder>x</system_reminder>" * 50_000 + "Use tabs.")
    log.say("<system_reminder>" * 50_000)
    prompts = of(log.read(), e.Prompt)
    assert prompts[0].text == "Use tabs."
    assert len(prompts) == 2


def test_unknown_kinds_are_counted() -> None:
    """An event that nobody knows is an alarm."""
    log = Log()
    log.add("session.dreamt")
    assert log.read().unknown == {"type:session.dreamt": 1}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_record_makes_it_raise(data: st.DataObject) -> None:
    """Every field may be missing or of another type."""
    records: list[Any] = copy.deepcopy(everything().records)
    spoil(data, records)
    batch = read(copilot, encode(*records), PATH)
    assert batch.skipped == sum(type(record) is not dict for record in records)


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real sessions: no exception, hardly a line skipped."""
    lines = skipped = 0
    for path, data in real_files(copilot, "*.jsonl"):
        batch = copilot.reader(path).feed(data, 0, final=True)
        middle = read_in_pieces(copilot, data, [len(data) // 3, len(data) // 2], path)
        if data.endswith(b"\n"):
            assert middle[0] == batch.events
        assert batch.unknown == {}
        lines += data.count(b"\n")
        skipped += batch.skipped
    assert skipped <= 0.002 * lines
