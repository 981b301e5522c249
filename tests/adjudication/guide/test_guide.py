"""The guide: every step from the first document to the release is said, and taken where it is said."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts import jobs
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.guide.steps import STEPS
from adjudication.models import Evaluation, Method, Release, Verdict, VoteRun
from adjudication.verdicts.decisions import decide_verdict
from adjudication.verdicts.road import fetch_road
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Campaign, ExtractionSource
from corpus.models import Collection, Role, Target, Topic, TopicKind
from tests.adjudication.guide.guides import PAGES, guide, line
from tests.annotation.imports.judgment_rows import HEADER, row
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.annotation import annotator, give_labels, make_campaign, make_material
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run
from tests.factories.mentions import MentionFactory
from tests.factories.papers import PaperFactory, make_content, make_extraction

pytestmark = pytest.mark.django_db


MOMENTS = {"requested_at": AT, "started_at": AT, "finished_at": AT}  # of a job
MOST_QUERIES = 16  # whatever the state; most of them find out what is left to decide


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
    jobs.carry_out(request_agreement(campaign=campaign, by=made.manager, at=timezone.now(), send=False))
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
    Release.objects.create(
        collection=collection, name="v1", version=1, state="done", frozen_at=AT, place="r", **MOMENTS, **hashes
    )
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
    jobs.carry_out(request_agreement(campaign=campaign, by=made.manager, at=timezone.now(), send=False))
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
