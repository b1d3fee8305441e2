"""The canonical events: what every agent's transcript is turned into.

A reader (one folder an agent) maps bytes to these events; the engine knows no other
form.  Each event names its session by the agent's own id, the moment in milliseconds
since the epoch (0: unknown), its own native id (unique within the agent, or "") and
the bytes of the source file it came from, so that forks and resumes share instead of
doubling and a person can be shown the place.  ``scope`` is "" for the main thread and
the subagent's id otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

# Who is speaking in a `Prompt` (B2).  Only the voices of a person may teach.
TYPED = "typed"
QUEUED = "queued"
REFUSAL = "refusal"
ANSWER = "answer"
PLAN = "plan"
COMMAND = "command"
AGENT = "agent"
INJECTED = "injected"
PERSON_VOICES = frozenset({TYPED, QUEUED, REFUSAL, ANSWER, PLAN, COMMAND})

# Provenance flags of a turn (B7): used, not merely available.
MCP = "mcp"
FILES = "files"
IMAGES = "images"
CHATS = "chats"
BROWSER = "browser"
TOOLS = "tools"
RECALLED = "recalled"
OUTSIDE_FILES = "outside-files"
OUTSIDE_FLAGS = frozenset({MCP, BROWSER, CHATS, IMAGES, OUTSIDE_FILES})

# How a turn ended (B1).
COMPLETED = "completed"
CANCELLED = "cancelled"
FAILED = "failed"


class Head(NamedTuple):
    """What every event carries."""

    session: str  # The agent's own id of the conversation.
    at: int = 0  # Milliseconds since the epoch; 0 when the source does not say.
    id: str = ""  # Native record id, unique within the agent; "" when it has none.
    scope: str = ""  # "" main thread, else the subagent's id.
    start: int = 0  # First byte of the record in its source file.
    end: int = 0  # One past its last byte.


class SessionSeen(NamedTuple):
    """A session exists; later ones of the same session add what was unknown."""

    head: Head
    agent: str = ""
    role: str = ""  # "" means the agent's name.
    cwd: str = ""  # Its working directory at this moment.
    kind: str = ""  # main | quick | side; "" unknown.
    parent: str = ""  # The session it was forked or resumed from.
    title: str = ""
    version: str = ""  # The agent's own version, for the drift alarm.
    branch: str = ""  # The Git branch, as logged.


class Prompt(NamedTuple):
    """Text that a person, or somebody in their place, sent to the agent."""

    head: Head
    text: str
    voice: str = TYPED
    author: str = "person"  # person | agent | harness
    flags: tuple[str, ...] = ()


class Answer(NamedTuple):
    """Text of the agent, as shown to the person.

    The blocks of one message carry the same ``message``; in order they are one answer.
    """

    head: Head
    text: str
    author: str = ""  # The model's name, as logged.
    message: str = ""


class Tool(NamedTuple):
    """A finished tool call; its output is what the model saw."""

    head: Head  # ``id`` is the tool call's id, unique over all files.
    name: str
    input: dict[str, Any]
    output: str = ""
    error: bool = False
    mcp: str = ""  # The MCP server's name, when it was an MCP tool.
    kind: str = "other"  # read | edit | write | exec | search | web | agent | other
    flags: tuple[str, ...] = ()  # What the call adds to its turn's provenance (B7).


class Read(NamedTuple):
    """Lines of a file that a reader was shown (N1, N5)."""

    head: Head
    path: str  # As the agent named it, made absolute by the session's directory.
    first: int = 1
    last: int = 0  # Inclusive; 0: to the end of ``text``.
    text: str = ""  # Exactly those lines, without line numbers.
    total: int = 0  # Lines of the whole file when known, else 0.
    stub: bool = False  # The agent itself answered "unchanged": nothing was shown.


class Edit(NamedTuple):
    """A file changed by the agent."""

    head: Head
    path: str
    before: str | None = None  # The replaced text or the whole file; None: unknown.
    after: str = ""
    whole: bool = False  # ``before`` and ``after`` are whole files.


class Usage(NamedTuple):
    """Tokens of one request, as logged; the last of one ``id`` counts (P1)."""

    head: Head  # ``id`` is the message's id.
    input: int = 0  # Without cached tokens.
    output: int = 0
    cached: int = 0  # Read from the cache.
    written: int = 0  # Written to the cache.
    model: str = ""


class TurnEnded(NamedTuple):
    """The agent's own end mark of a turn (B1)."""

    head: Head
    status: str = COMPLETED


class Compacted(NamedTuple):
    """The context of ``scope`` was compacted; what it had read is gone (N4).

    One compaction may be told twice under one ``head.id``: at its boundary, and once
    more with its summary.
    """

    head: Head
    trigger: str = ""
    summary: str = ""  # A model's claim: never a person's voice.


class Boundary(NamedTuple):
    """The context of ``scope`` changed otherwise: resume, rewind, clear or gap (N4)."""

    head: Head
    reason: str = ""


class Injected(NamedTuple):
    """Text that a hook or the harness put before the model; teaches nothing (G6)."""

    head: Head
    source: str  # Hook or attachment name.
    text: str
    own: bool = False  # It is a block, hint or handoff of ours come back.


class Todo(NamedTuple):
    """The agent's to-do list or accepted plan, for the handoff (O2)."""

    head: Head
    items: tuple[tuple[str, str], ...]  # (text, pending | active | done)
    plan: str = ""


class SessionEnded(NamedTuple):
    """The conversation is over, as far as its agent says."""

    head: Head
    reason: str = ""


Event = (
    SessionSeen
    | Prompt
    | Answer
    | Tool
    | Read
    | Edit
    | Usage
    | TurnEnded
    | Compacted
    | Boundary
    | Injected
    | Todo
    | SessionEnded
)


class Batch(NamedTuple):
    """What one call of a reader made of the bytes it was given."""

    events: list[Event]
    skipped: int  # Lines that could not be read; each was counted once.
    unknown: dict[str, int]  # Record kinds this reader does not know: a drift alarm.
    consumed: int  # Bytes used; the rest is a half-written last line.
