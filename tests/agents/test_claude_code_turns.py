"""Where turns end and where a context begins anew (B1, N4)."""

from __future__ import annotations

from typing import Any

import pytest
from records import ARROW, NEW, OLD, OTHER, TAB, Log, of, read

from ibid.agents import events as e
from ibid.agents.claude_code import transcript as claude


def marks(log: Log) -> list[Any]:
    """Return prompts, answers, ends and boundaries of a log in short, in order."""
    short: list[Any] = []
    for event in read(claude, log.data()).events:
        if isinstance(event, e.Prompt):
            short.append(event.text)
        elif isinstance(event, e.TurnEnded):
            short.append(("end", event.status))
        elif isinstance(event, e.Boundary):
            short.append(("boundary", event.reason))
        elif isinstance(event, e.Compacted):
            short.append(("compacted", event.trigger))
    return short


DONE = ("end", e.COMPLETED)
STOPPED = ("end", e.CANCELLED)
FAILED = ("end", e.FAILED)


@pytest.mark.parametrize("version", [ARROW, TAB, NEW])
def test_the_harness_marks_an_end_once(version: str) -> None:
    """The stop hooks' summary and the duration are one end of one turn."""
    log = Log(version)
    for text in ("One.", "Two."):
        log.user(text)
        log.answer("Done.")
        log.system("stop_hook_summary", hookCount=1)
        log.system("turn_duration", durationMs=5)
    assert marks(log) == ["One.", DONE, "Two.", DONE]


def test_either_mark_alone_is_an_end() -> None:
    """Sessions without stop hooks, or without an interface, write only one."""
    for kind in ("stop_hook_summary", "turn_duration"):
        log = Log()
        log.user("One.")
        log.tool("t1", "Bash", "ok")
        log.system(kind)
        assert marks(log) == ["One.", DONE]


def test_old_versions_end_a_turn_by_the_next_prompt() -> None:
    """A text of the agent that a prompt follows was its last word."""
    log = Log(OLD)
    log.user("One.")
    log.tool("t1", "Bash", "ok")
    last = log.answer("Done.")[0]
    log.user("Two.")
    log.call("t2", "Bash", command="make")
    log.user("Three.")
    assert marks(log) == ["One.", DONE, "Two.", "Three."]
    [end] = of(read(claude, log.data()), e.TurnEnded)
    assert end.head.id == last["uuid"]


def test_a_message_that_ends_its_turn_is_an_end() -> None:
    """Without an interface nothing else marks it; blocks and marks behind add none."""
    log = Log(NEW)
    log.user("One.")
    thinking = {"type": "thinking", "thinking": "hm"}
    log.answer(thinking, "Done.", "Really.", stop_reason="end_turn")
    log.system("turn_duration")
    log.user("Two.")
    log.answer(thinking, stop_reason="end_turn")
    log.call("t1", "Bash", command="make")
    assert marks(log) == ["One.", DONE, "Two."]


def test_a_turn_that_goes_on_ends_once_more() -> None:
    """A stop hook can make the agent continue, a finished task wake it up."""
    log = Log()
    log.user("One.")
    log.answer("Done.")
    log.system("stop_hook_summary")
    log.user("Stop hook feedback:\nrun the tests", isMeta=True)
    log.answer("Tested.")
    log.system("turn_duration")
    log.user("<task-notification>x</task-notification>")
    log.answer("Seen.")
    log.system("turn_duration")
    assert marks(log) == ["One.", DONE, DONE, DONE]


@pytest.mark.parametrize("suffix", ["", " for tool use"])
def test_an_interruption_cancels(suffix: str) -> None:
    """The marker ends the turn; a duration written behind it says nothing new."""
    log = Log(NEW)
    log.user("One.")
    log.call("t1", "Bash", command="make")
    log.result("t1", "The user doesn't want to proceed", error=True)
    text = f"[Request interrupted by user{suffix}]"
    log.user([{"type": "text", "text": text}], interruptedMessageId="msg_1")
    log.system("turn_duration")
    log.user("Two.")
    assert marks(log) == ["One.", STOPPED, "Two."]


def test_an_interruption_can_stand_in_a_result() -> None:
    """A fork closes the call that was under way with the marker as its result."""
    log = Log(NEW)
    log.user("One.")
    log.call("t1", "Bash", command="make")
    text = "[Request interrupted by user for tool use]"
    log.result("t1", text, text, error=True, toolDenialKind="interrupted")
    log.user("Continue from where you left off.", isMeta=True)
    log.answer("No response requested.", message={"model": "<synthetic>"})
    assert marks(log) == ["One.", STOPPED]


