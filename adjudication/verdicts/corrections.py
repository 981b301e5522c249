"""Machine labels looked through by people: found by what may be wrong with them, corrected, or accepted as they are.

A correction is kept as that person's judgment and decides the item. It was made in sight of the machine's label, so it
is no vote, and neither it nor the verdict that it gave enters figures of agreement.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from adjudication.labels.labels import counted_judgments
from adjudication.models import MachineCorrection, Method, Verdict
from adjudication.verdicts.decisions import decide_verdict, open_verdict, withdraw_decision
from annotation.campaigns.seals import check_not_sealed
from annotation.models import AnnotatorKind, Campaign, Criterion, Judgment

STATES = {"open": "not looked at", "corrected": "corrected or accepted", "all": "all"}


@dataclass(frozen=True)
class LabelFilter:
    """Which machine labels. `split`: where machines differ among themselves; `under`: whose verdict has a lower
    probability, in percent; `state` is one of STATES; `label` is one of them by its id, whatever else."""

    value: int | None = None
    topic: int | None = None
    machine: int | None = None
    split: bool = False
    under: int | None = None
    state: str = "open"
    label: int | None = None


def machine_labels(campaign: Campaign) -> QuerySet[Judgment]:
    """The labels of machines that count, in the order they were stored."""
    labels = counted_judgments(campaign).filter(assignment__annotator__kind=AnnotatorKind.MACHINE)
    return labels.select_related("assignment__annotator", "criterion").order_by("pk")


def find_labels(criterion: Criterion, chosen: LabelFilter, after: int = 0) -> QuerySet[Judgment]:
    """The labels that the filter lets through whose id is above `after`."""
    labels = machine_labels(criterion.campaign).filter(criterion=criterion, pk__gt=after)
    if chosen.label is not None:
        return labels.filter(pk=chosen.label)
    same: dict[str, Any] = {"item": OuterRef("assignment__item"), "criterion": criterion}
    equals = {"value": chosen.value, "assignment__item__topic": chosen.topic, "assignment__annotator": chosen.machine}
    labels = labels.filter(**{name: value for name, value in equals.items() if value is not None})
    if chosen.split:
        others = machine_labels(criterion.campaign).filter(assignment__item=same["item"], criterion=criterion)
        labels = labels.filter(Exists(others.exclude(value=OuterRef("value"))))
    if chosen.under is not None:
        labels = labels.filter(Exists(Verdict.objects.filter(**same, probability__lt=chosen.under / 100)))
    standing = Exists(MachineCorrection.objects.filter(**same, undone_at__isnull=True))
    by_state: dict[str, list[Any]] = {"open": [~standing], "corrected": [standing]}
    return labels.filter(*by_state.get(chosen.state, []))


@transaction.atomic
def correct_machine_label(
    *, campaign: Campaign, label: int, value: int | None = None, by: User, at: datetime
) -> MachineCorrection:
    """Give the item of this machine label (an id) a value in sight of it: another one, or None to accept its own.

    One's own earlier correction is replaced. Errors: those of `decide_verdict`; Conflict for an item that was decided
    by hand otherwise, or that somebody else has corrected.
    """
    check_not_sealed(campaign)
    found = _label(campaign, label)
    verdict = open_verdict(item=found.assignment.item, criterion=found.criterion, by=by, at=at)
    standing = _standing(found)
    if standing and standing.given_by_id != by.pk:
        raise Conflict(f"{standing.given_by} has looked at this item already.")
    if verdict.method == Method.BY_HAND and not standing:
        raise Conflict("This item is already decided by hand. Change the decision on the adjudication screen.")
    machine = found.assignment.annotator.name if found.assignment.annotator else ""
    value = found.value if value is None else value
    comment = f"Given in sight of the label {found.value} of {machine}."
    facts = {"machine": machine, "said": found.value, "value": value}
    correction = MachineCorrection(item=verdict.item, criterion=verdict.criterion, given_by=by, given_at=at, **facts)
    _record(campaign, correction, "correct_machine_label", by, at)
    decide_verdict(verdict=verdict, value=value, by=by, at=at, comment=comment, seen=verdict.decided_at)
    correction.save()  # now, as the decision ended the one before
    return correction


@transaction.atomic
def undo_correction(*, campaign: Campaign, label: int, by: User, at: datetime) -> MachineCorrection:
    """Take a correction back: the item is what the votes make of it again. It stays on record as undone.

    Errors: Refused where none stands, and those of `withdraw_decision`.
    """
    check_not_sealed(campaign)
    found = _label(campaign, label)
    verdict = open_verdict(item=found.assignment.item, criterion=found.criterion, by=by, at=at)
    if (standing := _standing(found)) is None:
        raise Refused("This label has no correction to undo.")
    _record(campaign, standing, "undo_correction", by, at)
    withdraw_decision(verdict=verdict, by=by, at=at, seen=standing.given_at)
    standing.refresh_from_db(fields=["undone_at"])
    return standing


def _label(campaign: Campaign, label: int) -> Judgment:
    found = machine_labels(campaign).select_related("assignment__item").filter(pk=label).first()
    if found is None:
        raise Refused(f"{campaign} has no machine label {label}.")
    return found


def _standing(label: Judgment) -> MachineCorrection | None:
    own = {"item": label.assignment.item_id, "criterion": label.criterion_id}
    return MachineCorrection.objects.filter(**own, undone_at__isnull=True).first()


def _record(campaign: Campaign, one: MachineCorrection, verb: str, by: User, at: datetime) -> None:
    facts = {"item": one.item_id, "criterion": one.criterion.key, "machine": one.machine, "said": one.said}
    record_event(by=by, at=at, verb=verb, target=campaign, scope=campaign.collection, **facts, value=one.value)
