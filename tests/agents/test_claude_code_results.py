"""Tool calls and results: what was shown, what changed, what a person said by them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from records import ARROW, CWD, NEW, OLD, TAB, Log, numbered, of, read, read_in_pieces

from ibid.agents import events as e
from ibid.agents.claude_code import transcript as claude
from ibid.agents.claude_code.results import numbered_lines

TEXT = "import os\n\n\ndef f():\n    return 1\n"
PATH = f"{CWD}/src/a.py"
MALWARE = "\n\n<system-reminder>\nConsider whether it is malware.\n</system-reminder>\n"


def only(log: Log, kind: type) -> Any:
    """Return the one event of a kind in a log."""
    [event] = of(read(claude, log.data()), kind)
    return event


def read_log(version: str, shown: str, detail: Any = None, **given: Any) -> Log:
    """Return a log with one call of Read and its result."""
    log = Log(version)
    log.tool("t1", "Read", shown, detail, file_path=PATH, **given)
    return log


def detail_of(text: str, first: int = 1, total: int = 0) -> dict[str, Any]:
    """Return the structured copy of a read."""
    count = text.count("\n") + 1
    file = {
        "filePath": PATH,
        "content": text,
        "numLines": count,
        "startLine": first,
        "totalLines": total or count,
    }
    return {"type": "text", "file": file}


@pytest.mark.parametrize("version", [OLD, ARROW, TAB, NEW])
@pytest.mark.parametrize("structured", [True, False])
def test_a_read_is_the_lines_as_they_were_shown(version: str, structured: bool) -> None:
    """Text, range and path are the same from either copy, in every version (N5)."""
    detail = detail_of(TEXT) if structured else None
    log = read_log(version, numbered(TEXT, version), detail)
    event = only(log, e.Read)
    assert (event.path, event.first, event.last, event.text) == (PATH, 1, 6, TEXT)
    assert event.total == (6 if structured else 0)
    assert event.head.id == "t1"
    assert not event.stub


@pytest.mark.parametrize("version", [ARROW, TAB])
@pytest.mark.parametrize("first", [2, 95, 9_998, 999_998])
def test_a_range_keeps_its_numbers(version: str, first: int) -> None:
    """A read with offset and limit starts at its line, over any number of places."""
    text = "a\nb\nc\n\te\n→f"
    shown = numbered(text, version, first)
    event = only(read_log(version, shown, offset=first, limit=5), e.Read)
    assert (event.first, event.last, event.text) == (first, first + 4, text)


def test_reminders_around_a_read_are_not_part_of_the_file() -> None:
    """Neither an age note before nor the old malware note after is text."""
    before = "<system-reminder>This memory is 2 days old.</system-reminder>\n"
    event = only(read_log(ARROW, before + numbered(TEXT, ARROW) + MALWARE), e.Read)
    assert event.text == TEXT


def test_what_is_shown_wins_over_the_structured_copy() -> None:
    """Where the two copies differ, the ledger holds what the model saw (N5)."""
    log = read_log(TAB, numbered("short [cut]"), detail_of("short and long"))
    assert only(log, e.Read).text == "short [cut]"


@pytest.mark.parametrize(
    "shown",
    [
        "<system-reminder>The file is shorter than the offset.</system-reminder>",
        "",
        [{"type": "image", "source": {"type": "base64", "data": "QUJD"}}],
        "no numbers at all",
    ],
)
def test_what_shows_no_lines_is_no_read(shown: Any) -> None:
    """Empty files, images and notes leave nothing in the ledger."""
    assert of(read(claude, read_log(TAB, shown).data()), e.Read) == []


def test_a_failed_read_is_no_read() -> None:
    """An error shows no lines, even if it looks like some."""
    log = Log()
    log.call("t1", "Read", file_path=PATH)
    log.result("t1", "<tool_use_error>1\tgone</tool_use_error>")
    log.call("t2", "Read", file_path=PATH)
    log.result("t2", "1\tgone", error=True)
    batch = read(claude, log.data())
    assert of(batch, e.Read) == []
    assert [tool.error for tool in of(batch, e.Tool)] == [True, True]


@pytest.mark.parametrize(
    ("shown", "detail"),
    [
        ("Wasted call — file unchanged since your last Read.", None),
        ("File unchanged since last read. Refer to it.", None),
        ("refer", {"type": "file_unchanged", "file": {"filePath": PATH}}),
    ],
)
def test_the_agents_own_stub_shows_nothing(shown: str, detail: Any) -> None:
    """A built-in "unchanged" is a stub of the range that was asked for."""
    event = only(read_log(TAB, shown, detail, offset=11, limit=10), e.Read)
    assert (event.path, event.first, event.last) == (PATH, 11, 20)
    assert (event.stub, event.text) == (True, "")


def test_a_relative_path_is_joined_with_the_records_folder() -> None:
    """The folder of the moment counts; it changes within a session."""
    log = Log(TAB)
    log.tool("t1", "Read", "1\tx", file_path="src/a.py")
    log.cwd = "/srv/shop/web"
    log.tool("t2", "Read", "1\tx", file_path="../b.py")
    log.tool("t3", "Read", "1\tx", file_path="C:\\b.py")
    paths = [event.path for event in of(read(claude, log.data()), e.Read)]
    assert paths == ["/srv/shop/src/a.py", "/srv/shop/b.py", "C:\\b.py"]


def test_a_mentioned_file_is_a_read() -> None:
    """An `@file` comes as an attachment, not as a call; its lines were shown too."""
    log = Log(TAB)
    log.user("Look at @src/a.py")
    record = log.attachment("file", filename=PATH, content=detail_of(TEXT, total=9))
    event = only(log, e.Read)
    assert (event.path, event.text, event.total) == (PATH, TEXT, 9)
    assert event.head.id == record["uuid"]


def test_numbered_lines_stop_where_the_numbers_do() -> None:
    """A gap, a repeated number or other text ends the lines."""
    assert numbered_lines("8\ta\n9\tb\n10\tc\n12\te") == (8, "a\nb\nc")
    assert numbered_lines("1\ta\n1\tb") == (1, "a")
    assert numbered_lines("text\n\n3→a\n4\tb") == (3, "a")
    assert numbered_lines("99999→a\n100000→b\n100001→c") == (99_999, "a\nb\nc")
    assert numbered_lines("     9→a\n    10→b") == (9, "a\nb")
    assert numbered_lines("x" * 1_000_000) == (0, "")


def test_each_call_is_told_once_with_what_the_model_saw() -> None:
    """Name, input, output, error, kind, server and flags of finished calls."""
    log = Log()
    log.tool("t1", "Bash", "ok", {"stdout": "full"}, command="make")
    log.call("t2", "Bash", command="false")
    log.result("t2", "Exit code 1", "Error: Exit code 1", error=True)
    log.tool("t3", "WebFetch", "page", url="https://x.test")
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image"},
        {"type": "text", "text": "b"},
    ]
    log.tool("t4", "mcp__shots__take", parts)
    log.tool("t5", "mcp__plugin_x_ibid__recall", "[L1] x")
    log.tool("t6", "Task", [{"type": "text", "text": "report"}], prompt="find")
    log.call("t7", "Bash", command="sleep")  # Never finished.
    found = of(read(claude, log.data()), e.Tool)
    assert [(t.head.id, t.name, t.output, t.error, t.kind, t.mcp) for t in found] == [
        ("t1", "Bash", "ok", False, "exec", ""),
        ("t2", "Bash", "Exit code 1", True, "exec", ""),
        ("t3", "WebFetch", "page", False, "web", ""),
        ("t4", "mcp__shots__take", "a\n[image]\nb", False, "other", "shots"),
        ("t5", "mcp__plugin_x_ibid__recall", "[L1] x", False, "other", "ibid"),
        ("t6", "Task", "report", False, "agent", ""),
    ]
    assert found[0].input == {"command": "make"}
    flags = [set(tool.flags) - {e.TOOLS} for tool in found]
    assert flags == [set(), set(), {e.BROWSER}, {e.MCP, e.IMAGES}, {e.RECALLED}, set()]


def test_live_progress_does_not_repeat_a_subagent() -> None:
    """Progress records quote whole messages of subagents; they are not content."""
    log = Log(ARROW)
    log.call("t1", "Task", prompt="find")
    quoted = {"type": "user", "message": {"role": "user", "content": "Always find."}}
    log.add("progress", data={"type": "agent_progress", "message": quoted})
    block = {"type": "tool_use", "id": "s1", "name": "Read", "input": {}}
    quoted = {"type": "assistant", "message": {"content": [block]}}
    log.add("progress", data={"type": "agent_progress", "message": quoted})
    log.result("t1", "report")
    batch = read(claude, log.data())
    assert [tool.head.id for tool in of(batch, e.Tool)] == ["t1"]
    assert of(batch, e.Prompt) == []


def test_a_result_finds_its_call_in_a_later_piece() -> None:
    """An open call survives in the state, however long its input."""
    log = Log()
    log.call("t1", "Write", file_path=PATH, content=TEXT * 20_000)
    middle = len(log.data())
    log.result("t1", "File created")
    found, _, _ = read_in_pieces(claude, log.data(), [middle])
    tools = [event for event in found if isinstance(event, e.Tool)]
    assert [tool.name for tool in tools] == ["Write"]
    assert tools[0].input["content"] == TEXT * 20_000


def test_open_calls_are_bounded() -> None:
    """Calls that never end do not fill the state; the newest one is always kept."""
    log = Log()
    for number in range(500):
        log.call(f"t{number}", "Bash", command="x" * 10_000)
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    log.call("deep", "Bash", command=deep)
    reader = claude.reader(records_path())
    reader.feed(log.data(), 0)
    assert len(json.dumps(reader.state())) < 400_000
    log.result("t499", "late")
    log.result("t0", "lost")
    found = of(read(claude, log.data()), e.Tool)
    assert [(tool.name, tool.output) for tool in found] == [
        ("Bash", "late"),
        ("", "lost"),
    ]


def records_path() -> Any:
    """Return the path of the main transcript."""
    from records import MAIN

    return MAIN


def test_edits_tell_what_was_replaced() -> None:
    """Edit, MultiEdit, Write and notebooks become edits of their files."""
    log = Log()
    log.tool("t1", "Edit", "ok", file_path=PATH, old_string="a", new_string="b")
    edits = [
        {"old_string": "c", "new_string": "d"},
        {"old_string": "e", "new_string": ""},
    ]
    log.tool("t2", "MultiEdit", "ok", file_path=PATH, edits=edits)
    log.tool("t3", "Write", "ok", {"type": "create"}, file_path="n.py", content="x\n")
    before = {"type": "update", "originalFile": "x\n", "filePath": f"{CWD}/n.py"}
    log.tool("t4", "Write", "ok", before, file_path="n.py", content="y\n")
    log.tool("t5", "NotebookEdit", "ok", notebook_path="n.ipynb", new_source="1")
    log.call("t6", "Edit", file_path=PATH, old_string="a", new_string="b")
    log.result("t6", "<tool_use_error>not read</tool_use_error>", error=True)
    found = of(read(claude, log.data()), e.Edit)
    assert [(x.path, x.before, x.after, x.whole) for x in found] == [
        (PATH, "a", "b", False),
        (PATH, "c", "d", False),
        (PATH, "e", "", False),
        (f"{CWD}/n.py", None, "x\n", True),
        (f"{CWD}/n.py", "x\n", "y\n", True),
        (f"{CWD}/n.ipynb", None, "1", False),
    ]
    assert len({x.head.id for x in found}) == len(found)


def test_a_proposal_that_a_person_changed_is_told_as_changed() -> None:
    """What stands in the file is what the person made of the agent's edit."""
    log = Log()
    detail = {
        "filePath": PATH,
        "oldString": "a",
        "newString": "c",
        "userModified": True,
    }
    log.tool("t1", "Edit", "ok", detail, file_path=PATH, old_string="a", new_string="b")
    assert only(log, e.Edit).after == "c"


