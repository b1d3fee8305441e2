"""Whose thread a rollout is: sessions, subagents, forks and resumes.

Each thread has a rollout of its own.  A fork's and a subagent's begins with their own
``session_meta``, behind it those of their ancestors with copies of what was said
there.  Later ``session_meta`` records of the same thread are resumes.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ibid.agents.events import Head, SessionSeen
from ibid.agents.fields import count_of, dict_of, moment_of, text_of

MAIN = "main"
SIDE = "side"
# Threads that the harness runs for itself: their talk is nobody's work.
_INTERNAL = re.compile(
    r"compact|memory_consolidation|memories|guardian|guardian_review|auto_review"
)
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-", re.IGNORECASE)
# The clocks of the two ids are one; what differs is how long a start takes.
_START_MS = 2_000


class Thread(NamedTuple):
    """What a rollout's first `session_meta` says of it."""

    session: str  # The session it belongs to: its own, or the root's of a subagent.
    scope: str = ""  # The thread's own id if it is a subagent's.
    kind: str = MAIN
    parent: str = ""  # The session it was forked from.
    born: int = 0  # When it was made, in milliseconds.
    first: int = 0  # Ordinal of its first own record; 0 unknown.
    internal: bool = False
    copied: bool = False  # It may begin with copies of other threads' records.

    @property
    def is_subagent(self) -> bool:
        """Say whether agents speak in it in the person's place."""
        return bool(self.scope) or self.kind == SIDE


def read_thread(payload: dict[str, Any], name: str) -> Thread:
    """Return what a `session_meta` says; ``name`` is the thread's id if it has none."""
    own = text_of(payload, "id") or name
    sources = dict_of(payload, "source")
    source = sources.get("subagent")
    thread_source = text_of(payload, "thread_source")
    label, spawn = _subagent(source)
    forked = text_of(payload, "forked_from_id")
    parent = text_of(payload, "parent_thread_id") or text_of(spawn, "parent_thread_id")
    is_subagent = source is not None or thread_source == "subagent"
    base = dict_of(payload, "history_base")
    thread = Thread(
        own,
        parent=forked if forked != own else "",
        born=moment_of(payload, "timestamp"),
        first=count_of(payload, "subagent_history_start_ordinal")
        or count_of(base, "end_ordinal_exclusive"),
        internal=any(map(_INTERNAL.fullmatch, (label, thread_source)))
        or "internal" in sources,
        copied=bool(forked or parent),
    )
    if not is_subagent:
        return thread
    root = text_of(payload, "session_id")
    root = parent if root in {"", own} else root
    if not root:
        return thread._replace(kind=SIDE)
    return thread._replace(session=root, scope=own, kind="", parent="", copied=True)


def seen(
    payload: dict[str, Any], thread: Thread, head: Head, agent: str
) -> SessionSeen:
    """Return the event that tells of the thread."""
    git = dict_of(payload, "git")
    return SessionSeen(
        head,
        agent,
        cwd=text_of(payload, "cwd"),
        kind=thread.kind,
        parent=thread.parent,
        version=text_of(payload, "cli_version"),
        branch=text_of(git, "branch"),
    )


def made_at(key: str) -> int:
    """Return the moment that a time-sorted id (UUID 7) was made, 0 for other ids."""
    match = _UUID7.match(key)
    return int(match[1] + match[2], 16) if match else 0


def is_older(turn: str, thread: Thread) -> bool:
    """Say whether ``turn`` began before the thread was made: it is a copy."""
    made = made_at(turn)
    return 0 < made < thread.born - _START_MS


def _subagent(source: Any) -> tuple[str, dict[str, Any]]:
    """Return a subagent's label and what is said of how it was spawned."""
    if type(source) is str:
        return source, {}
    if type(source) is not dict:
        return "", {}
    spawn = dict_of(source, "thread_spawn")
    label = "spawn" if spawn else next(iter(source), "")
    return text_of(source, "other") or label, spawn
