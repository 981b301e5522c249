"""Shares with the interval of Clopper and Pearson, against its definition by sums of binomial probabilities."""

from math import comb

import pytest

from engines.stats.proportions import NONE_ANSWERED, proportion


def at_least(hits: int, n: int, p: float) -> float:
    """P(X >= hits) of n trials with chance p."""
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits, n + 1))


def where(rises: bool, of: object) -> float:
    """The p at which the monotone `of(p)` is 0.025, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        below = of(middle) < 0.025  # type: ignore[operator]
        low, high = (middle, high) if below == rises else (low, middle)
    return low


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_the_limits_are_where_the_tails_have_a_fortieth_each(n: int) -> None:
    for hits in range(n + 1):
        found = proportion(hits, n)
        assert found.value == hits / n
        low = where(True, lambda p, k=hits: at_least(k, n, p)) if hits else 0
        high = where(False, lambda p, k=hits: 1 - at_least(k + 1, n, p)) if hits < n else 1
        assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))


def test_of_nothing_there_is_no_share_and_a_reason() -> None:
    found = proportion(0, 0)
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, NONE_ANSWERED)
    with pytest.raises(ValueError, match="3 of 2"):
        proportion(3, 2)
