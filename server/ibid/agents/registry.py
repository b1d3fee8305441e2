"""Which agents Ibid can read, and how their readers are reached.

Adding an agent is adding one folder and one row here.  Readers are imported only when
a file of theirs is read, so that a hook never pays for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ibid.agents.events import Batch


class Reader(Protocol):
    """Turns the bytes of one transcript file into events, piece by piece.

    A reader is made for one file and fed its bytes in order.  ``state`` is everything
    it must remember between two pieces, as plain JSON values; a new reader made with it
    goes on where the other stopped, in another process and another week.
    """

    def feed(self, data: bytes, offset: int, *, final: bool = False) -> Batch:
        """Return the events in ``data``, which starts at byte ``offset`` of the file.

        Only whole lines are used; ``Batch.consumed`` says how many bytes that were.
        The rest is to be given again with more behind it, until a piece is longer than
        `ibid.agents.lines.LINE_CAP`: such a line is skipped.  With ``final`` a last
        line without newline is used too.  Never raises for what the bytes hold.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values.

        A few kB as a rule; more while a tool call with a long input is open.
        """
        ...


class TranscriptFile(Protocol):
    """What a file's name and place say about it."""

    session: str
    scope: str


class Agent(Protocol):
    """The module ``ibid.agents.<agent>.transcript``."""

    AGENT: str

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """Return the folders in which this agent keeps transcripts, existing or not."""
        ...

    def accepts(self, path: Path) -> bool:
        """Say by name alone whether ``path`` is a transcript of this agent."""
        ...

    def describe(self, path: Path) -> TranscriptFile:
        """Return the session and subagent that ``path`` is named after; "" unknown."""
        ...

    def reader(self, path: Path, state: dict[str, Any] | None = None) -> Reader:
        """Return a reader for the file at ``path``, which is not opened."""
        ...


_MODULES = {
    "neutral": "ibid.agents.neutral.transcript",
    "claude-code": "ibid.agents.claude_code.transcript",
}

AGENTS = tuple(_MODULES)


def load_agent(name: str) -> Agent:
    """Return the reader module of agent ``name``.

    Raises:
        InputError: no such agent is known.
    """
    if name not in _MODULES:
        known = ", ".join(sorted(_MODULES))
        raise InputError(f"Unknown agent {name!r}; known are {known}.")
    module: Any = import_module(_MODULES[name])
    return module  # type: ignore[no-any-return]


def find_agent(path: Path) -> Agent | None:
    """Return the first agent whose transcripts are named like ``path``, or None."""
    for name in _MODULES:
        agent = load_agent(name)
        if agent.accepts(path):
            return agent
    return None
