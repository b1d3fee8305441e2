"""What an agent observed and did, as events tell: tools, reads, edits, usage (M1, N1).

Outputs go to the archive verbatim; the ledger remembers which lines a reader was shown.
What was observed long ago goes into cold frames at once, so the outputs of a batch of
events are kept together, at its end.
"""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.agents import events as e
from ibid.engine import index
from ibid.engine.keep import privacy
from ibid.engine.learn.edited import edited_symbols
from ibid.engine.ledger import native
from ibid.engine.model import DAY, MINUTE, native_key
from ibid.store import archive, sessions, shown, turns
from ibid.text.terms import TERMS_VERSION
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.keep.policy import Switches
    from ibid.engine.learn.context import Context, Counts
    from ibid.store.driver import Connection, Row

HOT = 30 * MINUTE  # Archived text stays hot this long after it was observed (M3).

_HANDED_ON = 14 * DAY  # Nobody starts from what is older: see `starting.AGE`.
_SKEW = 5_000  # A record may be so far ahead of the clock.

# What of a tool's input names it, in the order of preference.
_TITLES = ("file_path", "path", "command", "cmd", "pattern", "url", "query", "prompt")
_TITLE_LENGTH = 200


class Place(NamedTuple):
    """Where in the conversation something was observed."""

    session: int
    cwd: str
    turn: int | None
    epoch: int


class Observer:
    """Stores the events that are not speech, for one `Ingest`."""

    def __init__(self, context: Context, counts: Counts) -> None:
        self._context = context
        self._counts = counts
        self._reads: set[str] = set()
        self._pending: list[tuple[Place, e.Tool | e.Read | e.Edit]] = []
        self._excluded: set[str] = set()

    def begin(self, events: Sequence[e.Event]) -> None:
        """Note which tool calls of the batch come with the lines they showed."""
        self._reads = {
            _call(event.head)
            for event in events
            if isinstance(event, e.Read) and event.text
        }

    def observe(
        self, connection: Connection, session: Row, turn: Row | None, event: e.Event
    ) -> None:
        """Store one event of the turn it belongs to; outputs wait for `flush`."""
        number = None if turn is None else turn["id"]
        if isinstance(event, e.Tool | e.Read | e.Edit):
            epoch = self._epoch(connection, session["id"], event.head)
            place = Place(session["id"], session["cwd"], number, epoch)
            if isinstance(event, e.Edit):
                self._edit(connection, place, event)
            else:
                self._flag(connection, place, event)
            self._pending.append((place, event))
        elif isinstance(event, e.Usage):
            self._usage(connection, session, event)
        elif isinstance(event, e.Todo):
            items = json.dumps([list(item) for item in event.items], ensure_ascii=False)
            turns.ensure_todo(
                connection, session["id"], items, event.plan, event.head.at
            )
        elif isinstance(event, e.Injected) and event.own and number is not None:
            turns.add_flags(connection, number, frozenset({e.RECALLED}))

    def flush(self, connection: Connection) -> None:
        """Archive the outputs of the batch and store the rows that point to them."""
        fresh = [
            (place, event)
            for place, event in self._pending
            if self._is_new(connection, event)
        ]
        self._excluded = {
            _call(event.head)
            for place, event in fresh
            if _is_excluded(self._context.switches, place, event)
        }
        self._pending.clear()
        with_text = [(place, event) for place, event in fresh if self._has_text(event)]
        switches = self._context.switches
        items = [_item(switches, place, event) for place, event in with_text]
        rows = archive.ensure_archives(connection, items, self._context.now - HOT)
        kept: dict[int, int] = {}
        for (_, event), row, item in zip(with_text, rows, items, strict=True):
            kept[id(event)] = row.id
            if row.terms_version != TERMS_VERSION:
                text = item.data.decode("utf-8", "replace")
                index.index_archived(connection, row, text)
                self._counts.archived += 1
        for place, event in fresh:
            if isinstance(event, e.Tool):
                self._tool(connection, place, event, kept.get(id(event)))
            else:
                self._shown(connection, place, event, kept.get(id(event)))

    # -- parts ---------------------------------------------------------------------

    def _epoch(self, connection: Connection, session: int, head: e.Head) -> int:
        """Return the reader's epoch that a record belongs to; what is in doubt, none.

        A record from the future has no place in the order of things (N4).
        """
        if head.at > self._context.now + _SKEW:
            return shown.STALE
        return sessions.epoch_at(connection, session, head.scope, head.at)

    def _is_new(self, connection: Connection, event: e.Tool | e.Read | e.Edit) -> bool:
        if isinstance(event, e.Tool):
            key = native_key(self._context.agent, _call(event.head))
            return turns.find_tool(connection, key) is None
        if isinstance(event, e.Edit):
            return event.whole and bool(event.after)
        return not event.stub and bool(event.text)

    def _flag(
        self, connection: Connection, place: Place, event: e.Tool | e.Read
    ) -> None:
        """Add what a used tool means for the turn's provenance (B7)."""
        if place.turn is None:
            return
        if isinstance(event, e.Tool):
            turns.add_flags(connection, place.turn, frozenset(event.flags))
        elif _is_outside(absolute(event.path, place.cwd), place.cwd):
            turns.add_flags(connection, place.turn, frozenset({e.OUTSIDE_FILES}))

    def _tool(
        self, connection: Connection, place: Place, event: e.Tool, stored: int | None
    ) -> None:
        tool = turns.NewTool(
            native=native_key(self._context.agent, _call(event.head)),
            session=place.session,
            turn=place.turn,
            scope=event.head.scope,
            name=event.name,
            kind=event.kind,
            title=_title(event.input),
            error=event.error,
            archive=stored,
            tokens=0 if stored else estimate(event.output),
            at=event.head.at,
        )
        turns.ensure_tool(connection, tool)

        if event.error and event.kind == "read":
            path = absolute(_title(event.input), place.cwd)
            seen_by = shown.ReaderKey(place.session, event.head.scope, place.epoch)
            native.note_failed(connection, seen_by, path, event.head.at)

    def _shown(
        self,
        connection: Connection,
        place: Place,
        event: e.Read | e.Edit,
        stored: int | None,
    ) -> None:
        """Record lines that the reader was shown, or wrote as a whole file."""
        path = absolute(event.path, place.cwd)
        lines = native.lines_of(event)
        what = event.path if isinstance(event, e.Read) else f"{event.path}:written"
        row = shown.Shown(
            session=place.session,
            scope=event.head.scope,
            epoch=place.epoch,
            path=path,
            first=lines.first,
            last=lines.last,
            total=lines.total,
            fingerprint=lines.fingerprint,
            archive=stored,
            turn=place.turn,
            native=native_key(self._context.agent, _native(event.head, what)),
            tokens=estimate(lines.text),
            at=event.head.at,
            answer=shown.NATIVE if isinstance(event, e.Read) else shown.WROTE,
        )
        number = shown.ensure_shown(connection, row)
        if number is not None and isinstance(event, e.Read):
            self._counts.reads += 1
            native.note_read(connection, row, number, lines.text)

    def _edit(self, connection: Connection, place: Place, event: e.Edit) -> None:
        path = absolute(event.path, place.cwd)
        edited = shown.Edited(
            session=place.session,
            scope=event.head.scope,
            turn=place.turn,
            path=path,
            native=native_key(self._context.agent, _native(event.head, event.path)),
            lines=event.after.count("\n") + 1,
            at=event.head.at,
            whole=event.whole and bool(event.after),
        )
        if not shown.ensure_edited(connection, edited):
            return
        if event.head.at < self._context.now - _HANDED_ON:
            return
        if privacy.is_excluded(self._context.switches, path):
            return
        symbols = edited_symbols(connection, place.session, path, event)
        if symbols:
            shown.set_symbols(connection, edited.native, symbols)

    def _usage(self, connection: Connection, session: Row, event: e.Usage) -> None:
        usage = turns.LoggedUsage(
            native=native_key(self._context.agent, _native(event.head, "usage")),
            session=session["id"],
            scope=event.head.scope,
            model=event.model,
            input=event.input,
            output=event.output,
            cached=event.cached,
            written=event.written,
            at=event.head.at,
        )
        turns.ensure_usage(connection, usage)

    def _has_text(self, event: e.Tool | e.Read | e.Edit) -> bool:
        """Say whether there is a text to keep: lines of a file are kept once."""
        if _call(event.head) in self._excluded:
            return False
        if not isinstance(event, e.Tool):
            return True
        return bool(event.output) and _call(event.head) not in self._reads


