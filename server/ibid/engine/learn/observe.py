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
from ibid.engine.model import MINUTE, native_key
from ibid.store import archive, sessions, shown, turns
from ibid.text.digest import digest
from ibid.text.redact import REDACT_VERSION
from ibid.text.terms import TERMS_VERSION
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.keep.policy import Switches
    from ibid.engine.learn.context import Context, Counts
    from ibid.store.driver import Connection, Row

HOT = 30 * MINUTE  # Archived text stays hot this long after it was observed (M3).

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
        self._pending: list[tuple[Place, e.Tool | e.Read]] = []
        self._excluded: set[str] = set()

    def begin(self, events: Sequence[e.Event]) -> None:
        """Note which tool calls of the batch come with the lines they showed."""
        self._reads = {
            event.head.id
            for event in events
            if isinstance(event, e.Read) and event.text
        }

    def observe(
        self, connection: Connection, session: Row, turn: Row | None, event: e.Event
    ) -> None:
        """Store one event of the turn it belongs to; outputs wait for `flush`."""
        number = None if turn is None else turn["id"]
        scope = event.head.scope
        if isinstance(event, e.Tool | e.Read):
            epoch = sessions.current_epoch(connection, session["id"], scope)
            place = Place(session["id"], session["cwd"], number, epoch)
            self._flag(connection, place, event)
            self._pending.append((place, event))
        elif isinstance(event, e.Edit):
            place = Place(session["id"], session["cwd"], number, 0)
            self._edit(connection, place, event)
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
            event.head.id
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
                self._index(connection, row.id, item.data.decode("utf-8", "replace"))
        for place, event in fresh:
            if isinstance(event, e.Tool):
                self._tool(connection, place, event, kept.get(id(event)))
            else:
                self._read(connection, place, event, kept.get(id(event)))

    # -- parts ---------------------------------------------------------------------

    def _is_new(self, connection: Connection, event: e.Tool | e.Read) -> bool:
        if isinstance(event, e.Tool):
            native = native_key(self._context.agent, event.head.id)
            return turns.find_tool(connection, native) is None
        return not event.stub and bool(event.text)

    def _index(self, connection: Connection, row: int, text: str) -> None:
        found = index.analyse(text)
        index.add(connection, index.ARCHIVES, row, found.terms)
        connection.execute(
            "UPDATE archive SET secret = ?, length = ?, redact_version = ?,"
            " terms_version = ? WHERE id = ?",
            (
                found.secret,
                found.length,
                REDACT_VERSION,
                TERMS_VERSION,
                row,
            ),
        )
        self._counts.archived += 1

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
            native=native_key(self._context.agent, event.head.id),
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

    def _read(
        self, connection: Connection, place: Place, event: e.Read, stored: int | None
    ) -> None:
        row = shown.Shown(
            session=place.session,
            scope=event.head.scope,
            epoch=place.epoch,
            path=absolute(event.path, place.cwd),
            first=event.first,
            last=event.last or event.first + event.text.count("\n"),
            total=event.total,
            fingerprint=digest(event.text.encode("utf-8", "replace")),
            archive=stored,
            turn=place.turn,
            native=native_key(self._context.agent, _native(event.head, event.path)),
            tokens=estimate(event.text),
            at=event.head.at,
        )
        if shown.ensure_shown(connection, row):
            self._counts.reads += 1

    def _edit(self, connection: Connection, place: Place, event: e.Edit) -> None:
        edited = shown.Edited(
            session=place.session,
            scope=event.head.scope,
            turn=place.turn,
            path=absolute(event.path, place.cwd),
            native=native_key(self._context.agent, _native(event.head, event.path)),
            lines=event.after.count("\n") + 1,
            at=event.head.at,
        )
        shown.ensure_edited(connection, edited)

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

    def _has_text(self, event: e.Tool | e.Read) -> bool:
        """Say whether there is a text to keep: lines of a file are kept once."""
        if event.head.id in self._excluded:
            return False
        if isinstance(event, e.Read):
            return bool(event.text)
        return bool(event.output) and event.head.id not in self._reads


def _is_excluded(switches: Switches, place: Place, event: e.Tool | e.Read) -> bool:
    """Say whether what was observed is of a file that never enters (E1)."""
    path = event.path if isinstance(event, e.Read) else _path_of(event.input)
    return bool(path) and privacy.is_excluded(switches, absolute(path, place.cwd))


def _path_of(given: dict[str, Any]) -> str:
    value = given.get("file_path") or given.get("path") or ""
    return value if isinstance(value, str) else ""


def _item(
    switches: Switches, place: Place, event: e.Tool | e.Read
) -> archive.ArchiveItem:
    is_read = isinstance(event, e.Read)
    text = event.text if isinstance(event, e.Read) else event.output
    text = privacy.at_the_door(switches, text)
    title = event.path if isinstance(event, e.Read) else _title(event.input)
    return archive.ArchiveItem(
        data=text.encode("utf-8", "replace"),
        observed=event.head.at,
        session=place.session,
        turn=place.turn,
        title=title[:_TITLE_LENGTH],
        kind="read" if is_read else getattr(event, "kind", ""),
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
    return f"{head.id or f'{head.session}/{head.start}'}:{what}"


def _title(given: dict[str, Any]) -> str:
    for name in _TITLES:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value[:_TITLE_LENGTH]
    return ""
