"""Lists: rows that unfold, rows picked in bulk, filters that apply as soon as they change."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from corpus.models import Document, Topic
from tests.browser.axe import assert_accessible
from tests.conftest import sign_in
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_rows_are_picked_and_deleted(new_page: Callable[..., Page]) -> None:
    """The bar comes with the selection and goes with it; the keyboard stays where it is."""
    page = new_page(make_material(topics=5, aspects=1).manager)
    page.goto("/c/teas/topics/?sort=-number")
    delete = page.get_by_role("button", name="Delete the selected rows")
    boxes = page.locator('input[name="pick"]')
    expect(boxes).to_have_count(5)
    expect(delete).to_be_hidden()
    page.get_by_label("Select all rows of this page").check()
    expect(page.get_by_text("5 selected")).to_be_visible()
    page.get_by_role("button", name="Clear selection").press("Enter")
    expect(delete).to_be_hidden()
    expect(page.get_by_label("Select all rows of this page")).to_be_focused()
    boxes.nth(1).press("Space")
    expect(page.get_by_text("1 selected")).to_be_visible()
    expect(boxes.nth(1)).to_be_focused()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(page.get_by_text("3 selected")).to_be_visible()
    assert_accessible(page)
    delete.click()
    page.locator("dialog[open] button[value=yes]").click()
    expect(page.get_by_text("Topics deleted: 3.")).to_be_visible()
    assert page.url.endswith("?sort=-number")
    assert sorted(Topic.objects.values_list("number", flat=True)) == ["1", "5"]


def test_filters_apply_as_they_change_and_stand_in_the_address(new_page: Callable[..., Page]) -> None:
    made = make_material(topics=12, aspects=1)
    made.collection.topics.filter(number="7").update(kind="complex-query")
    page = new_page(made.manager)
    page.goto("/c/teas/topics/")
    rows = page.locator("#topics tbody tr")
    expect(rows).to_have_count(12)
    expect(page.get_by_role("button", name="Filter")).to_have_count(0)
    kind = page.get_by_label("Kind", exact=True)
    kind.focus()
    kind.select_option("complex-query")
    expect(page.locator("body > #found[role=status]")).to_have_text("1 row found")
    expect(rows).to_have_count(1)
    expect(kind).to_be_focused()
    expect(page).to_have_url(re.compile(r"/topics/\?kind=complex-query$"))  # without the fields that are empty
    page.get_by_label("Number or words").fill("8")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No topic matches")).to_be_visible()
    page.go_back()
    expect(rows).to_have_count(1)
    expect(kind).to_have_value("complex-query")
    page.get_by_role("link", name="Clear").click()
    expect(rows).to_have_count(12)


def test_a_row_is_a_line_that_unfolds(new_page: Callable[..., Page]) -> None:
    made = make_material(topics=1, aspects=1)
    campaign = make_campaign(made)
    assign_items(campaign=campaign, by=None, at=AT)
    open_campaign(campaign=campaign, by=None, at=AT)
    give_labels(annotator(campaign, "ana"), [1, 0])
    page = new_page(made.manager)
    page.goto(f"/c/teas/campaigns/{campaign.slug}/judgments/")
    details = page.locator(".more").first
    expect(details).to_be_hidden()
    opener = page.get_by_role("button", name="Details of").first
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(opener).to_be_focused()
    expect(details.get_by_text("ana")).to_be_visible()
    assert_accessible(page)
    expect(page.locator(f"#{opener.get_attribute('aria-controls')}")).to_be_visible()
    opener.press("Space")
    expect(details).to_be_hidden()
    page.locator("tbody th").first.click()
    expect(details).to_be_visible()


def test_a_row_unfolds_only_where_something_is_cut(new_page: Callable[..., Page]) -> None:
    made = make_material(documents=2, topics=1, aspects=1)
    long, short = made.collection.documents.order_by("pk")
    Document.objects.filter(pk=long.pk).update(title="How tea was brewed and poured in many places. " * 9)
    page = new_page(made.manager)
    page.goto("/c/teas/documents/")
    openers = page.locator(".opener > button:visible")
    expect(openers).to_have_count(1)
    rows = page.locator("tbody tr")
    rows.filter(has_text=short.docno).locator(".mono").first.click()
    expect(page.locator("[aria-expanded=true]")).to_have_count(0)
    openers.click()
    expect(openers).to_have_attribute("aria-expanded", "true")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(openers).to_have_count(1)  # it also closes again
    openers.click()
    expect(openers).to_have_attribute("aria-expanded", "false")


def test_without_scripts_all_is_shown_and_a_button_filters(browser: Browser, live_server: object) -> None:
    made = make_material(topics=12, aspects=1)
    context = browser.new_context(java_script_enabled=False, base_url=str(live_server))
    sign_in(context, made.manager, str(live_server))
    page = context.new_page()
    page.goto("/c/teas/people/")
    expect(page.locator(".more").first).to_be_visible()
    expect(page.get_by_role("button", name="Details of")).to_have_count(0)
    page.goto("/c/teas/topics/")
    expect(page.get_by_role("button", name="Delete the selected rows")).to_be_visible()
    page.get_by_label("Number or words").fill("12")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#topics tbody tr")).to_have_count(1)
    assert "q=12" in page.url
    context.close()
