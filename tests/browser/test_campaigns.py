"""Campaigns in Chromium: from a new campaign to its opening, and every page accessible wide and narrow."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts import jobs
from annotation.assignment.annotators import add_name
from annotation.assignment.assignments import assign_items, confirm_assignment, request_assignment
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Assignment, Campaign, CampaignState, Level
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.browser.settled import open_tab
from tests.factories.annotation import (
    AT,
    Material,
    annotator,
    give_labels,
    make_campaign,
    make_material,
    skip_item,
)
from tests.processes import Child

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]


@pytest.fixture
def made() -> Material:
    return make_material()


def begun(made: Material) -> Campaign:
    """An open campaign with some labels, a skip, a machine and two versions of the guideline."""
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    for name in ("ana", "ben"):
        give_labels(annotator(campaign, name), [1, 2, 0])
    skip_item(annotator(campaign, "cai"), "cannot be understood")
    add_name(campaign=campaign, name="lexical", kind="machine", by=None, at=AT)
    write_guideline(campaign=campaign, body="Be calm.\n\nBe kind.\n", by=made.manager, at=AT)
    return campaign


@pytest.mark.services
def test_from_a_new_campaign_to_its_opening(new_page: NewPage, made: Material, celery_worker: Child) -> None:
    page = new_page(made.manager)
    page.goto("/c/teas/campaigns/")
    page.get_by_role("link", name="Create campaign").click()
    page.get_by_label("Name", exact=True).fill("First round")
    cost = page.get_by_role("status").filter(has_text="judgments")
    expect(cost).to_contain_text("24 pairs × 3 people = 72 judgments")
    page.get_by_label("People per item").fill("2")
    expect(cost).to_contain_text("24 pairs × 2 people = 48 judgments")
    page.get_by_label("Relevant or not").check()
    expect(cost).to_contain_text("Relevance: 0 Not relevant, 1 Relevant.")
    for name in ("Ana", "Ben", "Cai"):
        page.get_by_label(name, exact=True).check()
    page.get_by_text("More: which items").click()
    page.get_by_label("Assigned in advance").check()
    page.get_by_role("button", name="Create campaign").click()
    steps = page.get_by_role("region", name="Before it can be opened")
    opening = steps.get_by_role("button", name="Open", exact=True)
    expect(opening).to_have_accessible_description("1 step above must be done first.")
    expect(steps.get_by_text("No item is assigned yet")).to_be_visible()
    expect(steps.get_by_role("link", name="Plan the assignment")).to_be_visible()
    open_tab(page, "Campaign", "Set up", "Assignment")
    page.get_by_role("button", name="Preview the plan").click()
    confirm = page.get_by_role("button", name="Assign the items")
    expect(confirm).to_be_visible()
    expect(page.get_by_role("row", name="Ana 16 16")).to_be_visible()
    assert not Assignment.objects.exists()
    confirm.click()
    expect(page.get_by_text("The items are assigned")).to_be_visible()
    page.get_by_role("link", name="To the campaign").click()
    opening.click()
    expect(page.get_by_text("First round is open")).to_be_visible()
    assert Campaign.objects.get().state == CampaignState.OPEN
    assert Assignment.objects.count() == 48


def test_a_guideline_is_previewed_while_it_is_typed(new_page: NewPage, made: Material) -> None:
    make_campaign(made, items=False)
    page = new_page(made.manager)
    page.goto("/c/teas/campaigns/main-round/guideline/")
    page.get_by_label("Guideline", exact=True).fill("## Calm\n\nBe **kind** <script>alert(1)</script>")
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_role("heading", name="Calm")).to_be_visible()
    expect(preview.locator("strong")).to_have_text("kind")
    expect(preview).to_contain_text("<script>")
    assert_accessible(page)
    page.get_by_role("button", name="Save as version 2").click()
    page.get_by_role("link", name="Version 2").click()
    expect(page.get_by_role("heading", name="What changed since version 1")).to_be_visible()


def test_levels_are_added_and_saved(new_page: NewPage, made: Material) -> None:
    campaign = make_campaign(made, items=False)
    page = new_page(made.manager)
    page.goto("/c/teas/campaigns/main-round/levels/")
    page.get_by_role("button", name="Add a level").click()
    level = page.get_by_role("region", name="Another level")
    level.get_by_label("Value").fill("3")
    level.get_by_label("Label").fill("Perfectly")
    level.get_by_label("Label").press("Enter")
    expect(page.get_by_text("Levels saved")).to_be_visible()
    assert list(campaign.criteria.get().levels.values_list("value", flat=True)) == [0, 1, 2, 3]
    page.get_by_role("button", name="Remove the level Partly").click()
    expect(page.get_by_role("region", name="1 Partly")).to_have_count(0)
    assert campaign.criteria.get().levels.count() == 4


def test_pages_of_a_campaign_under_way_are_accessible(new_page: NewPage) -> None:
    made = make_material(documents=2)
    campaign = begun(made)
    page = new_page(made.manager)
    one = f"annotators/{annotator(campaign, 'ana').pk}/"
    for address in ("", "guideline/2/", "items/", "items/?state=complete&topic=1", "annotators/", one, "assignment/"):
        assert_accessible_everywhere(page, f"/c/teas/campaigns/main-round/{address}")
    for name in ("ana", "vic"):
        page = new_page(made.people[name])
        for address in ("/c/teas/campaigns/", "/c/teas/campaigns/main-round/"):
            assert_accessible_everywhere(page, address)


def test_pages_of_a_draft_and_its_assignment_are_accessible(new_page: NewPage) -> None:
    made = make_material(documents=2)
    page = new_page(made.manager)
    draft = make_campaign(made, name="Draft")
    for address in ("", "levels/", "settings/"):
        assert_accessible_everywhere(page, f"/c/teas/campaigns/draft/{address}")
    preview = request_assignment(campaign=draft, by=made.manager, at=AT)
    jobs.carry_out(preview)
    preview.refresh_from_db()
    job = confirm_assignment(preview=preview, by=made.manager, at=AT)
    for run in (preview, job):
        assert_accessible_everywhere(page, f"/c/teas/campaigns/draft/assignment/{run.pk}/")


def test_names_and_levels_of_one_long_word_break_in_a_narrow_window(new_page: NewPage, made: Material) -> None:
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    word = "campaign:main;unit=aspect;" * 4
    Campaign.objects.update(name=word)
    Level.objects.update(label=word[:60], definition=word, example=word)
    shown = {"collection_dashboard": made.manager, "criteria_edit": made.manager}
    shown |= dict.fromkeys(("campaign_detail", "labelling_screen"), made.people["ana"])
    for name, person in shown.items():
        page = new_page(person)
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(reverse(name, args=["teas", *[campaign.slug] * (name != "collection_dashboard")]))
        page.get_by_text(word[:26]).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == 390, name
    page = new_page(made.manager, viewport={"width": 390, "height": 844})
    page.goto(reverse("campaign_detail", args=["teas", campaign.slug]))
    page.get_by_role("button", name="Close the campaign").click()
    page.locator("dialog[open]").get_by_role("button", name="Close the campaign").click()
    expect(page.locator("#messages")).to_contain_text("is closed")
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "message"
