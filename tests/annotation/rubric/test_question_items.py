"""Rubric campaigns: which questions become items, calibration samples, options from file, form and command."""

import json
from dataclasses import asdict
from importlib import import_module
from io import StringIO

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from accounts import jobs
from accounts.models import AuditEvent
from accounts.refusals import Refused
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items, request_item_build, set_calibration
from annotation.campaigns.lifecycle import copy_campaign, update_campaign
from annotation.kind import option_readers
from annotation.kinds.rubric.choosing import QuestionChoice
from annotation.kinds.rubric.items import fetch_supply
from annotation.kinds.rubric.kind import DEFAULTS
from annotation.kinds.rubric.labelling import TOO_BROAD
from annotation.kinds.rubric.options import RubricOptionsForm
from annotation.models import Assignment, Campaign, Item
from corpus.models import Topic
from engines.definitions.campaign_file import BadCampaignFile, read_campaign_file, write_criteria
from engines.definitions.drafts import problems_of
from engines.definitions.rubric_options import (
    BadOptions,
    RubricOptions,
    read_cutoffs,
    read_rubric_options,
    usual_cutoffs,
    write_cutoffs,
)
from tests.factories.accounts import AT
from tests.factories.rubrics import Rubric, build_rubric

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft() -> Rubric:
    """Over q1 to q4, without items yet."""
    rubric = build_rubric(opened=False)
    Item.objects.all().delete()
    return rubric


def numbers(campaign: Campaign) -> list[str]:
    return list(campaign.items.order_by("topic__number").values_list("topic__number", flat=True))


def build(rubric: Rubric, **more: object) -> object:
    return build_items(campaign=rubric.campaign, by=rubric.people["mia"], at=AT, **more)


# --- definitions -----------------------------------------------------------------------------------------------------


def test_the_default_rubric_is_sound_and_survives_its_file():
    specificity, quality = DEFAULTS.criteria
    assert problems_of(DEFAULTS.criteria) == []
    assert read_campaign_file(write_criteria(DEFAULTS.criteria)).criteria == DEFAULTS.criteria
    assert TOO_BROAD in quality.levels[0].reasons
    assert all(level.definition and level.example for level in (*specificity.levels, *quality.levels))


def test_options_of_a_file_and_of_lines():
    file = read_campaign_file(
        'kind = "rubric"\n[rubric]\nmost_fitting = 10\ncutoffs = {web = 0.5}\nkeep = "worth"', option_readers()
    )
    assert file.options == asdict(RubricOptions({"web": 0.5}, most_fitting=10, keep="worth"))
    assert read_cutoffs(" web = 0.5\n\nother=1 ") == {"web": 0.5, "other": 1.0}
    assert read_cutoffs(write_cutoffs(RubricOptions().cutoffs)) == RubricOptions().cutoffs
    assert read_cutoffs(write_cutoffs({})) == {}


def test_definition_and_cutoffs_of_overlap_travel_together():
    usual, words = read_rubric_options({}), read_rubric_options({"overlap_definition": "words"})
    assert usual.overlap_definition == "litsearch-code"
    assert usual.cutoffs == {"inline-acl": 0.3, "inline-nonacl": 0.1, "inline-inside": 0.3, "inline-outside": 0.1}
    assert words.cutoffs == dict.fromkeys(usual.cutoffs, 0.33)
    assert "another way" not in usual.overlap_rule + words.overlap_rule
    form = RubricOptionsForm({"overlap_definition": "words", "cutoffs": ""}, stored={})
    assert form.is_valid()
    assert form.as_json()["cutoffs"] == words.cutoffs  # cut-offs were left to the definition, so they are its own
    own = RubricOptionsForm({"overlap_definition": "words", "cutoffs": "web = 0.5"}, stored={})
    assert own.is_valid()
    assert own.as_json()["cutoffs"] == {"web": 0.5}


