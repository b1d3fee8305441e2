"""A file in an editor, with what memory has to say on each of its lines (R4).

The server asks for no text of the editor's; it reads the file as it is on disk.  What
is said of code that changed is judged by that text, at once, and nothing is written.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types
from pygls.workspace.position_codec import ServerTextPosition, ServerTextRange

from ibid.duties import reading
from ibid.errors import InputError
from ibid.faces.lsp.hub import path_of
from ibid.text.encodings import decode
from ibid.text.prints import CHANGED, FRESH, GONE, Code
from ibid.text.symbols import names_symbol

if TYPE_CHECKING:
    from ibid.engine.ledger.history import FileHistory
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer
    from ibid.store.driver import Row

MOST_BYTES = 2_000_000  # Larger files have no lenses.
_ORDER = {FRESH: 0, CHANGED: 1, GONE: 2}


class Looked(NamedTuple):
    """An open file: where it is, in whose project, and its text; "" for none."""

    memory: Memory
    uri: str
    path: str  # Absolute.
    relative: str  # To the project, with slashes.
    text: str

    @property
    def lines(self) -> list[str]:
        """Its lines without their ends."""
        return split_lines(self.text)


class Mention(NamedTuple):
    """A note that names a file or a symbol in it, and what became of that."""

    note: Row
    symbol: str  # "" for the file, or a folder above it.
    state: str


class Place(NamedTuple):
    """Where in a file notes show: a line from 0, the symbol there, and the notes."""

    line: int
    symbol: str
    mentions: list[Mention]

    @property
    def notes(self) -> list[Row]:
        """The notes, each once."""
        return list({one.note["key"]: one.note for one in self.mentions}.values())

    @property
    def state(self) -> str:
        """The worst of what became of the code."""
        return max((one.state for one in self.mentions), key=_ORDER.__getitem__)


def look(hub: Hub, uri: str) -> Looked | None:
    """Return the file at ``uri``; None for a buffer that is none, or elsewhere."""
    try:
        path = path_of(uri)
    except InputError:
        return None
    memory = hub.memory_of_file(uri)
    if memory is None:
        return None
    return Looked(memory, uri, path, memory.notes.relative(path), read_text(path))


def read_text(path: str) -> str:
    """Return the text of a file of moderate size, else ""."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MOST_BYTES:
            return ""
        found = decode(file.read_bytes())
    except OSError:
        return ""
    return "" if found is None else found.text


def places_in(looked: Looked) -> list[Place]:
    """Return where the notes about a file show, from the top.

    What is gone shows on the first line; a symbol that never was there, nowhere.
    """
    code = _code(looked.text, looked.relative)
    found: dict[tuple[int, str], list[Mention]] = {}
    for one in mentions_in(looked, code):
        line: int | None = 0
        if one.symbol and one.state != GONE:
            known = bool(one.note["anchor_print"])
            line = code.line_of(one.symbol, used=known)
        if line is not None:
            shown = "" if one.state == GONE else _shortest(one.symbol)
            found.setdefault((line, shown), []).append(one)
    return [Place(line, symbol, found[line, symbol]) for line, symbol in sorted(found)]


def mentions_in(looked: Looked, code: Code) -> list[Mention]:
    """Return the notes that name a file, a symbol or a folder above, pinned first."""
    memory = looked.memory
    notes = memory.notes.anchored(looked.path)
    states = memory.anchors.states(notes, looked.relative, code)
    return [
        Mention(note, note["anchor_symbol"], states[note["anchor"]]) for note in notes
    ]


def mentions_at(looked: Looked, line: int, word: str) -> list[Mention]:
    """Return the notes on the symbol under the cursor, each once.

    On line 0 also those on the file, and those on what is gone from it.
    """
    found: dict[str, Mention] = {}
    for one in mentions_in(looked, _code(looked.text, looked.relative)):
        top = line == 0 and (not one.symbol or one.state == GONE)
        if not top and not (one.symbol and word and names_symbol(one.symbol, word)):
            continue
        known = found.get(one.note["key"])
        if known is None or _ORDER[known.state] < _ORDER[one.state]:
            found[one.note["key"]] = one
    return list(found.values())


def history_of(looked: Looked, counted: bool = True) -> FileHistory:
    """Return who read or changed the file, and what changed since (N7)."""
    if looked.text:
        return reading.history_of(looked.memory, looked.path, looked.text, counted)
    return reading.file_history(looked.memory, looked.path)  # Large, binary or gone.


@lru_cache(maxsize=8)
def _code(text: str, path: str) -> Code:
    """Return a file's code; one that is asked about again is not read again."""
    return Code(text, path)


def _shortest(symbol: str) -> str:
    """Return the last part of a symbol: two notes may name it differently."""
    return symbol.replace("::", ".").replace("#", ".").rpartition(".")[2]


# -- positions -------------------------------------------------------------------------


def split_lines(text: str) -> list[str]:
    """Return the lines of a text as editors count them, without their ends."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def offset_in(server: IbidServer, line: str, character: int) -> int:
    """Return where in ``line`` the client's column is, in characters."""
    codec = server.protocol.workspace.position_codec
    position = types.Position(line=0, character=character)
    return int(codec.position_from_client_units([line], position).character)


def range_in(server: IbidServer, line: str, number: int, span: range) -> types.Range:
    """Return a span of characters in line ``number`` as the client counts it."""
    codec = server.protocol.workspace.position_codec
    given = ServerTextRange(
        ServerTextPosition(0, span.start), ServerTextPosition(0, span.stop)
    )
    found = codec.range_to_client_units([line], given)
    found.start.line = found.end.line = number
    return found
