"""Audit samples drawn at the same moment, and while people label, over real connections."""

from functools import partial

import pytest
from django.db import transaction
from django.db.models import Count

from adjudication.machine_audits.drawing import Drawing
from adjudication.machine_audits.report import find
from adjudication.models import AuditItem, MachineAudit
from annotation.labelling.submissions import submit
from annotation.labelling.units_ahead import begin_visit
from annotation.models import Assignment, AssignmentState, QueueOrdering, Strategy
from tests.adjudication.machine_audits.audit_worlds import World, machine_world
from tests.databases import in_another_connection, second_of
from tests.factories.adjudication import AT
from tests.factories.labelling import given

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world() -> World:
    return machine_world(topics=2, documents=40)


def in_queue(world: World) -> None:
    """The campaign's items in its open queue."""
    Assignment.objects.bulk_create(
        Assignment(item=item, queue=world.built.campaign, state="open", slot=1, position=place)
        for place, item in enumerate(world.built.items, 1)
    )


def test_two_samples_drawn_at_once_are_each_whole_and_ask_nobody_twice(world: World) -> None:
    said = second_of(partial(world.draw, 30), partial(world.draw, 30, seed=4))
    assert isinstance(said, Drawing)
    assert [audit.sample.count() for audit in MachineAudit.objects.all()] == [30, 30]
    asked = Assignment.objects.filter(item__audited__isnull=False, annotator__kind="human")
    assert set(asked.values("item").annotate(n=Count("annotator", distinct=True)).values_list("n", flat=True)) == {1}
    world.judge(MachineAudit.objects.earliest("pk"))
    world.judge(MachineAudit.objects.latest("pk"))
    assert all(find(audit).evidence.standing.is_whole for audit in MachineAudit.objects.all())


def test_labels_that_come_while_a_sample_is_drawn_count_in_it(world: World) -> None:
    """The draw does not wait for who labels, and reads their items as not labelled yet."""
    first = MachineAudit.objects.get(pk=world.draw(40).id)
    with transaction.atomic():
        world.judge(first, most=20)
        drawn = in_another_connection(partial(world.draw, 60, seed=4))
    assert isinstance(drawn, Drawing)
    assert drawn.taken == 0
    second = MachineAudit.objects.get(pk=drawn.id)
    both = Assignment.objects.filter(item__audited__audit=second, annotator__kind="human", state="done").count()
    assert 0 < both == find(second).evidence.standing.judged
    world.judge(second)
    standing = find(second).evidence.standing
    done = Assignment.objects.filter(annotator__kind="human", state="done").count()
    assert (standing.judged, standing.later) == (60, done - 60)


def test_items_that_people_take_while_a_sample_comes_to_the_front_stay_theirs() -> None:
    world = machine_world(topics=2, documents=40, strategy=Strategy.QUEUE)
    in_queue(world)
    campaign = world.built.campaign
    where = {"collection": world.built.collection.slug, "campaign": campaign.slug, "by": world.built.people["ana"]}
    taken: list[list[int]] = []

    def take() -> None:
        taken.extend(begin_visit(**where, browser="laptop", at=AT)[1])

    said = second_of(take, partial(world.draw, 30))
    assert isinstance(said, Drawing)
    mine = Assignment.objects.filter(annotator__name="ana", state=AssignmentState.PENDING)
    assert sorted(mine.values_list("pk", flat=True)) == sorted(one for unit in taken for one in unit)
    places = Assignment.objects.filter(queue=campaign).values_list("position", flat=True)
    assert sorted(places) == list(range(1, 81)), "no place is lost or double"
    answer = submit(**where, inputs=[given(taken[0][0], 1)], at=AT)
    assert answer.results[0].outcome == "counted"
    assert AuditItem.objects.count() == 30
    assert QueueOrdering.objects.filter(order="front").count() == 1
