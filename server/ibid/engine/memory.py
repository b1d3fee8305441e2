"""One project's memory, wired: what every face calls.

``memory.recall``, ``memory.search``, ``memory.notes.pin``, ``memory.queue.accept`` …
The engine gets its clock and ids from here; it knows no protocol and reads no file.
Each part is imported when it is first used: a hook pays for what it needs (R3).
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ibid.engine.keep import policy
from ibid.engine.model import Clock, Ids, SystemClock
from ibid.errors import InputError, StoreReadOnlyError
from ibid.store import findings, projects, settings
from ibid.store.connection import BUSY_MS, Store
from ibid.store.schema import ensure_schema, is_current

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.agents.events import Event
    from ibid.engine.keep import account, instructions
    from ibid.engine.keep.anchors import Anchors
    from ibid.engine.keep.erase import Eraser
    from ibid.engine.keep.filenotes import FileNotes
    from ibid.engine.keep.notes import Notes
    from ibid.engine.keep.queue import Queue
    from ibid.engine.keep.sessions import Sessions
    from ibid.engine.learn.context import Context, Counts
    from ibid.engine.ledger.handoffs import Handoffs
    from ibid.engine.ledger.history import FileHistory
    from ibid.engine.ledger.ledger import Ledger
    from ibid.engine.ledger.parallel import Parallel
    from ibid.engine.ledger.reread import Answer
    from ibid.engine.model import ReadRequest, RecallRequest, SearchRequest
    from ibid.engine.recall import expanding, searching
    from ibid.engine.recall import recall as recalling
    from ibid.engine.recall.reports import Receipts
    from ibid.files import gate, writer
    from ibid.store import restore

_KEY = "key"
_FIRST_SEEN = "firstSeen"


class Memory:
    """The memory of one project, for the threads of one process."""

    def __init__(
        self, project: projects.Project, home: str, store: Store, clock: Clock
    ) -> None:
        self.project = project
        self.home = home
        self.store = store
        self.clock = clock
        self.ids = Ids(clock)
        self.key, self.first_seen = self._identity()
        self.healed = ""  # What was done about a damaged file when it was opened.

    def recall(self, request: RecallRequest) -> recalling.Recalled:
        """Return the block for a prompt, with its receipt, or why there is none."""
        from ibid.engine.recall.recall import recall

        return recall(self, request)

    def preview(self, request: RecallRequest) -> recalling.Recalled:
        """Return what a prompt would get: no receipt, no cost, no use (R4)."""
        from ibid.engine.recall.recall import preview

        return preview(self, request)

    def session_start(
        self, session: str, agent: str = "", role: str = "", source: str = "startup"
    ) -> str | None:
        """Return what a starting or compacted session is told, or None (O3).

        Once a start; ``source`` is ``startup``, ``clear``, ``resume`` or ``compact``.
        """
        from ibid.engine.ledger import starting

        start = starting.Start(session, agent, role, source)
        return starting.session_start(self, start)

    def preview_instructions(self, wanted: instructions.Wanted) -> instructions.Preview:
        """Return an edit of an agent's instruction file; a person applies it (C6)."""
        from ibid.engine.keep.instructions import preview

        return preview(self, wanted)

    def write_instructions(self, made: instructions.Preview) -> writer.Written:
        """Write a previewed edit that a person said yes to (C6).

        A file that changed since the preview stays; ours goes beside it.

        Raises:
            InputError: the file cannot be written; the message says why.
        """
        from ibid.files import writer

        data = made.after.encode("utf-8", "surrogateescape")
        return writer.write_file(self.project.path, made.path, data, made.digest)

    def subagent_start(
        self, session: str, agent: str, role: str, scope: str
    ) -> str | None:
        """Return what a starting subagent of a session is told, or None: once (O3)."""
        from ibid.engine.ledger import starting

        start = starting.Start(session, agent, role, "subagent", scope)
        return starting.session_start(self, start)

    def search(self, request: SearchRequest) -> searching.Found:
        """Search all layers; never an error, whatever the query (F4)."""
        from ibid.engine.recall.searching import search

        return search(self, request)

    def expand(
        self, name: str, reveal: bool = False, part: expanding.Part | None = None
    ) -> expanding.Expanded:
        """Return the text that a handle, number or turn names, or a part of it (M2)."""
        from ibid.engine.recall.expanding import WHOLE, expand

        return expand(self, name, reveal, part or WHOLE)

    def report(self, days: int = 30) -> account.Report:
        """Return what memory cost and saved, per role, feature and day (P2)."""
        from ibid.engine.keep.account import report

        return report(self, days)

    def enable(self, feature: str, role: str = "") -> list[str]:
        """Turn a demoted feature on again, for every role or one; return which (P3).

        Raises:
            InputError: no such feature.
        """
        from ibid.engine.keep.demote import enable

        return enable(self, feature, role)

    def read(self, request: ReadRequest, content: bytes | str) -> Answer:
        """Return the lines of a file that a reader has to be given (N2).

        ``content`` is the file as it is now, or the text of an unsaved buffer.

        Raises:
            InputError: the file is binary, or has no such lines.
        """
        return self.ledger.read(request, content)

    def reads(self, path: str, text: str | None = None) -> FileHistory:
        """Return who read or changed a file, when, and what changed since (N7).

        ``text`` is the file as it is now; None when it is gone or no text.
        """
        return self.ledger.file_history([path], text)

    def settle(self) -> list[tuple[str, str]]:
        """Promote what is due; return (candidate, note) ids of each (C).

        Once an hour what the control group tells is judged as well (P3, P6).
        """
        from ibid.engine.keep import comparing
        from ibid.engine.learn import ingest, settle
        from ibid.engine.learn.context import Counts

        if self.store.read_only or not self.switches().master:
            return []
        comparing.review(self)
        settled: list[tuple[str, str]] = []
        while True:
            with self.store.write() as connection:
                context = self.context("")
                ingest.presume_idle(connection, context, Counts())
                batch = settle.settle(connection, context)
            settled += batch
            if len(batch) < settle.BATCH:
                return settled

    def apply(self, agent: str, events: Sequence[Event]) -> Counts:
        """Store events of ``agent`` that come from no file; one transaction."""
        from ibid.engine.learn import ingest

        work = ingest.Ingest(self.context(agent))
        with self.store.write() as connection:
            work.apply(connection, events)
        return work.counts

    def find_file(self, relative: str) -> gate.FileRow | None:
        """Return a file of the project as it is now, or None when there is none.

        A replay knows it only as far as it was seen until then (P5).

        Raises:
            InputError: it may not be read; the message says why.
        """
        from ibid.files import gate

        return gate.find_file(self.project.path, relative)

    # -- parts ---------------------------------------------------------------------

    @cached_property
    def notes(self) -> Notes:
        """The notes, episodes and profile."""
        from ibid.engine.keep.notes import Notes

        return Notes(self)

    @cached_property
    def anchors(self) -> Anchors:
        """What of the code the notes name, and whether it is still so (R4)."""
        from ibid.engine.keep.anchors import Anchors

        return Anchors(self)

    @cached_property
    def filenotes(self) -> FileNotes:
        """The notes that are files (O1)."""
        from ibid.engine.keep.filenotes import FileNotes

        return FileNotes(self)

    @cached_property
    def queue(self) -> Queue:
        """The candidates that wait for a person or their time."""
        from ibid.engine.keep.queue import Queue

        return Queue(self)

    @cached_property
    def receipts(self) -> Receipts:
        """What was injected."""
        from ibid.engine.recall.reports import Receipts

        return Receipts(self)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions and their presets."""
        from ibid.engine.keep.sessions import Sessions

        return Sessions(self)

    @cached_property
    def eraser(self) -> Eraser:
        """What erases for good."""
        from ibid.engine.keep.erase import Eraser

        return Eraser(self)

    @cached_property
    def parallel(self) -> Parallel:
        """The sessions that work now."""
        from ibid.engine.ledger.parallel import Parallel

        return Parallel(self)

    @cached_property
    def handoffs(self) -> Handoffs:
        """What one session leaves to the next."""
        from ibid.engine.ledger.handoffs import Handoffs

        return Handoffs(self)

    @cached_property
    def ledger(self) -> Ledger:
        """What each reader was shown."""
        from ibid.engine.ledger.ledger import Ledger

        return Ledger(self)

    # -- what holds ----------------------------------------------------------------

    def switches(self) -> policy.Switches:
        """Return the switches that hold for this project now (H2, H3, Q1)."""
        stored = settings.load_settings(self.store.read())
        general = settings.load_global(self.home)
        holds = policy.effective(general, stored)
        found = findings.load(self.home, self.project.key)
        if found:
            from ibid.engine.keep import rivals

            beside = rivals.held_back(found, general, stored)
            holds = holds._replace(beside=beside)
        return holds

    def included(self) -> list[str]:
        """Return the roots of the projects that a person lets recall use (S2)."""
        if not os.path.exists(os.path.join(self.home, projects.INCLUDES)):
            return []
        from ibid.store import includes

        return includes.included(self.home, self.project.key)

    def allow_rival(self, name: str) -> None:
        """Let ``name`` be active beside Ibid, on the record, for every project (Q1).

        Raises:
            InputError: no such rival is known.
        """
        from ibid.engine.keep import rivals

        known = [one.name for one in rivals.RIVALS]
        if name not in known:
            raise InputError(f"No rival {name!r}. There are: {', '.join(known)}.")
        settings.ensure_global(self.home, findings.ALLOW + name, self.clock.now())

    def policies(self) -> dict[str, dict[str, Any]]:
        """Return the global settings, the project's own, and what holds."""
        general = settings.load_global(self.home)
        own = settings.load_settings(self.store.read())
        holds = policy.effective(general, own)._asdict()
        holds["settling"] //= 60_000
        holds["cap"] //= policy.MEGABYTE
        holds["archive.secrets"] = holds.pop("secrets")
        holds["privacy.exclude"] = list(holds.pop("exclude"))
        names = tuple(policy.DEFAULTS)
        return {
            "global": {name: general.get(name) for name in names},
            "project": {name: own.get(name) for name in names},
            "effective": {name: holds[name] for name in names},
        }

    def set_policy(self, scope: str, name: str, value: Any) -> dict[str, Any]:
        """Set a global or project setting; None inherits again.

        Raises:
            InputError: no such setting, or a value it cannot have.
        """
        policy.check_setting(name, value)
        if scope == "global":
            settings.ensure_global(self.home, name, value)
        else:
            with self.store.write(durable=True) as connection:
                settings.ensure_setting(connection, name, value, self.clock.now())
        return self.policies()

    def context(self, agent: str, transcript: int | None = None) -> Context:
        """Return what learning needs to know, at this moment."""
        from ibid.engine.learn.context import Context

        return Context(
            agent=agent,
            now=self.clock.now(),
            switches=self.switches(),
            key=self.key,
            first_seen=self.first_seen,
            new_id=self.ids.new,
            transcript=transcript,
        )

    def close(self) -> None:
        """Close the store; idempotent."""
        self.store.close()

    def _identity(self) -> tuple[bytes, int]:
        """Return the project's secret key and when it was first seen; made once."""
        found = settings.load_settings(self.store.read())
        if _KEY not in found and not self.store.read_only:
            with self.store.write(durable=True) as connection:
                found = settings.load_settings(connection)
                if _KEY not in found:
                    now = self.clock.now()
                    found = {_KEY: os.urandom(32).hex(), _FIRST_SEEN: now}
                    for name, value in found.items():
                        settings.ensure_setting(connection, name, value, now)
        key = bytes.fromhex(found.get(_KEY, "00" * 32))
        return key, int(found.get(_FIRST_SEEN, 0))


