"""``ibid/read``, ``ibid/reads``, ``ibid/context/…`` (N).

A read is a write here, for its answer is recorded: it is answered even when cancelled,
so that what the ledger holds shown was sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.duties import reading
from ibid.engine.ledger.epochs import Ending
from ibid.errors import InputError
from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.store import shown

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer

_MOST = 1000


class ReadParams(Params):
    """A file, the lines wanted of it, and who reads."""

    path: str
    session: str = ""
    scope: str | None = ""
    agent: str = ""
    range: tuple[int, int] | None = None
    fresh: bool = False
    limit: int = 0
    text: str | None = None


class ReadsParams(Params):
    """A file, or which of the last files."""

    path: str | None = None
    limit: int = 100
    offset: int = 0


class ContextParams(Params):
    """Whose context began anew; without a scope, every thread of the session."""

    session: str
    scope: str | None = None
    agent: str = ""
    reason: str = ""


def register(server: IbidServer, hub: Hub) -> None:
    """Serve reads and boundaries."""

    def read(params: ReadParams) -> shapes.Json:
        first, last = params.range or (0, 0)
        if params.range is not None and not 1 <= first <= last:
            raise InputError(f"No range {first}:{last} @ $.range; lines count from 1.")
        request = reading.FileRequest(
            path=path_of(params.path),
            session=params.session,
            scope=params.scope,
            first=first,
            last=last,
            fresh=params.fresh,
            agent=params.agent,
            limit=max(params.limit, 0),
            text=params.text,
        )
        return shapes.read_answer(
            reading.read_file(hub.memory(params.project), request)
        )

    def reads(params: ReadsParams) -> shapes.Json:
        memory = hub.memory(params.project)
        if params.path is not None:
            found = reading.file_history(memory, path_of(params.path))
            return shapes.file_history(found, memory.notes.relative(found.path))
        page = shown.FilePage(min(max(params.limit, 0), _MOST), max(params.offset, 0))
        files, total = memory.ledger.files(page)
        return shapes.touched_files(files, total, memory.notes.relative)

    def end(params: ContextParams, reason: str) -> shapes.Json:
        ending = Ending(
            params.session, params.scope, params.reason or reason, params.agent
        )
        return shapes.ended_epoch(hub.memory(params.project).ledger.end_epoch(ending))

    def compacted(params: ContextParams) -> shapes.Json:
        return end(params, "compacted")

    def reset(params: ContextParams) -> shapes.Json:
        return end(params, "reset")

    for feature in (
        Feature(method="ibid/read", params=ReadParams, kind=Kind.WRITE, handler=read),
        Feature(method="ibid/reads", params=ReadsParams, kind=Kind.READ, handler=reads),
        Feature(
            method="ibid/context/compacted",
            params=ContextParams,
            kind=Kind.WRITE,
            handler=compacted,
        ),
        Feature(
            method="ibid/context/reset",
            params=ContextParams,
            kind=Kind.WRITE,
            handler=reset,
        ),
    ):
        server.register(feature)
