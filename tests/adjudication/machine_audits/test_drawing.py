"""Drawing an audit sample: strata, probabilities, what people get, and what is refused."""

from functools import partial

import pytest
from django.test import Client

from accounts import jobs
from accounts.refusals import Refused
from adjudication.machine_audits.strata import TAKEN, unpack_frame
from adjudication.models import AuditItem, MachineAudit
from annotation.assignment.ordering import handed_out, order_queue
from annotation.assignment.participation import fetch_participation
from annotation.models import Assignment, AssignmentState, Campaign, CampaignState, Purpose, Strategy
from tests.adjudication.machine_audits.audit_worlds import World, machine_world
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


def test_a_sample_is_drawn_within_strata_with_known_probabilities_and_the_same_by_the_same_seed() -> None:
    world = machine_world()
    foreseen = world.draw(dry_run=True)
    assert not AuditItem.objects.exists()
    assert not Assignment.objects.filter(annotator__kind="human").exists()
    done = world.draw()
    audit = MachineAudit.objects.get(pk=done.id)
    assert [each.sample for each in foreseen.strata] == [each.sample for each in done.strata]
    assert sum(each.items for each in done.strata) == done.labelled == 600
    assert {each.grades for each in done.strata} == {(0,), (1,), (2,)}
    frame = unpack_frame(bytes(audit.frame))
    of_item = dict(zip(*frame[[0, 2]].tolist(), strict=True))
    for one in audit.sample.all():
        stratum = audit.strata[one.stratum]
        assert one.value in stratum["grades"]
        assert one.probability == pytest.approx(stratum["sample"] / stratum["items"])
        assert of_item[one.item_id] == one.stratum
    again, other = world.draw(), world.draw(seed=4)
    assert items_of(again.id) == items_of(done.id) != items_of(other.id)


def test_people_get_the_sample_alone_in_a_plan() -> None:
    world = machine_world()
    drawn = items_of(world.draw().id)
    given = Assignment.objects.filter(annotator__kind="human", state=AssignmentState.PENDING)
    assert set(given.values_list("item", flat=True)) == drawn
    assert given.count() == 120
    loads = [each.assignments.count() for each in world.built.campaign.annotators.filter(kind="human")]
    assert max(loads) - min(loads) <= 1


def test_in_an_open_queue_the_sample_comes_next_for_everybody_and_nothing_is_lost() -> None:
    world = machine_world(topics=4, documents=30, strategy=Strategy.QUEUE)
    campaign = world.built.campaign
    Assignment.objects.bulk_create(
        Assignment(item=item, queue=campaign, state="open", slot=1, position=place)
        for place, item in enumerate(world.built.items, 1)
    )
    campaign.annotators.filter(name="ana").update(queue_position=20)
    drawn = items_of(world.draw(size=40).id)
    rows = Assignment.objects.filter(queue=campaign).order_by("position")
    assert sorted(rows.values_list("position", flat=True)) == list(range(1, 121)), "places are changed, none is lost"
    assert set(come := list(rows.values_list("item", flat=True)[20:60])) == drawn
    assert sorted(come) != come, "in random order: the first labels are a random part of each stratum"
    assert come == list(AuditItem.objects.order_by("pk").values_list("item", flat=True))
    jobs.complete(order_queue(campaign=campaign, order="random", by=None, at=AT, send=False))
    rows = Assignment.objects.filter(queue=campaign).order_by("position")
    assert list(rows.values_list("item", flat=True)[:40]) == come, "another order leaves the sample in front"
    assert [part.label for part in handed_out(campaign)][2:] == ["random", "with items of an audit first"]
    for name in ("ana", "ben"):
        found = fetch_participation(collection="tea", campaign="main", user=world.built.people[name])
        assert found.queue_position == 20, "nobody comes to the sample later than others"


