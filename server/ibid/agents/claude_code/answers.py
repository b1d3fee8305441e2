"""What one `assistant` record holds: as a rule one block of the agent's message."""

from __future__ import annotations

from typing import Any, NamedTuple

from ibid.agents import events
from ibid.agents.calls import Call
from ibid.agents.claude_code import kinds
from ibid.agents.fields import count_of, dict_of, dicts_of, text_of

_PLACEHOLDER = "(no content)"


class Spoken(NamedTuple):
    """The content of one record; thinking is left out."""

    message: str  # The message's id, shared by the records of one message.
    model: str
    events: list[events.Event]
    calls: list[tuple[str, Call]]
    rests: bool  # The last word is text for the person, not a tool call.
    unknown: list[str]  # Kinds of blocks that nobody knows.


def read_answer(message: dict[str, Any], head: events.Head) -> Spoken:
    """Return what ``message`` says, does and costs."""
    key, model = text_of(message, "id"), text_of(message, "model")
    spoken = Spoken(key, model, [], [], rests=False, unknown=[])
    if dict_of(message, "usage"):
        spoken.events.append(_usage(message, head, model))
    rests = False
    for block in _blocks(message):
        kind = text_of(block, "type")
        if kind == "text":
            text = text_of(block, "text")
            if text.strip() and text != _PLACEHOLDER:
                spoken.events.append(events.Answer(head, text, model, key))
                rests = True
        elif kind == "tool_use":
            call = Call(text_of(block, "name"), dict_of(block, "input"))
            spoken.calls.append((text_of(block, "id"), call))
            rests = False
        elif kind not in kinds.BLOCKS and not kind.endswith("_tool_result"):
            spoken.unknown.append(kind)
    return spoken._replace(rests=rests)


def _usage(message: dict[str, Any], head: events.Head, model: str) -> events.Usage:
    usage = dict_of(message, "usage")
    return events.Usage(
        head._replace(id=text_of(message, "id")),
        count_of(usage, "input_tokens"),
        count_of(usage, "output_tokens"),
        count_of(usage, "cache_read_input_tokens"),
        count_of(usage, "cache_creation_input_tokens"),
        model,
    )


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if type(content) is str:
        return [{"type": "text", "text": content}]
    return dicts_of(message, "content")
