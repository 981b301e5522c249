"""What must hold for any labels (statistics.md 7), found by hypothesis, and agreement with other libraries."""

import math
import warnings
from random import Random

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from engines.stats import dawid_skene
from engines.stats.figures import pair_figure, topic_table
from engines.stats.labels import make_labels
from engines.stats.pairwise import confusion, tabulate
from engines.stats.reasons import Reason
from engines.stats.results import Estimate
from engines.stats.significance import holm
from engines.stats.statistics import STATISTICS, statistics_for
from tests.engines.stats.examples import group_figure, matrices
from tests.engines.stats.vectors import LINEAR_AC2

PAIR = {name: each for name, each in STATISTICS.items() if each.pair}
GROUP = {name: each for name, each in STATISTICS.items() if each.group} | {LINEAR_AC2.name: LINEAR_AC2}
CLOSE = 1e-9
FEWER = settings(max_examples=40)  # each example computes every statistic twice


def all_figures(matrix: np.ndarray, levels: int = 3) -> dict[str, Estimate]:
    pairs = {name: pair_figure(matrix[:, 0], matrix[:, 1], levels, name) for name in PAIR}
    groups = {f"group {name}": group_figure(matrix, levels, each) for name, each in GROUP.items()}
    return pairs | groups


def same(one: dict[str, Estimate], two: dict[str, Estimate], *, but: tuple[str, ...] = ()) -> None:
    for name, estimate in one.items():
        if any(word in name for word in but):
            continue
        other = two[name]
        assert estimate.reason is other.reason, name
        if estimate.value is not None:
            assert other.value == pytest.approx(estimate.value, abs=CLOSE), name


@FEWER
@given(matrices())
def test_every_value_is_finite_or_has_a_reason(matrix: np.ndarray) -> None:
    for name, estimate in all_figures(matrix).items():
        assert (estimate.value is None) == (estimate.reason is not None), name
        if estimate.value is not None:
            assert math.isfinite(estimate.value)
            assert estimate.value <= 1 + CLOSE, name
            assert estimate.value >= -1 - CLOSE or name.startswith("group"), name


@FEWER
@given(matrices(), st.randoms(use_true_random=False))
def test_item_order_changes_nothing(matrix: np.ndarray, random: Random) -> None:
    order = list(range(len(matrix)))
    random.shuffle(order)
    same(all_figures(matrix), all_figures(matrix[order]))


@FEWER
@given(matrices())
def test_annotator_order_changes_nothing(matrix: np.ndarray) -> None:
    swapped = matrix.copy()
    swapped[:, [0, 1]] = matrix[:, [1, 0]]
    same(all_figures(matrix), all_figures(swapped))


@pytest.mark.slow
@FEWER
@given(matrices())
def test_rows_without_labels_change_nothing(matrix: np.ndarray) -> None:
    padded = np.vstack([matrix, np.full((3, matrix.shape[1]), -1)])
    same(all_figures(matrix), all_figures(padded))


@FEWER
@given(matrices())
def test_reversing_the_scale_changes_nothing(matrix: np.ndarray) -> None:
    reversed_scale = np.where(matrix >= 0, 2 - matrix, -1)
    same(all_figures(matrix), all_figures(reversed_scale))


@FEWER
@given(matrices(), st.permutations([0, 1, 2]))
def test_renaming_the_levels_changes_no_nominal_figure(matrix: np.ndarray, names: list[int]) -> None:
    renamed = np.where(matrix >= 0, np.array(names)[matrix], -1)
    one, two = all_figures(matrix), all_figures(renamed)
    known = set(statistics_for("nominal"))
    nominal = {name for name in one if name.removeprefix("group ") in known}
    assert nominal == (known & PAIR.keys()) | {f"group {name}" for name in known & GROUP.keys()}
    same({name: one[name] for name in nominal}, two)


@FEWER
@given(matrices(min_annotators=3, max_annotators=4), st.randoms(use_true_random=False))
def test_the_order_of_any_number_of_annotators_changes_no_joint_figure(matrix: np.ndarray, random: Random) -> None:
    order = list(range(matrix.shape[1]))
    random.shuffle(order)
    for name, each in GROUP.items():
        same({name: group_figure(matrix, 3, each)}, {name: group_figure(matrix[:, order], 3, each)})


@FEWER
@given(matrices())
def test_doubling_every_row_keeps_all_but_alpha(matrix: np.ndarray) -> None:
    # One item alone leaves an annotator constant, twice the item as well: reasons stay, too. Tau has N(N-1)/2 pairs,
    # but ties are taken out on both sides, so it stays.
    same(all_figures(matrix), all_figures(np.vstack([matrix, matrix])), but=("alpha",))


@FEWER
@given(matrices(min_annotators=1, max_annotators=1))
def test_identical_annotators_agree_perfectly(column: np.ndarray) -> None:
    matrix = np.repeat(column, 3, axis=1)
    used = np.unique(column[column >= 0])
    for name, estimate in all_figures(matrix).items():
        if not len(used):
            assert estimate.reason in (Reason.NO_OVERLAP, Reason.NO_ITEM_WITH_TWO_LABELS), name
        elif len(used) == 1 and not any(word in name for word in ("accuracy", "f1", "gwet")):
            assert estimate.reason in (Reason.ONE_CLASS_ONLY, Reason.CONSTANT_ANNOTATOR), name
        else:
            assert estimate.value == pytest.approx(1.0, abs=CLOSE), name


