"""Made-up label sets for the tests: people and machine runs around a hidden truth, and hypothesis strategies."""

from collections.abc import Hashable, Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engines.stats import coincidence
from engines.stats.cells import reduce_rows
from engines.stats.group_analysis import group_values, level_counts
from engines.stats.labels import Annotator, Kind, Labels, make_labels
from engines.stats.results import Estimate, undefined
from engines.stats.statistics import Statistic, statistic

SCALE = (0, 1, 2)


def annotators(people: int, runs: int) -> list[Annotator]:
    machine = [Annotator(f"G{run + 1}", Kind.MACHINE, "model", str(run + 1)) for run in range(runs)]
    return [Annotator(f"H{index + 1}") for index in range(people)] + machine


def noisy(rng: np.random.Generator, truth: np.ndarray, error: float = 0.3) -> np.ndarray:
    moved = np.clip(truth + rng.choice([-1, 1], size=len(truth)), 0, 2)
    return np.where(rng.random(len(truth)) < error, moved, truth)


def simulated(
    n: int, *, people: int = 3, runs: int = 2, missing: float = 0.0, topics: int | None = None, seed: int = 0
) -> Labels:
    """`n` items on a 0-2 scale; the runs of the machine resemble each other more than people do."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n, p=[0.45, 0.35, 0.2])
    machine = noisy(rng, truth, 0.35)
    columns = [noisy(rng, truth) for _ in range(people)] + [noisy(rng, machine, 0.03) for _ in range(runs)]
    matrix = np.column_stack(columns)
    matrix[rng.random(matrix.shape) < missing] = -1
    ids = None if topics is None else rng.integers(0, topics, n)
    return make_labels(matrix, SCALE, annotators(people, runs), topics=ids)


def matrices(
    *, levels: int = 3, max_items: int = 25, min_annotators: int = 2, max_annotators: int = 5, missing: bool = True
) -> st.SearchStrategy[np.ndarray]:
    """Position matrices (n, m), -1 missing, of any size down to no item at all."""
    shape = st.tuples(st.integers(0, max_items), st.integers(min_annotators, max_annotators))
    low = -1 if missing else 0
    return shape.flatmap(lambda size: hnp.arrays(np.int64, size, elements=st.integers(low, levels - 1)))


def standard_error_of_mean(values: Sequence[float]) -> float:
    """sqrt(sum (x - mean)²) / Q, the limit of the query bootstrap for a plain mean."""
    scores = np.asarray(values, dtype=np.float64)
    return float(np.sqrt(((scores - scores.mean()) ** 2).sum()) / len(scores))


def encode(rows: Sequence[Sequence[Hashable | None]], scale: Sequence[Hashable]) -> np.ndarray:
    """Rows of label values (None where missing) as positions on the scale, shape (n, m)."""
    coded = [[-1 if label is None else scale.index(label) for label in row] for row in rows]
    return np.array(coded, dtype=np.int16).reshape(len(coded), len(coded[0]) if coded else 0)


def group_figure(positions: np.ndarray, levels: int, which: str | Statistic) -> Estimate:
    """Alpha, Fleiss' kappa or Gwet's coefficient of all columns of (n, m) positions, -1 missing."""
    cells = reduce_rows(level_counts(positions.astype(np.int16), levels), positions.shape[1] + 2)
    sums = coincidence.split(cells.counts @ coincidence.features(cells.patterns), levels)
    record = which if isinstance(which, Statistic) else statistic(which)
    value, n_items = float(group_values(record, sums)), int(sums.paired)
    if positions.shape[1] < 2 or np.isnan(value):
        return undefined(coincidence.undefined_reason(positions.shape[1], n_items), n_items=n_items)
    return Estimate(value, None, n_items)
