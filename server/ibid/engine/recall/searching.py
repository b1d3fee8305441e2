"""Explicit search over all layers and, on request, the archive (F4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall import rank, sources
from ibid.engine.recall.about import load_about
from ibid.engine.recall.terms import analyse
from ibid.store import archive, memories, sessions, turns
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.memory import Memory
    from ibid.engine.model import SearchRequest, Source
    from ibid.store.driver import Connection


class Hit(NamedTuple):
    """One row that was found; its text has been redacted on the way out (E1)."""

    id: str
    layer: str
    category: str
    score: float
    text: str
    source: Source | None
    handle: str
    matched: str  # all | some | spelling


class Found(NamedTuple):
    """A page of hits, how many there are, and why there are none."""

    hits: list[Hit]
    total: int
    reason: str


def search(memory: Memory, request: SearchRequest) -> Found:
    """Return one page of what matches, best first; never an error for any query."""
    connection = memory.store.read()
    layers = set(request.layers)
    if request.archive:
        layers.add("archive")
    wanted = rank.Request(
        query=request.query,
        layers=frozenset(layers),
        exclude_sessions=sessions.hidden_sessions(connection),
        limit=request.limit,
        offset=request.offset,
        now=memory.clock.now(),
    )
    found = _ranked(memory, wanted, request.path)
    words = analyse(request.query, wanted.now).words
    hits = [shown for hit in found.hits if (shown := _shown(connection, hit, words))]
    return Found(hits, found.total, found.reason)


def _ranked(memory: Memory, wanted: rank.Request, path: str) -> rank.Ranked:
    """Return what matches; with a path, of notes and archive what is about it."""
    if not path:
        return rank.search(memory.store.read(), wanted)
    about = load_about(memory, path, wanted.exclude_sessions)
    layers = wanted.layers & {"L1", rank.ARCHIVE}
    wanted = wanted._replace(layers=layers, only=about.ranges())
    if not wanted.query.strip():
        return about.page(wanted)
    return rank.search(memory.store.read(), wanted)


def _shown(connection: Connection, hit: rank.Hit, words: Sequence[str]) -> Hit | None:
    if hit.layer == "L0":
        return _message(connection, hit)
    if hit.layer == "archive":
        return _archived(connection, hit, words)
    row = memories.find_memory(connection, hit.row)
    if row is None:
        return None
    text = row["text"]
    if row["layer"] == memories.EPISODE:
        text = f"Asked: {row['request']}\nOutcome: {row['text']}"
    source = sources.source_of(connection, row)
    category = row["category"]
    return Hit(
        row["key"],
        hit.layer,
        category,
        hit.score,
        redact(text),
        source,
        row["handle"],
        hit.matched,
    )


def _message(connection: Connection, hit: rank.Hit) -> Hit | None:
    found = sources.message_source(connection, hit.row)
    if found is None:
        return None
    return Hit(
        found.id,
        "L0",
        found.row["role"],
        hit.score,
        redact(found.row["text"]),
        found.source,
        found.row["handle"],
        hit.matched,
    )


def _archived(
    connection: Connection, hit: rank.Hit, words: Sequence[str]
) -> Hit | None:
    """Return an archived text from where it matches on, and the handle for the rest."""
    row = archive.find_archive(connection, f"#{hit.row}")
    if row is None or row.state == "gone":
        return None
    text = archive.load_bytes(connection, row).decode("utf-8", "replace")
    turn = None if row.turn is None else turns.find_turn(connection, row.turn)
    source = None if turn is None else sources.turn_source(connection, turn)
    shown = _from_match(redact(text), words)
    return Hit(
        f"#{row.id}",
        "archive",
        row.kind,
        hit.score,
        f"{redact(row.title)}\n{shown}".strip(),
        source,
        row.handle,
        hit.matched,
    )


_EXCERPT = 600  # Characters shown of an archived text.
_NEAR = 400  # A match before this is in sight from the beginning.


def _from_match(text: str, words: Sequence[str]) -> str:
    """Return an excerpt that begins with the line of the first match."""
    low = text.lower()
    found = [at for word in words if (at := low.find(word)) >= 0]
    first = min(found, default=0)
    if first < _NEAR or len(low) != len(text):
        return text[:_EXCERPT]
    start = max(text.rfind("\n", 0, first) + 1, first - _NEAR)
    return f"… {text[start : start + _EXCERPT]}"
