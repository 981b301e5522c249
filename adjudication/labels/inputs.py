"""What the statistics are computed from: all labels of a campaign, its verdicts, and who its annotators are."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from adjudication.labels.labels import (
    IntArray,
    LabelMatrix,
    LabelTable,
    read_labels,
    read_repeats,
    read_topics,
    scale_of,
)
from adjudication.models import MachineCorrection, Verdict
from annotation.models import AnnotatorKind, Campaign, Criterion, MachineKind
from engines.stats.labels import MISSING, Annotator, Kind, Labels, make_labels

# The votes of a verdict say who took part in it: a later vote may have had other voters than a decision by hand.
_VOTERS = """
SELECT DISTINCT v.criterion_id, (vote->>0)::bigint
FROM adjudication_verdict v
JOIN annotation_item i ON i.id = v.item_id
CROSS JOIN LATERAL jsonb_array_elements(v.votes) vote
WHERE i.campaign_id = %(campaign)s AND v.value IS NOT NULL
ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Inputs:
    """What one run reads: all labels, hidden repeats, verdicts, and who the annotators are.

    `verdicts` and `voters` are by criterion: {item: value}, and the annotators whose votes these values stand on.
    `items` (n,) are the labelled items, rising, and `topics` (n,) their topics as `read_topics` gives them. `digest`
    covers labels, topics, annotators and scales, `verdicts_digest` what else figures with the verdict depend on (""
    for no verdict): equal digests are equal inputs. A count of votes changes only the latter.
    """

    table: LabelTable
    repeats: LabelTable
    verdicts: dict[int, dict[int, int]]
    voters: dict[int, set[int]]
    people: dict[int, dict[str, Any]]
    items: IntArray
    topics: IntArray
    digest: str
    verdicts_digest: str = ""

    def topics_of(self, items: IntArray) -> IntArray:
        """The topics of labelled items."""
        return self.topics[np.searchsorted(self.items, items)]


def campaign_seed(campaign: Campaign, analysis: str) -> int:
    """The seed of an analysis unless one is named, 48 bits, so that asking again gives the same figures.

    It is made of the names of collection, campaign and analysis, not of the seed that draws the campaign's sample.
    """
    name = f"{campaign.collection.slug}/{campaign.slug}/{analysis}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")


def given_in_sight() -> QuerySet[MachineCorrection]:
    """The correction that gave the outer verdict: its person saw what the machine had said."""
    own = {"item": OuterRef("item"), "criterion": OuterRef("criterion"), "given_at": OuterRef("decided_at")}
    return MachineCorrection.objects.filter(**own, undone_at__isnull=True)


def read_inputs(campaign: Campaign) -> Inputs:
    """Everything a run depends on, with its digests. Verdicts given in sight of a machine's label are left out."""
    table, repeats = read_labels(campaign), read_repeats(campaign)
    digest = hashlib.sha256((table.inputs_hash + repeats.inputs_hash).encode())
    verdicts: dict[int, dict[int, int]] = {}
    known = Verdict.objects.filter(~Exists(given_in_sight()), item__campaign=campaign, value__isnull=False)
    rows = known.order_by("criterion_id", "item_id")
    for criterion, item, value in rows.values_list("criterion_id", "item_id", "value").iterator(chunk_size=20_000):
        verdicts.setdefault(criterion, {})[item] = int(value or 0)
    voters = _read_voters(campaign)
    items = np.unique(table.items)
    topics = read_topics(campaign, items)
    found = campaign.annotators.order_by("pk").values("pk", "name", "kind", "model", "run_number")
    people = {row["pk"]: dict(row) for row in found}
    for pk in found.filter(machine_run__kind=MachineKind.COMMITTEE).values_list("pk", flat=True):
        people[pk]["committee"] = True
    digest.update(np.ascontiguousarray(topics, dtype="<i8").tobytes())
    levels = campaign.criteria.order_by("pk", "levels__value")
    scales = list(levels.values_list("pk", "key", "scale", "levels__value", "levels__label"))
    took_part = {*table.annotators.tolist(), *repeats.annotators.tolist()}
    judges = [person for pk, person in people.items() if pk in took_part]  # who only joined changes no figure
    digest.update(json.dumps([judges, scales]).encode())
    found_verdicts = _digest_of_verdicts(table, verdicts, voters)
    return Inputs(table, repeats, verdicts, voters, people, items, topics, digest.hexdigest(), found_verdicts)


def _digest_of_verdicts(table: LabelTable, verdicts: dict[int, dict[int, int]], voters: dict[int, set[int]]) -> str:
    """Who voted on each criterion, and the values that somebody without a vote is compared with; "" for no verdict."""
    if not verdicts:
        return ""
    digest = hashlib.sha256()
    for criterion, values in verdicts.items():
        voted = voters.get(criterion, set())
        judged = set(table.of_criterion(criterion).annotators.tolist())
        digest.update(f"{criterion} {sorted(voted)}\n".encode())
        if not judged <= voted:
            digest.update("".join(f"{item} {value}\n" for item, value in values.items()).encode())
    return digest.hexdigest()


@transaction.atomic
def await_verdicts(campaign: Campaign) -> datetime:
    """Wait for every change of a verdict that is on its way; the moment, by the database's clock, when none was.

    What is read afterwards holds all changes up to then; later ones bear a later `changed_at`.
    """
    rows = Campaign.objects.filter(pk=campaign.pk)
    rows.select_for_update(no_key=True).get()  # first behind a count of votes, which stops nobody who labels …
    rows.select_for_update().get()  # … then for a moment behind decisions, which are short
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


def _read_voters(campaign: Campaign) -> dict[int, set[int]]:
    """{criterion: annotators who voted on a verdict that has a value}."""
    voters: dict[int, set[int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_VOTERS, {"campaign": campaign.pk})
        for criterion, annotator in cursor:
            voters.setdefault(criterion, set()).add(annotator)
    return voters


def labels_of(criterion: Criterion, inputs: Inputs) -> tuple[LabelMatrix, Labels]:
    """The labels of one criterion: their matrix, in the order pages show it, and what the statistics take."""
    scale = scale_of(criterion)
    matrix = people_first(inputs.table.of_criterion(criterion.pk).matrix(scale), inputs)
    return matrix, build_labels(criterion, scale, matrix, inputs)


def people_first(matrix: LabelMatrix, inputs: Inputs) -> LabelMatrix:
    """The columns in the order pages show them: people, then machines, each by name."""
    who = [inputs.people[int(pk)] for pk in matrix.annotators]
    order = sorted(range(len(who)), key=lambda column: (who[column]["kind"], who[column]["name"]))
    return LabelMatrix(matrix.items, matrix.annotators[order], matrix.positions[:, order])


def build_labels(criterion: Criterion, scale: list[int], matrix: LabelMatrix, inputs: Inputs) -> Labels:
    """What the statistics take: positions, annotators with kind, model and run, topics, verdicts and who voted."""
    voted = inputs.voters.get(criterion.pk, set())
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
        topics=inputs.topics_of(matrix.items),
        adjudicated=adjudicated,
        voters=[column for column, pk in enumerate(matrix.annotators.tolist()) if pk in voted],
    )


def _annotator(person: dict[str, Any]) -> Annotator:
    if person["kind"] == AnnotatorKind.MACHINE:
        run = str(person["run_number"])
        return Annotator(person["name"], Kind.MACHINE, person["model"] or None, run, "committee" in person)
    return Annotator(person["name"])
