"""The palette in Chromium: by keys alone, by its button, on every kind of frame."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.settled import expect_settled
from tests.factories.annotation import make_campaign, make_material
from tests.factories.corpus import DocumentFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]


def type_in(palette: Locator, text: str) -> None:
    """Type, and wait for the answer to all of it: one to fewer letters, put in place later, moves the focus."""
    palette.page.keyboard.type(text)
    expect(palette.locator("[data-palette-results]")).to_have_attribute("data-text", text)
    expect_settled(palette.page)


def test_by_keys_alone(new_page: NewPage) -> None:
    made = make_material()
    make_campaign(made)
    document = DocumentFactory(collection=made.collection, docno="W-100", title="Steeping green leaves")
    page = new_page(made.manager)
    page.goto(f"/c/{made.collection.slug}/")
    page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Find")
    field = palette.get_by_role("textbox")
    expect(field).to_be_focused()
    expect(palette.get_by_role("link", name="Overview")).to_be_visible()  # before anything is typed
    assert_accessible(page)
    type_in(palette, "exp")
    expect(palette.get_by_role("link", name="Exports")).to_be_visible()
    page.keyboard.press("ArrowDown")  # to the second: Enter in the field opens the first
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("Control+a")
    type_in(palette, "kappa")
    expect(palette.get_by_role("link", name=re.compile("^Agreement"))).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")  # once, whatever was typed
    expect(palette).to_be_hidden()
    page.keyboard.press("Control+k")
    type_in(palette, "no such thing")  # the words of before were selected
    expect(palette.get_by_text("Nothing found for “no such thing”")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Control+a")
    page.keyboard.type("steeping gre")
    page.keyboard.press("Enter")  # before its answer is there
    expect(page).to_have_url(f"{page.url.split('/c/')[0]}/c/{made.collection.slug}/documents/{document.docno}/")


def test_by_its_button_on_a_phone(new_page: NewPage) -> None:
    made = make_material()
    page = new_page(made.manager, viewport={"width": 390, "height": 844})
    page.goto(f"/c/{made.collection.slug}/topics/")
    page.get_by_role("link", name="Find").click()
    dialog = page.get_by_role("dialog", name="Find")
    expect(dialog.get_by_role("link", name="Overview")).to_be_visible()
    assert_accessible(page)
    page.mouse.click(5, 840)  # outside
    expect(dialog).to_be_hidden()
