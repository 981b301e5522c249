"""Retrieval measures: order of ties, definitions against ir-measures, the papers' own; evaluation of whole runs."""

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.stats.bootstrap import make_rng
from engines.stats.evaluation import RunScores, compare_runs, mean_scores, score, score_random
from engines.stats.measure import Measure
from engines.stats.measures import measure_names, parse_measure, with_condensed
from engines.stats.rankings import RankedList, canonical_ranking, make_gold, match, rank, shuffled
from engines.stats.reasons import Reason
from engines.stats.run_order import at_depths, leave_methods_out, order_agreement, tau_ap, tau_b
from tests.engines.stats.examples import standard_error_of_mean

DOCNOS = [f"D{index:02}" for index in range(12)]
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, float]]


def measures(*names: str) -> list[Measure]:
    return [parse_measure(name) for name in names]


def scored(run: Run, qrels: Qrels, *names: str, relevance: float = 1) -> RunScores:
    gold = make_gold(qrels, relevance=relevance)
    wanted = measures(*names)
    cuts = [measure.rank for measure in wanted if measure.rank]
    return score(match([rank(topic, scores, cuts) for topic, scores in run.items()], gold), gold, wanted)


def one(name: str, ranking: list[str], grades: dict[str, float], *, relevance: float = 1) -> float | None:
    gold = make_gold({"q": grades}, relevance=relevance)
    return score(match([RankedList("q", ranking)], gold), gold, measures(name)).column(parse_measure(name).name)[0]


# --- order ------------------------------------------------------------------------------------------------------------


def test_ties_go_by_document_id_descending_in_double_precision() -> None:
    scores = {"a": 1.0, "c": 1.0, "b": 1.0, "z": 0.5, "y": 1.000000001}
    assert canonical_ranking(scores) == ["y", "c", "b", "a", "z"]
    with pytest.raises(ValueError, match="'b' is not a number"):
        canonical_ranking({"a": 1.0, "b": math.nan})
    assert canonical_ranking({}) == []


def test_ties_are_counted_only_where_they_straddle_the_cut() -> None:
    scores = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}
    assert rank("q", scores, range(1, 10)).tied == [2, 3]
    found = scored({"q": scores}, {"q": {"a": 1}}, "R@2", "R@4", "AP")
    assert found.tied == {"R@2": 1}


def test_a_document_or_a_topic_ranked_twice_is_refused() -> None:
    gold = make_gold({"q": {"a": 1}})
    with pytest.raises(ValueError, match="document a occurs twice in the ranking of topic q"):
        match([RankedList("q", ["a", "b", "a"])], gold)
    with pytest.raises(ValueError, match="topic q is ranked twice"):
        match([RankedList("q", ["a"]), RankedList("q", ["b"])], gold)


# --- definitions ------------------------------------------------------------------------------------------------------

