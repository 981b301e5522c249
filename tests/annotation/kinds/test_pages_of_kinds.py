"""Pages that not every campaign has: where a kind does not name them they are 404 with a reason, never a page without
its words."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.campaigns.lifecycle import create_campaign
from annotation.kind import kinds
from annotation.models import Campaign
from annotation.models.campaigns import KIND_CHOICES
from corpus.models import PromptTemplate, Role
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db

# URL name: the key in `Kind.tabs` by which a kind has the page
PAGES = {
    "criteria_edit": "levels",
    "machine_list": "machines",
    "machine_create": "machines",
    "machine_prompt_edit": "machines",
    "unparsed_answer_list": "machines",
    "judgment_list": "judgments",
    "disagreement_list": "disagreements",
    "sample_size": "agreement",
    "agreement_report": "agreement",
    "relevance_list": "relevance",
    "extraction_agreement": "comparison",
    "rewrite_list": "rewrites",
    "gold_detail": "gold",
    "known_answer_set": "gold",
    "known_answer_import": "gold",
}


@pytest.fixture
def manager() -> Client:
    client = Client()
    client.force_login(MembershipFactory(collection=CollectionFactory(slug="tea"), role=Role.MANAGER).user)
    return client


def campaign_of(kind: str) -> Campaign:
    collection = CollectionFactory._meta.model.objects.get(slug="tea")
    return create_campaign(collection=collection, by=None, at=AT, name="Main", kind=kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [name for name, _ in KIND_CHOICES])
def test_a_campaign_has_the_pages_that_its_kind_names(manager: Client, kind: str) -> None:
    campaign = campaign_of(kind)
    found = {name: manager.get(reverse(name, args=["tea", campaign.slug])) for name in PAGES}
    has = campaign.kind_object.tabs
    assert {name: answer.status_code for name, answer in found.items()} == {
        name: 200 if key in has else 404 for name, key in PAGES.items()
    }
    for answer in found.values():
        if answer.status_code == 404:
            text = " ".join(answer.text.split())
            assert "Main has no such page: it is for campaigns of another kind." in text
            assert 'role="alert"' not in text


def test_every_key_that_a_kind_can_name_is_asked_for() -> None:
    assert {key for kind in kinds() for key in kind.tabs} == set(PAGES.values())


def test_what_is_sent_to_a_page_that_is_not_there_is_not_stored(manager: Client) -> None:
    campaign = campaign_of("extraction")
    sent = {"name": "graded", "body": "{query} {title} {abstract}", "step": "save"}
    assert manager.post(reverse("machine_prompt_edit", args=["tea", campaign.slug]), sent).status_code == 404
    assert not PromptTemplate.objects.exists()


def test_votes_on_papers_are_not_accepted_in_bulk(manager: Client) -> None:
    answer = manager.get(reverse("acceptance", args=["tea", campaign_of("extraction").slug]))
    assert answer.status_code == 404
    assert "Main has no votes: its papers are compared and accepted on the adjudication screen." in answer.text
