"""Campaigns that begin as a template or as a campaign of another collection, and what they would cost."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.refusals import Refused
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.copying import copyable_campaigns, template_named
from annotation.campaigns.lifecycle import create_campaign
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.campaigns.templates.template import CampaignTemplate
from annotation.models import Campaign
from corpus.models import Membership, Role
from engines.definitions.drafts import problems_of
from tests.annotation.campaigns.pages import client_of, opened, text_of, url
from tests.factories.accounts import CollectionFactory, MembershipFactory, make_token
from tests.factories.annotation import AT, annotator, give_labels, make_campaign

pytestmark = pytest.mark.django_db
LEVELS = {
    "doris-mae": [[0, 1, 2]],
    "graded": [[0, 1, 2, 3]],
    "binary": [[0, 1]],
    "litsearch": [[0, 1], [0, 1, 2]],
    "acm-cr": [],
}


def test_every_template_has_its_levels() -> None:
    assert list(TEMPLATES.own) == list(LEVELS)


@pytest.mark.parametrize("template", TEMPLATES.own.values(), ids=lambda one: one.name)
def test_a_template_makes_a_campaign_as_it_says(made, template: CampaignTemplate) -> None:
    campaign = create_campaign(collection=made.collection, by=made.manager, at=AT, name="R", template=template.name)
    assert campaign.kind == template.kind
    assert [[level.value for level in each.levels] for each in drafts_of(campaign)] == LEVELS[template.name]
    assert not problems_of(drafts_of(campaign)) or not drafts_of(campaign)
    assert campaign.guidelines.get().body.strip() == (template.guideline or campaign.kind_object.guideline).strip()
    assert f"{campaign.overlap} " in template.sentence_of()
    assert (Path(settings.BASE_DIR) / "templates" / template.picture).is_file()
    assert template.asks


def test_what_is_passed_comes_before_the_template(made) -> None:
    who = {"collection": made.collection, "by": made.manager, "at": AT}
    campaign = create_campaign(**who, name="R", template="graded", overlap=7, strategy="queue", guideline="Be calm.")
    assert (campaign.overlap, campaign.strategy, campaign.guidelines.get().body) == (7, "queue", "Be calm.\n")
    with pytest.raises(Refused, match="makes campaigns of kind rubric, not relevance"):
        create_campaign(**who, name="S", template="litsearch", kind="relevance")


@pytest.fixture
def elsewhere(made) -> Campaign:
    """A campaign with labels in the collection `teas`, whose manager also manages an empty collection `other`."""
    campaign = opened(made, overlap=2, order="by-document")
    give_labels(annotator(campaign, "ana"), [2, 1])
    other = CollectionFactory(slug="other")
    MembershipFactory(collection=other, user=made.manager, role=Role.MANAGER)
    return campaign


def test_a_campaign_of_another_collection_is_copied_without_labels_and_people(made, elsewhere) -> None:
    page = reverse("campaign_create", args=["other"])
    assert "teas/main-round" in client_of(made).get(page).text
    sent = client_of(made).post(page, {"name": "Again", "template": "copy", "copied": "teas/main-round"})
    assert sent.status_code == 302, sent.text
    copy = Campaign.objects.get(collection__slug="other")
    assert drafts_of(copy) == drafts_of(elsewhere)
    assert copy.guidelines.get().body == elsewhere.guidelines.first().body
    assert (copy.overlap, copy.order, copy.state) == (2, "by-document", "draft")
    assert not copy.annotators.exists()
    assert not copy.items.exists()


def test_only_campaigns_of_collections_that_one_manages_can_be_copied(made, elsewhere) -> None:
    stranger = MembershipFactory(collection=CollectionFactory(slug="third"), role=Role.MANAGER).user
    MembershipFactory(collection=made.collection, user=stranger, role=Role.ADJUDICATOR)
    assert not copyable_campaigns(stranger).exists()
    with pytest.raises(Refused, match="There is no template “teas/main-round”"):
        template_named("teas/main-round", stranger)
    client = client_of(made)
    client.force_login(stranger)
    page = reverse("campaign_create", args=["third"])
    assert "main-round" not in client.get(page).text
    sent = client.post(page, {"name": "Again", "template": "copy", "copied": "teas/main-round"})
    assert sent.status_code == 422
    assert not Campaign.objects.filter(collection__slug="third").exists()


def test_rest_and_the_command_take_a_template_and_a_copy(made, elsewhere) -> None:
    client = APIClient()
    client.force_authenticate(made.manager)
    sent = client.post("/api/collections/other/campaigns/", {"name": "A", "template": "binary"}, format="json")
    assert sent.status_code == 201, sent.content
    assert [level["label"] for level in sent.json()["criteria"][0]["levels"]] == ["Not relevant", "Relevant"]
    unknown = client.post("/api/collections/other/campaigns/", {"name": "B", "template": "essay"}, format="json")
    assert unknown.status_code == 422
    assert "Choose one of doris-mae, graded" in unknown.content.decode()
    call_command("create_campaign", "other", "C", "--template", "graded", stdout=StringIO(), stderr=StringIO())
    call_command("create_campaign", "other", "D", "--template", "teas/main-round", stderr=StringIO())
    made_by = {one.name: one for one in Campaign.objects.filter(collection__slug="other")}
    assert [level.value for level in drafts_of(made_by["C"])[0].levels] == [0, 1, 2, 3]
    assert drafts_of(made_by["D"]) == drafts_of(elsewhere)
    assert made_by["D"].overlap == 2


def cost_of(made, **values) -> str:
    """What the page says of a campaign of `teas`, which has 24 pairs."""
    return text_of(client_of(made).get(url("campaign_cost", campaign=None), {"template": "doris-mae", **values}))


def test_the_cost_follows_what_is_filled_in(made) -> None:
    assert "24 pairs × 3 people = <strong>72 judgments, about 36 min</strong>" in cost_of(made)
    assert "At 30 s a judgment, which the template assumes" in cost_of(made)
    assert "24 pairs × 2 people = <strong>48 judgments" in cost_of(made, overlap="2")
    assert "10 pairs × 5 people = <strong>50 judgments" in cost_of(made, overlap="5", sample="10")
    assert "split test." in cost_of(made, split="test")
    assert "about 24 min" in cost_of(made, template="binary")
    assert "The work is shown once" in cost_of(made, overlap="none")
    assert "Choose a template" in cost_of(made, template="essay")
    assert "no topic “99”" in cost_of(made, topics="99")
    nothing = cost_of(made, template="acm-cr")
    assert "The collection has no papers yet" in nothing
    assert reverse("import_create", args=["teas", "papers"]) in nothing


def test_at_first_the_cost_is_that_of_the_fields_as_they_are_shown(made) -> None:
    address = url("campaign_create", campaign=None)
    page = text_of(client_of(made).get(address))
    assert "24 pairs × 3 people = <strong>72 judgments" in page
    assert re.search(r'name="overlap"[^>]* placeholder="3"', page)
    Membership.objects.filter(collection=made.collection).exclude(user=made.manager).delete()
    alone = text_of(client_of(made).get(address))
    assert re.search(r'name="overlap" value="1"', alone)
    assert alone.count("because nobody but you can judge here yet") == 1
    assert "24 pairs × 1 person = <strong>24 judgments" in alone


def test_a_link_can_choose_the_template(made) -> None:
    address = url("campaign_create", campaign=None)
    for name, chosen in (("litsearch", "litsearch"), ("no such", "doris-mae")):
        answer = client_of(made).get(address, {"template": name})
        assert answer.context["form"]["template"].value() == chosen
        assert answer.context["cost"].template.name == chosen


def test_the_cost_is_counted_by_the_pace_that_was_measured(made, monkeypatch) -> None:
    monkeypatch.setattr("annotation.campaigns.pace.LEAST_ANSWERS", 2)
    campaign = opened(made)
    give_labels(annotator(campaign, "ana"), [2, 1, 0], active_ms=60_000)
    assert "the median of the last 3 timed answers in campaigns of this kind here" in cost_of(made)
    assert "24 pairs × 3 people = <strong>72 judgments, about 72 min</strong>" in cost_of(made)


def test_the_page_says_the_values_of_the_template_in_a_sentence(made) -> None:
    page = text_of(client_of(made).get(url("campaign_create", campaign=None)))
    for name in ("doris-mae", "graded", "binary", "litsearch", "acm-cr"):
        assert f'value="{name}"' in page
    assert (
        "3 people judge each pair, one aspect, many abstracts, open queue, first come first served, split main." in page
    )
    assert "Relevance: 0 No help, 1 Partly, 2 Fully." in page
    assert page.count('class="sketch"') == len(TEMPLATES)
    make_campaign(made)
    again = text_of(client_of(made).get(url("campaign_create", campaign=None)))
    assert again.count('class="sketch"') == len(TEMPLATES) + 1  # now there is something to copy


def test_rest_lists_the_templates_as_the_page_offers_them(made) -> None:
    _, key = make_token(made.manager)
    answer = Client().get("/api/campaign-templates/", headers={"authorization": f"Bearer {key}"}).json()
    assert [each["name"] for each in answer] == list(TEMPLATES)
    assert answer[0]["begins_as"] == TEMPLATES["doris-mae"].sentence_of()
    assert (answer[0]["kind"], answer[0]["assumed_seconds"]) == ("relevance", 30.0)
