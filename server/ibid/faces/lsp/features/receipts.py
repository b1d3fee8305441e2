"""``ibid/receipt/…``: Memory used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.params import Params
from ibid.store.receipts import ReceiptPage

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class ListParams(Params):
    """Which receipts to list."""

    session: str = ""
    note: str = ""
    limit: int = 100
    offset: int = 0


class ShowParams(Params):
    """A receipt's number or name."""

    id: str


def register(server: IbidServer, hub: Hub) -> None:
    """Serve receipts."""

    def listing(params: ListParams) -> shapes.Json:
        page = ReceiptPage(params.session, params.note, params.limit, params.offset)
        views, total = hub.memory(params.project).receipts.page(page)
        rows = [shapes.receipt(view, whole=False) for view in views]
        return {"receipts": rows, "total": total}

    def show(params: ShowParams) -> shapes.Json:
        return shapes.receipt(hub.memory(params.project).receipts.show(params.id))

    for feature in (
        Feature(
            method="ibid/receipt/list",
            params=ListParams,
            kind=Kind.READ,
            handler=listing,
        ),
        Feature(
            method="ibid/receipt/show", params=ShowParams, kind=Kind.READ, handler=show
        ),
    ):
        server.register(feature)
