"""Strata of a sample of machine labels: by grade, by how many other machines differ, by topic."""

import zlib
from dataclasses import dataclass

import numpy as np

from accounts.counting import counted, share_in_percent
from engines.stats.audits.planning import allocate, make_strata
from engines.stats.results import BoolArray, FloatArray, IntArray

TAKEN = -1  # the stratum of items that people had labelled when the sample was drawn


@dataclass(frozen=True)
class Labelled:
    """All items that a machine labelled on a criterion, rising (M,): its value; the topic (items without one have a
    number each); the share of other machines that say otherwise; whether people have labelled it already."""

    items: IntArray
    values: IntArray
    topics: IntArray
    disagreement: FloatArray
    taken: BoolArray


@dataclass(frozen=True)
class Stratum:
    """Items of these grades and of `topics` topics. Of the other machines, a share from `least` to `most` differs on
    each item. `items` is how many there are, `sample` how many are drawn."""

    grades: tuple[int, ...]
    least: float
    most: float
    topics: int
    items: int
    sample: int

    @property
    def words(self) -> str:
        """What its items have in common."""
        grades = f"Grade{'s' * (len(self.grades) > 1)} {', '.join(map(str, self.grades))}"
        shares = dict.fromkeys([share_in_percent(self.least), share_in_percent(self.most)])
        differ = f", {' to '.join(shares)} of other machines differ" if self.most else ""
        return f"{grades}{differ}, {counted(self.topics, 'topic')}"


def divide(labelled: Labelled, size: int, *, by_disagreement: bool, by_topic: bool) -> tuple[IntArray, list[Stratum]]:
    """((M,) the stratum of each item, TAKEN where people labelled it; the strata) for a sample of `size`."""
    free = ~labelled.taken
    levels = np.unique(labelled.values[free], return_inverse=True)[1]
    topics = np.unique(labelled.topics[free], return_inverse=True)[1]
    stratum = np.full(len(free), TAKEN)
    stratum[free] = make_strata(levels, labelled.disagreement[free] * by_disagreement, topics * by_topic, size)
    counts = allocate(size, np.bincount(stratum[free]))
    return stratum, [_described(labelled, stratum == h, count) for h, count in enumerate(counts.tolist())]


def _described(labelled: Labelled, part: BoolArray, sample: int) -> Stratum:
    grades, topics = (np.unique(each[part]).tolist() for each in (labelled.values, labelled.topics))
    differ = labelled.disagreement[part]
    return Stratum(tuple(grades), float(differ.min()), float(differ.max()), len(topics), int(part.sum()), sample)


def pack_frame(*columns: IntArray) -> bytes:
    """What a sample was drawn from, small: items, rising, the machine's values, strata (M,)."""
    return zlib.compress(np.stack(columns).astype("<i8").tobytes())


def unpack_frame(stored: bytes) -> IntArray:
    """(3, M): what was packed."""
    return np.frombuffer(zlib.decompress(stored), dtype="<i8").astype(np.int64).reshape(3, -1)