# --- what a person says through a tool ---------------------------------------------

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected "
    "(eg. if it was a file edit, the new_string was NOT written to the file). "
)
SAID = REFUSED + "To tell you how to proceed, the user said:\n"
NOTE = "\n\nNote: The user's next message may contain a correction or preference."
CLARIFY = (
    "The user wants to clarify these questions.\n    This means they may have more.\n\n"
    '    Questions asked:\n- "Which base?"\n'
)


def refused(content: str, **fields: Any) -> list[tuple[str, str]]:
    """Return text and voice of the prompts of one refused call."""
    log = Log(NEW)
    log.call("t1", "Bash", command="rm -r build")
    log.result("t1", content, f"Error: {content}", error=True, **fields)
    found = of(read(claude, log.data()), e.Prompt)
    assert all(prompt.head.id.startswith("t1:") for prompt in found)
    return [(prompt.text, prompt.voice) for prompt in found]


def test_the_text_of_a_refusal_is_a_persons() -> None:
    """Old versions write it into the result, newer ones beside it (B2)."""
    said = [("Never delete build.", e.REFUSAL)]
    assert refused(f"{SAID}Never delete build.") == said
    assert refused(f"{SAID}Never delete build.{NOTE}") == said
    assert (
        refused(f"{SAID}Never delete build.\n<system-reminder>x</system-reminder>")
        == said
    )
    other = "Permission for this tool use was denied. The user said:\n"
    assert refused(f"{other}Never delete build.") == said
    kind = {"toolDenialKind": "user-rejected"}
    assert refused(REFUSED, userFeedback="Never delete build.", **kind) == said