def test_an_error_as_the_last_word_fails_the_turn() -> None:
    """The harness speaks in the agent's place: no answer, and the turn failed."""
    log = Log(NEW)
    log.user("One.")
    log.system("api_error", retryAttempt=1, maxRetries=10)
    synthetic = {"model": "<synthetic>", "id": "x"}
    log.answer("API Error: 529", message=synthetic, isApiErrorMessage=True)
    log.system("turn_duration")
    assert marks(log) == ["One.", FAILED]
    batch = read(claude, log.data())
    assert of(batch, e.Answer) == []
    assert of(batch, e.Usage) == []


def test_a_models_refusal_fails_the_turn() -> None:
    """What the model refused teaches nothing; later marks do not mend it (B1)."""
    log = Log(NEW)
    log.user("One.")
    log.answer("I cannot.", stop_reason="refusal")
    log.system("turn_duration")
    assert marks(log) == ["One.", FAILED]


def test_a_subagents_end_is_not_the_turns() -> None:
    """Marks within a scope end nothing; its compaction is its own."""
    log = Log(NEW, scope="a1")
    log.user("Find it.")
    log.answer("Found.", stop_reason="end_turn")
    log.compact("summary")
    batch = read(claude, log.data())
    assert of(batch, e.TurnEnded) == []
    assert {event.head.scope for event in of(batch, e.Compacted)} == {"a1"}


# --- contexts ----------------------------------------------------------------------


def test_a_compaction_is_told_at_once_and_again_with_its_summary() -> None:
    """Both have the boundary's id; the summary is nobody's voice."""
    log = Log()
    log.user("One.")
    log.answer("Done.")
    log.compact(
        "This session is being continued from a previous conversation.", "manual"
    )
    log.user("Two.")
    log.answer("Done.")
    log.user("Three.")
    first, second = of(read(claude, log.data()), e.Compacted)
    assert first.head.id == second.head.id != ""
    assert (first.trigger, first.summary) == ("manual", "")
    assert second.summary.startswith("This session is being continued")
    assert ("boundary", "rewind") not in marks(log)
    assert marks(log)[0::4][0] == "One."


def test_a_compaction_may_keep_messages() -> None:
    """Newer versions go on from a message they kept: that is no other branch."""
    log = Log(NEW)
    log.user("One.")
    kept = log.answer("Kept.")[0]["uuid"]
    log.compact("summary")
    log.records[-2]["compactMetadata"]["preservedSegment"] = {"tailUuid": kept}
    log.parent = kept
    log.user("Two.")
    assert ("boundary", "rewind") not in marks(log)


def test_a_summary_without_its_boundary_is_a_compaction() -> None:
    """Very old versions write only the summary."""
    log = Log(OLD)
    log.user("One.")
    log.user("This session is being continued from a previous conversation that ended.")
    [event] = of(read(claude, log.data()), e.Compacted)
    assert event.summary
    assert event.head.id == log.records[-1]["uuid"]


def test_blanked_results_are_a_compaction() -> None:
    """Old and new ways to take results out of the context purge it (N4)."""
    log = Log()
    log.user("One.")
    log.answer("a")
    log.system("microcompact_boundary")
    edits = {"context_management": {"applied_edits": [{"type": "clear"}]}}
    log.answer("b", message=edits)
    log.bare("content-replacement", replacements=[], agentId="a1")
    batch = read(claude, log.data())
    assert [event.trigger for event in of(batch, e.Compacted)] == ["micro"]
    found = of(batch, e.Boundary)
    assert [event.reason for event in found] == ["context-edit", "replaced"]
    assert [event.head.scope for event in found] == ["", "a1"]


def test_a_sibling_prompt_is_a_rewind() -> None:
    """A prompt that goes back to an earlier place drops what came after it."""
    log = Log(NEW)
    log.user("One.")
    place = log.answer("Done.")[0]["uuid"]
    log.system("turn_duration")
    log.user("Two.")
    log.answer("Wrong.")
    log.parent = place
    log.user("Better two.")
    log.answer("Right.")
    log.user("Three.")
    assert marks(log) == [
        "One.",
        DONE,
        "Two.",
        DONE,
        ("boundary", "rewind"),
        "Better two.",
        DONE,
        "Three.",
    ]


def test_a_rewind_to_the_start_is_a_rewind() -> None:
    """A second root within a linked conversation is another branch."""
    log = Log(NEW)
    log.user("One.")
    log.answer("Done.")
    log.parent = None
    log.user("Begin again.")
    assert ("boundary", "rewind") in marks(log)


