"""Sessions as a person sees them: list, preset, and what a preset takes back (H)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ibid.engine.keep import policy
from ibid.engine.keep.arrival import Arrival, mark_of
from ibid.errors import AmbiguousError, DisabledError, NotFoundError
from ibid.store import candidates, sessions, settings
from ibid.store.memories import shared_length

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

_SHORTEST = 8  # Characters of an id that is shortened; blocks show as many.
_ANY_CASE = "native COLLATE NOCASE"  # As a session is found by the beginning of it.


class Sessions:
    """The sessions of one project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def page(self, limit: int = 100, offset: int = 0) -> tuple[list[Row], int]:
        """Return one page of sessions, newest first, and how many there are."""
        connection = self._memory.store.read()
        rows = sessions.list_sessions(connection, limit, offset)
        return rows, sessions.count_sessions(connection)

    def load(self, name: str) -> Row:
        """Return the session whose native id is, or uniquely starts with, ``name``.

        Raises:
            NotFoundError, AmbiguousError: none, or several, start so.
        """
        return load_session(self._memory.store.read(), name)

    def short(self, native: str) -> str:
        """Return an id's shortest unique prefix, at least eight characters of it."""
        connection = self._memory.store.read()
        shared = shared_length(connection, "session", _ANY_CASE, native)
        return native[: max(_SHORTEST, shared + 1)]

    def check_readable(self, session: str, agent: str) -> None:
        """Refuse memory to a session that may not read it (H1, H2, H4).

        Raises:
            DisabledError: the master switch or the session's preset says no.
        """
        memory = self._memory
        if not memory.switches().master:
            raise DisabledError("Ibid is switched off here.")
        connection = memory.store.read()
        row = sessions.find_session(connection, session) if session else None
        if policy.read_policy(row, agent) == policy.DENY:
            raise DisabledError("This session's preset does not recall.")

    def check_writable(self, session: str, agent: str) -> Row | None:
        """Return a session's row, if there is one and it may teach (H2, H4).

        Raises:
            DisabledError: a switch, the environment or the session's preset says no.
        """
        memory = self._memory
        if not memory.switches().learn:
            raise DisabledError("Learning is switched off here.")
        connection = memory.store.read()
        row = sessions.find_session(connection, session) if session else None
        if row is not None and (reason := policy.may_learn(memory.switches(), row)):
            raise DisabledError(f"Nothing is learned here: {reason}.")
        mark = mark_of(Arrival(session, agent), os.environ)
        if row is None and mark is not None and mark.write == policy.DENY:
            raise DisabledError("This session's preset does not learn.")
        return row

    def preset(self, name: str, preset: str) -> Row:
        """Give a running session a preset; denied writing withdraws its candidates.

        Raises:
            InputError: no such preset.
        """
        memory = self._memory
        with memory.store.write(durable=True) as connection:
            row = load_session(connection, name)
            read, write = policy.policies_of(preset, row["agent"])
            values = {"preset": preset, "read": read, "write": write}
            sessions.set_policy(connection, row["id"], values)
            if write == policy.DENY:
                candidates.withdraw_session(
                    connection,
                    row["id"],
                    f"the session is {preset}",
                    memory.clock.now(),
                )
            seen = load_session(connection, row["native"])
        if write == policy.DENY and not memory.store.read_only:
            memory.handoffs.refresh()
            memory.handoffs.ensure_agents()
        return seen

    def preset_next(self, agent: str, preset: str) -> dict[str, str]:
        """Give an agent's next session a preset (H1).

        Raises:
            InputError: no such preset.
        """
        memory = self._memory
        read, write = policy.policies_of(preset, agent)
        with memory.store.write(durable=True) as connection:
            name = f"nextPreset:{agent}"
            settings.ensure_setting(connection, name, preset, memory.clock.now())
        return {"session": "", "preset": preset, "read": read, "write": write}


def load_session(connection: Connection, name: str) -> Row:
    """Return the session whose native id is, or uniquely starts with, ``name``.

    Raises:
        NotFoundError, AmbiguousError: none, or several, start so.
    """
    exact = sessions.find_session(connection, name)
    if exact is not None:
        return exact
    found = sessions.find_sessions(connection, name) if name else []
    if not found:
        raise NotFoundError(
            f"No session {name!r} in this project. `ibid session list` shows them."
        )
    if len(found) > 1:
        shown = ", ".join(row["native"] for row in found)
        raise AmbiguousError(f"{name!r} is the start of several sessions: {shown} …")
    return found[0]
