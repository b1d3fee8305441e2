"""Import whole transcripts: given files and folders, or all that agents keep here.

One `ImportRun` reports as it goes and stops between two transactions when asked; a
second run of the same files adds nothing.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import AGENTS, load_agent
from ibid.duties import sources
from ibid.duties.follow import cwd_of, follow
from ibid.engine.learn import ingest
from ibid.engine.learn.context import Counts
from ibid.errors import DisabledError, InputError
from ibid.store import archive, candidates, projects, transcripts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ibid.agents.registry import Agent
    from ibid.engine.memory import Memory


class Progress(NamedTuple):
    """How far an import is."""

    done: int  # Files.
    files: int
    name: str
    bytes: int
    total: int


class Report:
    """What an import made, as ``ibid import --json`` prints it."""

    def __init__(self) -> None:
        self.counts = Counts()
        self.skipped = 0
        self.unknown: dict[str, int] = {}
        self.bytes = 0
        self.seconds = 0.0
        self.problems: list[str] = []

    def as_dict(self) -> dict[str, object]:
        """Return the report's fields by their names on the wire."""
        return {
            **self.counts.as_dict(),
            "skippedLines": self.skipped,
            "unknownKinds": dict(sorted(self.unknown.items())),
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "problems": self.problems,
        }


class Found(NamedTuple):
    """A transcript and the agent that wrote it."""

    agent: Agent
    path: Path  # A file's, or a session's in a database (see `sources`).
    size: int


def find_transcripts(paths: Iterable[Path]) -> list[Found]:
    """Return the transcripts at and below ``paths``, oldest first.

    Their names and places decide whose they are, else their first bytes.

    Raises:
        InputError: a path does not exist, or a file is of no agent Ibid can read.
    """
    found: list[Found] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"No file or folder at {path}.")
        if path.is_dir():
            found += _below(path, sniff=True)
            continue
        here = _transcripts(path, sniff=True)
        if not here:
            raise InputError(
                f"{path} is not a transcript of an agent Ibid can read "
                f"({', '.join(AGENTS)}); neutral events end in .ibid.jsonl."
            )
        found += here
    return sorted(dict.fromkeys(found), key=lambda one: _age(one.path))


def machine_transcripts(env: dict[str, str], home: Path) -> list[Found]:
    """Return every transcript that the agents of this machine keep."""
    found: list[Found] = []
    for name in AGENTS:
        for root in sources.expanded_roots(load_agent(name).roots(env, home)):
            found += _below(root)
    return sorted(dict.fromkeys(found), key=lambda one: _age(one.path))


def named_transcripts(env: dict[str, str], home: Path, session: str) -> list[Found]:
    """Return the transcripts of this machine whose path holds a session's id."""
    found: list[Found] = []
    for name in AGENTS:
        for root in sources.expanded_roots(load_agent(name).roots(env, home)):
            for path in _files(root):
                if session in str(path):
                    found += _transcripts(path)
    return list(dict.fromkeys(found))


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            yield Path(base, name)


def _below(folder: Path, *, sniff: bool = False) -> list[Found]:
    """Return the transcripts below ``folder``; what cannot be read is passed over."""
    found: list[Found] = []
    for file in _files(folder):
        with suppress(InputError):
            found += _transcripts(file, sniff=sniff)
    return found


def _transcripts(path: Path, *, sniff: bool = False) -> list[Found]:
    """Return the transcripts in a file: none, itself, or a database's sessions.

    Raises:
        InputError: a database cannot be read.
    """
    agent = sources.agent_of(path, sniff=sniff)
    if agent is None:
        return []
    try:
        real, size = path.resolve(), path.stat().st_size
    except OSError:
        return []
    stored = sources.expand(agent, real)
    return [Found(agent, one, size // len(stored)) for one in stored]


def _age(path: Path) -> tuple[int, str]:
    return sources.changed_at(path), str(sources.database_of(path) or path)


class ImportRun:
    """One import; iterate over `steps` to run it.

    With ``owner`` every session goes there; without, each session's own first working
    directory decides (S1), through ``opener``; it gets "" when a file does not say.
    """

    def __init__(
        self,
        files: list[Found],
        owner: Memory | None,
        opener: Callable[[str], Memory] | None = None,
    ) -> None:
        self._files = files
        self._owner = owner
        self._opener = opener
        self._touched: dict[str, Memory] = {}
        self.report = Report()

    def steps(self) -> Iterator[Progress]:
        """Import file by file; yields after every transaction, so it can be stopped.

        A file that cannot be read is reported and passed over.

        Raises:
            DisabledError: the master switch is off: nothing is imported (H4).
            StoreError: the store refused; what was stored before stays.
        """
        begun = time.perf_counter()
        total = sum(one.size for one in self._files)
        before = 0
        for done, one in enumerate(self._files):
            read = 0
            try:
                for step in self._file(one):
                    read += step
                    yield Progress(
                        done, len(self._files), one.path.name, before + read, total
                    )
            except InputError as error:
                self.report.problems.append(str(error))
            before += one.size
        for memory in self._touched.values():
            yield from self._finish(memory, len(self._files), total)
        self.report.seconds = time.perf_counter() - begun

    def _file(self, one: Found) -> Iterator[int]:
        memory = self._memory_of(one)
        if not memory.switches().master:
            raise DisabledError(
                "Ibid is switched off here (master switch or IBID_DISABLE): nothing "
                "was imported. `ibid policy set master on` turns it on."
            )
        self._touched[memory.project.key] = memory
        for step in follow(memory, one.agent, one.path, self.report.counts):
            self.report.bytes += step.consumed
            self.report.skipped += step.skipped
            for kind, count in step.unknown.items():
                known = self.report.unknown.get(kind, 0)
                self.report.unknown[kind] = known + count
            yield step.consumed

    def _memory_of(self, one: Found) -> Memory:
        if self._owner is not None:
            return self._owner
        assert self._opener is not None
        return self._opener(cwd_of(one.agent, one.path))

    def _finish(self, memory: Memory, files: int, total: int) -> Iterator[Progress]:
        """Presume what is idle, and put to rest what is old."""
        with memory.store.write() as connection:
            context = memory.context("")
            ingest.presume_idle(connection, context, self.report.counts)
            candidates.count_repeats(connection)
        more = True
        while more:
            with memory.store.write() as connection:
                now = memory.clock.now()
                more = archive.freeze(connection, now)
                more = transcripts.pack_step(connection, now) or more
            yield Progress(files, files, "packing", total, total)


def belongs(one: Found, memory: Memory) -> bool:
    """Say whether a transcript's first working directory is in the project (S1)."""
    try:
        cwd = cwd_of(one.agent, one.path)
    except InputError:
        return False
    return bool(cwd) and projects.project_of(cwd, memory.home).key == memory.project.key
