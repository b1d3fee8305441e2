"""Where transcripts are: files, packed files, documents, sessions in a database.

A session in a database has a path of its own, as if the database were a folder:
``opencode.db/ses_1.json``.  What is read from it is the document of that session.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from ibid.agents.events import SessionSeen
from ibid.agents.registry import (
    DATABASE,
    PACKED,
    SNIFF,
    WHOLE,
    Database,
    find_agent,
)
from ibid.errors import InputError
from ibid.store.foreign import open_foreign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.agents.registry import Agent, Stored

PEEK = 256 * 1024  # Bytes read to learn a file's working directory.
LARGEST = 256 * 1024 * 1024  # Bytes of the largest document that is read.
UNPACKED = 4 * 1024 * 1024 * 1024  # Bytes that a packed file may hold.
_WINDOW = 128 * 1024 * 1024  # Bytes that unpacking may need to remember.
_BESIDE = 64 * 1024  # Bytes of a small file that names a folder.
_SNIFFED = frozenset({".json", ".jsonl", ".zst"})
_WAL = "-wal"


class Stream(Protocol):
    """The bytes of a transcript, read from left to right."""

    device: str  # Device and inode; "" if the bytes alone say which file it is.
    size: int  # Of the file on disk.
    at: int  # When it last changed, in milliseconds.

    def read(self, offset: int, size: int) -> bytes:
        """Return ``size`` bytes from ``offset``, fewer only at the end."""
        ...


@contextmanager
def open_stream(agent: Agent, path: Path) -> Iterator[Stream]:
    """Give the bytes of an appended file, unpacked if it is packed.

    Raises:
        InputError: the file cannot be read, or not unpacked; the message says why.
    """
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if agent.form(path) == PACKED:
                yield _Packed(path, file, status)
            else:
                yield _Plain(file, status)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error


def load_document(agent: Agent, path: Path) -> bytes:
    """Return a whole document, of a file or of a session in a database.

    Raises:
        InputError: it cannot be read, is gone, or is too large.
    """
    database = database_of(path)
    if database is not None:
        with open_foreign(str(database)) as query:
            data = cast("Database", agent).document(query, path.stem)
        if not data:
            raise InputError(f"There is no session {path.stem} in {database} any more.")
    else:
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    if len(data) > LARGEST:
        raise InputError(f"{path} is larger than {LARGEST:,} bytes; it is not read.")
    return data


def list_sessions(agent: Agent, database: Path, session: str = "") -> list[Stored]:
    """Return the sessions in a database, or the one asked for.

    Raises:
        InputError: the database cannot be read.
    """
    with open_foreign(str(database)) as query:
        return cast("Database", agent).sessions(query, session)


def mark_of(agent: Agent, path: Path) -> str:
    """Return what changes whenever a session in a database does; "" for files.

    Raises:
        InputError: the database cannot be read.
    """
    database = database_of(path)
    if database is None:
        return ""
    found = list_sessions(agent, database, path.stem)
    return found[0].mark if found else ""


def expand(agent: Agent, path: Path) -> list[Path]:
    """Return the transcripts at ``path``: itself, or the sessions of a database.

    Raises:
        InputError: the database cannot be read.
    """
    if agent.form(path) != DATABASE:
        return [path]
    return [path / f"{one.session}.json" for one in list_sessions(agent, path)]


def database_of(path: Path) -> Path | None:
    """Return the database that a session's path is in, None for a file."""
    return path.parent if path.parent.suffix == ".db" else None


def changed_file(path: Path) -> Path:
    """Return the file that changed when ``path`` did: a database's log is its."""
    return path.with_name(path.name.removesuffix(_WAL))


