"""The judgments behind a number: which items, by whom, in which state; the end of the way down from any figure."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from adjudication.agreement.contributing_items import ContributingItems
from adjudication.labels.items import NAMED_BY
from adjudication.labels.labels import counted_judgments, judging_annotators
from adjudication.models import Method, Verdict
from annotation.gold.results import items_answered_wrong
from annotation.models import (
    FORMER,
    AnnotatorKind,
    Asked,
    Assignment,
    AssignmentState,
    Criterion,
    Item,
    Judgment,
    Submission,
    SubmissionKind,
)
from corpus.long_lists import KeyedPage, NumberedPage, Span, search_page

STATES = {
    "assigned": Q(state__in=[AssignmentState.PENDING, AssignmentState.DONE]),
    "pending": Q(state=AssignmentState.PENDING),
    "done": Q(state=AssignmentState.DONE),
    "skipped": Q(state=AssignmentState.SKIPPED),
}
AMONG = {  # annotators' kinds that must both be there: the blocks of Table 1
    "two": "two or more labels",
    "HH": "labels of two or more people",
    "GH": "labels of a person and a machine",
    "GG": "labels of two or more runs of a machine",
    "GA": "labels of a machine, and a verdict",
    "HA": "labels of two or more people, and a verdict",
}
REOPENED = "reopened"
METHODS = {**dict(Method.choices), REOPENED: "reopened"}


@dataclass(frozen=True)
class ItemSelection:
    """Which items. `annotator` with `state` (their assignments): among theirs those `repeated` (judged twice), with a
    `known` answer, judged by an `other` annotator too, by a `version` of the guideline, `within` so many seconds, or
    finished in a `span` of time, ends included. With `differs` those of them where the second answer is another one,
    the answer is not the known one, both agree and somebody else does not; else where other people gave another value
    (machines only where there are no other people).

    `among` is one of AMONG, `model` narrows it to a machine's runs; `method` says how the verdict came about;
    `contributing` are the items of one computed figure.
    """

    criterion: Criterion
    item: int | None = None
    topic: int | None = None
    annotator: int | None = None
    state: str = ""
    repeated: bool = False
    differs: bool = False
    known: bool = False
    other: int | None = None
    version: int | None = None
    within: float | None = None
    span: tuple[datetime, datetime] | None = None
    among: str = ""
    model: str = ""
    method: str = ""
    contributing: ContributingItems | None = None

    @property
    def is_part(self) -> bool:
        """Whether only a part of what the annotator judged is asked for."""
        return self.known or any(each is not None for each in (self.other, self.version, self.within, self.span))

    @property
    def is_narrowed(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self) if field.name != "criterion")


def find_page(selection: ItemSelection, query: Mapping[str, str], per_page: int) -> NumberedPage | KeyedPage:
    """The page of `find_judged` that the address (`query`) asks for."""

    def find(span: Span | None) -> QuerySet[Item]:
        return find_judged(selection, span).select_related(*NAMED_BY)

    return search_page(find, _base_items(selection, None), query, per_page)


def _base_items(selection: ItemSelection, span: Span | None) -> QuerySet[Item]:
    items = Item.objects.filter(campaign=selection.criterion.campaign_id).order_by("pk")
    if selection.item is not None:
        items = items.filter(pk=selection.item)
    if selection.topic is not None:
        items = items.filter(topic=selection.topic)
    return items if span is None else items.filter(pk__gt=span[0], pk__lte=span[1])


def find_judged(selection: ItemSelection, span: Span | None = None) -> QuerySet[Item]:
    """The items, in the order they were made. Without a choice: all that anybody has judged. `span`: of these ids."""
    items = _base_items(selection, span)
    if selection.item is not None:
        return items
    if selection.annotator is not None:
        items = _of_annotator(items, selection, selection.annotator, span)
    if selection.method:
        how = Q(reopened_at__isnull=False) if selection.method == REOPENED else Q(method=selection.method)
        items = items.filter(Exists(_verdicts(selection).filter(how)))
    if selection.among:
        items = _among(items, selection)
    if selection.contributing is not None:
        ids = [selection.contributing.items()]
        items = items.filter(RawSQL("annotation_item.id = ANY(%s::bigint[])", ids, BooleanField()))
    if selection.annotator is None and not selection.method and not selection.among and selection.contributing is None:
        items = items.filter(Exists(_labels(selection)))
    return items


def _verdicts(selection: ItemSelection) -> QuerySet[Verdict]:
    return Verdict.objects.filter(item=OuterRef("pk"), criterion=selection.criterion)


def _labels(selection: ItemSelection) -> QuerySet[Judgment]:
    """The labels that count on the outer item."""
    counted = counted_judgments(selection.criterion.campaign)
    return counted.filter(assignment__item=OuterRef("pk"), criterion=selection.criterion)


def _of_annotator(items: QuerySet[Item], selection: ItemSelection, annotator: int, span: Span | None) -> QuerySet[Item]:
    mine = Assignment.objects.filter(item=OuterRef("pk"), annotator=annotator)
    if selection.repeated:
        return _repeated(items, selection, annotator)
    if selection.known:
        known = selection.criterion.campaign.known_answers.values("item")
        answered = items.filter(Exists(mine.filter(STATES["done"])), pk__in=known)
        wrong = items_answered_wrong(selection.criterion.campaign, annotator) if selection.differs else None
        return answered if wrong is None else answered.filter(pk__in=wrong)
    if selection.other is not None:
        other = _labels(selection).filter(assignment__annotator=selection.other)
        same = other.filter(value=_given(selection, annotator))
        items = items.filter(Exists(same if selection.differs else other))
    if selection.differs:
        items = items.filter(pk__in=_where_others_differ(selection, annotator, span))
    return items.filter(Exists(_part(mine, selection).filter(STATES.get(selection.state, STATES["done"]))))


def _repeated(items: QuerySet[Item], selection: ItemSelection, annotator: int) -> QuerySet[Item]:
    again = Judgment.objects.filter(assignment__item=OuterRef("pk"), criterion=selection.criterion)
    again = again.filter(assignment__annotator=annotator, assignment__repeat=Asked.AGAIN, assignment__state="done")
    if selection.differs:
        again = again.exclude(value=_given(selection, annotator))
    return items.filter(Exists(again), Exists(_labels(selection).filter(assignment__annotator=annotator)))


def _part(mine: QuerySet[Assignment], selection: ItemSelection) -> QuerySet[Assignment]:
    """Those finished in the span of time, by the version of the guideline, within so many seconds."""
    if selection.span is not None:
        mine = mine.filter(finished_at__range=selection.span)
    if selection.version is not None:
        mine = mine.filter(judgments__submission__guideline__version=selection.version)
    if selection.within is not None:
        mine = mine.filter(judgments__submission__active_ms__lte=round(1000 * selection.within))
    return mine


def _given(selection: ItemSelection, annotator: int) -> Subquery:
    """The annotator's value on the item of an outer judgment."""
    own = counted_judgments(selection.criterion.campaign).filter(assignment__annotator=annotator)
    same_item = own.filter(assignment__item=OuterRef("assignment__item"), criterion=selection.criterion)
    return Subquery(same_item.values("value")[:1])


