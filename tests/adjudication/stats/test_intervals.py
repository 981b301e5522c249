"""Intervals and p-values: rules for small samples, undefined draws, duality, coverage, size of the test."""

import numpy as np
import pytest
from scipy import stats

from adjudication.stats import coincidence
from adjudication.stats.bootstrap import make_rng
from adjudication.stats.cells import reduce_rows
from adjudication.stats.comparison import Comparison
from adjudication.stats.group_analysis import group_values, level_counts
from adjudication.stats.intervals import (
    Request,
    Sample,
    acceleration,
    bca,
    headline,
    jackknife_se,
    make_interval,
    p_value,
    share_below,
)
from adjudication.stats.labels import Labels, make_labels
from adjudication.stats.report import Agreement, Options, measure_agreement
from adjudication.stats.results import Flag, Interval, Reason
from adjudication.stats.statistics import statistic as record_of
from tests.adjudication.stats.examples import SCALE, annotators, noisy, simulated


def request(method: str = "percentile", unit: str = "item", level: float = 0.95) -> Request:
    return Request(method, unit, level, 1000, 1)


def sample(n_units: int = 200, *, seed: int = 0, point: float = 0.6, lost: int = 0, draws: int = 1000) -> Sample:
    """A made-up statistic like a proportion over `n_units` units, `lost` of its replicates undefined."""
    rng = np.random.default_rng(seed)
    ones = round(point * n_units)
    replicates = rng.binomial(n_units, ones / n_units, draws) / n_units
    replicates[:lost] = np.nan
    left_out = np.array([(ones - 1) / (n_units - 1), ones / (n_units - 1)])
    return Sample(ones / n_units, replicates, left_out, np.array([ones, n_units - ones]), n_units, (0.0, 1.0))


def difference(labels: Labels, **options: object) -> Comparison:
    found = measure_agreement(labels, Options(**{"seed": 1, "statistics": ("accuracy",), **options}))  # type: ignore[arg-type]
    return found.comparisons[0]


# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "units", "expected"),
    [
        ("item", 9, ("auto", Reason.TOO_FEW_ITEMS, True)),
        ("item", 10, ("jackknife_t", None, True)),
        ("item", 99, ("jackknife_t", None, True)),
        ("item", 100, ("percentile", None, False)),
        ("topic", 7, ("auto", Reason.TOO_FEW_QUERIES, True)),
        ("topic", 8, ("jackknife_t", None, True)),
        ("topic", 49, ("jackknife_t", None, True)),
        ("topic", 50, ("percentile", None, False)),
    ],
)
def test_which_interval_heads_the_report(unit: str, units: int, expected: tuple[str, Reason | None, bool]) -> None:
    assert headline(request("auto", unit), units) == expected


def test_a_method_asked_for_by_name_is_used_and_a_small_sample_flagged() -> None:
    outcome = make_interval(sample(60), request("bca"))
    assert outcome.ci is not None
    assert outcome.ci.method == "bca"
    assert outcome.flags == (Flag.SMALL_SAMPLE,)
    assert [one.method for one in outcome.alternatives] == ["jackknife_t", "percentile"]
    assert make_interval(sample(200), request("bca")).alternatives == ()


def test_too_few_items_have_no_interval() -> None:
    outcome = make_interval(sample(9), request())
    assert (outcome.ci, outcome.reason) == (None, Reason.TOO_FEW_ITEMS)


def test_undefined_replicates_are_counted_and_more_than_five_percent_are_too_many() -> None:
    some = make_interval(sample(lost=50), request())
    assert some.ci is not None
    assert (some.ci.n_undefined, some.ci.resamples) == (50, 1000)
    many = make_interval(sample(lost=51), request())
    assert (many.ci, many.reason) == (None, Reason.UNDEFINED_IN_BOOTSTRAP)