THEIRS = (
    *("P@5", "P(rel=2)@5", "P(judged_only=True)@5", "R@5", "R@20", "R(rel=2)@10", "Rprec", "Rprec(rel=2)"),
    *("AP", "AP@10", "AP(rel=2)", "AP(judged_only=True)", "RR", "nDCG", "nDCG@10", "nDCG(judged_only=True)@10"),
    *("Success@3", "Judged@5", "Judged", "Bpref", "Bpref(rel=2)", "IPrec@0.0", "IPrec@0.1", "IPrec@0.5"),
    *("SetP", "SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)", "SetAP", "NumRet", "RR@10", "RR(rel=2)@3"),
    *("R(judged_only=True)@3", "Rprec(judged_only=True)", "RR(judged_only=True)", "SetP(judged_only=True)"),
)
GRADES = st.dictionaries(st.sampled_from(DOCNOS), st.integers(-2, 3), min_size=1)
SCORES = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 6).map(lambda value: value / 2), min_size=1)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(GRADES, st.none() | SCORES), min_size=1, max_size=4))
def test_measures_are_those_of_ir_measures(topics: list[tuple[dict[str, int], dict[str, float] | None]]) -> None:
    """To 1e-12, with grades below 0 and topics that the run lacks; where nothing is relevant, whether the run has the
    topic or not, ours are undefined and trec_eval's are 0."""
    qrels: Qrels = {f"q{at}": {**grades, "D00": 1} for at, (grades, _) in enumerate(topics)}
    run: Run = {f"q{at}": scores for at, (_, scores) in enumerate(topics) if scores}
    if not run:
        return
    ours = scored(run, qrels, *THEIRS)
    rows = [ir_measures.Qrel(topic, docno, grade) for topic, of in qrels.items() for docno, grade in of.items()]
    ranked = [
        ir_measures.ScoredDoc(topic, docno, -float(place))  # their providers order ties in more than one way
        for topic, scores in run.items()
        for place, docno in enumerate(canonical_ranking(scores))
    ]
    wanted = [ir_measures.parse_measure(name) for name in THEIRS]
    # In one call with measures of judged documents alone, their NumRet sometimes counts only these.
    apart = [[each for each in wanted if ("judged_only" in str(each)) is judged] for judged in (False, True)]
    found_by_them = (each for group in apart for each in ir_measures.iter_calc(group, rows, ranked))
    theirs = {(str(each.measure), each.query_id): each.value for each in found_by_them}
    for name, measure in zip(THEIRS, wanted, strict=True):
        assert parse_measure(name).name == str(measure)
        least = float(dict(parse_measure(name).options).get("rel", 1))
        empty = {topic for topic, grades in qrels.items() if max(grades.values()) < least}
        found = dict(zip(ours.topics, ours.column(name), strict=True))
        assert {topic for topic, value in found.items() if value is None} == empty, name
        assert {topic: value or 0.0 for topic, value in found.items()} == pytest.approx(
            {topic: theirs[name, topic] for topic in ours.topics}, abs=1e-12
        ), name


def test_equal_scores_go_by_trec_evals_order_where_ir_measures_has_two() -> None:
    """Its RR@k and Judged@k come from other packages, which order equal scores otherwise than trec_eval; all else of a
    tied run is as here. And trec_eval as ir-measures has it holds scores in 32 bits."""
    names = ("RR@1", "Judged@1", "P@1", "R@1", "nDCG@1", "Success@1", "AP@1", "AP", "RR", "nDCG", "Rprec", "IPrec@0.5")
    run = {"q": dict.fromkeys("abc", 1.0)}
    other = set()
    for docno in "abc":
        ours = scored(run, {"q": {docno: 1}}, *names)
        theirs = ir_measures.calc_aggregate(
            [ir_measures.parse_measure(name) for name in names],
            [ir_measures.Qrel("q", docno, 1)],
            [ir_measures.ScoredDoc("q", each, 1.0) for each in "abc"],
        )
        known = {str(measure): value for measure, value in theirs.items()}
        other |= {name for name in names if abs((ours.column(name)[0] or 0.0) - known[name]) > 1e-12}
    assert other == {"RR@1", "Judged@1"}
    nearly = {"a": 1.000000001, "b": 1.0}
    assert one("AP", canonical_ranking(nearly), {"a": 1}) == 1.0
    docs = [ir_measures.ScoredDoc("q", docno, score) for docno, score in nearly.items()]
    assert ir_measures.calc_aggregate([ir_measures.AP], [ir_measures.Qrel("q", "a", 1)], docs)[ir_measures.AP] == 0.5


