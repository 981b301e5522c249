"""What other policies, and Dawid and Skene's model, would make of the votes just counted. They decide nothing."""

from typing import Any

import numpy as np

from adjudication.labels.labels import IntArray, LabelMatrix, Positions, scale_of
from adjudication.models import Method, Verdict, VoteRun
from annotation.models import Criterion
from engines.stats.dawid_skene import DawidSkene, fit
from engines.stats.labels import MISSING
from engines.stats.votes import sensitivity, vote


def second_opinions(
    criterion: Criterion, votes: LabelMatrix, weights: list[float], run: VoteRun, fitted: DawidSkene | None = None
) -> dict[str, Any]:
    """How many values each policy would change, and where Dawid-Skene differs; {} when nobody has voted, and no
    Dawid-Skene where no item has two votes, which its estimates of errors are made of.

    `votes` are the labels of those who have a vote, without items nobody voted on; `weights` those of its annotators,
    whether the count used them or not. Decisions by hand always win. `fitted` is the model of these votes, where it
    is known already.
    """
    panel = votes.positions
    if not panel.size:
        return {}
    scale = scale_of(criterion)
    decided = _decided(criterion, scale, votes.items)
    own = weights if run.parameters.get("weighted") else None
    counted = vote(panel, len(scale), policy=run.ties, weights=own, min_votes=run.min_votes)
    labels = counted.with_decisions(decided).labels
    found = sensitivity(panel, len(scale), labels, weights=weights, min_votes=run.min_votes, decided=decided)
    return {
        "sensitivity": [one.to_json() for one in found],
        "dawid_skene": _dawid_skene(panel, len(scale), labels, fitted),
    }


def _decided(criterion: Criterion, scale: list[int], items: IntArray) -> IntArray:
    """(n,) positions of values decided by hand, -1 where none."""
    rows = Verdict.objects.filter(criterion=criterion, method=Method.BY_HAND, value__isnull=False)
    place = {item: scale.index(int(value or 0)) for item, value in rows.values_list("item_id", "value")}
    return np.array([place.get(item, MISSING) for item in items.tolist()], dtype=np.int64)


def _dawid_skene(panel: Positions, levels: int, labels: Positions, fitted: DawidSkene | None) -> dict[str, Any]:
    if (panel != MISSING).sum(axis=1).max() < 2:
        return {}
    model = fitted or fit(panel, levels)
    both = (model.labels != MISSING) & (labels != MISSING)
    return {
        "n_items": int(both.sum()),
        "differs": int((model.labels[both] != labels[both]).sum()),
        "unsure": int((model.labels == MISSING).sum()),
        "resolves": int(((model.labels != MISSING) & (labels == MISSING)).sum()),
        "converged": bool(model.converged),
        "label_switching_suspected": bool(model.label_switching_suspected),
    }