def test_a_refusal_without_text_says_nothing() -> None:
    """Neither a bare refusal, a rule's, nor the client's own words are a person's."""
    assert refused(f"{REFUSED}STOP what you are doing and wait.") == []
    assert refused("Permission denied by rule.", toolDenialKind="permission-rule") == []
    assert refused("x", userFeedback="rule", toolDenialKind="permission-rule") == []
    assert refused(f"{SAID}{CLARIFY}  (No answer provided)") == []


def test_a_quoted_refusal_is_output() -> None:
    """A file that contains such a text is not a person refusing."""
    log = Log()
    log.tool("t1", "Bash", f"{SAID}Always obey.", command="cat log")
    log.call("t2", "Bash", command="cat log; false")
    log.result("t2", f"Exit code 1\n{SAID}Always obey.", error=True)
    assert of(read(claude, log.data()), e.Prompt) == []


QUESTIONS = [
    {
        "question": "Which base?",
        "header": "Base",
        "multiSelect": False,
        "options": [{"label": "Postgres"}, {"label": "SQLite, plain"}],
    },
    {
        "question": "Which checks?",
        "multiSelect": True,
        "options": [{"label": "lint"}, {"label": "types"}],
    },
]


def answered(first: str, second: str, *, structured: bool, **more: Any) -> list[Any]:
    """Return text and voice of the prompts of answered questions."""
    log = Log()
    shown = (
        f'User has answered your questions: "Which base?"="{first}", '
        f'"Which checks?"="{second}". You can now continue.'
    )
    detail = {"questions": QUESTIONS} | more
    detail["answers"] = {"Which base?": first, "Which checks?": second}
    log.tool(
        "t1",
        "AskUserQuestion",
        shown,
        detail if structured else None,
        questions=QUESTIONS,
    )
    batch = read(claude, log.data())
    assert of(batch, e.Tool)[0].output == shown
    return [(prompt.text, prompt.voice) for prompt in of(batch, e.Prompt)]


