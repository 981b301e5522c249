"""From several labels to one: the weighted vote, its tie policies, and how much they matter (statistics.md 3.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engines.stats.cells import reduce_rows
from engines.stats.labels import MISSING, Positions
from engines.stats.policies import DEFAULT, MAJORITY, TIE_POLICIES, Ballots, TiePolicy, stays_open, tie_policy
from engines.stats.results import FloatArray, JsonFields


class Outcome(IntEnum):
    """How an item got its value, or why it has none."""

    UNRESOLVED = 0
    UNANIMOUS = 1
    MAJORITY = 2
    TIE_RESOLVED = 3
    BY_HAND = 4
    EXCLUDED = 5
    SINGLE = 6


@dataclass(frozen=True)
class Votes:
    """The vote on n items: `labels` (n,) positions with -1 where there is no value, `outcomes` (n,) of `Outcome`."""

    labels: Positions
    outcomes: NDArray[np.int8]

    def counts(self) -> dict[str, int]:
        """Number of items by outcome, every outcome named."""
        counts = np.bincount(self.outcomes, minlength=len(Outcome))
        return {outcome.name.lower(): int(counts[outcome]) for outcome in Outcome}

    def with_decisions(self, decided: NDArray[np.integer]) -> "Votes":
        """The adjudicator's decisions (n,), -1 where none, always win over the vote."""
        by_hand = decided != MISSING
        labels = np.where(by_hand, decided, self.labels).astype(np.int16)
        return Votes(labels, np.where(by_hand, Outcome.BY_HAND, self.outcomes).astype(np.int8))


def vote(
    positions: NDArray[np.integer],
    levels: int,
    *,
    policy: str = DEFAULT,
    weights: Sequence[float] | None = None,
    min_votes: int = 2,
    expert: int | None = None,
) -> Votes:
    """Weighted vote on each row of (n, m) positions (-1 missing) on a scale of `levels`.

    The level with the largest sum of weights (default 1 each) wins; sums within 1e-9 are tied and go to `policy`.
    Fewer than `min_votes` labels leave the item unresolved. One label alone is `SINGLE`: to be unanimous takes two.
    `expert` is a column. Raises ValueError when the policy is
    not installed or lacks its weights or its expert, or a weight is not positive.
    """
    rule = tie_policy(policy)
    _check(positions, rule, weights, expert)
    cells = reduce_rows(positions, levels + 1)
    weight = np.ones(positions.shape[1]) if weights is None else np.asarray(weights, dtype=np.float64)
    patterns = cells.patterns
    scores = np.stack([(patterns == level) @ weight for level in range(levels)], axis=1)
    result = _decide(patterns, scores, rule, min_votes, expert)
    return Votes(result.labels[cells.inverse], result.outcomes[cells.inverse])


def _check(
    positions: NDArray[np.integer], policy: TiePolicy, weights: Sequence[float] | None, expert: int | None
) -> None:
    if policy.settle is None:
        raise ValueError(f"the policy for ties {policy.name!r} is not installed")
    if policy.needs == "weights" and weights is None:
        raise ValueError(f"the {policy.name} policy needs a weight for each annotator")
    if policy.needs == "expert" and (expert is None or not 0 <= expert < positions.shape[1]):
        raise ValueError(f"the {policy.name} policy needs the column of the expert")
    if weights is not None and (len(weights) != positions.shape[1] or not all(weight > 0 for weight in weights)):
        raise ValueError("weights must be positive, one for each annotator")


def _decide(patterns: Positions, scores: FloatArray, policy: TiePolicy, min_votes: int, expert: int | None) -> Votes:
    """The vote on distinct patterns, from the sum of weights for each level, (P, K)."""
    tied = MAJORITY.leaders(scores)
    given = (patterns >= 0).sum(axis=1)
    enough = given >= max(min_votes, 1)
    alone = tied.sum(axis=1) == 1
    unanimous = (scores > 0).sum(axis=1) == 1
    ballots = Ballots(patterns, scores, tied, expert)
    labels = stays_open(ballots) if policy.settle is None else policy.settle(ballots)
    outcomes = np.where(
        labels == MISSING, Outcome.UNRESOLVED if policy.asks else Outcome.EXCLUDED, Outcome.TIE_RESOLVED
    )
    labels = np.where(alone, np.argmax(tied, axis=1), labels)
    outcomes = np.where(alone, np.where(unanimous, Outcome.UNANIMOUS, Outcome.MAJORITY), outcomes)
    outcomes = np.where(given == 1, Outcome.SINGLE, outcomes)
    return Votes(
        np.where(enough, labels, MISSING).astype(np.int16),
        np.where(enough, outcomes, Outcome.UNRESOLVED).astype(np.int8),
    )


def leave_one_out(positions: NDArray[np.integer], levels: int, column: int) -> Positions:
    """(n,) the vote of everyone but `column`, ties unresolved: what that annotator may be compared with."""
    others = np.delete(positions, column, axis=1)
    if not others.shape[1]:
        return np.full(len(positions), MISSING, dtype=np.int16)
    return vote(others, levels, min_votes=1).labels


@dataclass(frozen=True)
class Sensitivity(JsonFields):
    """What a policy would make of the same votes, against the values now in use.

    `changed` values differ, `gained` had none before, `lost` have none now; `histogram` counts values per level.
    """

    policy: str
    changed: int
    gained: int
    lost: int
    unresolved: int
    histogram: tuple[int, ...]


def sensitivity(
    positions: NDArray[np.integer],
    levels: int,
    baseline: NDArray[np.integer],
    *,
    weights: Sequence[float] | None = None,
    min_votes: int = 2,
    expert: int | None = None,
    decided: NDArray[np.integer] | None = None,
) -> tuple[Sensitivity, ...]:
    """How many values each applicable policy would change against `baseline` (n,), -1 where there is no value.

    Weights and expert bring their policies in; the other policies then count every annotator once. Decisions by hand
    (`decided`) win under each policy, as in the vote itself.
    """
    found = []
    given = {"": True, "weights": weights is not None, "expert": expert is not None}
    for name, policy in TIE_POLICIES.items():
        if not given[policy.needs]:
            continue
        own = weights if policy.needs == "weights" else None
        result = vote(positions, levels, policy=name, weights=own, min_votes=min_votes, expert=expert)
        if decided is not None:
            result = result.with_decisions(decided)
        found.append(_against(result.labels, np.asarray(baseline), name, levels))
    return tuple(found)


def _against(labels: Positions, baseline: NDArray[np.integer], policy: str, levels: int) -> Sensitivity:
    has, had = labels != MISSING, baseline != MISSING
    return Sensitivity(
        policy=policy,
        changed=int(np.count_nonzero(has & had & (labels != baseline))),
        gained=int(np.count_nonzero(has & ~had)),
        lost=int(np.count_nonzero(~has & had)),
        unresolved=int(np.count_nonzero(~has)),
        histogram=tuple(np.bincount(labels[has], minlength=levels).tolist()),
    )
