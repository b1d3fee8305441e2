"""Prompts typed while the agent works: each is one prompt, if it was delivered."""

from __future__ import annotations

from typing import Any

import pytest
from records import ARROW, NEW, TAB, Log, of, read

from ibid.agents import events as e
from ibid.agents.claude_code import transcript as claude

WORDS = "Use MDX, not MD."


def working(version: str) -> Log:
    """Return a log in the middle of a turn: a call waits for its result."""
    log = Log(version)
    log.user("Write the page.")
    log.call("t1", "Bash", command="make")
    return log


def prompts(log: Log) -> list[tuple[str, str]]:
    """Return text and voice of all prompts of a log but the first."""
    found = of(read(claude, log.data()), e.Prompt)
    return [(prompt.text, prompt.voice) for prompt in found[1:]]


SAID = [(WORDS, e.QUEUED)]


@pytest.mark.parametrize("version", [ARROW, TAB, NEW])
def test_a_queued_text_that_waits_for_the_turns_end(version: str) -> None:
    """It arrives as a user record: one prompt, with that record's id."""
    log = working(version)
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")
    log.answer("Done.")
    log.queue("dequeue")
    record = log.user(WORDS)
    log.answer("Changed.")
    assert prompts(log) == SAID
    [*_, prompt] = of(read(claude, log.data()), e.Prompt)
    assert prompt.head.id == record["uuid"]


@pytest.mark.parametrize("first", ["attachment", "remove"])
@pytest.mark.parametrize(
    "reason", [{}, {"reason": "absorbed_mid_turn", "content": WORDS}]
)
def test_a_queued_text_that_an_attachment_delivers(first: str, reason: Any) -> None:
    """It arrives within the turn: one prompt, in either order of the two records."""
    log = working(NEW if reason else TAB)
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")
    if first == "remove":
        log.queue("remove", **reason)
    log.attachment("queued_command", prompt=WORDS, commandMode="prompt")
    if first == "attachment":
        log.queue("remove", **reason)
    log.answer("Changing.")
    assert prompts(log) == SAID


def test_an_attachment_alone_is_enough() -> None:
    """The queue's own records may be missing; a list of blocks is read too."""
    log = working(NEW)
    log.result("t1", "ok")
    image = {"type": "image", "source": {"type": "base64", "data": "QUJD"}}
    blocks = [{"type": "text", "text": WORDS}, image]
    log.attachment("queued_command", prompt=blocks, origin={"kind": "human"})
    log.answer("Changing.")
    [_, prompt] = of(read(claude, log.data()), e.Prompt)
    assert (prompt.text, prompt.voice, prompt.flags) == (WORDS, e.QUEUED, (e.IMAGES,))


def test_old_versions_deliver_beside_a_tool_result() -> None:
    """There `remove` is all there is; the prompt stands before the next answer."""
    log = working(ARROW)
    queued = log.queue("enqueue", content=WORDS)
    log.wait(20)
    removed = log.stamp()
    log.queue("remove")
    log.result("t1", "ok")
    log.answer("Changing.")
    batch = read(claude, log.data())
    kinds = [type(event) for event in batch.events]
    assert kinds.index(e.Tool) < len(kinds) - 1 - kinds[::-1].index(e.Prompt)
    prompt = of(batch, e.Prompt)[1]
    assert (prompt.text, prompt.voice) == SAID[0]
    line = log.data()[prompt.head.start : prompt.head.end]
    assert queued["content"].encode() in line
    assert prompt.head.id.startswith("queue:")
    assert prompt.head.at > of(batch, e.Prompt)[0].head.at
    assert removed.startswith("2026-03-04T05:06:37")


@pytest.mark.parametrize("version", [ARROW, TAB, NEW])
def test_a_text_removed_while_nothing_is_delivered_was_never_said(version: str) -> None:
    """Without an attachment, a reason or a tool result beside it, it was withdrawn."""
    log = working(version)
    log.queue("enqueue", content=WORDS)
    log.wait(20)
    log.queue("remove")
    log.wait(20)
    log.result("t1", "ok")
    log.answer("Done.")
    assert prompts(log) == []


