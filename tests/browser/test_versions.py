"""Papers of several annotators in a real browser: one extraction made by keys, without script, accessible."""

from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from adjudication.papers.papers import fetch_case
from annotation.assignment.annotators import add_members
from annotation.models import Assignment, AssignmentState, Extraction, ExtractionSource
from annotation.papers.extractions import content_of
from engines.definitions.extractions import statements
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.factories.annotation import AT
from tests.factories.versions import FIRST, SECOND, Finished, make_finished, references

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def built() -> Finished:
    return make_finished(FIRST, SECOND)


def address(built: Finished, name: str = "adjudication_screen") -> str:
    return reverse(name, args=[built.material.collection.slug, built.campaign.slug])


def adjudicated() -> Extraction:
    return Extraction.objects.get(source=ExtractionSource.ADJUDICATED)


def standing(page: Page, text: str) -> None:
    expect(page.locator("[data-standing]")).to_have_text(text)


def test_one_extraction_is_made_of_two_by_keys(new_page, built):
    case = fetch_case(built.item)
    page = new_page(built.material.people["ada"])
    page.goto(address(built))
    current = page.locator("[data-difference][aria-current]")
    expect(current).to_contain_text("anonymised")
    page.keyboard.press("b")
    page.keyboard.press("a")  # without waiting: choices are sent one after the other
    standing(page, "2 of 3 decided")
    expect(current).to_contain_text("identifier")
    page.keyboard.press("Enter")  # something is undecided still: it goes there instead of accepting
    expect(current).to_be_focused()
    page.keyboard.press("u")
    standing(page, "1 of 3 decided")
    page.keyboard.press("Shift+U")
    standing(page, "2 of 3 decided")
    page.keyboard.press("e")
    expect(page.locator("[data-sentence]").first).to_be_visible()
    page.keyboard.press("6")
    page.keyboard.press("j")
    page.keyboard.press("p")
    page.keyboard.type("10.9/by-hand")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-part=save-text]")).to_contain_text("Saved")
    page.keyboard.press("f")
    page.get_by_role("link", name="Back to the versions", exact=True).click()
    standing(page, "2 of 3 decided")
    expect(current).to_contain_text("identifier")
    page.locator("[data-version=B]").last.click(position={"x": 20, "y": 60})  # the whole version can be pressed
    standing(page, "3 of 3 decided")
    page.locator("h1").click()
    page.keyboard.press("Enter")
    expect(page.get_by_text("” is accepted.")).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing needs a decision")).to_be_visible()
    sentences, section, identifier = case.comparison.differences
    content = content_of(adjudicated())
    assert content.contexts[0].sentences[1:] == sentences.variants[1].says
    assert content.contexts[1].section == section.variants[0].says
    assert content.values == {"1": identifier.variants[1].says.value, "2": "10.9/by-hand", "3": "10.9/elsewhere"}
    page.get_by_role("button", name="Undo acceptance").click()
    standing(page, "3 of 3 decided")
    expect(current).to_be_visible()  # by the script: keys work
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert_accessible(page)


def test_what_is_taken_without_leaving_the_page_is_no_place_to_come_back_to(new_page, built):
    """All papers have one address: the next one would begin in the middle."""
    page = new_page(built.material.people["ada"])
    page.goto(address(built))
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Take version B of difference 1").focus()
    page.keyboard.press("Enter")
    standing(page, "1 of 3 decided")
    assert page.evaluate("sessionStorage.getItem('litmus-place')") is None


