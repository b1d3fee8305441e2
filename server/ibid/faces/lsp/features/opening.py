"""Files that open, are saved and close: the person reads (N8), stale notes show (R4).

Each method has one handler, so both stand here; each has a switch of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.duties import reading
from ibid.errors import InputError
from ibid.faces.lsp import stale
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.lenses import wants
from ibid.faces.lsp.looking import look, places_in
from ibid.store import shown

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer

_EDITOR, _STALE = "editor", "staleNotes"
_EITHER = (_EDITOR, _STALE)


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the document's life, and the actions on stale notes."""
    stales = server.stale = stale.Stale(server, hub)

    def touched(uri: str, kind: str) -> None:
        if not wants(server, _EDITOR):
            return
        try:
            path = path_of(uri)
        except InputError:
            return  # A buffer that is no file.
        memory = hub.memory_of_file(uri)
        if memory is not None:
            memory.ledger.touched(reading.locate(memory.project.path, path), kind)

    def opened(params: types.DidOpenTextDocumentParams) -> None:
        stales.opened(params.text_document.uri)
        touched(params.text_document.uri, shown.OPENED)

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        stales.check(params.text_document.uri)
        touched(params.text_document.uri, shown.SAVED)

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        stales.closed(params.text_document.uri)

    def act(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        if only is not None and not any(_is_fix(kind) for kind in only):
            return []
        return stale.actions(server, _given(server, hub, params))

    for feature in (
        Feature(
            method=types.TEXT_DOCUMENT_DID_OPEN,
            kind=Kind.WRITE,
            handler=opened,
            switch=_EITHER,
        ),
        Feature(
            method=types.TEXT_DOCUMENT_DID_SAVE,
            kind=Kind.WRITE,
            handler=saved,
            switch=_EITHER,
        ),
        Feature(
            method=types.TEXT_DOCUMENT_DID_CLOSE,
            kind=Kind.WRITE,
            handler=closed,
            switch=_STALE,
        ),
        Feature(
            method=types.TEXT_DOCUMENT_CODE_ACTION,
            kind=Kind.READ,
            handler=act,
            options=types.CodeActionOptions(
                code_action_kinds=[types.CodeActionKind.QuickFix]
            ),
            switch=_STALE,
        ),
    ):
        server.register(feature)


def _given(
    server: IbidServer, hub: Hub, params: types.CodeActionParams
) -> list[types.Diagnostic]:
    """Return our diagnostics that actions are wanted for, with their data.

    Some clients give back diagnostics without it: then they are made again.
    """
    given = [one for one in params.context.diagnostics if one.source == "ibid"]
    if any(one.data for one in given):
        return given
    looked = look(hub, params.text_document.uri) if given else None
    if looked is None:
        return []
    told = stale.diagnostics(server, looked, places_in(looked))
    lines = {(one.range.start.line, one.code) for one in given}
    return [one for one in told if (one.range.start.line, one.code) in lines]


def _is_fix(kind: str) -> bool:
    """Say whether a quick fix is among what a client asks for."""
    fix = str(types.CodeActionKind.QuickFix.value)
    return kind in ("", fix) or kind.startswith(f"{fix}.")
