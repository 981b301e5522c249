"""Consent in a real browser: asked for before the first item, taken back in the middle of judging."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.consent.consents import set_consent_text
from annotation.models import Annotator, Background, Submission
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.browser.labelling import expect_unit, path_of, values
from tests.factories.labelling import build_work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_from_the_text_to_judging_and_out_of_it(new_page: Callable[..., Page]) -> None:
    built = build_work(items=3)
    manager = new_page(user=built.people["manager"])
    manager.goto(reverse("consent_edit", args=["tea"]))
    manager.get_by_label("Text").fill("# The study\n\nWe store **what you judge**.")
    manager.get_by_label("If somebody withdraws").select_option("leave-out")
    manager.get_by_label("Ask for field, level, years and language").check()
    manager.get_by_role("button", name="Save").click()
    expect(manager.get_by_text("Version 1 is asked for")).to_be_visible()
    assert_accessible_everywhere(manager, reverse("consent_edit", args=["tea"]))
    assert_accessible_everywhere(manager, reverse("consent_detail", args=["tea"]))

    ana = new_page(user=built.people["ana"])
    ana.goto(path_of(built))
    expect(ana.get_by_role("heading", level=1)).to_have_text("Before you judge in “Collection tea”")
    assert_accessible_everywhere(ana, reverse("consent_give", args=["tea"]))
    ana.get_by_role("textbox", name="Your field").fill("Chemistry")
    ana.get_by_role("button", name="I agree").click()
    ana.wait_for_selector("body[data-ready]")
    ana.keyboard.press("2")
    expect_unit(ana, 1)

    other = ana.context.new_page()
    other.goto(reverse("consent_give", args=["tea"]))
    expect(other.get_by_role("textbox", name="Your field")).to_have_value("Chemistry")
    other.get_by_role("button", name="Withdraw").click()
    other.get_by_role("alertdialog").get_by_role("button", name="Withdraw").click()
    expect(other.get_by_text("What you judged no longer counts")).to_be_visible()
    assert values(built) == [None, None, None]
    assert not Background.objects.exists()

    ana.bring_to_front()
    ana.keyboard.press("1")
    expect(ana.get_by_text("You have withdrawn your consent.").first).to_be_visible()
    assert values(built) == [None, None, None]
    assert Submission.objects.filter(kind="answer").count() == 1
    manager.reload()
    expect(manager.get_by_role("row", name=Annotator.objects.get(user=built.people["ana"]).name)).to_be_visible()


def test_a_text_that_comes_in_the_middle_of_judging_is_led_to(new_page: Callable[..., Page]) -> None:
    built = build_work(items=2)
    page = new_page(user=built.people["ana"])
    page.goto(path_of(built))
    page.wait_for_selector("body[data-ready]")
    text = {"text": "We store it.", "after_withdrawal": "keep", "asks_background": False}
    set_consent_text(collection=built.collection, by=None, at=timezone.now(), **text)
    page.keyboard.press("2")
    expect(page.get_by_text("You have not agreed to the consent text").first).to_be_visible()
    page.reload()
    page.get_by_role("button", name="I agree").click()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("[data-part=progress-text]")).to_have_text("1 of 2 done")
    assert_accessible(page)
    assert values(built) == [2, None], "what was judged meanwhile has arrived once"