def test_undefined_leave_one_out_values_follow_the_same_rule() -> None:
    one = sample(200)
    gone = Sample(one.point, one.replicates, np.append(one.left_out, np.nan), np.array([110, 80, 10]), 200, (0, 1))
    outcome = make_interval(gone, request("jackknife_t"))
    assert outcome.ci is not None
    assert outcome.ci.n_undefined == 10
    worse = Sample(one.point, one.replicates, np.append(one.left_out, np.nan), np.array([110, 79, 11]), 200, (0, 1))
    assert make_interval(worse, request("jackknife_t")).reason is Reason.UNDEFINED_IN_BOOTSTRAP


def test_no_variation_is_said_and_perfect_agreement_gets_the_rule_of_three() -> None:
    still = Sample(0.5, np.full(1000, 0.5), np.array([0.5]), np.array([200.0]), 200, (0, 1))
    for method in ("percentile", "bca", "jackknife_t"):
        assert make_interval(still, request(method)).reason is Reason.NO_VARIATION
    labels = make_labels(np.repeat([[0], [1], [2]], 50, axis=0).repeat(2, axis=1), SCALE, ["a", "b"])
    estimate = measure_agreement(labels, Options(1, ("accuracy",))).find("accuracy", "pair").estimate
    assert (estimate.value, estimate.ci, estimate.ci_reason) == (1.0, None, Reason.NO_VARIATION)
    assert estimate.lower_bound == pytest.approx(1 - 3 / 150)


# --- formulas against other sources --------------------------------------------------------------------------------


def test_bca_and_jackknife_agree_with_scipy_on_a_mean() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=120)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(4))
    rng = np.random.default_rng(5)
    replicates = values[rng.integers(0, 120, (20_000, 120))].mean(axis=1)
    left_out = (values.sum() - values) / 119
    found = bca(replicates, values.mean(), left_out, np.ones(120), 0.95)
    assert found == pytest.approx(tuple(theirs.confidence_interval), abs=0.01)
    se = jackknife_se(Sample(values.mean(), replicates, left_out, np.ones(120), 120, (-9, 9)))
    assert se == pytest.approx(stats.sem(values))
    interval = make_interval(
        Sample(values.mean(), replicates, left_out, np.ones(120), 120, (-9, 9)), request("jackknife_t")
    )
    expected = stats.t.interval(0.95, 119, values.mean(), stats.sem(values))
    assert interval.ci is not None
    assert (interval.ci.low, interval.ci.high) == pytest.approx(expected)
    assert acceleration(left_out, np.ones(120)) == pytest.approx(
        ((left_out.mean() - left_out) ** 3).sum() / (6 * ((left_out.mean() - left_out) ** 2).sum() ** 1.5)
    )


def test_units_outside_the_statistic_do_not_change_the_jackknife() -> None:
    inside = sample(150)
    padded = Sample(
        inside.point,
        inside.replicates,
        np.append(inside.left_out, inside.point),
        np.append(inside.multiplicity, 5000),
        150,
        (0, 1),
    )
    assert jackknife_se(padded) == pytest.approx(jackknife_se(inside))
    p = inside.point
    assert jackknife_se(inside) == pytest.approx(np.sqrt(p * (1 - p) / 149))


@pytest.mark.parametrize("statistic", ["fleiss_kappa", "gwet_ac1", "gwet_ac2", "alpha_ordinal"])
def test_the_jackknife_of_several_annotators_leaves_out_each_item_that_enters(statistic: str) -> None:
    """Items with a single label enter Fleiss and Gwet (shares of the levels, statistics.md 2.2), but not alpha."""
    labels = simulated(70, missing=0.6, seed=31)
    several = (labels.positions >= 0).sum(axis=1) >= 2
    assert 0.2 < 1 - several.mean() < 0.8
    entering = labels.take(several) if statistic == "alpha_ordinal" else labels
    assert entering.n_items == (several.sum() if statistic == "alpha_ordinal" else len(several))
    left_out = np.array([value_of(labels_without(entering, item), statistic) for item in range(entering.n_items)])
    n = entering.n_items
    expected = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    found = measure_agreement(labels, Options(1, (statistic,), resamples=1000, interval="jackknife_t"))
    estimate = found.find(statistic, "all").estimate
    assert estimate.se == pytest.approx(expected)
    assert estimate.ci is not None
    assert estimate.ci.low == pytest.approx(estimate.value - stats.t.ppf(0.975, n - 1) * expected)
    assert estimate.n_items == several.sum()


