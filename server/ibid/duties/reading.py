"""Reading a file for an agent: the gate to the disk, and news before a short answer.

The engine reads no file.  What opens one for it stands here, for every face: regular
files only, of moderate size, and no link that leads out of the project unseen.  Before
anything is held back, what the session's transcript says since it was last looked at is
taken in, for a compaction may be among it (N4).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.registry import WHOLE, load_agent
from ibid.duties import importing
from ibid.duties.follow import follow
from ibid.duties.sources import database_of, key_of
from ibid.engine.learn.context import Counts
from ibid.engine.model import ReadRequest
from ibid.errors import IbidError, InputError, NotFoundError
from ibid.files import gate
from ibid.store import cursors, sessions
from ibid.text.encodings import decode

if TYPE_CHECKING:
    from ibid.agents.registry import Agent
    from ibid.engine.ledger.history import FileHistory
    from ibid.engine.ledger.reread import Answer
    from ibid.engine.memory import Memory

MOST_BYTES = 8_000_000
MOST_NEWS = 8_000_000  # Bytes of transcript taken in before one answer.
_NAMED = 16  # Characters of a session's id that files are looked for by.


class FileRequest(NamedTuple):
    """A file as a face was asked for it; ``path`` may be relative to the project."""

    path: str
    session: str = ""
    scope: str | None = ""
    first: int = 0
    last: int = 0
    fresh: bool = False
    agent: str = ""
    limit: int = 0
    text: str | None = None  # An unsaved buffer, instead of what is on disk (N5).


def read_file(memory: Memory, request: FileRequest) -> Answer:
    """Return the lines of a file that a reader has to be given (N2, N6).

    Raises:
        NotFoundError: there is no such file; it falls out of what the reader saw.
        InputError: it is no regular file, too large, binary, or has no such lines.
    """
    path = locate(memory.project.path, request.path)
    real = os.path.realpath(path)
    asked = ReadRequest(
        path=path,
        session=request.session,
        scope=request.scope,
        first=request.first,
        last=request.last,
        fresh=request.fresh,
        agent=request.agent,
        real=real if real != path else "",
        limit=request.limit,
    )
    content: bytes | str | None = request.text
    if content is None:
        try:
            content = load_file(memory.project.path, path)
        except NotFoundError:
            memory.ledger.miss(asked)
            raise
    if memory.switches().master and memory.ledger.may_shorten(asked):
        doubt = take_news(memory, request.session, request.scope or "")
        asked = asked._replace(doubt=doubt)
    return memory.read(asked, content)


def file_history(memory: Memory, path: str) -> FileHistory:
    """Return who read or changed a file, when, and what changed since (N7).

    Raises:
        InputError: ``path`` cannot be one.
    """
    located = locate(memory.project.path, path)
    try:
        found = decode(load_file(memory.project.path, located))
    except InputError:
        found = None
    return history_of(memory, located, None if found is None else found.text)


def history_of(
    memory: Memory, path: str, text: str | None, counted: bool = True
) -> FileHistory:
    """Return the same of a file that was read already; ``path`` is absolute.

    Unless ``counted`` what changed is not looked at, only whether.
    """
    names = list(dict.fromkeys([path, os.path.realpath(path)]))
    return memory.ledger.file_history(names, text, counted)


# -- the gate --------------------------------------------------------------------------


def locate(root: str, path: str) -> str:
    """Return ``path`` made absolute within the project, links untouched.

    Raises:
        InputError: it is empty or holds a NUL.
    """
    if not path or "\0" in path:
        raise InputError(f"Not a path: {path!r}. Name a file.")
    return os.path.normpath(Path(root, Path(path).expanduser()))


def load_file(root: str, path: str) -> bytes:
    """Return the bytes of a regular file of moderate size.

    Raises:
        NotFoundError: nothing is there, or a link to nothing.
        InputError: it is a folder, a device or too large, cannot be read, or a link
            within the project leads out of it.
    """
    _check_link(root, path)
    above, name = os.path.split(os.path.realpath(path))
    try:
        folder = gate.open_folder(above, "")
    except InputError as error:
        raise NotFoundError(f"No file at {path}.") from error
    if folder is None or not name:
        raise NotFoundError(f"No file at {path}.")
    with folder:
        found = folder.find(name, MOST_BYTES)
    if found is None:
        raise NotFoundError(f"No file at {path}.")
    return found.data


def _check_link(root: str, path: str) -> None:
    """Refuse a link that stands in the project and leads out of it.

    Raises:
        InputError: names where it leads.
    """
    base = os.path.realpath(root)
    real = os.path.realpath(path)
    if _is_below(path, root) and not _is_below(real, base):
        raise InputError(
            f"{path} leads out of the project, to {real}; name that file itself if it "
            "is meant."
        )


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


# -- news ------------------------------------------------------------------------------


def take_news(memory: Memory, session: str, scope: str = "") -> str:
    """Take in what a session's transcripts say since the last look.

    Returns "" when nothing is left to know, else why not everything is known: then
    nothing may be held back (N4).
    """
    try:
        connection = memory.store.read()
        numbers = [row["id"] for row in sessions.same_sessions(connection, session)]
        known = cursors.session_cursors(connection, session, numbers)
        for cursor in known:
            agent, path = load_agent(cursor["agent"]), Path(cursor["path"])
            doubt = _doubt(agent, path, cursor["offset"])
            if not doubt and doubt is not None:
                _follow(memory, agent, path)
            elif doubt:
                return doubt
        told = [cursor["path"] for cursor in known]
        if not any(scope in path for path in told):
            return _look_for(memory, session, told)
    except IbidError as error:
        return f"its transcript could not be followed ({error.code})"
    return ""


def _look_for(memory: Memory, session: str, told: list[str]) -> str:
    """Take in transcripts of a session that nobody has read yet, by their names.

    Without a server that watches, the first sign of a compaction may be in one.
    """
    if len(session) < _NAMED:
        return ""
    for one in importing.named_transcripts(dict(os.environ), Path.home(), session):
        if key_of(one.path) in told:
            continue
        if not importing.belongs(one, memory):
            return "its transcript is another project's"
        if one.size > MOST_NEWS:
            return "its transcript is too large to be read now"
        _follow(memory, one.agent, one.path)
    return ""


def _follow(memory: Memory, agent: Agent, path: Path) -> None:
    for _ in follow(memory, agent, path, Counts(), final=False):
        pass


def _doubt(agent: Agent, path: Path, offset: int) -> str | None:
    """Return why news cannot be taken in, "" if they can; None: there are none."""
    is_whole = agent.form(path) == WHOLE
    if is_whole and database_of(path) is not None:
        return ""
    try:
        size = path.stat().st_size
    except OSError:
        return None  # Agents delete old transcripts; there is no news from one.
    if is_whole:
        return "" if size <= MOST_NEWS else "its transcript is too large"
    news = size - offset
    if news == 0:
        return None
    if 0 < news <= MOST_NEWS:
        return ""
    return "its transcript was replaced or has grown too far"
