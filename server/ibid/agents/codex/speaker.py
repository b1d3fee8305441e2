"""Who is speaking in Codex's user texts: people, or the harness in their place (B2).

The words of people are those of `user_message` events.  What the model is sent as the
user's holds the same words among much that is put there by the harness, which is known
by how it begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ibid.agents import events
from ibid.agents.fields import dicts_of, text_of
from ibid.agents.own import without_own

# What the harness puts before the model as the user's, by how it begins; lower case.
_FRAGMENTS = {
    "<environment_context>": "environment",
    "# agents.md instructions": "instructions",
    "<user_instructions>": "instructions",
    "<instructions>": "instructions",
    "<turn_aborted>": "turn-aborted",
    "<skill>": "skill",
    "<user_shell_command>": "user-shell",
    "<user_shell_cmd>": "user-shell",
    "<subagent_notification>": "subagent",
    "<codex_internal_context": "internal",
    "<goal_context>": "internal",
    "<hook_prompt": "hook",
    "<user_action>": "user-action",
    "<warning>": "warning",
    "<additional_context": "additional-context",
    "<external_": "additional-context",
    "<recommended_plugins>": "plugins",
    "<app-context>": "app",
}
_FRAGMENT_STARTS = tuple(_FRAGMENTS)
_LONGEST_START = max(len(start) for start in _FRAGMENT_STARTS)
# An editor puts its context before the request that a person typed.
_REQUEST = "## My request for Codex:"
_EDITOR_STARTS = ("# Context from my IDE", "# Files mentioned", "# Selected text", "# ")
# The client writes these when a person accepts a plan.
_PLANS = (
    "PLEASE IMPLEMENT THIS PLAN:",
    "A previous agent produced the plan below",
    "Implement the following plan:",
)
_ACCEPTED = "Implement the plan."
_NOTE = "user_note:"
_NO_CHOICE = frozenset({"None of the above", "Other", ""})


class Heard(NamedTuple):
    """What a user text says, and in whose voice."""

    text: str = ""
    voice: str = events.TYPED
    author: str = "person"
    flags: tuple[str, ...] = ()
    injected: tuple[tuple[str, str], ...] = ()
    plan: str = ""  # The accepted plan that the turn is to carry out.


def listen(payload: dict[str, Any]) -> Heard:
    """Return who says what in a `user_message` event."""
    text = text_of(payload, "message")
    kind = text_of(payload, "kind")
    if kind not in {"", "plain"} or fragment_of(text):
        source = fragment_of(text) or kind
        return Heard(injected=((source, text),))
    images = bool(payload.get("images") or payload.get("local_images"))
    flags = (events.IMAGES,) if images else ()
    context, words = split_request(text)
    words, own = without_own(words)
    injected = (*((("editor", context),) if context else ()), *own)
    words = words.strip()
    if context:
        flags = (*flags, events.FILES)
    if words.startswith(_PLANS):
        plan = words.partition("\n")[2].strip()
        return Heard(words, events.INJECTED, "harness", flags, injected, plan)
    if words == _ACCEPTED:
        return Heard(words, events.INJECTED, "harness", flags, injected)
    return Heard(words, flags=flags, injected=injected)


def split_request(text: str) -> tuple[str, str]:
    """Return the editor's context before a person's request, and the request."""
    if not text.lstrip().startswith(_EDITOR_STARTS):
        return "", text
    context, found, words = text.partition(_REQUEST)
    if not found:
        return "", text
    body = context.strip().removeprefix("# Context from my IDE setup:").strip()
    return (context.strip() if body else ""), words


def fragment_of(text: str) -> str:
    """Return what of the harness ``text`` is, or "" if it is none of its fragments."""
    start = text[: _LONGEST_START + 80].lstrip()[:_LONGEST_START].lower()
    for opening in _FRAGMENT_STARTS:
        if start.startswith(opening):
            return _FRAGMENTS[opening]
    return ""


def texts(message: dict[str, Any]) -> list[str]:
    """Return the texts of a message of the model's conversation."""
    if type(message.get("content")) is str:
        return [text_of(message, "content")]
    return [text for part in dicts_of(message, "content") if (text := _text(part))]


def answer_words(given: dict[str, Any], replies: dict[str, Any]) -> str:
    """Return what a person wrote in answer to the agent's questions.

    A chosen label is the agent's wording; it stays in the tool's output.
    """
    words: list[str] = []
    for question in dicts_of(given, "questions"):
        labels = {text_of(option, "label") for option in dicts_of(question, "options")}
        reply = replies.get(text_of(question, "id"))
        found = reply.get("answers") if type(reply) is dict else reply
        for text in found if type(found) is list else [found]:
            if type(text) is not str or text.strip() in labels | _NO_CHOICE:
                continue
            words.append(text.strip().removeprefix(_NOTE).strip())
    return "\n".join(word for word in words if word)


def _text(part: dict[str, Any]) -> str:
    if text_of(part, "type") in {"input_text", "output_text", "text"}:
        return text_of(part, "text")
    return ""