def test_what_people_labelled_is_not_drawn() -> None:
    world = machine_world(topics=2, documents=50)
    for item in world.built.items[:30]:
        world.built.label(item, "ana", 1)
    done = world.draw(size=40)
    assert (done.labelled, done.taken, sum(each.items for each in done.strata)) == (100, 30, 70)
    assert not items_of(done.id) & {item.pk for item in world.built.items[:30]}
    frame = unpack_frame(bytes(MachineAudit.objects.get().frame))
    assert (frame[2] == TAKEN).sum() == 30


def test_strata_follow_the_other_machines_and_the_topics() -> None:
    rows = [[None, i % 2, i % 2 if i < 300 else 1 - i % 2] for i in range(600)]
    built = build_campaign(rows, people=("ana",), machines=[("bot", "m", 1), ("cat", "m", 2)], overlap=1, topics=6)
    draw = partial(World(built, {}).draw, size=240, dry_run=True)
    found = draw().strata
    assert {(each.grades, each.least, each.most) for each in found} == {
        ((grade,), differ, differ) for grade in (0, 1) for differ in (0.0, 1.0)
    }
    assert all(each.sample >= 30 for each in found)
    assert found[-1].words == "Grade 1, 100% of other machines differ, 2 topics"
    [whole] = {(each.least, each.most) for each in draw(by_disagreement=False).strata}
    assert whole == (0.0, 1.0)


def test_what_cannot_be_drawn_is_refused_with_the_reason() -> None:
    world = machine_world(topics=2, documents=40)
    for size in (29, 81):
        with pytest.raises(Refused, match="at least 30 items, and the machine has labelled 80 items"):
            world.draw(size=size)
    Campaign.objects.update(strategy=Strategy.QUEUE, state=CampaignState.DRAFT)
    with pytest.raises(Refused, match="Open it first"):
        world.draw(size=40)
    Campaign.objects.update(purpose=Purpose.TRAINING)
    with pytest.raises(Refused, match="practice"):
        world.draw(size=40)
    Campaign.objects.update(state=CampaignState.CLOSED)
    with pytest.raises(Refused, match="closed"):
        world.draw(size=40)
    assert not MachineAudit.objects.exists()


def test_the_page_says_how_many_items_can_be_drawn_and_begins_with_no_more(client: Client) -> None:
    world = machine_world(topics=2, documents=40)
    client.force_login(world.built.people["manager"])

    def page() -> str:
        return " ".join(client.get("/c/tea/campaigns/main/machine-audits/new/").content.decode().split())

    assert "80 of <bdi>bot</bdi> for <bdi>" in page()
    assert 'name="size" value="80"' in page()
    for item in world.built.items[:51]:
        world.built.label(item, "ana", 1)
    assert "29 of <bdi>bot</bdi>" in page()
    assert "A sample has at least 30 items, so nothing can be drawn." in page()
    assert "Show what would be drawn" not in page()
    Assignment.objects.update(state="pending", finished_at=None)
    assert "No machine has labelled items here yet" in page()
    Campaign.objects.update(state=CampaignState.CLOSED)
    assert "closed" in page()
    assert "Show what would be drawn" not in page()


def items_of(audit: int | None) -> set[int]:
    return set(AuditItem.objects.filter(audit=audit).values_list("item", flat=True))


def test_an_item_of_a_sample_is_given_out_like_any_other() -> None:
    """The rows of a plan that gives out the sample have nothing that those of a plan of all items lack."""
    world = machine_world(topics=2, documents=40)
    world.draw(size=40)
    rows = Assignment.objects.filter(annotator__kind="human").values(
        "state", "slot", "repeat", "queue", "held_by", "sent_back_at", "imported_in"
    )
    assert [dict(row) for row in rows.distinct().order_by()] == [
        {
            "state": "pending",
            "slot": 1,
            "repeat": 0,
            "queue": None,
            "held_by": None,
            "sent_back_at": None,
            "imported_in": None,
        }
    ]
