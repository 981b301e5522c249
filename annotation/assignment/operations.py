"""What can be done with the annotators of a campaign: they are changed, given items, asked again after a change of the
guideline, or no longer; and an open queue is put in order. Adding annotators is in pages, api and commands; taking
items back and handing them over, in pages."""

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.counting import counted
from accounts.operations import Found, Operation, Rest
from accounts.refusals import Refused
from accounts.rest_records import serializer_of
from annotation.assignment.annotators import change_annotator
from annotation.assignment.assignments import assign_items
from annotation.assignment.forms import AnnotatorForm, PlanForm, QueueOrderForm, RejudgingForm
from annotation.assignment.ordering import OrderedPart, handed_out, judged_sample, order_queue
from annotation.assignment.pages import shown_with
from annotation.assignment.plan_summary import Summary
from annotation.assignment.queue_orders import ORDERS, PLANNED, count_left, current_ordering, has_open_queue
from annotation.assignment.rejudging import (
    Rejudging,
    judged_earlier,
    rejudged_by_person,
    request_rejudging,
    withdraw_rejudging,
)
from annotation.campaigns.places import in_campaign, thing_in_campaign
from annotation.models import Annotator, Campaign, QueueOrdering, Strategy
from corpus.collections.rules import MANAGE
from corpus.models import Membership


class AnnotatorSerializer(serializers.ModelSerializer[Annotator]):
    class Meta:
        model = Annotator
        fields = ("id", "name", "kind", "state", "weight", "capacity", "model", "run_number", "created_at")


def _annotator_named(campaign: Campaign, name: str) -> Annotator:
    """By name or address. Errors: Refused for one that nobody in the campaign has, with those that there are."""
    people = {each.name: each for each in campaign.annotators.select_related("user").order_by("name")}
    by_email = {each.user.email: each for each in people.values() if each.user}
    found = people.get(name) or by_email.get(name.lower())
    if found is None:
        there = f" There are: {', '.join(people)}." if people else " It has none."
        raise Refused(f"There is no annotator {name} in {campaign.slug}.{there}")
    return found


def _page_of(annotator: Annotator) -> str:
    campaign = annotator.campaign
    return reverse("annotator_edit", args=[campaign.collection.slug, campaign.slug, annotator.pk])


def _as_json(annotator: Annotator) -> Any:
    return AnnotatorSerializer(annotator).data


def _asked_again(done: Rejudging) -> str:
    kept = f" {counted(done.kept, 'other')} cannot be asked again, and stay as they are." if done.kept else ""
    return f"{_in_words(done)} asked again. The former judgments count until then.{kept}"


def _in_words(done: Rejudging) -> str:
    people = counted(done.people, "person", "people")
    judgments = counted(done.judgments, "judgment")
    return f"{judgments} of {counted(done.items, 'item')} by {people} {'is' if done.judgments == 1 else 'are'}"


def _guideline_of(campaign: Campaign) -> str:
    return reverse("guideline_edit", args=[campaign.collection.slug, campaign.slug])


def _rejudging_of(_: Membership, campaign: Campaign) -> dict[str, Any]:
    people = rejudged_by_person(campaign)
    waiting = any(one.pending for one in people)
    return {"people": people, "waiting": waiting, "earlier": judged_earlier(campaign)}


RejudgingSerializer = serializer_of(Rejudging, "Rejudging", without=("campaign",))
PlannedSerializer = serializer_of(Summary, "Planned")
SHOWN_PAIRS = 15


def _plan_in_words(summary: Summary) -> str:
    """The plan in lines for a person."""
    if summary.strategy == Strategy.QUEUE:
        gold = sum(summary.gold.values())
        among = f" Among them are {gold:,} free slots of hidden gold." if gold else ""
        return f"{summary.judgments:,} free slots of {summary.items:,} items are in the open queue.{among}"
    lines = [f"{summary.judgments:,} judgments of {summary.items:,} items are assigned (seed {summary.seed})."]
    lines += [
        f"  {name}: {new:,} new, {summary.loads[name]:,} in all{_more(summary, name)}"
        for name, new in sorted(summary.annotators.items())
    ]
    pairs = sorted(summary.pairs.items())
    lines += [f"  {' and '.join(pair.split('|'))} share {count:,}" for pair, count in pairs[:SHOWN_PAIRS]]
    if len(pairs) > SHOWN_PAIRS:
        lines.append(f"  … and {len(pairs) - SHOWN_PAIRS:,} more pairs, from {min(summary.pairs.values()):,} items")
    return "\n".join(lines)


def _more(summary: Summary, name: str) -> str:
    again, gold = summary.repeats.get(name, 0), summary.gold.get(name, 0)
    return (f", {again:,} asked again" if again else "") + (f", {gold:,} hidden gold" if gold else "")


UPDATE_ANNOTATOR = Operation(
    called="update_annotator",
    rest=Rest("annotators_change", AnnotatorSerializer, status=200, takes="AnnotatorChange"),
    task="Judge",
    example="update_annotator demo main-round Ada --weight 2",
    action=change_annotator,
    form=AnnotatorForm,
    place=thing_in_campaign(
        "annotator",
        lambda campaign: campaign.annotators.select_related("user", "campaign__collection"),
        "annotator_list",
        "annotators",
        shows=shown_with,
        named=_annotator_named,
        about="name or address of the annotator",
    ),
    roles=MANAGE,
    about="Change the name, weight, capacity or rate of pay of an annotator; pause, resume or remove them."
    " Their judgments are kept and count.",
    title="Change an annotator",
    button="Save",
    report=lambda annotator: f"Saved {annotator}. Weight and capacity count from the next assignment on.",
    goes_to=_page_of,
    shows=_as_json,
    is_change=True,
    template="annotation/assignment/annotator_edit.html",
)

