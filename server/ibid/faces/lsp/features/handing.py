"""``ibid/handoff/…``, ``ibid/claim``, ``ibid/instructions/preview``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ibid.engine.keep.instructions import Wanted
from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.engine.keep.instructions import Preview
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


_ANNOTATION = "instructions"


class HandoffParams(Params):
    """A session; none: the latest."""

    session: str = ""


class ClaimParams(Params):
    """Paths that a session claims or releases; neither: the claims that hold."""

    session: str = ""
    paths: list[str] = []
    release: bool = False


class InstructionsParams(Params):
    """An instruction file, and what should stand in it."""

    file: str = ""
    notes: list[str] = []
    handoff: bool = False


def register(server: IbidServer, hub: Hub) -> None:
    """Serve handoffs, claims, and folders that come and go."""

    def preview(params: HandoffParams) -> shapes.Json:
        made = hub.memory(params.project).handoffs.preview(params.session)
        return shapes.handoff(made)

    def write(params: HandoffParams) -> shapes.Json:
        made = hub.memory(params.project).handoffs.write(params.session)
        return shapes.handoff(made)

    def claim(params: ClaimParams) -> shapes.Json:
        memory = hub.memory(params.project)
        paths = [path_of(one) for one in params.paths]
        if params.release:
            claims = memory.parallel.release(params.session, paths)
        elif paths or params.session:
            claims = memory.parallel.claim(params.session, paths)
        else:
            claims = memory.parallel.claims()
        if paths or params.release:
            memory.handoffs.ensure_agents()
        return {"claims": [shapes.claim(one) for one in claims]}

    def instructions(params: InstructionsParams) -> shapes.Json:
        memory = hub.memory(params.project)
        wanted = Wanted(params.file, tuple(params.notes), params.handoff)
        made = memory.preview_instructions(wanted)
        return {**shapes.instructions(made), "edit": _edit(memory, made)}

    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        hub.change_folders(
            [one.uri for one in params.event.added],
            [one.uri for one in params.event.removed],
        )

    server.register(
        Feature(
            method=types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
            kind=Kind.WRITE,
            handler=folders,
        )
    )
    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("ibid/handoff/preview", HandoffParams, Kind.READ, preview),
        ("ibid/handoff/write", HandoffParams, Kind.WRITE, write),
        ("ibid/claim", ClaimParams, Kind.WRITE, claim),
        ("ibid/instructions/preview", InstructionsParams, Kind.READ, instructions),
    ]
    for method, params, kind, handler in table:
        server.register(
            Feature(method=method, params=params, kind=kind, handler=handler)
        )


def _edit(memory: Memory, made: Preview) -> shapes.Json:
    """Return the preview as an LSP WorkspaceEdit that the client must have confirmed.

    The server applies it never; the client shows it, and a person decides (C6).
    """
    uri = Path(memory.project.path, made.path).as_uri()
    label = {
        "label": f"Change {made.path}",
        "needsConfirmation": True,
        "description": "It is loaded into every session of the agents that read it.",
    }
    edits = [
        {
            "range": {
                "start": {"line": one.line, "character": one.character},
                "end": {"line": one.end_line, "character": one.end_character},
            },
            "newText": one.text,
            "annotationId": _ANNOTATION,
        }
        for one in made.changes
    ]
    create = {"kind": "create", "uri": uri, "annotationId": _ANNOTATION}
    document = {"textDocument": {"uri": uri, "version": None}, "edits": edits}
    return {
        "documentChanges": [*([] if made.exists else [create]), document],
        "changeAnnotations": {_ANNOTATION: label},
    }
