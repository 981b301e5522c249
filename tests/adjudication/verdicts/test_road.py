"""The road to a collection's first open campaign, on the pages that are empty until then."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from adjudication.verdicts.road import fetch_road
from annotation.models import Campaign, CampaignState
from corpus.models import Collection, Role
from tests.factories.accounts import CollectionFactory, MembershipFactory, one_member_each
from tests.factories.annotation import make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory

pytestmark = pytest.mark.django_db
PAGES = ("collection_dashboard", "export_list", "evaluation_list", "release_list")


@pytest.fixture
def empty() -> Collection:
    return CollectionFactory(slug="new", title="New")


def states(collection: Collection) -> list[str]:
    return [step.state for step in fetch_road(collection).steps]


def test_each_thing_that_comes_in_is_a_step(
    empty: Collection, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    MembershipFactory(collection=empty, role=Role.MANAGER)
    with django_assert_num_queries(1):
        assert states(empty) == ["next", *["later"] * 5]
    DocumentFactory(collection=empty)
    assert states(empty) == ["done", "next", *["later"] * 4]
    TopicFactory(collection=empty)
    MembershipFactory(collection=empty)
    assert states(empty) == ["done", "done", "next", "later", "done", "later"]
    assert not fetch_road(empty).is_walked


def test_what_items_did_not_need_is_not_asked_for() -> None:
    """The items of a rubric campaign are questions: they need no pool. The last step is to open it."""
    made = make_material(pooled=False)
    campaign = make_campaign(made, kind="rubric")
    assert states(made.collection) == ["done", "done", "not used", "done", "done", "next"]
    Campaign.objects.filter(pk=campaign.pk).update(state=CampaignState.OPEN)
    assert fetch_road(made.collection).is_walked


@pytest.mark.slow
def test_an_empty_collection_says_what_to_do_on_each_page(client: Client, empty: Collection) -> None:
    members = one_member_each(empty)
    for role in (Role.MANAGER, Role.VIEWER):
        client.force_login(members[role].user)
        for name in PAGES:
            page = client.get(reverse(name, args=[empty.slug])).content.decode()
            assert 'aria-current="step"' in page, name
            assert ">blocks<" not in page, name
            assert (reverse("import_create", args=[empty.slug, "documents"]) in page) == (role == Role.MANAGER), name


@pytest.mark.slow
def test_once_a_campaign_is_open_the_road_is_gone(client: Client) -> None:
    made = make_material()
    campaign = make_campaign(made)
    Campaign.objects.filter(pk=campaign.pk).update(state=CampaignState.OPEN)
    client.force_login(made.manager)
    for name in PAGES:
        assert "road-steps" not in client.get(reverse(name, args=[made.collection.slug])).content.decode(), name
    assert ">blocks<" in client.get(reverse("export_list", args=[made.collection.slug])).content.decode()
