"""People who leave a collection or become viewers: what they judged stays, what they had to judge goes to others."""

import pytest

from accounts.models import AuditEvent
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Annotator, Assignment, Judgment
from corpus.collections.people import add_member, change_role, remove_member
from corpus.models import Role
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


@pytest.fixture(params=["planned", "queue"])
def campaign(made, request):
    campaign = make_campaign(made, strategy=request.param)
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


def leave(made):
    remove_member(by=made.manager, at=AT, membership=made.membership("mia"), target=made.membership("ana"))


def become_viewer(made):
    change_role(
        by=made.manager, at=AT, membership=made.membership("mia"), target=made.membership("ana"), role=Role.VIEWER
    )


@pytest.mark.parametrize("depart", [leave, become_viewer])
def test_slots_are_free_again_and_labels_kept(made, depart):
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    ana = annotator(campaign, "ana")
    give_labels(ana, [2, 1])
    depart(made)
    ana.refresh_from_db()
    assert ana.state == "removed"
    assert sorted(set(ana.assignments.values_list("state", flat=True))) == ["done", "withdrawn"]
    assert not ana.assignments.filter(state="withdrawn", slot__isnull=False).exists()
    assert Judgment.objects.filter(assignment__annotator=ana).count() == 2
    assert AuditEvent.objects.filter(verb="remove_annotator").count() == 1
    assert set(Annotator.objects.exclude(pk=ana.pk).values_list("state", flat=True)) == {"active"}


def test_leaving_oneself_needs_no_manager(made, campaign):
    mine = made.membership("ana")
    remove_member(by=mine.user, at=AT, membership=mine, target=mine)
    assert campaign.annotators.get(user=mine.user).state == "removed"
    assert not Assignment.objects.filter(annotator__user=mine.user, state="pending").exists()


def test_who_comes_back_can_be_added_again(made, campaign):
    ana = made.people["ana"]
    leave(made)
    add_member(
        by=made.manager,
        at=AT,
        collection=made.collection,
        user=ana,
        role=Role.ANNOTATOR,
        membership=made.membership("mia"),
    )
    assert campaign.annotators.get(user=ana).state == "removed"
    add_members(campaign=campaign, users=[ana], by=made.manager, at=AT)
    assert campaign.annotators.get(user=ana).state == "active"


def test_other_collections_are_left_alone(made):
    other = make_material(slug="coffees")
    campaign = make_campaign(other)
    leave(made)
    assert annotator(campaign, "ana").state == "active"
