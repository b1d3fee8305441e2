"""From a query to ranked rows (F3, F4, G2, G3).

Each layer is put in its own best order first; then one formula makes the layers
comparable.  Rare words choose the rows, messages with their neighbours, because the
words of an answer often stand in the question before it; all words score them.  Nothing
is ranked in SQL, no row's text is read to choose it, and every look-up is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall.postings import Place, Posting, find_postings
from ibid.engine.recall.scores import (
    Asked,
    Ordered,
    Scored,
    Weights,
    how_matched,
    order_rows,
)
from ibid.engine.recall.terms import Query, analyse, is_weak
from ibid.store import search as index
from ibid.store.tables import MESSAGE_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ibid.store.driver import Connection

# F3.  The archive is no layer; it ranks behind all of them.
LAYER_WEIGHTS = {"L1": 1.00, "L2": 0.92, "L0": 0.85, "L3": 0.75, "archive": 0.70}
RANK_SHARE, LEXICAL_SHARE = 0.6, 0.4
RANK_SCALE = 12
PIN_BOOST = 0.06

ARCHIVE = "archive"
_NAMES = ("L0", "L1", "L2", "L3", ARCHIVE)


class Request(NamedTuple):
    """What is asked of the ranking."""

    query: str
    layers: frozenset[str] = frozenset(("L0", "L1", "L2", "L3"))  # or ``archive``.
    exclude_sessions: frozenset[int] = frozenset()  # Of L0, L2 and the archive (G3).
    role: str | None = None  # Notes of all roles and of this one; None: of any.
    limit: int = 20
    offset: int = 0
    floor: bool = False  # Automatic recall: G2's floor, and nothing tainted or secret.
    now: int = 0  # Milliseconds, for *yesterday*.
    only: Mapping[str, index.Ranges] | None = None  # Of each index; None: all of it.


class Hit(NamedTuple):
    """One row that was found."""

    layer: str
    row: int
    score: float  # By F3: what the layers are compared by.
    matched: str  # all | some | spelling
    lexical: float  # How much of the query it covers, by rarity, in [0, 1].
    at: int  # Milliseconds.


class Ranked(NamedTuple):
    """A page of hits, the number of all, and why there are none."""

    hits: list[Hit]
    total: int
    reason: str


def search(connection: Connection, request: Request) -> Ranked:
    """Return one page of the rows that match, best first; for any query text.

    ``total`` counts what can be paged to; of frequent words only the newest rows are
    known, so it may be less than what a full scan would find.
    """
    places = _places(request)
    said = any(place.table == index.MESSAGES for place in places)
    query = analyse(request.query, request.now, said)
    if not query.words:
        return Ranked([], 0, "the query has no words to look for")
    if request.floor and query.common:
        return Ranked([], 0, "the query has only common words")
    found = [(place, find_postings(connection, place, query.words)) for place in places]
    if not request.floor:
        from ibid.engine.recall import spelling

        found = spelling.with_alike(connection, found)
    hits: list[Hit] = []
    words: dict[str, Weights] = {}
    for place, postings in found:
        ordered = _order(connection, request, query, (place, postings))
        new = _hits(ordered)
        words.update(dict.fromkeys((hit.layer for hit in new), ordered.weights))
        hits += new
    hits.sort(key=lambda hit: (-hit.score, -hit.at, -hit.row))
    first = max(0, request.offset)
    page = [
        hit._replace(matched=how_matched(hit.row, words[hit.layer]))
        for hit in hits[first : first + max(0, request.limit)]
    ]
    return Ranked(page, len(hits), "" if page else _why_empty(query, hits))


def fuse(layer: str, rank: int, scored: Scored) -> float:
    """Return the score by which layers are compared (F3).

    ``rank`` counts from 0 in the layer's own best order.
    """
    facts = scored.facts
    rank_score = RANK_SCALE / (RANK_SCALE + rank)
    mixed = RANK_SHARE * rank_score + LEXICAL_SHARE * scored.lexical
    score = LAYER_WEIGHTS[layer] * mixed * facts.confidence
    return score + PIN_BOOST if facts.pinned else score


def fuse_unasked(layer: str, rank: int) -> float:
    """Return the score of a row that no word was asked for; ``rank`` as in `fuse`."""
    return LAYER_WEIGHTS[layer] * RANK_SHARE * RANK_SCALE / (RANK_SCALE + rank)


# -- one kind of row --------------------------------------------------------------


def _places(request: Request) -> list[Place]:
    places = []
    if "L0" in request.layers:
        places.append(Place(index.MESSAGES, _ranges(request.exclude_sessions)))
    if request.layers & {"L1", "L2", "L3"}:
        places.append(Place(index.MEMORIES))
    if ARCHIVE in request.layers:
        places.append(Place(index.ARCHIVE))
    if request.only is None:
        return places
    return [Place(one.table, request.only.get(one.table, ())) for one in places]


def _ranges(excluded: Iterable[int]) -> index.Ranges:
    """Return the row ids of all messages but those of ``excluded`` sessions (G3)."""
    ranges = []
    high = index.LAST_ROW
    for session in sorted(set(excluded), reverse=True):
        first, after = session << MESSAGE_BITS, (session + 1) << MESSAGE_BITS
        if after <= high:
            ranges.append((after, high))
        high = min(high, first - 1)
    ranges.append((0, high))
    return tuple(ranges)


def _order(
    connection: Connection,
    request: Request,
    query: Query,
    looked: tuple[Place, list[Posting]],
) -> Ordered:
    """Return the rows of one kind in their own best order."""
    place, postings = looked
    allowed = index.Filter(
        layers=frozenset(
            _NAMES.index(name) for name in request.layers.intersection(_NAMES)
        ),
        excluded=request.exclude_sessions,
        automatic=request.floor,
        role=request.role,
    )
    size = index.load_size(connection, place.table).rows
    choosers = [one for one in postings if not request.floor or is_telling(one, size)]
    asked = Asked(query, postings, choosers, allowed, _pool(request))
    if place.table == index.MESSAGES:
        return _messages(connection, place, asked)
    return order_rows(connection, place, asked)


def _messages(connection: Connection, place: Place, asked: Asked) -> Ordered:
    """Return messages in order; a participant's name is no word but a preference."""
    from ibid.engine.recall import messages, voices

    named = voices.find_speakers(connection, place, asked.query, asked.postings)
    others = [one for one in asked.postings if one.word not in named]
    choosers = [one for one in asked.choosers if one.word not in named]
    if choosers:
        asked = asked._replace(postings=others, choosers=choosers)
    speaker = next(iter(named.values())) if len(named) == 1 else None
    return messages.order_messages(connection, place, asked, speaker)


