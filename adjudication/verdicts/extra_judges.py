"""Sending an item back for one more judge."""

from datetime import datetime
from itertools import count

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from adjudication.labels.rules import check_adjudicator, check_can_decide
from adjudication.models import Verdict
from annotation.models import (
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Item,
    Strategy,
    VotesSeen,
)

TRIES = 5
WAITING = [AssignmentState.OPEN, AssignmentState.PENDING]


@transaction.atomic
def send_back_item(*, verdict: Verdict, by: User, at: datetime, override: bool = False) -> Assignment:
    """Ask one more person to judge the verdict's item: a free slot of the open queue, or somebody's next assignment.

    In a planned campaign the active person with the least to do gets it. Their judgment joins the votes when it
    comes, and reopens a decision by hand. Refused while the item waits for a judge already.
    """
    sent, campaign = _send_back(verdict.item_id, by, at, override)
    record_event(by=by, at=at, verb="send_back_item", target=verdict, scope=campaign.collection, campaign=campaign.slug)
    return sent


@transaction.atomic
def send_back_paper(*, item: Item, by: User | None, at: datetime, override: bool = False) -> Assignment:
    """Ask one more person to extract the contexts of a paper (which has no verdict). Errors as in `send_back_item`."""
    sent, campaign = _send_back(item.pk, by, at, override)
    facts = {"campaign": campaign.slug, "paper": item.paper.key if item.paper else ""}
    record_event(by=by, at=at, verb="send_back_item", target=item, scope=campaign.collection, **facts)
    return sent


def _send_back(item_id: int, by: User | None, at: datetime, override: bool) -> tuple[Assignment, Campaign]:
    campaign = _locked_campaign(item_id)
    check_can_decide(campaign.collection, item_id, by, override=override)
    if campaign.state != CampaignState.OPEN:
        raise Refused(
            f"{campaign} is {campaign.get_state_display()}, so nobody can judge. A manager can open it again."
        )
    _check_not_waiting(item_id)
    judge = None if campaign.strategy == Strategy.QUEUE else _locked_judge(campaign, item_id, by)
    item = Item.objects.select_for_update(no_key=True).get(pk=item_id)
    _check_not_waiting(item.pk)
    slot = _lowest_free(item)
    sent = _assign_to(judge, item, slot, at) if judge else _free_slot(campaign, item, slot)
    if by is not None:
        note_item_seen(item.pk, by, at)
    item.extra_overlap = max(item.extra_overlap + 1, slot - campaign.overlap)
    item.save(update_fields=["extra_overlap"])
    return sent, campaign


@transaction.atomic
def recall_item(*, verdict: Verdict, by: User, at: datetime) -> None:
    """Cancel the request for one more judge while nobody has the item open.

    Errors: Conflict when nobody is asked any longer, or when somebody has taken the item from the open queue.
    """
    campaign = _locked_campaign(verdict.item_id)
    check_adjudicator(campaign.collection, by)
    asked = waiting_judge(verdict.item_id).first()
    if asked is not None and asked.annotator_id is not None:
        Annotator.objects.select_for_update(no_key=True).get(pk=asked.annotator_id)
    asked = waiting_judge(verdict.item_id).select_for_update(of=("self",), no_key=True).first()
    if asked is None:
        raise Conflict("Nobody is asked about this item any longer: they have judged or skipped it.")
    if asked.queue_id is not None and asked.annotator_id is not None:
        raise Conflict(
            "Somebody has taken this item from the queue already. Their judgment will be added to the votes."
        )
    if asked.annotator_id is None:
        asked.delete()
    else:
        Assignment.objects.filter(pk=asked.pk).update(state=AssignmentState.WITHDRAWN, slot=None)
    Item.objects.filter(pk=verdict.item_id, extra_overlap__gt=0).update(extra_overlap=F("extra_overlap") - 1)
    record_event(by=by, at=at, verb="recall_item", target=verdict, scope=campaign.collection, campaign=campaign.slug)


def waiting_judge(item: int) -> QuerySet[Assignment]:
    """What an item that was sent back waits for: a free slot, or somebody who has it to do."""
    rows = Assignment.objects.filter(item=item, slot__isnull=False, state__in=WAITING, item__extra_overlap__gt=0)
    return rows.order_by("pk")


