"""Work given back, handed over, or left by people who are paused or removed: no judgment is lost, no slot doubled."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest
from django.urls import reverse

from accounts.refusals import Refused
from annotation.assignment.annotators import (
    add_members,
    add_name,
    pause_annotator,
    remove_annotator,
    resume_annotator,
    update_annotator,
)
from annotation.assignment.assignments import reassign_assignments, release_assignments
from annotation.labelling.units_ahead import take_units
from annotation.models import Assignment, Judgment
from corpus.models import Role
from tests.annotation.assignment.test_assignments import assign, check_slots, judges, order_of, start
from tests.factories.annotation import AT, add_person, annotator, give_labels, make_campaign, make_material, skip_item
from tests.factories.papers import PaperFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


def test_released_items_are_free_for_the_next_plan(made):
    campaign = make_campaign(made)
    start(campaign)
    ana = annotator(campaign, "ana")
    give_labels(ana, [2, 1])
    assert release_assignments(annotator=ana, by=None, at=AT) == 14
    assert Counter(ana.assignments.values_list("state", flat=True)) == {"withdrawn": 14, "done": 2}
    assert assign(campaign).judgments == 14
    assert {len(names) for names in judges(campaign).values()} == {2}
    revived = ana.assignments.filter(state="pending").count()  # the even plan gives Ana some of them back
    assert revived > 0
    assert ana.assignments.count() == 16
    check_slots(campaign)


def test_a_part_can_be_released_from_the_end_of_the_order(made):
    campaign = make_campaign(made)
    assign(campaign)
    ana = annotator(campaign, "ana")
    assert release_assignments(annotator=ana, by=None, at=AT, most=5) == 5
    assert list(
        ana.assignments.filter(state="pending").order_by("position").values_list("position", flat=True)
    ) == list(range(1, 12))


def test_released_slots_of_a_queue_are_offered_again(made):
    campaign = make_campaign(made, strategy="queue")
    start(campaign)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    ana = annotator(campaign, "ana")
    leased = ana.assignments.filter(state="pending").count()
    assert release_assignments(annotator=ana, by=None, at=AT) == leased > 0
    assert Assignment.objects.filter(queue=campaign, state="open").count() == 48
    check_slots(campaign)


def test_handing_over_moves_what_is_to_do_and_keeps_what_is_done(made):
    campaign = make_campaign(made)
    start(campaign)
    dan = add_person(made, "dan", Role.ANNOTATOR)
    add_members(campaign=campaign, users=[dan], by=None, at=AT)
    ana, dan = annotator(campaign, "ana"), annotator(campaign, "dan")
    give_labels(ana, [2, 1, 0])
    moved = reassign_assignments(source=ana, target=dan, by=None, at=AT)
    assert (moved.moved, moved.stayed) == (13, 0)
    assert ana.assignments.filter(state="done").count() == Judgment.objects.count() == 3
    assert dan.assignments.filter(state="pending").count() == 13
    assert {len(names) for names in judges(campaign).values()} == {2}
    aspects = [aspect for _, aspect, _ in order_of(dan)]
    assert sum(a != b for a, b in pairwise(aspects)) == len(set(aspects)) - 1
    check_slots(campaign)


def test_what_the_other_has_already_stays(made):
    campaign = make_campaign(made)
    start(campaign)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    both = ana.assignments.filter(item__in=ben.assignments.values("item")).count()
    moved = reassign_assignments(source=ana, target=ben, by=None, at=AT)
    assert (moved.moved, moved.stayed) == (16 - both, both)
    assert {len(names) for names in judges(campaign).values()} == {2}
    check_slots(campaign)


def test_papers_are_handed_over_on_the_page_too(made, client):
    PaperFactory.create_batch(3, collection=made.collection)
    campaign = make_campaign(made, name="Contexts", kind="extraction", overlap=1)
    start(campaign)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    reassign_assignments(source=ben, target=ana, by=None, at=AT)
    papers = set(ana.assignments.filter(state="pending").values_list("item__paper", flat=True))
    assert len(papers) >= 2  # hers and those of Ben
    client.force_login(made.manager)
    address = reverse("annotator_hand_over", args=["teas", campaign.slug, ana.pk])
    page = client.post(address, {"target": ben.pk}, follow=True).content.decode()
    assert f"{len(papers)} items went to Ben" in page
    assert set(ben.assignments.filter(state="pending").values_list("item__paper", flat=True)) == papers
    nothing = client.post(address, {"target": ben.pk}, follow=True)
    assert [each.level_tag for each in nothing.context["messages"]] == ["warn"]  # moving nothing is no success
    check_slots(campaign)


def test_items_handed_over_and_back_again_are_the_same_rows(made):
    campaign = make_campaign(made, overlap=1)
    assign(campaign)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    mine = ana.assignments.count()
    reassign_assignments(source=ana, target=ben, by=None, at=AT)
    back = reassign_assignments(source=ben, target=ana, by=None, at=AT)
    assert back.moved == mine + 8
    assert ana.assignments.filter(state="pending").count() == mine + 8
    check_slots(campaign)


def test_somebody_who_skipped_an_item_is_not_asked_again(made):
    campaign = make_campaign(made)
    start(campaign)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    item = skip_item(ana, "cannot be understood")
    summary = assign(campaign)
    assert summary.judgments == 1
    assert "Ana" not in judges(campaign)[item]
    release_assignments(annotator=ben, by=None, at=AT)
    assert "Ana" in {name for names in judges(campaign).values() for name in names}
    assert assign(campaign).judgments >= 1
    assert "Ana" not in judges(campaign)[item]


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda campaign: annotator(campaign, "ana"), "another annotator"),
        (lambda campaign: add_name(campaign=campaign, name="Offline", by=None, at=AT), "no account"),
        (lambda campaign: pause_annotator(annotator=annotator(campaign, "ben"), by=None, at=AT), "is paused"),
        (
            lambda campaign: update_annotator(annotator=annotator(campaign, "ben"), by=None, at=AT, capacity=17),
            "can take 1 more",
        ),
    ],
    ids=["oneself", "no account", "paused", "no room"],
)
def test_handing_over_is_refused_with_the_reason(made, prepare, words):
    campaign = make_campaign(made)
    assign(campaign)
    target = prepare(campaign)
    with pytest.raises(Refused, match=words):
        reassign_assignments(source=annotator(campaign, "ana"), target=target, by=None, at=AT)


def test_leases_of_a_queue_are_not_handed_over(made):
    campaign = make_campaign(made, strategy="queue")
    start(campaign)
    take_units(collection="teas", campaign=campaign.slug, have=[], by=made.people["ana"], at=AT)
    with pytest.raises(Refused, match="Withdraw them"):
        reassign_assignments(
            source=annotator(campaign, "ana"), target=annotator(campaign, "ben"), by=None, at=AT + timedelta(minutes=1)
        )


def test_removing_a_person_loses_no_judgment_and_frees_the_rest(made):
    campaign = make_campaign(made)
    start(campaign)
    ana = annotator(campaign, "ana")
    give_labels(ana, [2, 1, 0])
    assert remove_annotator(annotator=ana, by=None, at=AT) == 13
    assert Judgment.objects.filter(assignment__annotator=ana).count() == 3
    assert ana.assignments.filter(slot__isnull=False, state="done").count() == 3
    assert remove_annotator(annotator=ana, by=None, at=AT) == 0
    with pytest.raises(Refused, match=r"cannot get enough judges|2 different annotators"):
        assign(campaign, overlap=3)
    assert assign(campaign).judgments == 13
    assert {len(names) for names in judges(campaign).values()} == {2}
    resume_annotator(annotator=ana, by=None, at=AT)
    assert ana.assignments.filter(state="pending").count() == 0
    check_slots(campaign)


def test_paused_people_keep_their_items_and_get_no_new_ones(made):
    campaign = make_campaign(made)
    assign(campaign)
    ana = annotator(campaign, "ana")
    pause_annotator(annotator=ana, by=None, at=AT)
    assert ana.assignments.filter(state="pending").count() == 16
    assert "Ana" not in assign(campaign).annotators


def test_adding_a_removed_person_again_brings_them_back_with_their_work(made):
    campaign = make_campaign(made)
    start(campaign)
    ana = annotator(campaign, "ana")
    give_labels(ana, [2])
    remove_annotator(annotator=ana, by=None, at=AT)
    with pytest.raises(Refused, match="was removed from this campaign"):
        pause_annotator(annotator=ana, by=None, at=AT)
    assert add_members(campaign=campaign, users=[made.people["ana"]], by=None, at=AT) == [ana]
    assert campaign.annotators.count() == 3
    assert ana.assignments.filter(state="done").count() == 1
