"""Cards on pages below: where a document is judged."""

import pytest
from django.test import Client
from django.urls import reverse

from corpus.models import Role
from tests.factories.accounts import MembershipFactory
from tests.factories.labelling import build_work

pytestmark = pytest.mark.django_db


def test_a_document_names_its_campaigns_to_those_who_oversee_them() -> None:
    campaign = build_work(items=1).campaign
    slug, document = campaign.collection.slug, campaign.items.get().document
    page = reverse("document_detail", args=[slug, document.docno])
    campaign_page = f'href="{reverse("campaign_detail", args=[slug, campaign.slug])}"'
    shown = {}
    for role in (Role.VIEWER, Role.ANNOTATOR):
        client = Client()
        client.force_login(MembershipFactory(collection=campaign.collection, role=role).user)
        shown[role] = campaign_page in client.get(page).content.decode()
    assert shown == {Role.VIEWER: True, Role.ANNOTATOR: False}
