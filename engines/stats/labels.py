"""Labels as a matrix: items in rows, annotators in columns, positions on the declared scale, -1 where missing."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from engines.stats.results import BoolArray, IntArray

MISSING = -1
Positions = NDArray[np.int16]


class Kind(StrEnum):
    """Who labelled: a person, or one run of a machine annotator."""

    HUMAN = "human"
    MACHINE = "machine"


@dataclass(frozen=True)
class Annotator:
    """A column of the matrix. Each run of a machine has its own column; runs share their `model`."""

    name: str
    kind: Kind = Kind.HUMAN
    model: str | None = None
    run: str | None = None
    follows_others: bool = False  # from other columns, as a committee of machines does

    @property
    def group(self) -> str:
        """The model that runs are pooled under; a machine without one is its own model."""
        return self.model or self.name


@dataclass(frozen=True)
class Labels:
    """Everything the agreement statistics need to know about the labels of one criterion.

    positions    (n items, m annotators) int16, position 0..K-1 on `scale`, -1 where missing
    scale        the declared levels in order, K >= 2, whether they occur or not
    topics       (n,) cluster number of each item, or None when items stand alone
    adjudicated  (n,) the adjudicated label of each item as a position, -1 where unresolved, or None
    voters       the columns whose labels went into the adjudicated label; None: those of all people

    Rows without any annotator's label are dropped on the way in; `n_dropped` says how many.
    """

    positions: Positions
    scale: tuple[Hashable, ...]
    annotators: tuple[Annotator, ...]
    topics: IntArray | None = None
    adjudicated: Positions | None = None
    n_dropped: int = 0
    voters: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        rows, columns = self.positions.shape
        if len(self.scale) < 2 or len(set(self.scale)) != len(self.scale):
            raise ValueError("a scale needs at least two levels, all different")
        if columns != len(self.annotators):
            raise ValueError(f"{columns} columns but {len(self.annotators)} annotators")
        if len({annotator.name for annotator in self.annotators}) != columns:
            raise ValueError("annotator names must be unique")
        for name, column in (("topics", self.topics), ("adjudicated", self.adjudicated)):
            if column is not None and column.shape != (rows,):
                raise ValueError(f"{name} must have one entry for each of the {rows} items")
        if not set(self.voters or ()) <= set(range(columns)):
            raise ValueError("a voter is not among the columns")
        _check_range(self.positions, len(self.scale))
        if self.adjudicated is not None:
            _check_range(self.adjudicated, len(self.scale))

    @property
    def n_items(self) -> int:
        return int(self.positions.shape[0])

    @property
    def levels(self) -> int:
        """K, the size of the declared scale."""
        return len(self.scale)

    @property
    def voting(self) -> tuple[int, ...]:
        """The columns that took part in the adjudicated label; none where there is no such label."""
        if self.adjudicated is None:
            return ()
        return self.columns_of(Kind.HUMAN) if self.voters is None else self.voters

    def independent(self) -> tuple[int, ...]:
        """The columns that figures over everybody are made of: nobody is counted again through a committee."""
        return tuple(index for index, one in enumerate(self.annotators) if not one.follows_others)

    def columns_of(self, kind: Kind) -> tuple[int, ...]:
        return tuple(index for index, one in enumerate(self.annotators) if one.kind is kind)

    def models(self) -> dict[str, tuple[int, ...]]:
        """The columns of each machine model, in order of appearance."""
        groups: dict[str, list[int]] = {}
        for index in self.columns_of(Kind.MACHINE):
            groups.setdefault(self.annotators[index].group, []).append(index)
        return {model: tuple(columns) for model, columns in groups.items()}

    def take(self, mask: BoolArray) -> "Labels":
        """The labels of some items (a boolean mask of length n), for one split or one topic; all annotators stay."""
        return make_labels(
            self.positions[mask],
            self.scale,
            self.annotators,
            topics=None if self.topics is None else self.topics[mask],
            adjudicated=None if self.adjudicated is None else self.adjudicated[mask],
            voters=self.voters,
        )


def _check_range(positions: Positions, levels: int) -> None:
    if positions.size and (positions.min() < MISSING or positions.max() >= levels):
        raise ValueError(f"positions must lie between 0 and {levels - 1}, or be {MISSING} where missing")


def make_labels(
    positions: NDArray[np.integer],
    scale: Sequence[Hashable],
    annotators: Sequence[Annotator | str],
    *,
    topics: Sequence[Hashable] | NDArray[np.generic] | None = None,
    adjudicated: NDArray[np.integer] | None = None,
    voters: Sequence[int] | None = None,
) -> Labels:
    """Labels from positions on the scale, without the rows nobody labelled.

    `topics` may be any hashable, sortable ids; plain names in `annotators` are taken for people. `voters` are the
    columns behind `adjudicated` (None: all people). Raises ValueError on shapes that do not fit
    and on positions off the scale.
    """
    matrix = np.asarray(positions)
    if matrix.ndim != 2:
        raise ValueError("positions must be a matrix of items by annotators")
    _check_range(matrix, len(scale))  # before narrowing, which could wrap
    kept = (matrix != MISSING).any(axis=1)
    people = tuple(Annotator(one) if isinstance(one, str) else one for one in annotators)
    if topics is not None and len(topics) != len(matrix):
        raise ValueError(f"topics must have one entry for each of the {len(matrix)} items")
    numbers = None if topics is None else number(np.asarray(topics)[kept])
    verdicts = None
    if adjudicated is not None:
        _check_range(np.asarray(adjudicated), len(scale))
        verdicts = np.asarray(adjudicated)[kept].astype(np.int16)
    dropped = int(len(matrix) - kept.sum())
    voting = None if voters is None else tuple(sorted(voters))
    return Labels(matrix[kept].astype(np.int16), tuple(scale), people, numbers, verdicts, dropped, voting)


def number(topics: NDArray[np.generic]) -> IntArray:
    """(n,) the topics (n,) as numbers from 0, in their order."""
    return np.unique(topics, return_inverse=True)[1].astype(np.int64)
