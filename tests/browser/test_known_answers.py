"""Training, qualification and a main round with gold, walked by people in a browser."""

import pytest
from playwright.sync_api import expect

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Asked
from tests.annotation.gold.known_worlds import items_of, known, make_practice
from tests.factories.annotation import AT, annotator, give_labels, make_campaign, make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_training_tells_a_qualification_asks_and_gold_looks_like_anything_else(new_page):
    made = make_material()
    training = make_practice(made, "training")
    qualification = make_practice(made, "qualification", items=3, mark=60)
    page = new_page(user=made.people["ana"])
    page.goto(f"/c/teas/campaigns/{training.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".screen-where")).to_contain_text("Training")
    feedback = page.locator("[data-part=feedback]")
    expect(feedback).to_be_hidden()
    page.keyboard.press("0")
    expect(feedback).to_contain_text("Not right, the known answer is 2")
    expect(feedback).to_contain_text("It is on tea.")
    page.keyboard.press("2")
    expect(feedback).to_contain_text("Right, 2")

    page.goto(f"/c/teas/campaigns/{qualification.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".screen-where")).to_contain_text("Qualification, pass mark 60%")
    for value in ("2", "0", "0"):
        page.keyboard.press(value)
        expect(page.locator("[data-part=gave-answer]")).to_contain_text(value)
        expect(page.locator("[data-part=feedback]")).to_be_hidden()
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    assert "fail" not in page.content().lower()

    manager = new_page(user=made.manager)
    manager.goto(f"/c/teas/campaigns/{qualification.slug}/gold/")
    expect(manager.get_by_role("row", name="Ana").first).to_contain_text("below the pass mark")
    assert {one.state for one in qualification.annotators.all()} == {"active"}

    main = make_campaign(made, overlap=1)
    for item in items_of(main)[::3]:
        known(main, item)
    assign_items(campaign=main, by=None, at=AT, gold_percent=50, gold_gap=1)
    open_campaign(campaign=main, by=None, at=AT)
    ana = annotator(main, "ana")
    first = ana.assignments.filter(repeat=Asked.CHECK).order_by("position")[0]
    before = ana.assignments.filter(position__lt=first.position).count()
    give_labels(ana, [1] * before)
    page.goto(f"/c/teas/campaigns/{main.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("[data-part=title]")).to_contain_text(first.item.document.title)
    page.keyboard.press("1")
    expect(page.locator("[data-part=gave-answer]")).to_contain_text("1")
    expect(page.locator("[data-part=feedback]")).to_be_hidden()
    manager.goto(f"/c/teas/campaigns/{main.slug}/gold/")
    expect(manager.get_by_role("row", name="Ana").first).to_be_visible()