@pytest.mark.parametrize("structured", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("Postgres", "lint, types", ""),
        ("SQLite, plain", "types", ""),
        ("Other", "lint", ""),
        ("MariaDB, as at work", "lint", "MariaDB, as at work"),
        ("Postgres", "lint, and spelling, types", "and spelling"),
        ("Postgres 16", "only lint", "Postgres 16\nonly lint"),
    ],
)
def test_only_free_answers_are_a_persons_words(
    structured: bool, first: str, second: str, text: str
) -> None:
    """A chosen label is the agent's wording; it stays in the tool's output (B2)."""
    expected = [(text, e.ANSWER)] if text else []
    assert answered(first, second, structured=structured) == expected


def test_notes_to_an_answer_are_a_persons_words() -> None:
    """What is written beside a choice, or before clarifying, is free text."""
    notes = {"Which base?": {"notes": "but version 16"}}
    found = answered("Postgres", "lint", structured=True, annotations=notes)
    assert found == [("but version 16", e.ANSWER)]
    log = Log(NEW)
    log.call("t1", "AskUserQuestion", questions=QUESTIONS)
    partial = f"{CLARIFY}  Answer: Postgres\n  User notes: what about backups?"
    log.result("t1", f"{SAID}{partial}", error=True)
    [prompt] = of(read(claude, log.data()), e.Prompt)
    assert (prompt.text, prompt.voice) == ("what about backups?", e.ANSWER)


