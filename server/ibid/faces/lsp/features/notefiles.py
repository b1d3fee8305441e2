"""Completion for the front matter of files below ``.ibid`` (O1); read from the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.errors import InputError
from ibid.faces.lsp import noteheader
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.files import gate
from ibid.files.notes import is_note_name
from ibid.files.state import FOLDER

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


_SNIPPETS = "text_document.completion.completion_item.snippet_support"


def register(server: IbidServer, hub: Hub) -> None:
    """Serve completion; every other file has none."""

    def complete(params: types.CompletionParams) -> list[types.CompletionItem] | None:
        text = _note_text(hub, params.text_document.uri)
        if text is None:
            return None
        snippets = server.supports(_SNIPPETS)
        return noteheader.complete(text, params.position.line, snippets)

    server.register(
        Feature(
            method=types.TEXT_DOCUMENT_COMPLETION,
            kind=Kind.READ,
            handler=complete,
            options=types.CompletionOptions(),
        )
    )


def _note_text(hub: Hub, uri: str) -> str | None:
    """Return the text of a note file, "" for a new one; None for any other file."""
    if f"/{FOLDER}/" not in uri:
        return None
    memory = hub.memory_of_file(uri)
    if memory is None:
        return None
    relative = memory.notes.relative(path_of(uri))
    folder, _, name = relative.rpartition("/")
    if not folder.startswith(FOLDER) or not folder.endswith("/notes"):
        return None
    if not is_note_name(name):
        return None
    try:
        found = gate.find_file(memory.project.path, relative)
    except InputError:
        return None
    return "" if found is None else found.data.decode("utf-8", "replace")
