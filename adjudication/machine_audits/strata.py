"""Strata of a sample of machine labels: by grade, by how many other machines differ, by topic."""

import zlib
from dataclasses import dataclass
from typing import Self

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

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class Frame:
    """What a sample was drawn from: all items that the machine had labelled (M,), rising, its values, their strata."""

    items: IntArray
    values: IntArray
    strata: IntArray

    def packed(self) -> bytes:
        return zlib.compress(np.stack([self.items, self.values, self.strata]).astype("<i8").tobytes())

    @classmethod
    def unpacked(cls, stored: bytes) -> Self:
        return cls(*np.frombuffer(zlib.decompress(stored), dtype="<i8").astype(np.int64).reshape(3, -1))


@dataclass(frozen=True)
class Stratum:
    """Items of these grades and so many topics, about which from `least` to `most` of the other machines say otherwise
    (shares): how many there are, how many are drawn."""

    grades: tuple[int, ...]
    least: float
    most: float
    topics: int
    items: int
    sample: int

    @property
    def words(self) -> str:
        """What its items have in common."""
        found = [f"{'grade' if len(self.grades) == 1 else 'grades'} {', '.join(map(str, self.grades))}"]
        if self.most:
            shares = sorted({share_in_percent(self.least), share_in_percent(self.most)}, key=len)
            found.append(f"{' to '.join(shares)} of other machines differ")
        return f"{', '.join(found)}, {counted(self.topics, 'topic')}".capitalize()


def divide(labelled: Labelled, size: int, *, by_disagreement: bool, by_topic: bool) -> tuple[IntArray, list[Stratum]]:
    """((M,) the stratum of each item, TAKEN where people labelled it; the strata) for a sample of `size`."""
    free = np.flatnonzero(~labelled.taken)
    levels = np.unique(labelled.values[free], return_inverse=True)[1]
    disagreement = labelled.disagreement[free] * by_disagreement
    topics = np.unique(labelled.topics[free], return_inverse=True)[1] * by_topic
    stratum = np.full(len(labelled), TAKEN)
    stratum[free] = make_strata(levels, disagreement, topics, size)
    counts = allocate(size, np.bincount(stratum[free]))
    return stratum, [_described(labelled, stratum == h, count) for h, count in enumerate(counts.tolist())]


def _described(labelled: Labelled, part: BoolArray, sample: int) -> Stratum:
    return Stratum(
        grades=tuple(np.unique(labelled.values[part]).tolist()),
        least=float(labelled.disagreement[part].min()),
        most=float(labelled.disagreement[part].max()),
        topics=len(np.unique(labelled.topics[part])),
        items=int(part.sum()),
        sample=sample,
    )
