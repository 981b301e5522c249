"""The state of the items whose machine answers could not be parsed."""

from collections.abc import Iterable
from dataclasses import dataclass

from adjudication.models import Verdict
from annotation.models import Assignment, AssignmentState, UnparsedAnswer


@dataclass(frozen=True)
class UnparsedRow:
    """An answer, what stands for its item, and whether somebody is asked to judge it."""

    label: UnparsedAnswer
    verdict: Verdict | None
    is_asked: bool


def with_standing(labels: Iterable[UnparsedAnswer]) -> list[UnparsedRow]:
    """The answers in their order; two queries in addition to theirs."""
    found = list(labels)
    items = [label.item_id for label in found]
    verdicts = Verdict.objects.filter(item__in=items).select_related("decided_by")
    by_item = {(one.item_id, one.criterion_id): one for one in verdicts}
    waiting = [AssignmentState.OPEN, AssignmentState.PENDING]
    waiting_items = set(Assignment.objects.filter(item__in=items, state__in=waiting).values_list("item", flat=True))
    return [
        UnparsedRow(one, by_item.get((one.item_id, one.criterion_id)), one.item_id in waiting_items) for one in found
    ]
