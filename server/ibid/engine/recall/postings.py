"""Which rows hold the words of a query, within a budget (F1, L1 of the scale goals).

Every word is looked up once, for its newest rows; a word with more of them than that is
looked up again, the rarest first, while the budget lasts.  What is then still cut off
is *common*: it chooses no row, it only helps to order them.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall.terms import MAX_TERMS
from ibid.store import search
from ibid.text.terms import is_dense

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.store.driver import Connection

# Rows fetched for each word; for a frequent one; and for all frequent ones together.
PROBE = 64
LIMIT = 600
BUDGET = 1_800


class Posting(NamedTuple):
    """A word of the query and the rows that hold it."""

    word: str
    rows: frozenset[int]
    complete: bool  # Whether ``rows`` are all of them.
    frequency: float  # How many rows hold it; a guess unless complete.
    rarity: float  # Its inverse document frequency: its weight.
    spelled: float = 0.0  # Above 0: rows of look-alikes, so close to the word.


class Place(NamedTuple):
    """Where to look: a full-text table and ranges of its rows, the newest first."""

    table: str
    ranges: search.Ranges = search.EVERYWHERE


def find_postings(
    connection: Connection, place: Place, words: Iterable[str]
) -> list[Posting]:
    """Return the at most `MAX_TERMS` most telling of ``words`` with their rows.

    Words that no row holds come with none, so that coverage can count them.
    """
    size = search.load_size(connection, place.table)
    found = [look_up(connection, place, word, size) for word in words]
    found = _most_telling(found)
    budget = BUDGET
    for posting in sorted(found, key=lambda one: one.frequency):
        if posting.complete:
            continue
        if budget < LIMIT:
            break
        budget -= LIMIT
        again = look_up(connection, place, posting.word, size, LIMIT)
        found[found.index(posting)] = again
    return _with_shared(connection, place, found)


def _with_shared(
    connection: Connection, place: Place, found: list[Posting]
) -> list[Posting]:
    """If no word is very rare, add the rows where the rarest meets the next two.

    Of words that are cut off only the newest rows are known; what holds two of them may
    be old.
    """
    held = sorted((one for one in found if one.rows), key=lambda one: one.frequency)
    if not held or (held[0].complete and len(held[0].rows) <= PROBE):
        return found
    more: dict[str, set[int]] = {}
    for other in held[1:3]:
        if not other.complete:
            match = search.both(held[0].word, other.word)
            rows = search.find_rows(connection, place.table, match, LIMIT, place.ranges)
            more.setdefault(held[0].word, set()).update(rows)
            more[other.word] = set(rows)
    return [one._replace(rows=one.rows.union(more.get(one.word, ()))) for one in found]


def look_up(
    connection: Connection,
    place: Place,
    word: str,
    size: search.Size,
    limit: int = PROBE,
) -> Posting:
    """Return the newest rows that hold ``word``; ``size`` is the table's."""
    match = search.starting(word) if _is_lone(word) else search.exactly(word)
    rows = search.find_rows(connection, place.table, match, limit + 1, place.ranges)
    complete = len(rows) <= limit
    frequency = float(len(rows))
    if not complete:
        newer = search.count_since(connection, place.table, rows[-1], size)
        frequency = max(frequency, size.rows * len(rows) / max(newer, 1))
    weight = rarity(frequency, size.rows)
    return Posting(word, frozenset(rows), complete, frequency, weight)


def _is_lone(word: str) -> bool:
    """Say whether ``word`` is one character of a dense script: found by prefix."""
    return len(word) == 1 and is_dense(word)


def rarity(frequency: float, size: int) -> float:
    """Return the weight of a word that ``frequency`` of ``size`` rows hold.

    >>> round(rarity(1, 1000), 1), round(rarity(900, 1000), 1)
    (6.5, 0.1)
    """
    size = max(size, int(frequency))
    return log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _most_telling(found: list[Posting]) -> list[Posting]:
    """Return the `MAX_TERMS` rarest words that any row holds; then absent ones.

    Pairs of dense script overlap and count half: neither script crowds the other out.
    """
    if len(found) <= MAX_TERMS:
        return found
    order = sorted(found, key=lambda posting: (not posting.rows, posting.frequency))
    dense = [posting for posting in order if is_dense(posting.word)]
    plain = [posting for posting in order if not is_dense(posting.word)]
    words = len(dense) / 2 + len(plain)
    share = round(MAX_TERMS * len(dense) / 2 / words)
    share = max(share, MAX_TERMS - len(plain))
    chosen = {one.word for one in (*dense[:share], *plain[: MAX_TERMS - share])}
    return [posting for posting in found if posting.word in chosen]