def _hits(ordered: Ordered) -> list[Hit]:
    """Return rows as hits, each layer ranked by itself."""
    hits: list[Hit] = []
    ranks: dict[int, int] = {}
    for one in ordered.rows:
        layer, number = _NAMES[one.facts.layer], one.facts.layer
        rank = ranks[number] = ranks.get(number, -1) + 1
        score = fuse(layer, rank, one)
        hits.append(Hit(layer, one.row, score, "", one.lexical, one.facts.at))
    return hits


# Rows that share only words in more than this part of at least so many rows are not
# recalled (G2).
COMMON_PART, COMMON_ROWS = 0.2, 50


def is_telling(posting: Posting, size: int) -> bool:
    """Say whether sharing this word alone makes a row of ``size`` relevant (G2)."""
    if is_weak(posting.word):
        return False
    return size < COMMON_ROWS or posting.frequency <= COMMON_PART * size


# Rows of each kind whose facts are looked at.
_POOL = 100


def _pool(request: Request) -> int:
    return max(_POOL, request.offset + request.limit)


def _why_empty(query: Query, hits: list[Hit]) -> str:
    if hits:
        return f"there are only {len(hits)} hits"
    return f"no row holds any of: {', '.join(query.words[:_SHOWN])}"


_SHOWN = 12
