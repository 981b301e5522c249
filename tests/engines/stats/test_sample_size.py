"""The sample size helper: formulas, pilots, simulation against the formula."""

import json
from statistics import NormalDist

import numpy as np
import pytest

from engines.stats.bootstrap import make_rng
from engines.stats.labels import make_labels
from engines.stats.reasons import Reason
from engines.stats.sample_size import (
    half_width,
    items_for_difference,
    items_for_half_width,
    items_without_pilot,
    pilot,
    power_for_difference,
    simulate,
)
from tests.engines.stats.examples import SCALE, simulated


def test_formulas_and_their_inverses() -> None:
    assert items_for_half_width(0.4, 0.05) == int(np.ceil((1.959964 * 0.4 / 0.05) ** 2))
    n = items_for_half_width(0.4, 0.05)
    assert half_width(0.4, n) <= 0.05 < half_width(0.4, n - 1)
    n = items_for_difference(0.4, 0.05)
    assert power_for_difference(0.4, 0.05, n) >= 0.8 > power_for_difference(0.4, 0.05, n - 2)
    assert items_for_difference(0.4, 0.05, design_effect=4) == pytest.approx(4 * n, abs=4)
    assert items_without_pilot(0.6, 0.05) == int(np.ceil(3.8415 * 0.24 / 0.0025))
    assert items_without_pilot(0.6, 0.05, n_pairs=3) == pytest.approx(0.6 * items_without_pilot(0.6, 0.05), abs=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: items_for_half_width(0.4, 0),
        lambda: items_for_difference(0.4, -1),
        lambda: half_width(0.4, 0),
        lambda: power_for_difference(0, 0.1, 100),
        lambda: items_without_pilot(1.0, 0.05),
    ],
)
def test_wishes_without_sense_are_refused(call: object) -> None:
    with pytest.raises(ValueError, match=r"above 0|between 0 and 1"):
        call()  # type: ignore[operator]


def test_a_pilot_gives_the_sigma_of_each_row_of_the_report() -> None:
    labels = simulated(400, topics=40, seed=1)
    p = (labels.positions[:, 0] == labels.positions[:, 1]).mean()
    two = make_labels(labels.positions[:, :2], SCALE, labels.annotators[:2])
    single = pilot(two, "accuracy", "mean")
    assert single.sigma == pytest.approx(np.sqrt(p * (1 - p)), rel=0.01)
    assert single.design_effect is None
    for block in ("mean", "HH", "GH", "GG", "HH-GH"):
        found = pilot(labels, "macro_f1", block)
        assert found.sigma is not None
        assert 0.1 < found.sigma < 1
        assert found.design_effect == pytest.approx(1.0, abs=0.8)  # topics are drawn at random here
    for block in ("all", "HH", "GG"):
        found = pilot(labels, "alpha_ordinal", block)
        assert found.sigma is not None
        assert json.dumps(found.to_json(), allow_nan=False)
    with pytest.raises(ValueError, match="no block 'XX'"):
        pilot(labels, "accuracy", "XX")
    with pytest.raises(ValueError, match="no block"):
        pilot(labels, "alpha_ordinal", "GH")


def test_a_pilot_without_a_figure_or_without_variation_says_why() -> None:
    constant = make_labels(np.ones((50, 2), dtype=int), SCALE, ["a", "b"])
    assert pilot(constant, "spearman", "mean").reason is Reason.CONSTANT_ANNOTATOR
    assert pilot(constant, "accuracy", "mean").reason is Reason.NO_VARIATION
    assert simulate(constant, "spearman", "mean", n_items=50, rng=make_rng(1)).half_width is None


@pytest.mark.parametrize(("statistic", "block"), [("macro_f1", "HH"), ("alpha_ordinal", "all"), ("accuracy", "HH-GH")])
def test_simulation_confirms_the_formula_for_the_half_width(statistic: str, block: str) -> None:
    labels = simulated(1500, seed=2)
    sigma = pilot(labels, statistic, block).sigma
    assert sigma is not None
    found = simulate(labels, statistic, block, n_items=300, rng=make_rng(3), data_sets=300)
    assert found.half_width == pytest.approx(half_width(sigma, 300), rel=0.17)  # 4 sd of 300 data sets
    assert found.n_undefined == 0


def test_simulation_confirms_the_formula_for_power() -> None:
    labels = simulated(1500, seed=4)
    sigma = pilot(labels, "macro_f1", "HH-GH").sigma
    assert sigma is not None
    found = simulate(labels, "macro_f1", "HH-GH", n_items=250, rng=make_rng(5), delta=0.05, data_sets=300)
    formula = power_for_difference(sigma, 0.05, 250)
    assert found.power == pytest.approx(formula, abs=4 * np.sqrt(formula * (1 - formula) / 300))
    assert 0.1 < formula < 0.95


@pytest.mark.parametrize(("statistic", "block"), [("alpha_ordinal", "all"), ("gwet_ac1", "all"), ("accuracy", "HH")])
def test_simulation_and_formula_count_the_items_that_enter(statistic: str, block: str) -> None:
    """Many items of the pilot have a single label: they bring nothing to agreement, and n does not count them."""
    base = simulated(600, people=2, runs=0, seed=9)
    positions = base.positions.copy()
    positions[np.arange(600) % 3 > 0, 1] = -1
    labels = make_labels(positions, SCALE, base.annotators)
    found = pilot(labels, statistic, block)
    assert found.n_items == 200
    outcome = simulate(labels, statistic, block, n_items=300, rng=make_rng(4), data_sets=400)
    assert outcome.half_width == pytest.approx(half_width(found.sigma, 300), rel=0.12)


def test_normal_quantiles_are_those_of_the_specification() -> None:
    assert NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8) == pytest.approx(2.80, abs=0.002)
