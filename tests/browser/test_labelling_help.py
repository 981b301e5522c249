"""What the labelling screen shows around the item: guideline, keys, highlights, reasons, and why there is nothing."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import (
    Annotator,
    Guideline,
    Strategy,
    Submission,
)
from corpus.models import Collection
from tests.browser.axe import assert_accessible
from tests.browser.labelling import expect_saved, expect_unit, go, open_labelling, values
from tests.browser.settled import wait_for_route
from tests.factories.adjudication import AT
from tests.factories.labelling import build_work
from tests.waiting import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def recorded(page: Page, event: str) -> list[str]:
    """What the page sends of the guideline from now on, as `event` (a request, or its answer) has it."""
    sent: list[str] = []
    page.on(event, lambda request: sent.append(request.post_data) if "/guideline/" in request.url else None)
    return sent


def test_highlights_guideline_help_and_their_keys(new_page):
    built = build_work(items=2, triples=[("1", "Covers doc00000", "doc00000"), ("1", "Covers doc00000", "doc00001")])
    page = open_labelling(new_page, built)
    expect(page.locator("[data-part=abstract] mark")).to_have_text("doc00000")
    with page.expect_response("**/preferences/"):
        page.keyboard.press("h")
    expect(page.locator("body")).to_have_class(re.compile("plain-text"))
    guideline = page.locator("[data-part=guideline-body]")
    expect(guideline).to_contain_text("Judge calmly.")
    held: list[Route] = []
    page.route("**/guideline/", lambda route: route.continue_() if held else held.append(route))
    asked, kept = recorded(page, "request"), recorded(page, "requestfinished")
    page.keyboard.press("g")
    expect(guideline).to_be_hidden()
    expect(page.locator("[data-part=title]")).to_be_focused()
    page.keyboard.press("g")
    expect(guideline).to_be_focused()
    page.keyboard.press("g")
    expect(guideline).to_be_hidden()
    wait_for_route(page, held)
    assert len(asked) == 1  # the others wait for the answer: of three at once the server might keep the second
    held[0].continue_()
    wait_for(lambda: page.wait_for_timeout(1) or len(kept) == 3, what="the answer to the last")
    assert [sent.rpartition("=")[2] for sent in kept] == ["yes", "no", "yes"]
    page.keyboard.press("?")
    expect(page.locator("dialog[data-dialog=help]")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("body")).to_have_class(re.compile("plain-text"))
    expect(guideline).to_be_hidden()


def test_keys_can_be_changed_and_switched_off(new_page):
    built = build_work(items=3)
    page = open_labelling(new_page, built)
    page.keyboard.press("?")
    dialog = page.locator("dialog[data-dialog=help]")
    dialog.get_by_label("Flag for the adjudicators").focus()
    page.keyboard.press("x")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator("[data-part=preferences-error]")).to_contain_text("same key")
    dialog.get_by_label("Flag for the adjudicators").focus()
    page.keyboard.press("m")
    dialog.get_by_label("After a digit").select_option("")
    expect(dialog.get_by_label("Mark the words")).to_be_checked()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.keyboard.press("m")
    expect(page.locator("[data-flag]")).to_be_checked()
    page.keyboard.press("2")
    page.wait_for_timeout(500)
    expect_unit(page, 0)
    page.keyboard.press("?")
    dialog.get_by_label("Shortcuts are on").uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect_unit(page, 0)
    expect(page.locator("[data-cell] input:checked")).to_have_count(0)
    assert Submission.objects.count() == 0


def test_a_changed_guideline_announces_itself_once(new_page):
    built = build_work(items=4)
    page = open_labelling(new_page, built)
    news = page.locator("[data-part=guideline-news]")
    expect(news).to_be_hidden()
    guideline = page.locator("[data-part=guideline-body]")
    with page.expect_response("**/guideline/"):
        page.keyboard.press("g")
    expect(guideline).to_be_hidden()
    Guideline.objects.create(
        campaign=built.campaign, version=2, body="Judge **boldly**.", created_at=AT, created_by=built.people["manager"]
    )
    page.keyboard.press("2")
    expect(news).to_contain_text("version 2")
    expect(guideline.locator("strong")).to_have_text("boldly")
    expect(guideline).to_be_visible()  # once, although an earlier version was folded away
    expect(news.locator("del")).to_have_text("calmly")
    expect(news.locator("ins")).to_have_text("**boldly**")
    assert_accessible(page)
    with page.expect_response("**/guideline/"):  # that it was read is sent by a page that is not left before
        page.keyboard.press("y")
    expect(news).to_be_hidden()
    expect(guideline).to_be_hidden()
    page.keyboard.press("1")
    expect_unit(page, 2)
    expect_saved(page)
    versions = list(Submission.objects.order_by("id").values_list("guideline__version", flat=True))
    assert versions == [1, 2]
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(news).to_be_hidden()
    elsewhere = open_labelling(new_page, built)
    expect(elsewhere.locator("[data-part=guideline-body]")).to_be_hidden()
    judge = Annotator.objects.get(pk=built.annotators["ana"].pk)
    assert (judge.guideline_seen, judge.guideline_folded) == (2, 2)


def test_nothing_assigned_and_waiting_for_others(new_page):
    empty = build_work(items=0)
    page = open_labelling(new_page, empty)
    expect(page.locator("[data-empty=nothing-assigned]")).to_be_visible()
    queue = build_work(items=1, overlap=1, strategy=Strategy.QUEUE, slug="coffee")
    first = open_labelling(new_page, queue, "ana")
    expect_unit(first, 0)
    second = open_labelling(new_page, queue, "ben")
    expect(second.locator("[data-empty=waiting]")).to_be_visible()
    first.keyboard.press("x")
    first.locator("dialog[data-dialog=skip]").get_by_role("button", name="Skip it").click()
    expect_saved(first)
    second.get_by_role("button", name="Check again").click()
    expect_unit(second, 0)
    second.keyboard.press("1")
    expect(second.locator("[data-empty=all-done]")).to_be_visible()


def test_an_archived_collection_is_said_and_nothing_can_be_taken_back(new_page):
    built = build_work(items=2)
    page = open_labelling(new_page, built)
    page.keyboard.press("1")
    expect_saved(page)
    Collection.objects.update(archived_at=AT)
    page.keyboard.press("1")
    expect(page.locator("[data-empty=archived] h2")).to_be_focused()  # said by the script
    go(page, built)
    expect(page.locator("[data-empty=archived]")).to_be_visible()  # and by the server
    empty = page.locator("[data-part=empty]")
    expect(empty.get_by_role("button", name="Check again")).to_be_visible()
    expect(empty.get_by_role("button", name="Undo my last")).to_be_hidden()
    assert_accessible(page)
    assert values(built) == [1, None]
