"""``ibid/recall`` and ``ibid/search``, ``ibid/expand``, and notes as symbols."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.engine.model import LAYERS, RecallRequest, SearchRequest
from ibid.engine.recall.expanding import Part
from ibid.errors import InputError
from ibid.faces import shapes
from ibid.faces.lsp import addresses
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.text.clean import one_line

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer

logger = logging.getLogger(__name__)

_MOST = 500
_START = types.Position(line=0, character=0)
_TOP = types.Range(start=_START, end=_START)


class RecallParams(Params):
    """A prompt and who sends it."""

    prompt: str
    session: str = ""
    agent: str = ""
    role: str = ""


class SearchParams(Params):
    """A query and where to look."""

    query: str
    layers: list[str] | None = None
    archive: bool = False
    limit: int = 20
    offset: int = 0
    path: str | None = None


class ExpandParams(Params):
    """A handle, number or turn reference, and which lines of it; else all."""

    handle: str
    reveal: bool = False
    lines: tuple[int, int] | None = None
    head: int = 0
    tail: int = 0
    find: str = ""


def register(server: IbidServer, hub: Hub) -> None:
    """Serve recall, search, expand and workspace symbols."""

    def recall(params: RecallParams) -> shapes.Json:
        memory = hub.memory(params.project)
        request = RecallRequest(
            params.prompt, params.session, params.agent, params.role
        )
        answer = memory.recall(request)
        for trouble in answer.troubles:
            logger.warning("%s", trouble)
        if answer.block is not None and answer.receipt is not None:
            told = {
                "project": memory.project.path,
                "receipt": f"#{answer.receipt}",
                "session": params.session,
                "tokens": answer.tokens,
                "items": len(answer.items),
            }
            server.tell("ibid/turnRecalled", told)
        return shapes.recalled(answer)

    def search(params: SearchParams) -> shapes.Json:
        layers = tuple(LAYERS if params.layers is None else params.layers)
        unknown = [one for one in layers if one not in LAYERS]
        if unknown:
            raise InputError(f"No layer {unknown[0]!r}. There are: {list(LAYERS)}.")
        request = SearchRequest(
            params.query,
            layers,
            params.archive,
            min(max(params.limit, 0), _MOST),
            max(params.offset, 0),
            path_of(params.path) if params.path else "",
        )
        return shapes.found(hub.memory(params.project).search(request))

    def expand(params: ExpandParams) -> shapes.Json:
        memory = hub.memory(params.project)
        first, last = params.lines or (0, 0)
        part = Part(first, last, params.head, params.tail, params.find)
        if params.lines is not None and not first:
            raise InputError("Lines count from 1 @ $.lines.")
        return shapes.expanded(memory.expand(params.handle, params.reveal, part))

    def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return _symbols(hub, params.query)

    for feature in (
        Feature(
            method="ibid/recall", params=RecallParams, kind=Kind.READ, handler=recall
        ),
        Feature(
            method="ibid/search", params=SearchParams, kind=Kind.READ, handler=search
        ),
        Feature(
            method="ibid/expand", params=ExpandParams, kind=Kind.READ, handler=expand
        ),
        Feature(method="workspace/symbol", kind=Kind.READ, handler=symbols),
    ):
        server.register(feature)


def _symbols(hub: Hub, query: str) -> list[types.WorkspaceSymbol]:
    """Return the notes that match ``query``, as symbols of the workspace."""
    return [
        types.WorkspaceSymbol(
            name=one_line(hit.text)[:160],
            kind=types.SymbolKind.String,
            container_name=f"ibid {hit.category}",
            # With a range: clients drop a symbol without one, unless they resolve it.
            location=types.Location(
                uri=addresses.uri("note", hit.id, hub, memory), range=_TOP
            ),
        )
        for memory in hub.memories()
        for hit in memory.search(SearchRequest(query, ("L1",), limit=50)).hits
    ]