@pytest.mark.parametrize("version", [TAB, NEW])
def test_newer_versions_say_how_a_text_was_delivered(version: str) -> None:
    """A bare removal beside a tool result is no delivery where attachments exist."""
    log = working(version)
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")
    log.wait(-5)
    log.queue("remove")
    log.answer("Done.")
    assert prompts(log) == []


def test_the_desktop_client_delivers_without_a_record() -> None:
    """Its removals carry the text; beside a tool result they are deliveries."""
    log = working("2.1.200")
    log.records[-1]["entrypoint"] = "claude-desktop"
    log.queue("enqueue", content="Something else.")
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")["entrypoint"] = "claude-desktop"
    log.wait(-5)
    log.queue("remove", content=WORDS)
    log.answer("Changing.")
    assert prompts(log) == SAID


@pytest.mark.parametrize("reason", ["cancelled", "expired"])
def test_an_unknown_reason_is_not_a_delivery(reason: str) -> None:
    """A removal for another reason takes the text back."""
    log = working(NEW)
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")
    log.queue("remove", content=WORDS, reason=reason)
    log.answer("Done.")
    assert prompts(log) == []


@pytest.mark.parametrize("version", [ARROW, NEW])
def test_a_text_taken_back_is_said_when_it_is_sent(version: str) -> None:
    """`popAll` puts it into the input line; edited and sent, it is typed."""
    log = working(version)
    log.queue("enqueue", content=WORDS)
    log.queue("popAll", content=WORDS)
    log.result("t1", "ok")
    log.answer("Done.")
    log.user(f"{WORDS} Please.")
    assert prompts(log) == [(f"{WORDS} Please.", e.TYPED)]


def test_the_same_words_said_again_are_said_again() -> None:
    """Two queued and one typed "continue" are three prompts."""
    log = working(NEW)
    for key in ("t1", "t2"):
        log.queue("enqueue", content="continue")
        log.result(key, "ok")
        log.attachment("queued_command", prompt="continue")
        log.call("t2" if key == "t1" else "t3", "Bash", command="make")
    log.result("t3", "ok")
    log.answer("Done.")
    log.user("continue", promptSource="typed")
    assert prompts(log) == [
        ("continue", e.QUEUED),
        ("continue", e.QUEUED),
        ("continue", e.TYPED),
    ]


def test_several_texts_can_arrive_as_one() -> None:
    """What was queued line by line is still queued when it arrives together."""
    log = working(TAB)
    log.queue("enqueue", content="One.")
    log.queue("enqueue", content="Two.")
    log.result("t1", "ok")
    log.answer("Done.")
    log.user("One.\nTwo.")
    assert prompts(log) == [("One.\nTwo.", e.QUEUED)]


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ("<task-notification>always x</task-notification>", {}),
        ('{"task_id":"b1","description":"always x"}', {}),
        ("<command-message>pr</command-message>\n<command-name>/pr</command-name>", {}),
        ("always x", {"commandMode": "task-notification"}),
        ("always x", {"isMeta": True}),
        ("always x", {"origin": {"kind": "task-notification"}}),
    ],
)
def test_queued_notices_are_nobodys(content: str, fields: dict[str, Any]) -> None:
    """Notifications and commands pass through the same queue; they teach nothing."""
    log = working(ARROW)
    if not fields:
        log.queue("enqueue", content=content)
        log.queue("remove")
    log.result("t1", "ok")
    log.attachment("queued_command", prompt=content, **fields)
    log.answer("Seen.")
    assert [text for text, voice in prompts(log) if voice != e.COMMAND] == []


def test_a_notice_between_does_not_take_a_persons_place() -> None:
    """An old queue holds both kinds; the person's text is the one delivered."""
    log = working(ARROW)
    log.queue("enqueue", content="<task-notification>x</task-notification>")
    log.queue("enqueue", content=WORDS)
    log.result("t1", "ok")
    log.wait(-5)
    log.queue("remove")
    log.answer("Changing.")
    log.user("<task-notification>x</task-notification>")
    assert prompts(log) == SAID


def test_an_unknown_operation_is_counted() -> None:
    """A new way to handle the queue raises the drift alarm."""
    log = working(NEW)
    log.queue("shuffle")
    log.queue("dequeue")
    assert read(claude, log.data()).unknown == {"queue:shuffle": 1}