def _where_others_differ(selection: ItemSelection, annotator: int, span: Span | None) -> QuerySet[Any, Any]:
    """Items on which another person (another machine, where nobody else judges) gave another value than the annotator.

    One pass over the campaign's labels: nested questions item by item take minutes while PostgreSQL has no statistics.
    """
    campaign = selection.criterion.campaign
    others = ~Q(assignment__annotator=annotator)
    if judging_annotators(campaign).filter(kind=AnnotatorKind.HUMAN).exclude(pk=annotator).exists():
        others &= Q(assignment__annotator__kind=AnnotatorKind.HUMAN)
    labels = counted_judgments(campaign).filter(criterion=selection.criterion)
    if span is not None:
        labels = labels.filter(assignment__item__gt=span[0], assignment__item__lte=span[1])
    by_item = labels.values("assignment__item")
    return (
        by_item.annotate(
            own=Max("value", filter=Q(assignment__annotator=annotator)),
            lowest=Min("value", filter=others),
            highest=Max("value", filter=others),
        )
        .filter(Q(lowest__lt=F("own")) | Q(highest__gt=F("own")))
        .values("assignment__item")
    )


def _among(items: QuerySet[Item], selection: ItemSelection) -> QuerySet[Item]:
    """Items that enter a figure of this block."""
    labels = _labels(selection)
    people = labels.filter(assignment__annotator__kind=AnnotatorKind.HUMAN)
    runs = labels.filter(assignment__annotator__kind=AnnotatorKind.MACHINE)
    if selection.model:
        runs = runs.filter(assignment__annotator__model=selection.model)
    conditions = {
        "two": [_two(labels)],
        "HH": [_two(people)],
        "GH": [Exists(people), Exists(runs)],
        "GG": [_two(runs)],
        "GA": [Exists(runs), Exists(_verdicts(selection).filter(value__isnull=False))],
        "HA": [_two(people), Exists(_verdicts(selection).filter(value__isnull=False))],
    }
    return items.filter(*conditions[selection.among])


def _two(labels: QuerySet[Judgment]) -> Exists:
    """Whether the outer item has two of these labels."""
    counted = labels.order_by().values("assignment__item").annotate(n=Count("pk")).filter(n__gte=2)
    return Exists(counted)


def count_assignments(selection: ItemSelection) -> int:
    """The annotator's assignments in the state asked for, hidden repeats among them; 0 where no annotator is chosen."""
    if selection.annotator is None or selection.repeated or selection.differs or selection.is_part:
        return 0
    mine = Assignment.objects.filter(item__campaign=selection.criterion.campaign_id, annotator=selection.annotator)
    return mine.filter(STATES.get(selection.state, STATES["done"]), repeat__lt=FORMER).count()


def reasons_of_skips(items: list[Item], annotator: int) -> dict[int, str]:
    """{item id: why this annotator skipped it}, for those they skipped and have not judged since."""
    skipped = Assignment.objects.filter(item__in=items, annotator=annotator, state=AssignmentState.SKIPPED)
    rows = Submission.objects.filter(assignment__in=skipped, kind=SubmissionKind.SKIP).order_by("pk")
    return dict(rows.values_list("assignment__item_id", "reason"))