def _is_excluded(
    switches: Switches, place: Place, event: e.Tool | e.Read | e.Edit
) -> bool:
    """Say whether what was observed is of a file that never enters (E1)."""
    path = _path_of(event.input) if isinstance(event, e.Tool) else event.path
    return bool(path) and privacy.is_excluded(switches, absolute(path, place.cwd))


def _path_of(given: dict[str, Any]) -> str:
    value = given.get("file_path") or given.get("path") or ""
    return value if isinstance(value, str) else ""


def _item(
    switches: Switches, place: Place, event: e.Tool | e.Read | e.Edit
) -> archive.ArchiveItem:
    if isinstance(event, e.Tool):
        text, title, kind = event.output, _title(event.input), event.kind
    elif isinstance(event, e.Read):
        text, title, kind = event.text, event.path, "read"
    else:
        text, title, kind = event.after, event.path, "write"
    text = privacy.at_the_door(switches, text)
    return archive.ArchiveItem(
        data=text.encode("utf-8", "replace"),
        observed=event.head.at,
        session=place.session,
        turn=place.turn,
        title=title[:_TITLE_LENGTH],
        kind=kind,
        tokens=estimate(text),
    )


def absolute(path: str, cwd: str) -> str:
    """Return ``path`` made absolute by the session's folder, without touching the disk.

    Transcripts come from any system: a drive letter counts as absolute.
    """
    if path.startswith("/") or path[1:2] == ":" or not cwd:
        return path
    return posixpath.normpath(posixpath.join(cwd, path))


def _is_outside(path: str, cwd: str) -> bool:
    return bool(cwd) and path.startswith("/") and not f"{path}/".startswith(f"{cwd}/")


def _native(head: e.Head, what: str) -> str:
    """Return the id of what one record did; a call may touch several files."""
    return f"{_call(head)}:{what}"


def _call(head: e.Head) -> str:
    """Return a call's id; one that has none is known by where its record stands."""
    return head.id or f"{head.session}/{head.scope}/{head.start}"


def _title(given: dict[str, Any]) -> str:
    for name in _TITLES:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value[:_TITLE_LENGTH]
    return ""
