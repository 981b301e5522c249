"""Figures made from annotator pairs, with their intervals: one resampling serves every row of a `Plan`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.stats.blocks import Plan, Row
from engines.stats.bootstrap import SPARSE_CELLS, CellDesign, Design, IndexDesign, Resampled, TopicDesign
from engines.stats.cells import Cells, reduce_rows
from engines.stats.intervals import Bounds, Sample
from engines.stats.pair_features import pair_features, sum_pairs_by_topic
from engines.stats.pairwise import Tables
from engines.stats.reasons import Reason
from engines.stats.results import ExcludedPair, FloatArray, IntArray
from engines.stats.statistics import Statistic, statistic

REPLICATE_BYTES = 64 << 20  # replicates held at once; more statistics than fit are done in further passes
Excluded = tuple[ExcludedPair, ...]


@dataclass(frozen=True)
class Target:
    """A row for one statistic: which pairs enter (after exclusion), or why the figure is undefined.

    `excluded` names the pairs left out, with the reason.
    """

    row: Row
    statistic: str
    plus: tuple[int, ...]
    minus: tuple[int, ...]
    reason: Reason | None
    excluded: Excluded
    n_items: int
    n_units: int
    is_thin: bool = False  # a mean of pairs that all have too few common items: a value, and no interval


@dataclass(frozen=True)
class Measured:
    """A target after resampling: its sample of values, or None where the target is undefined."""

    target: Target
    sample: Sample | None


@dataclass(frozen=True)
class PairAnalysis:
    """Labels reduced to cells, ready to be resampled by item or by topic.

    `names` are the column names of the extended matrix, for naming excluded pairs.
    """

    plan: Plan
    cells: Cells
    topics: IntArray | None
    names: tuple[str, ...]
    min_common: int

    @cached_property
    def patterns(self) -> np.ndarray:
        return self.plan.extend(self.cells.patterns)

    @cached_property
    def features(self) -> scipy.sparse.csr_array[np.float64, tuple[int, int]]:
        return pair_features(self.patterns, self.plan.pairs, self.plan.levels)

    @cached_property
    def point(self) -> Tables:
        """The tables of the sample itself, (K, K, pairs)."""
        return Tables(self._tables(np.asarray(self.features.T @ self.cells.counts)))

    def _tables(self, sums: FloatArray) -> FloatArray:
        levels = self.plan.levels
        return sums.reshape(levels, levels, len(self.plan.pairs), *sums.shape[1:])

    @cached_property
    def design(self) -> Design:
        """What is resampled: topics when given, else cells, else (very many cells) items by index."""
        if self.topics is not None:
            return TopicDesign.of(sum_pairs_by_topic(self.features, self.cells.inverse, self.topics))
        if self.cells.n_cells > SPARSE_CELLS:
            return IndexDesign(self.cells.counts, self.features)
        return CellDesign(self.cells.counts, self.features.toarray())

    def extent(self, pairs: Sequence[int]) -> tuple[int, int]:
        """(items, units) that carry both labels of at least one of the pairs."""
        present = self.patterns >= 0
        touched = np.zeros(len(present), dtype=bool)
        for first, second in (self.plan.pairs[pair] for pair in pairs):
            touched |= present[:, first] & present[:, second]
        n_items = int(self.cells.counts[touched].sum())
        if self.topics is None:
            return n_items, n_items
        seen = np.zeros(int(self.topics.max(initial=-1)) + 1, dtype=bool)
        seen[self.topics[touched[self.cells.inverse]]] = True
        return n_items, int(seen.sum())

    def targets(self, statistics: Sequence[str]) -> list[Target]:
        """Every row for every statistic, with pairs that have too few items or no value left out by name.

        Statistics with a figure of several annotators have that, not a mean over pairs.
        """
        seen: dict[tuple[int, ...], tuple[int, int]] = {}
        found = []
        for name in statistics:
            record = statistic(name)
            reasons = self._pair_reasons(record)
            rows = [row for row in self.plan.rows if record.is_averaged or row.scope == "pair"]
            found += [self._target(row, name, reasons, seen) for row in rows]
        return found

    def _pair_reasons(self, record: Statistic) -> list[Reason | None]:
        return [
            record.why_undefined(total) if np.isnan(value) else None
            for value, total in zip(pair_values(record, self.point), self.point.total, strict=True)
        ]

    def _target(
        self,
        row: Row,
        statistic: str,
        reasons: list[Reason | None],
        seen: dict[tuple[int, ...], tuple[int, int]],
    ) -> Target:
        is_thin = False
        if row.scope == "pair":
            excluded: Excluded = ()
            reason = reasons[row.plus[0]]
            sides: tuple[tuple[int, ...], ...] = (row.plus, ())
        else:
            checked = [self._included(side, reasons) for side in (row.plus, row.minus)]
            excluded = checked[0][1] + checked[1][1]
            sides = (checked[0][0], checked[1][0])
            thin = tuple(
                pair for pair in row.plus if reasons[pair] is None and self.point.total[pair] < self.min_common
            )
            if thin and not row.minus and not sides[0]:
                is_thin, sides = True, (thin, ())
                excluded = tuple(one for one in excluded if one.reason is not Reason.TOO_FEW_ITEMS)
            reason = _why_empty(row, sides, excluded)
        key = tuple(sorted({*sides[0], *sides[1]})) or tuple(sorted({*row.plus, *row.minus}))
        if key not in seen:
            seen[key] = self.extent(key)
        return Target(row, statistic, sides[0], sides[1], reason, excluded, *seen[key], is_thin)

    def _included(self, pairs: tuple[int, ...], reasons: list[Reason | None]) -> tuple[tuple[int, ...], Excluded]:
        kept, excluded = [], []
        for pair in pairs:
            items = self.point.total[pair]
            reason = reasons[pair] or (Reason.TOO_FEW_ITEMS if items < self.min_common else None)
            if reason is None:
                kept.append(pair)
            else:
                first, second = self.plan.pairs[pair]
                excluded.append(ExcludedPair((self.names[first], self.names[second]), reason))
        return tuple(kept), tuple(excluded)

    def measure(
        self, targets: Sequence[Target], run: Callable[[Design, Callable[[FloatArray], FloatArray]], Resampled]
    ) -> Iterator[Measured]:
        """Resample the targets of one pass. `run(design, statistic)` draws with the stored seed."""
        yield from (Measured(target, None) for target in targets if target.reason is not None)
        defined = [target for target in targets if target.reason is None]
        if not defined:
            return
        result = run(self.design, self.evaluator(defined))
        for index, target in enumerate(defined):
            yield Measured(target, result.sample(index, target.n_units, limits(target)))

    def evaluator(self, targets: Sequence[Target]) -> Callable[[FloatArray], FloatArray]:
        """Feature sums (F, b) to the targets' values (T, b), NaN where a pair that enters is undefined."""

        def evaluate(sums: FloatArray) -> FloatArray:
            tables = Tables(self._tables(sums))
            on_pairs = {name: pair_values(statistic(name), tables) for name in {target.statistic for target in targets}}
            values = np.empty((len(targets), sums.shape[1]))
            for row, target in enumerate(targets):
                values[row] = _mean_over(target.plus, on_pairs[target.statistic])
                if target.minus:
                    values[row] -= _mean_over(target.minus, on_pairs[target.statistic])
            return values

        return evaluate