def changed_at(path: Path) -> int:
    """Return when a transcript last changed, in milliseconds; 0 if it is gone."""
    try:
        return (database_of(path) or path).stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def agent_of(path: Path, *, sniff: bool = False) -> Agent | None:
    """Return the agent whose transcript ``path`` is, or None.

    With ``sniff`` its first bytes are read, if its name does not decide.  A packed
    file is none while the plain one lies beside it.
    """
    if path.suffix == ".zst" and path.with_suffix("").exists():
        return None
    if not sniff or path.suffix not in _SNIFFED:
        return find_agent(path)
    try:
        with path.open("rb") as file:
            head = file.read(SNIFF)
    except OSError:
        return find_agent(path)
    return find_agent(path, head)


def key_of(path: Path) -> str:
    """Return the name under which a file's cursor and bytes are kept.

    Packing a file does not make it another one.
    """
    return str(path).removesuffix(".zst")


def cwd_of(agent: Agent, path: Path) -> str:
    """Return the first working directory that a file, or one beside it, tells (S1).

    Raises:
        InputError: the file cannot be read.
    """
    database = database_of(path)
    if database is not None:
        found = list_sessions(agent, database, path.stem)
        return found[0].folder if found else ""
    folder = folder_beside(agent, path)
    if folder:
        return folder
    if agent.form(path) == WHOLE:
        data, final = load_document(agent, path), True
    else:
        with open_stream(agent, path) as stream:
            data, final = stream.read(0, PEEK), False
    for event in agent.reader(path, None).feed(data, 0, final=final).events:
        if isinstance(event, SessionSeen) and event.cwd:
            return event.cwd
    return ""


def folder_beside(agent: Agent, path: Path) -> str:
    """Return the working directory that files beside a transcript name, or ""."""
    return agent.folder_of(path, _small_text)


def expanded_roots(roots: list[Path]) -> list[Path]:
    """Return the folders and files that patterns such as ``a/*/b`` name now."""
    found: list[Path] = []
    for root in roots:
        plain = next((n for n, part in enumerate(root.parts) if "*" in part), None)
        if plain is None:
            found.append(root)
            continue
        base = Path(*root.parts[:plain])
        try:
            found += sorted(base.glob(str(Path(*root.parts[plain:]))))
        except OSError:
            continue
    return found


def _small_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_BESIDE).decode("utf-8", "replace")
    except OSError:
        return ""


class _Plain:
    """A file as it is."""

    def __init__(self, file: BinaryIO, status: os.stat_result) -> None:
        self.device = f"{status.st_dev}:{status.st_ino}"
        self.size = status.st_size
        self.at = status.st_mtime_ns // 1_000_000
        self._file = file

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)


class _Packed:
    """What is in a file compressed with Zstandard; going back begins anew."""

    def __init__(self, path: Path, file: BinaryIO, status: os.stat_result) -> None:
        self.device = ""
        self.size = status.st_size
        self.at = status.st_mtime_ns // 1_000_000
        self._path = path
        self._file = file
        self._start = 0  # Of the buffer, in what is unpacked.
        self._buffer = b""
        self._begin()

    def read(self, offset: int, size: int) -> bytes:
        if offset < self._start:
            self._begin()
        while self._start + len(self._buffer) < offset + size:
            over = max(0, min(offset - self._start, len(self._buffer)))
            self._buffer = self._buffer[over:]
            self._start += over
            if self._start > UNPACKED:
                raise InputError(f"{self._path} holds more than {UNPACKED:,} bytes.")
            piece = self._unpack(min(size, io.DEFAULT_BUFFER_SIZE * 64))
            if not piece:
                break
            self._buffer += piece
        begin = offset - self._start
        return self._buffer[begin : begin + size] if begin >= 0 else b""

    def _begin(self) -> None:
        import zstandard

        self._file.seek(0)
        self._start = 0
        self._buffer = b""
        self._reader = zstandard.ZstdDecompressor(
            max_window_size=_WINDOW
        ).stream_reader(self._file, read_across_frames=True, closefd=False)

    def _unpack(self, size: int) -> bytes:
        import zstandard

        try:
            return self._reader.read(size)
        except zstandard.ZstdError as error:
            raise InputError(f"Cannot unpack {self._path}: {error}.") from error
