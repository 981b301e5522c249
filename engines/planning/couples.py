"""Who judges together: rows of distinct people with exact quotas, all couples as evenly as possible."""

from __future__ import annotations

import math

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.planning.problem import Floats, Ints


class CoupleTable:
    """How often each two people judge together, relative to their loads.

    Agreement is well connected when no couple is rarer than the loads of its members explain, so a couple (a, b) counts
    1 / (load of a x load of b). `met` (A, A): the items that both have judged so far; `loads` (A,). Of equally rare
    couples, one that joins two groups of people who have not met comes first, so that no group stays apart.
    """

    def __init__(self, met: Ints, loads: Ints, rng: np.random.Generator) -> None:
        size = len(loads)
        final = np.maximum(loads.astype(np.float64), 1.0)
        step: Floats = 1.0 / np.outer(final, final)
        noise = rng.random((size, size))  # breaks ties by the seed and not by the order of the people
        self.tie: float = 2e-3 * step.min(initial=1.0)  # weights no further apart differ by noise alone
        self.islands, groups = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(met), directed=False)
        self.group: list[int] = groups.tolist()
        self.step: list[list[float]] = step.tolist()
        self.weight: list[list[float]] = (met * step + (noise + noise.T) * 1e-3 * step.min(initial=1.0)).tolist()

    def meet(self, row: list[int], items: int) -> None:
        """Count that the people in `row` judge `items` further items together."""
        for a in row:
            weights, steps = self.weight[a], self.step[a]
            for b in row:
                weights[b] += items * steps[b]
        if self.islands > 1:
            joined = {self.group[i] for i in row}
            self.islands -= len(joined) - 1
            self.group = [self.group[row[0]] if group in joined else group for group in self.group]


def seat_rows(count: int, quotas: Ints, per_row: int, items: int, table: CoupleTable) -> Ints:
    """(count, per_row): rows of distinct people in which person i sits exactly quotas[i] times.

    Needs sum(quotas) = count x per_row and quotas <= count. People who must be in all remaining rows are seated first;
    then every choice keeps the rest solvable, so the others are those who have met the seated people least. `items` is
    the number of items of one row.
    """
    left: list[int] = quotas.tolist()
    share = [1.0 / quota if quota else 0.0 for quota in left]
    open_part = [1.0 if quota else -1.0 for quota in left]  # part of the quota that is not seated yet
    rows = np.empty((count, per_row), dtype=np.int64)
    for number in range(count):
        remaining = count - number
        row = [i for i, quota in enumerate(left) if quota == remaining] if max(left) == remaining else []
        row = row or [open_part.index(max(open_part))]
        _fill(row, per_row, left, table)
        rows[number] = row
        for i in row:
            left[i] -= 1
            open_part[i] = left[i] * share[i] if left[i] else -1.0
        table.meet(row, items)
    return rows


def _fill(row: list[int], per_row: int, left: list[int], table: CoupleTable) -> None:
    """Fill `row` with the people who have met its members least; of equal ones, with somebody of another group."""
    weight, group = table.weight, table.group
    met = weight[row[0]]
    for i in row[1:]:
        met = [a + b for a, b in zip(met, weight[i], strict=True)]
    while len(row) < per_row:
        best, least = -1, math.inf
        for i, quota in enumerate(left):
            if quota and met[i] < least and i not in row:
                best, least = i, met[i]
        if table.islands > 1:
            rare = least + len(row) * table.tie
            known = {group[i] for i in row}
            strangers = [i for i, quota in enumerate(left) if quota and met[i] <= rare and group[i] not in known]
            best = min(strangers, key=met.__getitem__, default=best)
        row.append(best)
        met = [a + b for a, b in zip(met, weight[best], strict=True)]
