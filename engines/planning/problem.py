"""The input and the result of the planner, and the checks that say at once why a plan cannot exist."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

UNLIMITED = 2**40  # room of a person without a capacity: more items than any campaign has


class CannotPlan(Exception):
    """No plan meets the demand; `reason` says what is missing and what would help."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class People:
    """The annotators who may get items, all fields of one length A.

    `weights` (A,) are relative shares of the load (> 0). `capacities` (A,) are the most items each may hold in total,
    including those they hold already; UNLIMITED without a cap.
    """

    names: tuple[str, ...]
    weights: Floats
    capacities: Ints

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True)
class Work:
    """All items of a campaign, I of them, with earlier assignments.

    `demand` (I,): how many further judges each item needs.
    `unit` (I,): numbers from 0; items of equal unit go to the same people (one abstract with all its aspects).
    `assigned` (H, 2): rows (item, person) of judges who have the item to do or have done it.
    `barred` (B, 2): rows (item, person) of people who must not get the item again (they skipped it).
    """

    demand: Ints
    unit: Ints
    assigned: Ints
    barred: Ints


@dataclass(frozen=True, slots=True)
class Plan:
    """New assignments as pairs (items[j], people[j]), and the resulting loads and couples.

    `loads` (A,): items each person holds afterwards, earlier ones included. `couples` (A, A): items that two people
    both judge afterwards; symmetric, zero on the diagonal.
    """

    items: Ints
    people: Ints
    loads: Ints
    couples: Ints


def closed_pairs(people: People, work: Work) -> Bools:
    """(I, A): True where the person must not get the item, because they have it or skipped it."""
    closed = np.zeros((len(work.demand), len(people)), dtype=np.bool_)
    for pairs in (work.assigned, work.barred):
        closed[pairs[:, 0], pairs[:, 1]] = True
    return closed


def assigned_loads(people: People, work: Work) -> Ints:
    """(A,): how many items each person holds already."""
    return np.bincount(work.assigned[:, 1], minlength=len(people)).astype(np.int64)


def check_solvable(people: People, work: Work, closed: Bools) -> None:
    """Raise CannotPlan for simple reasons: too few people, too little room, items that too few may still judge."""
    most = int(work.demand.max(initial=0))
    if most > len(people):
        raise CannotPlan(
            f"Each item needs {_count(most, 'different annotator')}, but only {len(people)} can be given work."
            " Add annotators with an account, resume paused ones or lower the overlap."
        )
    left = len(people) - closed.sum(axis=1)
    stuck = int((left < work.demand).sum())
    if stuck:
        raise CannotPlan(
            f"{_count(stuck, 'item')} cannot get enough judges: everybody else has judged, holds or skipped"
            f" {'it' if stuck == 1 else 'them'} already. Add annotators or lower the overlap."
        )
    room = int(np.clip(people.capacities - assigned_loads(people, work), 0, None).sum())
    needed = int(work.demand.sum())
    if room < needed:
        raise CannotPlan(
            f"{_count(needed, 'judgment')} to assign, but the annotators' capacities leave room for only {room}."
            " Raise capacities, add annotators or lower the overlap."
        )


def place_in_group(keys: Ints) -> Ints:
    """(n,): the place of each element, from 0, among equal neighbours. Equal `keys` (n,) must be neighbours."""
    begins = np.r_[True, keys[1:] != keys[:-1]][: len(keys)]
    places: Ints = np.arange(len(keys)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return places


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
