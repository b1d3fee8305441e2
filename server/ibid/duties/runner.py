"""What goes on while nobody asks: following transcripts, settling, putting to rest.

One thread a process.  Of the processes that have a project open, the one that holds
the lease follows its transcripts; every one of them notices what the others wrote.
"""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import AGENTS, DATABASE, load_agent
from ibid.duties import sources
from ibid.duties.follow import cwd_of, follow
from ibid.duties.watch import Watcher
from ibid.engine import index, reindex
from ibid.engine.keep import instructions
from ibid.engine.learn.context import Counts
from ibid.errors import IbidError, InputError, StoreError
from ibid.store import archive, backup, capacity, cursors, projects, transcripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.agents.registry import Agent
    from ibid.engine.keep.filenotes import Finding
    from ibid.engine.memory import Memory

logger = logging.getLogger(__name__)

TICK = 0.4  # Seconds between two looks at what changed.
SWEEP = 2.0
SETTLE = 5.0
INDEXING = 1.0  # At most, of every round of SETTLE.
REST = 60.0
LEASE = 15_000  # Milliseconds; renewed every `SETTLE` seconds.
_KINDS = {
    "notes": "SELECT count(*), total(version), total(uses) FROM memory UNION ALL"
    " SELECT count(*), total(id * (state = 'changed')), total(id * (state = 'gone'))"
    " FROM anchor",
    "candidates": "SELECT count(*), total(version) FROM candidate",
    "receipts": "SELECT coalesce(max(id), 0), total(version) FROM receipt",
    "turns": "SELECT count(*), coalesce(max(at), 0), total(version) FROM turn",
    "policy": "SELECT total(version) FROM session UNION ALL"
    " SELECT coalesce(max(at), 0) FROM setting",
}


class Change(NamedTuple):
    """What changed in one project."""

    memory: Memory
    kinds: tuple[str, ...]


class Settled(NamedTuple):
    """A candidate that became a note."""

    memory: Memory
    candidate: str
    note: str


class Checked(NamedTuple):
    """What there is to say about a project's note files, after it changed."""

    memory: Memory
    findings: dict[str, list[Finding]]


Event = Change | Settled | Checked


