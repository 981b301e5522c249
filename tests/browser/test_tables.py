"""Picking rows of a table: all of a page, a range with Shift, then one step that asks first."""

import pytest
from playwright.sync_api import expect

from corpus.models import Topic
from tests.factories.annotation import make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_rows_are_picked_and_deleted(new_page):
    made = make_material(topics=5, aspects=1)
    page = new_page(made.manager)
    page.goto("/c/teas/topics/?sort=-number")
    delete = page.get_by_role("button", name="Delete the selected rows")
    expect(delete).to_be_disabled()
    boxes = page.locator('input[name="pick"]')
    page.get_by_label("Select all rows of this page").check()
    expect(page.get_by_text("5 selected")).to_be_visible()
    page.get_by_label("Select all rows of this page").uncheck()
    boxes.nth(1).check()
    boxes.nth(3).click(modifiers=["Shift"])
    expect(page.get_by_text("3 selected")).to_be_visible()
    delete.click()
    page.locator("dialog[open] button[value=yes]").click()
    expect(page.get_by_text("Topics deleted: 3.")).to_be_visible()
    assert page.url.endswith("?sort=-number")
    assert sorted(Topic.objects.values_list("number", flat=True)) == ["1", "5"]
