"""Runs measured against a gold, for page, command and API."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from django.template.defaultfilters import pluralize

from accounts.refusals import Refused
from accounts.snapshots import snapshot
from adjudication.evaluation.golds.kind import Grades, LoadedGold
from adjudication.evaluation.golds.registry import read_gold
from adjudication.evaluation.rankings import find_runs, pool_sources, pools_of, rankings_of
from adjudication.evaluation.result import EvaluationResult, SubsetFigures
from adjudication.evaluation.spec import ALL, COMMON, CONDENSED, RELEVANT, ZERO, EvaluationSpec
from adjudication.evaluation.subsets import Subset, attributes_of, subsets_of
from corpus.models import Collection, RetrievalRun
from engines.stats.bootstrap import make_rng
from engines.stats.evaluation import (
    IsCancelled,
    RunScores,
    compare_runs,
    mean_scores,
    score,
    score_random,
)
from engines.stats.measure import Measure
from engines.stats.rankings import Match, match, shuffled
from engines.stats.results import BoolArray, Estimate, FloatArray, IntArray
from engines.stats.run_order import OrderAgreement, at_depths, leave_methods_out, order_agreement

RANDOM = "Random"  # the name of the row of shuffled pools
DEPTHS = (1, 5, 10, 20, 50, 100)
Progress = Callable[[int, int, str], None]


def no_progress(_done: int, _total: int, _step: str) -> None:
    """Progress that nobody watches."""


def evaluate(
    collection: Collection,
    spec: EvaluationSpec,
    *,
    files: Mapping[str, Grades] | None = None,
    progress: Progress = no_progress,
) -> EvaluationResult:
    """Measure the runs. `files` are qrels by the name the gold calls them. Who may see it is for the caller to check.

    Errors: Refused for what is unknown, for a gold that is empty, and where no run ranks any of its topics.
    """
    spec.check()
    measures = spec.parsed()
    runs = find_runs(collection, spec.runs)
    progress(0, 0, "reading the gold")
    with snapshot():  # the gold, the runs and what they are broken down by are of one moment
        found = read_gold(collection, spec.gold, files)
        matches = _match(runs, found, measures, progress)
        problems = {name: why for name, each in matches.items() if (why := _no_overlap(each, found))}
        if len(problems) == len(matches):
            raise Refused(f"Runs cannot be evaluated: {next(iter(problems.values()))} Make a run that ranks for them.")
        zero = spec.empty_topics == ZERO
        scores = {name: _score(each, found, measures, problems.get(name), zero) for name, each in matches.items()}
        if spec.random:
            random = _random_name(scores)
            scores[random] = _score_random(collection, found, measures, spec)
            if len(scores[random].missing) == len(found.gold.topics):
                problems[random] = "no topic has a pool whose order could be shuffled."
        measured = {name: each for name, each in matches.items() if name not in problems}
        subsets = _subsets(collection, found, measured, spec)
        measurable = [run for run in runs if run.name not in problems]
        second = _second(collection, spec, measurable, files, progress) if spec.against else None
        sources = pool_sources(found, collection) if spec.sensitivity else None
    figures = []
    for place, subset in enumerate(subsets, 1):
        step = f"resampling topics, {place:,} of {len(subsets):,}"
        figures.append(_subset_figures(subset, scores, spec, partial(_goes_on, progress, len(runs), step)))
    done = EvaluationResult(
        spec,
        found,
        tuple(measure.name for measure in measures),
        scores,
        tuple(figures),
        (*found.notes, *_notes(found, matches, scores, spec), *_uneven(figures[0].means, problems)),
        problems,
    )
    if second is not None:
        done = replace(done, orders=_orders(done, *second, measures))
    return done if sources is None else _with_sensitivity(done, matches, measures, *sources)


def _second(
    collection: Collection,
    spec: EvaluationSpec,
    runs: Sequence[RetrievalRun],
    files: Mapping[str, Grades] | None,
    progress: Progress,
) -> tuple[LoadedGold, dict[str, Match]]:
    """The second gold, with the runs that have to do with it."""
    found = read_gold(collection, spec.against, files)
    matches = _match(runs, found, spec.parsed(), progress)
    return found, {name: each for name, each in matches.items() if each.length.any()}


def _goes_on(progress: Progress, runs: int, step: str) -> bool:
    """Not cancelled; else `progress` raises what says so."""
    progress(runs, runs, step)
    return False


def _match(
    runs: Sequence[RetrievalRun], found: LoadedGold, measures: Sequence[Measure], progress: Progress
) -> dict[str, Match]:
    matches = {}
    for place, run in enumerate(runs):
        progress(place, len(runs), f"reading {run.name}")
        try:
            matches[run.name] = match(rankings_of(run, found.unit, measures), found.gold)
        except ValueError as error:
            raise Refused(f"The run {run.name} cannot be evaluated: {error}.") from None
    return matches


def _no_overlap(run: Match, found: LoadedGold) -> str:
    """Why a run has nothing to do with the gold, or ""."""
    if run.length.any():
        return ""
    topics = {"query": "topics", "aspect": "aspects", "sub-query": "sub-queries"}[found.unit]
    rest = f"; it ranks {run.foreign:,} other topics" if run.foreign else ""
    return f"the run has no ranking for any of the {len(found.gold.topics):,} {topics} of the gold{rest}."


def _score(
    run: Match, found: LoadedGold, measures: Sequence[Measure], problem: str | None, empty_as_zero: bool
) -> RunScores:
    """The run's scores; none at all for a run that has nothing to do with the gold."""
    scores = score(run, found.gold, measures, empty_as_zero=empty_as_zero)
    return replace(scores, values=np.full(scores.values.shape, np.nan)) if problem else scores


