"""The figures this package hands out: frozen, JSON-safe, never NaN.

An undefined figure is `value=None` with a `Reason`; an interval that cannot be given is `ci=None` with a reason of
its own. Annotators count as fixed: every interval is about other items (or topics) labelled by these annotators.
"""

import dataclasses
import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.stats.reasons import Flag, Reason

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

CODE_VERSION = "4"  # raised whenever a figure could change for the same labels and seed


class JsonFields:
    """A dataclass that is written as an object of its fields."""

    def to_json(self) -> dict[str, Any]:
        return dict(to_jsonable(self))


@dataclass(frozen=True)
class ExcludedPair:
    """Two annotators whose figure is left out of a mean, and why."""

    annotators: tuple[str, str]
    reason: Reason


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made.

    `unit` is what was resampled or left out ("item" or "topic"); `resamples` is 0 for the deterministic
    `jackknife_t`; `n_undefined` counts replicates (or leave-one-out values) that were undefined and dropped.
    """

    low: float
    high: float
    level: float
    method: str
    unit: str
    resamples: int
    seed: int
    n_undefined: int


@dataclass(frozen=True)
class Estimate(JsonFields):
    """One figure with everything needed to print it honestly.

    `n_items` are the items that enter the figure, `n_pairs` the annotator pairs. `se` is the standard error behind
    the interval; `lower_bound` the rule-of-three bound 1-3/n when agreement is perfect and no interval exists.
    """

    value: float | None
    reason: Reason | None = None
    n_items: int = 0
    n_pairs: int = 0
    ci: Interval | None = None
    ci_reason: Reason | None = None
    p: float | None = None
    se: float | None = None
    flags: tuple[Flag, ...] = ()
    lower_bound: float | None = None
    alternatives: tuple[Interval, ...] = ()


def undefined(reason: Reason, *, n_items: int = 0, n_pairs: int = 0) -> Estimate:
    """An estimate without a value; its interval is missing for the same reason."""
    return Estimate(None, reason, n_items, n_pairs, ci_reason=reason)


def finite(value: float) -> float | None:
    """The number, None where it is NaN or infinite."""
    return float(value) if np.isfinite(value) else None


def to_jsonable(thing: Any) -> Any:
    """Turn dataclasses, tuples, NumPy scalars and enums into what `json.dumps(allow_nan=False)` takes.

    Raises ValueError on NaN or infinity: an undefined figure must have become None with a reason before.
    """
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {field.name: to_jsonable(getattr(thing, field.name)) for field in dataclasses.fields(thing)}
    if isinstance(thing, dict):
        return {str(key): to_jsonable(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | np.ndarray):
        return [to_jsonable(value) for value in thing]
    if isinstance(thing, StrEnum):
        return str(thing)
    if isinstance(thing, np.generic):
        thing = thing.item()
    if isinstance(thing, float) and not math.isfinite(thing):
        raise ValueError("a figure is NaN or infinite; it should have been None with a reason")
    return thing
