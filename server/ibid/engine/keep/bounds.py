"""Lower bounds of a mean: what a sample saves at least (P3).  Pure.

All bounds are one-sided at 95 per cent, by Student's t.  Savings are lopsided: one huge
file among small ones spreads the samples so far that even a feature which never lost a
token would seem to lose some.  So the bound is taken a second time with the greatest
tenth of the samples drawn in to the next one below.  That lowers their mean, hence it
bounds the whole mean as well, and the better of the two counts.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from ibid.store.running import Moments, moments_of

if TYPE_CHECKING:
    from collections.abc import Sequence

NEEDED = 30  # Samples that a judgement takes (P3).

# The quantile at 95 % of Student's t for 1, 2, … degrees of freedom.
_STUDENT = (
    *(6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812),
    *(1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729, 1.725),
    *(1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699),
)
_NORMAL = 1.644854


class Difference(NamedTuple):
    """By how much the mean of one group is above another's, and how surely."""

    mean: float
    low: float  # One-sided at 95 % each: between them it is at 90 %.
    high: float


def quantile(freedom: float) -> float:
    """Return Student's quantile at 95 %; a broken degree of freedom is rounded down.

    >>> round(quantile(10), 3), round(quantile(100), 3)
    (1.812, 1.66)
    """
    if freedom <= len(_STUDENT):
        return _STUDENT[max(int(freedom), 1) - 1]
    z = _NORMAL
    first = (z**3 + z) / (4 * freedom)
    return z + first + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def lower_bound(moments: Moments) -> float | None:
    """Return what the mean is at least; None for fewer than two samples."""
    count = moments.samples
    if count < 2:
        return None
    error = sqrt(moments.squares / (count - 1) / count)
    return moments.mean - quantile(count - 1) * error


def lower_of(values: Sequence[float]) -> float | None:
    """Return what the mean of ``values`` is at least, by the better of two bounds.

    >>> lower_of([10.0] * 29 + [90_000.0])
    10.0
    """
    plain = lower_bound(moments_of(values))
    if plain is None:
        return None
    most = sorted(values)[-1 - len(values) // 10]
    drawn = lower_bound(moments_of(min(value, most) for value in values))
    return plain if drawn is None else max(plain, drawn)


def difference(more: Sequence[float], less: Sequence[float]) -> Difference | None:
    """Return how far the mean of ``more`` is above that of ``less``, after Welch.

    None when one of them has fewer than two samples.
    """
    one, other = moments_of(more), moments_of(less)
    if one.samples < 2 or other.samples < 2:
        return None
    parts = [of.squares / (of.samples - 1) / of.samples for of in (one, other)]
    mean, error = one.mean - other.mean, sqrt(sum(parts))
    if error == 0:
        return Difference(mean, mean, mean)
    weight = parts[0] ** 2 / (one.samples - 1) + parts[1] ** 2 / (other.samples - 1)
    freedom = sum(parts) ** 2 / weight if weight else 1.0
    off = quantile(freedom) * error
    return Difference(mean, mean - off, mean + off)
