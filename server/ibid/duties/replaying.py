"""Feed past transcripts to a replay, record by record in the order of time (P5).

A file is read line by line and gives what it tells at the moment that its lines have
come to; all files together are merged by those moments, so that sessions interleave as
they did.  Only files whose time has come are open.  Files that are written as a whole
give their events by their own moments.
"""

from __future__ import annotations

import heapq
import os
import random
import shutil
import stat
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents.events import SessionSeen
from ibid.agents.registry import WHOLE, load_agent
from ibid.duties import exporting, sources
from ibid.duties.importing import Found, Progress
from ibid.duties.storing import dated
from ibid.engine.replay.play import Moment, Player
from ibid.engine.replay.scratch import open_scratch
from ibid.engine.replay.sums import Report, add_up
from ibid.errors import (
    DisabledError,
    GoneError,
    InputError,
    StoreCorruptError,
    StoreError,
    StoreReadOnlyError,
)
from ibid.store import projects, registry, settings, transcripts
from ibid.store.connection import Store, translated
from ibid.store.locks import exclusive

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ibid.agents.events import Event
    from ibid.agents.registry import Agent
    from ibid.engine.memory import Memory
    from ibid.engine.replay.log import Fact
    from ibid.engine.replay.scratch import ScratchMemory

_BLOCK = 1 << 20  # Bytes read at a time.
_SCRATCH = "ibid-replay-"  # How the names of temporary folders begin.
_LOCK = "running"


class Timed(NamedTuple):
    """A moment of one file, and how many of its bytes are read by then."""

    moment: Moment
    bytes: int


def moments_of(one: Found, number: int) -> Iterator[Timed]:
    """Return what a transcript tells, record by record, at moments that only grow.

    What stands before the first moment of a file belongs to that moment.

    Raises:
        InputError: the file cannot be read; the message says why.
    """
    at = 0
    waiting: list[Event] = []
    for events, read in _records(one):
        at = max([at, *(event.head.at for event in events)])
        waiting += events
        if at and waiting:
            yield Timed(Moment(at, one.agent.AGENT, number, tuple(waiting)), read)
            waiting = []
    if waiting:
        yield Timed(Moment(at, one.agent.AGENT, number, tuple(waiting)), one.size)


def _records(one: Found) -> Iterator[tuple[list[Event], int]]:
    for path in sources.expand(one.agent, one.path):
        if one.agent.form(path) == WHOLE:
            yield from _of_document(one.agent, path, one)
        else:
            yield from _of_lines(one.agent, path)


def _of_lines(agent: Agent, path: Path) -> Iterator[tuple[list[Event], int]]:
    with sources.open_stream(agent, path) as stream:
        reader = agent.reader(path, None)
        offset, ahead = 0, 0
        begun: list[bytes] = []  # Pieces of a line whose end was not read yet.
        while True:
            data = stream.read(ahead, _BLOCK)
            ahead += len(data)
            *ends, rest = data.split(b"\n")
            for end in ends:
                line = b"".join([*begun, end, b"\n"])
                begun.clear()
                batch = reader.feed(line, offset)
                offset += len(line)
                if batch.events:
                    yield dated(batch.events, stream.at), offset
            begun.append(rest)
            if len(data) < _BLOCK:
                break
        line = b"".join(begun)
        batch = reader.feed(line, offset, final=True)
        if batch.events:
            yield dated(batch.events, stream.at), offset + len(line)


def _of_document(
    agent: Agent, path: Path, one: Found
) -> Iterator[tuple[list[Event], int]]:
    data = sources.load_document(agent, path)
    folder = sources.folder_beside(agent, path)
    reader = agent.reader(path, {"folder": folder} if folder else None)
    events = dated(reader.feed(data, 0, final=True).events, sources.changed_at(path))
    events = [_untitled(event) for event in events]
    record: list[Event] = []
    for event in events:
        if record and (event.head.at, event.head.id) != (
            record[-1].head.at,
            record[-1].head.id,
        ):
            yield record, one.size * record[-1].head.end // max(1, len(data))
            record = []
        record.append(event)
    if record:
        yield record, one.size


def _untitled(event: Event) -> Event:
    """Return a document's event without its title, which was given at the end."""
    return event._replace(title="") if isinstance(event, SessionSeen) else event


