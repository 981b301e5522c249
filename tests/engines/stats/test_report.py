"""The entry point: shape of the JSON, blocks, reasons, rules for topics, seeds, progress."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.stats.bootstrap import Cancelled
from engines.stats.figures import pair_figure
from engines.stats.labels import Annotator, Kind, Labels, make_labels
from engines.stats.pair_analysis import passes
from engines.stats.reasons import Flag, Reason
from engines.stats.report import Options, measure_agreement, resampling_unit
from engines.stats.results import Estimate, ExcludedPair, to_jsonable
from engines.stats.statistics import STATISTICS
from engines.stats.votes import leave_one_out, vote
from tests.engines.stats.examples import SCALE, annotators, matrices, simulated

KEYS = {
    "statistic",
    "scope",
    "annotators",
    "block",
    "value",
    "reason",
    "n_items",
    "n_pairs",
    "ci",
    "ci_reason",
    "p",
}
CI_KEYS = {"low", "high", "level", "method", "unit", "resamples", "seed", "n_undefined"}


def run(labels: Labels, *statistics: str, **options: Any) -> Any:
    return measure_agreement(labels, Options(5, statistics or tuple(STATISTICS), resamples=1000, **options))


def adjudicated(labels: Labels) -> Labels:
    verdict = vote(labels.positions[:, :3], 3, policy="median", min_votes=1).labels
    return make_labels(labels.positions, SCALE, labels.annotators, topics=labels.topics, adjudicated=verdict)


def test_the_json_has_the_promised_shape_and_dumps_strictly() -> None:
    found = json.loads(json.dumps(run(adjudicated(simulated(150, missing=0.1))).to_json(), allow_nan=False))
    rows = found["statistics"]
    assert {row["statistic"] for row in rows} == set(STATISTICS)
    assert {row["scope"] for row in rows} == {"pair", "mean", "all", "block"}
    assert {row["block"] for row in rows} == {"HH", "GH", "GG", "GA", "HA", None}
    for row in rows:
        assert set(row) >= KEYS
        assert (row["value"] is None) == (row["reason"] is not None)
        assert (row["ci"] is None) == (row["ci_reason"] is not None)
        assert row["ci"] is None or set(row["ci"]) == CI_KEYS
        assert (row["p"] is not None) == (row["block"] == "GH" and row["scope"] == "block")
    assert found["seed"] == 5
    assert found["numpy_version"] == np.__version__
    averaged = [each.name for each in STATISTICS.values() if each.is_pairwise and each.is_averaged]
    assert sorted(each["statistic"] for each in found["comparisons"]) == sorted(averaged)
    assert all(one["difference"]["ci"] for one in found["comparisons"])


def test_blocks_are_plain_means_over_their_pairs() -> None:
    labels = adjudicated(simulated(200, seed=2))
    found = run(labels, "accuracy", "spearman")
    first = labels.positions
    for name in ("accuracy", "spearman"):
        own = {(a, b): pair_figure(first[:, a], first[:, b], 3, name).value for a in range(5) for b in range(a + 1, 5)}
        expected = {
            "HH": [own[0, 1], own[0, 2], own[1, 2]],
            "GH": [own[person, machine] for person in range(3) for machine in (3, 4)],
            "GG": [own[3, 4]],
        }
        for block, values in expected.items():
            estimate = found.find(name, "block", block).estimate
            assert estimate.value == pytest.approx(np.mean(values))
            assert estimate.n_pairs == len(values)
        assert found.find(name, "mean").estimate.value == pytest.approx(np.mean(list(own.values())))
        verdict = labels.adjudicated
        assert verdict is not None
        to_verdict = [pair_figure(first[:, run_], verdict, 3, name).value for run_ in (3, 4)]
        assert found.find(name, "block", "GA").estimate.value == pytest.approx(np.mean(to_verdict))
        others = [leave_one_out(first[:, :3], 3, person) for person in range(3)]
        to_others = [pair_figure(first[:, person], others[person], 3, name).value for person in range(3)]
        result = found.find(name, "block", "HA").estimate
        assert result.value == pytest.approx(np.mean(to_others))
        assert Flag.LEAVE_ONE_OUT in result.flags


def test_machines_that_voted_are_compared_with_the_vote_of_the_other_voters() -> None:
    first = simulated(250, seed=21)
    verdict = vote(first.positions, 3, policy="median", min_votes=1).labels
    everybody = make_labels(first.positions, SCALE, first.annotators, adjudicated=verdict, voters=range(5))
    found = run(everybody, "accuracy", "cohen_kappa")
    others = [leave_one_out(first.positions, 3, column) for column in range(5)]
    for name in ("accuracy", "cohen_kappa"):
        to_others = [pair_figure(first.positions[:, column], others[column], 3, name).value for column in range(5)]
        for block, columns in (("GA", slice(3, 5)), ("HA", slice(0, 3))):
            result = found.find(name, "block", block).estimate
            assert result.value == pytest.approx(np.mean(to_others[columns]))
            assert result.flags[0] is Flag.LEAVE_ONE_OUT
    flattered = run(adjudicated(first), "accuracy").find("accuracy", "block", "GA").estimate
    assert flattered.flags == ()  # machines that did not vote are set against the verdict itself


def test_where_machines_alone_voted_people_are_set_against_the_verdict() -> None:
    first = simulated(250, seed=22)
    verdict = vote(first.positions[:, 3:], 3, policy="lowest", min_votes=1).labels
    found = run(make_labels(first.positions, SCALE, first.annotators, adjudicated=verdict, voters=(3, 4)), "accuracy")
    people = found.find("accuracy", "block", "HA").estimate
    assert people.value == pytest.approx(np.mean(first.positions[:, :3] == verdict[:, None]))
    assert people.flags == ()
    machine = found.find("accuracy", "block", "GA").estimate
    assert machine.value == pytest.approx(np.mean(first.positions[:, 3] == first.positions[:, 4]))
    assert machine.flags == (Flag.LEAVE_ONE_OUT,)


@pytest.mark.parametrize(("voters", "flag"), [((3, 4), Flag.LEAVE_ONE_OUT), ((3,), Flag.PART_WHOLE)])
def test_a_mean_over_few_items_says_what_it_compares_with_too(voters: tuple[int, ...], flag: Flag) -> None:
    few = simulated(6, seed=24)
    verdict = vote(few.positions[:, list(voters)], 3, policy="lowest", min_votes=1).labels
    found = run(make_labels(few.positions, SCALE, few.annotators, adjudicated=verdict, voters=voters), "accuracy")
    machine = found.find("accuracy", "block", "GA").estimate
    assert (machine.ci_reason, machine.flags) == (Reason.TOO_FEW_ITEMS, (flag,))


@pytest.mark.parametrize(("column", "block"), [(0, "HA"), (3, "GA")])
def test_a_voter_without_others_is_part_of_the_verdict_and_said_to_be(column: int, block: str) -> None:
    first = simulated(120, seed=23)
    verdict = first.positions[:, column]
    found = run(
        make_labels(first.positions, SCALE, first.annotators, adjudicated=verdict, voters=(column,)), "accuracy"
    )
    name = first.annotators[column].name
    alone = found.find("accuracy", "pair", block, annotators=(name, "adjudicated")).estimate
    assert (alone.value, alone.flags) == (1.0, (Flag.PART_WHOLE,))
    assert Flag.PART_WHOLE in found.find("accuracy", "block", block).estimate.flags
    safe = [one for one in found.results if "adjudicated" in one.annotators and name not in one.annotators]
    assert len(safe) == 5  # the other four alone, and the block that the voter does not belong to
    assert all(one.estimate.flags == () for one in safe)


def test_labels_modelled_on_the_whole_sample_are_said_to_be_held_fixed() -> None:
    labels = adjudicated(simulated(120, seed=15))
    found = run(labels, "accuracy", verdict_held_fixed=True)
    assert Flag.HELD_FIXED in found.find("accuracy", "block", "GA").estimate.flags
    assert Flag.HELD_FIXED not in found.find("accuracy", "block", "GH").estimate.flags
    assert Flag.HELD_FIXED not in run(labels, "accuracy").find("accuracy", "block", "GA").estimate.flags


def test_several_models_have_blocks_and_tests_of_their_own() -> None:
    base = simulated(300, people=2, runs=3, seed=3)
    people = [Annotator("H1"), Annotator("H2")]
    machines = [Annotator("a1", Kind.MACHINE, "a"), Annotator("a2", Kind.MACHINE, "a"), Annotator("b", Kind.MACHINE)]
    found = run(make_labels(base.positions, SCALE, people + machines), "accuracy", "alpha_ordinal")
    assert {one.model for one in found.comparisons} == {"a", "b"}
    assert found.find("accuracy", "block", "GH", model="a").estimate.n_pairs == 4
    assert found.find("accuracy", "block", "GH", model="b").estimate.n_pairs == 2
    assert found.find("accuracy", "block", "GG", model="b").estimate.reason is Reason.FEWER_THAN_TWO_ANNOTATORS
    assert found.find("alpha_ordinal", "block", "GG", model="a").estimate.value > 0.5
    assert found.find("accuracy", "pair", annotators=("a1", "b")).block is None
    assert all(one.p_holm >= one.difference.p for one in found.comparisons)


def test_joint_coefficients_cover_everyone_people_and_runs() -> None:
    labels = simulated(200, seed=4)
    found = run(labels, "gwet_ac1", "fleiss_kappa", "alpha_interval")
    for name in ("gwet_ac1", "fleiss_kappa", "alpha_interval"):
        everyone, people, machine = (
            found.find(name, "all"),
            found.find(name, "block", "HH"),
            found.find(name, "block", "GG"),
        )
        assert (len(everyone.annotators), len(people.annotators), len(machine.annotators)) == (5, 3, 2)
        assert (everyone.estimate.n_pairs, people.estimate.n_pairs) == (10, 3)
        assert everyone.estimate.ci.low < everyone.estimate.value < everyone.estimate.ci.high


# --- reasons ----------------------------------------------------------------------------------------------------------


def reason_of(matrix: list[list[int]], statistic: str, scope: str) -> Reason | None:
    names = [f"a{index}" for index in range(len(matrix[0]))]
    return run(make_labels(np.array(matrix), SCALE, names), statistic).find(statistic, scope).estimate.reason


@pytest.mark.parametrize(
    ("matrix", "statistic", "scope", "reason"),
    [
        ([[0, -1], [-1, 1]] * 20, "accuracy", "pair", Reason.NO_OVERLAP),
        ([[0, -1], [-1, 1]] * 20, "accuracy", "mean", Reason.NO_OVERLAP),
        ([[1, 1]] * 20, "cohen_kappa", "pair", Reason.ONE_CLASS_ONLY),
        ([[1, 1]] * 20, "cohen_kappa", "mean", Reason.ONE_CLASS_ONLY),
        ([[1, 0], [1, 1]] * 10, "spearman", "pair", Reason.CONSTANT_ANNOTATOR),
        ([[1, 0], [1, 1]] * 10, "kendall_tau_b", "mean", Reason.CONSTANT_ANNOTATOR),
        ([[1, 1]] * 20, "alpha_ordinal", "all", Reason.ONE_CLASS_ONLY),
        ([[1, 1]] * 20, "fleiss_kappa", "all", Reason.ONE_CLASS_ONLY),
        ([[0, -1], [-1, 1]] * 20, "alpha_nominal", "all", Reason.NO_ITEM_WITH_TWO_LABELS),
        ([[0, -1], [-1, 1]] * 20, "gwet_ac2", "all", Reason.NO_ITEM_WITH_TWO_LABELS),
        ([[0]] * 20, "alpha_ordinal", "all", Reason.FEWER_THAN_TWO_ANNOTATORS),
        ([[0]] * 20, "accuracy", "mean", Reason.FEWER_THAN_TWO_ANNOTATORS),
    ],
)
def test_undefined_figures_say_why(matrix: list[list[int]], statistic: str, scope: str, reason: Reason) -> None:
    assert reason_of(matrix, statistic, scope) is reason


def test_few_items_have_a_value_and_no_interval() -> None:
    found = run(make_labels(np.array([[0, 1], [1, 1], [2, 2]]), SCALE, ["a", "b"]), "accuracy", "alpha_ordinal")
    for estimate in (found.find("accuracy", "pair").estimate, found.find("alpha_ordinal", "all").estimate):
        assert estimate.value is not None
        assert (estimate.ci, estimate.ci_reason) == (None, Reason.TOO_FEW_ITEMS)


def test_a_mean_of_pairs_with_few_items_each_has_a_value_and_no_interval() -> None:
    matrix = np.full((12, 3), -1)
    matrix[:6, :2] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 2]]  # a and b: 4 of 6 equal
    matrix[6:, 1:] = [[0, 0], [1, 1], [0, 1], [2, 1], [1, 0], [2, 0]]  # b and c: 2 of 6 equal; a and c share nothing
    found = run(make_labels(matrix, SCALE, ["a", "b", "c"]), "accuracy").find("accuracy", "mean")
    assert found.estimate.value == pytest.approx((4 / 6 + 2 / 6) / 2)
    assert (found.estimate.ci, found.estimate.ci_reason, found.estimate.n_pairs) == (None, Reason.TOO_FEW_ITEMS, 2)
    assert found.excluded_pairs == (ExcludedPair(("a", "c"), Reason.NO_OVERLAP),)


def test_few_topics_have_no_interval() -> None:
    labels = simulated(100, topics=7, seed=6)
    estimate = run(labels, "accuracy").find("accuracy", "block", "HH").estimate
    assert (estimate.ci, estimate.ci_reason) == (None, Reason.TOO_FEW_QUERIES)


def test_a_rare_second_class_is_undefined_too_often() -> None:
    matrix = np.array([[0, 0]] * 149 + [[1, 1]])
    estimate = run(make_labels(matrix, SCALE, ["a", "b"]), "cohen_kappa").find("cohen_kappa", "pair").estimate
    assert estimate.value == 1.0
    assert (estimate.ci, estimate.ci_reason) == (None, Reason.UNDEFINED_IN_BOOTSTRAP)


def test_pairs_with_little_in_common_stay_out_of_the_mean_by_name() -> None:
    labels = simulated(120, people=3, runs=0, seed=7)
    positions = labels.positions.copy()
    positions[5:, 2] = -1
    found = run(make_labels(positions, SCALE, labels.annotators), "accuracy").find("accuracy", "mean")
    assert found.excluded_pairs == (
        ExcludedPair(("H1", "H3"), Reason.TOO_FEW_ITEMS),
        ExcludedPair(("H2", "H3"), Reason.TOO_FEW_ITEMS),
    )
    assert found.to_json()["excluded_pairs"][0] == {"annotators": ["H1", "H3"], "reason": "too_few_items"}
    assert found.estimate.n_pairs == 1
    assert found.estimate.value == pytest.approx((positions[:, 0] == positions[:, 1]).mean())


def test_no_labels_at_all_give_reasons_everywhere() -> None:
    found = run(make_labels(np.zeros((0, 3), dtype=int), SCALE, ["a", "b", "c"]))
    assert found.results
    assert all(result.estimate.value is None for result in found.results)
    assert all(result.estimate.ci_reason is not None for result in found.results)


def test_nobody_at_all_is_no_error() -> None:
    found = run(make_labels(np.zeros((0, 0), dtype=int), SCALE, []))
    assert {result.estimate.reason for result in found.results} == {Reason.FEWER_THAN_TWO_ANNOTATORS}


@pytest.mark.slow
@settings(max_examples=25)
@given(matrices(max_items=40, min_annotators=1), st.integers(0, 2), st.sampled_from([None, 3, 30]), st.booleans())
def test_any_labels_give_a_report_that_dumps(
    matrix: np.ndarray, runs: int, topics: int | None, with_verdict: bool
) -> None:
    runs = min(runs, matrix.shape[1] - 1)
    ids = None if topics is None else np.arange(len(matrix)) % topics
    verdict = vote(matrix, 3, policy="lowest", min_votes=1).labels if with_verdict else None
    labels = make_labels(matrix, SCALE, annotators(matrix.shape[1] - runs, runs), topics=ids, adjudicated=verdict)
    found = run(labels)
    text = json.dumps(found.to_json(), allow_nan=False)
    assert len(json.loads(text)["statistics"]) == len(found.results)
    for result in found.results:
        assert (result.estimate.value is None) == (result.estimate.reason is not None)
        ci = result.estimate.ci
        assert (ci is None) == (result.estimate.ci_reason is not None)
        assert ci is None or ci.low <= ci.high


# --- the unit of resampling -----------------------------------------------------------------------------------------


def test_topics_with_several_items_are_the_unit_unless_switched() -> None:
    labels = simulated(300, topics=60, seed=8)
    assert resampling_unit(labels, "auto") == "topic"
    by_topic, by_item = run(labels, "accuracy"), run(labels, "accuracy", unit="item")
    assert by_topic.find("accuracy", "mean").estimate.ci.unit == "topic"
    assert by_topic.find("accuracy", "mean").estimate.flags == ()
    switched = by_item.find("accuracy", "mean").estimate
    assert switched.ci.unit == "item"
    assert Flag.INDEPENDENT_ITEMS_ASSUMED in switched.flags


def test_topics_of_one_item_each_leave_items_the_unit() -> None:
    labels = make_labels(np.zeros((30, 2), dtype=int), SCALE, ["a", "b"], topics=range(30))
    assert resampling_unit(labels, "auto") == "item"
    assert resampling_unit(labels, "topic") == "topic"
    with pytest.raises(ValueError, match="no topics"):
        resampling_unit(make_labels(np.zeros((30, 2), dtype=int), SCALE, ["a", "b"]), "topic")


def test_correlated_items_of_a_topic_widen_the_interval() -> None:
    base = simulated(120, people=2, runs=0, seed=9)
    repeated = make_labels(
        np.repeat(base.positions, 10, axis=0), SCALE, base.annotators, topics=np.repeat(np.arange(120), 10)
    )
    wide = run(repeated, "accuracy", "alpha_ordinal")
    narrow = run(repeated, "accuracy", "alpha_ordinal", unit="item")
    alone = run(base, "accuracy")
    for name, scope in (("accuracy", "mean"), ("alpha_ordinal", "all")):
        one, two = wide.find(name, scope).estimate.ci, narrow.find(name, scope).estimate.ci
        assert (one.high - one.low) / (two.high - two.low) == pytest.approx(10**0.5, rel=0.12)
    alone_ci, wide_ci = alone.find("accuracy", "mean").estimate.ci, wide.find("accuracy", "mean").estimate.ci
    assert (wide_ci.low, wide_ci.high) == pytest.approx((alone_ci.low, alone_ci.high), abs=0.01)


# --- seeds, passes, progress ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_report_and_another_seed_another() -> None:
    labels = adjudicated(simulated(150, missing=0.2, seed=10))
    one, two = run(labels), run(labels)
    assert one.to_json() == two.to_json()
    other = measure_agreement(labels, Options(6, resamples=1000))
    assert other.find("accuracy", "mean").estimate.ci != one.find("accuracy", "mean").estimate.ci


def test_splitting_into_passes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = simulated(120, seed=11)
    whole = run(labels)
    monkeypatch.setattr("engines.stats.pair_analysis.REPLICATE_BYTES", 1)
    assert passes(["a", "b"], 10, 1000) == [["a"], ["b"]]
    assert run(labels).to_json() == whole.to_json()


def test_progress_reaches_its_total_and_cancelling_raises() -> None:
    labels = simulated(100, missing=0.2, seed=12)
    heard: list[tuple[int, int]] = []
    measure_agreement(labels, Options(1, resamples=1000), progress=lambda done, total: heard.append((done, total)))
    assert heard[-1][0] == heard[-1][1]
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    with pytest.raises(Cancelled):
        measure_agreement(labels, Options(1, resamples=1000), cancelled=lambda: True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"statistics": ("accuracy", "luck")},
        {"resamples": 999},
        {"level": 1.0},
        {"interval": "normal"},
        {"unit": "day"},
        {"margin": 0.0},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"unknown|at least|level|margin"):
        Options(1, **wrong)


def test_numbers_that_are_not_finite_never_reach_json() -> None:
    with pytest.raises(ValueError, match="NaN"):
        Estimate(float("nan")).to_json()
    assert to_jsonable({"a": np.float64(1), "b": (np.int64(2), None), "c": Reason.NO_OVERLAP}) == {
        "a": 1.0,
        "b": [2, None],
        "c": "no_overlap",
    }
