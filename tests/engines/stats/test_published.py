"""Published and independently computed figures of real label sets: LLMJudge, CSFCube, DORIS-MAE."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.stats.evaluation import mean_scores, score
from engines.stats.figures import pair_figure
from engines.stats.labels import Annotator, Labels, make_labels
from engines.stats.measures import parse_measure, with_condensed
from engines.stats.pairwise import confusion, tabulate
from engines.stats.rankings import RankedList, make_gold, match, rank
from engines.stats.report import Options, measure_agreement
from engines.stats.votes import vote
from tests.adjudication.csfcube import NAMES
from tests.engines.stats.examples import group_figure
from tests.shared import SHARED, shared_path

pytestmark = pytest.mark.shared


# --- LLMJudge: 17 model labelers against one human, published kappa and alpha ----------------------------------------


def read_qrels(path: Path) -> dict[tuple[str, str], int]:
    """Labels above 3 are read as 3, as the published figures do."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {(row[0], row[2]): min(int(row[3]), 3) for row in rows}


def llmjudge(labeler: str) -> tuple[np.ndarray, np.ndarray]:
    folder = shared_path("data", "llmjudge")
    human, machine = read_qrels(folder / "human.qrels"), read_qrels(folder / "labels" / f"{labeler}.qrels")
    assert set(human) == set(machine)
    return np.array(list(human.values())), np.array([machine[key] for key in human])


def published() -> dict[str, list[float]]:
    path = SHARED / "data" / "llmjudge" / "published.json"
    return json.loads(path.read_text(encoding="utf-8"))["values"] if path.exists() else {}


@pytest.mark.parametrize(("labeler", "expected"), list(published().items()))
def test_llmjudge_published_kappa_and_alpha(labeler: str, expected: list[float]) -> None:
    human, machine = llmjudge(labeler)
    found = [
        pair_figure(human, machine, 4, "cohen_kappa").value,
        group_figure(np.column_stack([human, machine]), 4, "alpha_ordinal").value,
        *(
            pair_figure((human >= cut).astype(int), (machine >= cut).astype(int), 2, "cohen_kappa").value
            for cut in (1, 2, 3)
        ),
    ]
    assert found == pytest.approx(expected, abs=0.5001e-4)
    assert found[1] == pytest.approx(pair_figure(human, machine, 4, "alpha_ordinal").value, abs=1e-12)


def test_llmjudge_three_labelers_as_annotators() -> None:
    computed = json.loads(shared_path("data", "llmjudge", "computed.json").read_text(encoding="utf-8"))
    columns = [llmjudge(name)[1] for name in computed["three_labelers"]]
    human = llmjudge(computed["three_labelers"][0])[0]
    labels = make_labels(np.column_stack(columns), (0, 1, 2, 3), computed["three_labelers"])
    found = measure_agreement(labels, Options(seed=1, resamples=1000))
    expected = computed["pairwise_average"]
    assert found.find("macro_f1", "mean").estimate.value == pytest.approx(expected["f1_macro"], abs=1e-6)
    assert found.find("accuracy", "mean").estimate.value == pytest.approx(expected["accuracy"], abs=1e-6)
    assert found.find("spearman", "mean").estimate.value == pytest.approx(expected["spearman_rho"], abs=1e-6)
    assert found.find("fleiss_kappa", "all").estimate.value == pytest.approx(expected["fleiss_kappa"], abs=1e-6)
    assert found.find("alpha_ordinal", "all").estimate.value == pytest.approx(expected["alpha_ordinal"], abs=1e-6)

    votes = vote(labels.positions, 4)
    counts, majority = votes.counts(), computed["majority"]
    assert (counts["unanimous"], counts["majority"], counts["unresolved"]) == (
        majority["unanimous"],
        majority["two_of_three"],
        majority["all_differ"],
    )
    assert Counter(votes.labels[votes.labels >= 0].tolist()) == {
        int(level): n for level, n in majority["majority_histogram"].items()
    }
    kappa = pair_figure(votes.labels, human, 4, "cohen_kappa")
    assert kappa.value == pytest.approx(majority["kappa_majority_vs_human_where_majority"], abs=1e-6)
    median = vote(labels.positions, 4, policy="median").labels
    assert pair_figure(median, human, 4, "cohen_kappa").value == pytest.approx(
        majority["kappa_median_vs_human_all"], abs=1e-6
    )


