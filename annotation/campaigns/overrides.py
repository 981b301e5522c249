"""Machines that annotate although their test was not passed: what must be printed wherever their labels are used."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from accounts.counting import day
from accounts.models import User
from annotation.campaigns.unjudged import labels_shown_to
from annotation.models import AnnoCycle, Annotator, AnnotatorKind, Campaign, MachineSource

HIDDEN = "The results of the test are hidden from you while you have items to judge."


@dataclass(frozen=True)
class Override:
    """An overridden test of Anno-GPT, and the annotators of a campaign that are its machine."""

    cycle: int
    criterion: str
    machine: str
    annotators: tuple[str, ...]
    margin: float
    table: tuple[str, ...]  # what the test showed, a sentence a figure
    reason: str
    by: str
    at: datetime
    test: int | None = None  # id of the campaign of the test

    @property
    def text(self) -> str:
        """All of it as sentences, for pages, tables and files."""
        shown = " ".join(self.table) or "The test has no figures."
        return (
            f"{self.machine} labels “{self.criterion}” without a passed test. Anno-GPT cycle {self.cycle} asked for"
            f" equivalence within ±{100 * self.margin:g} points. {shown} Overridden by {self.by} on {day(self.at)}."
            f" Reason: {' '.join(self.reason.split())}"
        )

    def as_json(self) -> dict[str, Any]:
        """The fields under their names, with the sentences as `text`."""
        fields = {name: value for name, value in asdict(self).items() if name != "test"}
        return fields | {"at": self.at.isoformat(), "text": self.text}


def overrides_in(campaign: Campaign) -> list[Override]:
    """Overridden machines that are annotators of the campaign. One query where no test was overridden."""
    cycles = AnnoCycle.objects.filter(collection=campaign.collection_id, is_override=True)
    found = []
    for cycle in cycles.select_related("decided_by").order_by("number"):
        if names := tuple(machines_of(cycle, campaign)):
            found.append(_override(cycle, names))
    return found


def campaigns_with_overrides(campaigns: Sequence[Campaign]) -> set[int]:
    """Ids of those of these campaigns that have `overrides_in`. One query, and one for each overridden test."""
    collections = {each.collection_id for each in campaigns}
    found: set[int] = set()
    for cycle in AnnoCycle.objects.filter(collection__in=collections, is_override=True):
        here = [each.pk for each in campaigns if each.collection_id == cycle.collection_id]
        found.update(_machines_of(cycle, here).values_list("campaign", flat=True))
    return found


def overrides_shown_to(user: User, campaign: Campaign) -> list[Override]:
    """The overridden machines as this person may read them: results of a test are left out while its labels are hidden
    from them (ADR 11)."""
    found = overrides_in(campaign)
    if not found:
        return []
    tests = Campaign.objects.filter(pk__in=[each.test for each in found if each.test])
    shown = set(labels_shown_to(user, tests).values_list("pk", flat=True))
    return [each if each.test in shown else replace(each, table=(HIDDEN,)) for each in found]


def overriding_cycles(campaign: Campaign) -> dict[str, list[int]]:
    """{annotator: numbers of the cycles whose overridden machine it is}, for lists of single labels."""
    found: dict[str, list[int]] = {}
    for override in overrides_in(campaign):
        for name in override.annotators:
            found.setdefault(name, []).append(override.cycle)
    return found


def machines_of(cycle: AnnoCycle, campaign: Campaign) -> Iterable[str]:
    """Names of the cycle's machine among the annotators: found by its recipe, or by its name where it was imported."""
    return _machines_of(cycle, [campaign.pk]).order_by("name").values_list("name", flat=True)


def _machines_of(cycle: AnnoCycle, campaigns: Sequence[int]) -> QuerySet[Annotator]:
    machines = Annotator.objects.filter(campaign__in=campaigns, kind=AnnotatorKind.MACHINE)
    if cycle.frozen_source == MachineSource.IMPORTED:
        named = Q(model=cycle.frozen_name) | Q(model="", name=cycle.frozen_name)
        return machines.filter(named, machine_run__isnull=True)
    return machines.filter(machine_run__recipe_hash=cycle.frozen_hash, machine_run__criteria__key=cycle.criterion)


def _override(cycle: AnnoCycle, names: tuple[str, ...]) -> Override:
    return Override(
        cycle=cycle.number,
        criterion=cycle.criterion,
        machine=cycle.frozen_name,
        annotators=names,
        margin=cycle.margin,
        table=tuple(map(_sentence, cycle.evidence)),
        reason=cycle.reason,
        by=str(cycle.decided_by or "the command line"),
        at=cycle.decided_at or cycle.created_at,
        test=cycle.test_id,
    )


def _sentence(row: dict[str, Any]) -> str:
    """One line of the test's table."""
    figures = f"{row['machine'] or 'undefined'} with people, {row['people'] or 'undefined'} among people"
    return f"{row['label']}: {figures}; {row['outcome']}."