def _random_name(taken: Mapping[str, RunScores]) -> str:
    return RANDOM if RANDOM not in taken else f"{RANDOM} (shuffled pools)"


def _score_random(
    collection: Collection, found: LoadedGold, measures: Sequence[Measure], spec: EvaluationSpec
) -> RunScores:
    """Random orders of the pools; where nothing is pooled, of the documents that the gold has judged."""
    pools = pools_of(collection, found.unit)
    if found.is_judged:
        pools = {topic: list(found.gold.places[at]) for at, topic in enumerate(found.gold.topics)} | pools
    orders = shuffled(pools, found.gold, make_rng(spec.seed))
    return score_random(orders, found.gold, measures, empty_as_zero=spec.empty_topics == ZERO)


def _subsets(
    collection: Collection, found: LoadedGold, matches: Mapping[str, Match], spec: EvaluationSpec
) -> list[Subset]:
    topics = found.gold.topics
    counted = np.arange(len(topics))
    if spec.topics == COMMON:
        counted = np.flatnonzero(np.all([each.length > 0 for each in matches.values()], axis=0))
        if not len(counted):
            raise Refused("No topic of the gold is ranked by every run. Evaluate over all topics instead.")
    if spec.topics == RELEVANT:
        counted = np.flatnonzero(_n_relevant(found))
        if not len(counted):
            raise Refused("No topic of the gold has a relevant document.")
    return subsets_of(attributes_of(collection, found.unit, topics, spec.by) if spec.by else {}, topics, counted)


def _subset_figures(
    subset: Subset, scores: Mapping[str, RunScores], spec: EvaluationSpec, cancelled: IsCancelled
) -> SubsetFigures:
    shared: dict[str, Any] = {"topics": subset.topics, "cancelled": cancelled}
    means = mean_scores(scores, seed=spec.seed, resamples=spec.resamples, interval=spec.interval, **shared)
    runs = {name: each for name, each in scores.items() if name in spec.runs}
    tests = compare_runs(runs, rng=make_rng(spec.seed), baseline=spec.baseline or None, **shared)
    return SubsetFigures(subset.by, subset.topics, means, tests)


def _notes(
    found: LoadedGold, matches: Mapping[str, Match], scores: Mapping[str, RunScores], spec: EvaluationSpec
) -> list[str]:
    """What a reader must know of these figures."""
    notes = _empty_topics(found, spec)
    for name, each in matches.items():
        notes += _run_notes(name, each, scores[name], spec) if each.length.any() else []
    if spec.topics == COMMON:
        notes.append("Only topics that every run ranks are counted.")
    if spec.topics == RELEVANT:
        notes.append("Only topics with a relevant document are counted, whatever the measure.")
    if spec.unjudged == CONDENSED:
        notes.append("Unjudged documents are taken out of every ranking first (condensed lists).")
    return notes


def _n_relevant(found: LoadedGold) -> IntArray:
    """(T,) how many relevant documents each topic has."""
    gold = found.gold
    return np.bincount(gold.topic[gold.level >= gold.relevance], minlength=len(gold.topics))