PLAN = "# Plan\n\n1. Add a table\n2. Write tests\n"
APPROVED = "User has approved your plan. You can now start coding.\n\n## Approved Plan"


@pytest.mark.parametrize(
    ("shown", "detail"),
    [
        (f"{APPROVED}:\n{PLAN}", {"plan": PLAN, "isAgent": False}),
        (f"{APPROVED}:\n{PLAN}", None),
    ],
)
def test_an_accepted_plan_is_a_plan_and_no_prompt(shown: str, detail: Any) -> None:
    """It goes to the handoff; nothing of it is a person's voice."""
    log = Log()
    log.tool("t1", "ExitPlanMode", shown, detail, plan=PLAN)
    batch = read(claude, log.data())
    assert [todo.plan for todo in of(batch, e.Todo)] == [PLAN]
    assert of(batch, e.Prompt) == []


@pytest.mark.parametrize("structured", [True, False])
def test_only_the_lines_a_person_changed_in_a_plan_are_theirs(structured: bool) -> None:
    """Changed and added lines are their words; moved and deleted ones are not."""
    edited = "# Plan\n\n1. Write tests first\n2. Write tests\n\n3. Never drop a table\n"
    shown = f"{APPROVED} (edited by user):\n{edited}"
    log = Log(NEW)
    log.tool(
        "t1", "ExitPlanMode", shown, {"plan": edited} if structured else None, plan=PLAN
    )
    batch = read(claude, log.data())
    assert [todo.plan for todo in of(batch, e.Todo)] == [edited]
    [prompt] = of(batch, e.Prompt)
    assert prompt.text == "1. Write tests first\n3. Never drop a table"
    assert prompt.voice == e.PLAN


def test_a_refused_plan_is_no_plan() -> None:
    """The refusal's text is the person's; the plan is dropped."""
    log = Log()
    log.call("t1", "ExitPlanMode", plan=PLAN)
    log.result("t1", f"{SAID}No new table.", error=True)
    batch = read(claude, log.data())
    assert of(batch, e.Todo) == []
    assert [p.text for p in of(batch, e.Prompt)] == ["No new table."]


def test_words_beside_a_result_are_added_by_the_person() -> None:
    """What a person writes while allowing a call comes beside its result."""
    log = Log(NEW)
    log.call("t1", "Bash", command="make")
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    words = {"type": "text", "text": "Yes, but never with sudo."}
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    log.user([result, words, reminder])
    found = of(read(claude, log.data()), e.Prompt)
    assert [(p.text, p.voice) for p in found] == [
        ("Yes, but never with sudo.", e.QUEUED)
    ]


def test_to_do_lists_of_both_kinds_are_told() -> None:
    """The whole list after each change, by old and by new tools (O2)."""
    log = Log()
    todos = [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "in_progress"},
        {"content": "c", "status": "pending"},
    ]
    log.tool("t1", "TodoWrite", "ok", todos=todos)
    log.tool("t2", "TaskCreate", "Task #1 created successfully: d", subject="d")
    detail = {"task": {"id": "2", "subject": "f"}}
    log.tool("t3", "TaskCreate", "made", detail, subject="f")
    log.tool("t4", "TaskUpdate", "ok", taskId="1", status="in_progress")
    log.tool("t5", "TaskUpdate", "ok", taskId="1", owner="me")
    log.tool("t6", "TaskUpdate", "ok", taskId="2", status="deleted")
    tasks = {"tasks": [{"id": "7", "subject": "g", "status": "completed"}]}
    log.tool("t7", "TaskList", "#7", tasks)
    assert [todo.items for todo in of(read(claude, log.data()), e.Todo)] == [
        (("a", "done"), ("b", "active"), ("c", "pending")),
        (("d", "pending"),),
        (("d", "pending"), ("f", "pending")),
        (("d", "active"), ("f", "pending")),
        (("d", "active"),),
        (("g", "done"),),
    ]
