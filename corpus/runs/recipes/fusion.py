"""Fusion of runs: reciprocal ranks (Cormack et al., SIGIR 2009), or a weighted sum of scores scaled to 0 to 1."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from accounts.refusals import Refused
from corpus.models import Collection
from corpus.runs.recipes.earlier import RunsField, WordsField, earlier_rankings, run_named
from corpus.runs.recipes.recipe import Rankings, Recipe, RecipeForm, Task, WordField
from engines.ranking.order import ScoredList, ranked

RRF, INTERPOLATION = "rrf", "interpolation"
MOST_WEIGHT = 1_000_000


class FusionForm(RecipeForm):
    """Options of fusion."""

    runs = RunsField(label="Runs", help_text="names of two runs or more")
    method = WordField(
        [(RRF, "reciprocal ranks (RRF)"), (INTERPOLATION, "weighted sum of scores, each scaled from 0 to 1")],
        label="Method",
        help_text="how rankings become one",
    )
    k = forms.FloatField(
        label="k of RRF", initial=60.0, min_value=0, max_value=10_000, required=False, help_text="added to each rank"
    )
    weights = WordsField(
        label="Weights", required=False, help_text="one number for each run, in their order; without any all are equal"
    )

    def clean_weights(self) -> str:
        """Positive numbers."""
        text = str(self.cleaned_data["weights"])
        try:
            weights = [float(word) for word in text.split()]
        except ValueError:
            raise forms.ValidationError("Weights are numbers, separated by spaces.") from None
        if not all(0 < weight <= MOST_WEIGHT for weight in weights):
            raise forms.ValidationError(f"Each weight must be above 0 and at most {MOST_WEIGHT:,}.")
        return text


def _check(collection: Collection, values: Mapping[str, Any]) -> None:
    names, weights = values["runs"].split(), values["weights"].split()
    if len(names) < 2:
        raise Refused("Fusion needs two runs or more.")
    if weights and len(weights) != len(names):
        raise Refused(f"There are {len(weights)} weights for {len(names)} runs. Give one for each run, or none.")
    for name in names:
        run_named(collection, name)


def reciprocal_rank_fusion(lists: Sequence[ScoredList], weights: Sequence[float], k: float) -> dict[str, float]:
    """For each document, the sum of weight / (k + rank) over its lists (Cormack et al., SIGIR 2009)."""
    found: dict[str, list[float]] = {}
    for each, weight in zip(lists, weights, strict=True):
        for rank, docno in enumerate(each.docnos, 1):
            found.setdefault(docno, []).append(weight / (k + rank))
    return {docno: math.fsum(parts) for docno, parts in found.items()}


def interpolation(lists: Sequence[ScoredList], weights: Sequence[float]) -> dict[str, float]:
    """The weighted sum of scores scaled from 0 to 1 in each list; a list of equal scores counts as 1 throughout."""
    found: dict[str, list[float]] = {}
    for each, weight in zip(lists, weights, strict=True):
        scores = [score / 2 for score in each.scores]  # so that no difference overflows; halves are exact
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for docno, score in zip(each.docnos, scores, strict=True):
            found.setdefault(docno, []).append(weight * ((score - low) / (high - low) if high > low else 1.0))
    return {docno: math.fsum(parts) for docno, parts in found.items()}


def _rank(task: Task) -> Rankings:
    runs = [earlier_rankings(task, name) for name in task.values["runs"].split()]
    weights = [float(word) for word in task.values["weights"].split()] or [1.0] * len(runs)
    for done, (query, *lists) in enumerate(zip(task.queries, *runs, strict=True)):
        task.report(done, "fusing rankings")
        rrf = task.values["method"] == RRF
        scores = reciprocal_rank_fusion(lists, weights, task.values["k"]) if rrf else interpolation(lists, weights)
        yield query, ranked(scores.items(), task.depth)


FUSION = Recipe(
    "fusion",
    "Fusion of runs",
    "Combines several runs, by reciprocal ranks (RRF) or by interpolating their scores.",
    FusionForm,
    _rank,
    _check,
)