class Runner:
    """Runs the duties of the projects given by ``add``, until ``stop``.

    ``on_event`` is called on the runner's thread with each `Event`.
    """

    def __init__(self, on_event: Callable[[Event], None], watch: bool = True) -> None:
        self._on_event = on_event
        self._memories: dict[str, _Duty] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name="ibid-duties", daemon=True
        )
        self._watch = watch
        self._watcher = Watcher(agent_roots()) if watch else None
        self._owners: dict[Path, str | None] = {}
        self._marks: dict[Path, str] = {}  # Of sessions in databases.
        self._holder = f"{os.getpid()}-{secrets.token_hex(4)}"

    def add(self, memory: Memory) -> None:
        """Take on a project's duties; idempotent.

        What changes from now on is told, also what changes before the thread starts.
        """
        if memory.project.key not in self._memories:
            duty = _Duty(memory)
            duty.changed()
            self._memories[memory.project.key] = duty

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, give the leases back and wait a moment; idempotent."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2)
        for duty in list(self._memories.values()):
            duty.close()
            duty.release(self._holder)

    def drop(self, memory: Memory) -> None:
        """Let go of a project whose folder was closed, its handoffs written (O2)."""
        duty = self._memories.pop(memory.project.key, None)
        if duty is not None:
            duty.close()
            duty.release(self._holder)

    def is_importing(self, memory: Memory) -> bool:
        """Say whether transcripts of the project are being read right now."""
        duty = self._memories.get(memory.project.key)
        return duty is not None and duty.importing

    @property
    def degraded(self) -> str:
        """Why file events are missing, if they are."""
        return self._watcher.degraded if self._watcher else ""

    # -- the thread ----------------------------------------------------------------

    def _run(self) -> None:
        if self._watcher is not None:
            self._watcher.start()
        swept = settled = rested = 0.0
        while not self._stopping.wait(TICK):
            now = time.monotonic()
            if self._watcher is not None and now - swept >= SWEEP:
                self._watcher.sweep()
                swept = time.monotonic()
            self._follow_changed()
            due = now - settled >= SETTLE
            resting = now - rested >= REST
            for duty in list(self._memories.values()):
                self._one(duty, due, resting)
            settled = now if due else settled
            rested = now if resting else rested
        if self._watcher is not None:
            self._watcher.stop()

    def _one(self, duty: _Duty, due: bool, resting: bool) -> None:
        """Do a project's share; trouble is logged once and tried again."""
        try:
            if due:
                duty.renew(self._holder)
                for candidate, note in duty.memory.settle():
                    self._on_event(Settled(duty.memory, candidate, note))
                duty.memory.eraser.run()
                findings = duty.sync_files()
                if findings is not None:
                    self._on_event(Checked(duty.memory, findings))
                duty.memory.anchors.refresh(seek=resting)
                if duty.leads:
                    duty.hand_on()
                    duty.complete_index()
            if resting and duty.leads:
                duty.rest()
            kinds = duty.changed()
            if kinds:
                self._on_event(Change(duty.memory, kinds))
            duty.trouble = ""
        except IbidError as error:
            duty.complain(error)

    def _follow_changed(self) -> None:
        if self._watcher is None:
            return
        for path in self._changed(self._watcher.take()):
            if self._stopping.is_set():
                return
            duty = self._duty_of(path)
            if duty is None:
                continue
            if not duty.leads and not duty.renew(self._holder):
                continue
            self._follow(duty, path)

    def _changed(self, paths: set[Path]) -> list[Path]:
        """Return the transcripts that changed; of a database, sessions that did."""
        found: list[Path] = []
        for path in sorted({sources.changed_file(one) for one in paths}):
            agent = sources.agent_of(path)
            if agent is not None and agent.form(path) == DATABASE:
                found += self._changed_sessions(agent, path)
            else:
                found.append(path)
        return found

    def _changed_sessions(self, agent: Agent, database: Path) -> list[Path]:
        if not self._memories:
            return []
        home = next(iter(self._memories.values())).memory.home
        found: list[Path] = []
        try:
            stored = sources.list_sessions(agent, database)
        except InputError:
            return []  # It is locked or half made; its next change is noticed.
        for one in stored:
            path = database / f"{one.session}.json"
            if self._marks.get(path) == one.mark or not one.folder:
                continue
            self._marks[path] = one.mark
            self._owners[path] = projects.project_of(one.folder, home).key
            found.append(path)
        return found

    def _duty_of(self, path: Path) -> _Duty | None:
        """Return the open project that a transcript belongs to (S1)."""
        owner = self._owners.get(path)
        if owner is None:
            owner = self._owner_of(path)
            if owner is not None:
                self._owners[path] = owner
        return self._memories.get(owner or "")

    def _owner_of(self, path: Path) -> str | None:
        agent = sources.agent_of(path)
        if agent is None or not self._memories:
            return None
        home = next(iter(self._memories.values())).memory.home
        try:
            cwd = cwd_of(agent, path)
            return projects.project_of(cwd, home).key if cwd else None
        except InputError:
            return None

    def _follow(self, duty: _Duty, path: Path) -> None:
        agent = sources.agent_of(path)
        assert agent is not None
        if not duty.memory.switches().master:
            return
        duty.importing = True
        try:
            for _ in follow(duty.memory, agent, path, Counts(), final=False):
                if self._stopping.is_set():
                    return
        except StoreError as error:
            duty.complain(error)
            if self._watcher is not None:
                self._watcher.note(path)
        except InputError:
            self._owners.pop(path, None)  # It vanished between notice and read.
        finally:
            duty.importing = False


