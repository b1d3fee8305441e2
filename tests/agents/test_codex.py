"""Codex's reader as a whole: turns, threads, usage, pieces, real files."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hostile import real_files, spoil
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import encode, of, read, read_in_pieces
from rollouts import CWD, MID, NEW, OLD, PATH, THREAD, Rollout, uuid7

from ibid.agents import events as e
from ibid.agents.codex import transcript as codex
from ibid.agents.registry import APPEND, PACKED, find_agent, load_agent

VERSIONS = (OLD, MID, NEW)
PATCH = """*** Begin Patch
*** Update File: src/a.py
@@
-old
+new
*** End Patch"""


def everything(version: str) -> Rollout:
    """Return a conversation in which everything happens that a version writes."""
    log = Rollout(version)
    log.meta()
    log.message("developer", "<permissions instructions>\nAll.")
    log.message("user", "# AGENTS.md instructions for /srv/shop\n\nUse tabs.")
    log.message("user", "<environment_context>\n<cwd>/srv/shop</cwd>")
    log.begin()
    log.ask("Mach die Seite schöner 密码 \U0001f600")
    log.item("reasoning", summary=[], encrypted_content="x")
    log.answer("Ich schaue.")
    log.tokens(100, 80)
    log.run("c1", "sed -n '1,3p' src/ü.py", "a\nb\n")
    log.tokens(120, 100)
    log.patch("c2", PATCH)
    log.call("c3", "update_plan", plan=[{"step": "Style", "status": "in_progress"}])
    log.output("c3", "Plan updated")
    log.event("token_count", info=None)
    log.answer("Fertig.")
    log.end()
    log.add("compacted", {"message": "We styled.", "replacement_history": []})
    log.event("context_compacted")
    log.begin()
    log.ask("Weiter.")
    log.answer("Gut.")
    log.end()
    return log


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_tells_the_same_story(version: str) -> None:
    """The same conversation gives the same prompts, tools, reads and edits."""
    batch = read(codex, everything(version).data(), PATH)
    assert (batch.skipped, batch.unknown) == (0, {})
    assert [(p.text, p.voice) for p in of(batch, e.Prompt)] == [
        ("Mach die Seite schöner 密码 \U0001f600", e.TYPED),
        ("Weiter.", e.TYPED),
    ]
    assert [a.text for a in of(batch, e.Answer)] == ["Ich schaue.", "Fertig.", "Gut."]
    assert [tool.kind for tool in of(batch, e.Tool)] == ["exec", "edit", "other"]
    assert of(batch, e.Read) == [
        e.Read(of(batch, e.Tool)[0].head, f"{CWD}/src/ü.py", 1, 2, "a\nb", 2)
    ]
    assert [(x.path, x.before, x.after) for x in of(batch, e.Edit)] == [
        (f"{CWD}/src/a.py", "old", "new")
    ]
    assert of(batch, e.Todo)[0].items == (("Style", "active"),)
    assert [(c.summary, c.head.scope) for c in of(batch, e.Compacted)] == [
        ("We styled.", "")
    ]
    assert {event.head.session for event in batch.events} == {THREAD}


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.floats(0, 1), max_size=8))
def test_a_file_cut_at_any_byte_gives_the_same_events(
    version: str, cuts: list[float]
) -> None:
    """Each piece may be read by another process; the state goes through JSON."""
    data = everything(version).data()
    whole = read(codex, data, PATH)
    places = [int(cut * len(data)) for cut in cuts]
    pieces = read_in_pieces(codex, data, places, PATH)
    assert pieces == (whole.events, whole.skipped, whole.unknown)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_record_makes_it_raise(data: st.DataObject) -> None:
    """Every field may be missing or of another type."""
    records: list[Any] = copy.deepcopy(everything(NEW).records)
    spoil(data, data.draw(st.sampled_from(records)))
    batch = read(codex, json.dumps(records).encode() + b"\n" + encode(*records), PATH)
    assert batch.skipped == 1


def test_the_marks_end_a_turn_as_the_agent_says() -> None:
    """A turn is completed, stopped, or failed if an error was its last word."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("One.")
    log.event("error", message="retry")
    log.answer("Done.")
    log.end()
    log.begin()
    log.ask("Two.")
    log.event("turn_aborted", turn_id=log.turn, reason="interrupted")
    log.begin()
    log.ask("Three.")
    log.event("error", message="usage limit")
    log.end(None)
    batch = read(codex, log.data(), PATH)
    assert [end.status for end in of(batch, e.TurnEnded)] == [
        e.COMPLETED,
        e.CANCELLED,
        e.FAILED,
    ]


