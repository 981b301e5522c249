"""Resampling: how feature sums vary when items, or whole topics, are drawn again with replacement.

A `Design` knows the units (items reduced to cells, items by index, or topics) and yields replicates of the feature
sums; `resample` pushes them through a statistic in chunks of bounded memory. Feature sums are (F, b): the replicate
axis is last and contiguous. The same seed gives the same replicates whatever the chunk size.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.stats.intervals import Bounds, Sample
from engines.stats.results import FloatArray

CHUNK_BYTES = 32 << 20
SPARSE_CELLS = 4096  # beyond this many cells, draw item indices instead of multinomial counts
MAX_CHUNK = 2048  # small enough for a progress bar to move

Progress = Callable[[int, int], None]
Statistic = Callable[[FloatArray], FloatArray]  # feature sums (F, b) -> statistics (S, b), NaN where undefined


class Cancelled(Exception):
    """The caller cancelled between two chunks, so there is no result."""


def make_rng(seed: int) -> np.random.Generator:
    """The generator of a stored seed: PCG64 behind a SeedSequence."""
    return np.random.default_rng(np.random.SeedSequence(seed))


def draw_counts(rng: np.random.Generator, units: int, size: int) -> FloatArray:
    """(size, units) how often each unit is drawn, Multinomial(units, 1/units): by index, which is quicker here."""
    index = rng.integers(0, units, size=(size, units))
    index += np.arange(size)[:, None] * units
    return np.bincount(index.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def draw_cells(rng: np.random.Generator, counts: FloatArray) -> FloatArray:
    """(P,) how often each cell is drawn when its items are, by index: for very many cells."""
    member = np.repeat(np.arange(len(counts)), counts.astype(np.int64))
    return np.bincount(member[rng.integers(0, len(member), len(member))], minlength=len(counts)).astype(np.float64)


@dataclass(frozen=True)
class Design(ABC):
    """Units to resample and their feature sums.

    counts (L,) is how many units are identical, features (L, F) the feature sums of one of them.
    """

    counts: FloatArray
    features: Any

    @property
    def n_units(self) -> int:
        """Units drawn for each replicate."""
        return int(self.counts.sum())

    @property
    def row_bytes(self) -> int:
        """Memory that one replicate takes on the way, in bytes."""
        return 8 * (self.features.shape[0] + 4 * self.features.shape[1])

    @property
    @abstractmethod
    def total(self) -> FloatArray:
        """(F,) feature sums of the sample itself."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Feature sums of `size` replicates, (F, size)."""

    def leave_one_out(self, step: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Feature sums without one unit, (F, up to step), with how many units each stands for."""
        total = self.total
        for low in range(0, len(self.counts), step):
            yield total[:, None] - self.dense(low, low + step).T, self.counts[low : low + step]

    def dense(self, low: int = 0, high: int | None = None) -> FloatArray:
        """(high - low, F) the features of some parts."""
        return np.asarray(self.features[low:high])

    def chunk(self) -> int:
        """Replicates handled at once."""
        return int(min(MAX_CHUNK, max(1, CHUNK_BYTES // max(self.row_bytes, 1))))


class CellDesign(Design):
    """Items reduced to cells: one multinomial draw per replicate. counts (P,), features (P, F)."""

    @property
    def total(self) -> FloatArray:
        return np.asarray(self.counts @ self.features)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        if len(self.counts) > SPARSE_CELLS:
            drawn = np.stack([draw_cells(rng, self.counts) for _ in range(size)])
        else:
            drawn = rng.multinomial(self.n_units, self.counts / self.n_units, size=size).astype(np.float64)
        return np.asarray(self.features.T @ drawn.T)


class TopicDesign(Design):
    """Topics drawn whole, with all their items: features (C, F) are the feature sums of each topic."""

    @classmethod
    def of(cls, sums: FloatArray) -> TopicDesign:
        """The design of topics with these feature sums, (C, F)."""
        return cls(np.ones(len(sums)), sums)

    @property
    def total(self) -> FloatArray:
        return np.asarray(self.features.sum(axis=0))

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        return np.asarray(self.features.T @ draw_counts(rng, self.n_units, size).T)


class IndexDesign(Design):
    """Items drawn by index, for very many cells. counts (P,), features (P, F) as a sparse array."""

    @property
    def total(self) -> FloatArray:
        return np.asarray(self.features.T @ self.counts)

    @property
    def row_bytes(self) -> int:
        return 8 * 5 * int(self.features.shape[1])

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        by_feature = self.features.T
        sums = np.empty((size, self.features.shape[1]))
        for row in range(size):
            sums[row] = by_feature @ draw_cells(rng, self.counts)
        return np.ascontiguousarray(sums.T)

    def dense(self, low: int = 0, high: int | None = None) -> FloatArray:
        return np.asarray(self.features[low:high].toarray())


@dataclass(frozen=True)
class Resampled:
    """What resampling gave for S statistics, undefined values NaN.

    point (S,), replicates (S, B), left_out (S, L) with multiplicity (L,): how many units each left-out value is for.
    """

    point: FloatArray
    replicates: FloatArray
    left_out: FloatArray
    multiplicity: FloatArray

    def sample(self, index: int, n_units: int, limits: Bounds, n_informative: int | None = None) -> Sample:
        """The statistic at `index`, for its interval."""
        values = (float(self.point[index]), self.replicates[index], self.left_out[index])
        return Sample(*values, self.multiplicity, n_units, limits, n_informative)


def resample(
    design: Design,
    statistic: Statistic,
    *,
    resamples: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    chunk: int | None = None,
) -> Resampled:
    """The statistic on the sample, on `resamples` bootstrap replicates and with each unit left out.

    `progress` is called with the number of replicates that the last chunk added; where `cancelled` returns true before
    a chunk, the work ends with `Cancelled`. Memory: B x S for the replicates plus about 32 MiB, never B x n.
    """
    step = chunk or design.chunk()
    point = statistic(design.total[:, None])[:, 0]
    replicates = np.empty((len(point), resamples))
    for low in range(0, resamples, step):
        if cancelled is not None and cancelled():
            raise Cancelled
        high = min(low + step, resamples)
        replicates[:, low:high] = statistic(design.draw(rng, high - low))
        if progress is not None:
            progress(high - low)
    left_out, multiplicity = jackknife(design, statistic)
    return Resampled(point, replicates, left_out, multiplicity)


def jackknife(design: Design, statistic: Statistic) -> tuple[FloatArray, FloatArray]:
    """Leave-one-out values (S, L) and multiplicities (L,)."""
    values, weights = [], []
    for sums, weight in design.leave_one_out(design.chunk()):
        values.append(statistic(sums))
        weights.append(weight)
    return np.hstack(values), np.concatenate(weights)
