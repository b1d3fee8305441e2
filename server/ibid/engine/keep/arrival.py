"""What a hook tells of a session: that it is there, and what may be stored of it (H).

A hook is the only one who sees the environment that its agent runs in.  Its single
write tells a watcher elsewhere, which reads that agent's transcript, to leave the
session alone (H3).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy
from ibid.store import sessions, settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

# Kinds of sessions that recall and are not learned from (G8).
RECALL_ONLY = frozenset({"quick", "side"})


class Arrival(NamedTuple):
    """A session as a hook saw it."""

    session: str
    agent: str
    role: str = ""
    kind: str = ""  # main | quick | side; "" unknown.
    cwd: str = ""
    is_new: bool = False  # It starts now, and goes on from no other.


class Mark(NamedTuple):
    """What a session's row is to say of it."""

    preset: str
    read: str
    write: str
    is_forced: bool  # Whatever a person chose for the session before (H3).


def ensure_marked(
    memory: Memory, arrival: Arrival, environ: Mapping[str, str] = os.environ
) -> bool:
    """Write what the environment and the session's kind say of it; idempotent.

    Says whether something had to be written: as a rule nothing has.  A preset that
    waits for the agent's next session is given to one that is new (H1).

    Raises:
        StoreError: it could not be written; nothing was.
    """
    connection = memory.store.read()
    mark = mark_of(arrival, environ)
    waiting = arrival.is_new and _waiting(connection, arrival.agent)
    if mark is None and not waiting:
        return False
    row = sessions.find_session(connection, arrival.session, arrival.agent)
    if not waiting and row is not None and not _differs(row, arrival, mark):
        return False
    with memory.store.write() as connection:
        now = memory.clock.now()
        row = ensure_known(connection, arrival, now)
        if waiting and row["preset"] == "default":
            take_next_preset(connection, row, now)
            row = ensure_known(connection, arrival, now)
        if mark is not None and _differs(row, arrival, mark):
            _set(connection, row, mark, now)
    return True


def mark_of(arrival: Arrival, environ: Mapping[str, str]) -> Mark | None:
    """Return what the environment, or else the session's kind, says; None: nothing."""
    preset = environ.get("IBID_PRESET", "")
    given = preset in policy.PRESETS and preset != "default"
    if not given and arrival.kind in RECALL_ONLY:
        preset, given = "recall-only", True
    read, write = policy.policies_of(preset, arrival.agent) if given else ("", "")
    if environ.get("IBID_DISABLE"):
        return Mark("private", policy.DENY, policy.DENY, True)
    if environ.get("IBID_NO_CAPTURE"):
        return Mark("custom", read or policy.INHERIT, policy.DENY, True)
    return Mark(preset, read, write, False) if given else None


def ensure_arrived(memory: Memory, arrival: Arrival) -> None:
    """Make the session known with what the hook saw of it; idempotent."""
    row = sessions.find_session(
        memory.store.read(), arrival.session, arrival.agent or None
    )
    if row is None:
        with memory.store.write() as connection:
            ensure_known(connection, arrival, memory.clock.now())


def ensure_known(connection: Connection, arrival: Arrival, now: int) -> Row:
    """Return the session's row, made if a transcript has not told of it yet."""
    facts = sessions.SessionFacts(
        arrival.agent,
        arrival.session,
        role=arrival.role or arrival.agent,
        kind=arrival.kind,
        cwd=arrival.cwd,
        at=now,
    )
    return sessions.ensure_session(connection, facts)


def take_next_preset(connection: Connection, session: Row, now: int) -> None:
    """Give a new session the preset that waits for its agent's next one (H1)."""
    name = f"nextPreset:{session['agent']}"
    preset = settings.find_setting(connection, name)
    if preset not in policy.PRESETS:
        return
    read, write = policy.policies_of(preset, session["agent"])
    values = {"preset": preset, "read": read, "write": write}
    sessions.set_policy(connection, session["id"], values)
    settings.ensure_setting(connection, name, None, now)


def _waiting(connection: Connection, agent: str) -> bool:
    name = f"nextPreset:{agent}"
    return settings.find_setting(connection, name) in policy.PRESETS


def _differs(row: Row, arrival: Arrival, mark: Mark | None) -> bool:
    """Say whether the row has to change; a person's own choice is not taken back."""
    if arrival.kind and row["kind"] != arrival.kind:
        return True
    if mark is None or (row["read_policy"], row["write_policy"]) == mark[1:3]:
        return False
    if mark.is_forced:
        return bool(row["write_policy"] != policy.DENY)
    return bool(row["preset"] == "default")


def _set(connection: Connection, row: Row, mark: Mark, now: int) -> None:
    """Store the mark; what was learned before does not become memory (C4)."""
    read = mark.read
    if mark.is_forced and row["read_policy"] == policy.DENY:
        read = policy.DENY
    values = {"preset": mark.preset, "read": read, "write": mark.write}
    sessions.set_policy(connection, row["id"], values)
    if mark.write == policy.DENY:
        from ibid.store.candidates import withdraw_session

        withdraw_session(connection, row["id"], "the session is not learned from", now)
