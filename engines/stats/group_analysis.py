"""Coefficients of several annotators at once, with intervals: alpha, Fleiss, Gwet over everyone, people, or runs."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.stats import coincidence
from engines.stats.bootstrap import CellDesign, Design, Resampled, TopicDesign
from engines.stats.cells import reduce_rows, sum_by_topic
from engines.stats.intervals import Sample
from engines.stats.labels import Kind, Labels, Positions, number
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray, IntArray
from engines.stats.statistics import Statistic, statistic


@dataclass(frozen=True)
class Group:
    """Annotators whose joint agreement is measured: scope "all", or a block (people: HH, runs of a model: GG)."""

    scope: str
    block: str | None
    columns: tuple[int, ...]
    model: str | None = None


@dataclass(frozen=True)
class GroupMeasured:
    """One coefficient of one group. `sample` is None where it is undefined, with `reason`."""

    statistic: str
    sample: Sample | None
    reason: Reason | None
    n_items: int
    n_pairs: int


def groups(labels: Labels) -> list[Group]:
    """Everyone; also people and the runs of each model where the labels have both kinds."""
    found = [Group("all", None, labels.independent())]
    people = labels.columns_of(Kind.HUMAN)
    if people:
        found.append(Group("block", "HH", people))
    found += [Group("block", "GG", runs, model) for model, runs in labels.models().items()]
    return found


def level_counts(positions: Positions, levels: int) -> IntArray:
    """(n, K) how often each level was given to each item."""
    return np.stack([(positions == level).sum(axis=1) for level in range(levels)], axis=1).astype(np.int64)


def analyse_group(
    labels: Labels,
    group: Group,
    statistics: Sequence[str],
    topics: IntArray | None,
    run: Callable[[Design, Callable[[FloatArray], FloatArray]], Resampled],
) -> list[GroupMeasured]:
    """The coefficients of one group from one resampling.

    Only the unordered label counts of an item matter, so there are few cells however many annotators. `topics` (n,)
    makes topics the unit. Items nobody in the group labelled do not take part.
    """
    panel = labels.positions[:, list(group.columns)]
    present = (panel >= 0).any(axis=1)
    panel = panel[present]
    counts = level_counts(panel, labels.levels)
    cells = reduce_rows(counts, int(counts.max(initial=0)) + 2)
    features = coincidence.features(cells.patterns)
    paired = cells.patterns.sum(axis=1) >= 2
    n_items = int(cells.counts[paired].sum())
    n_pairs = _pairs_in_use(panel)
    sums = coincidence.split(cells.counts @ features, labels.levels)
    points = {name: float(group_values(statistic(name), sums)) for name in statistics}
    reason = coincidence.undefined_reason(len(group.columns), float(sums.paired))
    defined = [name for name in statistics if len(group.columns) > 1 and np.isfinite(points[name])]
    found = [GroupMeasured(name, None, reason, n_items, n_pairs) for name in statistics if name not in defined]
    if not defined:
        return found
    design: Design = CellDesign(cells.counts, features)
    n_paired, n_labelled = n_items, len(panel)
    if topics is not None:
        own = number(topics[present])
        design = TopicDesign.of(sum_by_topic(cells, own, features))
        n_paired, n_labelled = len(np.unique(own[paired[cells.inverse]])), len(np.unique(own))

    def evaluate(drawn: FloatArray) -> FloatArray:
        parts = coincidence.split(drawn, labels.levels)
        return np.stack([group_values(statistic(name), parts) for name in defined])

    result = run(design, evaluate)
    for index, name in enumerate(defined):
        n_units = n_labelled if statistic(name).single_labels else n_paired
        # No coefficient here has a common floor: single labels shift chance agreement.
        sample = result.sample(index, n_units, (-math.inf, 1.0), n_paired)
        found.append(GroupMeasured(name, sample, None, n_items, n_pairs))
    return found


def group_values(record: Statistic, sums: coincidence.GroupSums) -> FloatArray:
    """The statistic of each set of sums, (...). Errors: ValueError for one that groups do not have."""
    if record.group is None:
        raise ValueError(f"{record.name} is not defined for groups")
    return record.group(sums)


def _pairs_in_use(panel: Positions) -> int:
    """Annotator pairs with at least one item in common."""
    present = (panel >= 0).astype(np.float64)
    return int(np.count_nonzero(np.triu(present.T @ present, 1)))
