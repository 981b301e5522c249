"""Agreement as a job: the figures are those of the labels, stored whole, taken up again, reported honestly."""

import json
import math

import numpy as np
import pytest

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import NotAllowed, Refused
from adjudication.agreement.matrix import topic_tiles
from adjudication.agreement.requests import campaign_seed, request_agreement
from adjudication.agreement.results import as_json, show
from adjudication.agreement.standing import fetch_standing
from adjudication.models import AgreementResult, AgreementRun, Verdict
from adjudication.verdicts.judgments import ItemSelection, find_judged
from annotation.models import Scale
from engines.stats.statistics import STATISTICS, statistics_for
from tests.adjudication.agreement.agreeing import noisy_labels
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


DESIGN = {  # at least these
    *("accuracy", "macro_f1", "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "spearman"),
    *("kendall_tau_b", "fleiss_kappa", "alpha_nominal", "alpha_ordinal", "alpha_interval", "gwet_ac1", "gwet_ac2"),
}
NOMINAL = {"accuracy", "macro_f1", "cohen_kappa", "fleiss_kappa", "alpha_nominal", "gwet_ac1"}  # need no order
KEYS = {"criterion", "statistic", "scope", "annotators", "block", "value", "reason", "n_items", "n_pairs", "ci"}
INTERVAL_KEYS = {"low", "high", "level", "method", "unit", "resamples", "seed", "n_undefined"}


def agree(built: Built, **options: object) -> AgreementRun:
    options = {"resamples": 1000, **options}
    run = request_agreement(campaign=built.campaign, by=None, at=AT, send=False, **options)  # type: ignore[arg-type]
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


@pytest.mark.slow
def test_figures_are_those_of_the_labels() -> None:
    from sklearn.metrics import cohen_kappa_score, f1_score  # slow to import

    labels = noisy_labels(60, 3)
    built = build_campaign(labels)
    run = agree(built)
    ana, ben = ([row[column] for row in labels] for column in (0, 1))
    pair = run.results.filter(scope="pair", annotators=["ana", "ben"])
    assert pair.get(statistic="cohen_kappa").value == pytest.approx(cohen_kappa_score(ana, ben))
    assert pair.get(statistic="macro_f1").value == pytest.approx(f1_score(ana, ben, average="macro"))
    mean = run.results.get(scope="mean", statistic="accuracy").value
    shares = [np.mean(np.array(labels)[:, a] == np.array(labels)[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert mean == pytest.approx(np.mean(shares))


def test_json_has_the_shape_of_the_design() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=60, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built)
    result = as_json(agree(built))
    json.dumps(result, allow_nan=False)
    statistics = result["statistics"]
    assert DESIGN <= {one["statistic"] for one in statistics} == set(STATISTICS)
    assert {one["scope"] for one in statistics} == {"pair", "mean", "all", "block"}
    assert {one["block"] for one in statistics} == {None, "HH", "GH", "GG", "GA", "HA"}
    assert sum(one["ci"] is not None for one in statistics) > 100
    for one in statistics:
        assert KEYS | {"ci_reason", "p"} <= set(one)
        assert (one["value"] is None) == (one["reason"] is not None)
        assert (one["ci"] is None) == (one["ci_reason"] is not None)
        if one["ci"]:
            assert set(one["ci"]) == INTERVAL_KEYS
            assert one["ci"]["low"] <= one["ci"]["high"]
            assert all(math.isfinite(one["ci"][edge]) for edge in ("low", "high"))
    assert {one["statistic"] for one in result["comparisons"]} >= {"accuracy", "macro_f1", "spearman"}


@pytest.mark.slow
def test_same_seed_same_figures_and_another_seed_others() -> None:
    built = build_campaign(noisy_labels(120, 3), topics=120)
    first, again, other = agree(built), agree(built), agree(built, seed=99)

    def figures(run: AgreementRun) -> list[tuple[object, ...]]:
        rows = run.results.order_by("pk").values_list("statistic", "scope", "annotators", "value", "ci")
        return [
            (a, b, tuple(c), d, json.dumps({k: v for k, v in (e or {}).items() if k != "seed"}))
            for a, b, c, d, e in rows
        ]

    assert first.seed == campaign_seed(built.campaign, "agreement")
    assert figures(first) == figures(again)
    assert [row[:4] for row in figures(first)] == [row[:4] for row in figures(other)]
    assert figures(first) != figures(other)


@pytest.mark.slow
def test_topics_are_the_unit_when_they_have_several_items() -> None:
    built = build_campaign(noisy_labels(120, 2), people=("ana", "ben"), topics=12)
    by_topic = agree(built).results.get(scope="pair", statistic="accuracy")
    assert (by_topic.ci["unit"], by_topic.ci["method"]) == ("topic", "jackknife_t")
    by_item = agree(built, cluster="item", interval="percentile").results.get(scope="pair", statistic="accuracy")
    assert (by_item.ci["unit"], by_item.ci["method"], by_item.ci["resamples"]) == ("item", "percentile", 1000)
    assert "independent_items_assumed" in by_item.extra["flags"]


def test_undefined_says_why() -> None:
    built = build_campaign([[1, 1, None], [1, 1, None], [1, None, 2]])
    run = agree(built)
    reasons = dict(run.results.filter(scope="pair", annotators=["ana", "ben"]).values_list("statistic", "reason"))
    assert reasons["accuracy"] == ""
    assert reasons["cohen_kappa"] == "one_class_only"
    assert reasons["spearman"] == "constant_annotator"
    nobody = run.results.filter(scope="pair", annotators=["ben", "cai"], statistic="accuracy").get()
    assert (nobody.value, nobody.reason) == (None, "no_overlap")
    assert not AgreementResult.objects.filter(value=float("nan")).exists()


def test_perfect_agreement_has_a_bound_instead_of_an_interval() -> None:
    run = agree(build_campaign([[0, 0], [1, 1], [2, 2]] * 10, people=("ana", "ben"), topics=30))
    shown = show(run.results.get(scope="pair", statistic="accuracy"))
    assert shown.value == "100.0%"
    assert shown.why_no_interval == "every resample gives the same value"
    assert "by the rule of three at least 90.0%" in shown.notes


@pytest.mark.slow
def test_resamples_without_a_value_are_reported() -> None:
    labels = [[0, 0]] * 112 + [[1, 0]] * 4 + [[0, 1]] * 4 + [[1, 1]]
    run = agree(build_campaign(labels, people=("ana", "ben"), topics=121), interval="percentile", resamples=20_000)
    result = run.results.get(scope="pair", statistic="spearman")
    assert result.ci is not None
    assert result.ci["n_undefined"] > 0
    sentence = f"{result.ci['n_undefined']:,} of 20,000 resamples had no value and were dropped"
    assert sentence in show(result).notes


def test_one_annotator_has_no_pair() -> None:
    built = build_campaign([[0], [1]], people=("ana",))
    run = agree(built)
    assert set(run.results.filter(scope="all").values_list("reason", flat=True)) == {"fewer_than_two_annotators"}
    assert run.detail["relevance"]["tables"] == []


def test_only_annotators_with_judgments_are_columns() -> None:
    built = build_campaign([[0, 1, None]] * 12)
    run = agree(built)
    assert [one["name"] for one in run.detail["relevance"]["annotators"]] == ["ana", "ben"]


def test_people_are_compared_with_the_vote_of_the_others() -> None:
    built = build_campaign(noisy_labels(60, 3))
    vote(built)
    run = agree(built)
    compared = run.results.get(scope="block", block="HA", statistic="accuracy")
    assert "leave_one_out" in compared.extra["flags"]


def test_tables_and_topics_lead_down_to_the_labels() -> None:
    built = build_campaign([[0, 0], [0, 1], [2, 2], [1, 2]], people=("ana", "ben"), topics=2)
    built.label(built.items[0], "ana", 0, repeat=1)
    built.label(built.items[1], "ana", 2, repeat=1)
    detail = agree(built).detail["relevance"]
    assert detail["tables"] == [
        {"pair": [0, 1], "counts": [[1, 1, 0], [0, 0, 1], [0, 0, 1]], "agreement": [2 / 3, 0.0, 2 / 3]}
    ]
    assert [(one["number"], one["n_items"], one["values"]["accuracy"]) for one in detail["topics"]] == [
        ("1", 2, 1.0),
        ("2", 2, 0.0),
    ]
    assert detail["topics"][0]["values"]["alpha_ordinal"] == 1.0
    asked = {"n_items": 2, "n_equal": 1, "accuracy": 0.5, "cohen_kappa": 0.0, "reasons": {}}
    assert detail["repeats"] == [{"id": built.annotators["ana"].pk, **asked}]


def test_topics_are_also_measured_among_people_alone() -> None:
    labels = [[0, 0, 2], [0, 0, 2], [1, 1, 0], [1, 2, 1], [None, None, 2], [None, 1, 2]]
    built = build_campaign(labels, people=("ana", "ben"), machines=[("m1", "m", 1)], topics=2)
    run = agree(built)
    detail = run.detail["relevance"]
    assert [round(one["values"]["accuracy"], 3) for one in detail["topics"]] == [0.333, 0.333]
    assert [(one["n_items"], one["values"]["accuracy"]) for one in detail["topics_people"]] == [(2, 1.0), (2, 0.5)]
    assert [one.value for one in topic_tiles(run, "relevance", "accuracy", people=True)] == ["50.0%", "100.0%"]
    chosen = ItemSelection(built.criterion, topic=detail["topics_people"][1]["topic"], among="HH")
    assert list(find_judged(chosen)) == [built.items[1], built.items[3]], "the items behind the tile"
    assert "topics_people" not in agree(build_campaign([[0, 1]] * 4, people=("a", "b"), slug="two")).detail["relevance"]


def test_topics_and_repeats_without_a_figure_say_why() -> None:
    built = build_campaign([[0, 0], [0, 1], [0, 0], [1, 2], [0, None], [0, 0]], people=("ana", "ben"), topics=3)
    built.label(built.items[0], "ana", 0, repeat=1)
    built.label(built.items[2], "ana", 0, repeat=1)
    result = as_json(agree(built))
    topics = {row["topic"]: row for row in result["topics"]}
    first, second, third = (topics[item.topic_id] for item in built.items[:3])
    assert [row["n_items"] for row in (first, second, third)] == [2, 1, 2]
    assert (first["values"]["accuracy"], first["reasons"]) == (0.5, {})
    assert second["reason"] == "too_few_items"
    assert third["reasons"]["cohen_kappa"] == third["reasons"]["alpha_ordinal"] == "one_class_only"
    assert third["reasons"]["spearman"] == "constant_annotator"
    (asked,) = result["self_consistency"]
    assert (asked["annotator"], asked["accuracy"], asked["cohen_kappa"]) == ("ana", 1.0, None)
    assert asked["reasons"] == {"cohen_kappa": "one_class_only"}
    assert json.dumps(result, allow_nan=False)


def test_a_nominal_scale_gets_only_what_needs_no_order() -> None:
    built = build_campaign(noisy_labels(30, 3), topics=30, machines=[])
    built.criterion.scale = Scale.NOMINAL
    built.criterion.save(update_fields=["scale"])
    run = agree(built)
    assert NOMINAL <= set(run.results.values_list("statistic", flat=True)) == set(statistics_for("nominal"))


@pytest.mark.slow
def test_machines_are_set_against_the_verdict_and_holm_covers_what_was_planned() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=60, machines=[("m1", "m", 1), ("m2", "m", 2)])
    vote(built)
    run = agree(built, margin={"accuracy": 0.9, "spearman": 0.001})
    result = as_json(run)
    against = [one for one in result["confusion"] if one["annotators"][1] == "adjudicated"]
    assert [one["annotators"][0] for one in against] == ["m1", "m2"]
    tests = {one["statistic"]: one for one in result["comparisons"]}
    planned = {name for name, one in tests.items() if one["p_holm"] is not None}
    assert planned == {"macro_f1", "accuracy", "spearman"}
    assert all(tests[name]["difference"]["p"] is not None for name in ("cohen_kappa", "kendall_tau_b"))
    assert (tests["accuracy"]["equivalent"], tests["spearman"]["equivalent"]) == (True, False)
    assert tests["macro_f1"]["margin"] is None


def test_newer_judgments_make_the_figures_stale() -> None:
    built = build_campaign([[0, 1, None]] * 12)
    agree(built)
    assert not fetch_standing(built.campaign).is_stale
    built.label(built.items[0], "cai", 1)
    standing = fetch_standing(built.campaign)
    assert (standing.is_stale, standing.newer) == (True, 1)


def test_refusals() -> None:
    built = build_campaign([[0, 1, 2]])
    for options, reason in (
        ({"resamples": 10}, "number of resamples must be a whole number from 1,000"),
        ({"resamples": 10**7}, "from 1,000 to 100,000, not 10000000"),
        ({"interval": "magic"}, "unknown interval"),
        ({"seed": -1}, "whole number"),
        ({"margin": -0.1}, "margin"),
    ):
        with pytest.raises(Refused, match=f"(?i){reason}"):
            request_agreement(campaign=built.campaign, by=None, at=AT, send=False, **options)
    with pytest.raises(NotAllowed):
        request_agreement(campaign=built.campaign, by=built.people["ana"], at=AT)
    with pytest.raises(NotAllowed):
        request_agreement(campaign=built.campaign, by=built.people["viewer"], at=AT)
    assert not Verdict.objects.exists()


def test_a_mean_over_pairs_that_share_few_items_does_not_say_that_there_are_few() -> None:
    """Three people judge 12 items in two pairs of 6: twelve items in all, and no pair with ten."""
    labels = [[place % 3, place % 2, None] if place < 6 else [None, 1, place % 2] for place in range(12)]
    run = agree(build_campaign(labels), cluster="item")
    figure = show(run.results.get(statistic="accuracy", scope="mean"))
    assert figure.n_items == 12
    assert figure.why_no_interval == "no pair of annotators has 10 items in common, which is too few for an interval"
    pair = run.results.filter(statistic="accuracy", scope="pair", n_items=6).first()
    assert show(pair).why_no_interval == "fewer than 10 items are too few for an interval"


@pytest.mark.slow
def test_machines_that_voted_are_compared_with_the_vote_of_the_others_everywhere() -> None:
    built = build_campaign(noisy_labels(60, 5), topics=60, machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(built, voters="all")
    run = agree(built)
    result = as_json(run)
    blocks = [one for one in result["statistics"] if one["block"] in ("GA", "HA") and one["value"] is not None]
    assert {tuple(one["flags"]) for one in blocks} == {("leave_one_out", "small_sample")}
    flags = {one["annotators"][0]: one["flags"] for one in result["confusion"] if one["annotators"][1] == "adjudicated"}
    assert flags == {"m-1": ["part_whole"], "m-2": ["part_whole"]}
    vote(built)
    safe = as_json(agree(built))
    assert {tuple(one["flags"]) for one in safe["statistics"] if one["block"] == "GA"} == {("small_sample",)}
    assert [one["flags"] for one in safe["confusion"] if one["annotators"][1] == "adjudicated"] == [[], []]


def test_the_only_machine_that_voted_is_said_to_be_part_of_the_verdict() -> None:
    built = build_campaign(noisy_labels(60, 4), topics=60, machines=[("m-1", "m", 1)])
    vote(built, voters="machines", min_votes=1)
    run = agree(built)
    machine = run.results.get(block="GA", scope="block", statistic="accuracy")
    assert (machine.value, machine.extra["flags"]) == (1.0, ["part_whole", "small_sample"])
    assert "its own label is part of the verdict" in " ".join(show(machine).notes)
    people = run.results.get(block="HA", scope="block", statistic="accuracy")
    assert "leave_one_out" not in people.extra["flags"]
    rows = np.array(noisy_labels(60, 4))
    assert people.value == pytest.approx(np.mean(rows[:, :3] == rows[:, 3:]))
    tables = [one for one in as_json(run)["confusion"] if one["annotators"][1] == "adjudicated"]
    assert [(one["annotators"][0], one["flags"]) for one in tables] == [
        *(("ana", []), ("ben", []), ("cai", [])),
        ("m-1", ["part_whole"]),
    ]
