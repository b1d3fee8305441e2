"""Notes whose code changed or is gone: quiet diagnostics, and what to do (R4).

They are told for the files that are open, and for those that were asked about lately,
whenever such a file is opened or saved, or the notes change.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ibid.errors import IbidError
from ibid.faces.lsp.lenses import OPEN_NOTES, SHOW_NOTES, wants
from ibid.faces.lsp.looking import look, places_in, range_in
from ibid.text.clean import one_line
from ibid.text.prints import FRESH, GONE
from ibid.text.redact import redact
from ibid.text.segments import cut_at_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.looking import Looked, Mention, Place
    from ibid.faces.lsp.server import IbidServer

CONFIRM_NOTE = "ibid.server.confirmNote"
FORGET_NOTE = "ibid.server.forgetNote"
CHANGED_CODE, GONE_CODE = "note-changed", "note-gone"

_ASKED = 32  # Files that are not open and were asked about lately.
_LAYER = "stale"
_MARKED = 200  # Characters of a line that are underlined.
_SHOWN = 160  # Characters of a note in a message.


class Stale:
    """Tells the client of notes that may not be true any more; from any thread."""

    def __init__(self, server: IbidServer, hub: Hub) -> None:
        self._server = server
        self._hub = hub
        self._lock = threading.Lock()
        self._open: set[str] = set()
        self._asked: dict[str, None] = {}

    def opened(self, uri: str) -> None:
        """Look after an open file from now on."""
        with self._lock:
            self._open.add(uri)
            self._asked.pop(uri, None)
        self.check(uri)

    def is_any_open(self) -> bool:
        """Say whether there is a file whose lenses show."""
        return bool(self._open)

    def closed(self, uri: str) -> None:
        """Leave a file alone, and take back what was said of it."""
        with self._lock:
            self._open.discard(uri)
            self._asked.pop(uri, None)
        self._server.board.put(uri, _LAYER, [])

    def asked(self, looked: Looked, places: list[Place]) -> None:
        """Say what there is to say of a file that was just looked at."""
        if not wants(self._server, "staleNotes"):
            return
        dropped = None
        with self._lock:
            if looked.uri not in self._open:
                self._asked.pop(looked.uri, None)
                self._asked[looked.uri] = None
                if len(self._asked) > _ASKED:
                    dropped = next(iter(self._asked))
                    del self._asked[dropped]
        if dropped is not None:
            self._server.board.put(dropped, _LAYER, [])
        self._tell(looked, places)

    def check(self, uri: str) -> None:
        """Look at a file again, on a thread for reading."""
        if wants(self._server, "staleNotes"):
            self._server.dispatcher.submit_read(lambda: self._check(uri))

    def check_all(self) -> None:
        """Look at every file again that is looked after."""
        with self._lock:
            uris = [*self._open, *self._asked]
        for uri in uris:
            self.check(uri)

    def _check(self, uri: str) -> None:
        with contextlib.suppress(IbidError):  # It is told at the next occasion.
            looked = look(self._hub, uri)
            if looked is not None:
                self._tell(looked, places_in(looked))

    def _tell(self, looked: Looked, places: list[Place]) -> None:
        found = diagnostics(self._server, looked, places)
        with self._lock:
            if looked.uri in self._open or looked.uri in self._asked:
                self._server.board.put(looked.uri, _LAYER, found)


def diagnostics(
    server: IbidServer, looked: Looked, places: list[Place]
) -> list[types.Diagnostic]:
    """Return what is to be said of a file: one a note, on the line it is about."""
    lines = looked.lines
    found: dict[str, types.Diagnostic] = {}
    for place in places:
        line = lines[place.line] if place.line < len(lines) else ""
        indent = len(line) - len(line.lstrip())
        end = min(len(line), indent + _MARKED)
        span = range_in(server, line, place.line, range(indent, end))
        for one in place.mentions:
            if one.state == FRESH:
                continue
            known = found.get(one.note["key"])
            if known is None or (one.symbol and known.code == CHANGED_CODE):
                found[one.note["key"]] = _diagnostic(looked, one, span)
    return sorted(found.values(), key=lambda one: one.range.start.line)


def _diagnostic(looked: Looked, one: Mention, span: types.Range) -> types.Diagnostic:
    is_gone = one.state == GONE
    severity = types.DiagnosticSeverity
    return types.Diagnostic(
        range=span,
        message=message_of(one),
        severity=severity.Information if is_gone else severity.Hint,
        source="ibid",
        code=GONE_CODE if is_gone else CHANGED_CODE,
        data={
            "project": looked.memory.project.path,
            "id": one.note["key"],
            "path": looked.relative,
            "symbol": one.symbol,
        },
    )


def message_of(one: Mention) -> str:
    """Return ``This note names send_all, which is gone: Use send_all().``."""
    what = one_line(redact(one.symbol)) or "this file"
    became = "is gone" if one.state == GONE else "has changed since"
    text = cut_at_sentence(one_line(redact(one.note["text"])), _SHOWN)
    return f"This note names {what}, which {became}: {text}"


# -- what to do ------------------------------------------------------------------------


def actions(
    server: IbidServer, given: Iterable[types.Diagnostic]
) -> list[types.CodeAction]:
    """Return the actions on such diagnostics: update, still true, forget."""
    found = []
    for one in given:
        data = one.data
        if one.source == "ibid" and isinstance(data, dict) and data.get("id"):
            found += [
                _action(title, command, argument, one)
                for title, command, argument in _choices(server, data)
            ]
    return found


def _choices(
    server: IbidServer, data: dict[str, Any]
) -> list[tuple[str, str, dict[str, Any]]]:
    note = {"project": data.get("project"), "id": data["id"]}
    notes = {"project": data.get("project"), "ids": [data["id"]], "uri": ""}
    update: tuple[str, dict[str, Any]] = (SHOW_NOTES, notes)
    if server.offers(OPEN_NOTES):
        update = (OPEN_NOTES, notes)
    if server.offers("ibid.correctNote"):
        update = ("ibid.correctNote", note)
    forget = "ibid.forgetNote" if server.offers("ibid.forgetNote") else FORGET_NOTE
    confirm = {**note, "path": data.get("path") or ""}
    return [
        ("Update note", *update),
        ("Still true", CONFIRM_NOTE, confirm),
        ("Forget", forget, note),
    ]


def _action(
    title: str, command: str, argument: dict[str, Any], one: types.Diagnostic
) -> types.CodeAction:
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[one],
        command=types.Command(title=title, command=command, arguments=[argument]),
    )