def test_a_prompt_into_a_running_turn_was_queued() -> None:
    """What a person says while the agent works steers the turn, and ends none."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("Build it.")
    log.answer("On it.")
    log.ask("With tabs.")
    log.end()
    batch = read(codex, log.data(), PATH)
    assert [prompt.voice for prompt in of(batch, e.Prompt)] == [e.TYPED, e.QUEUED]
    assert len(of(batch, e.TurnEnded)) == 1


def test_tokens_are_counted_once_and_without_the_cache() -> None:
    """Repeated figures are one request; input is what was not read from the cache."""
    log = Rollout()
    log.meta()
    log.begin()
    log.ask("Go.")
    log.tokens(1000, cached=900, output=50)
    log.records.append(log.records[-1])
    log.tokens(1100, cached=1000, output=60)
    found = of(read(codex, log.data(), PATH), e.Usage)
    assert [(u.input, u.cached, u.output, u.model) for u in found] == [
        (100, 900, 50, "model-x"),
        (100, 1000, 60, "model-x"),
    ]
    assert len({usage.head.id for usage in found}) == 2


def test_a_resume_begins_a_new_epoch() -> None:
    """The same thread's second start: what was read before may be gone."""
    log = everything(MID)
    log.meta()
    log.begin()
    log.ask("Again.")
    batch = read(codex, log.data(), PATH)
    assert [boundary.reason for boundary in of(batch, e.Boundary)] == ["resume"]


def test_a_rollback_ends_the_epoch() -> None:
    """Turns taken back took what they had shown with them."""
    log = everything(MID)
    log.event("thread_rolled_back", num_turns=1)
    assert [b.reason for b in of(read(codex, log.data(), PATH), e.Boundary)] == [
        "rewind"
    ]


@pytest.mark.parametrize("version", [OLD, MID])
def test_a_fork_shares_what_it_copied(version: str) -> None:
    """Copies have the ids they had in their own rollout; what is new has new ones."""
    parent = everything(version)
    child = Rollout(version, thread=uuid7(900))
    child.now = parent.now
    child.meta(forked_from_id=THREAD)
    child.records += copy.deepcopy(parent.records)
    child.begin()
    child.ask("Other way.")
    child.answer("Good.")
    old = read(codex, parent.data(), PATH)
    new = read(codex, child.data(), PATH.with_name(f"rollout-x-{child.thread}.jsonl"))
    known = {event.head.id for event in old.events if event.head.id}
    said = [event for kind in (e.Prompt, e.Answer, e.Tool) for event in of(new, kind)]
    fresh = [event for event in said if event.head.id not in known]
    assert [getattr(event, "text", "") for event in fresh] == ["Other way.", "Good."]
    assert {event.head.session for event in new.events} == {child.thread}
    assert of(new, e.SessionSeen)[0].parent == THREAD


@pytest.mark.parametrize("version", [MID, NEW])
def test_a_subagent_speaks_in_its_parents_session(version: str) -> None:
    """Its copies of the parent's talk are left out; its prompts are the agent's."""
    parent = everything(version)
    own = uuid7(1200)
    child = Rollout(version, thread=own)
    child.now = parent.now.replace(hour=7, minute=28, second=9)
    spawn = {"parent_thread_id": THREAD, "depth": 1, "agent_role": "explorer"}
    more = {"subagent_history_start_ordinal": len(parent.records) + 1}
    child.meta(
        source={"subagent": {"thread_spawn": spawn}},
        **(more if version == NEW else {}),
    )
    child.records += copy.deepcopy(parent.records)
    for number, record in enumerate(child.records):
        if version == NEW:
            record["ordinal"] = number
    child.begin()
    child.ask("Find the tabs.")
    child.run("c9", "cat tabs.txt", "tabs\n")
    child.answer("Found.")
    child.end()
    batch = read(codex, child.data(), PATH.with_name(f"rollout-x-{own}.jsonl"))
    assert [(p.text, p.voice, p.author) for p in of(batch, e.Prompt)] == [
        ("Find the tabs.", e.AGENT, "agent")
    ]
    assert [answer.text for answer in of(batch, e.Answer)] == ["Found."]
    assert [(r.path, r.head.scope) for r in of(batch, e.Read)] == [
        (f"{CWD}/tabs.txt", own)
    ]
    assert {(x.head.session, x.head.scope) for x in batch.events} == {(THREAD, own)}


