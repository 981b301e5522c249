"""Resampling: the law of the replicates, reproducibility, chunks, cancelling, memory."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from engines.stats import bootstrap
from engines.stats.blocks import Plan, plan
from engines.stats.bootstrap import Cancelled, Design, IndexDesign, TopicDesign, make_rng, resample
from engines.stats.cells import reduce_rows, sum_by_topic
from engines.stats.labels import Labels, make_labels
from engines.stats.pair_analysis import PairAnalysis, Target, analyse_pairs
from engines.stats.pair_features import sum_pairs_by_topic
from engines.stats.pairwise import Tables, spearman, tabulate
from engines.stats.results import FloatArray
from tests.engines.stats.examples import annotators, simulated


def prepared(labels: Labels, statistic: str = "spearman", scope: str = "mean") -> tuple[PairAnalysis, Target]:
    whole = plan(labels, with_pairs=False)
    rows = tuple(row for row in whole.rows if row.scope == scope)[:1]
    part = Plan(whole.matrix, whole.levels, (), whole.pairs, rows)
    names = tuple(annotator.name for annotator in labels.annotators)
    analysis = analyse_pairs(part, names, labels.topics, min_common=1)
    return analysis, analysis.targets([statistic])[0]


def replicates(design: Design, evaluate: Callable[[FloatArray], FloatArray], count: int, seed: int) -> FloatArray:
    return resample(design, evaluate, resamples=count, rng=make_rng(seed)).replicates[0]


def by_index(labels: Labels, count: int, seed: int) -> np.ndarray:
    """The textbook way: draw item indices, tabulate, take the statistic of the first two annotators."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        drawn = labels.positions[rng.integers(0, labels.n_items, labels.n_items)]
        found.append(float(spearman(Tables(tabulate(drawn[:, 0], drawn[:, 1], labels.levels)))))
    return np.array(found)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_multinomial_on_cells_has_the_law_of_index_resampling(missing: float) -> None:
    labels = simulated(60, people=2, runs=0, missing=missing, seed=5)
    analysis, target = prepared(labels)
    ours = replicates(analysis.design, analysis.evaluator([target]), 4000, 6)
    theirs = by_index(labels, 4000, 7)
    assert stats.ks_2samp(ours, theirs[np.isfinite(theirs)]).pvalue > 0.001
    assert ours.std() == pytest.approx(theirs.std(), rel=0.08)


def test_drawing_items_by_index_has_the_law_of_the_cells() -> None:
    labels = simulated(80, missing=0.2, seed=8)
    analysis, target = prepared(labels)
    sparse = IndexDesign(analysis.cells.counts, analysis.features)
    assert (sparse.total == analysis.design.total).all()
    evaluate = analysis.evaluator([target])
    one, two = (replicates(design, evaluate, 4000, 9) for design in (analysis.design, sparse))
    assert stats.ks_2samp(one, two).pvalue > 0.001
    dense_out = bootstrap.jackknife(analysis.design, evaluate)
    sparse_out = bootstrap.jackknife(sparse, evaluate)
    assert (dense_out[0] == sparse_out[0]).all()
    assert (dense_out[1] == sparse_out[1]).all()


def test_one_item_per_topic_is_the_item_bootstrap_in_law() -> None:
    labels = simulated(70, runs=0, seed=10)
    alone = replace(labels, topics=np.arange(70))
    by_item, target = prepared(labels)
    by_topic, _ = prepared(alone)
    assert isinstance(by_topic.design, TopicDesign)
    one = replicates(by_item.design, by_item.evaluator([target]), 4000, 11)
    two = replicates(by_topic.design, by_topic.evaluator([target]), 4000, 12)
    assert stats.ks_2samp(one, two).pvalue > 0.001
    assert sum(bootstrap.jackknife(by_topic.design, by_topic.evaluator([target]))[0][0]) == pytest.approx(
        np.dot(*(values.ravel() for values in bootstrap.jackknife(by_item.design, by_item.evaluator([target]))))
    )


