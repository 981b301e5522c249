"""What the statistics are computed from: all labels of a campaign, its verdicts, and who its annotators are."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudication.models import Verdict
from adjudication.queries.labels import Matrix, Table, read_labels, read_repeats, read_topics
from adjudication.stats.labels import MISSING, Annotator, Kind, Labels, make_labels
from annotation.models import AnnotatorKind, Campaign, Criterion


@dataclass(frozen=True)
class Inputs:
    """What one run reads: all labels, hidden repeats, verdict values by criterion, and who the annotators are."""

    table: Table
    repeats: Table
    verdicts: dict[int, dict[int, int]]
    people: dict[int, dict[str, Any]]
    digest: str


def read_inputs(campaign: Campaign) -> Inputs:
    """Everything a run depends on, with one digest over it."""
    table, repeats = read_labels(campaign), read_repeats(campaign)
    verdicts: dict[int, dict[int, int]] = {}
    digest = hashlib.sha256((table.inputs_hash + repeats.inputs_hash).encode())
    rows = Verdict.objects.filter(item__campaign=campaign, value__isnull=False).order_by("criterion_id", "item_id")
    for criterion, item, value in rows.values_list("criterion_id", "item_id", "value").iterator(chunk_size=20_000):
        verdicts.setdefault(criterion, {})[item] = int(value or 0)
        digest.update(f"{criterion} {item} {value}\n".encode())
    found = campaign.annotators.values("pk", "name", "kind", "model", "run_number")
    people = {row["pk"]: dict(row) for row in found}
    return Inputs(table, repeats, verdicts, people, digest.hexdigest())


def people_first(matrix: Matrix, inputs: Inputs) -> Matrix:
    """The columns in the order pages show them: people, then machines, each by name."""
    who = [inputs.people[int(pk)] for pk in matrix.annotators]
    order = sorted(range(len(who)), key=lambda column: (who[column]["kind"], who[column]["name"]))
    return Matrix(matrix.items, matrix.annotators[order], matrix.positions[:, order])


def build_labels(campaign: Campaign, criterion: Criterion, scale: list[int], matrix: Matrix, inputs: Inputs) -> Labels:
    """What the statistics take: positions, annotators with kind, model and run, topics, and the verdicts."""
    decided = inputs.verdicts.get(criterion.pk)
    position = {value: index for index, value in enumerate(scale)}
    adjudicated = None
    if decided:
        found = [position[decided[item]] if item in decided else MISSING for item in matrix.items.tolist()]
        adjudicated = np.array(found, dtype=np.int16)
    return make_labels(
        matrix.positions,
        scale,
        [_annotator(inputs.people[int(pk)]) for pk in matrix.annotators],
        topics=read_topics(campaign, matrix.items),
        adjudicated=adjudicated,
    )


def _annotator(person: dict[str, Any]) -> Annotator:
    if person["kind"] == AnnotatorKind.MACHINE:
        return Annotator(person["name"], Kind.MACHINE, person["model"] or None, str(person["run_number"]))
    return Annotator(person["name"])
