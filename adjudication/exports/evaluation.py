"""Runs measured against the values an export would write: per query, then means with intervals and tests."""

from collections.abc import Sequence
from typing import Any

from accounts.refusals import Refused
from adjudication.exporting import statements
from adjudication.exporting.exporter import Options
from adjudication.exporting.findings import find
from adjudication.exporting.streams import rows
from adjudication.stats.bootstrap import make_rng
from adjudication.stats.evaluation import RunScores, compare_runs, mean_scores, score_run
from annotation.campaigns.rules.seals import check_not_sealed
from corpus.models import Collection, RetrievalRun

MEASURES = ("r@5", "r@20", "rprec", "ap", "rr@10", "ndcg@10")


def evaluate_runs(
    options: Options,
    names: Sequence[str],
    *,
    measures: Sequence[str] = MEASURES,
    resamples: int = 10_000,
    seed: int = 1,
) -> dict[str, Any]:
    """Means of each run over all judged queries, with intervals over queries, and every pair of runs tested.

    `options` are those of query-level qrels. A document is relevant when the mean over its topic's aspects is 1 or
    more; nDCG gains are the sums. Queries a run lacks score 0 and are listed. Refused like the export itself; what the
    export only warns of is in `notes`. A measure that cannot be computed for a run has no value there, and `problem`
    says why. Errors: NotAllowed for a sealed test set.
    """
    if options.campaign is not None:
        check_not_sealed(options.campaign)
    findings = find(options)
    if fatal := [finding.text for finding in findings if finding.is_fatal]:
        raise Refused("Runs cannot be evaluated. " + " ".join(fatal))
    qrels, thresholds = _gold(options)
    try:
        scores = {
            name: score_run(run, qrels, measures, threshold=thresholds)
            for name, run in _runs(options.collection, names).items()
        }
    except ValueError as error:
        raise Refused(f"Runs cannot be evaluated: {error}.") from None
    about = {"aspects": options["aspects"], "notes": [finding.text for finding in findings]}
    return {**_as_json(scores, measures, resamples, seed), **about}


def _gold(options: Options) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """({topic: {docno: sum}}, {topic: {docno: number of aspects in the sum, from which on it is relevant}})."""
    qrels: dict[str, dict[str, int]] = {}
    thresholds: dict[str, dict[str, int]] = {}
    for number, docno, total, judged, _ in rows(statements.QUERY_SUMS, options, bare=False):
        qrels.setdefault(number, {})[docno] = total
        thresholds.setdefault(number, {})[docno] = judged
    if not qrels:
        raise Refused("No document is judged on every aspect of its topic, so there is nothing to evaluate against.")
    return qrels, thresholds


def _runs(collection: Collection, names: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """{run: {topic: {docno: score}}} of the runs of these names, in this order."""
    found = {run.name: run for run in RetrievalRun.objects.filter(collection=collection, name__in=names)}
    if missing := [name for name in names if name not in found]:
        known = ", ".join(RetrievalRun.objects.filter(collection=collection).values_list("name", flat=True))
        raise Refused(f"{collection.slug} has no run {missing[0]!r}. " + (f"It has: {known}." if known else ""))
    return {
        name: {
            number: dict(zip(docnos, scores, strict=True))
            for number, docnos, scores in found[name].rankings.values_list("topic__number", "docnos", "scores")
        }
        for name in names
    }


def _as_json(scores: dict[str, RunScores], measures: Sequence[str], resamples: int, seed: int) -> dict[str, Any]:
    means = {name: mean_scores(found, seed=seed, resamples=resamples) for name, found in scores.items()}
    tests = compare_runs(scores, measures, rng=make_rng(seed))
    return {
        "runs": {
            name: {
                measure: _mean(estimate.to_json()) | _problem(scores[name], measure)
                for measure, estimate in found.items()
            }
            for name, found in means.items()
        },
        "tests": [
            {
                "a": test.a,
                "b": test.b,
                "measure": test.measure,
                "p": test.p,
                "p_holm": test.t_holm,
                "p_randomisation": test.randomisation.p,
                "difference": test.t_test.difference,
                "reason": test.t_test.reason,
            }
            for test in tests
        ],
        "missing": {name: list(found.missing) for name, found in scores.items() if found.missing},
        "tied": {name: dict(zip(found.measures, found.tied, strict=True)) for name, found in scores.items()},
        "queries": len(next(iter(scores.values())).queries),
        "seed": seed,
        "resamples": resamples,
    }


def _problem(scores: RunScores, measure: str) -> dict[str, str]:
    return {"problem": scores.problems[measure]} if measure in scores.problems else {}


def _mean(estimate: dict[str, Any]) -> dict[str, Any]:
    ci = estimate["ci"] or {}
    return {
        "value": estimate["value"],
        "low": ci.get("low"),
        "high": ci.get("high"),
        "reason": estimate["reason"],
        "ci_reason": estimate["ci_reason"],
        "method": ci.get("method"),
        "n_queries": estimate["n_items"],
    }
