"""How many bundles of each class every person gets: exact demands, within capacities, loads as even as possible.

This is a transport problem with a convex cost. A first solution pours each class like water into vessels. Then bundles
move along paths between people (augmenting paths where a class is still short, otherwise paths from larger to smaller
loads) until no path helps, which for bundles of one size is the optimum.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.planning.bundles import Classes
from engines.planning.problem import Bools, CannotPlan, Floats, Ints, People

MOST_MOVES = 2_000  # for each bundle size; each moves as many bundles as pay, so few are needed


class Shares:
    """A division of the classes' bundles among the people, improved in place.

    `bundles` (C, A): bundles of a class that a person gets. `loads` (A,): items that each holds, with earlier ones.
    """

    def __init__(self, people: People, classes: Classes, loads: Ints, rng: np.random.Generator) -> None:
        self.people, self.classes, self.rng = people, classes, rng
        self.loads = loads.copy()
        self.bundles = np.zeros_like(classes.closed, dtype=np.int64)

    def room(self) -> Ints:
        """(A,): items that each person can still take."""
        return np.clip(self.people.capacities - self.loads, 0, None)

    def free(self) -> Bools:
        """(C, A): True where the person could take one more bundle of the class if there were room."""
        return ~self.classes.closed & (self.bundles < self.classes.count[:, None])

    def give(self, kind: int, person: int, bundles: int) -> None:
        self.bundles[kind, person] += bundles
        self.loads[person] += bundles * int(self.classes.size[kind])

    def short(self, kind: int) -> int:
        """Missing judges of the class's bundles."""
        return int(self.classes.count[kind] * self.classes.demand[kind] - self.bundles[kind].sum())


def share_out(people: People, classes: Classes, loads: Ints, rng: np.random.Generator) -> Ints:
    """(C, A): bundles of each class for each person; raises CannotPlan where capacities cannot be met."""
    shares = Shares(people, classes, loads, rng)
    choice = (~classes.closed).sum(axis=1) - classes.demand
    for kind in np.lexsort((-classes.count * classes.size, -classes.size, choice)):
        _pour(shares, int(kind))
    for kind in range(len(classes.count)):
        _find_room(shares, kind)
    for size in np.unique(classes.size)[::-1]:
        _even_out(shares, int(size))
    return shares.bundles