REQUEST_REJUDGING = Operation(
    called="request_rejudging",
    rest=Rest("rejudging_request", RejudgingSerializer, takes="NewRejudging"),
    task="Judge",
    example="request_rejudging demo main-round --grades 1 --dry-run",
    action=request_rejudging,
    form=RejudgingForm,
    place=in_campaign("guideline_edit", "guideline", shows=_rejudging_of, to_form=True),
    roles=MANAGE,
    about="Ask people again about what a changed guideline touches: all that they judged by an earlier version, or a"
    " part. The former judgments count until they are made again, and stay on record.",
    title="Judge again after a change",
    lead="After a change of the guideline, ask the same people again about what it touches. They get these items as any"
    " other, after what they have still to do. The newer judgment counts; the former one stays in the export “Former"
    " judgments”.",
    button="Ask again",
    report=_asked_again,
    goes_to=lambda done: reverse("rejudging_request", args=[done.campaign.collection.slug, done.campaign.slug]),
    shows=lambda done: RejudgingSerializer(done).data,
    has_dry_run=True,
    template="annotation/assignment/rejudging.html",
)

WITHDRAW_REJUDGING = Operation(
    called="withdraw_rejudging",
    rest=Rest("rejudging_withdraw", RejudgingSerializer, status=200),
    task="Judge",
    example="withdraw_rejudging demo main-round",
    action=withdraw_rejudging,
    place=in_campaign("rejudging_request"),
    roles=MANAGE,
    about="Stop asking people again about what a changed guideline touches. What they have judged again stays.",
    title="Stop asking again",
    button="Stop asking",
    report=lambda done: f"{_in_words(done)} no longer asked again.",
    goes_to=lambda done: _guideline_of(done.campaign),
    shows=lambda done: RejudgingSerializer(done).data,
)

ASSIGN_ITEMS = Operation(  # its page has steps: a job previews the plan, and another writes what was seen
    called="assign",
    rest=Rest("assignments_plan", PlannedSerializer, status=200, takes="Plan"),
    task="Judge",
    example="assign demo second-round --seed 7",
    action=assign_items,
    foresee=partial(assign_items, dry_run=True),
    form=PlanForm,
    place=in_campaign("assignment_plan"),
    roles=MANAGE,
    about="Give every item of a campaign the annotators it still needs: different people, equal loads, and"
    " equal overlap between each pair of people. Existing assignments stay.",
    title="Assign items",
    button="Assign",
    report=_plan_in_words,
    goes_to=lambda _: "",
    shows=asdict,
    has_dry_run=True,
    former={"repeats": "repeat_percent"},
)

OrderedPartSerializer = serializer_of(
    OrderedPart, "OrderedPart", about="What was handed out under one order.", by=serializers.CharField(allow_null=True)
)


class QueueOrderingSerializer(serializers.ModelSerializer[QueueOrdering]):
    runs = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = QueueOrdering
        fields = ("id", "state", "order", "seed", "runs")


def _ordering_as_json(job: QueueOrdering) -> Any:
    return QueueOrderingSerializer(job).data


def _with_history(request: Any, roles: tuple[Any, ...], **where: Any) -> Found:
    found = in_campaign("assignment_plan", "assignment").page(request, roles, **where)
    campaign = found.target["campaign"]
    if not has_open_queue(campaign):
        return found  # nothing to put in order: so nothing is counted, which takes long in a large campaign
    now = current_ordering(campaign)
    shown = {
        "has_queue": True,
        "left": count_left(campaign),
        "parts": handed_out(campaign),
        "sample": judged_sample(campaign),
    }
    return replace(found, form={"initial": {"order": now.order if now else PLANNED.name}}, shown=found.shown | shown)


ORDER_QUEUE = Operation(
    called="order_queue",
    rest=Rest("queue_orders_create", QueueOrderingSerializer, status=202, takes="NewQueueOrder"),
    task="Judge",
    example="order_queue demo second-round random --seed 7",
    action=order_queue,
    form=QueueOrderForm,
    named=("order",),
    folded=("runs", "seed"),
    fold="Runs whose holes come first, and the seed",
    place=replace(in_campaign("assignment_plan", "assignment"), page=_with_history),
    roles=MANAGE,
    about="Choose which items of an open queue are judged next. Annotators do not see the order. It is recorded,"
    " because only a random order makes the judged items a random sample of the campaign.",
    title="Order of the open queue",
    button="Use this order",
    report=lambda job: f"The open queue is being ordered: {ORDERS.label_of(job.order)}.",
    goes_to=lambda job: reverse("job_detail", args=["queue-orders", job.pk]),
    shows=_ordering_as_json,
    finished=lambda job: (f"The open queue hands out {ORDERS.label_of(job.order)}.", _ordering_as_json(job)),
    template="annotation/assignment/queue_order.html",
)
