"""The guide: every step from the first document to the release is said, and taken where it is said."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts import jobs
from accounts.models import Job
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.guide.facts import Facts
from adjudication.guide.guide import Guide, guide_for
from adjudication.guide.steps import LINK, STEPS
from adjudication.models import Evaluation, Method, Release, Verdict, VoteRun
from adjudication.verdicts.decisions import decide_verdict
from adjudication.verdicts.road import fetch_road
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import AnnoCycle, Campaign, ExtractionSource
from corpus.models import Collection, Membership, Role, Target, Topic, TopicKind
from tests.annotation.imports.judgment_rows import HEADER, row
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, one_member_each
from tests.factories.adjudication import build_campaign
from tests.factories.annotation import annotator, give_labels, make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run
from tests.factories.mentions import MentionFactory
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db
PAGES = ("collection_dashboard", "export_list", "evaluation_list", "release_list")
MOMENTS = {"requested_at": AT, "started_at": AT, "finished_at": AT}  # of a job
TRIED: set[tuple[str, str]] = set()  # ways that are known to lead on
MOST_QUERIES = 16  # whatever the state; most of them find out what is left to decide


@pytest.fixture
def empty() -> Collection:
    return CollectionFactory(slug="new", title="New")


def guide(collection: Collection, role: Role = Role.MANAGER, campaign: Campaign | None = None) -> Guide:
    membership = Membership.objects.select_related("user", "collection").filter(collection=collection, role=role)
    return guide_for(membership[0], campaign)


def line(collection: Collection) -> str:
    """The line of this state, whose ways lead on."""
    found = guide(collection)
    check_ways(found)
    return found.words


def check_ways(found: Guide) -> None:
    """Links open and buttons are taken, by whom they are offered; each is tried where it is first seen."""
    for way in found.ways:
        assert found.next is not None
        if (tried := (found.next.key, way.label)) in TRIED:
            continue
        client = Client()
        client.force_login(found.facts.membership.user)
        with transaction.atomic():
            if way.sort == LINK:
                assert client.get(way.address).status_code == 200, tried
            else:
                own = reverse("guide_step", args=[found.facts.collection.slug, found.next.key, way.act or "-"])
                campaign = {"campaign": found.facts.campaign.slug} if found.facts.campaign else {}
                answer = client.post(way.address or own, campaign | {"emails": "eva@example.org"})
                assert answer.status_code in (302, 422), tried
            transaction.set_rollback(True)
        TRIED.add(tried)


def states(collection: Collection) -> dict[str, str]:
    return {place.step.key: place.state for place in guide(collection).places}


def test_each_thing_that_comes_in_is_a_step(empty: Collection) -> None:
    MembershipFactory(collection=empty, role=Role.MANAGER)
    assert line(empty) == "bring in the documents"
    assert list(states(empty).values()) == ["next", *["later"] * (len(STEPS) - 3)], "two are of papers alone"
    DocumentFactory(collection=empty)
    assert line(empty) == "bring in the topics"
    TopicFactory(collection=empty)
    assert line(empty) == "build the pools"
    assert [way.label for way in guide(empty).ways] == ["Build pools", "Choose how", "Import a list"]
    assert fetch_road(empty).is_begun


def test_what_items_did_not_need_is_not_asked_for() -> None:
    """The items of a rubric campaign are questions: they need no pool."""
    made = make_material(pooled=False)
    assert line(made.collection) == "build the pools"
    campaign = make_campaign(made, kind="rubric", strategy="planned")
    assert states(made.collection)["pools"] == "not used"
    assert line(made.collection) == f"open “{campaign}”"
    assert "No item is assigned yet" in guide(made.collection).lacks
    assert [way.label for way in guide(made.collection).ways] == ["Plan the assignment"]


def test_the_second_half_goes_on_to_the_release(
    django_assert_max_num_queries: DjangoAssertNumQueries, client: Client
) -> None:
    made = make_material(topics=1, aspects=1, documents=4, annotators=("ana", "ben"))
    collection = made.collection
    assert line(collection) == "define a campaign"
    campaign = make_campaign(made, items=False, annotators=False, strategy="planned")
    assert line(collection) == "add items to “Main round”"
    campaign.delete()
    campaign = make_campaign(made, annotators=False, strategy="planned")
    assert line(collection) == "choose who judges “Main round”"
    assert guide(collection).lacks == "2 people judge each item; nobody is chosen yet."
    add_members(campaign=campaign, users=[made.people["ana"]], by=made.manager, at=AT)
    assert guide(collection).lacks == "2 people judge each item; 1 of 2 is chosen so far."
    campaign.delete()
    campaign = make_campaign(made, strategy="planned")
    assign_items(campaign=campaign, by=made.manager, at=AT)
    assert [way.label for way in guide(collection).ways] == ["Open the campaign"]
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    assert line(collection) == "the annotators judge “Main round”"
    give_labels(annotator(campaign, "ana"), [0, 1, 2, 0])
    assert line(collection) == "the annotators judge “Main round”"
    give_labels(annotator(campaign, "ben"), [0, 1, 2, 1])
    assert line(collection) == "count the votes of “Main round”"
    jobs.carry_out(request_vote(campaign=campaign, by=made.manager, at=timezone.now(), send=False))
    assert line(collection) == "decide 1 item of “Main round” by hand"
    assert guide(collection).lacks == "Votes counted: 3 items decided, 1 left open (ties, or too few votes)."
    by_hand, by_rule = guide(collection).ways
    assert (by_hand.label, by_rule.label) == ("Decide", "Let a rule decide")
    client.force_login(made.manager)
    assert re.search(r'id="vote-rules"[^>]* open>.*lowest of the tied', client.get(by_rule.address).text, re.DOTALL)
    tie = Verdict.objects.get(method=Method.UNRESOLVED)
    decide_verdict(verdict=tie, value=1, by=made.manager, at=timezone.now())
    assert guide(collection).lacks.endswith(
        ", 1 left open (ties, or too few votes). Since then it was decided by hand."
    )
    jobs.carry_out(request_vote(campaign=campaign, by=made.manager, at=timezone.now(), ties="lowest", send=False))
    assert line(collection) == "measure the agreement in “Main round”"
    assert guide(collection).lacks == "Votes counted: 4 items decided, none left open."
    assert guide(collection, Role.ADJUDICATOR).ways
    assert not guide(collection, Role.VIEWER).ways
    assert guide(collection, Role.VIEWER).whose == "Manager or adjudicator"
    jobs.carry_out(request_agreement(campaign=campaign, by=made.manager, at=timezone.now(), figures=False, send=False))
    with django_assert_max_num_queries(MOST_QUERIES):
        assert guide(collection).words == "export “Main round”"
    figures = guide(collection).ways[-1]
    assert (figures.label, figures.address) == (
        "See the agreement",
        f"/c/{collection.slug}/campaigns/{campaign.slug}/agreement/",
    )
    client = Client()
    client.force_login(made.manager)
    assert "No release yet" in client.get(reverse("release_list", args=[collection.slug])).text
    download = guide(collection).ways[0]
    assert client.get(download.address).status_code == 200
    with django_assert_max_num_queries(MOST_QUERIES):
        assert guide(collection).words == "freeze a release"
    hashes = {"manifest_sha256": "0" * 64, "anonymous_sha256": "0" * 64}
    Release.objects.create(collection=collection, name="v1", version=1, state="done", frozen_at=AT, **MOMENTS, **hashes)
    with django_assert_max_num_queries(MOST_QUERIES):
        assert set(states(collection).values()) == {"done"}
    assert "All steps are done" in client.get(reverse("collection_dashboard", args=[collection.slug])).text
    # A newer label makes the count of votes out of date: the line goes back to it.
    VoteRun.objects.update(snapshot=0)
    assert line(collection) == "count the votes of “Main round” again"
    assert guide(collection).lacks == "New since the last count: 8 newer judgments."


def test_judgments_that_are_imported_into_a_draft_fulfil_their_steps(tmp_path: Path) -> None:
    made = make_material(topics=1, aspects=1, documents=2, annotators=())
    collection = made.collection
    campaign = make_campaign(made)
    rows = [row(who, 1, 1, number, value) for number in (0, 1) for who, value in (("Ana", number), ("Ben", 1))]

    def load(*lines: str) -> None:
        path = tmp_path / "labels.csv"
        path.write_text("\n".join([HEADER, *lines]) + "\n", "utf-8")
        call_command("import_judgments", collection.slug, campaign.slug, str(path), stdout=StringIO())

    def page() -> str:
        client = Client()
        client.force_login(made.manager)
        return client.get(reverse("campaign_detail", args=[collection.slug, campaign.slug])).text

    load(*rows[:3])
    assert "open" in line(collection), "one judgment is left"
    assert "Before it can be opened" in page()
    load(*rows)
    assert line(collection) == "count the votes of “Main round”"
    assert "Every item is judged already, so this campaign need not be opened." in page()
    assert "Before it can be opened" not in page()
    assert not fetch_road(collection).is_walked
    found = states(collection)
    assert (found["open"], found["judge"], found["ties"], found["export"]) == ("not used", "done", "later", "later")
    jobs.carry_out(request_vote(campaign=campaign, by=made.manager, at=timezone.now(), ties="lowest", send=False))
    client = Client()
    client.force_login(made.manager)
    download = reverse("export_download", args=[collection.slug, "qrels"])
    assert client.get(f"{download}?campaign={campaign.slug}").status_code == 200
    assert line(collection) == "measure the agreement in “Main round”"
    assert (states(collection)["export"], states(collection)["release"]) == ("done", "later")
    jobs.carry_out(request_agreement(campaign=campaign, by=made.manager, at=timezone.now(), figures=False, send=False))
    with CaptureQueriesContext(connection) as queries:
        assert guide(collection).words == "freeze a release"
    assert len(queries) <= MOST_QUERIES
    assert {key for key, state in states(collection).items() if state == "later"} == set()


def test_imported_mentions_lead_to_a_language_model(empty: Collection) -> None:
    MembershipFactory(collection=empty, role=Role.MANAGER)
    DocumentFactory(collection=empty)
    assert guide(empty).ways[0].label == "Import"
    MentionFactory(collection=empty)
    model, files, *_ = guide(empty).ways
    assert (model.label, model.address) == ("Ask a language model", reverse("generation_create", args=[empty.slug]))
    assert files.label == "Import"


def test_before_a_release_of_questions_a_run_is_proposed_while_there_is_none() -> None:
    made = make_material(topics=1, pooled=False)
    [release] = [step for step in STEPS if step.key == "release"]

    def labels() -> list[str]:
        return [way.label for way in release.ways(guide(made.collection).facts)]

    assert labels() == ["See the check list"]
    Target.objects.create(topic=made.topics[0], document=made.documents[0])
    assert labels() == ["See the check list", "Make a run to measure"]
    make_run(made.collection, "bm25", {})
    assert labels() == ["See the check list"]


def test_questions_that_came_with_targets_need_no_pools() -> None:
    made = make_material(topics=2, pooled=False)
    Target.objects.create(topic=made.topics[0], document=made.documents[0])
    assert line(made.collection) == "build the pools", "one topic has no target"
    Target.objects.create(topic=made.topics[1], document=made.documents[0])
    assert line(made.collection) == "define a campaign"
    campaign = make_campaign(made, items=False, kind="rubric")
    assert line(made.collection) == f"add items to “{campaign}”"
    campaign.delete()
    make_campaign(made, items=False)
    assert line(made.collection) == "build the pools", "what this campaign judges are the documents of pools"


def test_questions_that_came_rated_need_no_campaign_and_runs_lead_to_their_evaluation() -> None:
    made = make_material(topics=1, pooled=False)
    Target.objects.create(topic=made.topics[0], document=made.documents[0])
    Topic.objects.update(extra={"quality": 2, "specificity": 1})
    assert line(made.collection) == "make a run to evaluate"
    assert {states(made.collection)[step] for step in ("campaign", "judge", "votes")} == {"not used"}
    make_run(made.collection, "bm25", {})
    assert line(made.collection) == "evaluate a run"
    Topic.objects.update(extra={})
    assert line(made.collection) == "define a campaign", "somebody has to rate it"
    make_campaign(made, items=False)
    assert "evaluation" not in states(made.collection), "documents are judged here, not found by targets"


def test_papers_need_no_votes_and_no_topics() -> None:
    made = make_material(topics=0, documents=0)
    keys = [step.key for step in STEPS]
    campaign = make_campaign(made, items=False, kind="extraction", strategy="planned")
    facts = guide(made.collection, campaign=campaign).facts
    used = {step.key for step in STEPS if step.is_used(facts)}
    assert {"votes", "agreement"} & used == set()
    assert keys[-2:] == ["export", "release"]


def test_gold_that_came_in_needs_no_campaign_and_leads_to_topics_and_tables(client: Client) -> None:
    made = make_material(topics=0, documents=0)
    collection = made.collection
    paper = PaperFactory(collection=collection)
    assert line(collection) == "bring in the documents", "what papers cite is looked for among them"
    DocumentFactory(collection=collection)
    assert line(collection) == "define a campaign"
    make_extraction(paper, ExtractionSource.IMPORTED, make_content())
    assert line(collection) == "make topics of the contexts"
    assert [way.label for way in guide(collection).ways] == ["Make topics", "See all exports"]
    client.force_login(made.manager)
    for name in PAGES:
        shown = client.get(reverse(name, args=[collection.slug])).text
        assert "Nothing to release yet" not in shown, name
    assert "paper that cites" in client.get(reverse("collection_dashboard", args=[collection.slug])).text
    with pytest.raises(CommandError, match="make_context_topics"):
        call_command("make_run", collection.slug, "bm25", "--recipe", "bm25", stdout=StringIO())
    TopicFactory(collection=collection, kind=TopicKind.CONTEXT_PARAGRAPH)
    assert line(collection) == "make topics of the contexts", "the other level lacks"
    TopicFactory(collection=collection, kind=TopicKind.CONTEXT_SENTENCE)
    assert line(collection) == "make a run to evaluate"
    make_run(collection, "bm25", {})
    assert line(collection) == "evaluate a run"
    to_runs, to_contexts = guide(collection).ways[:2]
    assert (to_runs.label, to_contexts.label) == ("Evaluate", "ACM-CR Table 1")
    assert '<option value="acm-cr-2" selected>' in client.get(to_runs.address).text
    for preset, then in (("acm-cr-2", "make ACM-CR Table 1"), ("acm-cr-1", "freeze a release")):
        Evaluation.objects.create(collection=collection, state="done", parameters={"preset": preset}, **MOMENTS)
        assert line(collection) == then
    campaign = make_campaign(made, kind="extraction", strategy="planned", annotators=False)
    assert "delete this draft" in guide(collection, campaign=campaign).lacks
    PaperFactory(collection=collection)
    assert "delete this draft" not in guide(collection, campaign=campaign).lacks


def test_what_is_not_used_is_none_of_the_steps_to_do(client: Client) -> None:
    made = make_material(pooled=False)
    make_campaign(made, kind="rubric", overlap=1)
    found = guide(made.collection)
    assert [place.step.key for place in found.places if place.state == "not used"] == ["pools", "agreement"]
    client.force_login(made.manager)
    shown = client.get(reverse("collection_dashboard", args=[made.collection.slug])).text
    assert f"All steps: {found.done} of {len(found.places) - 2} done, 2 not used" in shown
    Campaign.objects.update(overlap=2)
    assert states(made.collection)["agreement"] == "later", "two people can agree once they have judged"


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
    read, ended = Facts._newest, []

    def ends_first(facts: Facts, model: type[Job]) -> Job | None:
        if not ended:
            ended.append(jobs.carry_out(run))
        return read(facts, model)

    monkeypatch.setattr(Facts, "_newest", ends_first)
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
