"""The lower bounds that a demotion rests on (P3)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.engine.keep.bounds import difference, lower_bound, lower_of, quantile
from ibid.store.running import Moments, moments_of


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 6.314), (5, 2.015), (29, 1.699), (30, 1.6973), (60, 1.6706), (1000, 1.6464)],
)
def test_quantiles_are_those_of_the_tables(freedom: float, value: float) -> None:
    """Student's 95 % quantile to three places, where the table ends too."""
    assert quantile(freedom) == pytest.approx(value, abs=5e-4)


def test_a_bound_needs_two_samples() -> None:
    """One sample has no spread, so nothing is said of its mean."""
    assert lower_bound(Moments()) is None
    assert lower_of([5.0]) is None
    assert lower_of([5.0, 5.0]) == 5.0


def test_the_bound_is_the_textbook_one() -> None:
    """Mean less t times the standard error: 10 ± 2 by 16 samples."""
    values = [8.0, 12.0] * 8
    error = (16 * 4 / 15 / 16) ** 0.5
    assert lower_bound(moments_of(values)) == pytest.approx(10 - 1.753 * error)


def test_one_huge_saving_makes_no_loss() -> None:
    """Samples that all saved have a bound above zero, however far one of them is."""
    values = [20.0] * 33 + [250_000.0]
    assert lower_bound(moments_of(values)) < 0  # type: ignore[operator]
    assert lower_of(values) == 20.0
    assert lower_of([-20.0] * 33 + [200.0]) < 0  # type: ignore[operator]


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2))
def test_a_bound_is_never_above_the_mean(values: list[float]) -> None:
    """Neither of the two bounds exceeds what it bounds."""
    low = lower_of(values)
    assert low is not None
    mean = moments_of(values).mean
    assert low <= mean + 1e-6 * (1 + abs(mean) + max(map(abs, values)))


def test_the_bound_holds_as_often_as_it_says() -> None:
    """Of lopsided samples with a mean of 100, some 95 % of bounds lie below it."""
    chance = random.Random(7)
    below = 0
    for _ in range(2_000):
        values = [chance.expovariate(0.01) for _ in range(40)]
        below += lower_of(values) <= 100  # type: ignore[operator]
    assert below / 2_000 >= 0.94


def test_a_difference_is_bounded_after_welch() -> None:
    """The interval holds the difference; two samples a group are the least."""
    assert difference([1.0], [1.0, 2.0]) is None
    same = difference([5.0, 5.0], [3.0, 3.0])
    assert same == (2.0, 2.0, 2.0)
    apart = difference([10.0, 14.0] * 10, [9.0, 11.0] * 10)
    assert apart is not None
    assert apart.mean == pytest.approx(2.0)
    # Welch: variances 80/19 and 20/19 by 20 each, 27.9 degrees of freedom.
    error = (80 / 19 / 20 + 20 / 19 / 20) ** 0.5
    assert apart.low == pytest.approx(2 - 1.703 * error)
    assert apart.high == pytest.approx(2 + 1.703 * error)
