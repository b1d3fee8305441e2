"""From a handle, number, id or ``ibid:`` address in a text to its document (M4, R1)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from lsprotocol import types

from ibid.errors import IbidError
from ibid.faces.lsp import addresses, documents
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.looking import look, offset_in, range_in, split_lines
from ibid.files.state import FOLDER
from ibid.store import archive, receipts
from ibid.store.memories import load_candidate, load_memory
from ibid.text import mentions

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer
    from ibid.text.mentions import Mentioned

_TOP = types.Position(line=0, character=0)
_LONGEST = 4_000  # Characters of a line that is looked at.


def register(server: IbidServer, hub: Hub) -> None:
    """Serve definitions in every document, and links in those that are Ibid's."""

    def definition(params: types.DefinitionParams) -> types.Location | None:
        found = _text_of(hub, params.text_document.uri)
        if found is None:
            return None
        memory, text = found
        lines = split_lines(text)
        at = params.position
        if at.line >= len(lines) or len(lines[at.line]) > _LONGEST:
            return None
        offset = offset_in(server, lines[at.line], at.character)
        one = mentions.mention_at(lines[at.line], offset)
        target = None if one is None else _target(hub, memory, one)
        if target is None:
            return None
        return types.Location(uri=target, range=types.Range(start=_TOP, end=_TOP))

    def links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        uri = params.text_document.uri
        if not uri.startswith("ibid:") and f"/{FOLDER}/" not in uri:
            return []
        found = _text_of(hub, uri)
        if found is None:
            return []
        memory, text = found
        return [
            types.DocumentLink(
                range=range_in(server, line, number, range(one.start, one.end)),
                target=target,
            )
            for number, line in enumerate(split_lines(text))
            if len(line) <= _LONGEST
            for one in mentions.find_mentions(line)
            if (target := _target(hub, memory, one)) is not None
        ]

    for feature in (
        Feature(
            method=types.TEXT_DOCUMENT_DEFINITION, kind=Kind.READ, handler=definition
        ),
        Feature(
            method=types.TEXT_DOCUMENT_DOCUMENT_LINK,
            kind=Kind.READ,
            handler=links,
            options=types.DocumentLinkOptions(resolve_provider=False),
        ),
    ):
        server.register(feature)


def _text_of(hub: Hub, uri: str) -> tuple[Memory, str] | None:
    """Return a document's text and whose memory it names; None for neither."""
    if uri.startswith("ibid:"):
        try:
            return documents.memory_of(hub, uri), documents.read(hub, uri)
        except IbidError:
            return None  # What it showed is gone.
    looked = look(hub, uri)
    return None if looked is None else (looked.memory, looked.text)


def _target(hub: Hub, memory: Memory, one: Mentioned) -> str | None:
    """Return the address of what is named; None when there is no such thing."""
    connection = memory.store.read()
    name, own = one.name, memory.project.path
    try:
        if one.kind == mentions.ADDRESS:
            # Words in a file lead to no other project's memory (S2).
            query = parse_qs(urlsplit(name).query)
            return name if query.get("project", [own]) == [own] else None
        if one.kind == mentions.NOTE:
            name = load_memory(connection, name)["key"]
        elif one.kind == mentions.CANDIDATE:
            name = load_candidate(connection, name)["key"]
        elif one.kind == mentions.RECEIPT:
            if receipts.find_receipt(connection, name) is None:
                return None
        elif one.kind == mentions.TURN or not archive.find_archive(connection, name):
            memory.expand(f"turn:{name}" if one.kind == mentions.TURN else name)
    except IbidError:
        return None
    return addresses.uri(one.kind, name, hub, memory)
