"""Further units mixed into an order, so that nobody can tell them from those that were there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.planning.problem import Ints


@dataclass(frozen=True, slots=True)
class Order:
    """Rows in the order in which they are judged: `unit` and `group` (p,) are equal for rows that are shown together,
    and for units that are together. Rows of a unit are neighbours."""

    unit: Ints
    group: Ints

    @property
    def starts(self) -> Ints:
        """(u,): the place at which each unit begins."""
        begins = np.r_[True, self.unit[1:] != self.unit[:-1]][: len(self.unit)]
        return np.flatnonzero(begins)


@dataclass(frozen=True, slots=True)
class Mixed:
    """`shift` (p,): by how many places each row moves back. `places` (c,): the first place of each unit that was
    offered, in the new order; -1 for those that were not put in."""

    shift: Ints
    places: Ints


def mix(order: Order, group: Ints, size: Ints, after: Ints, *, most: int, gap: int, rng: np.random.Generator) -> Mixed:
    """Put `most` of the offered units into the order, fewer where there is no room.

    `group` and `size` (c,): of the offered units, and how many rows each has. `after` (c,): the place of a row that
    must come before it, -1 for none. At least `gap` (1 or more) units of the order stand between two of them. A unit
    stands within its group, so that it is not recognised; units whose group is not in the order stand between two
    groups, and are taken last.
    """
    starts = order.starts
    shown, units = order.group[starts], len(starts)
    edges = np.r_[0, np.flatnonzero(shown[1:] != shown[:-1]) + 1, units]
    before = np.full(len(group), -1)
    taken: list[int] = []
    for index in np.lexsort((rng.permutation(len(group)), ~np.isin(group, shown))):
        if len(taken) >= most:
            break
        own = np.flatnonzero(shown == group[index])
        free = np.union1d(own, own + 1) if len(own) else edges
        free = free[np.append(starts, len(order.unit))[free] > after[index]]
        if taken:
            free = free[np.abs(free[:, None] - np.array(taken)).min(axis=1) >= gap]
        if len(free):
            before[index] = rng.choice(free)
            taken.append(int(before[index]))
    return _mixed(order, starts, before, size)


def _mixed(order: Order, starts: Ints, before: Ints, size: Ints) -> Mixed:
    """`before` (c,): the number of the unit of the order before which each is put, -1 for those that are not."""
    put = before >= 0
    rows = np.bincount(before[put], weights=size[put], minlength=len(starts) + 1).astype(np.int64)
    moved = np.cumsum(rows)
    number = np.searchsorted(starts, np.arange(len(order.unit)), side="right") - 1
    ends = np.append(starts, len(order.unit))
    places = np.where(put, (ends + moved - rows)[before], -1)
    return Mixed(moved[number], places)
