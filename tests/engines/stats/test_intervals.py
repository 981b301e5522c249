"""Intervals and p-values: rules for small samples, undefined draws, duality, coverage, size of the test."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from bench import interval_draws, intervals
from engines.stats import coincidence
from engines.stats.comparison import Comparison
from engines.stats.group_analysis import group_values, level_counts
from engines.stats.intervals import (
    METHODS,
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
from engines.stats.labels import Labels, make_labels
from engines.stats.reasons import Flag, Reason
from engines.stats.report import Options, measure_agreement
from engines.stats.results import Interval
from engines.stats.statistics import statistic as record_of
from tests.engines.stats.examples import SCALE, annotators, simulated


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
        ("item", 49, ("jackknife_t", None, True)),
        ("item", 50, ("bca", None, True)),
        ("item", 100, ("bca", None, False)),
        ("topic", 7, ("auto", Reason.TOO_FEW_QUERIES, True)),
        ("topic", 8, ("jackknife_t", None, True)),
        ("topic", 49, ("jackknife_t", None, True)),
        ("topic", 99, ("jackknife_t", None, False)),
        ("topic", 100, ("bca", None, False)),
    ],
)
def test_which_interval_heads_the_report(unit: str, units: int, expected: tuple[str, Reason | None, bool]) -> None:
    assert headline(request("auto", unit), units) == expected


@pytest.mark.parametrize(
    ("unit", "method", "expected"),
    [  # macro F1: both ends of H-H, and p of H-H = G-H, as version 0.1.0 had them
        ("item", "percentile", [0.6480651105946882, 0.7326581018637978, 0.03396603396603397]),
        ("item", "bca", [0.6491935389315566, 0.7352456724194897, 0.03451050041766457]),
        ("item", "jackknife_t", [0.646712871016861, 0.7346525527459182, 0.04879780436845484]),
        ("topic", "percentile", [0.651816681487847, 0.7249444425120106, 0.015984015984015984]),
        ("topic", "bca", [0.6528342137204146, 0.7256841397290669, 0.017866364289308434]),
        ("topic", "jackknife_t", [0.6502023562459486, 0.7311630675168307, 0.032573781974854533]),
    ],
)
def test_an_interval_asked_for_by_name_stays_bit_for_bit(unit: str, method: str, expected: list[float]) -> None:
    """Whatever "auto" takes. DORIS-MAE's Table 1 is the percentile interval of items."""
    labels = simulated(250, topics=60, seed=41)
    options = Options(7, ("macro_f1",), resamples=1000, pairs=False, interval=method, unit=unit)
    found = measure_agreement(labels, options)
    ci = found.find("macro_f1", "block", "HH").estimate.ci
    assert ci is not None
    assert [ci.low, ci.high, found.find("macro_f1", "block", "GH").estimate.p] == expected


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


# --- simulation: coverage of the interval, errors of the equivalence test ---------------------------------------------

DRAWS = 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["items-100-other-margins", "items-100-high-agreement", "topics-20x12-exchangeable", "means-50-scores"],
)
def test_what_auto_takes_covers_and_claims_equivalence_seldom(name: str) -> None:
    """A hundred data sets of four designs; docs/intervals.md has 2,000 of all."""
    design = interval_draws.DESIGNS[name]
    auto = intervals.auto_of(design)
    resamples = 50 if auto == "jackknife_t" else interval_draws.RESAMPLES  # a jackknife looks at none of them
    found = interval_draws.simulate(design, DRAWS, resamples, methods=[auto])
    for figure, of_method in found["figures"].items():
        counts = of_method[auto]
        given = DRAWS - counts["none"]
        assert given > 0.9 * DRAWS, figure
        assert counts["covered"] / given > 0.95 - 4 * (0.95 * 0.05 / DRAWS) ** 0.5, figure
        assert max(counts["tost_high"], counts["tost_low"]) / given < 0.08 + 3 * (0.08 * 0.92 / DRAWS) ** 0.5, figure


def test_auto_takes_what_the_simulation_found_best() -> None:
    """By what coverage lacks and one-sided errors exceed, over all figures of the designs of one size."""
    found = interval_draws.stored()
    assert set(found) == set(interval_draws.DESIGNS)
    assert {each["draws"] for each in found.values()} == {2_000}
    for kind, units in sorted({(one.kind, one.units) for one in interval_draws.DESIGNS.values()}):
        designs = [one for one in interval_draws.DESIGNS.values() if (one.kind, one.units) == (kind, units)]
        lacks = {method: what_is_lacking(found, designs, method) for method in METHODS}
        assert lacks[intervals.auto_of(designs[0])] <= min(lacks.values()) + 0.002, (kind, units, lacks)


def what_is_lacking(found: dict[str, Any], designs: list[interval_draws.Design], method: str) -> float:
    lacks: dict[str, list[float]] = {"covered": [], "tost_high": [], "tost_low": []}
    for each in (found[design.name] for design in designs):
        for counts in (of_method[method] for of_method in each["figures"].values()):
            for name, seen in lacks.items():
                part = intervals.share(counts, name, each["draws"])
                if part is not None:
                    seen.append(max(0.0, 0.95 - part if name == "covered" else part - 0.05))
    return sum(sum(seen) / len(seen) for seen in lacks.values())


def test_the_committed_table_is_that_of_the_committed_results() -> None:
    assert intervals.DOCUMENT.read_text(encoding="utf-8") == intervals.document(interval_draws.stored())


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
