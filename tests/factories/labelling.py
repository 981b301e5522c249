"""Campaigns with work still to do: plans and open queues, in both orders."""

import uuid
from collections.abc import Sequence
from datetime import timedelta

from annotation.assignment.participation import UNKNOWN_VISIT, Visit
from annotation.labelling.answers import Answer, AnswerInput, Receipt
from annotation.labelling.submissions import submit
from annotation.models import (
    Assignment,
    AssignmentState,
    CampaignState,
    Judgment,
    Order,
    Strategy,
    Submission,
    SubmissionKind,
)
from tests.factories.adjudication import AT, Built, Triple, build_campaign, make_items

LATER = timedelta(minutes=1)


def build_work(
    *,
    items: int = 4,
    people: Sequence[str] = ("ana", "ben", "cai"),
    overlap: int | None = None,
    strategy: Strategy = Strategy.PLANNED,
    order: Order = Order.BY_ASPECT,
    triples: Sequence[Triple] | None = None,
    slug: str = "tea",
) -> Built:
    """An open campaign with `items` to judge: in a plan each person has all of them, in a queue all slots are free."""
    built = build_campaign(people=people, slug=slug)
    campaign = built.campaign
    campaign.overlap = overlap or len(people)
    campaign.strategy, campaign.order, campaign.state = strategy, order, CampaignState.OPEN
    campaign.save()
    wanted = triples or [("1", "It brews tea.", f"doc{i:05d}") for i in range(items)]
    built.items = make_items(campaign, wanted)
    slots = range(1, campaign.overlap + 1)
    annotators = list(built.annotators.values())
    Assignment.objects.bulk_create(
        Assignment(item=item, queue=campaign, state=AssignmentState.OPEN, slot=slot, position=position)
        if strategy == Strategy.QUEUE
        else Assignment(
            item=item,
            annotator=annotators[slot - 1],
            state=AssignmentState.PENDING,
            slot=slot,
            position=position,
        )
        for position, item in enumerate(built.items, 1)
        for slot in slots
    )
    return built


def given(assignment: int | Assignment, value: int | None = 1, **more: object) -> AnswerInput:
    """An answer (or with `kind` a skip or undo) under a fresh uuid."""
    number = assignment if isinstance(assignment, int) else assignment.pk
    answers = {} if value is None else {"relevance": value}
    return AnswerInput(uuid=uuid.uuid4(), assignment=number, answers=answers, **more)  # type: ignore[arg-type]


def skip(assignment: int | Assignment, reason: str = "Not English", **more: object) -> AnswerInput:
    return given(assignment, None, kind=SubmissionKind.SKIP, reason=reason, **more)


def undo(assignment: int | Assignment, base: object) -> AnswerInput:
    return given(assignment, None, kind=SubmissionKind.UNDO, base=base)


def send(
    built: Built, person: str, *what: AnswerInput, minutes: int = 0, have: object = None, visit: Visit = UNKNOWN_VISIT
) -> Answer:
    """What the action says to these submissions of this person."""
    return submit(
        collection=built.collection.slug,
        campaign=built.campaign.slug,
        inputs=what,
        by=built.people[person],
        at=AT + minutes * LATER,
        have=have,  # type: ignore[arg-type]
        visit=visit,
    )


def send_one(built: Built, person: str, what: AnswerInput, minutes: int = 0) -> Receipt:
    """The receipt of one submission; its refusal is raised."""
    (result,) = send(built, person, what, minutes=minutes).results
    if not isinstance(result, Receipt):
        raise result
    return result


def assignment_of(built: Built, person: str, item: int = 0) -> Assignment:
    return Assignment.objects.get(annotator=built.annotators[person], item=built.items[item])


def values_of(assignment: Assignment) -> list[int]:
    """The values that count now."""
    return list(Judgment.objects.filter(assignment=assignment).order_by("criterion").values_list("value", flat=True))


def kinds_of(assignment: Assignment) -> list[tuple[str, str]]:
    """Kind and outcome of every submission ever stored, in order."""
    return list(Submission.objects.filter(assignment=assignment).order_by("id").values_list("kind", "outcome"))