def test_a_prompt_taken_back_before_an_answer_is_cancelled() -> None:
    """Its successor stands at the same place: it never was part of the context."""
    log = Log(NEW)
    log.user("One.")
    place = log.answer("Done.")[0]["uuid"]
    log.system("turn_duration")
    log.user("Two.")
    log.parent = place
    log.user("Other two.")
    assert marks(log)[2:] == ["Two.", STOPPED, ("boundary", "rewind"), "Other two."]


@pytest.mark.parametrize("version", [ARROW, TAB, NEW])
def test_parallel_calls_are_one_context(version: str) -> None:
    """Their results are siblings in the tree; no branch is seen in them."""
    log = Log(version)
    log.user("One.")
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "Read"} for n in range(3)]
    records = log.answer(*calls)
    for number, record in enumerate(records):
        log.hook_progress("PostToolUse:Read", 3)
        log.parent = record["uuid"]
        log.result(f"t{number}", "1\tx")
    log.answer("Done.")
    log.user("Two.")
    assert marks(log) == ["One.", DONE, "Two."]


def test_long_progress_does_not_hide_the_answer_it_is_about() -> None:
    """Thousands of progress records between a call and its result change nothing."""
    log = Log(ARROW)
    log.user("One.")
    call = log.call("t1", "Bash", command="make")
    for _ in range(1000):
        log.add("progress", data={"type": "bash_progress", "output": "x"})
    log.parent = call["uuid"]
    log.result("t1", "ok")
    log.answer("Done.")
    log.user("Two.")
    assert marks(log) == ["One.", DONE, "Two."]


def test_two_heads_are_told_apart() -> None:
    """Two terminals write one file in turns: each change begins a new epoch."""
    log = Log(NEW)
    log.user("One.")
    fork = log.answer("Done.")[0]["uuid"]
    log.user("Left.")
    log.call("t1", "Read", file_path="a")
    left = log.result("t1", "1\tx")["uuid"]
    log.parent = fork
    log.user("Right.")
    log.call("t2", "Read", file_path="b")
    right = log.result("t2", "1\tx")["uuid"]
    log.parent = left
    log.answer("Left done.")
    log.parent = right
    log.answer("Right done.")
    boundaries = [mark for mark in marks(log) if mark[0] == "boundary"]
    assert boundaries == [
        ("boundary", "rewind"),
        ("boundary", "gap"),
        ("boundary", "gap"),
    ]


def test_missing_records_are_a_gap() -> None:
    """An answer to something that is not in the file leaves the context in doubt."""
    log = Log(NEW)
    log.user("One.")
    log.answer("Looking.")
    log.result("t1", "lost")
    del log.records[-1]
    log.answer("Done.")
    log.system("turn_duration")
    assert marks(log) == ["One.", ("boundary", "gap"), DONE]


def test_files_without_parents_have_no_branches() -> None:
    """Where records name no parents, nothing can be said, and no epoch is ended."""
    log = Log(OLD)
    for text in ("One.", "Two.", "Three."):
        log.user(text)
        log.answer("Done.")
    for record in log.records:
        record["parentUuid"] = None
    assert marks(log) == ["One.", DONE, "Two.", DONE, "Three."]


@pytest.mark.parametrize("sign", ["progress", "attachment", "version", "context"])
def test_a_new_process_on_the_session_is_a_resume(sign: str) -> None:
    """Its hook, its version or its introduction tells; several signs are one."""
    log = Log(ARROW if sign == "progress" else NEW)
    log.attachment("session_context", text="x")
    log.user("One.")
    log.answer("Done.")
    log.system("turn_duration")
    if sign == "progress":
        log.hook_progress("SessionStart:resume", 3)
    elif sign == "attachment":
        hook = {"hookEvent": "SessionStart", "hookName": "SessionStart:resume"}
        log.attachment("hook_success", stdout="", **hook)
        log.attachment("hook_additional_context", content=["x"], **hook)
    elif sign == "version":
        log.version = "2.1.999"
    log.user("Two.")
    if sign == "context":
        log.attachment("session_context", text="x")
    log.answer("Done.")
    found = [mark for mark in marks(log) if mark[0] == "boundary"]
    assert len(found) == 1
    assert found[0][1] == ("process" if sign == "context" else "resume")
    assert STOPPED not in marks(log)


