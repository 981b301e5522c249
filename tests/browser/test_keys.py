"""Keys and requests that judging, a grid, a rubric and adjudication cost an expert; papers: test_extraction_keys.py.

`python -m bench keys` runs these tests and puts what they count into docs/performance.md.
"""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from adjudication.models import Method, Verdict
from annotation.models import Judgment, Order
from corpus.models import Membership, Role
from tests.adjudication.verdicts.test_votes import vote
from tests.browser.experts import Hand, counted, counted_requests
from tests.browser.labelling import expect_saved, expect_unit, open_labelling, values
from tests.factories.adjudication import build_campaign
from tests.factories.labelling import build_work
from tests.factories.rubrics import build_rubric

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
Record = Callable[[str, object], None]
JUDGMENTS = 30
GRIDS, ASPECTS = 10, 3
TIES = 10
TIED = [0, 1, None]


# Most requests: one for each judgment or page, one for the units after the first, one that finds nothing left.
def assert_within(record: Record, task: str, hand: Hand, sent: list, most_keys: int, most_requests: int) -> None:
    figures = {"keys": hand.keys, "most_keys": most_keys, "requests": len(sent), "most_requests": most_requests}
    counted(record, task, **figures)
    assert hand.keys <= most_keys
    assert len(sent) <= most_requests, [f"{each.method} {each.url}" for each in sent]


def test_a_judgment_is_a_key_and_a_request(new_page: NewPage, record_property: Record) -> None:
    built = build_work(items=JUDGMENTS)
    page = open_labelling(new_page, built)
    hand, sent = Hand(page), counted_requests(page)
    for number in range(JUDGMENTS):
        expect_unit(page, number)
        hand.press(str(number % 3))
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    assert values(built) == [number % 3 for number in range(JUDGMENTS)]
    assert_within(record_property, f"{JUDGMENTS} judgments, one aspect after the other", hand, sent, 30, 32)


def test_a_grid_is_a_key_for_each_aspect_and_one_for_the_page(new_page: NewPage, record_property: Record) -> None:
    triples = [("1", f"Aspect number {a}.", f"doc{d:05d}") for d in range(GRIDS) for a in range(ASPECTS)]
    built = build_work(order=Order.BY_DOCUMENT, triples=triples)
    page = open_labelling(new_page, built)
    hand, sent = Hand(page), counted_requests(page)
    for number in range(GRIDS):
        expect_unit(page, number)
        hand.press("0", "1", "2", "Enter")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    assert values(built) == [0, 1, 2] * GRIDS
    assert_within(record_property, f"{GRIDS} grids of {ASPECTS} aspects: 30 judgments", hand, sent, 40, 12)


def test_a_rating_is_a_key_for_each_criterion_and_one_for_a_reason(new_page: NewPage, record_property: Record) -> None:
    rubric = build_rubric()
    page = new_page(user=rubric.people["ana"])
    page.goto(f"/c/signs/campaigns/{rubric.campaign.slug}/label/")
    page.wait_for_selector("body[data-ready]")
    hand, sent = Hand(page), counted_requests(page)
    questions = list(rubric.campaign.items.order_by("assignments__position").values_list("topic__text", flat=True))
    for number, text in enumerate(questions):
        expect(page.locator("[data-part=title]")).to_have_text(text)
        hand.press(*(("1", "0", "5") if number == 1 else ("0", "2")))
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect_saved(page)
    assert Judgment.objects.filter(criterion__key="quality").count() == len(questions)
    task = f"{len(questions)} questions rated by two criteria, one of them discarded with a reason"
    assert_within(record_property, task, hand, sent, 7, 5)


def test_a_decision_is_a_digit_a_cause_and_enter(new_page: NewPage, record_property: Record) -> None:
    """A tie takes three keys and one request."""
    built = build_campaign([TIED] * TIES, overlap=2)
    vote(built)
    page = new_page(user=built.people["adjudicator"])
    page.goto(reverse("adjudication_screen", args=["tea", "main"]))
    hand, sent = Hand(page), counted_requests(page)
    for number in range(TIES):
        expect(page.locator("body[data-ready] #document-title")).to_have_text(f"On doc{number:05d}")
        hand.press("1", "g", "Enter")
    expect(page.locator(".empty")).to_be_visible()
    assert Verdict.objects.filter(method=Method.BY_HAND, value=1, cause="guideline").count() == TIES
    assert_within(record_property, f"{TIES} ties decided, with their cause", hand, sent, 30, 10)


def test_a_manager_who_is_alone_decides_a_tie_by_a_digit(new_page: NewPage, record_property: Record) -> None:
    """A comment is still asked for where nobody voted for the value."""
    built = build_campaign([TIED] * TIES, overlap=2)
    vote(built)
    Membership.objects.filter(collection=built.collection, role=Role.ADJUDICATOR).delete()
    page = new_page(user=built.people["manager"])
    page.goto(reverse("adjudication_screen", args=["tea", "main"]))
    title = page.locator("body[data-ready] #document-title")
    hand, sent = Hand(page), counted_requests(page)
    for number in range(TIES):
        expect(title).to_have_text(f"On doc{number:05d}")
        hand.press("1")
    expect(page.locator(".empty")).to_be_visible()
    assert Verdict.objects.filter(method=Method.BY_HAND, value=1).count() == TIES
    assert_within(record_property, f"{TIES} ties decided by a manager who is alone", hand, sent, 10, 10)
    page.keyboard.press("u")
    expect(title).to_have_text(f"On doc{TIES - 1:05d}")
    page.keyboard.press("2")
    expect(page.locator("#refused")).to_contain_text("Nobody voted for this value.")
    page.get_by_label("A digit decides at once").uncheck()
    page.reload()
    expect(title).to_have_text(f"On doc{TIES - 1:05d}")
    page.keyboard.press("1")
    expect(page.locator("input[name=value]:checked")).to_have_value("1")
    expect(page.get_by_label("A digit decides at once")).not_to_be_checked()
    assert Verdict.objects.filter(method=Method.BY_HAND).count() == TIES - 1
