"""Somebody saves a page that was opened before somebody else changed another field: both changes stay."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.annotators import update_annotator
from annotation.campaigns.lifecycle import update_campaign
from annotation.models import Campaign
from corpus.collections.collections import update_collection
from tests.factories.annotation import Material, make_campaign, make_material
from tests.pages import Pages

pytestmark = pytest.mark.django_db


class Late(Client):
    """Something happens between opening a page and sending it."""

    meanwhile: Callable[[], object]

    def post(self, *args: Any, **options: Any) -> Any:
        self.meanwhile()
        return super().post(*args, **options)


def save_late(
    made: Material, name: str, where: list[object], typed: dict[str, str], meanwhile: Callable[[], object]
) -> None:
    client = Late()
    client.force_login(made.manager)
    client.meanwhile = meanwhile
    Pages(client).send(reverse(name, args=where), **typed)


@pytest.fixture
def made() -> Material:
    return make_material()


@pytest.mark.parametrize("draft", [True, False])
def test_settings_of_a_campaign(made: Material, draft: bool) -> None:
    campaign = make_campaign(made)
    if not draft:
        Campaign.objects.update(state="open")
    day = timezone.now().date()

    def meanwhile() -> None:
        update_campaign(campaign=campaign, by=None, at=timezone.now(), deadline=day, lease_minutes=7)

    save_late(made, "campaign_edit", ["teas", campaign.slug], {"name": "Better"}, meanwhile)
    campaign.refresh_from_db()
    assert (campaign.name, campaign.deadline, campaign.lease_minutes) == ("Better", day, 7)
    save_late(made, "campaign_edit", ["teas", campaign.slug], {"deadline": ""}, lambda: None)
    campaign.refresh_from_db()
    assert campaign.deadline is None


def test_an_annotator(made: Material) -> None:
    ana = make_campaign(made).annotators.get(name="Ana")

    def meanwhile() -> None:
        update_annotator(annotator=ana, by=None, at=timezone.now(), capacity=3)

    save_late(made, "annotator_edit", ["teas", ana.campaign.slug, ana.pk], {"weight": "2"}, meanwhile)
    ana.refresh_from_db()
    assert (ana.name, ana.weight, ana.capacity) == ("Ana", 2, 3)


def test_a_collection(made: Material) -> None:
    def meanwhile() -> None:
        update_collection(by=None, at=timezone.now(), collection=made.collection, licence="CC0 1.0")

    save_late(made, "collection_edit", ["teas"], {"description": "Of teas."}, meanwhile)
    made.collection.refresh_from_db()
    assert (made.collection.description, made.collection.licence) == ("Of teas.", "CC0 1.0")
