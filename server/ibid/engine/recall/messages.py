"""The order of messages, L0: neighbours, who spoke, and when.

A message is scored with the two before and after it in its session.  A question that
names one participant prefers what that one said, and one that names a time prefers
what was said then or soon after.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ibid.engine.recall import times
from ibid.engine.recall.scores import (
    Asked,
    Near,
    Ordered,
    Scored,
    Sums,
    Weights,
    alone,
    choose_rows,
    weigh_rows,
    weights,
)
from ibid.engine.recall.voices import Speaker, side_of
from ibid.store import search
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import stem
from ibid.text.terms import is_dense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ibid.engine.recall.postings import Place, Posting
    from ibid.engine.recall.terms import Query
    from ibid.store.driver import Connection

# What a word in a neighbour counts, by the neighbour's offset: an answer's words are
# often in the question before it.
NEIGHBOURS = ((0, 1.0), (-1, 0.5), (1, 0.2), (-2, 0.25), (2, 0.1))
AFTER_QUESTION = 1.5  # The first neighbour before counts more when it asks.

SPEAKER_FACTOR = 2.0
ABSENT_FACTOR = 0.5  # For a session without the participant that is named.
VOICE_FACTOR = 1.3
TIME_FACTOR = 1.4  # For a message that tells a time, if the query asks for one.
QUESTION_FACTOR = 0.9  # For a message that asks itself.

# Rows whose text is looked at for frequent words.
TOP = 32


def order_messages(
    connection: Connection, place: Place, asked: Asked, speaker: Speaker | None
) -> Ordered:
    """Return the best messages, best first; ``speaker`` is whom the query names."""
    theirs = frozenset[int]() if speaker is None else speaker.rows
    facts = _find_pool(connection, place, asked, theirs)
    given = weights(asked.postings)
    sentence = asked.query.sentence
    questions = _questions(connection, asked.postings, facts) if sentence else set()
    scale = sum(one.length for one in facts.values()) / max(1, len(facts)) or 1.0
    factors = {
        row: _factor(row, one, asked.query, speaker) for row, one in facts.items()
    }

    def score(rows: Iterable[int], words: Weights) -> list[Scored]:
        lengths = {row: facts[row].length / scale for row in rows}
        around = near if sentence else alone
        sums = weigh_rows(_targets(lengths, around, questions), lengths, words)
        return [_scored(row, sums, words, factors[row], facts[row]) for row in rows]

    found = sorted(score(facts, given), key=_best)
    if not all(one.complete for one in asked.postings):
        top = [one.row for one in found[:TOP]]
        given = weights(_with_common(connection, asked.postings, top))
        found[:TOP] = score(top, given)
        found.sort(key=_best)
    return Ordered([one for one in found if one.score > 0], given)


def _best(one: Scored) -> tuple[float, int]:
    return (-one.score, -one.row)


def _targets(
    rows: Iterable[int], around: Callable[[int], Near], questions: set[int]
) -> dict[int, Near]:
    """Return for each row the ones of ``rows`` that its words count for."""
    found: dict[int, list[tuple[int, float]]] = {}
    for row in rows:
        for other, share in around(row):
            if other in questions and other == row - 1:
                share *= AFTER_QUESTION  # noqa: PLW2901
            found.setdefault(other, []).append((row, share))
    return {row: tuple(targets) for row, targets in found.items()}


def near(row: int) -> Near:
    """Return ``row`` and its neighbours in the same session, with their shares."""
    place = row & _LAST_PLACE
    return tuple(
        (row + offset, share)
        for offset, share in NEIGHBOURS
        if 0 <= place + offset <= _LAST_PLACE
    )


_LAST_PLACE = (1 << MESSAGE_BITS) - 1


def _spread(row: int) -> Near:
    """Return the rows that have ``row`` as a neighbour, with its share there."""
    place = row & _LAST_PLACE
    return tuple(
        (row - offset, share)
        for offset, share in NEIGHBOURS
        if 0 <= place - offset <= _LAST_PLACE
    )


def _find_pool(
    connection: Connection, place: Place, asked: Asked, theirs: frozenset[int]
) -> dict[int, search.Facts]:
    """Return the facts of the best rows that may be found."""
    literal = asked.allowed.automatic or not asked.query.sentence
    around = alone if literal else _spread
    facts: dict[int, search.Facts] = {}
    for want in (2 * asked.pool, 16 * asked.pool):
        rows = choose_rows(asked.choosers, around, want, theirs)
        for at in range(len(facts), len(rows), asked.pool):
            part = rows[at : at + asked.pool]
            facts |= search.find_facts(connection, place.table, part, asked.allowed)
            if len(facts) >= asked.pool:
                return facts
        if len(rows) < want:
            break
    return facts


def _questions(
    connection: Connection, postings: Sequence[Posting], facts: dict[int, search.Facts]
) -> set[int]:
    """Return the messages before those of ``facts`` that hold a word and ask."""
    before = {row - 1 for row in facts}
    held = {row for one in postings for row in one.rows.intersection(before)}
    tails = {row: facts[row].tail for row in held if row in facts}
    tails |= search.find_tails(connection, [row for row in held if row not in facts])
    return {row for row, tail in tails.items() if _asks(tail)}


def _asks(tail: str) -> bool:
    return tail.rstrip()[-1:] in ("?", "？")


# By how much a message counts for who said it and when, whatever its words; how many
# such things the query names; and how many of them the message is.
_Factor = tuple[float, int, int]


def _scored(
    row: int, sums: Sums, words: Weights, factor: _Factor, facts: search.Facts
) -> Scored:
    more, facets, met = factor
    lexical = words.coverage(sums.covered[row], facets, met)
    return Scored(row, sums.score[row] * more, lexical, facts)


def _factor(
    row: int, facts: search.Facts, query: Query, speaker: Speaker | None
) -> _Factor:
    factor, facets, met = 1.0, 0, 0
    if speaker is not None:
        said = speaker.said(facts)
        factor *= SPEAKER_FACTOR if said else 1.0
        factor *= ABSENT_FACTOR if speaker.is_absent(row) else 1.0
        facets, met = facets + 1, met + said
    if query.voice == side_of(facts.role):
        factor *= VOICE_FACTOR
    if query.when is not None:
        then = times.then_factor(facts.at, query.when)
        factor *= then
        facets, met = facets + 1, met + (then == times.THEN_FACTOR)
    if query.asks_when and times.tells_time(facts.head):
        factor *= TIME_FACTOR
    if _asks(facts.tail):
        factor *= QUESTION_FACTOR
    return factor, facets, met


# -- frequent words ---------------------------------------------------------------


def _with_common(
    connection: Connection, postings: Sequence[Posting], rows: list[int]
) -> list[Posting]:
    """Return ``postings``, those cut off completed for ``rows`` from their texts."""
    common = [one.word for one in postings if not one.complete]
    held = {
        row: _held_words(text, common)
        for row, text in search.find_texts(connection, rows).items()
    }
    return [
        one
        if one.complete
        else one._replace(
            rows=one.rows.union(row for row in held if one.word in held[row])
        )
        for one in postings
    ]


def _held_words(text: str, words: list[str]) -> set[str]:
    """Return those of the index terms ``words`` that ``text`` holds as plain words.

    Only what begins like one of them is stemmed: stemming all takes a hook 20 ms.
    """
    begins = tuple(word[:3] for word in words)
    plain = set(re.findall(r"[^\W_]+", text.lower()))
    found = {stem(word) for word in plain if word.startswith(begins)}
    return found | {word for word in words if is_dense(word) and word in text}
