"""What a plan is made with, and what it gives out: for its preview, its page, REST and the audit."""

from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from annotation.assignment.hidden_gold import HiddenGold
from annotation.assignment.workload import Workload
from engines.planning.problem import Ints, Plan


@dataclass(frozen=True, slots=True)
class Summary:
    """What a plan gives out. `annotators` are new items, `loads` all items of each person afterwards.

    `items` get new judges, `judgments` is how many. `pairs` counts for each couple "a|b" the items both will have.
    `repeats` are items that a person will be asked a second time, unseen; they count in nothing else here.
    `gold` are items with a known answer that a person is asked in addition; they count in nothing else either.
    In an open queue nobody is named: `judgments` are the slots that are made free to take, `gold` are free checks.
    """

    items: int
    judgments: int
    annotators: dict[str, int]
    loads: dict[str, int]
    pairs: dict[str, int]
    seed: int
    strategy: str
    overlap: int
    inputs_hash: str
    repeats: dict[str, int] = field(default_factory=dict, metadata={"help": "items asked a second time, by person"})
    gold: dict[str, int] = field(
        default_factory=dict, metadata={"help": "items with a known answer asked in addition, by person"}
    )


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is made with, in addition to the campaign itself.

    `repeat_percent` of what each person gets new is asked them a second time, with at least `repeat_gap` others (items,
    or abstracts where one is judged by all aspects at once) in between.
    """

    overlap: int
    strategy: str
    seed: int
    repeat_percent: int
    repeat_gap: int
    gold_percent: int = 0
    gold_gap: int = 1


def queue_summary(work: Workload, items: Ints, options: PlanOptions, *facts: int) -> Summary:
    """`facts` are what else the plan depends on: options of hidden repeats and gold."""
    return Summary(
        items=len(np.unique(items)),
        judgments=len(items),
        annotators={},
        loads={},
        pairs={},
        seed=options.seed,
        strategy=str(work.strategy),
        overlap=work.overlap,
        inputs_hash=work.digest(options.seed, *facts),
    )


def plan_summary(work: Workload, plan: Plan, options: PlanOptions, gold: HiddenGold, *more: Ints) -> Summary:
    """`more` are those to whom repeats and checks are given, as indexes of people."""
    names = [each.name for each in work.annotators]
    asked = [np.bincount(each, minlength=len(names)).tolist() for each in more]
    again, checks = ({name: count for name, count in zip(names, each, strict=True) if count} for each in asked)
    new = np.bincount(plan.people, minlength=len(names)).tolist()
    return replace(
        queue_summary(work, plan.items, options, options.repeat_percent, options.repeat_gap, *gold.facts),
        annotators=dict(zip(names, new, strict=True)),
        loads=dict(zip(names, plan.loads.tolist(), strict=True)),
        pairs={f"{names[a]}|{names[b]}": int(plan.couples[a, b]) for a, b in combinations(range(len(names)), 2)},
        repeats=again,
        gold=checks,
    )
