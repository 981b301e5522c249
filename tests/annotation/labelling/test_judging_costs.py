"""What PostgreSQL reads for a judgment stays the same, however much its annotator has judged before."""

import pytest
from django.db import connection

from annotation.models import Assignment, AssignmentState, Order
from tests.annotation.labelling.queues import build_queue, take
from tests.factories.adjudication import AT, Built
from tests.factories.labelling import build_work, given, send
from tests.plans import rows_read, scans_of, statements

pytestmark = pytest.mark.django_db

DONE = 300  # by the annotator before


@pytest.fixture
def counted_before() -> None:
    """PostgreSQL has looked at the table before the annotator began, as it does now and then."""
    elsewhere = build_work(items=1000, slug="elsewhere", people=("dora", "emil"))
    Assignment.objects.filter(item__campaign=elsewhere.campaign).update(state=AssignmentState.DONE, finished_at=AT)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_assignment, annotation_item, annotation_annotator")


def judged_already(built: Built) -> None:
    ana = built.annotators["ana"]
    rows = Assignment.objects.filter(item__in=built.items[:DONE])
    rows.update(annotator=ana, state=AssignmentState.DONE, finished_at=AT)
    ana.queue_position = DONE
    ana.save()


@pytest.mark.parametrize(
    ("build", "order"),
    [(build_queue, Order.BY_ASPECT), (build_queue, Order.BY_DOCUMENT), (build_work, Order.BY_ASPECT)],
)
@pytest.mark.usefixtures("counted_before")
def test_a_judgment_reads_nothing_of_what_its_annotator_has_done(build, order):
    built = build(items=DONE + 60, people=("ana",), overlap=1, order=order)
    judged_already(built)
    units = take(built, "ana")
    with statements() as executed:
        answer = send(built, "ana", given(units[0][0], 1), have=units[1:])
    assert len(answer.units) == 1
    scans = scans_of("annotation_assignment", executed)
    assert 0 < rows_read(scans) < DONE, [(each.get("Index Name"), rows_read([each])) for each in scans]
