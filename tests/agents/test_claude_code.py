"""The reader as a whole: pieces, hostile bytes, injected text, real files."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import (
    ARROW,
    FOLDER,
    MAIN,
    NEW,
    OLD,
    SESSION,
    TAB,
    Log,
    encode,
    numbered,
    of,
    read,
    read_in_pieces,
)

from ibid.agents import events as e
from ibid.agents.claude_code import transcript as claude

VERSIONS = (OLD, ARROW, TAB, NEW)
OWN = '<ibid-recall nonce="k">\n[L1] Use tabs.\n</ibid-recall k>'


def everything(version: str) -> Log:
    """Return a conversation in which everything happens that a version writes."""
    log = Log(version)
    log.bare("summary", summary="Old title", leafUuid="x")
    log.bare("file-history-snapshot", messageId="m", snapshot={})
    if version == ARROW:
        log.hook_progress("SessionStart:startup", 2)
    log.user(
        "Mach die Seite schöner 密码 \U0001f600\n<system-reminder>x</system-reminder>"
    )
    log.answer({"type": "thinking", "thinking": "hm"}, "Ich schaue.")
    log.tool("t1", "Read", numbered("a\nb", version), file_path="src/ü.py")
    log.call("t2", "Edit", file_path="src/ü.py", old_string="a", new_string="c")
    log.queue("enqueue", content="Ohne Rahmen.")
    if version in {OLD, ARROW}:
        log.queue("remove")
    log.result("t2", "ok", {"filePath": "/srv/shop/src/ü.py"})
    if version in {TAB, NEW}:
        log.queue("remove")
        log.attachment("queued_command", prompt="Ohne Rahmen.")
        hook = {"hookEvent": "UserPromptSubmit", "hookName": "UserPromptSubmit"}
        log.attachment("hook_additional_context", content=[OWN], **hook)
    log.call("t3", "Bash", command="make")
    log.result("t3", "The user doesn't want to proceed with this tool use.", error=True)
    log.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    log.user("<command-message>pr</command-message>\n<command-name>/pr</command-name>")
    log.answer("Fertig.", stop_reason="end_turn")
    log.system("stop_hook_summary", hookAdditionalContext=["note"])
    log.system("turn_duration")
    log.compact("This session is being continued from a previous conversation.")
    log.user("Weiter.")
    place = log.parent
    log.answer("Gut.")
    log.parent = place
    log.user("Anders.")
    log.bare("ai-title", aiTitle="Seite")
    return log


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_tells_the_same_story(version: str) -> None:
    """The same conversation gives the same prompts, tools, reads and ends."""
    batch = read(claude, everything(version).data())
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Mach die Seite schöner 密码 \U0001f600", e.TYPED),
        ("Ohne Rahmen.", e.QUEUED),
        ("/pr", e.COMMAND),
        ("Weiter.", e.TYPED),
        ("Anders.", e.TYPED),
    ]
    assert [tool.name for tool in of(batch, e.Tool)] == ["Read", "Edit", "Bash"]
    assert [(x.path, x.text) for x in of(batch, e.Read)] == [
        ("/srv/shop/src/ü.py", "a\nb")
    ]
    assert [answer.text for answer in of(batch, e.Answer)] == [
        "Ich schaue.",
        "Fertig.",
        "Gut.",
    ]
    ends = [end.status for end in of(batch, e.TurnEnded)]
    assert ends == [e.CANCELLED, e.COMPLETED, e.COMPLETED]
    assert [boundary.reason for boundary in of(batch, e.Boundary)] == ["rewind"]


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), max_size=8))
def test_a_file_cut_at_any_byte_gives_the_same_events(
    version: str, cuts: list[float]
) -> None:
    """Each piece may be read by another process; the state goes through JSON."""
    data = everything(version).data()
    whole = read(claude, data)
    pieces = read_in_pieces(claude, data, [int(cut * len(data)) for cut in cuts])
    assert pieces == (whole.events, whole.skipped, whole.unknown)


def test_appending_byte_by_byte_tells_each_record_once() -> None:
    """A half-written last line is never used, and never lost."""
    data = everything(TAB).data()[-3000:]
    data = data[data.index(b"\n") + 1 :]
    whole = read(claude, data)
    pieces = read_in_pieces(claude, data, range(len(data)))
    assert pieces == (whole.events, whole.skipped, whole.unknown)


def test_a_last_line_without_newline_is_read_at_the_end() -> None:
    """With ``final`` a finished file is read to its last byte."""
    data = encode(Log().user("One."))[:-1]
    batch = claude.reader(MAIN).feed(data, 0, final=True)
    assert [prompt.text for prompt in of(batch, e.Prompt)] == ["One."]
    assert batch.consumed == len(data)
    assert claude.reader(MAIN).feed(data, 0).consumed == 0


JUNK = st.sampled_from(
    [
        *(None, True, 7, -1, 1e308, 10**30, "", "x", "a\0b", "\ud800", "9999-99-99"),
        *([], [1, None], [[]], [{}], {}, {"type": 1}),
        *([{"type": "text", "text": 3}], [{"type": "tool_result"}]),
        {"content": [{"type": "tool_use", "id": [1], "name": {}}]},
    ]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all fields within a value."""
    keys = list(value) if isinstance(value, dict) else []
    keys = list(range(len(value))) if isinstance(value, list) else keys
    found = [(*path, key) for key in keys]
    return found + [deep for key in keys for deep in places(value[key], (*path, key))]