class Ground(NamedTuple):
    """Where a replay stands: whose sessions they are, and whose settings hold."""

    home: str  # The person's own data folder; it is only read.
    owner: str = ""  # The project of every session; "" by its own first folder (S1).
    elsewhere: str = ""  # The project of sessions that do not say where they were.


class ReplayRun:
    """One replay; iterate over `steps` to run it, then ask for its `report`.

    Nothing is written but a temporary folder, which is gone afterwards, whatever
    happened.
    """

    def __init__(
        self, files: list[Found], ground: Ground, keeper: Memory | None = None
    ) -> None:
        """``keeper`` is the memory whose kept transcripts are played as well (M5)."""
        self._files = list(files)
        self._ground = ground
        self._keeper = keeper
        self.facts: list[Fact] = []
        self.problems: list[str] = []
        self.files = 0  # That could be read.
        self.moments = 0
        self.bytes = 0
        self.seconds = 0.0

    def report(self) -> Report:
        """Return what the facts come to."""
        return add_up(self.facts, _chance("sums"))

    def steps(self) -> Generator[Progress, None, None]:
        """Play moment by moment; yields after each, so it can be stopped.

        A file that cannot be read is reported and passed over.

        Raises:
            DisabledError: Ibid is switched off by the environment (H3).
            StoreError: the scratch folder cannot be written.
        """
        if os.environ.get("IBID_DISABLE"):
            raise DisabledError("IBID_DISABLE is set: nothing is replayed.")
        begun = time.perf_counter()
        total = sum(one.size for one in self._files)
        with ExitStack() as stack:
            stack.enter_context(_no_room())
            folder = _scratch_folder(stack)
            stage = _Stage(self, folder, self._ground)
            stack.callback(stage.close)
            if self._keeper is not None:
                self._files += _kept_transcripts(self._keeper, folder, self.problems)
                total = sum(one.size for one in self._files)
            yield Progress(0, len(self._files), "looking through", 0, total)
            queue = _Queue(self._files, self.problems)
            for number, timed in queue:
                one = self._files[number]
                stage.play(one, timed.moment)
                self.moments += 1
                yield Progress(
                    queue.done, len(self._files), one.path.name, queue.bytes, total
                )
            self.files, self.bytes = queue.done, queue.bytes
        self.seconds = time.perf_counter() - begun


@contextmanager
def _no_room() -> Iterator[None]:
    """Say in one sentence that the temporary folder cannot be written.

    Raises:
        StoreReadOnlyError: instead of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot write the temporary folder ({error.strerror or error}). Nothing "
            "was kept; free some room, or name another one in TMPDIR."
        ) from error


def _scratch_folder(stack: ExitStack) -> str:
    """Return a new temporary folder that goes with ``stack``; it holds a lock.

    What a replay left that was killed goes first: its lock went with it.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_SCRATCH}*"):
        with suppress(OSError, StoreError):
            if _is_ours(left) and (left / f"{_LOCK}.lock").is_file():
                with exclusive(str(left / _LOCK), 0):
                    shutil.rmtree(left, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=_SCRATCH)
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    stack.enter_context(exclusive(str(Path(folder, _LOCK))))
    return folder


def _is_ours(folder: Path) -> bool:
    """Say whether a folder in a place that others share is this person's own."""
    status = folder.lstat()
    if sys.platform != "win32" and status.st_uid != os.getuid():
        return False
    return stat.S_ISDIR(status.st_mode)


class _Queue:
    """The moments of all files in the order of time; of a tie the older file's first.

    A file is opened when its first moment has come.
    """

    def __init__(self, files: list[Found], problems: list[str]) -> None:
        self._files = files
        self._problems = problems
        self._read: dict[int, int] = {}
        self.done = 0
        self.bytes = 0

    def __iter__(self) -> Iterator[tuple[int, Timed]]:
        heap: list[tuple[int, int, int, Timed | None, Iterator[Timed] | None]] = []
        for number, one in enumerate(self._files):
            first = self._next(moments_of(one, number))
            if first is not None:
                heap.append((first.moment.at, number, 0, None, None))
        heapq.heapify(heap)
        while heap:
            _, number, count, timed, moments = heapq.heappop(heap)
            if moments is None:
                moments = moments_of(self._files[number], number)
            elif timed is not None:
                self.bytes += timed.bytes - self._read.get(number, 0)
                self._read[number] = timed.bytes
                yield number, timed
            following = self._next(moments)
            if following is None:
                self.done += 1
                continue
            place = (following.moment.at, number, count + 1, following, moments)
            heapq.heappush(heap, place)

    def _next(self, moments: Iterator[Timed]) -> Timed | None:
        try:
            return next(moments, None)
        except InputError as error:
            if str(error) not in self._problems:
                self._problems.append(str(error))
            return None