def test_recall_divides_by_all_relevant_and_precision_by_k() -> None:
    assert one("R@5", ["a"], {"a": 1, "b": 1}) == 0.5
    assert one("P@5", ["a"], {"a": 1, "b": 1}) == 0.2
    assert one("RR@1", ["x", "a"], {"a": 1}) == 0.0
    assert one("RBP(p=0.5)", ["a", "x", "b"], {"a": 1, "b": 1}) == pytest.approx(0.5 * (1 + 0.25))
    assert one("nDCG(dcg='exp-log2')", ["b", "a"], {"a": 2, "b": 1}) == pytest.approx(
        (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    )
    assert one("AP", ["a"], {"a": 0}) is None


def test_condensed_lists_pass_over_what_nobody_judged() -> None:
    gold = make_gold({"q": {"a": 1, "b": 0, "c": 1}})
    found = match([RankedList("q", ["x", "b", "y", "c", "a"])], gold)
    assert score(found, gold, measures("P@2")).column("P@2") == [0.0]
    assert score(found, gold, with_condensed(measures("P@2"))).column("P@2") == [0.5]


def test_doris_ndcg_counts_grade_zero_and_needs_judgments() -> None:
    grades: dict[str, float] = dict(zip(DOCNOS[:10], [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], strict=True))
    best_last = sorted(grades, key=lambda docno: grades[docno])
    assert one("nDCG_exp@10%", best_last, grades) == pytest.approx(1 / 8)
    assert one("nDCG_pool@10%", best_last, grades) == 0
    gold = make_gold({"q": grades})
    broken = score(match([RankedList("q", ["new", "D00"])], gold), gold, measures("nDCG_exp@10%", "R@2"))
    assert broken.problems == {
        "nDCG_exp@10%": "topic q has unjudged documents in its ranking; this measure re-ranks a judged pool"
    }
    assert broken.column("R@2") == [1.0]
    assert one("nDCG_exp@10%", best_last[:9], grades) is None
    huge = {docno: 5000 * grade for docno, grade in grades.items()}
    assert one("nDCG_exp@10%", sorted(huge, key=lambda docno: -huge[docno]), huge) == pytest.approx(1.0)


def test_a_ranking_without_what_there_is_to_find_scores_zero() -> None:
    """CSFCube's script knows of ranked documents alone; a ranking that holds no relevant one is not left out."""
    for name in ("CSFCube_R@5", "CSFCube_AP", "CSFCube_nDCG", "CSFCube_F1@5", "CSFCube_Rprec", "nDCG_pool@50%"):
        assert one(name, ["a", "b"], {"a": 0, "b": 0, "c": 1}) == 0.0
        assert one(name, ["a", "b"], {"a": 0, "b": 0}) is None
    assert one("CSFCube_nDCG@10%", ["a"], {"a": 1}) is None, "a cut that lets nothing in"


def test_litsearch_code_discounts_by_rank_and_never_cuts_the_ideal() -> None:
    """`calculate_ndcg(ranking[:k], relevant)` of its repository: sums of 1/rank, over as many as are relevant."""
    relevant = {"a": 1, "b": 1, "c": 1, "x": 0}
    ideal = 1 + 1 / 2 + 1 / 3
    assert one("LitSearch_nDCG@2", ["x", "a", "b"], relevant) == pytest.approx((1 / 2) / ideal)
    assert one("LitSearch_nDCG", ["x", "a", "b"], relevant) == pytest.approx((1 / 2 + 1 / 3) / ideal)
    assert one("LitSearch_nDCG@10", ["x"], {"x": 0}) is None


def test_doris_mrr_takes_the_top_grade_and_keeps_the_quirk() -> None:
    assert one("DORIS_RR@10", ["a", "b", "c"], {"a": 1, "b": 2, "c": 2}) == 0.5
    same = {"a": 1.0, "b": 1.0, "c": 1.0}
    assert one("DORIS_RR@10", ["c", "b", "a"], same) == 0.5  # the last one judged, c, is dropped
    assert one("DORIS_RR@10", ["a"], {"a": 1}) == 0.0


@pytest.mark.parametrize(
    "name",
    [
        *("R", "P", "Rprec@10", "nDCG@0", "nDCG@x", "ERR@20", "nDCG_exp@3", "R@-1", "R@5%", "P(rel=x)@5", "P(foo=1)@5"),
        *("", "R@99999999999", "P(rel=1,rel=2)@5", "SetF(beta=-1)", "SetF(beta=1e308)", "P(rel=nan)@5"),
    ],
)
def test_unknown_measures_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"measure|parameter|cannot take|cannot be cut"):
        parse_measure(name)
    assert "nDCG[@k]" in measure_names()


