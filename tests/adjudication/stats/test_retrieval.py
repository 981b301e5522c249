"""Retrieval measures: order of ties, definitions against trec_eval, DORIS-MAE's quirks, evaluation of whole runs."""

import math

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudication.stats import retrieval
from adjudication.stats.bootstrap import make_rng
from adjudication.stats.evaluation import (
    RunScores,
    compare_runs,
    mean_scores,
    score_run,
)
from adjudication.stats.results import Reason
from tests.adjudication.stats.examples import standard_error_of_mean

DOCNOS = [f"D{index:02}" for index in range(12)]


# --- order ------------------------------------------------------------------------------------------------------------


def test_ties_go_by_document_id_descending_in_double_precision() -> None:
    scores = {"a": 1.0, "c": 1.0, "b": 1.0, "z": 0.5, "y": 1.000000001}
    assert retrieval.canonical_ranking(scores) == ["y", "c", "b", "a", "z"]
    with pytest.raises(ValueError, match="'b' is not a number"):
        retrieval.canonical_ranking({"a": 1.0, "b": math.nan})
    assert retrieval.canonical_ranking({}) == []


def test_ties_are_counted_only_where_they_straddle_the_cut() -> None:
    scores = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}
    ranking = retrieval.canonical_ranking(scores)
    assert [retrieval.ties_at(scores, ranking, cut) for cut in (1, 2, 3, 4, 5, 9)] == [0, 3, 3, 0, 0, 0]


# --- definitions ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 6).map(lambda score: score / 2), min_size=1),
)
def test_measures_agree_with_trec_eval(grades: dict[str, int], scores: dict[str, float]) -> None:
    wanted = {"recall.5", "Rprec", "map", "recip_rank", "ndcg_cut.10", "ndcg", "P.5"}
    theirs = pytrec_eval.RelevanceEvaluator({"q": grades}, wanted).evaluate({"q": scores})["q"]
    ranking = retrieval.canonical_ranking(scores)
    names = {
        "recall_5": "r@5",
        "Rprec": "rprec",
        "map": "ap",
        "recip_rank": "rr",
        "ndcg_cut_10": "ndcg@10",
        "ndcg": "ndcg",
        "P_5": "p@5",
    }
    for their_name, name in names.items():
        found = retrieval.measure(name)(ranking, grades, 1)
        if not any(grades.values()):
            assert found is None
        else:
            assert found == pytest.approx(theirs[their_name], abs=1e-9), name


def test_recall_divides_by_all_relevant_and_precision_by_k() -> None:
    assert retrieval.recall(["a"], {"a", "b"}, 5) == 0.5
    assert retrieval.precision(["a"], {"a", "b"}, 5) == 0.2
    assert retrieval.reciprocal_rank(["x", "a"], {"a"}, 1) == 0.0


def test_doris_ndcg_counts_grade_zero_and_needs_judgments() -> None:
    grades = dict(zip(DOCNOS[:10], [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], strict=True))
    best_last = sorted(grades, key=lambda docno: grades[docno])
    assert retrieval.ndcg_exp_share(best_last, grades) == pytest.approx(1 / 8)
    assert retrieval.ndcg_share(best_last, grades) == 0
    with pytest.raises(ValueError, match="'new' is not judged"):
        retrieval.ndcg_exp_share(["new"], grades)
    assert retrieval.ndcg_exp_share(best_last[:9], grades) is None
    huge = {docno: 5000 * grade for docno, grade in grades.items()}
    assert retrieval.ndcg_exp_share(sorted(huge, key=lambda docno: -huge[docno]), huge) == pytest.approx(1.0)


def test_doris_mrr_takes_the_top_grade_and_keeps_the_quirk() -> None:
    assert retrieval.doris_reciprocal_rank(["a", "b", "c"], {"a": 1, "b": 2, "c": 2}) == 0.5
    same = {"a": 1, "b": 1, "c": 1}
    assert retrieval.doris_reciprocal_rank(["c", "b", "a"], same) == 0.5  # the last one judged, c, is dropped
    assert retrieval.doris_reciprocal_rank(["a"], {"a": 1}) == 0.0
    assert retrieval.doris_reciprocal_rank([], {}) is None


@pytest.mark.parametrize("name", ["r", "p", "ap@10", "ndcg@0", "ndcg@x", "err", "ndcg_10pct@3", "r@-1"])
def test_unknown_measures_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="measure"):
        retrieval.measure(name)


# --- whole runs -----------------------------------------------------------------------------------------------------


