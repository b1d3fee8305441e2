"""What a note's file says the note is about, in its front matter (O1, R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.store import memories, notefiles
from ibid.text.anchors import find_anchors
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.engine.keep.filenotes import Found
    from ibid.store.driver import Connection, Row


def list_about(connection: Connection, note: Row) -> list[tuple[str, str]]:
    """Return path and symbol of what a note is about beside what its words name."""
    derived = set(find_anchors(note["text"]))
    return [
        (one["path"], one["symbol"])
        for one in memories.list_anchors(connection, note["id"])
        if one["path"] and (one["path"], one["symbol"]) not in derived
    ]


def note_about(connection: Connection, note: int, found: Found) -> None:
    """Tie a note to what its front matter says it is about (R4)."""
    for path, symbol in _said(found):
        memories.ensure_anchor(connection, note, path, symbol)


def follow_about(connection: Connection, note: Row, found: Found) -> bool:
    """Let what the file says take the place of what the note was about.

    What both have keeps its state in the code.  False when nothing differs.
    """
    derived = set(find_anchors(note["text"]))
    known, said = set(list_about(connection, note)), set(_said(found)) - derived
    for path, symbol in known - said:
        notefiles.drop_anchor(connection, note["id"], path, symbol)
    for path, symbol in said - known:
        memories.ensure_anchor(connection, note["id"], path, symbol)
    return known != said


def _said(found: Found) -> list[tuple[str, str]]:
    """Return path and symbol of each item, masked as they are stored (E1)."""
    said = []
    for one in found.note.items("about"):
        path, _, symbol = one.partition("#")
        if path and not path.startswith("/") and ".." not in path.split("/"):
            said.append((redact(path), redact(symbol)))
    return said
