"""The result of an evaluation, and how it is written as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudication.evaluation.golds.kind import LoadedGold
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.subsets import Subset
from engines.stats.evaluation import RunComparison, RunScores
from engines.stats.results import Estimate
from engines.stats.run_order import AtDepth, LeftOut, OrderAgreement


@dataclass(frozen=True, eq=False)
class SubsetFigures(Subset):
    """The figures of some topics: means {run: {measure}}, and tests of pairs of runs."""

    means: Mapping[str, Mapping[str, Estimate]]
    tests: tuple[RunComparison, ...]


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """The result of an evaluation. `measures` are names as requested; `scores` are {run: its scores by topic}."""

    spec: EvaluationSpec
    gold: LoadedGold
    measures: tuple[str, ...]
    scores: Mapping[str, RunScores]
    subsets: tuple[SubsetFigures, ...]
    notes: tuple[str, ...]
    problems: Mapping[str, str] = field(default_factory=dict)  # of runs that cannot be measured at all
    orders: tuple[OrderAgreement, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    depths: tuple[AtDepth, ...] = ()

    @property
    def runs(self) -> list[str]:
        return list(self.scores)

    @property
    def whole(self) -> SubsetFigures:
        return self.subsets[0]

    def to_json(self) -> dict[str, Any]:
        """As `litmus evaluate --json` prints it and the API answers (design.md 4)."""
        spec = self.spec
        return {
            "gold": spec.gold,
            "gold_label": self.gold.label,
            "unit": self.gold.unit,
            "runs": self.runs,
            "measures": list(self.measures),
            "subsets": [
                {
                    "by": dict(each.by),
                    "n_topics": len(each.topics),
                    "runs": {run: self._figures(run, each) for run in each.means},
                }
                for each in self.subsets
            ],
            "tests": [entry for each in self.subsets for test in each.tests for entry in _tests(test, each.by)],
            "tau": [each.to_json() for each in self.orders],
            "left_out": [each.to_json() for each in self.left_out],
            "depths": [each.to_json() for each in self.depths],
            "notes": list(self.notes),
            "missing": {run: list(found.missing) for run, found in self.scores.items() if found.missing},
            "tied": {run: dict(found.tied) for run, found in self.scores.items() if found.tied},
            "unjudged": spec.unjudged,
            "topics": spec.topics,
            "baseline": spec.baseline,
            "seed": spec.seed,
            "resamples": spec.resamples,
        }

    def _figures(self, run: str, figures: SubsetFigures) -> dict[str, Any]:
        found = {}
        scores = self.scores[run]
        for name, estimate in figures.means[run].items():
            problem = self.problems.get(run) or scores.problems.get(name)
            found[name] = _figure(estimate) | ({"problem": problem} if problem else {})
            found[name]["unjudged_high"] = scores.highest_mean(name, figures.topics)
        return found


def _figure(estimate: Estimate) -> dict[str, Any]:
    shape = estimate.to_json()
    ci = shape["ci"] or {}
    return {
        "value": shape["value"],
        "se": shape["se"],
        "low": ci.get("low"),
        "high": ci.get("high"),
        "reason": shape["reason"],
        "ci_reason": shape["ci_reason"],
        "method": ci.get("method"),
        "n_topics": shape["n_items"],
    }


def _tests(test: RunComparison, by: Mapping[str, str | None]) -> list[dict[str, Any]]:
    pair = {"a": test.a, "b": test.b, "measure": test.measure, "by": dict(by)}
    found = []
    for name, result, adjusted in (
        ("paired-t", test.t_test, test.t_holm),
        ("randomisation", test.randomisation, test.randomisation_holm),
    ):
        shape = result.to_json()
        entry = {"p": shape["p"], "p_holm": adjusted, "test": name, "reason": shape["reason"]}
        entry["flags"] = shape["flags"]
        found.append({**pair, **entry, "difference": shape["difference"], "n_topics": shape["n"]})
    return found
