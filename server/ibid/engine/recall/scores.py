"""The score of a row by the words it holds: one formula for every layer (F3).

BM25 without counts within a row: the index only knows whether a row holds a word, and
a neighbour's word counts as a part of one's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall.times import then_factor
from ibid.store.search import Facts, Filter, find_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ibid.engine.recall.postings import Place, Posting
    from ibid.engine.recall.terms import Query
    from ibid.store.driver import Connection

# BM25's saturation and length normalisation, low because rows are short.
SATURATION = 0.6
LENGTH_SHARE = 0.3

# Rows with shares: for which a row's words count, and how much.
Near = tuple[tuple[int, float], ...]

ALL, SOME, SPELLING = "all", "some", "spelling"


class Scored(NamedTuple):
    """A row with its place in its layer's own order."""

    row: int
    score: float  # Comparable within the layer only.
    lexical: float  # Coverage of the query's words by rarity, in [0, 1].
    facts: Facts


class Ordered(NamedTuple):
    """Rows, the best first, and the words they were scored by."""

    rows: list[Scored]
    weights: Weights


class Asked(NamedTuple):
    """What one kind of row is asked for."""

    query: Query
    postings: list[Posting]  # These score.
    choosers: list[Posting]  # A row must hold one of these, or be near one that does.
    allowed: Filter
    pool: int  # Rows whose facts are looked at.


def order_rows(connection: Connection, place: Place, asked: Asked) -> Ordered:
    """Return the best rows of a kind that has no neighbours, best first."""
    rows = choose_rows(asked.choosers, alone, 16 * asked.pool)
    facts = find_facts(connection, place.table, rows, asked.allowed)
    means = _mean_lengths(facts)
    lengths = {row: fact.length / means[fact.layer] for row, fact in facts.items()}
    given = weights(asked.postings)
    sums = weigh_rows({row: alone(row) for row in facts}, lengths, given)
    found = []
    for row, fact in facts.items():
        score, covered = sums.score[row], sums.covered[row]
        if asked.query.when is not None and fact.layer == _EPISODE:
            score *= then_factor(fact.at, asked.query.when)
        found.append(Scored(row, score, given.coverage(covered), fact))
    found.sort(key=lambda one: (-one.score, -one.facts.pinned, -one.facts.at, -one.row))
    return Ordered(found, given)


_EPISODE = 2


def _mean_lengths(facts: dict[int, Facts]) -> dict[int, float]:
    """Return the mean length of each layer's rows, at least 1."""
    lengths: dict[int, list[int]] = {}
    for fact in facts.values():
        lengths.setdefault(fact.layer, []).append(fact.length)
    return {layer: max(1.0, sum(all_) / len(all_)) for layer, all_ in lengths.items()}


def alone(row: int) -> Near:
    """Return ``row`` as the only one that counts for it."""
    return ((row, 1.0),)


def choose_rows(
    postings: Sequence[Posting],
    near: Callable[[int], Near],
    want: int,
    preferred: frozenset[int] = frozenset(),
) -> list[int]:
    """Return about the best ``want`` rows and neighbours of rows, the best first.

    Rare words choose; frequent ones add rows only if those are too few.  A preferred
    row counts twice.
    """
    own: dict[int, float] = {}
    held = sorted((one for one in postings if one.rows), key=_frequency)
    for posting in held:
        rows: Iterable[int] = posting.rows
        if not posting.complete and len(own) >= _ENOUGH:
            rows = posting.rows.intersection(own)
        for row in rows:
            own[row] = own.get(row, 0.0) + posting.rarity
    mixed: dict[int, float] = {}
    for row in _best(want, own):
        for other, share in near(row):
            mixed[other] = mixed.get(other, 0.0) + share * own[row]
    for row in preferred.intersection(mixed):
        mixed[row] *= 2
    return _best(want, mixed)


def _best(want: int, scores: dict[int, float]) -> list[int]:
    """Return the ``want`` rows of the highest score, of equal ones the newest first."""
    ordered = sorted(((score, row) for row, score in scores.items()), reverse=True)
    return [row for _, row in ordered[:want]]


_ENOUGH = 20


def _frequency(posting: Posting) -> float:
    return posting.frequency


class Weights(NamedTuple):
    """The words of a query as scoring uses them, for many rows."""

    words: list[tuple[frozenset[int], float]]  # Rows that hold one, and its weight.
    spelled: list[bool]  # Whether they hold a look-alike of it.
    whole: float  # What a row covers that holds all.

    def coverage(self, covered: float, facets: int = 0, met: int = 0) -> float:
        """Return the part of the query that is covered, in [0, 1].

        A facet (who spoke, when) counts as much as a word does on average.
        """
        mean = self.whole / max(1, len(self.words))
        whole = self.whole + facets * mean
        return min(1.0, (covered + met * mean) / whole) if whole else 0.0


def weights(postings: Sequence[Posting]) -> Weights:
    """Return the weights of the words: rarity, less for look-alikes."""
    return Weights(
        [(one.rows, one.rarity * (one.spelled or 1.0)) for one in postings],
        [one.spelled > 0 for one in postings],
        sum(one.rarity for one in postings),
    )


class Sums(NamedTuple):
    """What the words of a query make of each row."""

    score: dict[int, float]
    covered: dict[int, float]  # Rarity of the words it holds.


def weigh_rows(
    targets: dict[int, Near], lengths: dict[int, float], given: Weights
) -> Sums:
    """Return score and coverage of the rows of ``lengths``, in means of their layer.

    ``targets`` says for which rows the words of a row count: itself and those it is
    near.
    """
    base, step = SATURATION * (1 - LENGTH_SHARE), SATURATION * LENGTH_SHARE
    norms = {row: base + step * length for row, length in lengths.items()}
    score, covered = dict.fromkeys(norms, 0.0), dict.fromkeys(norms, 0.0)
    for rows, weight in given.words:
        shares: dict[int, float] = {}
        for row in rows.intersection(targets):
            for other, part in targets[row]:
                shares[other] = shares.get(other, 0.0) + part
        whole = weight * (SATURATION + 1)
        for row, share in shares.items():
            score[row] += whole * share / (share + norms[row])
            covered[row] += weight if share > 1.0 else weight * share
    return Sums(score, covered)


def how_matched(row: int, given: Weights) -> str:
    """Say whether ``row`` itself holds all words, some, or look-alikes of some."""
    held = [row in rows for rows, _ in given.words]
    if any(here and alike for here, alike in zip(held, given.spelled, strict=True)):
        return SPELLING
    return ALL if all(held) else SOME