@given(matrices())
def test_macro_f1_is_the_mean_over_the_classes_in_use(matrix: np.ndarray) -> None:
    table = tabulate(matrix[:, 0], matrix[:, 1], 3)
    per_class = [value for value in confusion(table).class_agreement if value is not None]
    found = pair_figure(matrix[:, 0], matrix[:, 1], 3, "macro_f1")
    assert found.value == (pytest.approx(np.mean(per_class)) if per_class else None)


@given(matrices(levels=2))
def test_on_two_levels_the_three_kappas_are_one(matrix: np.ndarray) -> None:
    found = [
        pair_figure(matrix[:, 0], matrix[:, 1], 2, name)
        for name in ("cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic")
    ]
    assert len({(one.reason, None if one.value is None else round(one.value, 12)) for one in found}) == 1


@pytest.mark.slow
@FEWER
@given(matrices(max_annotators=2, missing=False, levels=4))
def test_pairwise_statistics_agree_with_scikit_learn_and_scipy(matrix: np.ndarray) -> None:
    from sklearn import metrics  # slow to import

    assume(len(matrix) >= 2)
    first, second = matrix.T
    scale = list(range(4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both libraries warn where we give a reason
        expected = {
            "accuracy": metrics.accuracy_score(first, second),
            "macro_f1": metrics.f1_score(first, second, average="macro", zero_division=0),
            "cohen_kappa": metrics.cohen_kappa_score(first, second, labels=scale),
            "cohen_kappa_linear": metrics.cohen_kappa_score(first, second, labels=scale, weights="linear"),
            "cohen_kappa_quadratic": metrics.cohen_kappa_score(first, second, labels=scale, weights="quadratic"),
            "spearman": stats.spearmanr(first, second).statistic,
            "kendall_tau_b": stats.kendalltau(first, second).statistic,
        }
    for name, value in expected.items():
        found = pair_figure(first, second, 4, name)
        if found.value is None:
            assert not np.isfinite(value) or found.reason is Reason.ONE_CLASS_ONLY, name
        else:
            assert found.value == pytest.approx(value, abs=CLOSE), name


@FEWER
@given(matrices(levels=4))
def test_alpha_agrees_with_the_krippendorff_package(matrix: np.ndarray) -> None:
    data = np.where(matrix >= 0, matrix, np.nan).astype(float).T
    for metric in ("nominal", "ordinal", "interval"):
        found = group_figure(matrix, 4, f"alpha_{metric}")
        assume(found.value is not None)
        expected = krippendorff.alpha(data, level_of_measurement=metric, value_domain=[0.0, 1.0, 2.0, 3.0])
        assert found.value == pytest.approx(expected, abs=CLOSE)


@given(matrices(max_annotators=2))
def test_pair_alpha_is_the_group_alpha_of_two(matrix: np.ndarray) -> None:
    for name in ("alpha_nominal", "alpha_ordinal", "alpha_interval"):
        pair = pair_figure(matrix[:, 0], matrix[:, 1], 3, name)
        group = group_figure(matrix, 3, name)
        assert pair.reason is group.reason
        assert pair.value == (None if group.value is None else pytest.approx(group.value, abs=CLOSE))


@given(matrices(max_items=30), st.integers(1, 6))
def test_a_figure_per_topic_is_the_figure_of_its_items(matrix: np.ndarray, topics: int) -> None:
    ids = np.arange(len(matrix)) % topics
    labels = make_labels(matrix, (0, 1, 2), [f"a{index}" for index in range(matrix.shape[1])], topics=ids)
    assume(labels.n_items > 0)
    assert labels.topics is not None
    for name in ("alpha_ordinal", "gwet_ac1"):
        for topic, found in enumerate(topic_table(labels, [name])[name]):
            alone = group_figure(labels.positions[labels.topics == topic], 3, name)
            assert found.reason is alone.reason
            assert found.value == (None if alone.value is None else pytest.approx(alone.value, abs=CLOSE))
    for topic, found in enumerate(topic_table(labels, ["accuracy"])["accuracy"]):
        own = labels.positions[labels.topics == topic]
        columns = range(own.shape[1])
        values = [pair_figure(own[:, a], own[:, b], 3, "accuracy").value for a in columns for b in columns if a < b]
        defined = [value for value in values if value is not None]
        assert found.value == (pytest.approx(np.mean(defined)) if defined else None)


@settings(max_examples=60)
@given(matrices(), st.sampled_from([0.0, 0.5]))
def test_dawid_skene_never_loses_likelihood_and_gives_shares(matrix: np.ndarray, smoothing: float) -> None:
    assume((matrix >= 0).any())
    found = dawid_skene.fit(matrix, 3, smoothing=smoothing)  # raises ArithmeticError were the likelihood to fall
    assert found.posterior.sum(axis=1) == pytest.approx(np.ones(len(matrix)))
    assert found.prior.sum() == pytest.approx(1.0)
    assert found.errors.sum(axis=2) == pytest.approx(np.ones(found.errors.shape[:2]))
    certain = found.posterior.max(axis=1) >= 0.6
    labelled = (matrix >= 0).any(axis=1)
    assert ((found.labels >= 0) == (certain & labelled)).all()


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holm_never_lowers_a_p(values: list[float | None]) -> None:
    adjusted = holm(values)
    for raw, corrected in zip(values, adjusted, strict=True):
        assert (raw is None) == (corrected is None)
        if raw is not None and corrected is not None:
            assert raw <= corrected <= 1
    order = sorted((raw, corrected) for raw, corrected in zip(values, adjusted, strict=True) if raw is not None)
    assert [corrected for _, corrected in order] == sorted(corrected for _, corrected in order)
