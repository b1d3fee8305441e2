"""Notes in the code they are about: lenses and hovers (R4).

The server asks for no text of the editor's; it reads the file as it is on disk.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from lsprotocol import types

from ibid.engine.recall import sources
from ibid.errors import InputError
from ibid.faces.lsp import documents
from ibid.faces.lsp.dispatch import Command, Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.text.clean import markdown
from ibid.text.redact import redact
from ibid.text.symbols import find_definitions, names_symbol, word_at

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer
    from ibid.store.driver import Row

MOST_BYTES = 2_000_000  # Larger files have no lenses.
OPEN_NOTES = "ibid.openNotes"
SHOW_NOTES = "ibid.server.showNotes"
_VERBS = {"decision": "decided", "constraint": "ruled", "preference": "preferred"}


class ShowNotesParams(Params):
    """The notes behind a lens."""

    ids: list[str] = []
    uri: str = ""


class Place(NamedTuple):
    """Where in a file notes show: a line from 0, and the notes."""

    line: int
    notes: list[Row]


def register(server: IbidServer, hub: Hub) -> None:
    """Serve lenses, hovers and the command behind a lens."""

    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        found = _file(hub, uri)
        if found is None:
            return []
        memory, path = found
        places = places_in(memory, path, read_text(path))
        return [_lens(server, memory, place, uri) for place in places]

    def hover(params: types.HoverParams) -> types.Hover | None:
        found = _file(hub, params.text_document.uri)
        if found is None:
            return None
        memory, path = found
        lines = read_text(path).splitlines()
        at = params.position
        line = lines[at.line] if at.line < len(lines) else ""
        notes = _notes_at(memory, path, at.line, word_at(line, at.character))
        if not notes:
            return None
        text = "\n\n---\n\n".join(
            _hover(server, hub, memory, note) for note in notes[:5]
        )
        content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=text)
        return types.Hover(contents=content)

    def show(params: ShowNotesParams) -> None:
        memory = hub.memory(params.project)
        for one in params.ids[:1]:
            shown = types.ShowDocumentParams(
                uri=documents.uri("note", one, hub, memory)
            )
            server.protocol.ask("window/showDocument", shown)

    for feature in (
        Feature(
            method="textDocument/codeLens",
            kind=Kind.READ,
            handler=lenses,
            options=types.CodeLensOptions(resolve_provider=False),
            switch="lenses",
        ),
        Feature(
            method="textDocument/hover",
            kind=Kind.READ,
            handler=hover,
            switch="hovers",
        ),
        Command(
            method=SHOW_NOTES, params=ShowNotesParams, kind=Kind.READ, handler=show
        ),
    ):
        server.register(feature)


def _file(hub: Hub, uri: str) -> tuple[Memory, str] | None:
    try:
        path = path_of(uri)
    except InputError:
        return None  # A buffer that is no file has no notes.
    memory = hub.memory_of_file(uri)
    return None if memory is None else (memory, path)


def read_text(path: str) -> str:
    """Return the text of a file of moderate size, else ""."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return ""
        return file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def places_in(memory: Memory, path: str, text: str) -> list[Place]:
    """Return where the notes about a file show, from the top."""
    notes = memory.notes.anchored(path)
    if not notes:
        return []
    lines: dict[int, list[Row]] = {}
    definitions = find_definitions(text) if any(_symbols(notes)) else []
    for note in notes:
        symbol = note["anchor_symbol"]
        if not symbol:
            lines.setdefault(0, []).append(note)
            continue
        for one in definitions:
            if names_symbol(symbol, one.name):
                lines.setdefault(one.line, []).append(note)
                break
    return [Place(line, _unique(lines[line])) for line in sorted(lines)]


def _symbols(notes: list[Row]) -> list[str]:
    return [note["anchor_symbol"] for note in notes]


def _unique(notes: list[Row]) -> list[Row]:
    return list({note["key"]: note for note in notes}.values())


def _notes_at(memory: Memory, path: str, line: int, word: str) -> list[Row]:
    """Return notes on the symbol under the cursor; on line 0 those on the file too."""
    found = []
    for note in memory.notes.anchored(path):
        symbol = note["anchor_symbol"]
        if (symbol and word and names_symbol(symbol, word)) or (
            not symbol and line == 0
        ):
            found.append(note)
    return _unique(found)


def _lens(server: IbidServer, memory: Memory, place: Place, uri: str) -> types.CodeLens:
    newest = max(place.notes, key=lambda note: note["updated"])
    count = len(place.notes)
    verb = _VERBS.get(newest["category"], "noted")
    title = f"ibid: {count} note{'s' if count > 1 else ''} · {verb} " + short_date(
        newest["created"]
    )
    argument = {
        "project": memory.project.path,
        "ids": [note["key"] for note in place.notes],
        "uri": uri,
    }
    start = types.Position(line=place.line, character=0)
    return types.CodeLens(
        range=types.Range(start=start, end=start),
        command=types.Command(
            title=title,
            command=OPEN_NOTES if server.offers(OPEN_NOTES) else SHOW_NOTES,
            arguments=[argument],
        ),
    )


def short_date(at: int) -> str:
    """Return a day as ``2 Apr``, in UTC, with the year when it is another."""
    try:
        day = datetime.fromtimestamp(at / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return "undated"
    return f"{day.day} {day.strftime('%b')}"


def _hover(server: IbidServer, hub: Hub, memory: Memory, note: Row) -> str:
    marks = [f"**{note['category'].capitalize()}**"]
    marks += ["pinned"] if note["pinned"] else []
    marks += ["outside"] if note["taint"] else []
    marks += [documents.times(note["uses"])] if note["uses"] else []
    source = sources.source_of(memory.store.read(), note)
    where = f"You noted it on {sources.date(note['created'])}."
    if source is not None:
        title = f" of *{markdown(source.title)}*" if source.title else ""
        where = (
            f"From turn {source.turn}{title}, {markdown(source.agent)}, "
            f"{sources.date(source.at)}."
        )
    links = _links(server, hub, memory, note)
    text = markdown(redact(note["text"]))
    return f"{' · '.join(marks)}\n\n{text}\n\n{where} {' · '.join(links)}"


def _links(server: IbidServer, hub: Hub, memory: Memory, note: Row) -> list[str]:
    """Return links to the client's own commands, if it listed them.

    VS Code follows no link of a scheme it does not know, so the evidence is a link
    to its document only where there is no command for it.
    """
    argument: list[Any] = [{"project": memory.project.path, "id": note["key"]}]
    given = quote(json.dumps(argument))
    evidence = f"[Open evidence]({documents.uri('note', note['key'], hub, memory)})"
    wanted = {
        "Open evidence": "ibid.showEvidence",
        "Correct": "ibid.correctNote",
        "Forget": "ibid.forgetNote",
    }
    links = [
        f"[{title}](command:{command}?{given})"
        for title, command in wanted.items()
        if server.offers(command)
    ]
    return links if server.offers("ibid.showEvidence") else [evidence, *links]
