"""Three people walk training, qualification and a main round with gold and repeats; their manager follows them."""

from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from annotation.assignment.assignments import assign_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.models import Asked, Campaign
from tests.adjudication.following.counting import counted
from tests.annotation.gold.known_worlds import items_of, known, make_practice
from tests.browser.axe import assert_accessible
from tests.factories.annotation import AT, annotator, make_campaign, make_material

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PEOPLE = ("ana", "ben", "cai")


def begin(page: Page, campaign: Campaign) -> None:
    page.goto(f"/c/teas/campaigns/{campaign.slug}/label/")
    page.wait_for_selector("body[data-ready]")


def press(page: Page, keys: Sequence[str], *, done: int = 0, of: int = 0) -> None:
    """One answer a key; each is taken before the next."""
    for place, key in enumerate(keys, start=done + 1):
        page.keyboard.press(key)
        expect(page.locator("[data-part=progress-text]")).to_have_text(f"{place} of {of or len(keys)} done")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")


def test_three_people_from_training_to_the_payment_sheet(new_page: Callable[..., Page]) -> None:
    made = make_material(topics=2, aspects=1)
    training, qualification = make_practice(made, "training"), make_practice(made, "qualification", items=3, mark=60)
    pages = {name: new_page(user=made.people[name]) for name in PEOPLE}
    for name, page in pages.items():
        begin(page, training)
        expect(page.locator(".screen-where")).to_contain_text("Training")
        feedback = page.locator("[data-part=feedback]")
        expect(feedback).to_be_hidden()
        press(page, ["0"], of=4)
        expect(feedback).to_contain_text("Not right, the known answer is 2")
        expect(feedback).to_contain_text("It is on tea.")
        press(page, ["2"], done=1, of=4)
        expect(feedback).to_contain_text("Right, 2")
        press(page, ["2", "2"], done=2, of=4)

        begin(page, qualification)
        expect(page.locator(".screen-where")).to_contain_text("Qualification, pass mark 60%")
        press(page, ["2", "0", "0"] if name == "ana" else ["2", "2", "0"])
        expect(feedback).to_be_hidden()
        expect(page.locator("[data-empty=all-done]")).to_be_visible()
        assert "fail" not in page.content().lower()

    manager = new_page(user=made.manager)
    manager.goto(f"/c/teas/campaigns/{qualification.slug}/gold/")
    expect(manager.get_by_role("row", name="Ana").first).to_contain_text("below the pass mark")
    expect(manager.get_by_role("row", name="Ben").first).to_contain_text("not below it")
    assert {one.state for one in qualification.annotators.all()} == {"active"}

    main = make_campaign(made, overlap=2)
    used = training.items.values_list("document", flat=True)
    for item in [one for one in items_of(main) if one.topic.number == "2" or one.document_id not in used][:2]:
        known(main, item)
    assign_items(campaign=main, by=None, at=AT, gold_percent=50, gold_gap=1, repeat_percent=40, repeat_gap=2)
    open_campaign(campaign=main, by=None, at=AT)
    asked = main.annotators.filter(assignments__repeat__in=[Asked.AGAIN, Asked.CHECK])
    assert set(asked.values_list("assignments__repeat", flat=True)) >= {1, 2}
    for name, page in pages.items():
        begin(page, main)
        todo = annotator(main, name).assignments.count()
        press(page, [str((place + (name == "cai")) % 3) for place in range(todo)])
        expect(page.locator("[data-part=feedback]")).to_be_hidden()
        expect(page.locator("[data-empty=all-done]")).to_be_visible()

    counted(main)
    manager.goto(f"/c/teas/campaigns/{main.slug}/work/")
    quality = manager.get_by_role("table", name="Figures of each person")
    expect(quality.get_by_role("row", name="Ana")).to_contain_text("n ")
    assert_accessible(manager)
    quality.get_by_role("link", name="where they differ").first.click()
    expect(manager.get_by_text("differ").first).to_be_visible()
    manager.goto(f"/c/teas/campaigns/{main.slug}/gold/")
    for name in ("Ana", "Ben", "Cai"):
        expect(manager.get_by_role("row", name=name).first).to_be_visible()

    manager.goto(f"/c/teas/campaigns/{main.slug}/work/")
    manager.get_by_role("heading", name="Pay").click()
    manager.get_by_role("link", name="Set a rate").click()
    manager.locator("[name=rate]").fill("0.5")
    manager.locator("[name=currency]").fill("EUR")
    manager.get_by_label("Paid per").select_option("item")
    manager.get_by_role("button", name="Save").click()
    sheet = manager.get_by_role("table", name="What each person has earned")
    for name in PEOPLE:
        amount = annotator(main, name).assignments.filter(state="done").count() / 2
        expect(sheet.get_by_role("row", name=name.capitalize())).to_contain_text(f"{amount:.2f}")

    manager.goto(f"/c/teas/campaigns/{main.slug}/guideline/")
    manager.locator("textarea").fill("Judge what the text says, not what it may mean.")
    manager.get_by_role("button", name="Save as version 2").click()
    manager.get_by_role("link", name="Judge again after a change").click()
    manager.get_by_label("Only items on which judgments differ").check()
    assert_accessible(manager)
    manager.get_by_role("button", name="Ask again").click()
    expect(manager.get_by_text("asked again. The former judgments count until then")).to_be_visible()
    again = annotator(main, "ana").assignments.filter(repeat=Asked.REJUDGE).count()
    ana = annotator(main, "ana").assignments
    begin(pages["ana"], main)
    expect(pages["ana"].get_by_text("not what it may mean").first).to_be_visible()
    press(pages["ana"], ["1"] * again, done=ana.filter(state="done").count(), of=ana.count())
    manager.reload()
    row = manager.get_by_role("row", name="Ana")
    expect(row.get_by_role("cell").nth(1)).to_have_text(str(again))
    assert_accessible(manager)
