"""How votes are decided and what happens to ties: one record for each rule.

A new rule for ties is a function and a record in `TIE_POLICIES`; another package brings one through an entry point of
the group `litmus.tie_policies` that names its `TiePolicy`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.plugins import Registry
from engines.stats.labels import MISSING, Positions
from engines.stats.results import BoolArray, FloatArray, IntArray

TIE = 1e-9  # sums of weights this close are equal
DEFAULT = "adjudicate"


@dataclass(frozen=True)
class Ballots:
    """Distinct patterns of votes, P of them by m voters on K levels.

    patterns (P, m) positions on the scale, -1 where somebody did not vote; scores (P, K) sums of weights; tied (P, K)
    which levels lead; expert: the column of the expert, if there is one.
    """

    patterns: Positions
    scores: FloatArray
    tied: BoolArray
    expert: int | None = None


@dataclass(frozen=True)
class TiePolicy:
    """What happens to a tied vote.

    settle   the level of each pattern, (P,) positions, -1 where the tie stays; called as if every pattern were tied.
             None for a stored name whose package is missing
    needs    "weights" or "expert": must be given with the vote, so it is not among the choices of a count
    asks     whether the adjudicator is asked where the tie stays; else the item is left out
    """

    name: str
    label: str
    explanation: str
    settle: Callable[[Ballots], IntArray] | None
    needs: str = ""
    asks: bool = True


@dataclass(frozen=True)
class VotePolicy:
    """How votes decide: `leaders` marks the levels that lead, (P, K), from the sums of weights, (P, K)."""

    name: str
    label: str
    explanation: str
    leaders: Callable[[FloatArray], BoolArray]


def most_weight(scores: FloatArray) -> BoolArray:
    """(P, K) the levels with the largest sum of weights, where there is any vote."""
    best = scores.max(axis=1, keepdims=True)
    return (scores >= best - TIE) & (best > 0)


def stays_open(ballots: Ballots) -> IntArray:
    """(P,) -1 for every pattern."""
    return np.full(len(ballots.patterns), MISSING, dtype=np.int64)


def lower_median(ballots: Ballots) -> IntArray:
    """(P,) the weighted lower median of all votes."""
    half = ballots.scores.sum(axis=1, keepdims=True) / 2
    return np.argmax(np.cumsum(ballots.scores, axis=1) >= half - TIE, axis=1)


def lowest_tied(ballots: Ballots) -> IntArray:
    """(P,) the lowest of the tied levels."""
    return np.argmax(ballots.tied, axis=1)


def highest_tied(ballots: Ballots) -> IntArray:
    """(P,) the highest of the tied levels."""
    return ballots.scores.shape[1] - 1 - np.argmax(ballots.tied[:, ::-1], axis=1)


def expert_label(ballots: Ballots) -> IntArray:
    """(P,) the expert's own label, -1 where they gave none."""
    return ballots.patterns[:, ballots.expert].astype(np.int64)


MAJORITY = VotePolicy(
    "majority",
    "majority",
    "The level with the largest sum of weights wins; each vote weighs 1 unless weights are used.",
    most_weight,
)
VOTE_POLICIES = {MAJORITY.name: MAJORITY}
TIE_POLICIES: Registry[TiePolicy] = Registry(
    "litmus.tie_policies",
    TiePolicy,
    TiePolicy(
        DEFAULT,
        "leave to an adjudicator",
        "The item stays open and waits in the adjudicator’s queue.",
        stays_open,
    ),
    TiePolicy(
        "median",
        "lower median of all votes",
        "The middle of all votes on the item, the lower of two middle ones; votes weigh as in the count.",
        lower_median,
    ),
    TiePolicy("lowest", "lowest of the tied", "The lowest of the levels that share the most votes.", lowest_tied),
    TiePolicy("highest", "highest of the tied", "The highest of the levels that share the most votes.", highest_tied),
    TiePolicy("exclude", "leave the item out", "The item gets no value and nobody is asked.", stays_open, asks=False),
    TiePolicy(
        "weighted",
        "weights of the annotators break ties",
        "The weights of the annotators break ties where they can; the remaining ties stay open.",
        stays_open,
        needs="weights",
    ),
    TiePolicy(
        "expert",
        "the expert’s own label",
        "The label of a named expert, where they gave one; else the item stays open.",
        expert_label,
        needs="expert",
    ),
)


def tie_policy(name: str) -> TiePolicy:
    """The record of a name; of a stored name whose package is missing one that shows the name and settles nothing."""
    if name in TIE_POLICIES:
        return TIE_POLICIES[name]
    return TiePolicy(name, TIE_POLICIES.label_of(name), "The package that brings this rule is not installed.", None)


def offered_policies() -> list[tuple[str, str]]:
    """(name, label) of the rules that a count can be asked for by."""
    return [(name, each.label) for name, each in TIE_POLICIES.items() if not each.needs]
