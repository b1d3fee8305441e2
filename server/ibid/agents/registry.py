"""Which agents Ibid can read, and how their readers are reached.

Adding an agent is adding one folder and one row here.  Readers are imported only when
a file of theirs is read, so that a hook never pays for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ibid.agents.events import Batch

    Query = Callable[[str, tuple[Any, ...]], list[dict[str, Any]]]


APPEND = "append"
"""The file only grows; it is read on from where it was left."""

PACKED = "packed"
"""The same, compressed with Zstandard; its reader is fed what is in it."""

WHOLE = "whole"
"""The file is written anew by its agent; a reader is fed all of it, in one piece."""

DATABASE = "database"
"""A SQLite file that holds many sessions; a reader is fed a document of each."""

SNIFF = 4096
"""Bytes from the start of a file that `find_agent` wants to see."""


class Reader(Protocol):
    """Turns the bytes of one transcript file into events, piece by piece.

    A reader is made for one file and fed its bytes in order.  ``state`` is everything
    it must remember between two pieces, as plain JSON values; a new reader made with it
    goes on where the other stopped, in another process and another week.

    Where the file is no `APPEND` or `PACKED` one, a new reader is made each time and
    fed the whole document with ``final``; then every event has a native id, by which
    what was told before is known again.
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


class Stored(NamedTuple):
    """A session in a database."""

    session: str
    folder: str  # Its working directory, "" unknown.
    mark: str  # Another text as soon as anything of the session changed.


class Agent(Protocol):
    """The module ``ibid.agents.<agent>.transcript``."""

    AGENT: str

    def roots(self, env: Mapping[str, str], home: Path) -> list[Path]:
        """Return the folders in which this agent keeps transcripts, existing or not."""
        ...

    def accepts(self, path: Path) -> bool:
        """Say by name alone whether ``path`` is a transcript of this agent."""
        ...

    def sniff(self, head: bytes) -> bool:
        """Say whether a file that begins with ``head`` is one of this agent's.

        For files by other names than the agent gives them; in doubt it is not.
        """
        ...

    def form(self, path: Path) -> str:
        """Return how the file is written: `APPEND`, `PACKED`, `WHOLE`, `DATABASE`."""
        ...

    def describe(self, path: Path) -> TranscriptFile:
        """Return the session and subagent that ``path`` is named after; "" unknown."""
        ...

    def folder_of(self, path: Path, read: Callable[[Path], str]) -> str:
        """Return the working directory that files beside ``path`` tell, or "".

        ``read`` returns a small file's text, "" if there is none.  For agents whose
        transcripts do not say where they were made.
        """
        ...

    def reader(self, path: Path, state: dict[str, Any] | None = None) -> Reader:
        """Return a reader for the file at ``path``, which is not opened.

        A new one can be told by ``{"folder": DIR}`` what `folder_of` found.
        """
        ...


class Database(Agent, Protocol):
    """An agent that keeps its sessions in a `DATABASE`, opened by whoever may."""

    def sessions(self, query: Query, session: str = "") -> list[Stored]:
        """Return the sessions in the database, oldest first, or the one asked for."""
        ...

    def document(self, query: Query, session: str) -> bytes:
        """Return the document of a session that its reader is fed; b"" if gone."""
        ...


_MODULES = {
    "neutral": "ibid.agents.neutral.transcript",
    "codex": "ibid.agents.codex.transcript",
    "opencode": "ibid.agents.opencode.transcript",
    "gemini": "ibid.agents.gemini.transcript",
    "copilot": "ibid.agents.copilot_cli.transcript",
    "vscode-copilot": "ibid.agents.copilot_vscode.transcript",
    "cursor": "ibid.agents.cursor.transcript",
    "claude-code": "ibid.agents.claude_code.transcript",
}
# Its names are any: it gets what no other agent knows by name or content.
_LAST = "claude-code"

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


def find_agent(path: Path, head: bytes | None = None) -> Agent | None:
    """Return the agent whose transcript ``path`` is, or None.

    Its name and place decide; if they do not, and the first `SNIFF` bytes are given as
    ``head``, its content.
    """
    others = [load_agent(name) for name in _MODULES if name != _LAST]
    for agent in others:
        if agent.accepts(path):
            return agent
    if head is not None:
        for agent in others:
            if agent.sniff(head):
                return agent
    last = load_agent(_LAST)
    return last if last.accepts(path) else None
