"""The page of the question set, and what other pages say where questions are rated."""

import pytest
from django.urls import reverse

from adjudication.guide.facts import GuideFacts
from adjudication.guide.steps import STEPS
from corpus.models import Membership, Role
from corpus.runs.recipes.queries import usual_topics
from tests.adjudication.questions.question_sets import page
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.factories.annotation import Material, make_campaign
from tests.factories.rubrics import Rubric

pytestmark = pytest.mark.django_db


def test_the_page_shows_tables_and_questions_by_state(rated):
    kept = page(rated, "mia").content.decode()
    for words in ("100% (1)", rated.topics["q1"].text, "found while rating", "Targets each"):
        assert words in kept
    assert rated.topics["q2"].text not in kept
    discarded = page(rated, "ada", state="discarded", campaign="nowhere").content.decode()
    assert rated.topics["q2"].text in discarded
    assert "<bdi>unrealistic</bdi> (1)" in discarded


def test_before_any_rating_the_page_leads_to_a_new_campaign_that_rates_questions(client) -> None:
    manager = MembershipFactory(role=Role.MANAGER)
    client.force_login(manager.user)
    shown = client.get(reverse("question_set", args=[manager.collection.slug])).content.decode()
    link = f"{reverse('campaign_create', args=[manager.collection.slug])}?template=litsearch"
    assert f'href="{link}"' in shown
    assert client.get(link).context["cost"].template.kind == "rubric"


def test_the_set_leads_the_exports_where_only_questions_were_judged(rated, client) -> None:
    client.force_login(rated.people["mia"])
    relevance = make_campaign(Material(rated.collection, [], [], [], rated.people), items=False, name="Relevance")
    membership = Membership.objects.get(collection=rated.collection, user=rated.people["mia"])
    [export] = [step for step in STEPS if step.key == "export"]
    tables, exports = export.ways(GuideFacts(membership, rated.campaign))
    assert client.get(tables.address).context["chosen"] == rated.campaign.slug
    for address in (exports.address, exports.address.partition("?")[0]):
        shown = client.get(address).text
        before, _, after = shown.partition('id="questions-heading"')
        assert before.rpartition("<details")[2].split(">")[0].endswith(" open")
        assert "tables as CSV" in after.partition("</details>")[0]
        assert 'name="campaign"' in after.partition('id="judgments-heading"')[0]
        assert "judges no documents" not in before + after.partition('id="judgments-heading"')[0]
    shown = client.get(reverse("export_list", args=["signs"]), {"campaign": relevance.slug}).text
    assert shown.index('id="judgments-heading"') < shown.index('id="questions-heading"')


def test_votes_on_questions_are_listed_under_their_name_and_need_no_acceptance(rated, client) -> None:
    client.force_login(rated.people["ada"])
    shown = client.get(reverse("acceptance", args=["signs", rated.campaign.slug]), {"which": "single"}).text
    assert ">Question</th>" in shown
    assert "You need not do this: a counted vote decides an item anyway." in shown


def test_a_run_begins_with_the_question_set_where_questions_are_rated(rated: Rubric) -> None:
    assert usual_topics(rated.collection) == "question-set"
    assert usual_topics(CollectionFactory()) == "all"
