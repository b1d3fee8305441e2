"""What a person says through a tool: refusals, answers, their own edits of a plan (B2).

And what the agent plans: its to-do list and the accepted plan, for the handoff (O2).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.claude_code.wrappers import without_reminders
from ibid.agents.fields import dict_of, dicts_of, text_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.calls import Call
    from ibid.agents.claude_code.results import Result

_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission for this tool use was denied",
)
_SAID = re.compile(r"(?:the|The) user said:\n")
_SAID_END = "\n\nNote: The user's next message"
_COMPOSED = "The user wants to clarify these questions"
_COMPOSED_WORDS = re.compile(r"^ +(Answer|User notes): (.+)$", re.MULTILINE)
_ANSWER_ENDS = (
    '", "',
    '". You can',
    '". Read the answers',
    '" notes: ',
    '" user notes',
)
_APPROVED = re.compile(r"## Approved Plan(?: \(edited by user\))?:\n")
_STATES = {"pending": "pending", "in_progress": "active", "completed": "done"}


def voices(call: Call, result: Result, head: events.Head) -> Iterator[events.Event]:
    """Yield what a person, or an accepted plan, says through this result."""
    if call.name == "ExitPlanMode" and not result.error:
        yield from _plan(call, result, head)
    elif call.name == "TodoWrite" and not result.error:
        yield events.Todo(head, _todos(call.input))
    elif call.name == "AskUserQuestion" and not result.error:
        words = answers(call.input, result)
        if words:
            yield _prompt(head, words, events.ANSWER)
    said = _said(result)
    if said.startswith(_COMPOSED):
        words = _clarified(said, call.input)
        if words:
            yield _prompt(head, words, events.ANSWER)
    elif said:
        yield _prompt(head, said, events.REFUSAL)


def _said(result: Result) -> str:
    """Return the text with which a person refused a tool use, or ""."""
    record = result.record
    said = text_of(record, "userFeedback")
    if said:
        if text_of(record, "toolDenialKind") not in {"", "user-rejected"}:
            return ""
    elif result.error and result.output.startswith(_REFUSED):
        match = _SAID.search(result.output)
        said = result.output[match.end() :] if match else ""
    return without_reminders(said.partition(_SAID_END)[0])


def _clarified(said: str, given: dict[str, Any]) -> str:
    """Return what is a person's in the client's text around the agent's questions."""
    labels = [
        text_of(option, "label")
        for question in dicts_of(given, "questions")
        for option in dicts_of(question, "options")
    ]
    words = [
        _free_text(text, labels, many=True) if kind == "Answer" else text
        for kind, text in _COMPOSED_WORDS.findall(said)
    ]
    return "\n".join(word for word in words if word)


def answers(given: dict[str, Any], result: Result) -> str:
    """Return what the person wrote in answer to the agent's questions.

    A chosen label is the agent's wording; it stays in the tool's output.
    """
    questions = dicts_of(result.detail, "questions") or dicts_of(given, "questions")
    replies = dict_of(result.detail, "answers")
    notes = dict_of(result.detail, "annotations")
    words: list[str] = []
    for question in questions:
        asked = text_of(question, "question")
        labels = [text_of(option, "label") for option in dicts_of(question, "options")]
        found = texts_of(replies, asked) or _quoted(result.output, asked)
        many = question.get("multiSelect") is True
        words += [_free_text(reply, labels, many=many) for reply in found]
        words.append(text_of(dict_of(notes, asked), "notes").strip())
    return "\n".join(word for word in words if word)


def _plan(call: Call, result: Result, head: events.Head) -> Iterator[events.Event]:
    accepted = text_of(result.detail, "plan")
    if not accepted:
        match = _APPROVED.search(result.output)
        accepted = result.output[match.end() :] if match else ""
    proposed = text_of(call.input, "plan")
    plan = accepted or proposed
    if plan:
        yield events.Todo(head, (), plan)
    if accepted and proposed:
        changed = _changed_lines(proposed, accepted)
        if changed:
            yield _prompt(head, changed, events.PLAN)


def _changed_lines(before: str, after: str) -> str:
    """Return the lines of ``after`` that are not in ``before``, in order.

    A line that only moved is not new.  Compared as sets of lines: linear.
    """
    known = Counter(line.strip() for line in before.splitlines())
    changed: list[str] = []
    for line in after.splitlines():
        bare = line.strip()
        if known[bare] > 0:
            known[bare] -= 1
        elif bare:
            changed.append(line.rstrip())
    return "\n".join(changed)


def _free_text(reply: str, labels: list[str], *, many: bool) -> str:
    """Return ``reply`` without the option labels it is made of."""
    reply = reply.strip()
    if not many:
        return "" if reply in (*labels, "Other") else reply
    rest = f", {reply}, "
    for label in sorted((*labels, "Other"), key=len, reverse=True):
        if label:
            rest = rest.replace(f", {label}, ", ", ", 1)
    return rest.strip(", \n")


def _quoted(output: str, question: str) -> list[str]:
    """Return the answer to ``question`` in the text that the model saw."""
    mark = f'"{question}"="'
    start = output.find(mark)
    if not question or start < 0:
        return []
    start += len(mark)
    ends = [output.find(end, start) for end in _ANSWER_ENDS]
    found = [end for end in ends if end >= 0]
    return [output[start : min(found)]] if found else []


def _todos(given: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (text_of(todo, "content"), _STATES.get(text_of(todo, "status"), "pending"))
        for todo in dicts_of(given, "todos")
    )


def _prompt(head: events.Head, text: str, voice: str) -> events.Prompt:
    return events.Prompt(head._replace(id=f"{head.id}:{voice}"), text, voice)


class Tasks:
    """The newer to-do list, of which each call changes one task."""

    LIMIT = 60

    def __init__(self, tasks: dict[str, list[str]] | None = None) -> None:
        self.tasks = tasks or {}

    def apply(
        self, call: Call, result: Result, head: events.Head
    ) -> events.Todo | None:
        """Return the list after this call, or None if the call does not change it."""
        before = {key: list(task) for key, task in self.tasks.items()}
        if result.error:
            return None
        if call.name == "TaskCreate":
            self._create(call, result)
        elif call.name == "TaskUpdate":
            self._update(call)
        elif call.name == "TaskList" and "tasks" in result.detail:
            listed = dicts_of(result.detail, "tasks")
            self.tasks = {}
            for task in listed[: self.LIMIT]:
                state = _STATES.get(text_of(task, "status"), "pending")
                self._put(text_of(task, "id"), text_of(task, "subject"), state)
        if self.tasks == before:
            return None
        return events.Todo(head, tuple((t[0], t[1]) for t in self.tasks.values()))

    def _create(self, call: Call, result: Result) -> None:
        task = dict_of(result.detail, "task")
        number = text_of(task, "id")
        if not number:
            match = re.search(r"Task #(\S{1,20}) created", result.output)
            number = match[1] if match else ""
        self._put(number, text_of(call.input, "subject"), "pending")

    def _update(self, call: Call) -> None:
        number = text_of(call.input, "taskId")
        status = text_of(call.input, "status")
        if status == "deleted":
            self.tasks.pop(number, None)
            return
        known = self.tasks.get(number, [f"#{number}", "pending"])
        state = _STATES.get(status, known[1])
        self._put(number, text_of(call.input, "subject") or known[0], state)

    def _put(self, number: str, subject: str, state: str) -> None:
        if number and subject:
            self.tasks[number[:20]] = [subject[:200], state]
            while len(self.tasks) > self.LIMIT:
                del self.tasks[next(iter(self.tasks))]