class _Stage:
    """The scratch memories, one a project, and who plays to them."""

    def __init__(self, run: ReplayRun, folder: str, ground: Ground) -> None:
        self._run = run
        self._folder = folder
        self._ground = ground
        self._players: dict[str, Player] = {}
        self._memories: dict[str, ScratchMemory] = {}
        self._of_file: dict[Path, str] = {}
        self._barred: dict[str, frozenset[str]] = {}
        with suppress(OSError):  # Which folders belong together is the person's word.
            known = Path(ground.home, registry.REGISTRY)
            shutil.copy(known, Path(folder, registry.REGISTRY))

    def play(self, one: Found, moment: Moment) -> None:
        """Play a moment to the memory of its file's project."""
        key = self._key_of(one)
        barred = self._barred[key]
        if barred:
            events = (
                event for event in moment.events if event.head.session not in barred
            )
            moment = moment._replace(events=tuple(events))
        self._players[key].play(moment)

    def close(self) -> None:
        """Close every scratch memory."""
        for memory in self._memories.values():
            memory.close()

    def _key_of(self, one: Found) -> str:
        if one.path not in self._of_file:
            path = self._ground.owner
            if not path:
                path = sources.cwd_of(one.agent, one.path) or self._ground.elsewhere
            project = projects.project_of(path, self._folder)
            self._of_file[one.path] = project.key
            if project.key not in self._memories:
                self._open(project)
        return self._of_file[one.path]

    def _open(self, project: projects.Project) -> None:
        given, barred = _given(self._ground.home, project.path)
        memory = open_scratch(project.path, self._folder, _chance(project.key), given)
        self._memories[project.key] = memory
        self._barred[project.key] = barred
        self._players[project.key] = Player(memory, self._run.facts)


def _chance(seed: str) -> random.Random:
    """Return a chance that is the same each time: ids and samples are no secrets."""
    return random.Random(seed)  # noqa: S311


def _kept_transcripts(memory: Memory, folder: str, problems: list[str]) -> list[Found]:
    """Return the kept transcripts whose agent deleted them, written out again (M5)."""
    found = []
    for row in transcripts.list_kept(memory.store.read()):
        original = Path(row.path)
        if (sources.database_of(original) or original).exists():
            continue
        if original.with_name(f"{original.name}.zst").exists():
            continue
        path = Path(folder, "kept", str(row.id), *row.name.split("/"))
        path.parent.mkdir(parents=True)
        try:
            with path.open("xb") as file:
                for piece in exporting.read_transcript(memory, row):
                    file.write(piece)
        except (GoneError, StoreCorruptError) as error:
            problems.append(str(error))
            continue
        os.utime(path, ns=(row.at * 1_000_000, row.at * 1_000_000))
        found.append(Found(load_agent(row.agent), path, row.bytes))
    return found


def _given(home: str, path: str) -> tuple[dict[str, Any], frozenset[str]]:
    """Return a project's settings, and the sessions that may not be stored (H4, K3).

    The store is not migrated; whatever its schema, these tables were always there.

    Raises:
        StoreError: there is one, but it cannot be read: nobody knows what is private.
    """
    given = settings.load_global(home)
    database = Path(projects.project_of(path, home).database)
    if not database.is_file() or not database.stat().st_size:
        return given, frozenset()
    with closing(Store(str(database))) as store, translated(store.path):
        connection = store.read()
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            return given, frozenset()  # Its making was cut short.
        given |= settings.load_settings(connection)
        barred = {
            row[0]
            for row in connection.execute(
                "SELECT native FROM session WHERE write_policy = 'deny' OR hidden"
                " UNION SELECT substr(native, 9) FROM suppression"
                " WHERE native LIKE 'session:%'"
            )
        }
    return given, frozenset(barred)
