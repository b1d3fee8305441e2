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

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class ListParams(Params):
    """Which notes to list."""

    view: str = "all"
    query: str = ""
    path: str = ""
    limit: int = 100
    offset: int = 0


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


class DeleteParams(Params):
    """A note to delete for good, and whether also where it was said."""

    id: str
    said: bool = False


class EvidenceParams(Params):
    """A note whose sources are wanted."""

    id: str
    reveal: bool = False


def register(server: IbidServer, hub: Hub) -> None:
    """Serve all note requests."""

    def listing(params: ListParams) -> shapes.Json:
        notes = hub.memory(params.project).notes
        path = path_of(params.path) if params.path else ""
        page = Page(params.view, params.query, path, params.limit, params.offset)
        views, total = notes.page(page)
        return {
            "notes": [shapes.note(view) for view in views],
            "total": total,
            "counts": notes.counts(),
        }

    def add(params: AddParams) -> shapes.Json:
        new = NoteText(
            params.text,
            params.category,
            params.pinned,
            params.role,
            tuple(params.tags),
            path_of(params.path) if params.path else "",
            params.symbol,
        )
        return shapes.note(hub.memory(params.project).notes.add(new))

    def edit(params: EditParams) -> shapes.Json:
        changes: dict[str, Any] = {
            "text": params.text,
            "category": params.category,
            "tags": params.tags,
            "version": params.version,
        }
        return shapes.note(hub.memory(params.project).notes.edit(params.id, changes))

    def correct(params: CorrectParams) -> shapes.Json:
        notes = hub.memory(params.project).notes
        return shapes.note(notes.correct(params.id, params.text, params.version))

    def evidence(params: EvidenceParams) -> shapes.Json:
        rows, history = hub.memory(params.project).notes.evidence(params.id)
        return shapes.evidence(rows, history, params.reveal)

    def usage(params: IdParams) -> shapes.Json:
        views, _ = hub.memory(params.project).receipts.page(ReceiptPage(note=params.id))
        return {"receipts": [shapes.receipt(view, whole=False) for view in views]}

    def delete(params: DeleteParams) -> shapes.Json:
        eraser = hub.memory(params.project).eraser
        return shapes.deleted(eraser.delete_note(params.id, params.said))

    def act(verb: str) -> Callable[[IdParams], shapes.Json]:
        def handler(params: IdParams) -> shapes.Json:
            notes = hub.memory(params.project).notes
            if verb in ("pin", "unpin"):
                return shapes.note(notes.pin(params.id, verb == "pin"))
            return shapes.note(getattr(notes, verb)(params.id))

        return handler

    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("list", ListParams, Kind.READ, listing),
        ("add", AddParams, Kind.WRITE, add),
        ("edit", EditParams, Kind.WRITE, edit),
        ("correct", CorrectParams, Kind.WRITE, correct),
        ("evidence", EvidenceParams, Kind.READ, evidence),
        ("usage", IdParams, Kind.READ, usage),
        ("delete", DeleteParams, Kind.WRITE, delete),
        *(
            (verb, IdParams, Kind.WRITE, act(verb))
            for verb in ("pin", "unpin", "forget", "restore")
        ),
    ]
    for verb, params, kind, handler in table:
        server.register(
            Feature(
                method=f"ibid/note/{verb}", params=params, kind=kind, handler=handler
            )
        )