RECORDS = [record for version in VERSIONS for record in everything(version).records]
PLACES = [(number, path) for number, r in enumerate(RECORDS) for path in places(r)]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=12))
def test_any_field_may_be_of_any_type(damage: list[tuple[Any, Any]]) -> None:
    """Never an exception; the state stays JSON, and every text can be stored."""
    records = copy.deepcopy(RECORDS)
    for (number, path), junk in damage:
        target = records[number]
        try:
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = junk
        except (KeyError, TypeError, IndexError):
            continue
    data = encode(*records)
    reader = claude.reader(MAIN)
    batch = reader.feed(data, 0)
    assert batch.consumed == len(data)
    json.dumps(reader.state())
    for event in batch.events:
        text = json.dumps(event, ensure_ascii=False)
        assert "\\u0000" not in text
        text.encode()


def test_odd_trees_end() -> None:
    """Cycles, selves and doubles among the parents cost nothing."""
    log = Log(NEW)
    for uuid, parent in (("A", "B"), ("B", "A"), ("C", "C"), ("A", "C"), ("", "")):
        log.user("x", uuid=uuid, parentUuid=parent)
        log.answer("y", uuid=uuid, parentUuid=parent)
    batch = read(claude, log.data())
    assert len(of(batch, e.Prompt)) == 5


def test_what_nobody_knows_is_counted_by_name() -> None:
    """New types raise the drift alarm; known but silent ones do not."""
    log = Log(NEW)
    log.bare("dream")
    log.bare("dream")
    log.bare("mode", mode="normal")
    log.system("omen")
    log.system("away_summary", content="x")
    log.attachment("gift")
    log.attachment("task_reminder", content=[])
    log.answer({"type": "song"}, {"type": "redacted_thinking"})
    log.records.append({"no": "type"})
    assert read(claude, log.data()).unknown == {
        "type:dream": 2,
        "system:omen": 1,
        "attachment:gift": 1,
        "block:song": 1,
        "type:": 1,
    }


def test_a_flood_of_unknown_types_is_bounded() -> None:
    """A hostile file cannot fill the counts."""
    data = encode(*({"type": f"t{number}"} for number in range(1000)))
    unknown = read(claude, data).unknown
    assert len(unknown) <= 65
    assert sum(unknown.values()) == 1000


