"""Each annotator's agreement with the others and with themselves, from a finished run."""

from dataclasses import dataclass
from typing import Any

from adjudication.models import AgreementRun
from adjudication.queries.agreement import Shown, number, show
from adjudication.stats.blocks import ADJUDICATED


@dataclass(frozen=True)
class AnnotatorFigures:
    """One annotator: labels given, mean agreement with the others, agreement with the vote of the others, repeats."""

    name: str
    kind: str
    model: str
    run: int
    n_items: int
    agreement: str
    with_verdict: Shown | None
    repeats: str


def annotator_figures(run: AgreementRun, criterion: str) -> list[AnnotatorFigures]:
    """In the order of the run's columns."""
    detail = run.detail[criterion]
    rows = list(run.results.filter(criterion=criterion, statistic="accuracy", scope="pair", value__isnull=False))
    repeats = {one["id"]: one for one in detail["repeats"]}
    found = []
    for one in detail["annotators"]:
        mine = [row for row in rows if one["name"] in row.annotators]
        others = [row.value or 0.0 for row in mine if ADJUDICATED not in row.annotators]
        verdict = next((row for row in mine if ADJUDICATED in row.annotators), None)
        found.append(
            AnnotatorFigures(
                name=one["name"],
                kind=one["kind"],
                model=one["model"],
                run=one["run"],
                n_items=one["n_items"],
                agreement=number("accuracy", sum(others) / len(others)) if others else "",
                with_verdict=show(verdict) if verdict else None,
                repeats=_repeats(repeats.get(one["id"])),
            )
        )
    return found


def _repeats(asked: dict[str, Any] | None) -> str:
    """ "9 of 10" answers to hidden repeats that were the same; "" where nobody asked twice."""
    return f"{asked['n_equal']:,} of {asked['n_items']:,}" if asked else ""
