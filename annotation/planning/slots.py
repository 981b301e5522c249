"""Which slots of an item new judges get: the lowest free ones."""

from __future__ import annotations

import numpy as np

from annotation.planning.problem import Ints


def free_slots(items: Ints, wanted: Ints, taken: Ints) -> Ints:
    """The slot, from 1, of each new assignment.

    `items` (n,) are indexes of items, sorted: equal ones are the judges of one item. `wanted` (I,) is how many slots
    each item has, `taken` (t, 2) are rows (item, slot) that are held already. An item must have enough free slots.
    """
    starts = np.flatnonzero(np.r_[True, items[1:] != items[:-1]]) if len(items) else np.zeros(0, dtype=np.int64)
    number = np.arange(len(items)) - np.repeat(starts, np.diff(np.r_[starts, len(items)]))
    most = int(max(wanted.max(initial=0), taken[:, 1].max(initial=0)))
    held = np.zeros((len(wanted), most), dtype=np.bool_)
    held[taken[:, 0], taken[:, 1] - 1] = True
    rank = np.cumsum(~held, axis=1)  # how many free slots there are up to each slot
    slot: Ints = (rank[items] <= number[:, None]).sum(axis=1) + 1
    return slot