def _locked_campaign(item: int) -> Campaign:
    """As every writer of many does: the campaign first, then annotators, then items and their assignments."""
    rows = Campaign.objects.select_related("collection").select_for_update(of=("self",), no_key=True)
    return rows.get(items=item)


def _check_not_waiting(item: int) -> None:
    if Assignment.objects.filter(item=item, slot__isnull=False, state__in=WAITING).exists():
        raise Conflict("Another judge has already been asked. Their vote counts once they have judged.")


def _lowest_free(item: Item) -> int:
    """The first slot nobody holds: one given back by a skip before another one is added."""
    held = set(Assignment.objects.filter(item=item, slot__isnull=False).values_list("slot", flat=True))
    return next(slot for slot in count(1) if slot not in held)


def _free_slot(campaign: Campaign, item: Item, slot: int) -> Assignment:
    """A free slot at the end of the queue, where everybody still comes by."""
    last = Assignment.objects.filter(queue=campaign).aggregate(last=Max("position"))["last"] or 0
    return Assignment.objects.create(
        item=item, queue=campaign, state=AssignmentState.OPEN, slot=slot, position=last + 1
    )


def _assign_to(judge: Annotator, item: Item, slot: int, at: datetime) -> Assignment:
    """The item at the end of what the judge has to do; on the row they had, where it was withdrawn from them before."""
    last = Assignment.objects.filter(annotator=judge).aggregate(last=Max("position"))["last"] or 0
    given = {"state": AssignmentState.PENDING, "slot": slot, "position": last + 1}
    given |= {"queue": None, "lease_expires_at": None, "sent_back_at": at}
    sent, _ = Assignment.objects.update_or_create(item=item, annotator=judge, repeat=0, defaults=given)
    return sent


def note_item_seen(item: int, by: User, at: datetime) -> None:
    """People who act on the votes of an item have seen them, so they are never asked to judge it (docs/adr/0011)."""
    VotesSeen.objects.get_or_create(item_id=item, user=by, defaults={"at": at})


def judge_name(sent: Assignment) -> str:
    """Whom an item was sent back to, in words."""
    return "the next annotator of the open queue" if sent.annotator is None else "one more annotator"


def has_judges_left(item: Item) -> bool:
    """Whether anybody in the campaign could still judge the item."""
    return _able(item.campaign, item.pk).exists()


def _locked_judge(campaign: Campaign, item: int, by: User | None) -> Annotator:
    """Who judges the item next, chosen again while the choice did not hold until their row was locked.

    Never the person who asks: they have seen the votes.
    """
    for _ in range(TRIES):
        able = _able(campaign, item)
        chosen = (able.exclude(user=by) if by else able).first()
        if chosen is None:
            raise Refused(
                "All annotators of this campaign have had this item, are paused or have no capacity left."
                " Add an annotator first, or decide it yourself."
            )
        Annotator.objects.select_for_update(no_key=True).get(pk=chosen.pk)  # as every writer of assignments does
        if _able(campaign, item).filter(pk=chosen.pk).exists():
            return chosen
    raise Conflict("The annotators of this campaign are being changed. Try again.")


def _able(campaign: Campaign, item: int) -> QuerySet[Annotator]:
    """Active people with an account, room, and neither a go at the item nor its votes seen; the least busy first."""
    pending = Count("assignments", filter=Q(assignments__state=AssignmentState.PENDING))
    held = Count("assignments", filter=Q(assignments__slot__isnull=False, assignments__repeat=0))
    had = Assignment.objects.filter(item=item, annotator__isnull=False).exclude(state=AssignmentState.WITHDRAWN)
    people = campaign.annotators.filter(
        kind=AnnotatorKind.HUMAN, state=AnnotatorState.ACTIVE, user__isnull=False
    ).exclude(pk__in=had.values("annotator"))
    people = people.exclude(user__in=VotesSeen.objects.filter(item=item).values("user"))
    able = people.annotate(pending=pending, held=held).filter(Q(capacity__isnull=True) | Q(held__lt=F("capacity")))
    return able.order_by("pending", "pk")
