"""Commands behind lenses and actions, for clients without their own (R1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.faces.lsp import addresses, stale
from ibid.faces.lsp.dispatch import Command, Kind
from ibid.faces.lsp.lenses import SHOW_NOTES, SHOW_READS, SHOW_RECALL
from ibid.faces.lsp.params import Params

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class ShowNotesParams(Params):
    """The notes behind a lens."""

    ids: list[str] = []
    uri: str = ""


class ShowReadsParams(Params):
    """A file, by its path in the project."""

    path: str
    uri: str = ""


class ShowRecallParams(Params):
    """What recall is asked."""

    query: str
    uri: str = ""


class ConfirmNoteParams(Params):
    """A note that is still true, and of which file."""

    id: str
    path: str = ""


class ForgetNoteParams(Params):
    """A note to forget."""

    id: str


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the commands."""
    served = _Acting(server, hub)
    table: list[tuple[str, type, Kind, Callable[..., None]]] = [
        (SHOW_NOTES, ShowNotesParams, Kind.READ, served.show_notes),
        (SHOW_READS, ShowReadsParams, Kind.READ, served.show_reads),
        (SHOW_RECALL, ShowRecallParams, Kind.READ, served.show_recall),
        (stale.CONFIRM_NOTE, ConfirmNoteParams, Kind.WRITE, served.confirm),
        (stale.FORGET_NOTE, ForgetNoteParams, Kind.WRITE, served.forget),
    ]
    for method, params, kind, handler in table:
        server.register(
            Command(method=method, params=params, kind=kind, handler=handler)
        )


class _Acting:
    """The commands over the hub's memories."""

    def __init__(self, server: IbidServer, hub: Hub) -> None:
        self._server = server
        self._hub = hub

    def show_notes(self, params: ShowNotesParams) -> None:
        for one in params.ids[:1]:
            self._show("note", one, params)

    def show_reads(self, params: ShowReadsParams) -> None:
        self._show("reads", params.path, params)

    def show_recall(self, params: ShowRecallParams) -> None:
        self._show("recall", params.query, params)

    def confirm(self, params: ConfirmNoteParams) -> None:
        self._hub.memory(params.project).notes.confirm(params.id, params.path)
        self._server.memory_changed(("notes",))

    def forget(self, params: ForgetNoteParams) -> None:
        self._hub.memory(params.project).notes.forget(params.id)
        self._server.memory_changed(("notes",))

    def _show(self, kind: str, name: str, params: Params) -> None:
        memory = self._hub.memory(params.project)
        target = addresses.uri(kind, name, self._hub, memory)
        shown = types.ShowDocumentParams(uri=target)
        self._server.protocol.ask("window/showDocument", shown)
