"""The planner: exactly as many distinct judges per item as it needs, even loads, couples met evenly."""

from __future__ import annotations

import numpy as np

from annotation.planning.bundles import Bundles, bundle_items, classify
from annotation.planning.couples import CoupleTable, seat_rows
from annotation.planning.problem import (
    Bools,
    Ints,
    People,
    Plan,
    Work,
    check_solvable,
    closed_pairs,
    held_loads,
)
from annotation.planning.shares import share_out


def plan_assignments(people: People, work: Work, rng: np.random.Generator) -> Plan:
    """Give every item the judges it needs; raises CannotPlan with the reason where that is impossible.

    Holds always: an item gets exactly its demand of distinct people, nobody gets an item they hold or skipped,
    nobody's load passes their capacity, and a unit's new items go first to those who hold others of it. As far as
    that allows, loads are proportional to weights (items of one unit apart: to within one for units of one item)
    and each couple of people shares items in proportion to their loads. The same input and rng give the same plan.
    """
    closed = closed_pairs(people, work)
    check_solvable(people, work, closed)
    table = _Table(people, work, rng)
    bundles = bundle_items(work.unit, work.demand, closed)
    for rank in range(int(bundles.rank.max(initial=-1)) + 1):
        table.seat(bundles, np.flatnonzero(bundles.rank == rank))
    items, persons = _spread(bundles, table.pairs())
    return Plan(items, persons, table.loads, _couples(len(people), work, items, persons))


class _Table:
    """The plan while it grows: pairs (bundle, person), loads, and who holds items of each unit."""

    def __init__(self, people: People, work: Work, rng: np.random.Generator) -> None:
        self.people, self.rng = people, rng
        self.loads = held_loads(people, work)
        self.met = _couples(len(people), work, np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.holders = np.zeros((int(work.unit.max(initial=-1)) + 1, len(people)), dtype=np.bool_)
        self.holders[work.unit[work.held[:, 0]], work.held[:, 1]] = True
        self.parts: list[Ints] = []

    def pairs(self) -> Ints:
        """(P, 2): bundle, person."""
        return np.concatenate(self.parts) if self.parts else np.zeros((0, 2), dtype=np.int64)

    def seat(self, bundles: Bundles, chosen: Ints) -> None:
        """Find judges for the chosen bundles, at most one per unit: its holders first, then the best others."""
        closed, demand = bundles.closed[chosen], bundles.demand[chosen].copy()
        self._seat_holders(bundles, chosen, closed, demand)
        open_ = np.flatnonzero(demand > 0)
        classes = classify(bundles.size[chosen[open_]], demand[open_], closed[open_])
        given = share_out(self.people, classes, self.loads, self.rng)
        final = self.loads + classes.size @ given
        couples = CoupleTable(self.met, final, self.rng)
        for kind in range(len(classes.count)):
            members = self.rng.permutation(chosen[open_[classes.of == kind]])
            size, per_row = int(classes.size[kind]), int(classes.demand[kind])
            rows = seat_rows(len(members), given[kind], per_row, size, couples)
            self._take(bundles, np.column_stack([np.repeat(members, per_row), rows.ravel()]))

    def _seat_holders(self, bundles: Bundles, chosen: Ints, closed: Bools, demand: Ints) -> None:
        """People who hold other items of the unit come first, the lightest laden of them before the others."""
        near = self.holders[bundles.unit[chosen]] & ~closed
        for index in np.flatnonzero(near.any(axis=1)):
            bundle = int(chosen[index])
            size = int(bundles.size[bundle])
            known = np.flatnonzero(near[index] & (self.people.capacities - self.loads >= size))
            known = known[np.argsort(self.loads[known] / self.people.weights[known], kind="stable")][: demand[index]]
            closed[index, known] = True
            demand[index] -= len(known)
            self._take(bundles, np.column_stack([np.full(len(known), bundle), known]))

    def _take(self, bundles: Bundles, pairs: Ints) -> None:
        self.parts.append(pairs.astype(np.int64))
        sizes = bundles.size[pairs[:, 0]]
        self.loads += np.bincount(pairs[:, 1], weights=sizes, minlength=len(self.people)).astype(np.int64)
        self.holders[bundles.unit[pairs[:, 0]], pairs[:, 1]] = True


def _spread(bundles: Bundles, pairs: Ints) -> tuple[Ints, Ints]:
    """From pairs (bundle, person) to pairs (item, person), by item and person."""
    order = np.argsort(pairs[:, 0], kind="stable")
    bundle, person = pairs[order, 0], pairs[order, 1]
    starts = np.searchsorted(bundle, np.arange(len(bundles.size) + 1))
    wanted = np.flatnonzero(bundles.item_bundle >= 0)
    of = bundles.item_bundle[wanted]
    judges = starts[of + 1] - starts[of]
    items = np.repeat(wanted, judges)
    offset = np.arange(len(items)) - np.repeat(np.cumsum(judges) - judges, judges)
    persons = person[np.repeat(starts[of], judges) + offset]
    order = np.lexsort((persons, items))
    return items[order], persons[order]


def _couples(size: int, work: Work, items: Ints, persons: Ints) -> Ints:
    """(A, A): items that two people both hold, counting earlier and new pairs."""
    item = np.concatenate([work.held[:, 0], items])
    person = np.concatenate([work.held[:, 1], persons])
    order = np.lexsort((person, item))
    item, person = item[order], person[order]
    met = np.zeros(size * size, dtype=np.int64)
    for distance in range(1, int(np.bincount(item, minlength=1).max(initial=0))):
        both = item[distance:] == item[:-distance]
        met += np.bincount(person[:-distance][both] * size + person[distance:][both], minlength=size * size)
    square = met.reshape(size, size)
    return square + square.T
