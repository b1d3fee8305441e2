"""When a turn of the main conversation is over, and how it ended (B1).

Marks by reliability: the harness's ``turn_duration`` and ``stop_hook_summary``, a text
of the agent that a new prompt follows, the interruption marker, an API error as the
last word, and in newer versions the ``end_turn`` of a message with text.  The first
that is seen ends the turn; the others say nothing new.  A turn that goes on afterwards
is open again and ends once more.
"""

from __future__ import annotations

from typing import Any

from ibid.agents.events import CANCELLED, COMPLETED, FAILED, Head, TurnEnded


class Turns:
    """The open turn of one session."""

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self.open: bool = state.get("open", False)
        self._message: str = state.get("message", "")
        rest = state.get("rest")
        # The record of the agent's last text, while nothing followed it.
        self._rest: Head | None = Head(*rest) if rest else None

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        rest = list(self._rest) if self._rest else None
        return {"open": self.open, "message": self._message, "rest": rest}

    def begin(self) -> TurnEnded | None:
        """A prompt starts a turn; return the end of the turn before, if it rested."""
        ended = self._close(self._rest, COMPLETED) if self._rest else None
        self.open = True
        self._message = ""
        return ended

    def speak(self, head: Head, message: str, *, text: bool) -> None:
        """The agent said something; ``text`` if it was words for the person."""
        if not self.open and message and message == self._message:
            return  # A last block of the message that ended the turn.
        self.open = True
        self._message = message
        self._rest = head if text else None

    def work(self) -> None:
        """A tool answered: the agent has the word again."""
        self._rest = None

    def complete(self, head: Head) -> TurnEnded | None:
        """The harness says that the turn is over."""
        return self._close(head, COMPLETED)

    def end_message(self, message: str) -> TurnEnded | None:
        """The agent ended its turn with ``message``, if that held text."""
        if self._rest is None or message != self._message:
            return None
        return self._close(self._rest, COMPLETED)

    def cancel(self, head: Head) -> TurnEnded | None:
        """The person stopped the turn, or took its prompt back."""
        return self._close(head, CANCELLED)

    def leave(self, head: Head) -> TurnEnded | None:
        """The conversation goes on elsewhere: what had not ended is cancelled."""
        if self._rest:
            return self._close(self._rest, COMPLETED)
        return self._close(head, CANCELLED)

    def fail(self, head: Head, message: str) -> TurnEnded | None:
        """The request failed for good."""
        ended = self._close(head, FAILED)
        self._message = message
        return ended

    def _close(self, head: Head, status: str) -> TurnEnded | None:
        self._rest = None
        if not self.open:
            return None
        self.open = False
        return TurnEnded(head, status)
