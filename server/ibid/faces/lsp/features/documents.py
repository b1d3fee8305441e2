"""``workspace/textDocumentContent``: ``ibid:`` documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.faces.lsp import documents
from ibid.faces.lsp.dispatch import Feature, Kind

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the virtual documents."""

    def content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(text=documents.read(hub, params.uri))

    server.register(
        Feature(method="workspace/textDocumentContent", kind=Kind.READ, handler=content)
    )
