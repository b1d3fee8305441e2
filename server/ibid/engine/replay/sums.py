"""The sums of a replay: what each feature would have cost and saved (P1, P2, P5).

A saving needs a counterfactual: the exact text that a stub or delta would have
withheld.  What an injection might have spared its reader has none, so it counts as
nothing and is called unknown; beside it stands what it could have spared at the very
most: the answers to searches that told its reader what the injection had told before.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.replay import log
from ibid.text.tokens import ESTIMATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from ibid.engine.replay.log import Fact, Who

DRAWS = 1_000
INTERVAL = f"95 % bootstrap over sessions, {DRAWS:,} draws, fixed seed"

_ORDER = ("block", "handoff", "hint", "pins", log.STUB, log.DELTA, log.BEFORE)
_ENTRIES = frozenset({log.COST, log.SAVING, log.BOUNCE})


class Sums(NamedTuple):
    """Estimated tokens: each text once, or times the requests that carry it."""

    cost: int = 0
    gross: int = 0
    bounced: int = 0
    most: int = 0  # What it could have spared besides, at the very most; no saving.

    @property
    def net(self) -> int:
        """What is left: negative where it costs more than it saves."""
        return self.gross - self.bounced - self.cost


class Line(NamedTuple):
    """One role and feature."""

    role: str
    feature: str
    samples: int  # Injections, or texts withheld.
    sessions: int
    once: Sums
    carried: Sums
    unknown: bool  # It has no counterfactual.
    interval: tuple[int, int] | None  # Of the net of each text once.
    items: int
    used: int
    found: int
    unused: int
    untold: int  # Items without a name by which it could be told.


class Row(NamedTuple):
    """One session."""

    who: Who
    at: int
    prompts: int
    reads: int
    requests: int
    features: list[Line]


class Pile(NamedTuple):
    """How many, and their tokens."""

    times: int = 0
    tokens: int = 0


class Report(NamedTuple):
    """What a replay says."""

    features: list[Line]  # Of all roles together.
    roles: list[Line]
    rows: list[Row]
    held: dict[str, Pile]
    start: int
    end: int
    estimator: str = ESTIMATOR
    interval: str = INTERVAL


def add_up(facts: Sequence[Fact], chance: Random) -> Report:
    """Return what all facts come to; samples for intervals are drawn by ``chance``."""
    times = _carried(facts)
    by_feature: dict[tuple[str, str], list[int]] = defaultdict(list)
    by_role: dict[tuple[str, str], list[int]] = defaultdict(list)
    by_session: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        by_session[fact.who.project, fact.who.session].append(place)
        if fact.feature:
            by_feature["", fact.feature].append(place)
            by_role[fact.who.role, fact.feature].append(place)
    tally = _Tally(facts, times, chance)
    rows = [_row(tally, facts, places) for places in by_session.values()]
    return Report(
        tally.lines(by_feature),
        tally.lines(by_role),
        sorted(rows, key=lambda row: (row.at, row.who)),
        _held(facts),
        min((fact.at for fact in facts), default=0),
        max((fact.at for fact in facts), default=0),
    )


def _order(one: tuple[tuple[str, str], list[int]]) -> tuple[str, int]:
    (role, feature), _ = one
    return role, _ORDER.index(feature) if feature in _ORDER else len(_ORDER)


def _carried(facts: Sequence[Fact]) -> list[int]:
    """Return for each fact how many requests carried its text, at least one.

    Those are the requests of its reader's epoch that came after it; agents that do not
    tell of their requests carry everything once.
    """
    after: dict[Who, int] = defaultdict(int)
    times = [1] * len(facts)
    for place in range(len(facts) - 1, -1, -1):
        fact = facts[place]
        key = fact.who._replace(agent="", role="")
        if fact.kind == log.REQUEST:
            after[key] += 1
        else:
            times[place] = max(1, after[key])
    return times


class _Tally:
    """Adds up the facts at given places."""

    def __init__(
        self, facts: Sequence[Fact], times: Sequence[int], chance: Random
    ) -> None:
        self._facts = facts
        self._chance = chance.getstate()
        self._random = chance
        self._times = times
        self._fate: dict[int, str] = {}  # Item -> used or found; the first counts.
        for fact in facts:
            if fact.kind in (log.USED, log.FOUND):
                known = self._fate.get(fact.entry)
                if known != log.USED:
                    self._fate[fact.entry] = fact.kind

    def lines(self, piles: dict[tuple[str, str], list[int]]) -> list[Line]:
        """Return a line for each role and feature, in their order."""
        return [
            self.line(role, feature, places)
            for (role, feature), places in sorted(piles.items(), key=_order)
        ]

    def line(self, role: str, feature: str, places: Sequence[int]) -> Line:
        """Return the line of one feature."""
        facts = self._facts
        entries = [one for one in places if facts[one].kind in _ENTRIES]
        kinds = [facts[one].kind for one in entries]
        items = [one for one in places if facts[one].kind == log.ITEM]
        fates = [self._fate.get(one, "") for one in items]
        untold = sum(
            not facts[one].same and not fate
            for one, fate in zip(items, fates, strict=True)
        )
        used, found = fates.count(log.USED), fates.count(log.FOUND)
        return Line(
            role=role,
            feature=feature,
            samples=max(kinds.count(log.COST), kinds.count(log.SAVING)),
            sessions=len({facts[one].who[:2] for one in entries}),
            once=self._sums(places, carried=False),
            carried=self._sums(places, carried=True),
            unknown=log.SAVING not in kinds,
            interval=self._interval(entries),
            items=len(items),
            used=used,
            found=found,
            unused=len(items) - used - found - untold,
            untold=untold,
        )

    def _sums(self, places: Iterable[int], *, carried: bool) -> Sums:
        total: dict[str, int] = defaultdict(int)
        for one in places:
            fact = self._facts[one]
            total[fact.kind] += fact.tokens * (self._times[one] if carried else 1)
        return Sums(
            total[log.COST], total[log.SAVING], total[log.BOUNCE], total[log.SOUGHT]
        )

    def _interval(self, places: Sequence[int]) -> tuple[int, int] | None:
        """Return between what the net lies, had other such sessions been there."""
        nets: dict[tuple[str, str], int] = defaultdict(int)
        for one in places:
            fact = self._facts[one]
            sign = 1 if fact.kind == log.SAVING else -1
            nets[fact.who.project, fact.who.session] += sign * fact.tokens
        if len(nets) < 2:
            return None
        values = list(nets.values())
        self._random.setstate(self._chance)  # Each line has the same draws.
        draws = sorted(
            sum(self._random.choices(values, k=len(values))) for _ in range(DRAWS)
        )
        return draws[DRAWS * 25 // 1000], draws[DRAWS * 975 // 1000 - 1]


def _row(tally: _Tally, log_: Sequence[Fact], places: Sequence[int]) -> Row:
    facts = [log_[one] for one in places]
    by_feature: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, fact in zip(places, facts, strict=True):
        if fact.feature:
            by_feature[fact.who.role, fact.feature].append(place)
    kinds = [fact.kind for fact in facts]
    return Row(
        who=facts[0].who._replace(scope="", epoch=0),
        at=facts[0].at,
        prompts=kinds.count(log.PROMPT),
        reads=kinds.count(log.READ),
        requests=kinds.count(log.REQUEST),
        features=tally.lines(by_feature),
    )


_PILES = (
    *("reads", "again", "againSame", "lost", "lostSame", "reruns", "rerunsElsewhere"),
    *("said", "differs"),
)
_PILE_OF = {log.READ: "reads", log.RERUN: "reruns"}
_SAME = {log.AGAIN: "againSame", log.LOST: "lostSame", log.RERUN: "rerunsElsewhere"}


def _held(facts: Sequence[Fact]) -> dict[str, Pile]:
    """Return what was read, run or said again although memory held it.

    ``againSame.hint`` and its like are those of a pile that the feature had named.
    """
    piles = dict.fromkeys(_PILES, Pile())
    for fact in facts:
        name = _PILE_OF.get(fact.kind, fact.kind)
        if name not in piles:
            continue
        for one in [name, _SAME[fact.kind]] if fact.same else [name]:
            for pile in (one, *(f"{one}.{feature}" for feature in fact.named)):
                known = piles.get(pile, Pile())
                piles[pile] = Pile(known.times + 1, known.tokens + fact.tokens)
    return piles