def test_what_hooks_and_servers_inject_is_told_and_ours_known() -> None:
    """Our own blocks come back in many places; each is recognised (G6)."""
    log = Log(NEW)
    hook = {"hookEvent": "UserPromptSubmit", "hookName": "UserPromptSubmit"}
    log.attachment("hook_additional_context", content=["plain"], **hook)
    log.attachment("hook_additional_context", content=["a", OWN], **hook)
    log.attachment(
        "hook_success", stdout="Read before: a", command="ibid hook claude-code"
    )
    log.attachment("hook_success", stdout="", command="ibid hook claude-code")
    log.attachment("mcp_instructions_delta", addedBlocks=["[ibid] use recall"])
    log.attachment("nested_memory", path="x", content={"content": "Always x."})
    log.system("stop_hook_summary", hookAdditionalContext=["later", OWN])
    batch = read(claude, log.data())
    assert [(x.source, x.own) for x in of(batch, e.Injected)] == [
        ("UserPromptSubmit", False),
        ("UserPromptSubmit", True),
        ("hook_success", True),
        ("mcp_instructions_delta", True),
        ("nested_memory", False),
        ("Stop", False),
        ("Stop", True),
    ]
    assert of(batch, e.Prompt) == []


def test_usage_is_told_with_every_record_of_a_message() -> None:
    """All carry the message's id: the last one counts (P1)."""
    log = Log()
    log.answer("a", "b")
    found = of(read(claude, log.data()), e.Usage)
    assert [usage.head.id for usage in found] == ["msg_1", "msg_1"]
    assert found[0][1:6] == (3, 7, 100, 20, "model-x")


def test_answers_of_one_message_share_its_id_and_thinking_is_left_out() -> None:
    """Each block has its record's id; only words for the person are answers."""
    log = Log()
    records = log.answer({"type": "thinking", "thinking": "secret"}, "a", "b", "\n")
    found = of(read(claude, log.data()), e.Answer)
    assert [(answer.text, answer.message) for answer in found] == [
        ("a", "msg_1"),
        ("b", "msg_1"),
    ]
    assert [answer.head.id for answer in found] == [
        records[1]["uuid"],
        records[2]["uuid"],
    ]
    assert found[0].author == "model-x"


def test_a_subagents_file_carries_its_scope() -> None:
    """All its events belong to the parent's session, under the subagent's id."""
    log = Log(NEW, scope="a1")
    log.user("Find it.")
    log.tool("t1", "Read", "1\tx", file_path="a")
    log.answer("Found.")
    path = FOLDER / SESSION / "subagents" / "agent-a1.jsonl"
    batch = read(claude, log.data(), path)
    assert {(event.head.session, event.head.scope) for event in batch.events} == {
        (SESSION, "a1")
    }
    assert [prompt.author for prompt in of(batch, e.Prompt)] == ["agent"]


def test_a_summarisers_file_is_left_alone() -> None:
    """Even if somebody asks for it, nothing of it is told."""
    path = FOLDER / SESSION / "subagents" / "agent-acompact-1f.jsonl"
    assert read(claude, everything(ARROW).data(), path).events == []


def test_a_file_without_session_ids_is_named_by_its_file() -> None:
    """Records that name no session belong to the one the file is named after."""
    data = encode({"type": "user", "message": {"content": "Hi."}})
    [prompt] = of(read(claude, data), e.Prompt)
    assert prompt.head.session == SESSION


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real transcripts: no exception, hardly a line skipped.

    The folder is named by the environment; nothing of it is part of this project.
    """
    folder = os.environ.get("IBID_TRANSCRIPTS", "")
    if not folder:
        pytest.skip("IBID_TRANSCRIPTS names no folder of Claude Code transcripts")
    files = [
        path for path in sorted(Path(folder).rglob("*.jsonl")) if claude.accepts(path)
    ]
    if not files:
        pytest.skip(f"IBID_TRANSCRIPTS: no transcripts below {folder}")
    lines = skipped = 0
    for path in files:
        data = path.read_bytes()
        batch = claude.reader(path).feed(data, 0, final=True)
        middle = read_in_pieces(claude, data, [len(data) // 3, len(data) // 2], path)
        if data.endswith(b"\n"):
            assert middle[0] == batch.events
        lines += data.count(b"\n")
        skipped += batch.skipped
    assert skipped <= 0.002 * lines