def made_up(queries: int, seed: int = 0) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(seed)
    qrels = {f"q{q}": {docno: int(rng.integers(0, 3)) for docno in DOCNOS} for q in range(queries)}
    run = {
        query: {docno: float(grade + rng.normal(0, 1.5)) for docno, grade in grades.items()}
        for query, grades in qrels.items()
    }
    return qrels, run


def test_queries_the_run_misses_score_zero_and_are_listed() -> None:
    qrels, run = made_up(4)
    qrels["empty"] = dict.fromkeys(DOCNOS, 0)
    del run["q1"]
    names = ("ap", "ndcg@10", "ndcg_exp_10pct", "doris_mrr@10", "r@5")
    scores = score_run(run, qrels, names)
    assert scores.missing == ("q1", "empty")
    assert scores.values[1] == (0.0, 0.0, 0.0, 0.0, 0.0)
    assert scores.values[4][0] is None
    assert mean_scores(scores, seed=1, resamples=1000)["ap"].n_items == 4
    only = score_run(run, qrels, ("ap",), queries=["q0"])
    assert only.queries == ("q0",)
    with pytest.raises(ValueError, match="without judgments: q9"):
        score_run(run, qrels, ("ap",), queries=["q9"])


def test_thresholds_may_differ_by_query_and_ties_are_warned_about() -> None:
    qrels = {"q": {"a": 3, "b": 2}, "r": {"a": 3, "b": 2}}
    run = {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    scores = score_run(run, qrels, ("r@1", "ap"), threshold={"q": 3, "r": 2})
    assert scores.column("r@1") == [0.0, 0.5]
    assert scores.tied == (1, 0)


def test_the_query_bootstrap_of_a_mean_has_its_closed_form_error() -> None:
    qrels, run = made_up(80, seed=3)
    scores = score_run(run, qrels, ("ap", "ndcg@10"))
    for name, estimate in mean_scores(scores, seed=2, resamples=20_000).items():
        values = [value for value in scores.column(name) if value is not None]
        assert estimate.value == pytest.approx(np.mean(values))
        assert estimate.se == pytest.approx(standard_error_of_mean(values), rel=0.03)
        assert estimate.ci is not None
        assert estimate.ci.method == "percentile"
        reach = 1.96 * standard_error_of_mean(values)
        assert (estimate.ci.low, estimate.ci.high) == pytest.approx(
            (np.mean(values) - reach, np.mean(values) + reach), abs=0.01
        )


def test_few_queries_follow_the_rules_of_topics() -> None:
    qrels, run = made_up(20, seed=4)
    few = mean_scores(score_run(run, qrels, ("ap",)), seed=1, resamples=1000)["ap"]
    assert few.ci is not None
    assert few.ci.method == "jackknife_t"
    fewer = mean_scores(score_run(run, qrels, ("ap",), queries=list(qrels)[:7]), seed=1, resamples=1000)["ap"]
    assert fewer.ci_reason is Reason.TOO_FEW_QUERIES
    none = RunScores(("ap",), ("q",), ((None,),), (), (0,))
    assert mean_scores(none, seed=1)["ap"].reason is Reason.NO_RELEVANT_DOCUMENT


def test_runs_are_compared_on_the_queries_defined_for_both() -> None:
    qrels, good = made_up(40, seed=5)
    qrels["empty"] = dict.fromkeys(DOCNOS, 0)
    rng = np.random.default_rng(6)
    bad = {query: {docno: float(rng.normal()) for docno in DOCNOS} for query in qrels}
    runs = {name: score_run(run, qrels, ("ap", "rr")) for name, run in (("good", good), ("bad", bad), ("twin", good))}
    found = {(one.measure, one.a, one.b): one for one in compare_runs(runs, ("ap", "rr"), rng=make_rng(7))}
    assert len(found) == 6
    worse = found["ap", "good", "bad"]
    assert worse.t_test.n == 40
    assert worse.p is not None
    assert worse.p < 0.001
    assert worse.randomisation.p is not None
    assert worse.randomisation.p < 0.01
    assert worse.t_holm is not None
    assert worse.t_holm >= worse.p
    twin = found["ap", "good", "twin"]
    assert (twin.t_test.reason, twin.t_holm) == (Reason.NO_DIFFERENCE, None)
    assert set(twin.to_json()) >= {"a", "b", "measure", "p"}
    other = score_run(good, qrels, ("ap",), queries=["q0"])
    with pytest.raises(ValueError, match="same queries"):
        compare_runs({"a": runs["good"], "b": other}, ("ap",), rng=make_rng(1))