def pair_values(record: Statistic, tables: Tables) -> FloatArray:
    """The statistic of each table, (...). Errors: ValueError for one that pairs do not have."""
    if record.pair is None:
        raise ValueError(f"{record.name} is not defined for pairs")
    return record.pair(tables)


def _mean_over(pairs: tuple[int, ...], on_pairs: FloatArray) -> FloatArray:
    """Mean of some rows of (pairs, b), added in order so that it does not depend on b to the last bit."""
    total = on_pairs[pairs[0]].copy()
    for pair in pairs[1:]:
        total += on_pairs[pair]
    return total / len(pairs)


def limits(target: Target) -> Bounds:
    """The range a jackknife interval is clipped to."""
    low = statistic(target.statistic).lowest
    return (low - 1.0, 1.0 - low) if target.minus else (low, 1.0)


def _why_empty(row: Row, sides: tuple[tuple[int, ...], ...], excluded: Excluded) -> Reason | None:
    """Why a mean has no pair left, or None when both sides have one."""
    if not row.plus:
        return Reason.FEWER_THAN_TWO_ANNOTATORS
    for pairs, included in ((row.plus, sides[0]), (row.minus, sides[1])):
        if pairs and not included:
            reasons = [pair.reason for pair in excluded]
            specific = [one for one in reasons if one not in {Reason.NO_OVERLAP, Reason.TOO_FEW_ITEMS}]
            if specific:
                return specific[0]
            return Reason.TOO_FEW_ITEMS if Reason.TOO_FEW_ITEMS in reasons else Reason.NO_OVERLAP
    return None


def passes(statistics: Sequence[str], n_rows: int, resamples: int) -> list[list[str]]:
    """Statistics in groups whose replicates fit in memory together, at least one in each."""
    size = max(1, int(REPLICATE_BYTES // max(8 * n_rows * resamples, 1)))
    return [list(statistics[low : low + size]) for low in range(0, len(statistics), size)]


def analyse_pairs(plan: Plan, names: tuple[str, ...], topics: IntArray | None, *, min_common: int) -> PairAnalysis:
    """Reduce the plan's matrix to cells. `topics` (n,) makes topics the unit of resampling."""
    return PairAnalysis(plan, reduce_rows(plan.matrix, plan.levels + 1), topics, names, min_common)
