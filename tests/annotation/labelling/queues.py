"""An open queue for the tests: taking from it, visiting the screen and leaving it."""

from datetime import timedelta

from django.db.models import Count

from annotation.assignment.participation import UNKNOWN_VISIT, Visit
from annotation.labelling.units_ahead import begin_visit, end_visit, take_units
from annotation.models import Assignment, Strategy
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import build_work

LEASE = timedelta(minutes=60)
LAPTOP, PHONE = "laptop", "phone"


def build_queue(**more: object) -> Built:
    return build_work(strategy=Strategy.QUEUE, **{"overlap": 2, **more})  # type: ignore[arg-type]


def take(built: Built, person: str, have=(), at=AT, look_back=False, visit=UNKNOWN_VISIT) -> list[list[int]]:
    where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
    return take_units(**where, have=have, by=built.people[person], at=at, look_back=look_back, visit=visit)[1]


def items_of(built: Built, units: list[list[int]]) -> list[int]:
    """Numbers of the items of these units, from 0."""
    numbers = {item.pk: number for number, item in enumerate(built.items)}
    rows = Assignment.objects.in_bulk([id_ for unit in units for id_ in unit])
    return [numbers[rows[id_].item_id] for unit in units for id_ in unit]


def visit(built: Built, person: str, at=AT, browser=LAPTOP) -> tuple[list[list[int]], Visit]:
    where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
    return begin_visit(**where, browser=browser, by=built.people[person], at=at)[1:]


def leave(built: Built, person: str, one: Visit, seen: list[list[int]], at=AT) -> int:
    where = {"collection": built.collection.slug, "campaign": built.campaign.slug}
    return end_visit(**where, visit=one, seen=seen, by=built.people[person], at=at)


def states(built: Built, person: str) -> dict[str, int]:
    rows = Assignment.objects.filter(annotator=built.annotators[person])
    return dict(rows.values_list("state").annotate(n=Count("pk")))