def open_memory(
    path: str,
    home: str | None = None,
    clock: Clock | None = None,
    busy_ms: int = BUSY_MS,
) -> Memory:
    """Open the memory of the project that ``path`` is in, made if it is new.

    A damaged file is set aside and the newest good backup takes its place; then
    ``memory.healed`` says what happened, for the person.

    Raises:
        InputError: ``path`` cannot be one.
        StoreError: the database cannot be opened; the message says what to do.
    """
    folder = projects.home_folder(home)
    project = projects.project_of(path, folder)
    clock = clock or SystemClock()
    healed = _heal(project.database, clock)
    store = Store(project.database, busy_ms)
    try:
        ensure_schema(store)
        if not store.read_only:
            projects.ensure_folder(project)
        memory = Memory(project, folder, store, clock)
        memory.healed = "" if healed is None else str(healed)
        return memory
    except BaseException:
        store.close()
        raise


def open_existing(
    path: str,
    home: str | None = None,
    clock: Clock | None = None,
    busy_ms: int = BUSY_MS,
) -> Memory | None:
    """Open the memory of the project that ``path`` is in, if there is one (G7).

    Nothing is made, migrated, healed or looked for elsewhere: what is missing, empty or
    of another schema counts as none.  For hooks, which must not pay for more.

    Raises:
        InputError: ``path`` cannot be one.
        StoreError: the database cannot be opened.
    """
    folder = projects.home_folder(home)
    project = projects.project_of(path, folder)
    try:
        if not os.path.getsize(project.database):
            return None
    except OSError:
        return None
    store = Store(project.database, busy_ms)
    try:
        if is_current(store):
            return Memory(project, folder, store, clock or SystemClock())
    except BaseException:
        store.close()
        raise
    store.close()
    return None


def _heal(database: str, clock: Clock) -> restore.Healed | None:
    from ibid.store import restore

    try:
        return restore.heal(database, clock.now())
    except StoreReadOnlyError:
        return None  # Nothing can be moved there; reading goes on as far as it can.
