"""Memory in the code it is about: lenses and hovers (R4)."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.duties import reading
from ibid.errors import InputError
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hovers import RULE, Hovers
from ibid.faces.lsp.lenses import lenses
from ibid.faces.lsp.looking import (
    Looked,
    history_of,
    look,
    mentions_at,
    offset_in,
    places_in,
)
from ibid.text.symbols import word_at

if TYPE_CHECKING:
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer

_LONGEST = 400  # Characters of a path, to each side of the cursor.


def register(server: IbidServer, hub: Hub) -> None:
    """Serve lenses and hovers."""
    hovers = Hovers(server, hub)

    def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        looked = look(hub, params.text_document.uri)
        if looked is None:
            return []
        places = places_in(looked)
        if server.stale is not None:
            server.stale.asked(looked, places)
        return lenses(server, looked, places)

    def hover(params: types.HoverParams) -> types.Hover | None:
        looked = look(hub, params.text_document.uri)
        if looked is None:
            return None
        parts = _passages(server, hovers, looked, params.position)
        if not parts:
            return None
        kind = types.MarkupKind.Markdown
        return types.Hover(types.MarkupContent(kind=kind, value=RULE.join(parts)))

    for feature in (
        Feature(
            method="textDocument/codeLens",
            kind=Kind.READ,
            handler=lens,
            options=types.CodeLensOptions(resolve_provider=False),
            switch="lenses",
        ),
        Feature(
            method="textDocument/hover",
            kind=Kind.READ,
            handler=hover,
            switch="hovers",
        ),
    ):
        server.register(feature)


def _passages(
    server: IbidServer, hovers: Hovers, looked: Looked, at: types.Position
) -> list[str]:
    """Return what there is to say at a position."""
    lines = looked.lines
    line = lines[at.line] if at.line < len(lines) else ""
    column = offset_in(server, line, at.character)
    memory = looked.memory
    found = hovers.notes(memory, mentions_at(looked, at.line, word_at(line, column)))
    named = _path_at(looked, line, column)
    if named:
        history = reading.file_history(memory, named)
        found.append(hovers.reads(memory, history))
    elif at.line == 0:
        history = history_of(looked)
        found.append(hovers.reads(memory, history))
    return [one for one in found if one]


def _path_at(looked: Looked, line: str, column: int) -> str:
    """Return the file that the word under the cursor names, if it is one.

    It counts from the project's folder and from the file's own.
    """
    start = end = column
    first, last = max(0, column - _LONGEST), min(len(line), column + _LONGEST)
    while start > first and _is_path(line[start - 1]):
        start -= 1
    while end < last and _is_path(line[end]):
        end += 1
    word = line[start:end].strip(".").rstrip("/")
    if not re.search(r"[/.]\w", word) or _LONGEST in (column - start, end - column):
        return ""
    root = looked.memory.project.path
    for folder in (root, str(Path(looked.path).parent)):
        try:
            path = reading.locate(folder, word)
            there = path.startswith(root + os.sep) and Path(path).is_file()
        except (InputError, OSError):  # A name that is too long, say.
            return ""
        if there and path != looked.path:
            return path
    return ""


def _is_path(character: str) -> bool:
    return character.isalnum() or character in "_./@+~-"
