"""Hidden gold: items with a known answer, asked in addition without a sign of it.

An item with a known answer gets its judges as any other does. Others may be asked about it as a
check: an assignment without a slot, whose answer counts as nothing but an answer to what is known.
"""

from dataclasses import dataclass

import numpy as np

from accounts.refusals import Refused
from annotation.assignment.workload import Workload, read_integers
from engines.planning.mixing import Mixed, Order, mix
from engines.planning.problem import Bools, Ints

KNOWN = "SELECT DISTINCT k.item_id FROM annotation_knownanswer k WHERE k.campaign_id = %(campaign)s ORDER BY 1"
# Who has a check of which item.
CHECKED = """
SELECT a.item_id, a.annotator_id FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id
WHERE i.campaign_id = %(campaign)s AND a.repeat = 2 AND a.annotator_id IS NOT NULL AND a.state <> 'withdrawn'
"""
NO_KNOWN_ANSWERS = (
    "The campaign has no known answers, so no hidden gold can be mixed in. Add known answers, or set the share to 0."
)
NONE: Ints = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class HiddenGold:
    """What can be mixed into orders: a share (0 to 1) of an order, with a gap; whole units, some item of which has a
    known answer. `units`, `groups` and `rank` (I,): of each item of the workload, equal for items that are shown
    together or follow each other, and the order within a unit; `known` (I,): whether its unit is one of these;
    `checked` (C, 2): rows (index of item, annotator) of checks that there are already."""

    share: float
    gap: int
    units: Ints
    groups: Ints
    rank: Ints
    known: Bools
    checked: Ints

    @property
    def is_wanted(self) -> bool:
        return self.share > 0

    @property
    def facts(self) -> list[int]:
        """What a plan depends on, for its hash."""
        return [round(100 * self.share), self.gap, *np.flatnonzero(self.known).tolist()] if self.is_wanted else []

    def offered_to(self, annotator: int, held: Ints) -> Ints:
        """The numbers of units that can be checks of somebody who holds, or has skipped, these items."""
        had = np.r_[held, self.checked[self.checked[:, 1] == annotator, 0]]
        return np.setdiff1d(np.unique(self.units[self.known]), self.units[had])


def read_gold(work: Workload, groups: Ints, percent: int, gap: int) -> HiddenGold:
    """The gold of a campaign. Errors: Refused where some is wanted and no answer is known."""
    units = work.units()
    if not percent:
        return HiddenGold(0, gap, units, groups, work.rank, np.zeros(len(units), dtype=np.bool_), NONE)
    named, ids = {"campaign": work.campaign.pk}, work.items[:, 0]
    known = np.searchsorted(ids, read_integers(KNOWN, named, 1)[:, 0])
    if not len(known):
        raise Refused(NO_KNOWN_ANSWERS)
    checked = read_integers(CHECKED, named, 2)
    checked[:, 0] = np.searchsorted(ids, checked[:, 0])
    return HiddenGold(percent / 100, gap, units, groups, work.rank, np.isin(units, units[known]), checked)


def mix_gold(
    gold: HiddenGold, order: Order, offered: Ints, rng: np.random.Generator, *, after: Ints | None = None
) -> tuple[Ints, Ints]:
    """How far each row of the order moves back, and rows (index of item, place) of the checks.

    `offered` (c,): numbers of units, `after` (c,) as for `mix`.
    """
    members = [np.flatnonzero(gold.units == unit) for unit in offered]
    found: Mixed = mix(
        order,
        np.array([gold.groups[each[0]] for each in members], dtype=np.int64),
        np.array([len(each) for each in members], dtype=np.int64),
        np.full(len(members), -1) if after is None else after,
        most=round(gold.share * len(order.starts)),
        gap=gold.gap,
        rng=rng,
    )
    rows = [
        np.column_stack([each[np.argsort(gold.rank[each], kind="stable")], place + np.arange(len(each))])
        for each, place in zip(members, found.places.tolist(), strict=True)
        if place >= 0
    ]
    return found.shift, np.concatenate([NONE, *rows])


def offered_to_queue(gold: HiddenGold, order: Order, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Units for the checks of an open queue, each as often as the share needs; and the place of its own row, if it is
    in the order: who comes by takes the item as its judge as long as it needs one."""
    units = np.unique(gold.units[gold.known])
    rounds = -(-round(gold.share * len(order.starts)) // max(1, len(units)))
    offered = np.concatenate([rng.permutation(units) for _ in range(max(1, rounds))])
    own = {unit: place for place, unit in enumerate(order.unit.tolist())}
    return offered, np.array([own.get(unit, -1) for unit in offered.tolist()], dtype=np.int64)
