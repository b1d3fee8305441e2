"""The order of messages, L0: neighbours, who spoke, and when.

A message is scored with the two before and after it in its session.  A question that
names one participant prefers what that one said, and one that names a time prefers
what was said then or soon after.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall import times
from ibid.engine.recall.scores import (
    Asked,
    Near,
    Scored,
    Weights,
    alone,
    choose_rows,
    how_matched,
    weigh,
    weights,
)
from ibid.store import search
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import stem
from ibid.text.terms import is_dense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.recall.postings import Place, Posting
    from ibid.engine.recall.terms import Query
    from ibid.engine.recall.voices import Speaker
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
TOP = 40


def order_messages(
    connection: Connection, place: Place, asked: Asked, speaker: Speaker | None
) -> list[Scored]:
    """Return the best messages, best first; ``speaker`` is whom the query names."""
    theirs = frozenset[int]() if speaker is None else speaker.rows
    facts = _find_pool(connection, place, asked, theirs)
    if not facts:
        return []
    questions = _questions(connection, asked.postings, facts)
    scale = sum(one.length for one in facts.values()) / len(facts) or 1.0
    given = _With(asked.query, speaker, weights(asked.postings), questions, scale)
    found = sorted((_score(row, facts[row], given) for row in facts), key=_best)
    if not all(one.complete for one in asked.postings):
        top = [one.row for one in found[:TOP]]
        known = _with_common(connection, asked.postings, top)
        given = given._replace(weights=weights(known))
        found[:TOP] = [_score(row, facts[row], given) for row in top]
        found.sort(key=_best)
    return [one for one in found if one.score > 0]


def _best(one: Scored) -> tuple[float, int]:
    return (-one.score, -one.row)


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
    held = [row for row in before if any(row in posting.rows for posting in postings)]
    tails = {row: facts[row].tail for row in held if row in facts}
    tails |= search.find_tails(connection, [row for row in held if row not in facts])
    return {row for row, tail in tails.items() if _asks(tail)}


def _asks(tail: str) -> bool:
    return tail.rstrip()[-1:] in ("?", "？")


class _With(NamedTuple):
    query: Query
    speaker: Speaker | None
    weights: Weights
    questions: set[int]  # Messages that ask.
    scale: float  # The mean length of a message.


def _score(row: int, facts: search.Facts, given: _With) -> Scored:
    around = near(row) if given.query.sentence else alone(row)
    if row - 1 in given.questions:
        around = tuple(
            (other, share * AFTER_QUESTION if other == row - 1 else share)
            for other, share in around
        )
    score, covered = weigh(around, given.weights, facts.length / given.scale)
    factor, facets, met = _factor(facts, given.query, given.speaker)
    if given.speaker is not None and given.speaker.is_absent(row):
        factor *= ABSENT_FACTOR
    lexical = given.weights.coverage(covered, facets, met)
    matched = how_matched(row, given.weights)
    return Scored(row, score * factor, min(1.0, lexical), matched, facts)


def _factor(
    facts: search.Facts, query: Query, speaker: Speaker | None
) -> tuple[float, int, int]:
    """Return by how much who spoke and when multiplies, facets asked, facets met."""
    factor, facets, met = 1.0, 0, 0
    if speaker is not None:
        said = speaker.said(facts)
        factor *= SPEAKER_FACTOR if said else 1.0
        facets, met = facets + 1, met + said
    if query.voice and (facts.role == "person") == (query.voice == "person"):
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
