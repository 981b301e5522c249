"""Hidden repeats: which items a person is asked a second time, and where in their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotation.planning.problem import Ints


@dataclass(frozen=True, slots=True)
class Schedule:
    """A person's order with the repeats in it.

    `first` (n,): the place of each item. `repeated` (r,): indexes of the items asked again, `again` (r,): the places
    of these second times. All n + r places differ and count from 0.
    """

    first: Ints
    repeated: Ints
    again: Ints


def schedule(order: Ints, unit: Ints, group: Ints, *, share: float, gap: int, rng: np.random.Generator) -> Schedule:
    """Ask a `share` (0 to 1) of the units again, each with at least `gap` other units in between.

    `order` (n,) are the indexes of the items as they are judged; `unit` and `group` (n,) say of each item, by its
    index, what is shown with it and what stands together in the order. Items of a unit must stand together. A repeat
    stays within its group where the gap leaves room for it, so that nothing out of place gives it away; units with
    such room are taken first. Where the order is too short for the gap, fewer are asked again.
    """
    ordered = unit[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(order) else np.zeros(0, dtype=np.int64)
    number = np.cumsum(np.isin(np.arange(len(order)), starts)) - 1  # of the unit of each place
    after = _places(group[order[starts]], share, gap, rng)
    shown = np.concatenate([2 * number, 2 * after[number] + 1])[np.r_[np.ones(len(order), bool), after[number] >= 0]]
    again = np.flatnonzero(after[number] >= 0)
    # Units put behind the same one come in the order of their first time, whole.
    rows = np.lexsort((np.r_[np.arange(len(order)), again], shown))
    place = np.empty(len(rows), dtype=np.int64)
    place[rows] = np.arange(len(rows))
    first = np.empty(len(order), dtype=np.int64)
    first[order] = place[: len(order)]
    return Schedule(first, order[again], place[len(order) :])


def _places(group: Ints, share: float, gap: int, rng: np.random.Generator) -> Ints:
    """(u,): for each unit in order, the unit behind which it is asked again; -1 for those asked once.

    `group` (u,): the group of each unit.
    """
    size = len(group)
    place = np.arange(size)
    ends = np.r_[np.flatnonzero(group[1:] != group[:-1]), size - 1] if size else place
    last = ends[np.searchsorted(ends, place)]
    has_room, fits = place + gap <= last, place + gap < size
    wanted = min(round(share * size), int(fits.sum()))
    ranked = np.lexsort((rng.permutation(size), ~has_room, ~fits))
    chosen = np.sort(ranked[:wanted])
    after = np.full(size, -1, dtype=np.int64)
    until = np.where(has_room, last, size - 1)[chosen]
    after[chosen] = rng.integers(chosen + gap, until + 1)
    return after
