"""The planner: exactly as many different judges per item as it needs, even loads, equal overlap of each two people."""

from __future__ import annotations

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.planning.bundles import Bundles, bundle_items, classify
from engines.planning.couples import CoupleTable, seat_rows
from engines.planning.problem import (
    Bools,
    Ints,
    People,
    Plan,
    Work,
    assigned_loads,
    check_solvable,
    closed_pairs,
    place_in_group,
)
from engines.planning.shares import share_out


def plan_assignments(people: People, work: Work, rng: np.random.Generator) -> Plan:
    """Give every item the judges it needs; raises CannotPlan with the reason where that is impossible.

    In every plan an item gets exactly its demand of distinct people, nobody gets an item they hold or skipped, nobody's
    load exceeds their capacity, and a unit's new items go first to people who hold others of it. As far as that allows,
    loads are proportional to weights (for units of one item to within one item), and each couple of people shares items
    in proportion to their loads. The same input and rng give the same plan.
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
    """The growing plan: pairs (bundle, person), loads, and who holds items of each unit."""

    def __init__(self, people: People, work: Work, rng: np.random.Generator) -> None:
        self.people, self.rng = people, rng
        self.loads = assigned_loads(people, work)
        self.met = _couples(len(people), work, np.zeros(0, np.int64), np.zeros(0, np.int64))
        self.holders = np.zeros((int(work.unit.max(initial=-1)) + 1, len(people)), dtype=np.bool_)
        self.holders[work.unit[work.assigned[:, 0]], work.assigned[:, 1]] = True
        self.parts: list[Ints] = []

    def pairs(self) -> Ints:
        """(P, 2): bundle, person."""
        return np.concatenate(self.parts) if self.parts else np.zeros((0, 2), dtype=np.int64)

    def seat(self, bundles: Bundles, chosen: Ints) -> None:
        """Find judges for the chosen bundles, at most one of each unit: its holders first, then others."""
        closed, demand = bundles.closed[chosen], bundles.demand[chosen].copy()
        self._seat_holders(bundles, chosen, closed, demand)
        open_ = np.flatnonzero(demand > 0)
        classes = classify(bundles.size[chosen[open_]], demand[open_], closed[open_])
        shares = share_out(self.people, classes, self.loads, self.rng)
        final = self.loads + classes.size @ shares
        couples = CoupleTable(self.met, final, self.rng)
        for kind in range(len(classes.count)):
            members = self.rng.permutation(chosen[open_[classes.of == kind]])
            size, per_row = int(classes.size[kind]), int(classes.demand[kind])
            rows = seat_rows(len(members), shares[kind], per_row, size, couples)
            self._take(bundles, np.column_stack([np.repeat(members, per_row), rows.ravel()]))

    def _seat_holders(self, bundles: Bundles, chosen: Ints, closed: Bools, demand: Ints) -> None:
        """Give bundles to people who hold other items of the unit, first to those with the smallest loads."""
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
    """Pairs (item, person), sorted, from pairs (bundle, person)."""
    order = np.argsort(pairs[:, 0], kind="stable")
    bundle, person = pairs[order, 0], pairs[order, 1]
    starts = np.searchsorted(bundle, np.arange(len(bundles.size) + 1))
    needy = np.flatnonzero(bundles.item_bundle >= 0)
    of = bundles.item_bundle[needy]
    judges = starts[of + 1] - starts[of]
    items = np.repeat(needy, judges)
    offset = np.arange(len(items)) - np.repeat(np.cumsum(judges) - judges, judges)
    persons = person[np.repeat(starts[of], judges) + offset]
    order = np.lexsort((persons, items))
    return items[order], persons[order]


def _couples(size: int, work: Work, items: Ints, persons: Ints) -> Ints:
    """(A, A): items that two people both hold, counting earlier and new pairs."""
    item = np.concatenate([work.assigned[:, 0], items])
    person = np.concatenate([work.assigned[:, 1], persons])
    shape = len(work.demand), size
    judges = scipy.sparse.csr_array((np.ones(len(item), dtype=np.int64), (item, person)), shape)
    couples: Ints = (judges.T @ judges).toarray()
    np.fill_diagonal(couples, 0)
    return couples


def free_slots(items: Ints, slots: Ints, taken: Ints) -> Ints:
    """(n,): the slot, from 1, of each new assignment: the lowest free slots of its item.

    `items` (n,): sorted indexes of items, one for each new judge. `slots` (I,): how many slots each item has. `taken`
    (t, 2): rows (item, slot) that are held already. An item must have enough free slots.
    """
    most = int(max(slots.max(initial=0), taken[:, 1].max(initial=0)))
    held = np.zeros((len(slots), most), dtype=np.bool_)
    held[taken[:, 0], taken[:, 1] - 1] = True
    free = np.cumsum(~held, axis=1)  # (I, most): free slots up to each slot
    slot: Ints = (free[items] <= place_in_group(items)[:, None]).sum(axis=1) + 1
    return slot