def _empty_topics(found: LoadedGold, spec: EvaluationSpec) -> list[str]:
    topics = found.gold.topics
    empty = [topics[place] for place in np.flatnonzero(_n_relevant(found) == 0)]
    if not empty:
        return []
    which = ", ".join(empty[:3]) + (" …" if len(empty) > 3 else "")
    some = f"{len(empty):,} of {len(topics):,} topics have no relevant document: {which}."
    if spec.topics == RELEVANT:
        return [some]
    if spec.empty_topics == ZERO:
        return [f"{some} They count as 0, as trec_eval counts them."]
    return [f"{some} Measures that ask for relevant documents are undefined there and leave these topics out."]


def _uneven(means: Mapping[str, Mapping[str, Estimate]], problems: Mapping[str, str]) -> Iterator[str]:
    """Of measures that are means over different topics for different runs, which cannot be compared as they stand."""
    known = {run: each for run, each in means.items() if run not in problems}
    for measure in next(iter(known.values()), {}):
        counts = {run: each[measure].n_items for run, each in known.items() if each[measure].value is not None}
        if len(set(counts.values())) > 1:
            some = ", ".join(f"{run} {n:,}" for run, n in counts.items())
            yield f"{measure} is not defined for the same topics in every run. Topics in each mean: {some}."


def _run_notes(name: str, run: Match, scores: RunScores, spec: EvaluationSpec) -> Iterator[str]:
    missing = int(np.count_nonzero(run.length == 0))
    if missing and spec.topics == ALL:
        topics = "one topic" if missing == 1 else f"{missing:,} topics"
        yield f"{name} ranks nothing for {topics} of the gold; it scores 0 there."
    if not len(run.place):
        yield f"{name} ranks no judged document. Is it a run of another collection?"
    if scores.tied:
        some = ", ".join(f"{measure} in {count:,} topic{pluralize(count)}" for measure, count in scores.tied.items())
        yield f"{name} has equal scores across the cut-off ({some}); ties go by docno, descending."


def _orders(
    done: EvaluationResult, other: LoadedGold, matches: Mapping[str, Match], measures: Sequence[Measure]
) -> tuple[OrderAgreement, ...]:
    """The order of the runs under the second gold against that under the first, on the topics of both that count.

    A run for which a measure cannot be computed is left out there.
    """
    second = {name: score(each, other.gold, measures) for name, each in matches.items()}
    places = {topic: place for place, topic in enumerate(other.gold.topics)}
    topics = done.gold.gold.topics
    common = [(place, places[topics[place]]) for place in done.whole.topics.tolist() if topics[place] in places]
    if not common:
        raise Refused("The two golds have no topic in common, so their orders of the runs cannot be compared.")
    mine, theirs = (list(each) for each in zip(*common, strict=True))

    def known(measure: Measure) -> list[str]:
        broken = (done.scores, second)
        return [name for name in matches if not any(measure.name in each[name].problems for each in broken)]

    return tuple(
        order_agreement(
            {name: done.scores[name].values[mine, at] for name in known(measure)},
            {name: second[name].values[theirs, at] for name in known(measure)},
            measure=measure.name,
            names=(done.spec.gold, done.spec.against),
            seed=done.spec.seed,
            resamples=done.spec.resamples,
        )
        for at, measure in enumerate(measures)
    )


def _with_sensitivity(
    done: EvaluationResult,
    matches: Mapping[str, Match],
    measures: Sequence[Measure],
    alone: Mapping[str, BoolArray],
    depth: FloatArray,
) -> EvaluationResult:
    """Add the scores without the judgments that each method alone contributed, and at lower depths (see pool_sources).

    Runs that were in no pool have nothing that could be left out: they are named.
    """
    known = {name: each for name, each in matches.items() if name not in done.problems}
    depths = [each for each in DEPTHS if np.isfinite(depth).any() and each < depth[np.isfinite(depth)].max()]
    how: dict[str, Any] = {"topics": done.whole.topics, "empty_as_zero": done.spec.empty_topics == ZERO}
    return replace(
        done,
        left_out=tuple(leave_methods_out(known, done.gold.gold, measures, alone, **how)),
        depths=tuple(at_depths(known, done.gold.gold, measures, depth, depths, **how)),
        notes=(*done.notes, *_unpooled(known, alone)),
    )


def _unpooled(runs: Iterable[str], methods: Iterable[str]) -> Iterator[str]:
    """What sensitivity to the pools cannot say."""
    if not (known := set(methods)):
        yield "The origin of the judged documents is not recorded, so how far figures depend on it is unknown."
    elif strangers := [run for run in runs if run not in known]:
        yield f"No pool was made of {', '.join(strangers)}: nothing of the pools is left out for them."
