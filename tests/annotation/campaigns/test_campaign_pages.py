"""Pages of campaigns: made, opened and changed by forms; what each role sees; few queries."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts import jobs
from annotation.assignment.actions.assignments import assign_items
from annotation.campaigns.actions.campaigns import open_campaign
from annotation.campaigns.reads.criteria import drafts_of
from annotation.campaigns.views import items as item_views
from annotation.models import Annotator, Assignment, AssignmentRun, Campaign, CampaignState, ItemBuild
from corpus.models import Role, Topic, TopicKind
from tests.factories.annotation import (
    AT,
    add_person,
    annotator,
    give_labels,
    make_campaign,
    make_material,
    skip_item,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def made():
    return make_material()


def client_of(made, name="mia"):
    client = Client()
    client.force_login(made.people[name])
    return client


def url(name, *args, campaign="main-round"):
    return reverse(name, args=["teas", *([campaign] if campaign else []), *args])


def opened(made, **fields):
    campaign = make_campaign(made, **fields)
    assign_items(campaign=campaign, by=None, at=AT)
    return open_campaign(campaign=campaign, by=None, at=AT)


def text_of(answer):
    """The page with all white space as single blanks."""
    return " ".join(answer.content.decode().split())


NEW = {
    "name": "First round",
    "kind": "relevance",
    "split": "main",
    "overlap": 2,
    "order": "by-aspect",
    "strategy": "planned",
    "lease_minutes": 60,
    "seed": "",
}


def test_a_campaign_is_made_by_its_form(made):
    people = [made.people[name].pk for name in ("ana", "ben")]
    answer = client_of(made).post(url("campaign_create", campaign=None), {**NEW, "annotators": people}, follow=True)
    campaign = Campaign.objects.get()
    assert answer.redirect_chain == [(url("campaign_detail", campaign="first-round"), 302)]
    assert campaign.items.count() == 24
    assert sorted(campaign.annotators.values_list("name", flat=True)) == ["Ana", "Ben"]
    assert "Before it can be opened" in text_of(answer)


def test_the_form_offers_only_what_is_supported_and_who_may_judge(made):
    page = text_of(client_of(made).get(url("campaign_create", campaign=None)))
    assert page.count('name="kind"') == 3
    assert "Ana" in page
    assert "Vic" not in page


def test_a_definition_comes_from_a_file(made):
    toml = b'guideline = "Be calm."\n[[criteria]]\nkey = "fit"\nlabel = "Fit"\n' + b"".join(
        b'[[criteria.levels]]\nvalue = %d\nlabel = "%s"\n' % pair for pair in [(0, b"No"), (1, b"Yes")]
    )
    file = SimpleUploadedFile("campaign.toml", toml)
    client_of(made).post(url("campaign_create", campaign=None), {**NEW, "file": file})
    campaign = Campaign.objects.get()
    assert drafts_of(campaign)[0].key == "fit"
    assert campaign.guidelines.get().body == "Be calm.\n"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": ""}, "This field is required"),
        ({"overlap": 0}, "greater than or equal to 1"),
        ({"kind": "essay"}, "Select a valid choice"),
        ({"sample": 99}, "Only 24 pairs are left"),
        ({"file": SimpleUploadedFile("x.toml", b"name = ")}, "not valid TOML"),
        ({"file": SimpleUploadedFile("x.toml", b"\xff\xfe")}, "not text in UTF-8"),
        ({"name": "New"}, "used by Litmus itself"),
    ],
)
def test_what_is_wrong_stands_in_the_form_and_nothing_is_made(made, changes, words):
    answer = client_of(made).post(url("campaign_create", campaign=None), {**NEW, **changes})
    assert answer.status_code == 422
    assert words in text_of(answer)
    assert not Campaign.objects.exists()


def test_large_builds_go_to_a_worker(made, monkeypatch):
    monkeypatch.setattr("annotation.campaigns.actions.items.JOB_FROM", 10)
    answer = client_of(made).post(url("campaign_create", campaign=None), NEW, follow=True)
    assert ItemBuild.objects.get().campaign.slug == "first-round"
    assert "Items are being made" in text_of(answer)
    assert not Campaign.objects.get().items.exists()


def test_the_list_says_what_to_do_when_there_is_nothing(made):
    assert "Create campaign" in text_of(client_of(made).get(url("campaign_list", campaign=None)))
    assert "A manager of the collection can make one" in text_of(
        client_of(made, "vic").get(url("campaign_list", campaign=None))
    )
    assert "When a manager adds you" in text_of(client_of(made, "ana").get(url("campaign_list", campaign=None)))


def test_progress_counts_open_their_lists(made):
    campaign = opened(made)
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    give_labels(ana, [1, 2, 0, 1, 1])
    give_labels(ben, [1, 2, 0, 1, 1])
    skip_item(ana, "cannot be understood")
    client = client_of(made)
    page = text_of(client.get(url("campaign_detail")))
    for words in (
        "10</strong> of 48 judgments",
        "?state=complete",
        "?needs=2",
        "cannot be understood",
        "Too early to estimate",
    ):
        assert words in page
    drawn = re.findall(r'aria-label="([^"]+: [^"]+)"', page)
    counts = re.findall(r'data-look="(?:done|begun|left)">([a-z ]+)</dt> <dd> <a[^>]*>(\d+)</a>', page)
    assert f"Items by state: {', '.join(f'{count} {name}' for name, count in counts if count != '0')}" in drawn
    row = re.search(r'aria-label="Ana: 5 done, (\d+) left, 1 skipped".*?"Assigned">(\d+)<.*?"Done">5<', page)
    assert int(row[1]) + 5 == int(row[2])
    listed = text_of(client.get(url("item_list") + "?reason=cannot+be+understood"))
    assert "1 pair of those asked for" in listed
    assert "skipped once" in listed


def test_annotators_see_their_part_and_nobody_elses(made):
    campaign = opened(made)
    give_labels(annotator(campaign, "ben"), [2] * 7)
    give_labels(annotator(campaign, "ana"), [1])
    page = text_of(client_of(made, "ana").get(url("campaign_detail")))
    assert "1 of 16 items are judged by you" in page
    assert "Judging relevance" in page
    for secret in ("Ben", "Cai", "Median", "of 48", "Skipped", "lack annotators"):
        assert secret not in page
    listed = text_of(client_of(made, "ana").get(url("campaign_list", campaign=None)))
    assert not re.search(r">\s*(24|48|8)\s*<", listed)


def test_a_campaign_is_opened_closed_and_reopened_by_buttons(made):
    make_campaign(made)
    client = client_of(made)
    page = text_of(client.get(url("campaign_detail")))
    assert 'aria-disabled="true"' in page
    assert "No item is assigned yet" in page
    answer = client.post(url("campaign_open"), follow=True)
    assert "No item is assigned yet" in text_of(answer)
    assign_items(campaign=Campaign.objects.get(), by=None, at=AT)
    assert "is open" in text_of(client.post(url("campaign_open"), follow=True))
    assert "is closed" in text_of(client.post(url("campaign_close"), follow=True))
    assert "Reopen" in text_of(client.get(url("campaign_detail")))
    assert "Only an open campaign" in text_of(client.post(url("campaign_close"), follow=True))
    client.post(url("campaign_open"))
    assert Campaign.objects.get().state == CampaignState.OPEN


def test_a_draft_shows_how_many_of_its_queries_nobody_has_approved(made):
    campaign = make_campaign(made)
    queries = Topic.objects.filter(items__campaign=campaign).distinct()
    Topic.objects.filter(pk__in=queries.values("pk")).update(kind=TopicKind.COMPLEX_QUERY)
    page = client_of(made).get(url("campaign_detail"))
    assert page.context["unreviewed"] == queries.count() > 0
    assert "not approved by a second person" in text_of(page)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    assert "not approved by" not in text_of(client_of(made).get(url("campaign_detail")))


def test_settings_change_while_it_is_a_draft(made):
    make_campaign(made, items=False)
    client = client_of(made)
    answer = client.post(url("campaign_edit"), {**NEW, "name": "Better", "overlap": 4, "split": "dev"}, follow=True)
    assert "The settings are saved" in text_of(answer)
    campaign = Campaign.objects.get()
    assert (campaign.name, campaign.overlap, campaign.split, campaign.seed) == ("Better", 4, "dev", 7)


def test_an_open_campaign_offers_only_its_name_and_leases(made):
    opened(made)
    client = client_of(made)
    page = text_of(client.get(url("campaign_edit")))
    assert 'name="split"' not in page
    client.post(url("campaign_edit"), {"name": "Renamed", "lease_minutes": 5, "split": "dev"})
    campaign = Campaign.objects.get()
    assert (campaign.name, campaign.split) == ("Renamed", "main")


def test_copying_and_deleting(made):
    make_campaign(made)
    client = client_of(made)
    assert client.post(url("campaign_copy"), {"name": "Second round"}).url == url(
        "campaign_detail", campaign="second-round"
    )
    again = client.post(url("campaign_copy"), {"name": "Second round"})
    assert again.status_code == 422
    assert "already" in text_of(again)
    assert client.post(url("campaign_delete")).url == url("campaign_list", campaign=None)
    assert Campaign.objects.get().slug == "second-round"


def test_a_campaign_with_answers_is_not_deleted(made):
    campaign = opened(made)
    give_labels(annotator(campaign, "ana"), [1])
    client = client_of(made)
    assert "never thrown away" in text_of(client.get(url("campaign_edit")))
    client.post(url("campaign_delete"))
    assert Campaign.objects.exists()


# --- items -----------------------------------------------------------------------------------------------------------


def test_items_are_listed_by_pages(made, monkeypatch):
    make_campaign(made)
    monkeypatch.setattr(item_views, "PER_PAGE", 10)
    client = client_of(made, "vic")
    page = text_of(client.get(url("item_list") + "?page=3"))
    assert "Page 3 of 3" in page
    assert "lacks annotators" in page
    assert "No item matches" in text_of(client.get(url("item_list") + "?state=complete"))
    assert "24 pairs" in text_of(client.get(url("item_list") + "?topic=nonsense&needs=x&state=y&page=z"))


def test_items_are_added_by_the_form(made):
    campaign = make_campaign(made, items=False)
    client = client_of(made)
    assert "No items yet" in text_of(client.get(url("item_list")))
    assert "<dd> 24 </dd>" in text_of(client.get(url("item_build")))
    answer = client.post(url("item_build"), {"sample": 5, "stratified": "on"}, follow=True)
    assert "Made 5 items" in text_of(answer)
    answer = client.post(url("item_build"), {"sample": 50})
    assert answer.status_code == 422
    assert "Only 19 pairs are left" in text_of(answer)
    client.post(url("item_build"), {})
    assert campaign.items.count() == 24
    assert "Nothing is left to add" in text_of(client.get(url("item_build")))


def test_a_large_addition_shows_its_job(made, monkeypatch):
    make_campaign(made, items=False)
    monkeypatch.setattr("annotation.campaigns.actions.items.JOB_FROM", 10)
    client = client_of(made)
    answer = client.post(url("item_build"), {}, follow=True)
    assert "Building items" in text_of(answer)
    job = ItemBuild.objects.get()
    fragment = text_of(client.get(f"/jobs/items/{job.pk}/", headers={"HX-Request": "true"}))
    assert fragment.strip().startswith("<section")
    client.post(f"/jobs/items/{job.pk}/cancellation/")
    assert ItemBuild.objects.get().state == "cancelled"


def test_without_pools_the_page_says_where_they_come_from():
    made = make_material(pooled=False)
    make_campaign(made, items=False)
    assert "No topic has a pool yet" in text_of(client_of(made).get(url("item_build")))


# --- annotators ------------------------------------------------------------------------------------------------------


def test_members_and_names_are_added(made):
    campaign = make_campaign(made, annotators=False, items=False)
    client = client_of(made)
    assert "Nobody judges here yet" in text_of(client.get(url("annotator_list")))
    client.post(url("annotator_create"), {"users": [made.people["ana"].pk, made.people["ada"].pk]})
    assert sorted(campaign.annotators.values_list("name", flat=True)) == ["Ada", "Ana"]
    assert client.post(url("annotator_create"), {"users": [made.people["vic"].pk]}).status_code == 422
    assert "Choose at least one person" in text_of(client.post(url("annotator_create"), {}))
    client.post(url("annotator_name"), {"name": "gpt", "kind": "machine", "model": "m-1"})
    answer = client.post(url("annotator_name"), {"name": "gpt", "kind": "machine"})
    assert answer.status_code == 422
    assert "already" in text_of(answer)
    page = text_of(client.get(url("annotator_list")))
    assert "machine" in page
    assert "Cai" in page


def test_an_annotator_is_changed_paused_and_removed(made):
    campaign = opened(made)
    ana = annotator(campaign, "ana")
    give_labels(ana, [1, 1])
    client = client_of(made)
    client.post(url("annotator_edit", ana.pk), {"name": "Ana B", "weight": "0.5", "capacity": ""})
    ana.refresh_from_db()
    assert (ana.name, ana.weight, ana.capacity) == ("Ana B", 0.5, None)
    assert client.post(url("annotator_edit", ana.pk), {"name": "Ben", "weight": 1}).status_code == 422
    assert client.post(url("annotator_edit", ana.pk), {"name": "Ana", "weight": 0}).status_code == 422
    client.post(url("annotator_state", ana.pk), {"change": "pause"})
    assert Annotator.objects.get(pk=ana.pk).state == "paused"
    page = text_of(client.post(url("annotator_state", ana.pk), {"change": "remove"}, follow=True))
    assert "14 items are free for others" in page
    assert "taken off" in text_of(client.post(url("annotator_state", ana.pk), {"change": "pause"}, follow=True))
    client.post(url("annotator_state", ana.pk), {"change": "resume"})
    assert Annotator.objects.get(pk=ana.pk).state == "active"
    client.post(url("annotator_state", ana.pk), {"change": "nonsense"})
    assert Annotator.objects.get(pk=ana.pk).state == "active"


def test_items_are_handed_over_and_taken_back(made):
    campaign = opened(made)
    dan = add_person(made, "dan", Role.ANNOTATOR)
    client = client_of(made)
    client.post(url("annotator_create"), {"users": [dan.pk]})
    ana, dan = annotator(campaign, "ana"), annotator(campaign, "dan")
    page = text_of(client.post(url("annotator_hand_over", ana.pk), {"target": dan.pk, "most": 6}, follow=True))
    assert "6 items went to Dan" in page
    assert client.post(url("annotator_hand_over", ana.pk), {"target": ana.pk}).status_code == 422
    page = text_of(client.post(url("annotator_release", ana.pk), {"most": 4}, follow=True))
    assert "Took back 4 items" in page
    assert client.post(url("annotator_release", ana.pk), {"most": "x"}).status_code == 422
    assert ana.assignments.filter(state="pending").count() == 6


def test_another_campaigns_annotator_is_not_found(made):
    campaign = make_campaign(made, items=False)
    other = make_campaign(made, name="Other", items=False)
    client = client_of(made)
    assert client.get(url("annotator_edit", annotator(other, "ana").pk)).status_code == 404
    assert client.get(url("annotator_edit", annotator(campaign, "ana").pk)).status_code == 200


# --- assignment ------------------------------------------------------------------------------------------------------


def test_a_plan_is_previewed_and_confirmed(made):
    make_campaign(made)
    client = client_of(made)
    assert "Ana" in text_of(client.get(url("assignment_plan")))
    answer = client.post(url("assignment_plan"), {"overlap": 2, "strategy": "planned", "seed": 3})
    preview = AssignmentRun.objects.get()
    assert answer.url == url("assignment_detail", preview.pk)
    waiting = text_of(client.get(answer.url))
    assert "data-reload-when-finished" in waiting
    jobs.carry_out(preview)
    page = text_of(client.get(answer.url))
    assert "Nothing is written yet" in page
    assert len(re.findall(r'<td class="num">\s*8\s*</td>', page)) == 6
    confirmed = client.post(url("assignment_confirm", preview.pk))
    job = AssignmentRun.objects.get(dry_run=False)
    assert confirmed.url == url("assignment_detail", job.pk)
    jobs.carry_out(job)
    assert "Everybody has their items" in text_of(client.get(confirmed.url))
    assert "A plan was written after this preview" in text_of(client.get(answer.url))
    assert Assignment.objects.count() == 48
    assert "Earlier plans" in text_of(client.get(url("assignment_plan")))


def test_a_plan_that_cannot_be_says_why(made):
    make_campaign(made)
    client = client_of(made)
    client.post(url("assignment_plan"), {"overlap": 9, "strategy": "planned", "seed": 3})
    preview = AssignmentRun.objects.get()
    jobs.carry_out(preview)
    assert "9 different annotators, but only 3" in text_of(client.get(url("assignment_detail", preview.pk)))
    page = text_of(client.post(url("assignment_confirm", preview.pk), follow=True))
    assert "Only a finished preview" in page
    assert client.post(url("assignment_plan"), {"overlap": 99}).status_code == 422


def test_the_running_job_is_a_fragment_that_can_be_cancelled(made):
    make_campaign(made)
    client = client_of(made)
    client.post(url("assignment_plan"), {"overlap": 2, "strategy": "queue", "seed": 3})
    run = AssignmentRun.objects.get()
    fragment = text_of(client.get(f"/jobs/assignments/{run.pk}/", headers={"HX-Request": "true"}))
    assert fragment.strip().startswith("<section")
    client.post(f"/jobs/assignments/{run.pk}/cancellation/")
    assert AssignmentRun.objects.get().state == "cancelled"


# --- cost ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("campaign_list", 6),
        ("campaign_detail", 20),
        ("item_list", 12),
        ("annotator_list", 12),
        ("assignment_plan", 12),
        ("guideline_edit", 8),
        ("criteria_edit", 12),
    ],
)
def test_pages_take_few_queries(name, most, django_assert_max_num_queries):
    made = make_material(topics=6, documents=10, annotators=[f"p{i}" for i in range(12)])
    opened(made)
    client = client_of(made)
    with django_assert_max_num_queries(most):
        assert client.get(url(name, campaign=None if name == "campaign_list" else "main-round")).status_code == 200