def test_a_review_without_a_parent_is_a_side_session() -> None:
    """It recalls and teaches nothing, and nobody typed its prompt."""
    log = Rollout()
    log.meta(source={"subagent": "review"})
    log.begin()
    log.ask("Review the changes.")
    batch = read(codex, log.data(), PATH)
    assert of(batch, e.SessionSeen)[0].kind == "side"
    assert [prompt.voice for prompt in of(batch, e.Prompt)] == [e.AGENT]


@pytest.mark.parametrize(
    "fields",
    [
        {"source": {"subagent": "compact"}},
        {"source": {"subagent": {"other": "guardian"}}},
        {"source": {"internal": "memory_consolidation"}},
        {"thread_source": "memory_consolidation"},
    ],
)
def test_threads_of_the_harness_are_left_alone(fields: dict[str, Any]) -> None:
    """Summarisers and guards talk to nobody."""
    log = Rollout()
    log.meta(**fields)
    log.begin()
    log.ask("Summarise this.")
    log.answer("Sure.")
    assert read(codex, log.data(), PATH).events == []


def test_the_first_versions_have_no_envelope() -> None:
    """Bare items are read; their folder stands in the injected context."""
    text = "<environment_context>\n<cwd>/srv/shop</cwd>\n</environment_context>"
    message = {"type": "message", "role": "user"}
    data = encode(
        {"id": THREAD, "timestamp": "2026-05-06T07:08:09Z", "instructions": None},
        message | {"content": [{"type": "input_text", "text": text}]},
        message | {"content": [{"type": "input_text", "text": "Fix it."}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    )
    batch = read(codex, data, PATH)
    assert [prompt.text for prompt in of(batch, e.Prompt)] == ["Fix it."]
    assert [seen.cwd for seen in of(batch, e.SessionSeen)] == ["", "/srv/shop"]
    assert [tool.name for tool in of(batch, e.Tool)] == ["shell"]
    assert (batch.skipped, batch.unknown) == (0, {})
    assert codex.sniff(data[:200])


def test_unknown_kinds_are_counted() -> None:
    """Records, events and items that nobody knows are an alarm, each by its name."""
    log = everything(NEW)
    log.add("novelty", {})
    log.event("surprise")
    log.item("wonder")
    assert read(codex, log.data(), PATH).unknown == {
        "type:novelty": 1,
        "event:surprise": 1,
        "item:wonder": 1,
    }


def test_a_thread_is_named_when_the_client_names_it() -> None:
    """A title adds to the session and says nothing else of it."""
    log = Rollout()
    log.meta()
    log.event("thread_name_updated", thread_id=THREAD, thread_name="Tabs")
    seen = of(read(codex, log.data(), PATH), e.SessionSeen)
    assert [(one.title, one.kind) for one in seen] == [("", "main"), ("Tabs", "")]
    assert (seen[0].cwd, seen[0].version, seen[0].branch) == (CWD, MID, "main")


def test_its_files_are_known_by_name_and_by_content() -> None:
    """Rollouts are named so; by another name their first bytes tell."""
    assert load_agent("codex") is codex
    packed = PATH.with_name(PATH.name + ".zst")
    assert find_agent(PATH) is codex
    assert find_agent(packed) is codex
    assert (codex.form(PATH), codex.form(packed)) == (APPEND, PACKED)
    assert codex.describe(PATH).session == codex.describe(packed).session == THREAD
    for version in VERSIONS:
        head = everything(version).data()[:4096]
        assert find_agent(Path(f"{THREAD}.jsonl"), head) is codex
    other = b'{"parentUuid":null,"type":"user","message":{"content":"payload"}}\n'
    assert not codex.sniff(other)
    roots = codex.roots({"CODEX_HOME": "/opt/codex"}, Path("/home/eva"))
    assert roots[0] == Path("/opt/codex/sessions")
    assert Path("/home/eva/.codex/archived_sessions") in roots


@pytest.mark.slow
def test_real_files_are_read_to_the_end() -> None:
    """Over a folder of real rollouts: no exception, hardly a line skipped."""
    lines = skipped = 0
    for path, data in real_files(codex, "*.jsonl"):
        batch = codex.reader(path).feed(data, 0, final=True)
        middle = read_in_pieces(codex, data, [len(data) // 3, len(data) // 2], path)
        if data.endswith(b"\n"):
            assert middle[0] == batch.events
        assert batch.unknown == {}
        lines += data.count(b"\n")
        skipped += batch.skipped
    assert skipped <= 0.002 * lines
