"""``ibid/candidate/…``: the review queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.params import Params
from ibid.store.candidates import CandidatePage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class ListParams(Params):
    """Which candidates to list; no state means those that wait."""

    query: str = ""
    state: str = ""
    limit: int = 100
    offset: int = 0


class AcceptParams(Params):
    """A candidate to make a note."""

    id: str
    pinned: bool = False


class EditParams(Params):
    """A candidate and its new words."""

    id: str
    text: str
    category: str = ""
    version: int | None = None


class IdParams(Params):
    """A candidate's id or unique prefix."""

    id: str


class SnoozeParams(Params):
    """A candidate to put off, and until when."""

    id: str
    until: str = "day"


def register(server: IbidServer, hub: Hub) -> None:
    """Serve all candidate requests."""

    def listing(params: ListParams) -> shapes.Json:
        queue = hub.memory(params.project).queue
        page = CandidatePage(params.query, params.state, params.limit, params.offset)
        views, total = queue.page(page)
        return {
            "candidates": [shapes.candidate(view) for view in views],
            "total": total,
            "digest": {"expired": queue.expired()},
        }

    def accept(params: AcceptParams) -> shapes.Json:
        queue = hub.memory(params.project).queue
        return shapes.note(queue.accept(params.id, params.pinned))

    def edit(params: EditParams) -> shapes.Json:
        queue = hub.memory(params.project).queue
        return shapes.candidate(
            queue.edit(params.id, params.text, params.category, params.version)
        )

    def snooze(params: SnoozeParams) -> shapes.Json:
        queue = hub.memory(params.project).queue
        return shapes.candidate(queue.snooze(params.id, params.until))

    def reject(params: IdParams) -> shapes.Json:
        return shapes.candidate(hub.memory(params.project).queue.reject(params.id))

    def restore(params: IdParams) -> shapes.Json:
        return shapes.candidate(hub.memory(params.project).queue.restore(params.id))

    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("list", ListParams, Kind.READ, listing),
        ("accept", AcceptParams, Kind.WRITE, accept),
        ("edit", EditParams, Kind.WRITE, edit),
        ("reject", IdParams, Kind.WRITE, reject),
        ("restore", IdParams, Kind.WRITE, restore),
        ("snooze", SnoozeParams, Kind.WRITE, snooze),
    ]
    for verb, params, kind, handler in table:
        server.register(
            Feature(
                method=f"ibid/candidate/{verb}",
                params=params,
                kind=kind,
                handler=handler,
            )
        )
