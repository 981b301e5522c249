"""The one entry point of the agreement job: labels in, every figure with its interval out, in a JSON-safe shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adjudication.stats.blocks import Plan, plan
from adjudication.stats.bootstrap import Design, Progress, Resampled, make_rng, resample
from adjudication.stats.comparison import Comparison, adjust, comparable, compare, difference_plan
from adjudication.stats.group_analysis import Group, analyse_group, groups
from adjudication.stats.intervals import METHODS, Request, Sample, make_interval
from adjudication.stats.labels import Kind, Labels
from adjudication.stats.pair_analysis import Excluded, Measured, PairAnalysis, analyse_pairs, passes
from adjudication.stats.results import (
    CODE_VERSION,
    Estimate,
    Flag,
    FloatArray,
    IntArray,
    Reason,
    to_jsonable,
)
from adjudication.stats.statistics import STATISTICS, TABLE_ONE, rank, statistic
from annotation.definitions.settings import RESAMPLES


@dataclass(frozen=True)
class Options:
    """What to compute and how.

    interval   "auto" (percentile; jackknife_t for small samples), "percentile", "bca" or "jackknife_t"
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
        if self.interval not in ("auto", *METHODS) or self.unit not in ("auto", "item", "topic"):
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
        head = {
            "statistic": self.statistic,
            "scope": self.scope,
            "annotators": list(self.annotators),
            "block": self.block,
            "model": self.model,
        }
        pairs = [{"annotators": list(names), "reason": str(reason)} for names, reason in self.excluded_pairs]
        return {**head, **self.estimate.to_json(), "excluded_pairs": pairs}


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
        wanted = {"statistic": statistic, "scope": scope, **more}
        if block is not None:
            wanted["block"] = block
        for result in self.results:
            if all(getattr(result, name) == value for name, value in wanted.items()):
                return result
        raise KeyError(wanted)

    def to_json(self) -> dict[str, Any]:
        """{"statistics": [...], "comparisons": [...], and how it was computed}; dumps with allow_nan=False."""
        made = {
            "statistics": [result.to_json() for result in self.results],
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
        }
        rest = {name: to_jsonable(value) for name, value in vars(self).items()}
        return {**made, **{name: rest[name] for name in rest if name not in {"results", "comparisons"}}}


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

        return resample(
            design,
            statistic,
            resamples=self.options.resamples,
            rng=make_rng(self.options.seed),
            progress=advance,
            cancelled=self.cancelled,
        )

    def _pair_work(self) -> list[Callable[[], None]]:
        wanted = [name for name in self.options.statistics if statistic(name).pair]
        masks = {}
        if len(self.labels.columns_of(Kind.HUMAN)) >= 2:
            masks = {model: comparable(self.labels, model) for model in self.labels.models()}
        whole = plan(self.labels, with_pairs=self.options.pairs, compared=tuple(masks))
        work: list[Callable[[], None]] = []
        apart: list[Callable[[], None]] = []
        rows = []
        for row in whole.rows:
            mask = masks.get(row.model or "") if row.scope == "difference" else None
            if mask is None or mask.all() or not self.options.common_items_only:
                rows.append(row)
            else:
                apart.append(self._restricted(difference_plan(whole, row), mask, wanted))
        analysis = self._analyse(replace(whole, rows=tuple(rows)), self.topics)
        for group in passes(wanted, len(rows), self.options.resamples):
            work.append(lambda group=group: self._measure_pairs(analysis, group, 0))  # type: ignore[misc]
        return work + apart

    def _restricted(self, part: Plan, mask: np.ndarray, wanted: list[str]) -> Callable[[], None]:
        """The test of D on the items fit for it, resampled separately."""
        topics = None
        if self.topics is not None:
            topics = np.unique(self.topics[mask], return_inverse=True)[1].reshape(-1).astype(np.int64)
        analysis = self._analyse(replace(part, matrix=part.matrix[mask]), topics)
        tested = [name for name in wanted if statistic(name).is_averaged]
        return lambda: self._measure_pairs(analysis, tested, int(np.count_nonzero(~mask)))

    def _analyse(self, part: Plan, topics: IntArray | None) -> PairAnalysis:
        names = tuple(annotator.name for annotator in self.labels.annotators)
        extra = ("adjudicated", *(f"others of {names[column]}" for column in part.voters))
        return analyse_pairs(part, (*names, *extra), topics, min_common=self.options.min_common)

    def _measure_pairs(self, analysis: PairAnalysis, statistics: list[str], n_excluded: int) -> None:
        for measured in analysis.measure(analysis.targets(statistics), self._draw):
            if measured.target.row.scope == "difference":
                self.comparisons.append(
                    compare(measured, self.request, n_excluded, self.options.margin_of(measured.target.statistic))
                )
            else:
                self.results.append(self._result(measured))

    def _group_work(self) -> list[Callable[[], None]]:
        wanted = [name for name in self.options.statistics if statistic(name).group]
        if not wanted:
            return []
        return [lambda group=group: self._measure_group(group, wanted) for group in groups(self.labels)]  # type: ignore[misc]

    def _measure_group(self, group: Group, statistics: list[str]) -> None:
        for measured in analyse_group(self.labels, group, statistics, self.topics, self._draw):
            names = tuple(self.labels.annotators[column].name for column in group.columns)
            counted = (measured.n_items, measured.n_pairs)
            estimate = self._estimate(measured.sample, measured.reason, counted)
            self.results.append(Result(measured.statistic, group.scope, names, group.block, group.model, estimate))

    def _result(self, measured: Measured) -> Result:
        target = measured.target
        fixed = self.options.verdict_held_fixed and target.row.block == "GA"
        estimate = self._estimate(
            measured.sample,
            target.reason,
            (target.n_items, len(target.plus)),
            bounded=statistic(target.statistic).is_proportion,
            flags=(*target.row.flags, *((Flag.HELD_FIXED,) if fixed else ())),
        )
        if target.is_thin:
            counted = (estimate.n_items, estimate.n_pairs)
            estimate = Estimate(estimate.value, None, *counted, ci_reason=Reason.TOO_FEW_ITEMS)
        row = target.row
        return Result(target.statistic, row.scope, row.annotators, row.block, row.model, estimate, target.excluded)

    def _estimate(
        self,
        sample: Sample | None,
        reason: Reason | None,
        counted: tuple[int, int],
        *,
        bounded: bool = False,
        flags: tuple[Flag, ...] = (),
    ) -> Estimate:
        """The estimate of a sample; `counted` are items and pairs, `bounded` offers the rule of three."""
        n_items, n_pairs = counted
        if sample is None:
            return Estimate(None, reason, n_items, n_pairs, ci_reason=reason, flags=flags)
        outcome = make_interval(sample, self.request)
        if self.unit == "item" and self._topics_repeat():
            flags = (*flags, Flag.INDEPENDENT_ITEMS_ASSUMED)
        perfect = bounded and outcome.reason is Reason.NO_VARIATION and sample.point == 1.0
        return Estimate(
            value=sample.point,
            n_items=n_items,
            n_pairs=n_pairs,
            ci=outcome.ci,
            ci_reason=outcome.reason,
            se=outcome.se,
            flags=(*flags, *outcome.flags),
            lower_bound=1 - 3 / sample.n_units if perfect else None,
            alternatives=outcome.alternatives,
        )

    def _topics_repeat(self) -> bool:
        return resampling_unit(self.labels, "auto") == "topic"


def resampling_unit(labels: Labels, wanted: str) -> str:
    """ "topic" when any topic has two or more items (they are not independent), unless the user switched.

    Raises ValueError when topics are wanted and the labels carry none.
    """
    if wanted == "item":
        return "item"
    if labels.topics is None:
        if wanted == "topic":
            raise ValueError("these labels have no topics to resample")
        return "item"
    repeated = labels.n_items > 0 and int(np.bincount(labels.topics).max()) >= 2
    return "topic" if wanted == "topic" or repeated else "item"


def _with_p(results: list[Result], comparisons: tuple[Comparison, ...]) -> tuple[Result, ...]:
    """The results in the order of `STATISTICS`, each G-H block carrying the p of its test, as in Table 1."""
    found = {(one.statistic, one.model): one.difference.p for one in comparisons}
    done = []
    for result in sorted(results, key=lambda one: rank(one.statistic)):
        p = found.get((result.statistic, result.model or "")) if result.block == "GH" else None
        is_block = result.scope == "block" and p is not None
        done.append(replace(result, estimate=replace(result.estimate, p=p)) if is_block else result)
    return tuple(done)
