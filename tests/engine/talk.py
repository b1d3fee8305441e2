"""A conversation for tests: says what an agent's transcript would tell."""

from __future__ import annotations

from itertools import count
from typing import Any

from ibid.agents import events as e
from ibid.agents.tools import flags_of
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock


class Talk:
    """One session; each call stores events at the clock's present moment."""

    numbers = count(1)

    def __init__(
        self, memory: Memory, clock: FixedClock, session: str = "s1", **seen: Any
    ) -> None:
        self.memory = memory
        self.clock = clock
        self.session = session
        self.agent = seen.pop("agent", "claude-code")
        self.apply(e.SessionSeen(self.head(), agent=self.agent, **seen))

    def head(self, scope: str = "") -> e.Head:
        """Return the head of the next event."""
        name = f"{self.session}-{next(self.numbers)}"
        return e.Head(self.session, self.clock.now(), name, scope)

    def apply(self, *events: e.Event) -> Any:
        """Store events; return what they made."""
        return self.memory.apply(self.agent, events)

    def ask(self, text: str, voice: str = e.TYPED, **fields: Any) -> Any:
        """Say something as the person."""
        return self.apply(e.Prompt(self.head(), text, voice, **fields))

    def answer(self, text: str = "Done.", message: str = "") -> Any:
        """Say something as the agent."""
        return self.apply(e.Answer(self.head(), text, "model", message))

    def tool(self, name: str = "Bash", output: str = "ok", **fields: Any) -> Any:
        """Use a tool; it flags the turn as a reader would say."""
        server = fields.get("mcp", "")
        flags = flags_of(fields.get("kind", "other"), server)
        fields.setdefault("flags", flags)
        return self.apply(e.Tool(self.head(), name, {}, output, **fields))

    def end(self, status: str = e.COMPLETED) -> Any:
        """End the turn."""
        return self.apply(e.TurnEnded(self.head(), status))

    def turn(self, text: str, answer: str = "Done.") -> None:
        """Play a whole turn of one request and one answer."""
        self.ask(text)
        self.answer(answer)
        self.end()
