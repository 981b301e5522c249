"""Table 1 of DORIS-MAE (Wang et al. 2023): a machine's agreement with people next to that of people among themselves.

The figures are computed from the labels as they are now, by the paper's method: a percentile bootstrap of single items.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from accounts.counting import counted
from accounts.refusals import Refused
from accounts.snapshots import snapshot
from adjudication.agreement.results import p_text
from adjudication.evaluation.golds.registry import campaigns_of_gold, parse_selector
from adjudication.evaluation.presets.preset import ASPECTS, Preset, PresetPart
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import NONE, ScoreCell, ScoreColumn, ScoreRow, ScoreTable
from adjudication.exporting.exporter import find_criterion
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.inputs import labels_of, read_inputs
from annotation.models import Campaign, Criterion
from corpus.models import Collection
from engines.stats.comparison import Comparison
from engines.stats.labels import Kind, Labels
from engines.stats.reasons import Flag, words_of
from engines.stats.report import Agreement, Options, measure_agreement
from engines.stats.results import Estimate
from engines.stats.statistics import statistics_for

ROWS = {"macro_f1": "F1-score (macro)", "accuracy": "Accuracy", "spearman": "Spearman's ρ"}
COLUMNS = (
    *map(ScoreColumn, ("G&A", "avg. H&H", "avg. G&H")),
    *(ScoreColumn(name, is_interval=True) for name in ("H&H CI", "G&H CI")),
    ScoreColumn("p-value"),
)


class DorisTable1(Preset):
    name = "doris-1"
    label = "DORIS-MAE Table 1: agreement of a machine with people"
    about = "Macro F1, accuracy and ρ of people with people and with a machine; the gold names the campaign. No runs."
    needs = ASPECTS
    parts: ClassVar = (PresetPart("campaign"),)
    measures_runs = False
    interval = "percentile"

    def inputs(self, collection: Collection, specs: Sequence[EvaluationSpec]) -> object:
        campaign, criterion = _asked(collection, specs[0])
        inputs = read_inputs(campaign)
        late = fetch_vote_standing(campaign).newer
        return [criterion.key, inputs.digest, inputs.verdicts_digest, late or ""]

    def table(
        self,
        collection: Collection,
        specs: Sequence[EvaluationSpec],
        done: Sequence[EvaluationResult],  # noqa: ARG002
    ) -> ScoreTable:
        (spec,) = specs
        campaign, criterion = _asked(collection, spec)
        with snapshot():
            _, labels = labels_of(criterion, read_inputs(campaign))
            late = fetch_vote_standing(campaign)
        if not labels.models() or not labels.columns_of(Kind.HUMAN):
            raise Refused(f"{campaign} has no labels of both people and a machine on {criterion.label}.")
        found = measure_agreement(labels, _options(spec, criterion))
        stale = f"{late.since} came after the votes were counted: count again" if late.is_stale else ""
        models = list(labels.models())
        rows = [_row(found, name, model, stale, len(models) > 1) for model in models for name in ROWS]
        notes = tuple(dict.fromkeys(_notes(found, labels)))
        return ScoreTable("Metrics", COLUMNS, tuple(rows), _caption(campaign, criterion, labels, spec), notes)


def _asked(collection: Collection, spec: EvaluationSpec) -> tuple[Campaign, Criterion]:
    selector = parse_selector(spec.gold)
    if selector.kind != "campaign":
        raise Refused("This table is about the labels of a campaign: choose campaign:NAME as gold.")
    (campaign,) = campaigns_of_gold(collection, spec.gold)
    return campaign, find_criterion(campaign, dict(selector.options).get("criterion", ""))


def _options(spec: EvaluationSpec, criterion: Criterion) -> Options:
    known = set(statistics_for(criterion.scale))
    statistics = tuple(name for name in ROWS if name in known)
    return Options(
        seed=spec.seed,
        statistics=statistics,
        resamples=spec.resamples,
        interval=spec.interval,
        unit="item",
        family=statistics,
        pairs=False,
    )


def _row(found: Agreement, name: str, model: str, stale: str, several: bool) -> ScoreRow:
    """The figures of one statistic, of one machine."""
    people = _estimate(found, name, "HH")
    crossed = _estimate(found, name, "GH", model)
    verdict = (
        ScoreCell(NONE, why=stale) if stale else _cell(_estimate(found, name, "GA", model), "no verdict has a value")
    )
    label = f"{ROWS[name]}, {model}" if several else ROWS[name]
    cells = (verdict, _cell(people), _cell(crossed), _interval(people), _interval(crossed), _p(found, name, model))
    return ScoreRow(label, cells)


def _estimate(found: Agreement, name: str, block: str, model: str | None = None) -> Estimate | None:
    try:
        return found.find(name, "block", block, **({"model": model} if model else {})).estimate
    except KeyError:
        return None


def _cell(estimate: Estimate | None, why: str = "the criterion has no such statistic") -> ScoreCell:
    """In percent, as the paper has it."""
    if estimate is None or estimate.value is None:
        return ScoreCell(NONE, why=why if estimate is None else words_of(estimate.reason))
    return ScoreCell(f"{100 * estimate.value:.2f}", estimate.value, scale=100)


def _interval(estimate: Estimate | None) -> ScoreCell:
    if estimate is None or estimate.ci is None:
        reason = "" if estimate is None else str(estimate.ci_reason)
        return ScoreCell(NONE, why=words_of(reason) or "the criterion has no such statistic")
    cell = ScoreCell(NONE, low=estimate.ci.low, high=estimate.ci.high, scale=100)
    return ScoreCell(cell.interval, low=cell.low, high=cell.high, scale=100)


def _p(found: Agreement, name: str, model: str) -> ScoreCell:
    tests = [each for each in found.comparisons if (each.statistic, each.model) == (name, model)]
    p = tests[0].difference.p if tests else None
    if p is None:
        reason = str(tests[0].difference.ci_reason or tests[0].difference.reason) if tests else ""
        return ScoreCell(NONE, why=words_of(reason) or "people and machine cannot be compared on it")
    return ScoreCell(f"{p:.2f}" if p >= 0.01 else p_text(p), p, places=2 if p >= 0.01 else 4)


# --- what a reader must know ------------------------------------------------------------------------------------------


def _caption(campaign: Campaign, criterion: Criterion, labels: Labels, spec: EvaluationSpec) -> str:
    runs = [f"{model} ({counted(len(columns), 'run')})" for model, columns in labels.models().items()]
    people = counted(len(labels.columns_of(Kind.HUMAN)), "person", "people")
    way = "jackknife" if spec.interval == "jackknife_t" else f"{spec.interval} bootstrap, {spec.resamples:,} resamples"
    return (
        f"Agreement on {criterion.label} in {campaign}, in percent, over {labels.n_items:,} items. H is human "
        f"({people}), G is {', '.join(runs)}, A is the verdict, CI is the 95% confidence interval ({way} of single "
        "items). The p-value is of the hypothesis that avg. H&H and avg. G&H do not differ; a high one is no evidence "
        "that they are equal."
    )


def _notes(found: Agreement, labels: Labels) -> Iterator[str]:
    for each in found.comparisons:
        yield from _of_difference(each)
    if labels.topics is not None and len(set(labels.topics.tolist())) < labels.n_items:
        yield (
            "Topics have several items, which are not independent: intervals over topics, as the page Agreement has "
            "them, are usually wider, and p there is over topics too, next to it that by Holm."
        )
    yield "Accuracy is the share of pairs with equal values, which the page Agreement calls agreement; ρ is in percent."
    flags = {flag for each in found.results if each.block == "GA" for flag in each.estimate.flags}
    if Flag.LEAVE_ONE_OUT in flags:
        yield "The machine voted on the verdicts: G&A compares each run with the vote of the other voters."
    if Flag.PART_WHOLE in flags:
        yield "The machine alone voted on the verdicts: G&A compares it with itself."
    pairs = {pair.annotators for each in found.results if each.block != "GG" for pair in each.excluded_pairs}
    if pairs:
        names = "; ".join(" and ".join(pair) for pair in sorted(pairs))
        yield f"Left out of means, as they share fewer than 10 items or have no value: {names}."


def _of_difference(test: Comparison) -> Iterator[str]:
    if test.n_excluded:
        yield (
            f"p over the items that at least two people and every run of {test.model} have judged: "
            f"{test.n_excluded:,} others are left out."
        )
    gap, ci = test.difference.value, test.difference.ci
    if gap is not None and ci is not None:
        ends = f"{100 * ci.low:.2f} to {100 * ci.high:.2f}"
        found = f"{100 * gap:.2f}, 95% interval {ends}".replace("-", "−")
        yield f"{ROWS[test.statistic]}: avg. H&H − avg. G&H ({test.model}) = {found}."
