"""Items on which annotators differ, down to the labels: by topic, by pair, by cell of a pair's confusion matrix."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from adjudication.labels.ballots import ShownLabel, machine_words
from adjudication.labels.items import NAMED_BY
from adjudication.labels.labels import counted_judgments, repeated_judgments
from adjudication.models import Verdict
from annotation.models import Assignment, AssignmentState, Criterion, Item, Judgment
from corpus.long_lists import KeyedPage, NumberedPage, Span, search_page, take_page


@dataclass(frozen=True)
class DisagreementFilter:
    """Which items: of a topic; of two annotators who differ, or gave exactly these two values; decided ones too.

    The second of a pair may be the verdict (None). `level`: one of the two gave it, or both; `all_labelled`: all items
    that both have labelled, whether they differ or not.
    """

    criterion: Criterion
    topic: int | None = None
    pair: tuple[int, int | None] | None = None
    cell: tuple[int, int] | None = None
    everything: bool = False
    level: int | None = None
    all_labelled: bool = False


@dataclass(frozen=True, kw_only=True)
class Label(ShownLabel):
    """One annotator's value on an item, as the lists show it. `again`: the answer to a hidden repeat."""

    name: str
    kind: str
    again: bool


@dataclass(frozen=True)
class DisagreementLine:
    """One item of the list. `hidden`: the reader still has to judge it, so its labels are kept from them."""

    item: Item
    labels: list[Label]
    verdict: Verdict | None
    hidden: bool


def find_items(selection: DisagreementFilter) -> QuerySet[Item]:
    """The items, lowest agreement first where votes have been counted, else as they were made.

    Without a pair this reads verdicts, so votes must have been counted; a pair is compared label by label.
    """
    items = Item.objects.filter(campaign=selection.criterion.campaign_id)
    if selection.topic is not None:
        items = items.filter(topic=selection.topic)
    if selection.pair is not None:
        verdicts = Verdict.objects.filter(item=OuterRef("pk"), criterion=selection.criterion)
        if not selection.everything:
            items = items.filter(~Exists(verdicts.filter(decided_at__isnull=False, reopened_at__isnull=True)))
        return _of_pair(items, selection, selection.pair).order_by("pk")
    left = Q() if selection.everything else Q(verdicts__decided_at=None) | Q(verdicts__reopened_at__isnull=False)
    items = items.filter(left, verdicts__criterion=selection.criterion, verdicts__agreement__lt=1)
    return items.annotate(agreement=F("verdicts__agreement")).order_by("agreement", "pk")


def find_page(selection: DisagreementFilter, query: Mapping[str, str], per_page: int) -> NumberedPage | KeyedPage:
    """The page of `find_items` that the address (`query`) asks for. Values of a pair are searched item by item."""

    def find(span: Span | None) -> QuerySet[Item]:
        items = find_items(selection).select_related(*NAMED_BY)
        return items if span is None else items.filter(pk__gt=span[0], pk__lte=span[1])

    if selection.pair is None:
        return take_page(find(None), query, per_page, ("agreement", "pk"))
    among = Item.objects.filter(campaign=selection.criterion.campaign_id)
    return search_page(find, among if selection.topic is None else among.filter(topic=selection.topic), query, per_page)


def _of_pair(items: QuerySet[Item], selection: DisagreementFilter, pair: tuple[int, int | None]) -> QuerySet[Item]:
    first, second = (_values_of(selection.criterion, annotator) for annotator in pair)
    if selection.cell is not None:
        return items.filter(
            Exists(first.filter(value=selection.cell[0])), Exists(second.filter(value=selection.cell[1]))
        )
    values = items.annotate(one=_value(first), other=_value(second)).filter(one__isnull=False, other__isnull=False)
    if selection.level is not None:
        return values.filter(Q(one=selection.level) | Q(other=selection.level))
    return values if selection.all_labelled else values.exclude(one=F("other"))


def _values_of(criterion: Criterion, annotator: int | None) -> QuerySet[Judgment] | QuerySet[Verdict]:
    """What the annotator (None: the verdict) gave the outer item."""
    if annotator is None:
        return Verdict.objects.filter(item=OuterRef("pk"), criterion=criterion, value__isnull=False)
    labels = counted_judgments(criterion.campaign)
    return labels.filter(assignment__item=OuterRef("pk"), assignment__annotator=annotator, criterion=criterion)


def _value(rows: QuerySet[Judgment] | QuerySet[Verdict]) -> Subquery:
    return Subquery(rows.values("value")[:1])


def fetch_lines(
    items: list[Item], criterion: Criterion, reader: User, *, repeats: bool = False
) -> list[DisagreementLine]:
    """The items with their labels and verdicts, for one page; with `repeats` the second answers too. Four queries."""
    shown = repeated_judgments(criterion.campaign) if repeats else counted_judgments(criterion.campaign)
    judgments = (
        shown.filter(assignment__item__in=items, criterion=criterion)
        .select_related("assignment__annotator", "submission__guideline")
        .order_by("assignment__annotator__kind", "assignment__annotator__name", "assignment__repeat")
    )
    said = machine_words(judgments)
    labels: dict[int, list[Label]] = {}
    for judgment in judgments:
        labels.setdefault(judgment.assignment.item_id, []).append(_label(judgment, said.get(judgment.pk, "")))
    verdicts = {row.item_id: row for row in Verdict.objects.filter(item__in=items, criterion=criterion)}
    todo = Assignment.objects.filter(item__in=items, annotator__user=reader, state=AssignmentState.PENDING)
    waiting = set(todo.values_list("item_id", flat=True))
    return [
        DisagreementLine(
            item, [] if item.pk in waiting else labels.get(item.pk, []), verdicts.get(item.pk), item.pk in waiting
        )
        for item in items
    ]


def _label(judgment: Judgment, said: str) -> Label:
    annotator, again = judgment.assignment.annotator, judgment.assignment.repeat > 0
    name, kind = (annotator.name, annotator.kind) if annotator else ("", "")
    return Label.of(judgment, name=name, kind=kind, again=again, said=said)


VERDICT = "verdict"


@dataclass(frozen=True)
class LabelSide:
    """One side of a pair: an annotator, or the verdict (no id)."""

    pk: int | None
    name: str

    @property
    def key(self) -> str:
        return VERDICT if self.pk is None else str(self.pk)


def pair_of(criterion: Criterion, text: str) -> list[LabelSide] | None:
    """The two sides named by "id,id" or "id,verdict", in that order; None for anything else."""
    parts = text.split(",")
    ids = parts[:1] if parts[1:] == [VERDICT] else parts
    if len(parts) != 2 or not all(part.isdecimal() and len(part) < 19 for part in ids) or parts[0] == parts[1]:
        return None
    found = criterion.campaign.annotators.in_bulk([int(part) for part in ids])
    if len(found) != len(ids):
        return None
    sides = [LabelSide(int(part), found[int(part)].name) for part in ids]
    return [*sides, LabelSide(None, VERDICT)][:2]
