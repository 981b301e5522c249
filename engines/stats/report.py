"""The one entry point of the agreement job: labels in, every figure with its interval out, in a JSON-safe shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from engines.definitions.settings import RESAMPLES
from engines.stats.blocks import Plan, plan
from engines.stats.bootstrap import Design, Progress, Resampled, make_rng, resample
from engines.stats.comparison import Comparison, adjust, comparable, compare, difference_plan
from engines.stats.group_analysis import Group, analyse_group, groups
from engines.stats.intervals import METHODS, UNITS, Request, Sample, make_interval
from engines.stats.labels import Kind, Labels, number
from engines.stats.pair_analysis import Excluded, Measured, PairAnalysis, analyse_pairs, passes
from engines.stats.reasons import Flag, Reason
from engines.stats.results import CODE_VERSION, BoolArray, Estimate, FloatArray, IntArray, to_jsonable
from engines.stats.statistics import STATISTICS, TABLE_ONE, rank, statistic


@dataclass(frozen=True)
class Options:
    """What to compute and how.

    interval   "auto" (bca; jackknife_t for small samples), "percentile", "bca" or "jackknife_t"
    unit       "auto" (topics when any topic has two or more items), "item" or "topic"
    margin     equivalence margin for D, chosen beforehand, in the statistic's own units (0.05 = 5 points of a share):
               one for all statistics, or {statistic: margin}; None or a statistic without one: nothing is claimed
    family     the statistics whose tests of D belong together and are corrected by Holm, over all models; tests of
               other statistics are exploratory and carry their raw p only
    pairs      also give every annotator pair alone
    min_common pairs with fewer common items stay out of means
    common_items_only  test D on items with two human labels and one of every run (else plain pairwise deletion)
    verdict_held_fixed the adjudicated labels come from a model of the whole sample (Dawid-Skene), not from votes
    """

    seed: int
    statistics: tuple[str, ...] = field(default_factory=lambda: tuple(STATISTICS))
    resamples: int = 10_000
    level: float = 0.95
    interval: str = "auto"
    unit: str = "auto"
    margin: float | Mapping[str, float] | None = None
    family: tuple[str, ...] = TABLE_ONE
    pairs: bool = True
    min_common: int = 10
    common_items_only: bool = True
    verdict_held_fixed: bool = False

    def __post_init__(self) -> None:
        margins = self.margin if isinstance(self.margin, Mapping) else {}
        unknown = {*self.statistics, *self.family, *margins} - set(STATISTICS)
        if unknown:
            raise ValueError(f"unknown statistics: {', '.join(sorted(unknown))}")
        if self.resamples < RESAMPLES.least:
            raise ValueError(f"at least {RESAMPLES.least} resamples are needed")
        if not 0.5 <= self.level < 1:
            raise ValueError("the level of an interval lies between 0.5 and 1")
        if self.interval not in ("auto", *METHODS) or self.unit not in ("auto", *UNITS):
            raise ValueError("unknown interval or unit")
        if any(not 0 < each < 2 for each in map(self.margin_of, (*margins, *self.statistics)) if each is not None):
            raise ValueError("the equivalence margin is a fraction above 0")

    def margin_of(self, statistic: str) -> float | None:
        """The margin of one statistic, None where none was chosen."""
        return self.margin.get(statistic) if isinstance(self.margin, Mapping) else self.margin


def read_margin(text: str) -> float | dict[str, float] | None:
    """An equivalence margin as a person writes it: "0.05" for all statistics, or "accuracy 0.05, spearman 0.1".

    None for an empty text. Raises ValueError, also for a statistic named twice; `Options` checks the rest.
    """
    parts = [part.replace("=", " ").split() for part in text.replace(";", ",").split(",") if part.strip()]
    if len(parts) == 1 and len(parts[0]) == 1:
        return float(parts[0][0])
    if any(len(part) != 2 for part in parts):
        raise ValueError("write a margin as 0.05, or as accuracy 0.05, spearman 0.1")
    found = {name: float(value) for name, value in parts}
    if len(found) != len(parts):
        raise ValueError("a statistic has two margins")
    return found or None


@dataclass(frozen=True)
class Result:
    """One figure of the report: which statistic, over whom, and its estimate."""

    statistic: str
    scope: str
    annotators: tuple[str, ...]
    block: str | None
    model: str | None
    estimate: Estimate
    excluded_pairs: Excluded = ()

    def to_json(self) -> dict[str, Any]:
        """The object of design.md 4 (the caller adds `criterion`), with more keys."""
        shape = to_jsonable(self)
        estimate, pairs = shape.pop("estimate"), shape.pop("excluded_pairs")
        return {**shape, **estimate, "excluded_pairs": pairs}


@dataclass(frozen=True)
class Agreement:
    """All results, the tests of H-H against G-H, and what must be stated with them."""

    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...]
    n_items: int
    n_dropped: int
    n_topics: int | None
    unit: str
    resamples: int
    seed: int
    level: float
    numpy_version: str = np.__version__
    code_version: str = CODE_VERSION

    def find(self, statistic: str, scope: str, block: str | None = None, **more: Any) -> Result:
        """The first result with this statistic, scope and, if given, block, `model` or `annotators`; else KeyError."""
        facts = {"statistic": statistic, "scope": scope, **more} | ({} if block is None else {"block": block})
        for result in self.results:
            if all(getattr(result, name) == value for name, value in facts.items()):
                return result
        raise KeyError(facts)

    def to_json(self) -> dict[str, Any]:
        """{"statistics": [...], "comparisons": [...], and how it was computed}; dumps with allow_nan=False."""
        rest = dict(vars(self))
        results, comparisons = rest.pop("results"), rest.pop("comparisons")
        return {
            "statistics": [result.to_json() for result in results],
            "comparisons": [comparison.to_json() for comparison in comparisons],
            **rest,
        }


def measure_agreement(
    labels: Labels,
    options: Options,
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Agreement:
    """Every statistic of `options` for pairs, means, blocks and groups, with intervals and the tests of D.

    Deterministic for the same labels and seed. `progress(done, total)` counts replicates over all passes; `cancelled`
    is asked between chunks and ends the work with `bootstrap.Cancelled`.
    """
    return _Job(labels, options, progress, cancelled).run()


class _Job:
    """One run of `measure_agreement`: the passes over the bootstrap and the results they leave."""

    def __init__(
        self,
        labels: Labels,
        options: Options,
        progress: Progress | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.labels, self.options = labels, options
        self.progress, self.cancelled = progress, cancelled
        self.unit = resampling_unit(labels, options.unit)
        self.topics = labels.topics if self.unit == "topic" else None
        self.request = Request(options.interval, self.unit, options.level, options.resamples, options.seed)
        self.done = self.expected = 0
        self.results: list[Result] = []
        self.comparisons: list[Comparison] = []

    def run(self) -> Agreement:
        work: list[Callable[[], None]] = [*self._pair_work(), *self._group_work()]
        self.expected = len(work) * self.options.resamples
        for step in work:
            step()
        topics = self.labels.topics
        comparisons = adjust(self.comparisons, self.options.family)
        return Agreement(
            results=_with_p(self.results, comparisons),
            comparisons=comparisons,
            n_items=self.labels.n_items,
            n_dropped=self.labels.n_dropped,
            n_topics=None if topics is None else int(topics.max(initial=-1)) + 1,
            unit=self.unit,
            resamples=self.options.resamples,
            seed=self.options.seed,
            level=self.options.level,
        )

    def _draw(self, design: Design, statistic: Callable[[FloatArray], FloatArray]) -> Resampled:
        def advance(count: int) -> None:
            self.done += count
            if self.progress is not None:
                self.progress(self.done, self.expected)

        rng = make_rng(self.options.seed)
        resamples = self.options.resamples
        return resample(design, statistic, resamples=resamples, rng=rng, progress=advance, cancelled=self.cancelled)

    def _pair_work(self) -> list[Callable[[], None]]:
        names = [name for name in self.options.statistics if statistic(name).pair]
        masks = {}
        if len(self.labels.columns_of(Kind.HUMAN)) >= 2:
            masks = {model: comparable(self.labels, model) for model in self.labels.models()}
        whole = plan(self.labels, with_pairs=self.options.pairs, compared=tuple(masks))
        apart: list[Callable[[], None]] = []
        rows = []
        for row in whole.rows:
            mask = masks.get(row.model or "") if row.scope == "difference" else None
            if mask is None or mask.all() or not self.options.common_items_only:
                rows.append(row)
            else:
                apart.append(self._restricted(difference_plan(whole, row), mask, names))
        analysis = self._analyse(replace(whole, rows=tuple(rows)), self.topics)
        parts = passes(names, len(rows), self.options.resamples)
        return [*(partial(self._measure_pairs, analysis, part, 0) for part in parts), *apart]

    def _restricted(self, part: Plan, mask: BoolArray, names: list[str]) -> Callable[[], None]:
        """The test of D on the items fit for it, resampled separately."""
        topics = None if self.topics is None else number(self.topics[mask])
        analysis = self._analyse(replace(part, matrix=part.matrix[mask]), topics)
        tested = [name for name in names if statistic(name).is_averaged]
        return partial(self._measure_pairs, analysis, tested, int(np.count_nonzero(~mask)))

    def _analyse(self, part: Plan, topics: IntArray | None) -> PairAnalysis:
        names = tuple(annotator.name for annotator in self.labels.annotators)
        extra = ("adjudicated", *(f"others of {names[column]}" for column in part.voters))
        return analyse_pairs(part, (*names, *extra), topics, min_common=self.options.min_common)

    def _measure_pairs(self, analysis: PairAnalysis, statistics: list[str], n_excluded: int) -> None:
        for measured in analysis.measure(analysis.targets(statistics), self._draw):
            if measured.target.row.scope == "difference":
                margin = self.options.margin_of(measured.target.statistic)
                self.comparisons.append(compare(measured, self.request, n_excluded, margin))
            else:
                self.results.append(self._result(measured))

    def _group_work(self) -> list[Callable[[], None]]:
        names = [name for name in self.options.statistics if statistic(name).group]
        return [partial(self._measure_group, group, names) for group in groups(self.labels) if names]

    def _measure_group(self, group: Group, statistics: list[str]) -> None:
        for measured in analyse_group(self.labels, group, statistics, self.topics, self._draw):
            names = tuple(self.labels.annotators[column].name for column in group.columns)
            estimate = self._estimate(measured.sample, measured.reason, (measured.n_items, measured.n_pairs))
            self.results.append(Result(measured.statistic, group.scope, names, group.block, group.model, estimate))

    def _result(self, measured: Measured) -> Result:
        target = measured.target
        row, sample, counts = target.row, measured.sample, (target.n_items, len(target.plus))
        fixed = self.options.verdict_held_fixed and row.block == "GA"
        flags = (*row.flags, Flag.HELD_FIXED) if fixed else row.flags
        estimate = self._estimate(sample, target.reason, counts, flags)
        if target.is_thin:
            estimate = Estimate(estimate.value, None, *counts, ci_reason=Reason.TOO_FEW_ITEMS, flags=row.flags)
        elif sample and statistic(target.statistic).is_proportion and sample.point == 1.0:
            bound = 1 - 3 / sample.n_units if estimate.ci_reason is Reason.NO_VARIATION else None
            estimate = replace(estimate, lower_bound=bound)
        return Result(target.statistic, row.scope, row.annotators, row.block, row.model, estimate, target.excluded)

    def _estimate(
        self, sample: Sample | None, reason: Reason | None, counts: tuple[int, int], flags: tuple[Flag, ...] = ()
    ) -> Estimate:
        """The estimate of a sample; `counts` are items and pairs."""
        if sample is None:
            return Estimate(None, reason, *counts, ci_reason=reason, flags=flags)
        estimate = make_interval(sample, self.request).estimate(sample.point, *counts)
        if self.unit == "item" and resampling_unit(self.labels, "auto") == "topic":
            flags = (*flags, Flag.INDEPENDENT_ITEMS_ASSUMED)
        return replace(estimate, flags=(*flags, *estimate.flags))


def resampling_unit(labels: Labels, unit: str) -> str:
    """ "topic" when any topic has two or more items (they are not independent), unless the user switched.

    Raises ValueError for the unit "topic" where the labels carry none.
    """
    if unit != "item" and labels.topics is not None:
        repeated = labels.n_items > 0 and int(np.bincount(labels.topics).max()) >= 2
        return "topic" if unit == "topic" or repeated else "item"
    if unit == "topic":
        raise ValueError("these labels have no topics to resample")
    return "item"


def _with_p(results: list[Result], comparisons: tuple[Comparison, ...]) -> tuple[Result, ...]:
    """The results in the order of `STATISTICS`, each G-H block carrying the p of its test, as in Table 1."""
    found = {("GH", "block", one.statistic, one.model): one.difference.p for one in comparisons}
    ordered: list[Result] = []
    for result in sorted(results, key=lambda one: rank(one.statistic)):
        p = found.get((result.block or "", result.scope, result.statistic, result.model or ""))
        ordered.append(result if p is None else replace(result, estimate=replace(result.estimate, p=p)))
    return tuple(ordered)