def test_llmjudge_bootstrap_interval() -> None:
    expected = json.loads(shared_path("data", "llmjudge", "computed.json").read_text(encoding="utf-8"))["bootstrap"]
    labels = make_labels(np.column_stack(llmjudge(expected["labeler"])), (0, 1, 2, 3), ["human", "machine"])
    found = measure_agreement(labels, Options(2, ("cohen_kappa",), resamples=2000, interval="percentile"))
    estimate = found.find("cohen_kappa", "pair").estimate
    assert estimate.ci is not None
    assert estimate.ci.method == "percentile"
    assert (estimate.ci.low, estimate.ci.high) == pytest.approx(expected["percentile_95"], abs=expected["tolerance"])
    assert estimate.se == pytest.approx(expected["std"], rel=0.1)


# --- CSFCube: four annotators, two for each pair, adjudicated -----------------------------------------------------


def csfcube() -> list[dict[str, str]]:
    with shared_path("data", "csfcube", "ratings.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def four_columns(rows: list[dict[str, str]]) -> np.ndarray:
    names = ("ann1", "ann2", "ann3", "ann4")
    return np.array([[int(row[name]) if row[name] else -1 for name in names] for row in rows])


def two_columns(rows: list[dict[str, str]]) -> np.ndarray:
    """Lower- and higher-numbered annotator of each pair; -1 where one did not rate."""
    names = ("ann1", "ann2", "ann3", "ann4")
    return np.array([[int(row[name]) for name in names if row[name]] for row in rows])


def figures(rows: list[dict[str, str]]) -> dict[str, Any]:
    pairs, matrix = two_columns(rows), four_columns(rows)
    table = confusion(tabulate(pairs[:, 0], pairs[:, 1], 4))
    within_one = sum(table.counts[i][j] for i in range(4) for j in range(4) if abs(i - j) <= 1) / table.n_items
    found: dict[str, Any] = {"pairs": len(rows), "both_rated": table.n_items, "within_one": within_one}
    for key, statistic in (
        ("exact_agreement", "accuracy"),
        ("spearman_rho", "spearman"),
        ("macro_f1", "macro_f1"),
        ("cohen_kappa", "cohen_kappa"),
        ("kappa_linear", "cohen_kappa_linear"),
        ("kappa_quadratic", "cohen_kappa_quadratic"),
    ):
        found[key] = pair_figure(pairs[:, 0], pairs[:, 1], 4, statistic).value
    for metric in ("nominal", "ordinal", "interval"):
        found[f"alpha_{metric}"] = group_figure(matrix, 4, f"alpha_{metric}").value
    return {key: round(value, 6) for key, value in found.items()}


def expected_csfcube(part: str) -> dict[str, Any]:
    path = shared_path("data", "csfcube", "expected_agreement.json")
    return json.loads(path.read_text(encoding="utf-8"))[part]


def test_csfcube_agreement_by_facet() -> None:
    rows = csfcube()
    expected = expected_csfcube("agreement")
    found = {facet: figures([row for row in rows if facet in ("all", row["facet"])]) for facet in expected}
    assert found == expected


def test_csfcube_agreement_by_annotator_pair() -> None:
    rows = csfcube()
    expected = expected_csfcube("annotator_pairs")
    found = {}
    for couple in expected:
        first, second = couple.split("+")
        found[couple] = figures([row for row in rows if row[first] and row[second]])
    assert found == expected


def test_csfcube_adjudication_is_what_its_readme_says_and_no_majority() -> None:
    rows, expected = (
        csfcube(),
        json.loads(shared_path("data", "csfcube", "expected_agreement.json").read_text(encoding="utf-8"))[
            "adjudication"
        ],
    )
    pairs, verdict = two_columns(rows), np.array([int(row["adjudicated"]) for row in rows])
    both = (pairs >= 0).all(axis=1)
    low, high, settled = pairs[both].min(axis=1), pairs[both].max(axis=1), verdict[both]
    apart = low != high
    found = {
        "agreeing": int((~apart).sum()),
        "agreeing_and_adjudicated_equal": int((~apart & (settled == low)).sum()),
        "disagreeing": int(apart.sum()),
        "adjudicated_to_higher": int((apart & (settled == high)).sum()),
        "adjudicated_to_lower": int((apart & (settled == low)).sum()),
        "adjudicated_between": int((apart & (settled > low) & (settled < high)).sum()),
        "adjudicated_outside": int(((settled < low) | (settled > high)).sum()),
        "one_rating_missing": int((~both).sum()),
        "adjudicated_histogram": {str(level): int((verdict == level).sum()) for level in range(4)},
    }
    assert found == expected
    # Our vote: both agree and the item is unanimous, as adjudicated; they differ and it stays open under every weight.
    votes = vote(pairs, 4)
    assert votes.counts()["unanimous"] == expected["agreeing_and_adjudicated_equal"]
    assert votes.counts()["unresolved"] == expected["disagreeing"] + expected["one_rating_missing"]
    assert (votes.labels[votes.labels >= 0] == verdict[votes.labels >= 0]).all()
    for policy, same in (("highest", "adjudicated_to_higher"), ("lowest", "adjudicated_to_lower")):
        chosen = vote(pairs, 4, policy=policy).labels[both]
        assert int((chosen[apart] == settled[apart]).sum()) == expected[same]
        table = confusion(tabulate(chosen, settled, 4))
        assert sum(table.counts[level][level] for level in range(4)) == expected["agreeing"] + expected[same]


def csfcube_labels() -> Labels:
    rows = csfcube()
    return make_labels(
        four_columns(rows),
        (0, 1, 2, 3),
        ["ann1", "ann2", "ann3", "ann4"],
        topics=[f"{row['query_pid']}_{row['facet']}" for row in rows],
        adjudicated=np.array([int(row["adjudicated"]) for row in rows]),
    )


def test_csfcube_report_gives_the_same_figures_per_pair_with_topic_intervals() -> None:
    found = measure_agreement(csfcube_labels(), Options(seed=3, resamples=1000))
    assert (found.unit, found.n_topics) == ("topic", 24)
    names = {"exact_agreement": "accuracy", "spearman_rho": "spearman", "kappa_quadratic": "cohen_kappa_quadratic"}
    for couple, expected in expected_csfcube("annotator_pairs").items():
        for key, statistic in {**names, "alpha_ordinal": "alpha_ordinal"}.items():
            block = "HH"
            result = found.find(statistic, "pair", block, annotators=tuple(couple.split("+")))
            assert result.estimate.value == pytest.approx(expected[key], abs=1e-6)
            assert result.estimate.n_items == expected["both_rated"]
    joint = found.find("alpha_ordinal", "all").estimate
    assert joint.value == pytest.approx(expected_csfcube("agreement")["all"]["alpha_ordinal"], abs=1e-6)
    assert joint.n_items == 2538
    assert joint.ci is not None
    assert (joint.ci.method, joint.ci.unit) == ("jackknife_t", "topic")
    mean = found.find("accuracy", "mean")
    assert {pair.annotators for pair in mean.excluded_pairs} == {("ann1", "ann3"), ("ann1", "ann4")}


def test_csfcube_topic_intervals_are_wider_than_item_intervals() -> None:
    labels = csfcube_labels()
    wanted = ("accuracy", "spearman", "alpha_ordinal", "gwet_ac1")
    widths = {}
    for unit in ("item", "topic"):
        found = measure_agreement(labels, Options(4, wanted, resamples=2000, unit=unit, interval="percentile"))
        for name in wanted:
            result = found.find(name, "all" if name in ("alpha_ordinal", "gwet_ac1") else "mean")
            assert result.estimate.ci is not None
            widths[name, unit] = result.estimate.ci.high - result.estimate.ci.low
    assert all(widths[name, "topic"] > 1.3 * widths[name, "item"] for name in wanted)


# --- DORIS-MAE: 17 rankings cut to the judged abstracts, the authors' own metric code --------------------------------


def doris_mae() -> tuple[dict[str, Any], dict[str, dict[str, int]], dict[str, float]]:
    folder = shared_path("data", "doris-mae")
    expected = json.loads((folder / "judged" / "expected_metrics.json").read_text(encoding="utf-8"))
    grades: dict[str, dict[str, int]] = {}
    aspects: dict[str, float] = {}
    with (folder / "judged" / "relevance.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["sum"])
            aspects[row["query-id"]] = int(row["items"])
    return expected, grades, aspects


def test_doris_mae_metrics_of_all_rankings() -> None:
    expected, grades, aspects = doris_mae()
    rankings = json.loads(shared_path("data", "doris-mae", "rankings_v0.json").read_text(encoding="utf-8"))
    names = {
        "recall@5": "R@5",
        "recall@20": "R@20",
        "r_precision": "Rprec",
        "ndcg@0.1": "nDCG_pool@10%",
        "ndcg_exp@0.1": "nDCG_exp@10%",
        "mrr@10": "DORIS_RR@10",
        "map": "AP",
    }
    measures = with_condensed([parse_measure(name) for name in names.values()])
    assert sum(len(of_query) for of_query in grades.values()) == expected["pairs"]
    levels = {query: {docno: grade / aspects[query] for docno, grade in of.items()} for query, of in grades.items()}
    gold = make_gold(grades, levels)
    for model, figures_of_model in expected["metrics"].items():
        run = [RankedList(query, [str(docno) for docno in rankings[model][int(query)]]) for query in grades]
        scores = score(match(run, gold), gold, measures)
        means = mean_scores({model: scores}, seed=1, resamples=1000)[model]
        found = {name: round(100 * (means[own].value or 0), 6) for name, own in names.items()}
        assert found == pytest.approx(figures_of_model, abs=1e-6)
        without = {query for query, value in zip(scores.topics, scores.column("AP"), strict=True) if value is None}
        assert without == {str(query) for query in expected["queries_without_relevant"]}
        assert means["AP"].n_items == 17
        assert means["nDCG_pool@10%"].n_items == 20


# --- CSFCube: SPECTER by the project's own script and by trec_eval ----------------------------------------------------


def test_csfcube_by_its_own_script_and_by_trec_eval() -> None:
    folder = shared_path("data", "csfcube")
    expected = json.loads((folder / "expected_eval.json").read_text(encoding="utf-8"))
    grades: dict[str, dict[str, float]] = {}
    facets: dict[str, str] = {}
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            query = f"{row['query_pid']}_{row['facet']}"
            grades.setdefault(query, {})[row["candidate_pid"]] = int(row["adjudicated"])
            facets[query] = row["facet"]
    run: dict[str, dict[str, float]] = {}
    for line in (folder / "specter.run").read_text(encoding="utf-8").splitlines():
        query, _, docno, _, value, _ = line.split()
        run.setdefault(query, {})[docno] = float(value)
    gold = make_gold(grades, relevance=2)
    rankings = [rank(query, of_query) for query, of_query in run.items()]
    for script, names in NAMES.items():
        measures = [parse_measure(name) for name in names.values()]
        scores = score(match(rankings, gold), gold, measures)
        for facet, figures in expected[script].items():
            topics = np.array([at for at, query in enumerate(gold.topics) if facet in ("all", facets[query])])
            means = mean_scores({"specter": scores}, seed=1, topics=topics, resamples=1000)["specter"]
            found = {name: means[own].value for name, own in names.items()}
            assert found == pytest.approx({name: figures[name] for name in names}, abs=1e-6), (script, facet)


def test_annotators_given_as_objects_or_names_are_the_same() -> None:
    matrix = np.array([[0, 1], [1, 1]])
    assert make_labels(matrix, (0, 1), ["a", "b"]).annotators == (Annotator("a"), Annotator("b"))
