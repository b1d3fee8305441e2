"""Prompts typed while the agent works: each becomes one prompt, by whichever way.

The queue's own records say that a text was put in (``enqueue``) and that some text
left (``dequeue``, ``remove``, ``popAll``).  What became of it is known from where it
arrives: as a user record when the turn is over, or within the turn as a
`queued_command` attachment.  Old versions and the desktop client deliver within the
turn without any record: then ``remove`` says so by its reason, or stands beside the
tool result that it was delivered with.  A text taken back into the input line or
removed otherwise was never said.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.claude_code.speaker import is_persons
from ibid.agents.events import QUEUED, Prompt
from ibid.agents.fields import text_of, texts_of

if TYPE_CHECKING:
    from ibid.agents.events import Head

_NEAR = 1_500  # Milliseconds between a delivery and its tool result.
_PENDING = 20
_PENDING_CHARS = 64_000
_DELIVERED = 20
_OPERATIONS = frozenset({"enqueue", "dequeue", "remove", "popAll"})
# Reasons of a removal that say that the agent was given the text.
_DELIVERED_BY = frozenset({"absorbed_mid_turn", "delivered_to_agent"})


class Pending(NamedTuple):
    """A text in the queue, and the record that put it there."""

    text: str
    at: int
    start: int
    end: int
    removed: int = -1  # When it left the queue and was perhaps delivered.
    sure: bool = False  # Its removal says that it was delivered.


class Queue:
    """The queue of one session's prompts."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._pending = [Pending(*item) for item in state.get("pending", [])]
        self._delivered: list[str] = list(state.get("delivered", []))
        self._answered: bool = state.get("answered", True)
        self._result_at: int = state.get("result", -1)

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {
            "pending": [list(item) for item in self._pending],
            "delivered": self._delivered,
            "answered": self._answered,
            "result": self._result_at,
        }

    def operate(self, value: dict[str, Any], head: Head, *, silent: bool) -> bool:
        """Follow one record of the queue; False if its operation is unknown.

        Args:
            value: the record.
            head: its head.
            silent: a removal without a reason can be a delivery without a record.
        """
        operation, reason = text_of(value, "operation"), text_of(value, "reason")
        text = "\n".join(texts_of(value, "content"))
        if operation == "enqueue":
            if is_persons(text):
                self.put(Pending(text, head.at, head.start, head.end))
        elif operation == "popAll":
            self._pending.clear()
        elif operation == "remove":
            if reason in _DELIVERED_BY or (not reason and silent):
                self.remove(head.at, text, sure=bool(reason))
            else:
                self.withdraw(text)
        return operation in _OPERATIONS

    def put(self, item: Pending) -> None:
        """A person's text was queued."""
        self._pending.append(item._replace(text=item.text.strip()))
        while (
            len(self._pending) > _PENDING
            or sum(len(entry.text) for entry in self._pending) > _PENDING_CHARS
        ):
            del self._pending[0]

    def remove(self, at: int, text: str, *, sure: bool) -> None:
        """A text left the queue, perhaps into the turn: `settle` decides.

        Args:
            at: when.
            text: which; "" in old versions, which deliver the first.
            sure: the record says that it was delivered.
        """
        text = text.strip()
        for number, item in enumerate(self._pending):
            if item.removed < 0 and (not text or item.text == text):
                self._pending[number] = item._replace(removed=at, sure=sure)
                return

    def withdraw(self, text: str) -> None:
        """A text left the queue and was not delivered."""
        text = text.strip()
        for item in self._pending:
            if item.removed < 0 and (not text or item.text == text):
                self._pending.remove(item)
                return

    def see_result(self, at: int) -> None:
        """A tool result came at this moment."""
        self._result_at = at

    def settle(self, head: Head) -> list[Prompt]:
        """Return the prompts that were delivered without a record of their own.

        To be asked when the next message comes: an attachment would stand before it.
        Their place is the record that queued them.
        """
        if not self._pending:
            return []
        prompts: list[Prompt] = []
        for item in [item for item in self._pending if item.removed >= 0]:
            self._pending.remove(item)
            if item.sure or _near(item.removed, self._result_at):
                self.note_delivered(item.text)
                prompts.append(_prompt(item, head))
        return prompts

    def arrive(self, text: str) -> bool:
        """Say whether ``text`` came through the queue, and take it out."""
        text = text.strip()
        found = [item for item in self._pending if item.text == text][:1]
        if not found:  # Several texts can arrive as one.
            parts = [item for item in self._pending if item.text in text]
            if len(parts) > 1 and text == "\n".join(item.text for item in parts):
                found = parts
        for item in found:
            self._pending.remove(item)
            self.note_delivered(item.text)
        return bool(found)

    def repeats(self, text: str, *, queued: bool) -> bool:
        """Say whether ``text`` is a second record of what was already delivered.

        A person may say the same words again: they are new once the agent has
        answered, unless the record itself says that they were ``queued``.
        """
        return _key(text) in self._delivered and (queued or not self._answered)

    def note_delivered(self, text: str) -> None:
        """Remember ``text`` as said, until the next turn begins."""
        self._delivered.append(_key(text))
        del self._delivered[:-_DELIVERED]
        self._answered = False

    def note_answer(self) -> None:
        """The agent said something."""
        self._answered = True

    def begin_turn(self) -> None:
        """Forget what was delivered; the same words may be said again."""
        self._delivered.clear()


def _prompt(item: Pending, head: Head) -> Prompt:
    mark = zlib.crc32(item.text.encode("utf-8", "replace"))
    place = head._replace(
        at=item.removed,
        id=f"queue:{head.session}:{item.at}:{mark:08x}",
        start=item.start,
        end=item.end,
    )
    return Prompt(place, item.text, QUEUED)


def _near(one: int, other: int) -> bool:
    """Say whether two moments are one event; an unknown moment is taken to be."""
    return other >= 0 and (one == 0 or other == 0 or abs(one - other) <= _NEAR)


def _key(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 200 else f"{len(text)}:{text[:120]}:{text[-60:]}"
