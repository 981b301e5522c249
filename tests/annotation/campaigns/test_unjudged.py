"""Removing the items of a campaign that nobody has begun."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Refused
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items, remove_unjudged_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Assignment, Campaign, Submission
from tests.factories.accounts import AT
from tests.factories.annotation import Material, annotator, give_labels, make_campaign, make_material, skip_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> Material:
    return make_material(topics=2, documents=3)


@pytest.fixture(params=["planned", "queue"])
def campaign(made: Material, request: pytest.FixtureRequest) -> Campaign:
    """An open campaign of twelve items or more: Ana judged one and skipped one of them."""
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=made.manager, at=AT, strategy=request.param)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    campaign.refresh_from_db()
    return campaign


def test_begun_items_stay(made: Material, campaign: Campaign) -> None:
    if campaign.strategy == "planned":
        give_labels(annotator(campaign, "ana"), [1])
        skip_item(annotator(campaign, "ana"), "Not English")
    begun = set(Submission.objects.values_list("assignment__item", flat=True))
    before = campaign.items.count()
    removed = remove_unjudged_items(campaign=campaign, by=made.manager, at=AT)
    assert removed == before - len(begun)
    assert set(campaign.items.values_list("pk", flat=True)) == begun
    assert set(Assignment.objects.filter(item__campaign=campaign).values_list("item", flat=True)) == begun
    assert AuditEvent.objects.get(verb="remove_items").data == {"removed": removed, "topic": ""}
    with pytest.raises(Refused, match="no unjudged item"):
        remove_unjudged_items(campaign=campaign, by=made.manager, at=AT)
    assert build_items(campaign=campaign, by=made.manager, at=AT).created == removed


def _refused(*where: str) -> str:
    """What the command says in a dry run over a topic that is not there."""
    with pytest.raises(CommandError) as refusal:
        call_command("remove_items", *where, "--topic", "none", "--dry-run")
    return str(refusal.value)


@pytest.mark.slow
def test_of_one_topic_by_page_api_and_command(made: Material, campaign: Campaign, client: Client) -> None:
    client.force_login(made.manager)
    where = [made.collection.slug, campaign.slug]
    total = campaign.items.count()
    first, second = campaign.items.order_by("topic").values_list("topic__number", flat=True).distinct()
    of_first = campaign.items.filter(topic__number=first).count()
    assert f"{total} of {total} items are unjudged" in client.get(reverse("item_remove", args=where)).text
    call_command("remove_items", *where, "--dry-run")
    address = reverse("api_items", args=where)
    assert client.delete(f"{address}?topic={first}&dry_run=1").json() == {"removed": of_first}
    for answer in (client.delete(f"{address}?topic=none&dry_run=1").json()["detail"], _refused(*where)):
        assert "no item of a topic" in answer
    assert campaign.items.count() == total
    client.post(reverse("item_remove", args=where), {"topic": first})
    assert campaign.items.count() == total - of_first
    answer = client.delete(reverse("api_items", args=where) + f"?topic={second}")
    assert answer.json() == {"removed": total - of_first}


def test_as_many_queries_for_many_items_as_for_few(
    made: Material, campaign: Campaign, django_assert_max_num_queries
) -> None:
    with django_assert_max_num_queries(12):
        remove_unjudged_items(campaign=campaign, by=made.manager, at=AT)