def test_single_labels_do_not_make_a_small_sample_large() -> None:
    few = np.array([[0, 1], [1, 1], [2, 2], [0, 0], [1, 2]])
    alone = np.column_stack([np.arange(300) % 3, np.full(300, -1)])
    labels = make_labels(np.vstack([few, alone]), SCALE, annotators(2, 0))
    found = measure_agreement(labels, Options(1, ("fleiss_kappa", "gwet_ac1"), resamples=1000))
    assert {one.estimate.ci_reason for one in found.results} == {Reason.TOO_FEW_ITEMS}


def labels_without(labels: Labels, item: int) -> Labels:
    return labels.take(np.arange(labels.n_items) != item)


def value_of(labels: Labels, statistic: str) -> float:
    sums = coincidence.features(level_counts(labels.positions, labels.levels)).sum(axis=0)
    return float(group_values(record_of(statistic), coincidence.split(sums, labels.levels)))


def test_jackknife_interval_is_clipped_to_the_range() -> None:
    outcome = make_interval(sample(12, point=11 / 12), request("jackknife_t"))
    assert outcome.ci is not None
    assert outcome.ci.high == 1.0


def test_bca_without_a_finite_bias_falls_back_and_says_so() -> None:
    one = sample(200)
    beyond = Sample(0.99, one.replicates, one.left_out, one.multiplicity, 200, (0, 1))
    outcome = make_interval(beyond, request("bca"))
    assert outcome.ci is not None
    assert outcome.ci.method == "percentile"
    assert Flag.BCA_FELL_BACK in outcome.flags


def test_replicates_an_ulp_away_count_as_ties() -> None:
    around = np.array([0.3, 0.1 + 0.2, 0.2, 0.4])
    assert share_below(around, 0.3) == (1 + 0.5 * 2) / 4


# --- duality ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["percentile", "bca", "jackknife_t"])
def test_p_is_small_exactly_when_zero_lies_outside_the_interval(method: str) -> None:
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        centre = rng.uniform(-0.4, 0.4)
        replicates = centre + 0.1 * (rng.gamma(4.0, size=4000) - 4) / 2
        left_out = centre + rng.normal(0, 0.1 / 199**0.5, 200)
        one = Sample(centre, replicates, left_out, np.ones(200), 200, (-1, 1))
        outcome = make_interval(one, request(method))
        assert outcome.ci is not None
        assert outcome.se is not None
        p = p_value(one, outcome.ci, outcome.se)
        assert 0 < p <= 1
        outside = not outcome.ci.low <= 0 <= outcome.ci.high
        rejected += outside
        if abs(p - 0.05) > 0.002:  # a replicate or two either way
            assert (p < 0.05) == outside, (seed, p, outcome.ci)
    assert 5 < rejected < 55


def test_smallest_p_is_two_in_b_plus_one() -> None:
    one = Sample(1.0, np.linspace(0.5, 1.5, 1000), np.array([0.9, 1.1]), np.array([100.0, 100.0]), 200, (-2, 2))
    for method in ("percentile", "bca"):
        ci = Interval(0.5, 1.5, 0.95, method, "item", 1000, 1, 0)
        assert p_value(one, ci, 0.3) == pytest.approx(2 / 1001, rel=0.05)
    assert p_value(Sample(0.0, np.zeros(1000), one.left_out, one.multiplicity, 200, (-2, 2)), ci, 0.3) <= 1


# --- simulation: coverage of the interval, size of the test --------------------------------------------------------