@pytest.mark.parametrize("name", ["R@1000000", "P(rel=2)@1234567", "IPrec@0.1", "nDCG_exp@10%", "SetF(beta=0.5)"])
def test_the_name_of_a_measure_is_read_again(name: str) -> None:
    assert parse_measure(parse_measure(name).name) == parse_measure(name)
    assert parse_measure(name).name == name


# --- whole runs -------------------------------------------------------------------------------------------------------


def made_up(topics: int, seed: int = 0) -> tuple[Qrels, Run]:
    rng = np.random.default_rng(seed)
    qrels: Qrels = {f"q{q}": {docno: float(rng.integers(0, 3)) for docno in DOCNOS} for q in range(topics)}
    run = {
        topic: {docno: float(grade + rng.normal(0, 1.5)) for docno, grade in grades.items()}
        for topic, grades in qrels.items()
    }
    return qrels, run


def test_topics_the_run_misses_score_zero_and_are_listed() -> None:
    qrels, run = made_up(4)
    qrels["empty"] = dict.fromkeys(DOCNOS, 0.0)
    del run["q1"]
    names = ("AP", "nDCG@10", "nDCG_exp@10%", "DORIS_RR@10", "R@5")
    scores = scored(run, qrels, *names)
    assert scores.missing == ("q1", "empty")
    assert [scores.column(name)[1] for name in names] == [0.0] * 5
    assert scores.column("AP")[4] is None
    assert mean_scores({"run": scores}, seed=1, resamples=1000)["run"]["AP"].n_items == 4
    first = mean_scores({"run": scores}, seed=1, topics=np.array([0]), resamples=1000)["run"]["AP"]
    assert first.value == scores.column("AP")[0]
    assert first.ci_reason is Reason.TOO_FEW_QUERIES


def test_the_level_that_counts_as_relevant() -> None:
    """A measure's own level goes before the gold's; sums over aspects are relevant by their mean."""
    grades = {"a": 3.0, "b": 2.0}
    assert one("R@1", ["a", "b"], grades, relevance=3) == 1.0
    assert one("R@1", ["a", "b"], grades, relevance=2) == 0.5
    assert one("R(rel=3)@1", ["a", "b"], grades, relevance=2) == 1.0
    gold = make_gold({"q": {"a": 3, "b": 2}}, {"q": {"a": 1.5, "b": 0.5}})
    assert score(match([RankedList("q", ["b", "a"])], gold), gold, measures("RR")).column("RR") == [0.5]


def test_the_topic_bootstrap_of_a_mean_has_its_closed_form_error() -> None:
    qrels, run = made_up(80, seed=3)
    scores = scored(run, qrels, "AP", "nDCG@10")
    means = mean_scores({"run": scores}, seed=2, resamples=20_000, interval="percentile")["run"]
    for name, estimate in means.items():
        values = [value for value in scores.column(name) if value is not None]
        assert estimate.value == pytest.approx(np.mean(values))
        assert estimate.se == pytest.approx(standard_error_of_mean(values), rel=0.03)
        assert estimate.ci is not None
        assert estimate.ci.method == "percentile"
        reach = 1.96 * standard_error_of_mean(values)
        assert (estimate.ci.low, estimate.ci.high) == pytest.approx(
            (np.mean(values) - reach, np.mean(values) + reach), abs=0.01
        )


