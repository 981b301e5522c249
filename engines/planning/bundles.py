"""Items that can be assigned together, grouped so that a million of them become a few classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.planning.problem import Bools, Ints, place_in_group


@dataclass(frozen=True, slots=True)
class Bundles:
    """Sets of items of one unit with the same demand and the same closed people, all fields of one length N.

    `rank` counts the bundles of a unit from 0, the largest first: most units have one bundle only.
    `item_bundle` (I,): the bundle of each item, -1 for items without demand.
    """

    unit: Ints
    size: Ints
    demand: Ints
    closed: Bools
    rank: Ints
    item_bundle: Ints


@dataclass(frozen=True, slots=True)
class Classes:
    """Groups of bundles that are equal in size, demand and closed people; `count` is how many there are.

    Fields of length C (`closed`: (C, A)); `of` (N,) is the class of each bundle given to `classify`.
    """

    count: Ints
    size: Ints
    demand: Ints
    closed: Bools
    of: Ints


def bundle_items(unit: Ints, demand: Ints, closed: Bools) -> Bundles:
    """Bundle the items that need judges by unit, demand and closed people."""
    needy = np.flatnonzero(demand > 0)
    kinds = _kinds(demand[needy], closed[needy])
    key = unit[needy] * (int(kinds.max(initial=0)) + 1) + kinds
    _, first, of, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    item_bundle = np.full(len(unit), -1, dtype=np.int64)
    item_bundle[needy] = of
    sample = needy[first]
    by_size = np.lexsort((-size, unit[sample]))
    rank = np.empty(len(sample), dtype=np.int64)
    rank[by_size] = place_in_group(unit[sample][by_size])
    return Bundles(
        unit=unit[sample],
        size=size.astype(np.int64),
        demand=demand[sample],
        closed=closed[sample],
        rank=rank,
        item_bundle=item_bundle,
    )


def classify(size: Ints, demand: Ints, closed: Bools) -> Classes:
    """Group equal bundles."""
    kinds = _kinds(size * (int(demand.max(initial=0)) + 1) + demand, closed)
    _, first, of, count = np.unique(kinds, return_index=True, return_inverse=True, return_counts=True)
    return Classes(count.astype(np.int64), size[first], demand[first], closed[first], of.astype(np.int64))


def _kinds(number: Ints, closed: Bools) -> Ints:
    """(n,): a small integer for each row, equal exactly where `number` (n,) and rows of `closed` (n, A) are equal."""
    if not len(number):
        return np.zeros(0, dtype=np.int64)
    rows = np.hstack(
        [np.ascontiguousarray(number).view(np.uint8).reshape(len(number), -1), np.packbits(closed, axis=1)]
    )
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)
