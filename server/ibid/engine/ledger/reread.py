"""Answering a read: in full, by a stub, or by what changed (N2, N3, N6, Q4).

The decision and its record are one transaction, so that a compaction is either before
both or after both.  Whatever is in doubt, and whatever fails, gives the full text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine import index
from ibid.engine.keep import policy, privacy, withhold
from ibid.engine.ledger import meter, seen
from ibid.engine.ledger.seen import Asked, Reader
from ibid.errors import InputError, StoreError
from ibid.store import archive, driver, sessions, shown, turns
from ibid.text.clean import one_line
from ibid.text.diffs import make_delta, split_lines
from ibid.text.digest import digest, handle
from ibid.text.encodings import UTF8, Decoded, decode
from ibid.text.redact import redact
from ibid.text.structure import find_structure, language_of
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.memory import Memory
    from ibid.engine.model import ReadRequest
    from ibid.store.driver import Connection, Row

TITLE_LENGTH = 40  # Characters of a path as shown; of a longer one its end is.
STUB_TOKENS = 20
BOUNCE_READS = 5
BOUNCE_MS = 10 * 60_000


class Answer(NamedTuple):
    """What a reader gets, and what it stands for."""

    answer: str  # full | stub | delta
    text: str
    tokens: int
    raw_tokens: int
    handle: str | None  # Of what the reader saw (stub, delta), or sees now (full).
    number: int | None  # The same as a number.
    turn: int  # In which it saw that; 0: before the first turn that is known.
    first: int
    last: int
    total: int
    reason: str
    before: str = ""  # What earlier sessions knew of the file, in one line (N7).


class Short(NamedTuple):
    """A shorter answer: its text, and the archived text that it stands on."""

    answer: str
    text: str
    tokens: int
    archive: int
    turn: int


def read(memory: Memory, request: ReadRequest, content: bytes | str) -> Answer:
    """Return the lines of a file that a reader has to be given (N2).

    ``content`` is the file as it is now, or the text of an unsaved buffer.

    Raises:
        InputError: the file is binary, or has no such lines.
    """
    asked = make_asked(memory, request, content)
    tokens = _tokens(memory, asked)
    if not request.session:
        return _full(asked, tokens, "no session was named")
    try:
        with memory.store.write() as connection:
            return _Reading(memory, connection, request, asked, tokens).answer()
    except Exception as error:  # Whatever fails, the raw text goes out (Q4).
        _log(error)
        return _full(asked, tokens, "it could not be recorded")


def make_asked(memory: Memory, request: ReadRequest, content: bytes | str) -> Asked:
    """Return the lines that are asked for, as they are now.

    Raises:
        InputError: the file is binary, or has no such lines.
    """
    title = title_of(memory.project.path, request.path)
    found = Decoded(content, UTF8, True) if isinstance(content, str) else None
    found = found or decode(bytes(content))  # type: ignore[arg-type]
    if found is None:
        raise InputError(f"{title} is binary; there are no lines to show.")
    lines = split_lines(found.text)
    first, last = request.first or 1, request.last or len(lines)
    if not 1 <= first <= max(last, 1) or (first > len(lines) and first > 1):
        raise InputError(
            f"{title} has {len(lines)} lines; ask for a range within 1:{len(lines)}."
        )
    to_end = last >= len(lines)
    last = min(last, len(lines))
    text = "".join(lines[first - 1 : last])
    paths = tuple(dict.fromkeys(path for path in (request.path, request.real) if path))
    data = text.encode("utf-8", "replace")
    exact = found.exact and data.decode("utf-8") == text
    return Asked(
        *(paths, title, lines, first, last, to_end, text, digest(data)),
        *(found.encoding, exact),
    )


def title_of(root: str, path: str, most: int = TITLE_LENGTH) -> str:
    """Return a path as it is shown: below the project, and at most its end.

    >>> title_of("/p", "/p/src/a.py"), title_of("/p", "/q/" + "deep/" * 9 + "a.py")
    ('src/a.py', '…/deep/deep/deep/deep/deep/deep/a.py')
    """
    base = root.rstrip("/\\")
    inside = path.startswith(base) and path[len(base) : len(base) + 1] in ("/", "\\")
    title = redact(path[len(base) + 1 :] if inside else path)
    title = one_line(title).replace("\\", "/")
    if len(title) <= most:
        return title
    parts = title.split("/")
    while len(parts) > 1 and len("/".join(parts)) + 2 > most:
        del parts[0]
    return "…/" + "/".join(parts)


def _tokens(memory: Memory, asked: Asked) -> int:
    """Return the estimated tokens of the full text; known ones are not made again."""
    try:
        name = handle(asked.digest)
        row = archive.find_archive(memory.store.read(), name)
    except (StoreError, InputError):
        row = None
    if row is not None and row.digest == asked.digest and row.tokens:
        return row.tokens
    return estimate(asked.text)


def _full(asked: Asked, tokens: int, reason: str) -> Answer:
    """Return the full text, of which nothing is recorded."""
    return Answer(
        answer=shown.FULL,
        text=asked.text,
        tokens=tokens,
        raw_tokens=tokens,
        handle=None,
        number=None,
        turn=0,
        first=asked.first,
        last=asked.last,
        total=len(asked.lines),
        reason=reason,
    )


def _log(error: Exception) -> None:
    """Say on the log what went wrong, without a word of the text."""
    import logging

    logger = logging.getLogger(__name__)
    logger.warning("a read was answered in full: %s", type(error).__name__)


class _Reading:
    """One read, within its transaction."""

    def __init__(
        self,
        memory: Memory,
        connection: Connection,
        request: ReadRequest,
        asked: Asked,
        tokens: int,
    ) -> None:
        self.memory = memory
        self.connection = connection
        self.request = request
        self.asked = asked
        self.tokens = tokens
        self.now = memory.clock.now()
        self.switches = memory.switches()
        self.structure = ""  # Of the whole text, once it had to be found.

    def answer(self) -> Answer:
        """Decide, record and return the answer."""
        known = sessions.same_sessions(self.connection, self.request.session)
        refused = policy.may_record(
            self.switches, known[0] if len(known) == 1 else None
        )
        if any(privacy.is_excluded(self.switches, path) for path in self.asked.paths):
            refused = "it is among the files that never enter"
        if refused:
            return _full(self.asked, self.tokens, refused)
        reader = seen.ensure_reader(self.connection, self.request, self.now)
        if reader.refused:
            return _full(self.asked, self.tokens, reader.refused)
        rows = shown.reader_rows(self.connection, reader.key, self.asked.paths)
        self.now = max([self.now, *(row["at"] for row in rows)])
        self._touch(reader)
        bounced = self._bounce(reader, rows)
        short, reason = None, self._why_full(rows) or self.switches.beside
        if bounced and not reason:
            reason = "asked again soon after a short answer"
        if not reason:
            short, reason = self._shorten(reader, rows)
        if short is not None:
            reason = self._held_back(reader, short)
            if not reason:
                return self._give(reader, short)
        return self._give_full(reader, rows, reason)

    # -- deciding --------------------------------------------------------------------

    def _why_full(self, rows: Sequence[Row]) -> str:
        """Return what forbids a short answer from the start, or ""."""
        if self.request.fresh:
            return "asked for the full text"
        if self.request.doubt:
            return self.request.doubt
        if not self.asked.exact:
            return "the text is not valid Unicode"
        gave = [row for row in rows if row["answer"] in (shown.FULL, shown.NATIVE)]
        return "" if gave else "the first read in this epoch"

    def _held_back(self, reader: Reader, short: Short) -> str:
        """Return why a short answer is not given, and measure it, or "" (H3, P3)."""
        mode = policy.stubs()
        if mode == "off":
            return "short answers are switched off"
        reason = "measured only"
        if mode == "on":
            case = withhold.case_of(short.answer, reader.session)
            reason = withhold.decide(self.memory, self.connection, case).reason
        if reason:
            meter.add_measured(self.connection, self._metered(reader), short)
        return reason

    def _bounce(self, reader: Reader, rows: Sequence[Row]) -> bool:
        """Say whether a short answer is asked for again; its saving is taken back (N6).

        Not if the lines changed since: then the reader has a new reason to ask.
        """
        asked = self.asked
        for row in rows:
            own = row["answer"] in (shown.FULL, shown.STUB, shown.DELTA)
            if not own or row["first"] > asked.last or asked.first > row["last"]:
                continue
            if row["answer"] == shown.FULL or not is_soon(
                self.connection, reader.key, row, self.now
            ):
                return False
            text = "".join(asked.lines[row["first"] - 1 : row["last"]])
            if digest(text.encode("utf-8", "replace")) != row["fingerprint"]:
                return False
            meter.take_back(self.connection, row, self.now)
            return True
        return False

    def _shorten(self, reader: Reader, rows: Sequence[Row]) -> tuple[Short | None, str]:
        """Return a shorter answer, or None and why not; a failure is a why (Q4)."""
        try:
            return self._try_short(reader, seen.sights_of(self.connection, rows))
        except driver.Error:
            raise  # The transaction is over; `read` sends the raw text.
        except Exception as error:
            _log(error)
            return None, "shortening it failed"

    def _try_short(
        self, reader: Reader, sights: Sequence[seen.Sight]
    ) -> tuple[Short | None, str]:
        asked = self.asked
        if not sights:
            return None, "the file was gone meanwhile"
        if not seen.same_encoding(sights, asked):
            return None, "its encoding changed"
        edited = shown.last_edit(self.connection, reader.key, asked.paths)
        if sights[0].row["at"] <= edited:
            short = None  # The reader changed it; what came of that it was not shown.
        else:
            short = self._stub(seen.find_unchanged(sights, asked, edited))
        short = short or self._delta(seen.find_base(sights, asked))
        if short is None:
            return None, "it is not what this reader was shown"
        if short.tokens >= self.tokens:
            return None, "a short answer would be no shorter"
        return short, ""

    def _stub(self, used: list[seen.Sight] | None) -> Short | None:
        """Return ``[unchanged] PATH LINES, turn N #NUMBER``."""
        if used is None:
            return None
        asked = self.asked
        newest = used[0].row
        number = newest["archive"]
        if len(used) > 1 or not used[0].is_kept():
            number = self._keep().id  # It stands on several texts, or on one gone.
        turn = self._turn_number(newest["turn"])
        rest = f"{asked.first}-{asked.last}, turn {turn} #{number}"
        text = f"[unchanged] {asked.title} {rest}"
        if estimate(text) > STUB_TOKENS:
            # The reader has just named the file: its last name will do.
            text = f"[unchanged] {asked.title.rpartition('/')[2]} {rest}"
        return Short(shown.STUB, text, estimate(text), number, turn)

    def _delta(self, base: tuple[seen.Sight, str] | None) -> Short | None:
        """Return what changed against one text that the reader was shown (N2)."""
        asked = self.asked
        if base is None or base[1] == asked.text:
            return None
        (sight, old), row = base, base[0].row
        if not asked.whole and asked.to_end and row["last"] > asked.last:
            return None  # The file ends earlier, which its lines do not say.
        delta = make_delta(old, asked.text, asked.first)
        if delta is None or (delta.at_end and not (asked.whole and sight.ends)):
            return None  # Lines beyond those seen are not new ones: easily misread.
        turn = self._turn_number(row["turn"])
        where = asked.title
        if not asked.whole:
            where += f" {asked.first}-{asked.last}"
        count = asked.last - asked.first + 1
        head = f"[changed] {where} since turn {turn}: {delta.changed} of {count} lines"
        if asked.whole and self._same_structure(row, old):
            head += ", only comments and layout"
        tail = (
            f"[full: #{row['archive']} is what you saw; read again with fresh for all "
            "of it]"
        )
        text = f"{head}\n{delta.text}{tail}"
        return Short(shown.DELTA, text, estimate(text), row["archive"], turn)

    def _same_structure(self, row: Row, old: str) -> bool:
        """Say whether only comments and layout changed, as far as can be told (N3)."""
        language = language_of(self.request.path)
        if not language:
            return False
        self.structure = find_structure(self.asked.text, language)
        before = row["structure"] or find_structure(old, language)
        return bool(before) and before == self.structure

    # -- recording -------------------------------------------------------------------

    def _give(self, reader: Reader, short: Short) -> Answer:
        """Record a short answer with its cost, saving and marker; return it."""
        account = meter.add_short(self.connection, self._metered(reader), short)
        number = short.archive
        if short.answer == shown.DELTA:
            number = self._keep().id
            self._mark(reader, number)
        self._mark(reader, short.archive)
        self._record(reader, short, number, account)
        cited = archive.load_archive(self.connection, f"#{short.archive}")
        return self._answered(short, cited, short.turn, "")

    def _give_full(self, reader: Reader, rows: Sequence[Row], reason: str) -> Answer:
        """Record a full answer and return it, with what earlier sessions knew."""
        from ibid.engine.ledger import history

        asked = self.asked
        kept = self._keep() if asked.text else None
        before = ""
        if not rows:
            before = history.before_line(self.memory, self.connection, reader, asked)
            meter.add_hint(self.connection, self._metered(reader), before)
        sent = Short(shown.FULL, asked.text, self.tokens, 0, 0)
        self._record(reader, sent, kept.id if kept else None, None)
        turn = 0 if reader.turn is None else reader.turn["number"]
        return self._answered(sent, kept, turn, reason)._replace(before=before)

    def _answered(
        self, sent: Short, named: archive.ArchiveRow | None, turn: int, reason: str
    ) -> Answer:
        asked = self.asked
        return Answer(
            answer=sent.answer,
            text=sent.text,
            tokens=sent.tokens,
            raw_tokens=self.tokens,
            handle=None if named is None else named.handle,
            number=None if named is None else named.id,
            turn=turn,
            first=asked.first,
            last=asked.last,
            total=len(asked.lines),
            reason=reason,
        )

    def _record(
        self, reader: Reader, sent: Short, number: int | None, account: int | None
    ) -> None:
        asked, epoch = self.asked, reader.key.epoch
        if 0 < self.request.limit < len(sent.text):
            epoch = shown.STALE  # Perhaps it was cut on its way to the reader.
        row = shown.Shown(
            session=reader.key.session,
            scope=reader.key.scope,
            epoch=epoch,
            path=asked.paths[0],
            first=asked.first,
            last=asked.last,
            total=len(asked.lines),
            fingerprint=asked.digest,
            archive=number,
            turn=None if reader.turn is None else reader.turn["id"],
            native=None,
            tokens=self.tokens,
            at=self.now,
            structure=self.structure,
            answer=sent.answer,
            encoding=asked.encoding,
            account=account,
        )
        shown.ensure_shown(self.connection, row)

    def _keep(self) -> archive.ArchiveRow:
        """Archive the asked lines as they are now."""
        session = sessions.find_session(self.connection, self.request.session)
        text = privacy.at_the_door(self.switches, self.asked.text)
        item = archive.ArchiveItem(
            data=text.encode("utf-8", "replace"),
            observed=self.memory.clock.now(),
            session=None if session is None else session["id"],
            title=self.request.path[-200:],
            kind="read",
            tokens=self.tokens,
        )
        return index.ensure_archived(self.connection, item)

    def _mark(self, reader: Reader, number: int) -> None:
        """Keep a text whose number is told, for 30 days after the session (M3, M4)."""
        owner = str(reader.key.session)
        until = self.now + meter.MARKER_MS
        archive.add_reference(self.connection, number, archive.MARKER, owner, until)
        archive.extend_references(self.connection, archive.MARKER, owner, until)

    def _touch(self, reader: Reader) -> None:
        """Note that the session lives, and what kind of file its turn read (B7)."""
        sessions.touch_session(self.connection, reader.key.session, self.now)
        root = self.memory.project.path.rstrip("/\\")
        outside = not self.request.path.startswith(root + "/")
        if outside and reader.turn is not None and reader.turn["state"] == turns.OPEN:
            flags = frozenset({"outside-files"})
            turns.add_flags(self.connection, reader.turn["id"], flags)

    def _turn_number(self, turn: int | None) -> int:
        row = None if turn is None else turns.find_turn(self.connection, turn)
        return 0 if row is None else int(row["number"])

    def _metered(self, reader: Reader) -> meter.Metered:
        return meter.Metered(reader.session, self.now, self.tokens)


def is_soon(
    connection: Connection, reader: shown.ReaderKey, row: Row, now: int
) -> bool:
    """Say whether a read now is within five reads or ten minutes of ``row`` (N6)."""
    if now - row["at"] <= BOUNCE_MS:
        return True
    return shown.reads_since(connection, reader, row["id"]) < BOUNCE_READS