def test_runs_are_compared_on_the_topics_defined_for_both() -> None:
    qrels, good = made_up(40, seed=5)
    qrels["empty"] = dict.fromkeys(DOCNOS, 0.0)
    rng = np.random.default_rng(6)
    bad = {topic: {docno: float(rng.normal()) for docno in DOCNOS} for topic in qrels}
    runs = {name: scored(run, qrels, "AP", "RR") for name, run in (("good", good), ("bad", bad), ("twin", good))}
    found = {(each.measure, each.a, each.b): each for each in compare_runs(runs, rng=make_rng(7))}
    assert len(found) == 6
    worse = found["AP", "good", "bad"]
    assert worse.t_test.n == 40
    assert worse.p is not None
    assert worse.p < 0.001
    assert worse.randomisation.p is not None
    assert worse.randomisation.p < 0.01
    assert worse.t_holm is not None
    assert worse.t_holm >= worse.p
    twin = found["AP", "good", "twin"]
    assert (twin.t_test.reason, twin.t_holm) == (Reason.NO_DIFFERENCE, None)
    only = compare_runs(runs, rng=make_rng(7), baseline="bad")
    assert {(each.a, each.b) for each in only} == {("good", "bad"), ("bad", "twin")}
    with pytest.raises(ValueError, match="same topics"):
        compare_runs({"a": runs["good"], "b": scored(good, {"q0": qrels["q0"]}, "AP", "RR")}, rng=make_rng(1))


def test_random_orders_reach_what_can_be_computed() -> None:
    """P@k of a shuffled pool is the share of relevant documents in it, R@k is k over its size."""
    rng = np.random.default_rng(8)
    qrels: Qrels = {f"q{q}": {docno: float(rng.integers(0, 2)) for docno in DOCNOS[:6]} for q in range(40)}
    for grades in qrels.values():
        grades["D00"] = 1.0
    gold = make_gold(qrels)
    pools = {topic: DOCNOS if at < 20 else DOCNOS[:6] for at, topic in enumerate(qrels)}
    found = score_random(shuffled(pools, gold, make_rng(3)), gold, measures("P@3", "R@3"), shuffles=400)
    for at, topic in enumerate(qrels):
        size = len(pools[topic])
        relevant = sum(qrels[topic].values())
        assert found.values[at, 0] == pytest.approx(relevant / size, abs=0.06)
        assert found.values[at, 1] == pytest.approx(3 / size, abs=0.12)
    half = score_random(shuffled({"q0": DOCNOS}, gold, make_rng(3)), gold, measures("P@3"), shuffles=2)
    assert np.isfinite(half.values[:, 0]).tolist() == [True] + 39 * [False], "nothing to shuffle, so undefined"
    assert found.values[:, 1].mean() == pytest.approx((3 / 12 + 3 / 6) / 2, abs=0.01)


# --- orders of systems ------------------------------------------------------------------------------------------------


def test_taus() -> None:
    same, reverse = np.array([3.0, 2, 1]), np.array([1.0, 2, 3])
    assert tau_b(same, same) == tau_ap(same, same) == 1
    assert tau_b(same, reverse) == tau_ap(same, reverse) == -1
    top, bottom = np.array([3.0, 4, 2, 1]), np.array([4.0, 3, 1, 2])
    truth = np.array([4.0, 3, 2, 1])
    assert tau_b(truth, top) == tau_b(truth, bottom)
    assert (tau_ap(truth, top), tau_ap(truth, bottom)) == (pytest.approx(1 / 3), pytest.approx(7 / 9))
    assert tau_b(truth, np.ones(4)) is None
    assert tau_ap(truth, np.ones(4)) == pytest.approx(0)
    assert tau_ap(truth, np.array([4.0, 2, 2, 1])) == pytest.approx((1 + 2 / 3) / 2)


def test_orders_under_two_golds_have_intervals() -> None:
    rng = np.random.default_rng(9)
    first = {name: rng.normal(level, 1, 30) for name, level in (("a", 0), ("b", 1), ("c", 2))}
    second = {name: values + rng.normal(0, 0.2, 30) for name, values in first.items()}
    found = order_agreement(first, second, measure="AP", names=("people", "machine"), seed=1, resamples=1000)
    assert found.tau_b.value == 1
    assert (found.reference, found.runs, found.tau_ap.n_items) == ("people", ("a", "b", "c"), 30)
    alone = order_agreement({"a": first["a"]}, second, measure="AP", names=("x", "y"), seed=1)
    assert alone.tau_b.reason is Reason.ONE_RUN_ONLY


