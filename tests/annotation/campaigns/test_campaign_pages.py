"""Pages of campaigns: made, opened and changed by forms; what each role sees; few queries."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.caches import volatile
from accounts.refusals import Refused
from accounts.slots import tabs_for
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.campaigns import drafts_of
from annotation.campaigns.jobs import ItemBuildJob
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.pages import items as item_views
from annotation.campaigns.progress import fetch_progress
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.models import Assignment, Campaign, CampaignState, ItemBuild
from corpus.models import PoolEntry, Topic, TopicKind
from tests.annotation.campaigns.pages import client_of, opened, text_of, url
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material, skip_item

pytestmark = pytest.mark.django_db

NEW = {
    "name": "First round",
    "template": "doris-mae",
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
    assert "before it can be opened" in text_of(answer)


def test_people_are_to_do_below_the_number_that_each_item_needs(made):
    campaign = make_campaign(made, overlap=2, annotators=False, strategy="queue")
    add_members(campaign=campaign, users=[made.people["ana"]], by=made.manager, at=AT)
    words = "2 people judge each item, but only 1 can judge so far. "
    page = text_of(client_of(made).get(url("campaign_detail")))
    assert f"{words}If it is opened now, each item waits for 1 more." in page
    assert "Annotators</a>: at least" not in page
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    assert fetch_progress(campaign, AT).left == 2 * fetch_progress(campaign, AT).items
    planned = make_campaign(made, name="Planned", overlap=2, annotators=False)
    add_members(campaign=planned, users=[made.people["ana"]], by=made.manager, at=AT)
    page = text_of(client_of(made).get(url("campaign_detail", campaign="planned")))
    assert f"{words}Items can be assigned once 1 more can judge." in page
    with pytest.raises(Refused, match="only 1 can be given work"):
        assign_items(campaign=planned, by=made.manager, at=AT)


@pytest.mark.parametrize("strategy", ["planned", "queue"])
def test_planning_is_asked_for_unless_opening_gives_the_items_out(made, strategy):
    campaign = make_campaign(made, strategy=strategy)
    client = client_of(made)
    is_asked = strategy == "planned"
    for name in ("campaign_detail", "annotator_list"):
        page = text_of(client.get(url(name)))
        look = "button" if name == "campaign_detail" else "button primary"  # all people are there: it is what is next
        assert (f'class="{look}" href="{url("assignment_plan")}"' in page) == is_asked, name
        assert "fewer annotators than they need" not in page  # a draft's check list says what is missing, once
    build = ItemBuild(campaign=campaign, state="done")
    assert ("Plan the assignment" in [label for _, label in ItemBuildJob("items").links(build, None)]) == is_asked
    assert ("plan" in [tab.key for tab in tabs_for("do in campaign", "manager", campaign)]) == is_asked
    done = client.post(url("calibration_create"), {"sample": 2, "overlap": 3}, follow=True)
    how = "Plan the assignment to give" if is_asked else "Opening the campaign gives"
    assert f"2 items now want 3 judges each. {how} them out." in text_of(done)


def test_an_open_queue_takes_new_places_by_a_plan(made):
    """What opening does not fill, nothing fills by itself."""
    campaign = make_campaign(made, strategy="queue")
    open_campaign(campaign=campaign, by=made.manager, at=AT)
    waiting = Assignment.objects.filter(queue=campaign)
    before = waiting.count()
    done = client_of(made).post(url("calibration_create"), {"sample": 1, "overlap": 3}, follow=True)
    assert "1 item now wants 3 judges. Plan the assignment to put it in the open queue." in text_of(done)
    assert waiting.count() == before
    assign_items(campaign=campaign, by=made.manager, at=AT)
    assert waiting.count() == before + 1


def test_the_form_offers_only_what_is_supported_and_who_may_judge(made):
    page = text_of(client_of(made).get(url("campaign_create", campaign=None)))
    assert page.count('name="template"') == len(TEMPLATES) == 5  # nothing to copy yet
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
        ({"template": "essay"}, "Select a valid choice"),
        ({"sample": 99}, "Only 24 pairs are left"),
        ({"file": SimpleUploadedFile("x.toml", b"name = ")}, "not valid TOML"),
        ({"file": SimpleUploadedFile("x.toml", b"a = " + b"9" * 5000)}, "not valid TOML"),
        ({"file": SimpleUploadedFile("x.toml", b"a." * 2000 + b"a = 1")}, "nested too deeply"),
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
    monkeypatch.setattr("annotation.campaigns.items.JOB_FROM", 10)
    answer = client_of(made).post(url("campaign_create", campaign=None), NEW, follow=True)
    assert ItemBuild.objects.get().campaign.slug == "first-round"
    assert "Items are being made for this campaign." in text_of(answer)
    assert not Campaign.objects.get().items.exists()


def test_the_list_says_what_to_do_when_there_is_nothing(made):
    assert "Create campaign" in text_of(client_of(made).get(url("campaign_list", campaign=None)))
    assert "A manager of the collection can create one" in text_of(
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
        "An end date can be estimated",
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
    for secret in ("Ben", "Cai", "Median", "of 48", "Skipped", "without enough annotators"):
        assert secret not in page
    listed = text_of(client_of(made, "ana").get(url("campaign_list", campaign=None)))
    assert not re.search(r">\s*(24|48|8)\s*<", listed)


def test_buttons_open_close_and_reopen_a_campaign_or_say_why_not(made):
    campaign = make_campaign(made)
    client = client_of(made)
    page = text_of(client.get(url("campaign_detail")))
    assert 'aria-disabled="true"' in page
    assert "No item is assigned yet" in page
    assert "No item is assigned yet" in text_of(client.post(url("campaign_open"), follow=True))
    assign_items(campaign=campaign, by=None, at=AT)
    client.post(url("campaign_open"))
    assert "Reopen" in text_of(client.post(url("campaign_close"), follow=True))
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
    assert "Settings saved" in text_of(answer)
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
    assert "never deleted" in text_of(client.get(url("campaign_edit")))
    client.post(url("campaign_delete"))
    assert Campaign.objects.exists()


def test_items_are_listed_by_pages(made, monkeypatch):
    make_campaign(made)
    monkeypatch.setattr(item_views, "PER_PAGE", 10)
    client = client_of(made, "vic")
    page = text_of(client.get(url("item_list") + "?page=3"))
    assert "Page 3 of 3" in page
    assert "without enough annotators" in page
    assert "Choose who judges" not in page, "a viewer cannot"
    assert "No item matches" in text_of(client.get(url("item_list") + "?state=complete"))
    assert "24 pairs" in text_of(client.get(url("item_list") + "?topic=nonsense&needs=x&state=y&page=z"))


@pytest.mark.slow
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
    monkeypatch.setattr("annotation.campaigns.items.JOB_FROM", 10)
    client = client_of(made)
    answer = client.post(url("item_build"), {}, follow=True)
    assert "Adding items to “Main" in text_of(answer)
    job = ItemBuild.objects.get()
    fragment = text_of(client.get(f"/jobs/items/{job.pk}/", headers={"HX-Request": "true"}))
    assert fragment.strip().startswith("<section")
    client.post(f"/jobs/items/{job.pk}/cancellation/")
    assert ItemBuild.objects.get().state == "cancelled"


def test_without_pools_the_page_says_where_they_come_from(made):
    PoolEntry.objects.all().delete()
    make_campaign(made, items=False)
    assert "No topic has a pool yet" in text_of(client_of(made).get(url("item_build")))


@pytest.mark.slow
@pytest.mark.usefixtures("_free_address")
def test_pages_take_few_queries(django_assert_max_num_queries):
    made = make_material(topics=6, documents=10, annotators=[f"p{i}" for i in range(12)])
    opened(made)
    client = client_of(made)
    for name, most in (
        ("campaign_list", 6),
        ("campaign_detail", 24),
        ("item_list", 12),
        ("annotator_list", 12),
        ("assignment_plan", 12),
        ("guideline_edit", 8),
        ("criteria_edit", 12),
    ):
        volatile.clear()
        with django_assert_max_num_queries(most):
            answer = client.get(url(name, campaign=None if name == "campaign_list" else "main-round"))
        assert answer.status_code == 200, name
