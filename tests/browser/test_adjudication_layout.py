"""The adjudication screen with much to read: everything is whole and nothing covered, wide and narrow."""

import uuid
from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, ViewportSize, expect

from adjudication.models import Verdict
from annotation.models import Assignment, AssignmentState, Judgment, Level, Submission, SubmissionKind
from corpus.models import Document, Topic
from tests.adjudication.verdicts.test_votes import vote
from tests.browser.axe import assert_accessible_everywhere
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
WIDE: ViewportSize = {"width": 1280, "height": 800}
NARROW: ViewportSize = {"width": 390, "height": 844}
PEOPLE = ("ana", "ben", "cai", "dee", "eve")
VALUES = (0, 1, 1, 0, 2, 2)  # of the five and of the machine: a tie
QUESTION = (
    "Which methods align the hidden states of a multilingual encoder across languages without parallel sentences, so"
    " that a retriever that was fine-tuned on English queries alone finds documents in languages without any relevance"
    " labels, and how much do they lose against systems that are given translated training data?"
)
NARRATIVE = "Work that only evaluates existing encoders counts when it reports figures for two languages or more. " * 8
ABSTRACT = "An adversarial objective makes the language of a passage unreadable from its vector. " * 14
NOTE = "Compares against translated training data in Table 3, but only for four of the languages, hence partly."
DEFINITION = "Every key component is met in so many words, and nothing at all has to be read into the abstract for it."
REASON = "The abstract describes an objective that removes the language from vectors, without parallel data. " * 4

# What of these is clipped by a part that it stands in, or lies outside of the window, or under something else.
NOT_WHOLE = """selectors => {
  const lacking = [];
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)].filter(each => each.checkVisibility());
    if (!found.length) lacking.push(`${selector} is not there`);
    for (const each of found) {
      if (innerWidth < 600) each.scrollIntoView({block: 'center', behavior: 'instant'});
      const box = each.getBoundingClientRect();
      const name = `${selector} “${(each.innerText || each.value).trim().slice(0, 40)}”`;
      if (each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== 'visible')
        lacking.push(`${name} is cut`);
      for (let part = each.parentElement; part; part = part.parentElement) {
        const frame = part.getBoundingClientRect();
        if (getComputedStyle(part).overflowY !== 'visible' && part !== document.documentElement
            && (box.top < frame.top - 1 || box.bottom > frame.bottom + 1)) lacking.push(`${name} is clipped`);
      }
      if (box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth)
        lacking.push(`${name} is outside`);
      for (const y of [box.top + 3, (box.top + box.bottom) / 2, box.bottom - 3])
        for (const x of [box.left + 3, (box.left + box.right) / 2, box.right - 3]) {
          const top = document.elementFromPoint(x, y);
          if (top && !each.contains(top) && !top.contains(each))
            lacking.push(`${name} is under ${top.outerHTML.slice(0, 60)}`);
        }
    }
  }
  return [...new Set(lacking)];
}"""
PARTS = [
    ".pinned .breadcrumb strong",
    ".ballots .ballot",
    ".decision .level",
    ".decision-causes .chip",
    "#comment",
    ".decision-go button",
    ".decision-go a",
    ".decision-go label",
]


def not_whole(page: Page, *more: str) -> list[str]:
    found: list[str] = page.evaluate(NOT_WHOLE, [*PARTS, *more])
    return found


@pytest.fixture
def built() -> Built:
    """Ties with much to read: a question of five lines and more, five notes, the reason of a machine."""
    triples = [("1", QUESTION, f"doc{number:05d}") for number in range(3)]
    found = build_campaign([], people=PEOPLE, machines=[("gpt", "gpt-4", 1)], triples=triples)
    Topic.objects.update(title="Retrieval without labels", sentences=[QUESTION], narrative=NARRATIVE)
    Document.objects.update(abstract=ABSTRACT)
    Level.objects.update(definition=DEFINITION)
    for item in found.items:
        for place, (name, value) in enumerate(zip((*PEOPLE, "gpt"), VALUES, strict=True)):
            is_person = name in PEOPLE
            assignment = Assignment.objects.create(
                item=item,
                annotator=found.annotators[name],
                state=AssignmentState.DONE,
                slot=place + 1 if is_person else None,
                finished_at=AT,
            )
            submission = Submission.objects.create(
                uuid=uuid.uuid4(),
                assignment=assignment,
                kind=SubmissionKind.ANSWER,
                answers={"relevance": value},
                guideline=found.campaign.guidelines.get(),
                active_ms=40_000,
                received_at=AT,
                note=NOTE if is_person else "",
                said="" if is_person else REASON,
            )
            Judgment.objects.create(
                assignment=assignment, criterion=found.criterion, value=value, submission=submission
            )
    vote(found)
    return found


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_everything_is_whole_and_nothing_covered(built: Built, new_page: NewPage, size: ViewportSize) -> None:
    page = new_page(user=built.people["adjudicator"])
    page.set_viewport_size(size)
    page.goto(reverse("adjudication_screen", args=["tea", "main"]))
    expect(page.locator("body[data-ready] #document-title")).to_have_text("On doc00000")
    lines = "each => Math.round(each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight))"
    assert page.locator(".pinned .breadcrumb").evaluate(lines) >= 5
    assert not_whole(page) == []
    before = page.locator(".decision").bounding_box()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(".last-decision")).to_contain_text("” in “On doc00000”.")
    assert not_whole(page, ".last-decision") == []
    if size == WIDE:
        assert page.locator(".decision").bounding_box() == before  # nothing moved
        assert page.evaluate("document.documentElement.scrollHeight") == size["height"]
    page.keyboard.press("Enter")
    expect(page.locator("#refused")).to_have_text("Choose a value first: press its digit.")
    assert not_whole(page, ".last-decision", "#refused") == []
    page.keyboard.press("u")
    expect(page.locator(".last-decision")).to_have_text("Decision undone. The votes count again.")
    assert not_whole(page, ".last-decision") == []


def test_what_a_machine_said_is_one_key_away(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"])
    page.goto(reverse("adjudication_screen", args=["tea", "main"]))
    reason = page.locator(".machine-labels .raw-reply")
    expect(page.locator("body[data-ready] #document-title")).to_have_text("On doc00000")
    expect(reason).to_be_hidden()
    page.keyboard.press("m")
    expect(reason).to_have_text(REASON.strip())
    assert not_whole(page, ".machine-labels .raw-reply") == []
    page.keyboard.press("m")
    expect(reason).to_be_hidden()
    page.keyboard.press("m")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#document-title")).to_have_text("On doc00001")
    expect(reason).to_be_hidden()  # it is shown of the item for which it was asked
    page.keyboard.press("?")
    expect(page.locator("[data-key-dialog]")).to_contain_text("open or close what machines said")


def test_it_is_accessible(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"])
    first = Verdict.objects.get(item=built.items[0])
    assert_accessible_everywhere(page, reverse("adjudication_screen", args=["tea", "main"]) + f"?verdict={first.pk}")
