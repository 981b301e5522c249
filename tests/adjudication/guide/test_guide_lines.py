"""The line of the guide: where a campaign begins, what is not shown to judges, jobs that end meanwhile."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.models import Job
from adjudication.agreement.requests import request_vote
from adjudication.guide.facts import GuideFacts
from adjudication.guide.guide import guide_for
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import AnnoCycle
from corpus.models import Collection, Role, Target
from tests.adjudication.guide.guides import PAGES, guide, line
from tests.factories.accounts import AT, MembershipFactory, one_member_each
from tests.factories.adjudication import build_campaign
from tests.factories.annotation import annotator, give_labels, make_campaign, make_material
from tests.factories.papers import PaperFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("material", "template"),
    [
        ({"aspects": 1}, "doris-mae"),
        ({"aspects": 0}, "graded"),
        ({"aspects": 0, "targets": True}, "litsearch"),
        ({"topics": 0, "papers": True}, "acm-cr"),
    ],
)
def test_a_new_campaign_begins_with_what_fits(material: dict[str, Any], template: str, client: Client) -> None:
    wants_papers, wants_targets = material.pop("papers", False), material.pop("targets", False)
    made = make_material(**{"topics": 1, "documents": 1} | material)
    if wants_papers:
        PaperFactory(collection=made.collection)
    if wants_targets:
        Target.objects.create(topic=made.topics[0], document=made.documents[0])
    [way] = guide(made.collection).ways
    assert way.label == "New campaign"
    client.force_login(made.manager)
    assert re.search(rf'value="{template}"[^>]*checked', client.get(way.address).text)
    if wants_papers:
        assert re.search(rf'value="{template}"[^>]*checked', client.get(way.address.partition("?")[0]).text)


def test_what_a_new_campaign_begins_as_is_said_with_the_number_of_its_form(client: Client, empty: Collection) -> None:
    """Who is alone in a collection is offered to judge alone; the template has three people."""
    client.force_login(MembershipFactory(collection=empty, role=Role.MANAGER).user)
    page = client.get(reverse("campaign_create", args=[empty.slug])).text
    assert re.search(r"begins as:</span> <bdi>1 person judges each", page)
    assert "one person, because nobody but you can judge here yet." in page


def test_who_still_has_to_judge_learns_nothing_of_the_votes() -> None:
    made = make_material(topics=1, aspects=1, documents=4, annotators=("ana", "ben"))
    campaign = make_campaign(made, strategy="planned", overlap=2)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    give_labels(annotator(campaign, "ana"), [0, 1, 2, 0])
    give_labels(annotator(campaign, "ben"), [1, 1, 2, 0])
    jobs.carry_out(request_vote(campaign=campaign, by=made.manager, at=timezone.now(), send=False))
    assert guide(made.collection).facts.undecided == 1
    add_members(campaign=campaign, users=[made.manager], by=made.manager, at=AT)
    assign_items(campaign=campaign, by=made.manager, at=AT, overlap=3)
    facts = guide(made.collection).facts
    assert (facts.undecided, facts.votes.run) == (0, None)
    assert "judge" in facts.hidden
    assert line(made.collection) == "judge “Main round”"


def test_votes_that_are_hidden_are_not_said_to_be_uncounted() -> None:
    made = make_material(topics=1, aspects=1, documents=4, annotators=("ana", "ben"))
    campaign = make_campaign(made, strategy="planned", overlap=2)
    assign_items(campaign=campaign, by=made.manager, at=AT)
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    for name in ("ana", "ben"):
        give_labels(annotator(campaign, name), [0, 1, 2, 0])
    jobs.carry_out(request_vote(campaign=campaign, by=made.manager, at=timezone.now(), send=False))
    other = make_campaign(made, name="Second", strategy="planned", annotators=False, overlap=1)
    add_members(campaign=other, users=[made.manager], by=made.manager, at=AT)
    assign_items(campaign=other, by=made.manager, at=AT)
    open_campaign(campaign=other, by=made.manager, at=AT)
    shown = guide_for(made.membership("mia"), campaign)
    assert shown.facts.hidden
    assert shown.words == "see the votes of “Main round”, once they are shown to you"


@pytest.mark.slow
def test_an_empty_collection_says_what_to_do_on_each_page(client: Client, empty: Collection) -> None:
    members = one_member_each(empty)
    for role in (Role.MANAGER, Role.VIEWER):
        client.force_login(members[role].user)
        for name in PAGES:
            page = client.get(reverse(name, args=[empty.slug])).content.decode()
            assert "<strong>Next:</strong> bring in the documents" in page, name
            assert ">blocks<" not in page, name
            assert (reverse("import_create", args=[empty.slug, "documents"]) in page) == (role == Role.MANAGER), name
    client.force_login(members[Role.ANNOTATOR].user)
    assert "Next:" not in client.get(reverse("collection_dashboard", args=[empty.slug])).text
    Collection.objects.filter(pk=empty.pk).update(archived_at=AT)
    client.force_login(members[Role.MANAGER].user)
    assert "Next:" not in client.get(reverse("collection_dashboard", args=[empty.slug])).text


def test_a_job_that_ends_while_the_guide_is_read_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the page would ask for what has just been done, and no script would load it again."""
    built = build_campaign([[1, 1], [1, 1]], people=("ana", "ben"), slug="coffee")
    assert line(built.collection).startswith("count the votes")
    run = request_vote(campaign=built.campaign, by=built.people["manager"], at=timezone.now(), send=False)
    read, ended = GuideFacts._newest, []

    def ends_first(facts: GuideFacts, model: type[Job]) -> Job | None:
        if not ended:
            ended.append(jobs.carry_out(run))
        return read(facts, model)

    monkeypatch.setattr(GuideFacts, "_newest", ends_first)
    assert line(built.collection).startswith("measure the agreement")
    assert ended


def test_of_a_test_campaign_the_open_cycle_comes_before_its_labels() -> None:
    """Its labels were offered to be imported before the machine was frozen."""
    made = make_material()
    collection = made.collection
    dev = make_campaign(made, name="Dev", split="dev", items=False, annotators=False)
    test = make_campaign(made, name="Test", split="test", annotators=False)
    fields = {"collection": collection, "number": 1, "dev": dev, "criterion": "relevance", "margin": 0.1}
    cycle = AnnoCycle.objects.create(**fields, created_at=AT)
    shown = guide(collection, campaign=test)
    assert "Anno-GPT cycle 1 is open: it freezes its machine before labels of its test set come in." in shown.lacks
    assert shown.ways[0].address == reverse("cycle_detail", args=[collection.slug, 1])
    assert "Import judgments" not in [way.label for way in shown.ways]
    cycle.delete()
    assert "Import judgments" in [way.label for way in guide(collection, campaign=test).ways]
