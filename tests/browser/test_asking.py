"""Asking the managers on the screens of annotators, and the answer next to the item."""

import re
from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.inquiries.asking import answer_inquiry, ask_managers
from annotation.models import Inquiry, Judgment, Order
from corpus.models import Role
from tests.browser.axe import assert_accessible, faults_everywhere
from tests.browser.labelling import expect_saved, expect_unit, open_labelling, path_of, title
from tests.factories.adjudication import Built
from tests.factories.labelling import assignment_of, build_work, given, send_one
from tests.factories.rubrics import build_rubric

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ASKED = "Does a review of green tea count?"
ANSWERED = "Yes: a review counts as well."


def ask(page: Page, text: str = ASKED) -> None:
    page.keyboard.press("q")
    expect(page.locator("#asking-text")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Control+Enter")


def answer(built: Built, audience: str = "asker") -> None:
    for asked in Inquiry.objects.filter(answered_at=None):
        answer_inquiry(
            campaign=asked.campaign,
            inquiry=asked.pk,
            answer=ANSWERED,
            audience=audience,
            by=built.people["manager"],
            at=timezone.now(),
        )


def test_a_question_by_keys_and_its_answer_next_to_the_item(new_page):
    built = build_work()
    page = open_labelling(new_page, built)
    page.keyboard.press("q")
    expect(page.locator("#asking-text")).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("Never sent")
    page.keyboard.press("Escape")  # back to the work, the words are kept
    expect(page.locator("#asking-text")).to_be_hidden()
    page.keyboard.press("1")
    expect_unit(page, 1)
    page.keyboard.press("q")
    expect(page.locator("#asking-text")).to_have_value("")  # of another item
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect_unit(page, 0)
    page.keyboard.press("q")
    expect(page.locator("#asking-text")).to_have_value("Never sent")
    page.keyboard.press("Control+a")
    page.keyboard.type(ASKED)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".asking-note")).to_have_text(
        re.compile(f"You asked: {re.escape(ASKED)}.*Not answered yet", re.S)
    )
    assert Inquiry.objects.get().item == built.items[0]
    expect_saved(page)  # the answer and its undoing, which are sent in the background
    assert not Judgment.objects.exists()  # digits and Enter typed in the panel judge nothing
    page.keyboard.press("2")
    expect_unit(page, 1)
    expect(page.locator(".asking-note")).to_have_count(0)

    answer(built)
    page.reload()
    expect_unit(page, 1)
    expect(page.get_by_text(f"A manager answered your question about “{title(0)}”")).to_be_visible()
    page.get_by_role("link", name="Go to the answer").click()
    expect_unit(page, 0)
    expect(page.locator(".asking-note")).to_contain_text(f"Answer: {ANSWERED}")
    assert_accessible(page)
    page.reload()
    expect(page.get_by_text("A manager answered your question")).to_be_hidden()
    assert Inquiry.objects.get().seen_at is not None


def test_a_question_asked_without_a_network_is_sent_when_it_is_back(new_page):
    built = build_work()
    page = open_labelling(new_page, built)
    expect(page.locator("[data-part=asking]")).not_to_have_attribute("inert", "")  # loaded at leisure
    page.context.set_offline(True)
    ask(page)
    expect(page.locator("[data-part=asking-error]")).to_contain_text("Your question is kept in this browser")
    expect(page.locator("#asking-text")).to_have_value(ASKED)
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect_unit(page, 1)
    assert not Inquiry.objects.exists()
    page.context.set_offline(False)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".asking-note")).to_contain_text(ASKED)
    assert Inquiry.objects.get().item == built.items[0]


def test_a_question_that_the_server_refuses_stays_in_its_field(new_page):
    built = build_work()
    page = open_labelling(new_page, built)
    built.annotators["ana"].state = "paused"
    built.annotators["ana"].save()
    ask(page)
    expect(page.locator("[data-part=asking-error]")).to_contain_text("A manager has paused your part")
    expect(page.locator("#asking-text")).to_have_value(ASKED)


def test_in_a_grid_one_asks_about_the_chosen_aspect(new_page):
    triples = [("1", f"Aspect number {a}.", "doc00000") for a in range(3)]
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    page = open_labelling(new_page, built)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("q")
    expect(page.locator("#asking-about")).to_have_value(str(assignment_of(built, "ana", 1).pk))
    page.keyboard.type(ASKED)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".asking-note")).to_contain_text(ASKED)
    assert Inquiry.objects.get().item == built.items[1]
    answer(built, "topic")
    theirs = open_labelling(new_page, built, "ben")
    expect(theirs.locator(".asking-note")).to_have_text(re.compile(f"Note to all annotators: {re.escape(ANSWERED)}"))
    expect(theirs.get_by_text(ASKED)).to_have_count(0)


def test_a_rater_of_questions_asks_as_well(new_page):
    rubric = build_rubric()
    page = new_page(user=rubric.people["ana"])
    page.goto(f"/c/signs/campaigns/{rubric.campaign.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    ask(page)
    expect(page.locator(".asking-note")).to_contain_text(ASKED)
    assert Inquiry.objects.get().item.topic is not None


def test_without_a_script_one_asks_by_a_plain_form(new_page):
    built = build_work()
    page = new_page(user=built.people["ana"], java_script_enabled=False)
    page.goto(path_of(built))
    page.locator("summary", has_text="Ask the managers about this item").click()
    page.locator("#asking-text").fill(ASKED)
    page.get_by_role("button", name="Send question").click()
    expect(page.get_by_text("Question sent.")).to_be_visible()
    expect(page.locator(".asking-note")).to_contain_text(ASKED)


def test_pages_of_managers_are_accessible_with_questions_hidden_refused_and_answered(new_page) -> None:
    built = build_work()
    built.collection.memberships.filter(user=built.people["ana"]).update(role=Role.MANAGER)  # who still judges item 1
    for number, person in ((0, "cai"), (1, "ben")):
        ask_managers(
            collection="tea",
            campaign="main",
            assignment=assignment_of(built, person, number).pk,
            uuid=uuid4(),
            text=f"{ASKED} ({number})",
            by=built.people[person],
            at=timezone.now(),
        )
    answer(built, "item")
    send_one(built, "ana", given(assignment_of(built, "ana", 0)))
    page = new_page(user=built.people["ana"])
    listed = "/c/tea/campaigns/main/inquiries/"
    answered = f"{listed}{Inquiry.objects.earliest('pk').pk}/"
    faults = [fault for each in (listed, f"{listed}?show=open", answered) for fault in faults_everywhere(page, each)]
    assert faults == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(listed)
    expect(page.get_by_text("1 question is about items that you still have to judge")).to_be_visible()
    page.goto(answered)
    page.get_by_label("Answer", exact=True).fill(" ")
    page.locator("main form .button.primary").click()
    expect(page.locator("main .errorlist, main [role=alert]").first).to_be_visible()
    assert_accessible(page)
