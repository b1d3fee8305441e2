"""What a hook leaves behind: import, settling and handoff, in a process of its own.

So people without an editor are served too.  Where an editor has the project open its
duties read the transcript, and only the end of a session is told here.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ibid.agents import events, hooks
from ibid.agents.registry import find_agent
from ibid.duties.follow import cwd_of, follow
from ibid.duties.rivals import note_rivals
from ibid.engine.keep import arrival
from ibid.engine.learn.context import Counts
from ibid.engine.memory import open_memory
from ibid.errors import IbidError, InputError
from ibid.faces.hooks import answering, log
from ibid.store import cursors, projects

if TYPE_CHECKING:
    from ibid.agents.hooks import Call
    from ibid.engine.memory import Memory

LAG = 1.0  # Seconds until an agent's last records are on disk, as a rule.
LEASE = 30_000  # Milliseconds.
PATIENCE = 20.0  # Seconds that another reader of the same file is waited for.


def run(given: str) -> None:
    """Do the tasks of one call; trouble goes to the log."""
    moment = agent = ""
    try:
        told = json.loads(given)
        tasks = told.pop("tasks")
        call = hooks.Call(**told)
        agent, moment = call.agent, call.moment
        if answering.IMPORT in tasks:
            time.sleep(LAG)
        memory = open_memory(_project(call))
        try:
            note_rivals(memory)  # For the next recall (Q1).
            do(memory, call, tasks)
        finally:
            memory.close()
    except Exception as error:
        log.write(agent, moment, f"afterwards: {log.named(error)}")


def do(memory: Memory, call: Call, tasks: list[str]) -> None:
    """Do ``tasks`` of ``call`` on its project's memory.

    Raises:
        StoreError: the store refused; what was stored before stays.
    """
    arrival.ensure_marked(memory, answering.arrived(call))
    reason = answering.purge_reason(call)
    if answering.PURGE in tasks and reason:
        answering.purge(memory, call, reason)
    if answering.IMPORT in tasks and memory.switches().master:
        _import(memory, call)


def _project(call: Call) -> str:
    """Return a folder of the session's project: its first one, if it is known (S1)."""
    path = Path(call.transcript)
    agent = find_agent(path) if call.transcript else None
    if agent is None:
        return call.cwd
    try:
        return cwd_of(agent, path) or call.cwd
    except InputError:
        return call.cwd


def _import(memory: Memory, call: Call) -> None:
    now = memory.clock.now()
    if not cursors.is_held(memory.store.read(), "duties", now):
        _follow(memory, call)
    if call.moment == hooks.END:
        head = events.Head(call.session, now, f"{call.session}:end@{now}")
        memory.apply(call.agent, [events.SessionEnded(head, call.source)])
    memory.settle()
    memory.handoffs.checkpoint()
    memory.handoffs.ensure_agents()


def _follow(memory: Memory, call: Call) -> None:
    """Read the transcript and its subagents', one process at a time."""
    path = Path(call.transcript)
    if not call.transcript or find_agent(path) is None:
        return
    name, holder = f"file:{path}", f"{os.getpid()}-{secrets.token_hex(4)}"
    until = time.monotonic() + PATIENCE
    while not _leased(memory, name, holder) and time.monotonic() < until:
        time.sleep(0.5)
    try:
        for one in [path, *sorted(path.with_suffix("").rglob("*.jsonl"))]:
            _read(memory, one)
    finally:
        with memory.store.write() as connection:
            cursors.drop_lease(connection, name, holder)


def _read(memory: Memory, path: Path) -> None:
    agent = find_agent(path)
    if agent is None or not path.is_file():
        return
    home = memory.home
    try:
        cwd = cwd_of(agent, path)
        if cwd and projects.project_of(cwd, home).key != memory.project.key:
            return
        for _ in follow(memory, agent, path, Counts(), final=False):
            pass
    except InputError:
        return  # It vanished meanwhile.


def _leased(memory: Memory, name: str, holder: str) -> bool:
    try:
        with memory.store.write() as connection:
            now = memory.clock.now()
            return cursors.take_lease(connection, name, holder, now, LEASE)
    except IbidError:
        return False
