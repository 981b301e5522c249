"""How many labelled pairs are enough: half-width or power from a pilot or an assumed accuracy (statistics.md 6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from engines.stats.blocks import Row, plan
from engines.stats.bootstrap import CellDesign, Design, Resampled, Statistic, jackknife
from engines.stats.group_analysis import Group, analyse_group, groups
from engines.stats.intervals import Sample, jackknife_se
from engines.stats.labels import Kind, Labels
from engines.stats.pair_analysis import analyse_pairs
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray, JsonFields
from engines.stats.statistics import statistic as record_of

NORMAL = NormalDist()
LEVEL = 0.95  # of all intervals and tests here
Z = NORMAL.inv_cdf((1 + LEVEL) / 2)
MEAN_OF_THREE_PAIRS = 0.6  # the mean over three pairs needs about 0.6 of what one pair needs
MAX_ITEMS = 100_000_000
MIN_COMMON = 10  # as in the report
G = TypeVar("G", Row, Group)


def items_for_half_width(sigma: float, half_width: float, *, design_effect: float = 1.0) -> int:
    """Items for an interval of ± `half_width`: (z sigma / h)² times the design effect of topics."""
    _positive(half_width=half_width)
    return math.ceil(min((Z * sigma / half_width) ** 2 * design_effect, MAX_ITEMS))


def items_for_difference(sigma: float, delta: float, *, power: float = 0.8, design_effect: float = 1.0) -> int:
    """Items to find a difference of `delta` with this power: ((z + z_power) sigma / delta)²."""
    _positive(delta=delta)
    reach = Z + NORMAL.inv_cdf(power)
    return math.ceil(min((reach * sigma / delta) ** 2 * design_effect, MAX_ITEMS))


def half_width(sigma: float, n_items: int, *, design_effect: float = 1.0) -> float:
    """The half-width to expect from `n_items` items."""
    _positive(n_items=n_items)
    return Z * sigma * math.sqrt(design_effect / n_items)


def power_for_difference(sigma: float, delta: float, n_items: int, *, design_effect: float = 1.0) -> float:
    """The chance to find a difference of `delta` with `n_items` items: Phi(delta sqrt(n) / sigma - z)."""
    _positive(n_items=n_items, sigma=sigma)
    return NORMAL.cdf(abs(delta) * math.sqrt(n_items / design_effect) / sigma - Z)


def items_without_pilot(accuracy: float, half_width: float, *, n_pairs: int = 1) -> int:
    """Items for percent agreement near `accuracy`, binomial; the mean over three or more pairs needs 0.6 of it."""
    if not 0 < accuracy < 1:
        raise ValueError("the assumed accuracy lies between 0 and 1")
    saving = MEAN_OF_THREE_PAIRS if n_pairs >= 3 else 1.0
    sigma = math.sqrt(accuracy * (1 - accuracy) * saving)
    return items_for_half_width(sigma, half_width)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name.replace('_', ' ')} must be above 0")


@dataclass(frozen=True)
class Pilot(JsonFields):
    """What a pilot says about one statistic: sigma = sqrt(n) SE by items, and the design effect of topics.

    `design_effect` = (width by topic / width by item)², None without topics. `value` is the pilot's own estimate.
    """

    statistic: str
    block: str
    value: float | None
    reason: Reason | None
    n_items: int
    sigma: float | None = None
    design_effect: float | None = None


def pilot(labels: Labels, statistic: str, block: str) -> Pilot:
    """Sigma of a statistic for one row of the report.

    Pairwise statistics: "mean", "HH", "GH", "GG" or "HH-GH" (the difference D). Alpha, Fleiss, Gwet: "all", "HH" or
    "GG". Raises ValueError when the labels have no such row.
    """
    by_item = _measure_row(labels, statistic, block, by_topic=False)
    if by_item.sample is None:
        return Pilot(statistic, block, None, by_item.reason, by_item.n_items)
    point, error = by_item.sample.point, jackknife_se(by_item.sample)
    if not error:
        reason = Reason.NO_VARIATION if error == 0 else Reason.UNDEFINED_IN_BOOTSTRAP
        return Pilot(statistic, block, point, reason, by_item.n_items)
    effect = None
    if labels.topics is not None:
        by_topic = _measure_row(labels, statistic, block, by_topic=True).sample
        topic_error = jackknife_se(by_topic) if by_topic is not None else None
        effect = (topic_error / error) ** 2 if topic_error else None
    return Pilot(statistic, block, point, None, by_item.n_items, error * math.sqrt(by_item.n_items), effect)


@dataclass(frozen=True)
class _Row:
    """One row of the report after the jackknife, with the design and the function that made it."""

    sample: Sample | None
    reason: Reason | None
    n_items: int
    design: Design | None = None
    evaluate: Statistic | None = None


def _measure_row(labels: Labels, statistic: str, block: str, *, by_topic: bool) -> _Row:
    resampled: list[tuple[Design, Statistic]] = []

    def run(design: Design, evaluate: Statistic) -> Resampled:
        resampled.append((design, evaluate))
        point = evaluate(design.total[:, None])[:, 0]
        return Resampled(point, np.zeros((len(point), 0)), *jackknife(design, evaluate))

    topics = labels.topics if by_topic else None
    if not record_of(statistic).is_averaged:
        group = _first_of(groups(labels), block)
        joint = analyse_group(labels, group, [statistic], topics, run)[0]
        figure = joint.sample, joint.reason, joint.n_items
    else:
        models = tuple(labels.models()) if labels.columns_of(Kind.HUMAN) else ()
        whole = plan(replace(labels, adjudicated=None), with_pairs=False, compared=models)
        names = tuple(annotator.name for annotator in labels.annotators)
        row = _first_of(whole.rows, block)
        analysis = analyse_pairs(replace(whole, rows=(row,)), names, topics, min_common=MIN_COMMON)
        paired = next(analysis.measure(analysis.targets([statistic]), run))
        figure = paired.sample, paired.target.reason, paired.target.n_items
    return _Row(*figure, *(resampled[0] if resampled else ()))


def _first_of(rows: Sequence[G], block: str) -> G:
    """The first of this block (or scope). Errors: ValueError where there is none."""
    for row in rows:
        if block == (row.block or row.scope):
            return row
    raise ValueError(f"these labels have no block {block!r}")


@dataclass(frozen=True)
class Simulation(JsonFields):
    """What `data_sets` simulated data sets of `n_items` items gave; compare with the formula.

    `half_width` = z times the sd of the estimates; `power` the share in which a difference of `delta` was found.
    """

    n_items: int
    data_sets: int
    half_width: float | None
    power: float | None
    n_undefined: int


def simulate(
    labels: Labels,
    statistic: str,
    block: str,
    *,
    n_items: int,
    rng: np.random.Generator,
    delta: float | None = None,
    data_sets: int = 200,
) -> Simulation:
    """Draw data sets of `n_items` items from the pilot's patterns and measure each.

    As in the formula, n counts items that enter the figure; the others of the pilot are drawn in their proportion.
    With `delta`, each data set is tested by its own jackknife error after the true value is moved to `delta`.
    """
    _positive(n_items=n_items)
    row = _measure_row(labels, statistic, block, by_topic=False)
    if row.sample is None or row.design is None or row.evaluate is None:
        return Simulation(n_items, data_sets, None, None, data_sets)
    truth, features = row.sample.point, row.design.dense()
    shares = row.design.counts / row.design.n_units
    size = round(n_items * row.design.n_units / row.n_items)
    estimates, found = [], 0
    for _ in range(data_sets):
        drawn = rng.multinomial(size, shares).astype(np.float64)
        estimate, error = _one_data_set(drawn, features, row.evaluate, n_items)
        if estimate is None:
            continue
        estimates.append(estimate)
        found += bool(delta is not None and error and abs(estimate - truth + delta) > Z * error)
    if len(estimates) < 2:
        return Simulation(n_items, data_sets, None, None, data_sets - len(estimates))
    spread = float(np.std(estimates, ddof=1))
    power = None if delta is None else found / len(estimates)
    return Simulation(n_items, data_sets, Z * spread, power, data_sets - len(estimates))


def _one_data_set(
    drawn: FloatArray, features: FloatArray, evaluate: Statistic, n_items: int
) -> tuple[float | None, float | None]:
    """(estimate, jackknife standard error) of one simulated data set, None where undefined."""
    used = drawn > 0
    design = CellDesign(drawn[used], features[used])
    point = float(evaluate(design.total[:, None])[0, 0])
    if not math.isfinite(point):
        return None, None
    values, weights = jackknife(design, evaluate)
    return point, jackknife_se(Sample(point, np.zeros(0), values[0], weights, n_items, (-2.0, 2.0)))