def test_options_that_a_change_leaves_out_stay_and_cutoffs_go_with_their_definition(draft):
    before = asdict(RubricOptions(overlap_definition="words"))  # as campaigns from before have it: with .3 and .1
    Campaign.objects.filter(pk=draft.campaign.pk).update(options=before)
    client, url = manager_of(draft), reverse("api_campaign", args=["signs", draft.campaign.slug])

    def change(**options):
        answer = client.patch(url, {"options": options}, content_type="application/json")
        assert answer.status_code == 200, answer.content
        draft.campaign.refresh_from_db()
        return draft.campaign.options

    assert change(most_fitting=9) == before | {"most_fitting": 9}
    assert change(overlap_definition="words", keep_from=2)["cutoffs"] == before["cutoffs"]
    assert change(overlap_definition="litsearch-code")["cutoffs"] == usual_cutoffs("litsearch-code")
    assert change(overlap_definition="words")["cutoffs"] == usual_cutoffs("words")
    assert change(overlap_definition="litsearch-code", cutoffs={"web": 0.5})["cutoffs"] == {"web": 0.5}


@pytest.mark.parametrize("stored", [{}, {"cutoffs": {"web": 0.2}, "keep": "worth"}, asdict(RubricOptions({}))])
def test_a_campaign_from_before_keeps_its_way_of_counting_and_says_whose_cutoffs_it_has(draft, stored):
    Campaign.objects.filter(pk=draft.campaign.pk).update(options=stored)
    migration = import_module("annotation.migrations.0003_overlap_definition")
    migration.name_definition(apps, None)
    draft.campaign.refresh_from_db()
    options = read_rubric_options(draft.campaign.options)
    assert options.overlap_definition == stored.get("overlap_definition", "words")
    assert options.cutoffs == stored.get("cutoffs", usual_cutoffs("litsearch-code"))
    assert options.keep == stored.get("keep", "quality")
    assert ("belong to another way of counting (words split at whitespace" in options.overlap_rule) is (stored == {})
    page = manager_of(draft).get(reverse("item_build", args=["signs", draft.campaign.slug])).content.decode()
    assert escape(options.overlap_rule) in page


@pytest.mark.parametrize(
    "values",
    [
        {"cutoffs": {"a": 2}},
        {"cutoffs": [1]},
        {"cutoffs": {"a": True}},
        {"most_fitting": 0},
        {"kep": "x"},
        {"overlap_definition": "lines"},
    ],
)
def test_options_that_make_no_sense_are_refused(values):
    with pytest.raises(BadOptions):
        read_rubric_options(values)
    with pytest.raises(BadCampaignFile, match="rubric"):
        read_campaign_file("rubric = 3", option_readers())


@pytest.mark.parametrize("line", ["web", "web = much", "= 0.3"])
def test_a_line_that_is_no_cutoff_is_named(line):
    with pytest.raises(BadOptions, match="does not have the form"):
        read_cutoffs(line)


# --- items -----------------------------------------------------------------------------------------------------------


def test_questions_above_the_cutoff_of_their_source_are_left_out_and_counted(draft):
    supply = fetch_supply(draft.campaign)
    assert (supply.total, supply.filtered, supply.left) == (4, 1, 3)
    assert {source: rest for source, *rest in supply.sources}["inline-nonacl"] == [2, 1, 1]
    built = build(draft)
    assert (built.created, built.filtered, built.left) == (3, 1, 0)
    assert numbers(draft.campaign) == ["q1", "q2", "q3"]
    with pytest.raises(Refused, match="1 more are left out by the word-overlap filter"):
        build(draft)


def test_other_cutoffs_let_other_questions_in(draft):
    options = asdict(RubricOptions({"inline-acl": 0.0}))
    update_campaign(campaign=draft.campaign, by=draft.people["mia"], at=AT, options=options)
    draft.campaign.refresh_from_db()
    build(draft)
    assert numbers(draft.campaign) == ["q1", "q2", "q4"]


@pytest.mark.parametrize(
    ("choice", "wanted"),
    [
        (QuestionChoice(sources=("author",)), ["q2"]),
        (QuestionChoice(sources=("author", "inline-acl")), ["q2", "q3"]),
        (QuestionChoice(words="LIPS"), ["q1"]),
        (QuestionChoice(topic_kind="question"), ["q1", "q2", "q3"]),
    ],
)
def test_questions_are_chosen_by_source_words_and_kind(draft, choice, wanted):
    build(draft, choice=choice)
    assert numbers(draft.campaign) == wanted


def test_what_nobody_can_choose_is_refused(draft):
    with pytest.raises(Refused, match="No topic of the collection matches"):
        build(draft, choice=QuestionChoice(words="zeppelins"))
    with pytest.raises(Refused, match="The collection has no source “nowhere”"):
        build(draft, choice=QuestionChoice(sources=("nowhere", "author")))
    with pytest.raises(Refused, match="Only 3 questions are left"):
        build(draft, sample=4)


