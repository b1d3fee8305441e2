"""What one hook call does with a project's memory, each part by itself (Q4, G7).

First what may be stored of the session, then what its reader no longer has, then what
it is given.  A part that fails leaves the others alone; but where it could not be
written down what a session may recall, nothing is given.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents import hooks
from ibid.engine.keep import arrival
from ibid.engine.memory import open_existing
from ibid.faces.hooks.log import named
from ibid.store.connection import HOOK_BUSY_MS
from ibid.store.cursors import is_held

if TYPE_CHECKING:
    from ibid.agents.hooks import Call
    from ibid.engine.memory import Memory

# What is left to a process of its own.
MARK, PURGE, IMPORT = "mark", "purge", "import"

_GOES_ON = (hooks.RESUME, hooks.CLEAR, hooks.COMPACT, hooks.FORK)


class Served(NamedTuple):
    """What a call came to."""

    text: str  # To be given to the agent; "" nothing.
    troubles: tuple[str, ...]
    after: tuple[str, ...]  # Tasks that are left.


def serve(call: Call, may_answer: bool) -> Served:
    """Do what a call asks for; whatever fails is named, never raised."""
    try:
        memory = open_existing(call.cwd, busy_ms=HOOK_BUSY_MS)
    except Exception as error:
        return Served("", (f"not opened: {named(error)}",), _unopened(call))
    if memory is None:
        return Served("", ("no memory of this project",), _unopened(call))
    try:
        return _Serving(memory, call).serve(may_answer)
    finally:
        memory.close()


class _Serving:
    """One call on an open memory."""

    def __init__(self, memory: Memory, call: Call) -> None:
        self._memory = memory
        self._call = call
        self._troubles: list[str] = []
        self._after: list[str] = []

    def serve(self, may_answer: bool) -> Served:
        """Mark, purge, answer, and say what is left."""
        marked = self._mark()
        self._purge()
        text = ""
        if may_answer and marked:
            try:
                text = self._answer()
            except Exception as error:
                self._troubles.append(named(error))
        self._leave_import()
        return Served(text, tuple(self._troubles), tuple(self._after))

    def _mark(self) -> bool:
        try:
            arrival.ensure_marked(self._memory, arrived(self._call))
        except Exception as error:
            self._troubles.append(f"not marked: {named(error)}")
            self._after.append(MARK)
            return False
        return True

    def _purge(self) -> None:
        reason = purge_reason(self._call)
        if not reason or not self._memory.switches().master:
            return
        try:
            purge(self._memory, self._call, reason)
        except Exception as error:
            self._troubles.append(f"not purged: {named(error)}")
            self._after.append(PURGE)

    def _answer(self) -> str:
        call, memory = self._call, self._memory
        if call.moment == hooks.PROMPT:
            return self._recalled()
        if call.moment == hooks.SUBAGENT:
            found = memory.subagent_start(
                call.session, call.agent, call.role, call.scope
            )
        else:
            source = call.source or hooks.STARTUP
            found = memory.session_start(call.session, call.agent, call.role, source)
        return found or ""

    def _recalled(self) -> str:
        from ibid.engine.model import RecallRequest

        call = self._call
        asked = RecallRequest(
            call.prompt, call.session, call.agent, call.role, hooks.ROOM
        )
        found = self._memory.recall(asked)
        self._troubles += found.troubles
        if found.block is None:
            return ""
        if found.receipt is None:  # Nothing is sent that no receipt tells of (I1).
            self._troubles.append("no receipt could be written")
            return ""
        return found.block

    def _leave_import(self) -> None:
        """Leave import, settling and handoff, unless an editor is at it already."""
        if self._call.moment not in (hooks.STOP, hooks.END):
            return
        memory = self._memory
        if _is_silent() or not memory.switches().master:
            return
        now = memory.clock.now()
        busy = is_held(memory.store.read(), "duties", now)
        if self._call.moment == hooks.END or not busy:
            self._after.append(IMPORT)


def arrived(call: Call) -> arrival.Arrival:
    """Return the session of a call as the engine knows it."""
    fresh = call.source in ("", hooks.STARTUP, hooks.CLEAR)
    return arrival.Arrival(
        session=call.session,
        agent=call.agent,
        role="" if call.scope else call.role,
        kind=call.kind,
        cwd=call.cwd,
        is_new=call.moment == hooks.START and fresh,
    )


def purge_reason(call: Call) -> str:
    """Return why the reader's context began anew, or "" if it did not (N4)."""
    if call.moment in (hooks.COMPACTING, hooks.COMPACTED):
        return "compacted"
    if call.moment == hooks.START and call.source in _GOES_ON:
        return "compacted" if call.source == hooks.COMPACT else call.source
    return ""


def purge(memory: Memory, call: Call, reason: str) -> None:
    """Let nothing that the reader was shown before count any more (N4).

    A compaction is one reader's; what goes on elsewhere, or anew, is all of them.
    """
    from ibid.engine.ledger.epochs import Ending, end_epoch

    arrival.ensure_arrived(memory, arrived(call))
    scope = call.scope if reason == "compacted" else None
    end_epoch(memory, Ending(call.session, scope, reason, call.agent))


def _unopened(call: Call) -> tuple[str, ...]:
    """Return what is left where there is no memory yet: its beginning, or a mark."""
    if arrival.mark_of(arrived(call), os.environ) is not None:
        return (MARK,) if call.moment in (hooks.START, hooks.END) else ()
    if call.moment in (hooks.STOP, hooks.END) and not _is_silent():
        return (IMPORT,)
    return ()


def _is_silent() -> bool:
    return bool(os.environ.get("IBID_DISABLE") or os.environ.get("IBID_NO_CAPTURE"))
