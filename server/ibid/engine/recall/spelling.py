"""Look-alikes for words that no row holds: misspelt ones, above all.

A long word's look-alikes share its beginning, or differ from it by one edit near the
beginning.  The first kind is a narrow span of the index's vocabulary, the second a
bounded number of exact look-ups: neither grows with the store, as a scan would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine.recall.postings import Place, Posting, find_postings
from ibid.engine.recall.terms import is_stop
from ibid.store import driver, search
from ibid.text.terms import is_dense

if TYPE_CHECKING:
    from ibid.store.driver import Connection

SHORTEST = 4  # Shorter words have too many neighbours.
CLOSE = 0.74  # How alike a look-alike must be, of 1.
GOOD = 0.75  # So alike that no other kind is looked for.
MOST = 3  # Words of a query that are spelt, and look-alikes of one word.
WEIGHT = 0.9  # Of a look-alike that is the same but for nothing.


Found = list[tuple[Place, list[Posting]]]


def with_alike(connection: Connection, found: Found) -> Found:
    """Return ``found`` with look-alikes for the words that are nowhere.

    What stays absent weighs as much as the others on average; absent pairs of a dense
    script were no words, and go.
    """
    present = {one.word for _, postings in found for one in postings if one.rows}
    absent = {one.word for _, postings in found for one in postings} - present
    wanted = sorted(absent, key=len, reverse=True)[:MOST]
    result: Found = []
    for place, postings in found:
        alike = {word: find_alike(connection, place.table, word) for word in wanted}
        known = [
            _look_alike(connection, place, one, alike.get(one.word, {}))
            for one in postings
            if one.word not in absent or not is_dense(one.word) or not present
        ]
        result.append((place, _with_mean(known, absent)))
    return result


def _look_alike(
    connection: Connection, place: Place, posting: Posting, alike: dict[str, float]
) -> Posting:
    if not alike:
        return posting
    found = find_postings(connection, place, alike)
    return posting._replace(
        rows=frozenset().union(*(one.rows for one in found)),
        frequency=sum(one.frequency for one in found),
        rarity=max(one.rarity for one in found),
        spelled=WEIGHT * max(alike.values()),
    )


def _with_mean(postings: list[Posting], absent: set[str]) -> list[Posting]:
    held = [one.rarity for one in postings if one.rows]
    mean = sum(held) / max(1, len(held))
    return [
        one._replace(rarity=mean) if one.word in absent and not one.rows else one
        for one in postings
    ]


def find_alike(connection: Connection, table: str, word: str) -> dict[str, float]:
    """Return at most `MOST` words of the index that look like ``word``, and how much.

    ``word`` is an index term; only plain words are spelt, not names or numbers.
    """
    if len(word) < SHORTEST or len(word) > 30 or not word.isalpha():
        return {}
    alike = {
        known: likeness(word, known) for known in _same_head(connection, table, word)
    }
    if max(alike.values(), default=0.0) < GOOD:
        for known in _other_head(connection, table, word):
            alike[known] = likeness(word, known)
    alike = {
        known: close
        for known, close in alike.items()
        if close >= CLOSE and not is_stop(known, known)
    }
    best = sorted(alike, key=lambda one: (-alike[one], one))[:MOST]
    top = alike[best[0]] if best else 0.0
    return {known: alike[known] for known in best if alike[known] >= top - 0.15}


def _same_head(connection: Connection, table: str, word: str) -> list[str]:
    """Return the words of the index that begin as ``word`` does."""
    head = word[: _head_length(word)]
    try:
        found = search.find_words(connection, table, head, _after(head))
    except driver.Error:
        return []  # It needs a temporary table, which a read-only file may refuse.
    return [known for known, _ in found if len(known) <= len(word) + 3]


def _other_head(connection: Connection, table: str, word: str) -> list[str]:
    """Return the words of the index with one edit near the beginning of ``word``."""
    return _existing(connection, table, sorted(_edits(word, _head_length(word))))


def _existing(connection: Connection, table: str, words: list[str]) -> list[str]:
    """Return those of ``words`` that any row holds, by halving what holds some."""
    match = " OR ".join(map(search.exactly, words))
    if not search.find_rows(connection, table, match, 1, search.EVERYWHERE):
        return []
    if len(words) == 1:
        return words
    half = len(words) // 2
    return [
        *_existing(connection, table, words[:half]),
        *_existing(connection, table, words[half:]),
    ]


def _head_length(word: str) -> int:
    return 4 if len(word) > 6 else 3


def _after(head: str) -> str:
    return head[:-1] + chr(ord(head[-1]) + 1)


def _edits(word: str, within: int) -> set[str]:
    """Return ``word`` with one letter of the first ``within`` gone, new or swapped."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    found = set()
    for at in range(within):
        head, tail = word[:at], word[at:]
        found.add(head + tail[1:])
        found.add(head + tail[1:2] + tail[:1] + tail[2:])
        for letter in letters:
            found.add(head + letter + tail)
            found.add(head + letter + tail[1:])
    found.discard(word)
    return found


def likeness(word: str, known: str) -> float:
    """Return how alike a word and one of the index are, in [0, 1].

    One edit is forgiven for each four letters.  A misspelt ending keeps the stemmer
    from its stem: a word that begins with the known stem is like it, too.

    >>> [round(likeness("uplaod", one), 2) for one in ("upload", "load", "upstream")]
    [0.83, 0.0, 0.0]
    >>> likeness("educaton", "educ")
    0.75
    """
    if word.startswith(known) and len(known) >= max(4, len(word) / 2):
        return 0.75
    longer = max(len(word), len(known))
    distance = edit_distance(word, known)
    return 1 - distance / longer if distance <= longer // 4 else 0.0


def edit_distance(one: str, two: str) -> int:
    """Return how many letters to insert, delete, replace or swap make one the other."""
    before: list[int] = []
    last = list(range(len(two) + 1))
    for at, letter in enumerate(one):
        row = [at + 1]
        for to, other in enumerate(two):
            cost = min(last[to] + (letter != other), last[to + 1] + 1, row[to] + 1)
            swapped = at and to and letter == two[to - 1] and one[at - 1] == other
            if swapped:
                cost = min(cost, before[to - 1] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