def test_samples_follow_from_the_seed_and_spread_over_sources(draft):
    for number in range(20):
        Topic.objects.create(collection=draft.collection, number=f"n{number}", source="web", text=f"What of {number}?")
    build(draft, sample=4, stratified=True)
    first = numbers(draft.campaign)
    assert len({Topic.objects.get(number=number).source for number in first}) == 4
    Item.objects.all().delete()
    build(draft, sample=4, stratified=True)
    assert numbers(draft.campaign) == first
    build(draft, sample=3, seed=9)
    assert len(numbers(draft.campaign)) == 7


def test_a_held_out_question_is_in_one_held_out_campaign(draft):
    update_campaign(campaign=draft.campaign, by=draft.people["mia"], at=AT, split="dev")
    draft.campaign.refresh_from_db()
    build(draft, sample=2)
    copy = copy_campaign(campaign=draft.campaign, by=draft.people["mia"], at=AT, name="Other")
    assert copy.options == draft.campaign.options
    built = build_items(campaign=copy, by=draft.people["mia"], at=AT)
    assert (built.created, built.held_elsewhere) == (1, 2)


def test_a_build_as_a_job_takes_the_same(draft):
    job = request_item_build(
        campaign=draft.campaign, by=draft.people["mia"], at=AT, choice=QuestionChoice(sources=("inline-acl",))
    )
    jobs.carry_out(job)
    job.refresh_from_db()
    assert (job.state, job.created) == ("done", 1)
    assert numbers(draft.campaign) == ["q3"]
    page = manager_of(draft).get(reverse("item_build", args=["signs", draft.campaign.slug])).text
    assert "Additions asked for earlier" in page


# --- calibration -----------------------------------------------------------------------------------------------------


def test_a_calibration_sample_gets_more_judges_by_the_seed():
    rubric = build_rubric(people=("ana", "ben", "cai"), opened=False)
    mia = rubric.people["mia"]
    assert set_calibration(campaign=rubric.campaign, by=mia, at=AT, sample=1, overlap=3).changed == 1
    assert (
        set_calibration(campaign=rubric.campaign, by=mia, at=AT, sample=1, overlap=3).changed == 0
    )  # the same item again
    assign_items(campaign=rubric.campaign, by=mia, at=AT)
    shared = Item.objects.get(extra_overlap=2)
    assert Assignment.objects.filter(item=shared).count() == 3
    assert Assignment.objects.count() == 5


@pytest.mark.parametrize(("sample", "overlap"), [(1, 1), (0, 3), (4, 3), (1, 51)])
def test_a_calibration_that_makes_no_sense_is_refused(sample, overlap):
    rubric = build_rubric(opened=False)
    with pytest.raises(Refused):
        set_calibration(campaign=rubric.campaign, by=rubric.people["mia"], at=AT, sample=sample, overlap=overlap)


# --- pages and commands ----------------------------------------------------------------------------------------------


def manager_of(rubric: Rubric) -> Client:
    client = Client()
    client.force_login(rubric.people["mia"])
    return client


NEW = {
    "name": "Second round",
    "template": "litsearch",
    "split": "main",
    "order": "by-aspect",
    "strategy": "planned",
    "lease_minutes": 60,
}


def test_the_form_makes_a_rubric_of_the_chosen_questions(draft):
    values = {"sources": ["inline-acl", "inline-nonacl"], "cutoffs": "inline-acl = 0.3", "most_fitting": 12}
    address = reverse("campaign_create", args=["signs"])
    answer = manager_of(draft).post(address, NEW | values | {"calibration": 1, "calibration_overlap": 2})
    assert answer.status_code == 302, answer.content.decode()
    campaign = Campaign.objects.get(slug="second-round")
    assert (campaign.kind, campaign.overlap, campaign.options["most_fitting"]) == ("rubric", 1, 12)
    assert campaign.options["filter_imported"] is False
    assert numbers(campaign) == ["q1", "q3", "q4"]  # the source of q4 has no cut-off now
    assert [criterion.key for criterion in campaign.criteria.all()] == ["specificity", "quality"]
    assert campaign.items.filter(extra_overlap=1).count() == 1


