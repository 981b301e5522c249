"""Edits of a paper are kept in the browser and sent together; undo, other windows, skipping, signing in again."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Extraction, ExtractionSource
from annotation.papers.extractions import content_of
from tests.browser.experts import counted_requests
from tests.browser.extraction import extraction_campaign, open_extraction, paper_material, refreshed, saved
from tests.factories.papers import PaperFactory, make_content, make_extraction
from tests.processes import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def material():
    return paper_material()


def test_edits_are_kept_at_once_and_sent_together(new_page, material):
    """Three edits are one request and three steps back; unsent ones are undone here; nothing is lost on leaving."""
    paper = PaperFactory(
        collection=material.collection, blocks=[{"id": 1, "text": "Tea is old. Lee [1, 2] measured it."}]
    )
    make_extraction(paper, ExtractionSource.MACHINE, make_content(values=("10.1/water", None)))
    extraction_campaign(material)
    page, _ = open_extraction(material, new_page)
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    page.clock.install()
    page.reload()
    sent = counted_requests(page)
    sentences = page.locator("[data-sentence]")
    for _ in range(2):
        page.keyboard.press("s")
    page.keyboard.press("x")
    expect(page.locator("[data-part=save-text]")).to_have_text("3 edits kept here")
    page.keyboard.press("u")
    expect(sentences).to_have_count(4)
    page.keyboard.press("Shift+U")
    expect(sentences).to_have_count(3)
    page.clock.run_for(50_000)  # the clock goes on by itself as well: more than a minute for what was pressed
    assert sent == [], "nothing is sent yet"
    page.clock.run_for(70_000)
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    assert [Path(each.url).name for each in sent] == ["state"]
    assert [len(each.post_data_json["steps"]) for each in sent] == [3]
    assert list(work.revisions.order_by("number").values_list("change", flat=True)[1:]) == [
        "split", "split", "sentence removed",
    ]  # fmt: skip
    page.keyboard.press("u")
    expect(sentences).to_have_count(4)
    page.keyboard.press("e")
    page.keyboard.type(" Brewed.")
    page.keyboard.press("Enter")
    page.get_by_text("Work with a file instead").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as XML").click()
    assert "Brewed." in Path(download.value.path()).read_text(), "a file has what was done just now"
    page.keyboard.press("5")
    page.keyboard.press("x")
    expect(sentences).to_have_count(3)
    page.goto(reverse("home"))
    wait_for(lambda: len(content_of(refreshed(work)).contexts[0].sentences) == 3, what="the edit sent on leaving")
    page.clock.resume()
    page.go_back()
    expect(sentences).to_have_count(3)
    assert_kept_edits_meet_another_windows(page, material, new_page)


def assert_kept_edits_meet_another_windows(page, material, new_page) -> None:
    """What a closed browser kept is shown with what was saved elsewhere since; mine is kept where I say so."""
    page.route("**/state/", lambda route: route.abort())
    page.keyboard.press("e")
    page.keyboard.type(" Mine.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=save-text]")).to_have_text("1 edit kept here")
    other, _ = open_extraction(material, new_page)
    other.keyboard.press("6")
    other.keyboard.press("n")
    saved(other)
    page.reload()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Changed in another window")
    expect(dialog.locator("li").first.locator("ins")).to_have_text(" Mine.")
    expect(dialog.locator("li").last).to_contain_text("Reference 1no identifier 10.1/water")
    page.unroute("**/state/")
    page.get_by_role("button", name="Keep mine").click()
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    work = Extraction.objects.get(source=ExtractionSource.ANNOTATOR)
    content = content_of(work)
    assert content.contexts[0].sentences[0].text.endswith("Mine.")
    assert content.values["1"] == "10.1/water"