def population(seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Cells and probabilities of a large label set whose people and machine runs are exchangeable, and its accuracy."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=60_000, p=[0.45, 0.35, 0.2])
    matrix = np.column_stack([noisy(rng, truth) for _ in range(4)])
    cells = reduce_rows(matrix, 4)
    agree = np.mean([np.mean(matrix[:, a] == matrix[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    return cells.patterns, cells.counts / cells.counts.sum(), float(agree)


def measured(patterns: np.ndarray, shares: np.ndarray, n: int, rng: np.random.Generator, seed: int) -> Agreement:
    matrix = patterns[np.repeat(np.arange(len(shares)), rng.multinomial(n, shares))]
    labels = make_labels(matrix, SCALE, annotators(3, 1))
    return measure_agreement(labels, Options(seed, ("accuracy",), resamples=1000, pairs=False))


@pytest.mark.slow
def test_intervals_cover_and_the_test_holds_its_level() -> None:
    patterns, shares, truth = population(30)
    rng = make_rng(31)
    data_sets, covered, rejected = 200, 0, 0
    for seed in range(data_sets):
        found = measured(patterns, shares, 250, rng, seed)
        ci = found.find("accuracy", "block", "HH").estimate.ci
        assert ci is not None
        covered += ci.low <= truth <= ci.high
        p = found.comparisons[0].difference.p
        assert p is not None
        rejected += p < 0.05
    error = (0.95 * 0.05 / data_sets) ** 0.5
    assert abs(covered / data_sets - 0.95) < 4 * error
    assert abs(rejected / data_sets - 0.05) < 4 * error


@pytest.mark.slow
def test_small_samples_are_covered_by_the_jackknife_interval() -> None:
    patterns, shares, truth = population(32)
    rng = make_rng(33)
    data_sets, covered = 150, 0
    for seed in range(data_sets):
        ci = measured(patterns, shares, 40, rng, seed).find("accuracy", "block", "HH").estimate.ci
        assert ci is not None
        assert ci.method == "jackknife_t"
        covered += ci.low <= truth <= ci.high
    assert abs(covered / data_sets - 0.95) < 4 * (0.95 * 0.05 / data_sets) ** 0.5


# --- people against machine -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_equivalence_and_non_inferiority_need_a_margin_set_beforehand() -> None:
    labels = simulated(3000, seed=34)
    without = difference(labels)
    assert (without.equivalent, without.non_inferior, without.margin) == (None, None, None)
    assert without.ci90 is not None
    assert without.difference.ci is not None
    assert without.difference.ci.low < without.ci90.low < without.ci90.high < without.difference.ci.high
    wide = difference(labels, margin=0.2)
    assert (wide.equivalent, wide.non_inferior) == (True, True)
    narrow = difference(labels, margin=0.0001)
    assert narrow.equivalent is False


def test_a_worse_machine_is_found_and_the_detectable_difference_given() -> None:
    found = measure_agreement(simulated(3000, seed=35), Options(1, ("accuracy", "macro_f1", "spearman")))
    for one in found.comparisons:
        assert one.difference.p is not None
        assert one.p_holm is not None
        assert one.p_holm >= one.difference.p
        assert one.detectable == pytest.approx(2.80 * (one.difference.se or 0))
    assert found.find("accuracy", "block", "GH").estimate.p == found.comparisons[0].difference.p


@pytest.mark.slow
def test_the_comparison_restricts_itself_to_items_that_are_fit_for_it() -> None:
    labels = simulated(400, missing=0.25, seed=36)
    found = difference(labels)
    positions = labels.positions
    fit = ((positions[:, :3] >= 0).sum(axis=1) >= 2) & (positions[:, 3:] >= 0).all(axis=1)
    assert found.n_excluded == labels.n_items - fit.sum()
    assert found.difference.n_items == fit.sum()
    subset = measure_agreement(labels.take(fit), Options(1, ("accuracy",)))
    assert subset.comparisons[0].n_excluded == 0
    assert found.difference.value == pytest.approx(subset.comparisons[0].difference.value)
    assert found.difference.ci == subset.comparisons[0].difference.ci
    plain = difference(labels, common_items_only=False)
    assert plain.n_excluded == 0
    assert plain.difference.n_items > fit.sum()
