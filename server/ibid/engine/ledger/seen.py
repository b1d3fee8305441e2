"""What a reader has in context: the lines it was shown in its present epoch (N1, N4).

A reader is the main thread or one subagent of one session.  Everything here errs on one
side: what is not surely in the reader's context is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.model import MINUTE
from ibid.errors import GoneError, NotFoundError, StoreCorruptError
from ibid.store import archive, sessions, shown, turns
from ibid.text.diffs import split_lines
from ibid.text.encodings import UTF8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.model import ReadRequest
    from ibid.store.driver import Connection, Row

GAP = 60 * MINUTE  # So long a silence ends an epoch (N4).


class Asked(NamedTuple):
    """Lines of a file as they are now: what a full answer would deliver."""

    paths: tuple[str, ...]
    title: str  # The path as shown to the reader.
    lines: list[str]  # Of the whole file, with their line ends.
    first: int
    last: int
    to_end: bool  # The answer tells where the file ends.
    text: str  # Lines ``first`` to ``last``.
    digest: str
    encoding: str
    exact: bool

    @property
    def whole(self) -> bool:
        """Whether all of the file is asked for."""
        return self.first == 1 and self.to_end


class Reader(NamedTuple):
    """Who reads: the key of its rows, its session, and the turn that runs."""

    key: shown.ReaderKey
    session: Row
    turn: Row | None
    refused: str = ""  # Why nothing of it may be held back or recorded.


# -- who reads -------------------------------------------------------------------------


def ensure_reader(connection: Connection, request: ReadRequest, now: int) -> Reader:
    """Return who sends ``request``; a session is made known, a silence ends an epoch.

    Several agents may have a session of this name; then ``refused`` says so, for one
    must never be told what another saw.
    """
    facts = sessions.SessionFacts(request.agent, request.session)
    rows = sessions.same_sessions(connection, request.session)
    if request.agent or not rows:
        rows = [sessions.ensure_session(connection, facts)]
    session = rows[0]
    refused = ""
    if len(rows) > 1:
        refused = "several agents have a session of this name"
    elif request.scope is None:
        refused = "it is not known which thread of the session asks"
    scope = request.scope or ""
    end_silence(connection, session, scope, now)
    epoch = sessions.current_epoch(connection, session["id"], scope)
    key = shown.ReaderKey(session["id"], scope, epoch)
    return Reader(key, session, turns.last_turn(connection, session["id"]), refused)


def end_silence(connection: Connection, session: Row, scope: str, now: int) -> None:
    """Begin new epochs after an hour without a sign of the session or reader (N4).

    Call it before the session is touched, which hides its silence.
    """
    for whose, last in (
        (sessions.EVERY, session["last"]),
        (scope, _last_sign(connection, session, scope)),
    ):
        if last and now - last > GAP:
            boundary = f"{sessions.WIRE}idle@{last}"
            start = sessions.EpochStart(session["id"], whose, boundary, "idle", now)
            sessions.ensure_epoch(connection, start)


def _last_sign(connection: Connection, session: Row, scope: str) -> int:
    """Return when a subagent was last shown anything; the main thread may wait."""
    if not scope or scope == sessions.EVERY:
        return 0
    key = shown.ReaderKey(session["id"], scope, 0)
    return shown.last_moment(connection, key)


def bare_row(key: shown.ReaderKey, path: str, at: int) -> shown.Shown:
    """Return a row that shows no line."""
    return shown.Shown(
        session=key.session,
        scope=key.scope,
        epoch=key.epoch,
        path=path,
        first=1,
        last=0,
        total=0,
        fingerprint="",
        archive=None,
        turn=None,
        native=None,
        tokens=0,
        at=at,
    )


def add_gone(connection: Connection, key: shown.ReaderKey, path: str, at: int) -> None:
    """Record that the reader was told a file is not there (N5)."""
    row = bare_row(key, path, at)._replace(answer=shown.GONE)
    shown.ensure_shown(connection, row)


# -- what it saw -----------------------------------------------------------------------


class Sight:
    """Lines that a reader was given once; their text comes from the archive."""

    __slots__ = ("_connection", "_lines", "row")

    def __init__(self, connection: Connection, row: Row) -> None:
        self.row = row
        self._connection = connection
        self._lines: list[str] | None = None

    @property
    def ends(self) -> bool:
        """Whether the reader was shown where the file ended."""
        return bool(self.row["last"] == self.row["total"])

    def is_kept(self) -> bool:
        """Say whether its text is still in the archive."""
        if self.row["archive"] is None:
            return False
        found = archive.find_archive(self._connection, f"#{self.row['archive']}")
        return found is not None and found.state != archive.GONE

    def lines(self) -> list[str] | None:
        """Return the lines with their ends, or None when they cannot be had."""
        if self._lines is None:
            text = self._text()
            if text is None:
                return None
            lines = split_lines(text)
            count = self.row["last"] - self.row["first"] + 1
            if len(lines) == count - 1:
                lines.append("")  # An empty line whose end was not shown.
            if len(lines) != count:
                return None
            self._lines = lines
        return self._lines

    def shows(self, number: int, line: str) -> bool:
        """Say whether this is what stood in line ``number``, which it covers."""
        lines = self.lines()
        if lines is None:
            return False
        known = lines[number - self.row["first"]]
        if known == line:
            return True
        # Agents that show numbered lines do not show how the last of a range ends.
        is_open = self.row["answer"] == shown.NATIVE and not self.ends
        return is_open and number == self.row["last"] and known + "\n" == line

    def _text(self) -> str | None:
        if self.row["archive"] is None:
            return None
        try:
            name = f"#{self.row['archive']}"
            row = archive.load_archive(self._connection, name)
            if row.digest != self.row["fingerprint"]:
                return None  # It was not kept as it was shown.
            return archive.load_bytes(self._connection, row).decode("utf-8")
        except (NotFoundError, GoneError, StoreCorruptError, UnicodeDecodeError):
            return None


def sights_of(connection: Connection, rows: Sequence[Row]) -> list[Sight]:
    """Return what gave the reader text, the newest first, as far as it still holds.

    A file that the reader was told is gone falls out: what it saw before counts no
    more (N5).
    """
    found: list[Sight] = []
    for row in rows:
        if row["answer"] == shown.GONE:
            break
        if row["answer"] != shown.STUB:
            found.append(Sight(connection, row))
    return found


def find_unchanged(
    sights: Sequence[Sight], asked: Asked, edited: int = -1
) -> list[Sight] | None:
    """Return the sights that together show the asked lines as they are now, or None.

    For each line the newest sight of it counts, unless the reader changed the file
    itself at ``edited`` or before.  None also when it knows lines beyond the end that
    it would be told of.
    """
    needed = set(range(asked.first, asked.last + 1))
    end = max((sight.row["last"] for sight in sights), default=0)
    used: list[Sight] = []
    for sight in sights:
        first, last = sight.row["first"], min(sight.row["last"], end)
        if asked.to_end and last > len(asked.lines):
            return None
        overlap = needed.intersection(range(first, last + 1))
        if overlap and sight.row["at"] > edited:
            if not _same(sight, asked, overlap):
                return None
            used.append(sight)
            needed -= overlap
        if sight.ends:
            end = min(end, sight.row["last"])
    return used if used and not needed else None


def _same(sight: Sight, asked: Asked, numbers: set[int]) -> bool:
    row = sight.row
    exact = (row["first"], row["last"]) == (asked.first, asked.last)
    if exact and row["fingerprint"] == asked.digest:
        return True
    return all(sight.shows(number, asked.lines[number - 1]) for number in numbers)


def same_encoding(sights: Sequence[Sight], asked: Asked) -> bool:
    """Say whether the file is encoded as it was each time; unknown means UTF-8 (N5)."""
    return all((one.row["encoding"] or UTF8) == asked.encoding for one in sights)


def find_base(sights: Sequence[Sight], asked: Asked) -> tuple[Sight, str] | None:
    """Return the newest sight of all that is asked for, with its text of those lines.

    A whole file needs a sight that begins with its first line, and that is not known to
    end before its last.
    """
    for sight in sights:
        row = sight.row
        if asked.whole:
            fits = row["first"] == 1 and (sight.ends or not row["total"])
        else:
            fits = row["first"] <= asked.first and asked.last <= row["last"]
        if not fits:
            continue
        lines = sight.lines()
        if lines is None:
            return None
        if not asked.whole:
            lines = lines[asked.first - row["first"] : asked.last - row["first"] + 1]
        return sight, "".join(lines)
    return None
