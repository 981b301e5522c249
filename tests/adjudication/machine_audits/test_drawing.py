"""Drawing an audit sample: strata, probabilities, what people get, and what is refused."""

import numpy as np
import pytest

from accounts.refusals import Refused
from adjudication.machine_audits.drawing import draw_audit_sample
from adjudication.machine_audits.strata import TAKEN, Frame, Stratum, allocate, draw
from adjudication.models import AuditItem, MachineAudit
from annotation.assignment.participation import fetch_participation
from annotation.models import Assignment, AssignmentState, Campaign, CampaignState, Purpose, Strategy
from tests.adjudication.machine_audits.audit_worlds import machine_world
from tests.factories.adjudication import AT, build_campaign

pytestmark = pytest.mark.django_db


def test_allocation_is_in_proportion_with_a_least_of_each_and_never_more_than_there_is() -> None:
    assert allocate(np.array([1000, 500, 20]), 200).tolist() == [119, 61, 20]
    assert allocate(np.array([1000, 1000, 40]), 200).tolist() == [85, 85, 30]
    assert allocate(np.array([100, 100]), 200).tolist() == [100, 100]
    assert allocate(np.array([1000, 1000]), 100, np.array([0.1, 0.4])).tolist() == [30, 70], "Neyman, above the least"


def test_a_sample_is_drawn_within_strata_with_known_probabilities_and_the_same_by_the_same_seed() -> None:
    world = machine_world()
    foreseen = world.draw(dry_run=True)
    assert not AuditItem.objects.exists()
    assert not Assignment.objects.filter(annotator__kind="human").exists()
    done = world.draw()
    audit = done.audit
    assert audit is not None
    assert [each.sample for each in foreseen.strata] == [each.sample for each in done.strata]
    assert sum(each.items for each in done.strata) == done.labelled == 600
    assert {each.grades for each in done.strata} == {(0,), (1,), (2,)}
    frame = Frame.unpacked(bytes(audit.frame))
    for one in audit.sample.all():
        stratum = audit.strata[one.stratum]
        assert one.value in stratum["grades"]
        assert one.probability == pytest.approx(stratum["sample"] / stratum["items"])
        assert frame.strata[frame.items.tolist().index(one.item_id)] == one.stratum
    drawn = set(audit.sample.values_list("item", flat=True))
    again = world.draw()
    assert again.audit is not None
    assert set(again.audit.sample.values_list("item", flat=True)) == drawn
    other = world.draw(seed=4)
    assert other.audit is not None
    assert set(other.audit.sample.values_list("item", flat=True)) != drawn


def test_every_item_of_a_stratum_is_as_likely() -> None:
    """Over many seeds, each of two strata of the test."""
    rng = np.random.default_rng(1)
    stratum = np.array([0] * 40 + [1] * 20)
    strata = [Stratum((0,), None, 1, 40, 10), Stratum((1,), None, 1, 20, 10)]
    hits = np.bincount(np.concatenate([draw(stratum, strata, int(seed)) for seed in rng.integers(0, 2**40, 4000)]))
    assert hits[:40] / 4000 == pytest.approx(0.25, abs=0.03)
    assert hits[40:] / 4000 == pytest.approx(0.5, abs=0.03)


def test_people_get_the_sample_alone_in_a_plan() -> None:
    world = machine_world()
    audit = world.draw().audit
    assert audit is not None
    given = Assignment.objects.filter(annotator__kind="human", state=AssignmentState.PENDING)
    assert set(given.values_list("item", flat=True)) == set(audit.sample.values_list("item", flat=True))
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
    audit = world.draw(size=40).audit
    assert audit is not None
    rows = Assignment.objects.filter(queue=campaign).order_by("position")
    assert sorted(rows.values_list("position", flat=True)) == list(range(1, 121)), "places are changed, none is lost"
    assert set(rows.values_list("item", flat=True)[20:60]) == set(audit.sample.values_list("item", flat=True))
    for name in ("ana", "ben"):
        found = fetch_participation(collection="tea", campaign="main", user=world.built.people[name])
        assert found.queue_position == 20, "nobody comes to the sample later than others"


def test_what_people_labelled_is_not_drawn() -> None:
    world = machine_world(topics=2, documents=50)
    for item in world.built.items[:30]:
        world.built.label(item, "ana", 1)
    done = world.draw(size=40)
    assert done.audit is not None
    assert (done.labelled, done.taken, sum(each.items for each in done.strata)) == (100, 30, 70)
    assert not done.audit.sample.filter(item__in=world.built.items[:30]).exists()
    frame = Frame.unpacked(bytes(done.audit.frame))
    assert (frame.strata == TAKEN).sum() == 30


def test_strata_follow_the_other_machines_and_the_topics() -> None:
    rows = [[None, i % 2, i % 2 if i < 300 else 1 - i % 2] for i in range(600)]
    built = build_campaign(rows, people=("ana",), machines=[("bot", "m", 1), ("cat", "m", 2)], overlap=1, topics=6)
    options = {"campaign": built.campaign, "machine": "bot", "size": 240, "by": None, "at": AT, "dry_run": True}
    found = draw_audit_sample(**options)
    assert {(each.grades, each.differs) for each in found.strata} == {
        ((0,), False), ((0,), True), ((1,), False), ((1,), True)
    }  # fmt: skip
    assert len(found.strata) == 8
    assert all(each.sample >= 30 for each in found.strata)
    whole = draw_audit_sample(**options, by_disagreement=False, by_topic=False)
    assert [(each.grades, each.differs, each.sample) for each in whole.strata] == [((0,), None, 120), ((1,), None, 120)]


def test_what_cannot_be_drawn_is_refused_with_the_reason() -> None:
    world = machine_world(topics=2, documents=40)
    campaign = world.built.campaign
    with pytest.raises(Refused, match="80 items that people have not"):
        world.draw(size=81)
    with pytest.raises(Refused, match="at least 30"):
        world.draw(size=29)
    with pytest.raises(Refused, match="has: bot"):
        world.draw(size=40, machine="cat")
    with pytest.raises(Refused, match="has: relevance"):
        world.draw(size=40, criterion="novelty")
    Campaign.objects.update(strategy=Strategy.QUEUE, state=CampaignState.DRAFT)
    with pytest.raises(Refused, match="Open it first"):
        world.draw(size=40)
    Campaign.objects.update(purpose=Purpose.TRAINING)
    with pytest.raises(Refused, match="practice"):
        world.draw(size=40)
    campaign.state = CampaignState.CLOSED
    campaign.save()
    with pytest.raises(Refused, match="closed"):
        world.draw(size=40)
    assert not MachineAudit.objects.exists()