def test_the_next_paper_comes_without_loading_a_page(new_page):
    built = make_finished(FIRST, SECOND, papers=2)
    for other in built.campaign.items.exclude(pk=built.item.pk):
        for name, content in (("ann", FIRST), ("bob", SECOND)):
            built.hand_in(name, content, paper=other.paper)
    page = new_page(built.material.people["ada"])
    page.goto(address(built))
    heading, current = page.locator("#versions-heading"), page.locator("[data-difference][aria-current]")
    expect(current).to_be_visible()
    first = heading.inner_text()
    page.evaluate("window.isTheSamePage = true")
    page.keyboard.press("a")
    page.keyboard.press("a")
    page.keyboard.press("a")
    standing(page, "3 of 3 decided")
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("The server cannot be reached.")
    expect(heading).to_have_text(first)
    page.context.set_offline(False)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"“{first}” is accepted.")).to_be_visible()
    assert asked == ["POST"]
    expect(heading).not_to_have_text(first)
    expect(current).to_be_visible()
    second = heading.inner_text()
    page.keyboard.press("a")  # keys are about the paper that is there
    standing(page, "1 of 3 decided")
    page.get_by_role("button", name="Undo acceptance").click()
    expect(heading).to_have_text(first)
    standing(page, "3 of 3 decided")
    there, back = (
        ("ArrowRight", "ArrowLeft") if page.locator("[data-go=later]").count() else ("ArrowLeft", "ArrowRight")
    )
    page.keyboard.press(there)
    expect(heading).to_have_text(second)
    page.keyboard.press(back)
    expect(heading).to_have_text(first)
    assert page.evaluate("window.isTheSamePage")
    page.go_back()
    expect(heading).to_have_text(second)
    expect(current).to_be_visible()


def test_a_page_that_is_behind_reloads_and_says_so(new_page, built):
    page, other = (new_page(built.material.people[name]) for name in ("ada", "mia"))
    for each in (page, other):
        each.goto(address(built))
        expect(each.locator("[data-difference][aria-current]")).to_be_visible()
    other.keyboard.press("a")
    standing(other, "1 of 3 decided")
    page.keyboard.press("b")
    expect(page.get_by_text("submitted again while you looked")).to_be_visible()
    standing(page, "1 of 3 decided")


def test_arrows_lead_on_from_a_paper_of_ones_own(new_page):
    built = make_finished(FIRST, SECOND, papers=2)
    other = built.campaign.items.exclude(pk=built.item.pk).get()
    for name, content in (("ann", FIRST), ("bob", SECOND)):
        built.hand_in(name, content, paper=other.paper)
    ada = built.material.people["ada"]
    add_members(campaign=built.campaign, users=[ada], by=built.material.manager, at=AT)
    judge = built.campaign.annotators.get(user=ada)
    Assignment.objects.create(item=built.item, annotator=judge, state=AssignmentState.DONE, finished_at=AT, slot=3)
    page = new_page(ada)
    page.goto(f"{address(built)}?item={built.item.pk}")
    expect(page.get_by_text("You judged this item yourself")).to_be_visible()
    there, back = (
        ("ArrowRight", "ArrowLeft") if page.locator("[data-go=later]").count() else ("ArrowLeft", "ArrowRight")
    )
    page.keyboard.press(there)
    page.wait_for_url(f"**item={other.pk}*")
    page.keyboard.press(back)
    page.wait_for_url(f"**item={built.item.pk}*")


def test_it_works_without_a_script(new_page, built):
    page = new_page(built.material.people["ada"], java_script_enabled=False)
    page.goto(address(built))
    for left in (2, 1, 0):
        page.locator("[data-state=open] button[name=take]").first.click()
        standing(page, f"{3 - left} of 3 decided")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("” is accepted.")).to_be_visible()
    (first,) = [side.content for side in fetch_case(built.item).sides if side.letter == "A"]
    assert statements(content_of(adjudicated())) == statements(first)


COVERED = """() => {
  const focused = document.activeElement, bar = document.querySelector(".versions-bar");
  if (focused === document.body || bar.contains(focused)) return "";
  return focused.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1 ? focused.outerHTML : "";
}"""


def test_what_has_the_focus_is_never_under_the_bar(new_page, built):
    page = new_page(built.material.people["ada"])
    page.goto(address(built))
    bar = page.locator(".versions-bar")
    for _ in range(80):
        page.keyboard.press("Tab")
        assert page.evaluate(COVERED) == ""
        if bar.locator(":focus").count():
            break
    expect(bar.locator(":focus")).to_have_count(1)


def test_versions_and_agreement_are_accessible(new_page, built):
    more = replace(SECOND, contexts=SECOND.contexts[:1], references=references("d0001", None))
    built.hand_in("bob", more)
    page = new_page(built.material.people["ada"])
    assert_accessible_everywhere(page, address(built))
    page.keyboard.press("a")
    expect(page.locator("[data-state=taken]")).to_have_count(1)
    assert_accessible(page)
    assert_accessible_everywhere(page, address(built, "extraction_agreement"))
