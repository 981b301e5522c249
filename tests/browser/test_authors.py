"""Authors' pages in Chromium: accessible everywhere, answered with and without script."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from corpus.models import Document, Role
from corpus.questions.author_answers import submit_answer
from corpus.questions.author_calls import invite_author
from corpus.questions.author_links import author_token
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.corpus.questions.asking import new_call
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUESTION = "Does steeping leaves for longer change what a drinker remembers the next day?"


@pytest.fixture
def call():
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    manager = MembershipFactory(role=Role.MANAGER, collection=collection)
    abstract = "We steeped leaves for one to nine minutes and asked 120 drinkers what they recalled. " * 3
    for number, title in enumerate(("Steeping time and recall", "Kettles that listen")):
        Document.objects.create(collection=collection, docno=f"10.1145/{number}", title=title, abstract=abstract)
    return new_call(manager)


def invite(call, name: str, number: int):
    return invite_author(
        by=call.created_by, at=AT, call=call, email=f"{name.lower()}@example.org", docno=f"10.1145/{number}", name=name
    )


def test_an_author_answers_by_the_link(new_page, call):
    ann = invite(call, "Ann", 0)
    address = reverse("author_answer", args=[author_token(ann)])
    page = new_page()
    assert_accessible_everywhere(page, address)
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Not sent yet")).to_be_visible()
    assert_accessible(page)
    page.get_by_label("I wrote this question").check()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type(" Tee")
    page.keyboard.press("Enter")
    expect(page.locator(".alert.ok")).to_contain_text("we have received your question")
    expect(page.get_by_label("Your name")).to_have_value(re.compile("Tee"))
    assert_accessible(page)
    page.get_by_role("link", name="Stop e-mailing me").click()
    expect(page.get_by_role("button", name="Stop e-mailing me")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Stop e-mailing me").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You will get no more e-mails")
    assert ann.answers.get().text == QUESTION


CONTROLS = "main :is(a[href], button, summary, select, textarea, input:not([type=hidden], [tabindex='-1']))"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_first_screen_has_the_papers_title_one_field_and_one_button(new_page, call, width, height):
    page = new_page(viewport={"width": width, "height": height})
    page.goto(reverse("author_answer", args=[author_token(invite(call, "Ann", 0))]))
    expect(page.get_by_role("heading", level=1)).to_have_text("Steeping time and recall")
    seen = [each for each in page.locator(CONTROLS).all() if each.bounding_box()["y"] < height]
    assert [each.evaluate("each => each.tagName") for each in seen] == ["TEXTAREA", "BUTTON"]
    assert all(each.bounding_box()["y"] + each.bounding_box()["height"] < height for each in seen)
    assert page.locator("header a").count() == 0


def test_on_a_phone_without_script_an_author_answers_corrects_and_withdraws(new_page, call):
    ann = invite(call, "Ann", 0)
    page = new_page(viewport={"width": 390, "height": 844}, java_script_enabled=False)
    page.goto(reverse("author_answer", args=[author_token(ann)]))
    field = page.get_by_label("Your question")
    expect(field).to_be_in_viewport()
    field.fill("Does <b>longer</b> steeping help?")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Write it without HTML").first).to_be_in_viewport()
    expect(field).to_have_value("Does <b>longer</b> steeping help?")
    field.fill(QUESTION)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("I wrote this question").check()
    page.get_by_role("button", name="Send the question").click()
    expect(page.locator(".alert.ok")).to_be_in_viewport()
    expect(page.locator("blockquote")).to_have_text(QUESTION)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Withdraw my question").click()
    expect(page.get_by_text("Your question is withdrawn")).to_be_in_viewport()


def test_the_managers_pages_are_accessible(new_page, call):
    page = new_page(call.created_by)
    assert_accessible_everywhere(page, reverse("author_call_detail", args=["tea", call.pk]))  # nobody invited yet
    ann = invite(call, "Ann", 0)
    invite(call, "Bob", 1)
    submit_answer(
        at=timezone.now(), token=author_token(ann), seen=0, text=QUESTION, consent=True, credit_name="Ann Tee"
    )
    assert_accessible_everywhere(page, reverse("author_call_detail", args=["tea", call.pk]))
