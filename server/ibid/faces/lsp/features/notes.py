"""``ibid/note/…``: what a person does with notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.engine.keep.notes import NoteText
from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.store.memories import Page
from ibid.store.receipts import ReceiptPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.engine.keep.notes import Notes
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class ListParams(Params):
    """Which notes to list."""

    view: str = "all"
    query: str = ""
    path: str = ""
    limit: int = 100
    offset: int = 0
    sort: str = "updated"


class AddParams(Params):
    """A note of a person's own."""

    text: str
    category: str = ""
    pinned: bool = False
    role: str = ""
    path: str = ""
    symbol: str = ""
    tags: list[str] = []


class EditParams(Params):
    """What to change of a note; ``version`` guards against lost updates."""

    id: str
    text: str | None = None
    category: str | None = None
    tags: list[str] | None = None
    version: int | None = None


class CorrectParams(Params):
    """A note and the words that replace it."""

    id: str
    text: str
    version: int | None = None


class IdParams(Params):
    """A note's id or unique prefix."""

    id: str


class ConfirmParams(Params):
    """A note that is still true, and the file it is so for; without one all of it."""

    id: str
    path: str = ""


class DeleteParams(Params):
    """A note to delete for good; whether also where it was said, and its file."""

    id: str
    said: bool = False
    file: bool = False


class ShareParams(Params):
    """Whether Git sees the note files."""

    on: bool = True


class EvidenceParams(Params):
    """A note whose sources are wanted."""

    id: str
    reveal: bool = False


def register(server: IbidServer, hub: Hub) -> None:
    """Serve all note requests."""
    served = _Notes(hub)
    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("list", ListParams, Kind.READ, served.page),
        ("add", AddParams, Kind.WRITE, served.add),
        ("edit", EditParams, Kind.WRITE, served.edit),
        ("correct", CorrectParams, Kind.WRITE, served.correct),
        ("pin", IdParams, Kind.WRITE, served.pin),
        ("unpin", IdParams, Kind.WRITE, served.unpin),
        ("forget", IdParams, Kind.WRITE, served.forget),
        ("restore", IdParams, Kind.WRITE, served.restore),
        ("confirm", ConfirmParams, Kind.WRITE, served.confirm),
        ("delete", DeleteParams, Kind.WRITE, served.delete),
        ("share", ShareParams, Kind.WRITE, served.share),
        ("evidence", EvidenceParams, Kind.READ, served.evidence),
        ("usage", IdParams, Kind.READ, served.usage),
    ]
    for verb, params, kind, handler in table:
        method = f"ibid/note/{verb}"
        server.register(
            Feature(method=method, params=params, kind=kind, handler=handler)
        )


class _Notes:
    """The note requests over the hub's memories."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def page(self, params: ListParams) -> shapes.Json:
        notes = self._notes(params)
        path = path_of(params.path) if params.path else ""
        where = (params.view, params.query, path)
        wanted = Page(*where, params.limit, params.offset, params.sort)
        views, total = notes.page(wanted)
        return {
            "notes": [shapes.note(view) for view in views],
            "total": total,
            "counts": notes.counts(),
        }

    def add(self, params: AddParams) -> shapes.Json:
        new = NoteText(
            params.text,
            params.category,
            params.pinned,
            params.role,
            tuple(params.tags),
            path_of(params.path) if params.path else "",
            params.symbol,
        )
        return shapes.note(self._notes(params).add(new))

    def edit(self, params: EditParams) -> shapes.Json:
        changes: dict[str, Any] = {
            "text": params.text,
            "category": params.category,
            "tags": params.tags,
            "version": params.version,
        }
        return shapes.note(self._notes(params).edit(params.id, changes))

    def correct(self, params: CorrectParams) -> shapes.Json:
        notes = self._notes(params)
        return shapes.note(notes.correct(params.id, params.text, params.version))

    def pin(self, params: IdParams) -> shapes.Json:
        return shapes.note(self._notes(params).pin(params.id))

    def unpin(self, params: IdParams) -> shapes.Json:
        return shapes.note(self._notes(params).pin(params.id, pinned=False))

    def forget(self, params: IdParams) -> shapes.Json:
        return shapes.note(self._notes(params).forget(params.id))

    def restore(self, params: IdParams) -> shapes.Json:
        return shapes.note(self._notes(params).restore(params.id))

    def confirm(self, params: ConfirmParams) -> shapes.Json:
        path = path_of(params.path) if params.path else ""
        return shapes.note(self._notes(params).confirm(params.id, path))

    def delete(self, params: DeleteParams) -> shapes.Json:
        eraser = self._hub.memory(params.project).eraser
        done = eraser.delete_note(params.id, params.said, params.file)
        return shapes.deleted(done)

    def share(self, params: ShareParams) -> shapes.Json:
        """Let Git see the note files, or hide them (O1)."""
        folders = self._hub.memory(params.project).filenotes.share(params.on)
        return {"folders": folders, "shared": params.on}

    def evidence(self, params: EvidenceParams) -> shapes.Json:
        rows, history = self._notes(params).evidence(params.id)
        return shapes.evidence(rows, history, params.reveal)

    def usage(self, params: IdParams) -> shapes.Json:
        receipts = self._hub.memory(params.project).receipts
        views, _ = receipts.page(ReceiptPage(note=params.id))
        return {"receipts": [shapes.receipt(view, whole=False) for view in views]}

    def _notes(self, params: Params) -> Notes:
        return self._hub.memory(params.project).notes