def _pour(shares: Shares, kind: int) -> None:
    """Give the bundles of a class to people whose load squared over weight grows least, as far as there is room."""
    size = int(shares.classes.size[kind])
    most = np.where(shares.classes.closed[kind], 0, np.minimum(shares.classes.count[kind], shares.room() // size))
    total = min(shares.short(kind), int(most.sum()))
    amounts = _water_levels(shares.loads, shares.people.weights, most, size, total)
    rest = total - int(amounts.sum())
    for _ in range(rest):
        middle = np.where(amounts < most, (shares.loads + (amounts + 0.5) * size) / shares.people.weights, np.inf)
        lightest = np.flatnonzero(middle <= middle.min() * (1 + 1e-12))
        amounts[shares.rng.choice(lightest)] += 1
    for person in np.flatnonzero(amounts):
        shares.give(kind, int(person), int(amounts[person]))


def _water_levels(loads: Ints, weights: Floats, most: Ints, size: int, total: int) -> Ints:
    """(A,): whole bundles below the highest common level at which they are at most `total`.

    A bundle counts once half of it is below the level: load squared over weight grows by the middle of a bundle.
    """

    def poured(level: float) -> Ints:
        return np.clip(np.floor((level * weights - loads) / size + 0.5 - 1e-9), 0, most).astype(np.int64)

    low, high = 0.0, float(((loads + (most + 1) * size) / weights).max(initial=0.0)) + 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if poured(middle).sum() <= total else (low, middle)
    return poured(low)


# --- moving bundles along paths --------------------------------------------------------------------------------------

Step = tuple[int, int, int]  # (class, from person, to person)


def _find_room(shares: Shares, kind: int) -> None:
    """Make room for missing judges of a class by moving other bundles to people who have room."""
    while short := shares.short(kind):
        path = _path_to_room(shares, kind)
        if path is None:
            raise CannotPlan(_no_room(shares))
        taker, steps = path
        sizes = {int(shares.classes.size[moved]) for moved, _, _ in steps} | {int(shares.classes.size[kind])}
        end = steps[-1][2] if steps else taker
        bound = min(short, int(shares.classes.count[kind] - shares.bundles[kind, taker]), int(shares.room()[end]))
        amount = min(bound // max(sizes), _most_along(shares, steps)) if len(sizes) == 1 else 1
        shares.give(kind, taker, max(1, amount))
        _move(shares, steps, max(1, amount))


def _path_to_room(shares: Shares, kind: int) -> tuple[int, list[Step]] | None:
    """The shortest path to a person with room: who takes a bundle of the class, and the bundles passed on."""
    free, room, classes = shares.free(), shares.room(), shares.classes
    incoming = {int(person): int(classes.size[kind]) for person in np.flatnonzero(free[kind])}
    step_to: dict[int, Step | None] = dict.fromkeys(incoming)
    queue = deque(incoming)
    while queue:
        person = queue.popleft()
        if room[person] >= incoming[person]:
            steps: list[Step] = []
            while (step := step_to[person]) is not None:
                steps.insert(0, step)
                person = step[1]
            return person, steps
        movable = (shares.bundles[:, person] > 0) & (classes.size >= incoming[person] - room[person])
        for target in np.flatnonzero((free & movable[:, None]).any(axis=0)):
            if int(target) not in step_to:
                moved = int(np.flatnonzero(movable & free[:, target])[0])
                step_to[int(target)] = (moved, person, int(target))
                incoming[int(target)] = int(classes.size[moved])
                queue.append(int(target))
    return None


def _even_out(shares: Shares, size: int) -> None:
    """Move bundles of one size from larger to smaller loads while that makes the loads more even."""
    rows = np.flatnonzero(shares.classes.size == size)
    if len(rows) < 2 and len(shares.classes.count) < 2:
        return  # a single class was poured evenly
    for _ in range(MOST_MOVES):
        reach = _reach(shares, rows)
        if not any(_lighten(shares, int(person), size, rows, reach) for person in _heaviest_first(shares)):
            return


def _reach(shares: Shares, rows: Ints) -> scipy.sparse.csr_array:
    """(A, A): True where a bundle of these classes can move from the first person to the second directly."""
    has = (shares.bundles[rows] > 0).astype(np.float32)
    return scipy.sparse.csr_array((has.T @ shares.free()[rows].astype(np.float32)) > 0)


def _heaviest_first(shares: Shares) -> Ints:
    return np.argsort(-shares.loads / shares.people.weights, kind="stable")


def _lighten(shares: Shares, person: int, size: int, rows: Ints, reach: scipy.sparse.csr_array) -> bool:
    """Move as many bundles as pay from `person` to the smallest load that they can reach; False if none pays."""
    found, before = scipy.sparse.csgraph.breadth_first_order(reach, person)
    others = found[1:].astype(np.int64)
    if not len(others):
        return False
    amounts = _best_moves(shares, person, others, size)
    best = int(np.lexsort((shares.loads[others] / shares.people.weights[others], amounts <= 0))[0])
    if amounts[best] <= 0:
        return False
    path = [int(others[best])]
    while path[-1] != person:
        path.append(int(before[path[-1]]))
    steps = _with_classes(shares, path[::-1], rows)
    _move(shares, steps, min(int(amounts[best]), _most_along(shares, steps)))
    return True


def _best_moves(shares: Shares, person: int, others: Ints, size: int) -> Ints:
    """(n,): bundles to move from `person` to each of `others` (n,) for the smallest sum of load squared over weight."""
    loads, weights = shares.loads, shares.people.weights
    gap = loads[person] * weights[others] - loads[others] * weights[person]
    ideal = gap / (weights[person] + weights[others]) / size
    return np.minimum(np.ceil(ideal - 0.5 - 1e-9).astype(np.int64), shares.room()[others] // size)


def _with_classes(shares: Shares, path: list[int], rows: Ints) -> list[Step]:
    """The steps along the people of a path, each with the class of which most bundles can move."""
    steps = []
    for source, target in pairwise(path):
        open_to = np.where(shares.free()[rows, target], shares.classes.count[rows] - shares.bundles[rows, target], 0)
        moved = int(rows[np.minimum(shares.bundles[rows, source], open_to).argmax()])
        steps.append((moved, source, target))
    return steps


def _most_along(shares: Shares, steps: list[Step]) -> int:
    """Bundles that every step of a path can move. A shortest path uses no class twice, so steps do not interfere."""
    counts, bundles = shares.classes.count, shares.bundles
    return min((int(min(bundles[c, a], counts[c] - bundles[c, b])) for c, a, b in steps), default=2**40)


def _move(shares: Shares, steps: list[Step], amount: int) -> None:
    for moved, source, target in steps:
        shares.give(moved, source, -amount)
        shares.give(moved, target, amount)


def _no_room(shares: Shares) -> str:
    classes = shares.classes
    missing = (classes.count * classes.demand - shares.bundles.sum(axis=1)) * classes.size
    full = [name for name, room in zip(shares.people.names, shares.room(), strict=True) if room < classes.size.max()]
    together = " Aspects of one abstract go to the same people, so capacity is needed for whole abstracts."
    return (
        f"{int(missing.sum()):,} judgments cannot be assigned: the people who may still judge the items have no"
        " capacity left"
        f" ({', '.join(full[:5])}{' …' if len(full) > 5 else ''})."
        f"{together if classes.size.max() > 1 else ''} Raise their capacity, add annotators or lower the overlap."
    )
