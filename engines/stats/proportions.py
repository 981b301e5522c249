"""A share of successes with its exact interval."""

from __future__ import annotations

from dataclasses import dataclass

import scipy  # its parts are loaded when they are first used, not at every start

LEVEL = 0.95
NONE_ANSWERED = "nothing was answered yet"


@dataclass(frozen=True, slots=True)
class Proportion:
    """`hits` of `n`. `value`, `low` and `high` are None where n is 0, and `reason` says so."""

    hits: int
    n: int
    value: float | None
    low: float | None
    high: float | None
    reason: str = ""
    level: float = LEVEL


def proportion(hits: int, n: int, *, level: float = LEVEL) -> Proportion:
    """The share with the interval of Clopper & Pearson (1934, Biometrika 26:404-413), which covers the true share in at
    least `level` of the samples where the n are independent. Errors: ValueError unless 0 <= hits <= n.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if not n:
        return Proportion(0, 0, None, None, None, NONE_ANSWERED, level)
    beta, tail = scipy.stats.beta.ppf, (1 - level) / 2
    low = float(beta(tail, hits, n - hits + 1)) if hits else 0.0
    high = float(beta(1 - tail, hits + 1, n - hits)) if hits < n else 1.0
    return Proportion(hits, n, hits / n, low, high, "", level)