def test_bad_cutoffs_are_reported_at_their_field(draft):
    address = reverse("campaign_create", args=["signs"])
    answer = manager_of(draft).post(address, NEW | {"cutoffs": "inline-acl: 0.3"})
    assert answer.status_code == 422
    assert "does not have the form" in answer.content.decode()


def test_a_calibration_sample_waits_for_items_made_by_a_job(draft, monkeypatch):
    monkeypatch.setattr("annotation.campaigns.items.JOB_FROM", 1)
    address = reverse("campaign_create", args=[draft.collection.slug])
    client, new = manager_of(draft), NEW | {"overlap": 1, "cutoffs": "author = 0.9", "calibration_overlap": 2}
    refused = client.post(address, new | {"calibration": 5})
    assert refused.status_code == 422
    assert "must have from 1 to 4." in refused.content.decode()
    assert client.post(address, new | {"calibration": 2}).status_code == 302
    campaign = Campaign.objects.get(name="Second round")
    assert campaign.items.count() == 0
    jobs.carry_out(campaign.item_builds.get())
    assert campaign.items.filter(extra_overlap=1).count() == 2 < campaign.items.count()
    assert AuditEvent.objects.get(verb="set_calibration").data["changed"] == 2


def test_items_settings_and_calibration_have_pages(draft):
    client, where = manager_of(draft), ["signs", draft.campaign.slug]
    page = client.get(reverse("item_build", args=where)).content.decode()
    assert "Left out by overlap" in page
    client.post(reverse("item_build", args=where), {"sources": ["author"]})
    assert numbers(draft.campaign) == ["q2"]
    assert "captions" in client.get(reverse("item_list", args=where)).content.decode()
    client.post(reverse("calibration_create", args=where), {"sample": 1, "overlap": 2})
    assert Item.objects.get().extra_overlap == 1
    refused = client.post(reverse("calibration_create", args=where), {"sample": 5}, follow=True)
    assert "must have from 1 to 1." in refused.content.decode()
    assert refused.context["calibration"]["sample"].value() == "5"
    wrong = client.post(reverse("calibration_create", args=where), {"sample": 1, "overlap": 1}, follow=True)
    assert 'id="id_overlap_error"' in wrong.content.decode()
    settings = client.get(reverse("campaign_edit", args=where)).content.decode()
    assert "inline-nonacl = 0.1" in settings
    values = {**NEW, "overlap": 2, "cutoffs": "none", "most_fitting": 5, "keep": "worth", "keep_from": 2}
    assert client.post(reverse("campaign_edit", args=where), values).status_code == 302
    draft.campaign.refresh_from_db()
    assert draft.campaign.options == asdict(RubricOptions({}, most_fitting=5, keep="worth", keep_from=2, group=""))
    assert not client.get(reverse("campaign_edit", args=where)).context["options_form"]["filter_imported"].value()
    assert client.post(reverse("campaign_edit", args=where), values | {"filter_imported": "on"}).status_code == 302
    draft.campaign.refresh_from_db()
    assert draft.campaign.options["filter_imported"] is True
    assert client.get(reverse("campaign_edit", args=where)).context["options_form"]["filter_imported"].value()


def test_the_commands_make_rubrics_of_any_criteria(draft, tmp_path):
    file = tmp_path / "rubric.toml"
    file.write_text(
        'kind = "rubric"\noverlap = 2\nguideline = "Be kind."\n[rubric]\nmost_fitting = 3\n'
        '[[criteria]]\nkey = "tone"\nscale = "nominal"\n'
        '[[criteria.levels]]\nvalue = 0\nlabel = "dry"\n[[criteria.levels]]\nvalue = 1\nlabel = "warm"\n'
    )
    out = StringIO()
    arguments = ["--config", str(file), "--source", "author", "--source", "inline-acl", "--calibration", "1", "--json"]
    call_command("create_campaign", "signs", "Tone", *arguments, stdout=out)
    result = json.loads(out.getvalue())
    assert (result["kind"], result["overlap"], result["items"], result["calibration"]) == ("rubric", 2, 2, 1)
    out = StringIO()
    call_command("build_items", "signs", "tone", "--source", "inline-nonacl", "--json", stdout=out)
    assert json.loads(out.getvalue())["created"] == 1  # the file names no cut-offs, so the usual ones hold
