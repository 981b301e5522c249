"""The order in which an annotator, or an open queue, gets items, with hidden repeats."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from engines.planning.problem import Ints


def order_by_aspect(aspect: Ints, rng: np.random.Generator) -> Ints:
    """(n,): indexes of items in the order to judge them: one aspect after another, its abstracts together.

    `aspect` (n,): equal for items that share an aspect. The aspects are shuffled, and the abstracts of each aspect.
    """
    return np.lexsort((rng.permutation(len(aspect)), _shuffled(aspect, rng)))


def order_by_document(topic: Ints, document: Ints, rank: Ints, rng: np.random.Generator) -> Ints:
    """(n,): indexes of items in the order to judge them: topic after topic, abstract after abstract with its aspects.

    `topic` and `document` (n,): equal for items that share them. Topics are shuffled, and the abstracts of each topic.
    `rank` (n,): the aspect's place in the topic's tree, which orders the aspects of an abstract.
    """
    return np.lexsort((rank, _shuffled(document, rng), _shuffled(topic, rng)))


def person_seed(seed: int, name: str) -> int:
    """The seed of a person's order, below 2**56; it depends only on the campaign's seed and the name."""
    return int.from_bytes(hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()[:7], "big")


def _shuffled(key: Ints, rng: np.random.Generator) -> Ints:
    """(n,): a random rank for each key, the same for equal keys."""
    values, of = np.unique(key, return_inverse=True)
    return rng.permutation(len(values))[of]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A person's order with hidden repeats.

    `first` (n,): the place of each item. `repeated` (r,): indexes of the items that are asked again; `again` (r,): the
    places of the repeats. The n + r places are 0 to n + r - 1.
    """

    first: Ints
    repeated: Ints
    again: Ints


def schedule(order: Ints, unit: Ints, group: Ints, *, share: float, gap: int, rng: np.random.Generator) -> Schedule:
    """Ask a `share` (0 to 1) of the units again, each with at least `gap` other units in between.

    `order` (n,): the indexes of the items as they are judged. `unit` and `group` (n,), by the index of an item: equal
    for items that are shown together, and for items that are together in the order. Items of a unit must be neighbours
    in the order. A repeat stays within its group where the gap leaves room for it, so that it is not recognised; units
    with such room are taken first. Where the order is too short for the gap, fewer units are asked again.
    """
    begins = np.r_[True, unit[order][1:] != unit[order][:-1]][: len(order)]  # whether a unit begins at the place
    starts = np.flatnonzero(begins)
    number = np.cumsum(begins) - 1  # of the unit of each place
    after = _places(group[order[starts]], share, gap, rng)
    shown = np.concatenate([2 * number, 2 * after[number] + 1])[np.r_[np.ones(len(order), bool), after[number] >= 0]]
    again = np.flatnonzero(after[number] >= 0)
    # Units that are repeated after the same unit keep the order of their first time.
    rows = np.lexsort((np.r_[np.arange(len(order)), again], shown))
    place = np.empty(len(rows), dtype=np.int64)
    place[rows] = np.arange(len(rows))
    first = np.empty(len(order), dtype=np.int64)
    first[order] = place[: len(order)]
    return Schedule(first, order[again], place[len(order) :])


def _places(group: Ints, share: float, gap: int, rng: np.random.Generator) -> Ints:
    """(u,): for each unit in order, the unit after which it is asked again; -1 for units without a repeat.

    `group` (u,): the group of each unit.
    """
    size = len(group)
    place = np.arange(size)
    ends = np.r_[np.flatnonzero(group[1:] != group[:-1]), size - 1] if size else place
    last = ends[np.searchsorted(ends, place)]
    has_room, fits = place + gap <= last, place + gap < size
    repeats = min(round(share * size), int(fits.sum()))
    ranked = np.lexsort((rng.permutation(size), ~has_room, ~fits))
    chosen = np.sort(ranked[:repeats])
    after = np.full(size, -1, dtype=np.int64)
    until = np.where(has_room, last, size - 1)[chosen]
    after[chosen] = rng.integers(chosen + gap, until + 1)
    return after
