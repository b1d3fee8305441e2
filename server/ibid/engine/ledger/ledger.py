"""The read ledger of one project, as the faces call it (N)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine.keep import policy
from ibid.engine.ledger import history, reread, seen
from ibid.engine.ledger.epochs import end_epoch
from ibid.store import sessions, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.ledger.epochs import Ended, Ending
    from ibid.engine.memory import Memory
    from ibid.engine.model import ReadRequest
    from ibid.store.driver import Connection, Row

_OPENED_AGAIN = 10 * 60_000  # Within it, opening the same file again is not told.


class Ledger:
    """What each reader was shown, and what they get when they ask again."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def read(self, request: ReadRequest, content: bytes | str) -> reread.Answer:
        """Return the lines of a file that a reader has to be given (N2).

        ``content`` is the file as it is now, or the text of an unsaved buffer.

        Raises:
            InputError: the file is binary, or has no such lines.
        """
        return reread.read(self._memory, request, content)

    def may_shorten(self, request: ReadRequest) -> bool:
        """Say whether an answer to ``request`` may depend on what was shown before.

        If so, the caller first looks for news in the session's transcript.
        """
        connection = self._memory.store.read()
        known = sessions.same_sessions(connection, request.session)
        if request.fresh or request.scope is None or not known:
            return False
        paths = [path for path in (request.path, request.real) if path]
        for row in known:
            epoch = sessions.current_epoch(connection, row["id"], request.scope)
            key = shown.ReaderKey(row["id"], request.scope, epoch)
            if shown.reader_rows(connection, key, paths):
                return True
        return False

    def end_epoch(self, ending: Ending) -> Ended:
        """Let nothing that was shown before count any more: one transaction (N4).

        A session that is not known yet is made known, so that what a transcript tells
        later of the time before does not count either.
        """
        return end_epoch(self._memory, ending)

    def miss(self, request: ReadRequest) -> None:
        """Note that a reader was told a file is not there: it falls out (N5)."""
        memory = self._memory
        if memory.store.read_only or not request.session or request.scope is None:
            return
        with memory.store.write() as connection:
            now = memory.clock.now()
            for row in sessions.same_sessions(connection, request.session):
                epoch = sessions.current_epoch(connection, row["id"], request.scope)
                key = shown.ReaderKey(row["id"], request.scope, epoch)
                paths = [path for path in (request.path, request.real) if path]
                known = shown.reader_rows(connection, key, paths)
                if known:
                    at = max([now, *(one["at"] for one in known)])
                    seen.add_gone(connection, key, paths[0], at)

    def touched(self, path: str, kind: str) -> bool:
        """Record that the person opened or saved a file; say whether it was (N8)."""
        memory = self._memory
        switches = memory.switches()
        if memory.store.read_only or not switches.editor:
            return False
        if policy.may_record(switches, None):
            return False
        with memory.store.write() as connection:
            now = memory.clock.now()
            row = _person(connection, now)
            key = shown.ReaderKey(row["id"], "person", 0)
            last = next(iter(shown.reader_rows(connection, key, [path])), None)
            again = last is not None and now - last["at"] < _OPENED_AGAIN
            if kind == shown.OPENED and again:
                return False
            touch = seen.bare_row(key, path, now)._replace(answer=kind)
            shown.ensure_shown(connection, touch)
        return True

    def file_history(
        self, paths: Sequence[str], text: str | None, counted: bool = True
    ) -> history.FileHistory:
        """Return who read or changed a file, when, and what changed since (N7).

        ``paths`` are its absolute names, with and without links; ``text`` is the file
        as it is now, None when it is gone or no text.
        """
        return history.load_history(self._memory, paths, text, counted)

    def files(self, page: shown.FilePage) -> tuple[list[history.FileSummary], int]:
        """Return the files that were touched, the last first, and how many (N7)."""
        rows, total = shown.list_files(self._memory.store.read(), page)
        found = [
            history.FileSummary(
                row["path"],
                row["at"],
                row["sessions"],
                int(row["reads"]),
                int(row["edits"]),
            )
            for row in rows
        ]
        return found, total


def _person(connection: Connection, now: int) -> Row:
    """Return the person's own session, which no list of sessions shows.

    They are a reader of their own, who never gets a short answer (N8).
    """
    own = sessions.EDITOR
    facts = sessions.SessionFacts(own, own, kind="side", at=now)
    row = sessions.ensure_session(connection, facts)
    if not row["hidden"]:
        connection.execute("UPDATE session SET hidden = 1 WHERE id = ?", (row["id"],))
    return row