def test_a_run_without_what_it_alone_brought() -> None:
    gold = make_gold({"q": {"a": 1, "b": 1, "c": 0}})
    runs = {"one": match([RankedList("q", ["a", "c"])], gold), "two": match([RankedList("q", ["c", "b"])], gold)}
    brought = {"one": np.array([True, False, False]), "two": np.zeros(3, dtype=bool)}
    first, second = leave_methods_out(runs, gold, measures("R@1"), brought)
    assert (first.judgments, first.value, first.value_without, first.rank, first.rank_without) == (1, 0.5, 0.0, 1, 1)
    assert first.change == -0.5
    assert (first.run, first.tau_b, first.without) == ("one", None, {"one": 0.0, "two": 0.0}), "one order ties them"
    assert second.change == 0
    (searched,) = leave_methods_out(runs, gold, measures("R@1"), {"bm25": np.array([True, False, False])})
    assert (searched.method, searched.run, searched.change) == ("bm25", "one", -0.5), "of the run that changes most"
    both = make_gold({"q": {"a": 1, "b": 1, "c": 0}, "r": {"d": 1}})
    runs_of_two = {"one": match([RankedList("q", ["a", "c"]), RankedList("r", ["d"])], both)}
    (lost,) = leave_methods_out(runs_of_two, both, measures("R@1"), {"one": np.array([False, False, False, True])})
    assert (lost.value, lost.n_topics, lost.value_without, lost.n_topics_without) == (0.75, 2, 0.5, 1), (
        "r has none left"
    )
    (shallow,) = at_depths(runs, gold, measures("R@1"), np.array([1.0, 2.0, 1.0]), [1])
    assert (shallow.judgments, shallow.values, shallow.tau_b, shallow.n_topics) == (2, (1.0, 0.0), 1.0, (1, 1))


# --- what unjudged documents could change -----------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.permutations(DOCNOS),
    st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 2), min_size=1),
    st.sampled_from(("P@3", "P@10", "RR", "RR@4", "Success@2", "RBP(p=0.5)@6", "RBP")),
)
def test_the_highest_value_is_that_of_a_gold_that_says_relevant_of_all_it_lacks(
    ranking: list[str], grades: dict[str, float], name: str
) -> None:
    grades = {**grades, ranking[0]: 1}
    hopeful = {**dict.fromkeys(ranking, 1.0), **grades}
    gold = make_gold({"q": grades})
    found = score(match([RankedList("q", ranking)], gold), gold, measures(name))
    own = parse_measure(name).name
    assert found.highest[own][0] == pytest.approx(one(name, ranking, hopeful), abs=1e-12)
    assert found.highest[own][0] >= (found.column(own)[0] or 0) - 1e-12
    assert found.highest_mean(own, np.array([0])) == pytest.approx(found.highest[own][0])


def test_measures_without_a_bound_have_none() -> None:
    gold = make_gold({"q": {"a": 1}, "none": {"a": 0}, "absent": {"a": 1}})
    rankings = [RankedList("q", ["x", "a"]), RankedList("none", ["x"])]
    wanted = measures("R@2", "AP", "nDCG@2", "Judged@2", "P@1", "P(judged_only=True)@1")
    found = score(match(rankings, gold), gold, wanted)
    assert list(found.highest) == ["P@1"]
    everywhere = np.arange(3)
    assert (found.column("P@1"), found.highest_mean("P@1", everywhere)) == ([0.0, None, 0.0], 0.5), "q and absent count"
    assert found.highest_mean("AP", everywhere) is None
    assert not score(match(rankings, gold), gold, with_condensed(wanted)).highest