@pytest.mark.parametrize("design", ["cells", "topics", "index"])
def test_chunks_and_item_order_do_not_change_a_single_bit(design: str) -> None:
    labels = simulated(90, missing=0.2, topics=12 if design == "topics" else None, seed=13)
    analysis, target = prepared(labels, "macro_f1")
    evaluate = analysis.evaluator([target])

    def draw(source: PairAnalysis, chunk: int | None) -> FloatArray:
        own = source.design
        if design == "index":
            own = IndexDesign(source.cells.counts, source.features)
        return resample(own, evaluate, resamples=1000, rng=make_rng(14), chunk=chunk).replicates

    whole = draw(analysis, None)
    for chunk in (1, 7, 333):
        assert (draw(analysis, chunk) == whole).all()
    if design != "topics":
        order = np.random.default_rng(15).permutation(90)
        shuffled, _ = prepared(make_labels(labels.positions[order], labels.scale, labels.annotators), "macro_f1")
        assert (draw(shuffled, None) == whole).all()


def test_topic_sums_are_the_same_by_either_road() -> None:
    labels = simulated(200, missing=0.3, topics=17, seed=16)
    assert labels.topics is not None
    analysis, _ = prepared(labels)
    dense = sum_by_topic(analysis.cells, labels.topics, analysis.features.toarray())
    assert (dense == sum_pairs_by_topic(analysis.features, analysis.cells.inverse, labels.topics)).all()
    assert (dense.sum(axis=0) == analysis.features.T @ analysis.cells.counts).all()


def test_many_cells_switch_to_drawing_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.stats.pair_analysis.SPARSE_CELLS", 5)
    analysis, _ = prepared(simulated(60, seed=17))
    assert isinstance(analysis.design, IndexDesign)
    clustered, _ = prepared(simulated(60, topics=9, seed=17))
    assert isinstance(clustered.design, TopicDesign)


def test_very_many_cells_are_drawn_by_index_with_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis, target = prepared(simulated(60, missing=0.2, seed=22))
    evaluate = analysis.evaluator([target])
    one = replicates(analysis.design, evaluate, 4000, 23)
    monkeypatch.setattr("engines.stats.bootstrap.SPARSE_CELLS", 5)
    two = replicates(analysis.design, evaluate, 4000, 24)
    assert stats.ks_2samp(one, two).pvalue > 0.001


def test_progress_adds_up_and_cancelling_stops_between_chunks() -> None:
    analysis, target = prepared(simulated(50, seed=18))
    heard: list[int] = []
    given = {"resamples": 1000, "rng": make_rng(1), "progress": heard.append, "chunk": 300}
    resample(analysis.design, analysis.evaluator([target]), **given)
    assert heard == [300, 300, 300, 100]
    heard.clear()
    with pytest.raises(Cancelled):
        resample(analysis.design, analysis.evaluator([target]), cancelled=lambda: len(heard) >= 2, **given)
    assert heard == [300, 300]


def test_memory_does_not_grow_with_items_times_resamples() -> None:
    analysis, target = prepared(simulated(50_000, seed=19))
    design, evaluate = analysis.design, analysis.evaluator([target])
    tracemalloc.start()
    resample(design, evaluate, resamples=5000, rng=make_rng(2))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 80 << 20  # indices alone would take 2 GB


def test_cells_of_very_wide_matrices_are_exact() -> None:
    rng = np.random.default_rng(20)
    matrix = rng.integers(-1, 4, size=(400, 60))
    matrix[200:] = matrix[:200]
    cells = reduce_rows(matrix, 5)
    assert cells.n_cells == 200
    assert (cells.counts == 2).all()
    assert (cells.patterns[cells.inverse] == matrix).all()


def test_cells_are_sorted_by_count_and_reproduce_the_rows() -> None:
    labels = simulated(500, missing=0.2, seed=21)
    cells = reduce_rows(labels.positions, 4)
    assert (np.diff(cells.counts) <= 0).all()
    assert cells.counts.sum() == 500
    assert (cells.patterns[cells.inverse] == labels.positions).all()
    assert reduce_rows(np.zeros((0, 3), dtype=np.int64), 4).n_cells == 0


def test_the_plan_names_people_and_machines() -> None:
    assert [one.group for one in annotators(1, 2)] == ["H1", "model", "model"]