class _Duty:
    """One project's duties, and whether this process leads them."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.leads = False
        self.importing = False
        self.trouble = ""
        self._untold = ""
        self._proposed = ""
        self._findings: dict[str, list[Finding]] = {}
        self._version = -1
        self._marks: dict[str, tuple[object, ...]] = {}
        self._indexing = reindex.steps(memory)

    def renew(self, holder: str) -> bool:
        """Take or renew the lease; say whether this process leads."""
        if self.memory.store.read_only:
            self.leads = False
            return False
        with self.memory.store.write() as connection:
            now = self.memory.clock.now()
            self.leads = cursors.take_lease(connection, "duties", holder, now, LEASE)
        return self.leads

    def release(self, holder: str) -> None:
        """Give the lease back."""
        if not self.leads:
            return
        self.leads = False
        try:
            with self.memory.store.write() as connection:
                cursors.drop_lease(connection, "duties", holder)
        except StoreError:
            return  # It runs out by itself.

    def sync_files(self) -> dict[str, list[Finding]] | None:
        """Bring note files and notes together, in every process (O1).

        Returns what is to be said about them, if that changed.
        """
        filenotes = self.memory.filenotes
        filenotes.publish()
        filenotes.scan()
        found = filenotes.findings()
        if found == self._findings:
            return None
        self._findings = found
        return found

    def hand_on(self) -> None:
        """Write the handoffs that are due, and who works now (O2, O4)."""
        handoffs = self.memory.handoffs
        handoffs.checkpoint()
        handoffs.ensure_agents()
        if handoffs.trouble and handoffs.trouble != self._untold:
            logger.warning("handoffs of %s cannot be written", self.memory.project.name)
        self._untold = handoffs.trouble

    def complete_index(self) -> None:
        """Put in for a second what a restore or a new version left out of the index."""
        until = time.monotonic() + INDEXING
        for _ in self._indexing:
            if time.monotonic() > until:
                return  # The next round goes on from there.

    def close(self) -> None:
        """Write what is due when the workspace closes, if this process leads (O2)."""
        if not self.leads:
            return
        try:
            self.memory.handoffs.checkpoint(closing=True)
        except IbidError as error:
            self.complain(error)

    def rest(self) -> None:
        """Put to rest what is old: hot texts go cold, quiet transcripts are packed."""
        more = True
        while more:
            with self.memory.store.write() as connection:
                now = self.memory.clock.now()
                more = archive.freeze(connection, now)
                more = transcripts.pack_step(connection, now) or more
        self._keep_cap()
        self._back_up()
        self._proposed = instructions.propose(self.memory, self._proposed)

    def _keep_cap(self) -> None:
        """Let the oldest archived texts and transcripts go when the cap is reached."""
        store, cap = self.memory.store, self.memory.switches().cap
        if capacity.usage(store.read()).total <= cap:
            return
        more = True
        while more:
            with store.write() as connection:
                now = self.memory.clock.now()
                more = capacity.evict(connection, cap, now, index.unindex_archived).more
        store.give_back()

    def _back_up(self) -> None:
        """Back up once a day, and copy archive frames that are new."""
        path, now = self.memory.project.database, self.memory.clock.now()
        if backup.is_due(path, now):
            while backup.copy_verbatim(path):
                pass
            backup.write_backup(path, now)

    def changed(self) -> tuple[str, ...]:
        """Return what kinds of rows changed since the last call, by any process."""
        store = self.memory.store
        version = store.changes()
        if version == self._version:
            return ()
        self._version = version
        kinds = []
        for kind, sql in _KINDS.items():
            mark = tuple(tuple(row) for row in store.read().execute(sql))
            if self._marks.get(kind, mark) != mark:
                kinds.append(kind)
            self._marks[kind] = mark
        return tuple(kinds)

    def complain(self, error: IbidError) -> None:
        """Log trouble once, not at every tick."""
        if self.trouble != error.code:
            logger.warning("duties of %s: %s", self.memory.project.name, error.code)
        self.trouble = error.code


def agent_roots() -> list[Path]:
    """Return the transcript folders of every agent Ibid can read, existing or not.

    Some are patterns, and some are files (see `sources.expanded_roots`).
    """
    home = Path.home()
    return [
        root for name in AGENTS for root in load_agent(name).roots(os.environ, home)
    ]