@pytest.mark.parametrize(
    "name", ["SessionStart:startup", "SessionStart:compact", "Stop"]
)
def test_other_hooks_begin_nothing(name: str) -> None:
    """A start, a compaction's own hook and all others are no resume."""
    log = Log(ARROW)
    log.hook_progress(name)
    log.user("One.")
    log.hook_progress(name)
    log.answer("Done.")
    log.attachment("async_hook_response", hookName="SessionStart:resume", stdout="x")
    assert marks(log) == ["One."]


def test_what_was_shown_right_after_a_compaction_is_in_doubt_after_a_resume() -> None:
    """Files that were read again count as said: the resume begins one more epoch."""
    log = Log(NEW)
    log.user("One.")
    log.compact("summary")
    file = {"filePath": "/a", "content": "x"}
    log.attachment("file", content={"type": "text", "file": file})
    log.attachment("hook_success", hookName="SessionStart:resume", stdout="")
    assert ("boundary", "resume") in marks(log)


def test_a_resume_cancels_what_was_under_way() -> None:
    """A turn that died with its process did not complete."""
    log = Log(ARROW)
    log.user("One.")
    log.call("t1", "Bash", command="make")
    log.hook_progress("SessionStart:resume")
    log.user("Two.")
    assert marks(log) == ["One.", STOPPED, ("boundary", "resume"), "Two."]


@pytest.mark.parametrize("local", [True, False])
def test_clearing_begins_anew(local: bool) -> None:
    """`/clear` is a boundary wherever it is recorded; `/exit` ends the session."""
    log = Log()
    log.user("One.")
    log.answer("Done.")
    log.system("turn_duration")
    for name in ("clear", "exit"):
        text = f"<command-name>/{name}</command-name>\n<command-args></command-args>"
        if local:
            log.system("local_command", content=text)
        else:
            log.user(text)
    assert marks(log) == ["One.", DONE, ("boundary", "clear")]
    assert [end.reason for end in of(read(claude, log.data()), e.SessionEnded)] == [
        "exit"
    ]


# --- sessions ----------------------------------------------------------------------


def test_a_session_is_told_when_something_is_new() -> None:
    """Folder, branch, version and title: each change once, not on every line."""
    log = Log()
    log.hook_progress("SessionStart:startup")
    log.user("One.")
    log.answer("Done.")
    log.cwd = "/srv/shop/web"
    log.user("Two.", gitBranch="dev")
    log.bare("ai-title", aiTitle="Shop")
    log.bare("ai-title", aiTitle="Shop")
    log.bare("custom-title", customTitle="My shop")
    log.bare("ai-title", aiTitle="Shop")
    log.bare("agent-setting", agentSetting="critic")
    seen = of(read(claude, log.data()), e.SessionSeen)
    news = [
        {
            name: value
            for name, value in event._asdict().items()
            if value and name != "head"
        }
        for event in seen
    ]
    agent = {"agent": "claude-code"}
    first = {"cwd": "/srv/shop", "kind": "main", "version": TAB, "branch": "main"}
    assert news == [
        agent | first,
        agent | {"cwd": "/srv/shop/web", "branch": "dev"},
        agent | {"title": "Shop"},
        agent | {"title": "My shop"},
        agent | {"role": "critic"},
    ]


def test_an_agent_of_a_team_has_its_role() -> None:
    """The name of a teammate is the role its session runs as."""
    log = Log(ARROW)
    log.user("<teammate-message>Go.</teammate-message>", teamName="t", agentName="lint")
    [seen] = of(read(claude, log.data()), e.SessionSeen)
    assert seen.role == "lint"


def test_copied_records_keep_their_session_and_name_the_parent() -> None:
    """A fork starts with another session's records; its own come after them."""
    log = Log(session=OTHER)
    copied = log.user("One.")
    log.answer("Done.")
    log.session = "11111111-2222-4333-8444-555555555555"
    log.user("Two.")
    batch = read(claude, log.data())
    prompts = of(batch, e.Prompt)
    assert [(p.head.session, p.head.id) for p in prompts] == [
        (OTHER, copied["uuid"]),
        (log.session, log.records[-1]["uuid"]),
    ]
    parents = {s.head.session: s.parent for s in of(batch, e.SessionSeen)}
    assert parents == {OTHER: "", log.session: OTHER}


def test_a_fork_that_names_its_origin_shares_its_records() -> None:
    """The copied record's own id is used, so that it is stored once."""
    log = Log(NEW)
    log.user("One.", forkedFrom={"sessionId": OTHER, "messageUuid": "original"})
    batch = read(claude, log.data())
    assert of(batch, e.Prompt)[0].head.id == "original"
    assert of(batch, e.SessionSeen)[0].parent == OTHER
