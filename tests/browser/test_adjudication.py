"""Adjudication in a real browser: by keys, without script, accessible everywhere; a worker counts in test_road.py."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from adjudication.models import AgreementRun, Method, Verdict
from adjudication.verdicts.decisions import decide_verdict
from annotation.models import AssignmentState, Level
from corpus.models import Topic
from tests.adjudication.verdicts.test_votes import vote
from tests.browser.axe import assert_accessible
from tests.browser.experts import counted_requests
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
LABELS = [[0, 1, 2], [2, 0, None], [1, 0, None], [1, 1, 2], [0, 0, 0]]
TITLE = "body[data-ready] #document-title"  # of an item whose keys work


@pytest.fixture
def built() -> Built:
    found = build_campaign(LABELS, overlap=2)
    Topic.objects.update(sentences=["I need tea.", "It brews tea in a pot."])
    vote(found)
    return found


def address(name: str) -> str:
    return reverse(name, args=["tea", "main"])


@pytest.fixture
def page(built: Built, new_page: NewPage) -> Page:
    """The screen as an adjudicator opens it: the first item, whose keys work."""
    page = new_page(user=built.people["adjudicator"])
    page.goto(address("adjudication_screen"))
    expect(page.locator(TITLE)).to_have_text("On doc00000")
    return page


def verdict_of(built: Built, place: int) -> Verdict:
    return Verdict.objects.get(item=built.items[place])


def test_deciding_by_keys_alone(built: Built, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.get_by_role("button", name="Decide")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("#refused")).to_have_text("Choose a value first: press its digit.")
    page.keyboard.press("1")
    page.keyboard.press("g")
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    first = verdict_of(built, 0)
    assert (first.value, first.method, first.cause) == (1, Method.BY_HAND, "guideline")

    page.keyboard.press("1")  # nobody voted for it: the comment is asked for before anything is sent
    page.keyboard.press("Enter")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("Between 0 and 2: u and b are letters here.")
    page.keyboard.press("Control+Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00002")
    assert verdict_of(built, 1).comment == "Between 0 and 2: u and b are letters here."

    page.keyboard.press("u")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    assert verdict_of(built, 1).method == Method.UNRESOLVED
    page.keyboard.press("ArrowRight")
    expect(page.locator(TITLE)).to_have_text("On doc00002")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(TITLE)).to_have_text("On doc00001")


def test_a_digit_pressed_while_the_next_item_is_on_its_way_is_chosen_there(built: Built, page: Page) -> None:
    """It decides nothing before the item can be seen: Enter is not kept. The decision's answer brings the item."""
    held: list[Route] = []
    page.route("**/decision/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    sent = counted_requests(page)
    for digit, kept, cause, place in (("2", "0", "e", 1), ("0", "1", "g", 2)):
        page.keyboard.press(digit)
        with page.expect_request("**/decision/"):
            page.keyboard.press("Enter")
        page.keyboard.press("2")
        page.keyboard.press(kept)  # of several the last one
        page.keyboard.press(cause)
        page.keyboard.press("Enter")
        held.pop().continue_()
        expect(page.locator(TITLE)).to_have_text(f"On doc{place:05d}")
        assert held == []
        expect(page.locator("input[name=value]:checked")).to_have_value(kept)
        expect(page.locator("input[name=cause]:checked")).to_have_value({"e": "error", "g": "guideline"}[cause])
        assert verdict_of(built, place - 1).value == int(digit)
        assert verdict_of(built, place).method == Method.UNRESOLVED
    assert [each.method for each in sent] == ["POST", "POST"]
    assert f"verdict={verdict_of(built, 2).pk}" in page.url


def test_what_is_pressed_while_a_decision_is_refused_is_for_no_item(built: Built, page: Page) -> None:
    """The refused item stays, as it was sent; what is typed into its comment is not taken for keys."""
    decide_verdict(verdict=verdict_of(built, 0), value=1, by=built.people["manager"], at=AT)  # who was faster
    held: list[Route] = []
    page.route("**/decision/", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    page.keyboard.press("2")
    page.keyboard.press("c")
    page.keyboard.type("Why not 2?")
    with page.expect_request("**/decision/"):
        page.keyboard.press("Control+Enter")
    page.keyboard.press("0")
    held.pop().continue_()
    expect(page.locator("#refused")).to_contain_text("Someone else decided this item")
    expect(page.locator("input[name=value]:checked")).to_have_value("2")
    expect(page.locator("#comment")).to_have_value("Why not 2?")
    page.unroute("**/decision/")
    page.context.set_offline(True)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("The server cannot be reached.")
    expect(page.locator("input[name=value]:checked")).to_have_value("1")


def test_loading_again_chooses_nothing(built: Built, page: Page) -> None:
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")  # moves within the radio buttons
    expect(page.locator("input[name=value]:checked")).to_have_value("2")
    page.reload()
    expect(page.locator(TITLE)).to_have_text("On doc00000")
    expect(page.locator("input[name=value]:checked")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    page.go_back()
    expect(page.locator(TITLE)).to_have_text("On doc00000")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    assert verdict_of(built, 0).value == 2


@pytest.mark.parametrize(("keys", "ends", "requests"), [
    (["2", "ArrowRight", "0"], "input[name=value][value='0']:checked", ["GET"]),
    (["2", "Enter"], "input[name=value]:not(:checked)", ["POST"]),
    (["b"], "dialog[open]:has-text('Ask one more person to judge this item?')", []),
])  # fmt: skip
def test_keys_wait_until_forms_and_links_no_longer_load_a_page(
    built: Built, new_page: NewPage, keys: list[str], ends: str, requests: list[str]
) -> None:
    """Between the page's script and htmx an arrow or Enter would load a whole page: they wait, and none is lost."""
    page = new_page(user=built.people["adjudicator"])
    held = "(event) => event.isTrusted && event.stopImmediatePropagation()"  # htmx does not hear of it
    page.add_init_script(f"window.addEventListener('DOMContentLoaded', {held}, true)")
    page.goto(address("adjudication_screen"))
    expect(page.locator("#document-title")).to_have_text("On doc00000")
    sent = counted_requests(page)
    for key in keys:
        page.keyboard.press(key)
    assert not page.locator("dialog[open]").is_visible()
    page.evaluate("document.dispatchEvent(new Event('DOMContentLoaded'))")
    expect(page.locator(TITLE)).to_have_text("On doc00001" if requests else "On doc00000")
    expect(page.locator(ends).first).to_be_visible()
    assert [each.method for each in sent] == requests


def test_nothing_is_lost_when_the_server_is_away(built: Built, page: Page) -> None:
    """A decision, an arrow and an undo that come to nothing say so; item, value, cause, comment and address stay."""
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    at = page.url
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.keyboard.type("Why not 2?")
    page.keyboard.press("Control+Enter")
    said = page.locator("#messages .alert")
    expect(said).to_have_count(1)
    for place, key in enumerate(("ArrowRight", "u"), start=2):
        page.keyboard.press(key)
        expect(said).to_have_count(place)
    expect(said.last).to_contain_text("The server cannot be reached. Nothing was changed")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    expect(page.locator("input[name=value]:checked")).to_have_value("2")
    expect(page.locator("input[name=cause]:checked")).to_have_value("guideline")
    expect(page.locator("#comment")).to_have_value("Why not 2?")
    assert page.url == at
    page.context.set_offline(False)
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00002")
    page.go_back()
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    expect(page.locator(".alert.ok")).to_contain_text("Why not 2?")
    assert (verdict_of(built, 1).value, verdict_of(built, 1).cause) == (2, "guideline")


def test_a_cause_is_taken_back_by_its_key_and_by_a_click(built: Built, page: Page) -> None:
    chosen, chip = page.locator("input[name=cause]:checked"), page.locator(".chip", has_text="edge case")
    expect(chosen).to_have_value("")
    for choose in (lambda: page.keyboard.press("d"), chip.click):
        for value in ("edge", "", "edge", ""):
            choose()
            expect(chosen).to_have_value(value)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    assert verdict_of(built, 0).cause == ""


def test_keys_wait_for_an_item_that_was_asked_for(built: Built, page: Page) -> None:
    """What is typed while another item is on its way, by an arrow or by Undo, is chosen there and decides nothing."""
    held: list[Route] = []
    for pattern in ("**verdict=*", "**/withdrawal/"):
        page.route(pattern, lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it is given
    with page.expect_request("**verdict=*"):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.unroute("**verdict=*")
    held.pop().continue_()
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    assert verdict_of(built, 0).method == Method.UNRESOLVED

    expect(page.locator("input[name=value]:checked")).to_have_value("2")
    page.keyboard.press("Enter")
    expect(page.locator(TITLE)).to_have_text("On doc00002")
    with page.expect_request("**/withdrawal/"):
        page.keyboard.press("u")
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    held.pop().continue_()
    expect(page.locator(TITLE)).to_have_text("On doc00001")
    expect(page.locator("input[name=value]:checked")).to_have_value("0")
    assert verdict_of(built, 1).method == Method.UNRESOLVED
    assert verdict_of(built, 2).method != Method.BY_HAND


def test_a_page_that_never_comes_gives_the_keys_back(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"])
    page.clock.install()
    page.goto(address("adjudication_screen"))
    expect(page.locator(TITLE)).to_have_text("On doc00000")
    page.evaluate("dispatchEvent(new Event('beforeunload'))")  # as of a link that turns out to be a download
    page.keyboard.press("2")
    expect(page.locator("input[name=value][value='2']")).not_to_be_checked()
    page.clock.fast_forward(20_000)
    page.keyboard.press("2")
    expect(page.locator("input[name=value][value='2']")).to_be_checked()


def test_a_low_screen_shows_all_levels_and_the_button(built: Built, new_page: NewPage) -> None:
    Level.objects.update(definition="Every key component is met in so many words; nothing has to be read into it. " * 2)
    page = new_page(user=built.people["adjudicator"])
    page.goto(address("adjudication_screen"))
    for digit in "012":
        expect(page.get_by_role("radio", name=digit).first).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Decide")).to_be_in_viewport(ratio=1)
    assert_accessible(page)
    page.get_by_label("Comment").focus()
    expect(page.get_by_label("Comment")).to_be_in_viewport(ratio=1)


def test_a_majority_is_marked_and_not_chosen(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"])
    page.goto(address("adjudication_screen") + "?filter=majority")
    expect(page.locator(".level", has_text="majority").locator("input")).to_have_value("1")
    page.keyboard.press("Enter")
    expect(page.locator("#refused")).to_have_text("Choose a value first: press its digit.")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_url("**last=*")
    assert verdict_of(built, 3).method == Method.BY_HAND


def test_sending_back_by_key_asks_first(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"])
    page.goto(address("adjudication_screen") + f"?verdict={verdict_of(built, 1).pk}")
    page.keyboard.press("b")
    expect(page.get_by_role("alertdialog")).to_contain_text("Ask one more person to judge this item?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sent back to one more annotator")).to_be_visible()
    assert built.items[1].assignments.filter(state=AssignmentState.PENDING).count() == 1


def test_escape_leaves_the_comment_for_the_decision_whose_keys_work(page: Page) -> None:
    """The focus was nowhere afterwards: nobody saw where keys went, and Tab began at the top of the page."""
    page.keyboard.press("c")
    expect(page.locator("#comment")).to_be_focused()
    page.keyboard.type("2")
    page.keyboard.press("Escape")
    decision = page.locator("[data-decision]")
    expect(decision).to_be_focused()
    assert decision.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    page.keyboard.press("2")
    expect(page.locator("input[name=value]:checked")).to_have_value("2")
    expect(page.locator("#comment")).to_have_value("2")


def test_the_key_map_opens_and_keys_rest_meanwhile(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.locator("[data-key-dialog]")).to_be_visible()
    page.keyboard.press("2")
    expect(page.locator("input[name=value]:checked")).to_have_count(0)
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator("[data-key-dialog]")).to_be_hidden()


def test_deciding_works_without_a_script(built: Built, new_page: NewPage) -> None:
    page = new_page(user=built.people["adjudicator"], java_script_enabled=False)
    page.goto(address("adjudication_screen"))
    page.check("input[name=value][value='2']")
    page.get_by_role("button", name="Decide").click()
    expect(page.locator("#document-title")).to_have_text("On doc00001")
    assert verdict_of(built, 0).value == 2


def test_a_job_on_the_screen_takes_no_other_place_than_its_own(built: Built, new_page: NewPage) -> None:
    """All is decided, and agreement is being computed: the guide's line shows how far it is, and asks again."""
    Verdict.objects.filter(value=None).update(value=1, method=Method.MAJORITY)
    AgreementRun.objects.create(campaign=built.campaign, requested_at=AT)
    page = new_page(user=built.people["manager"])
    page.goto(address("adjudication_screen"))
    job = page.locator("section.job")
    expect(job).to_be_visible()
    with page.expect_response(lambda answer: "/jobs/agreement/" in answer.url):
        pass
    page.wait_for_function("() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling')")
    expect(job).to_be_visible()
    expect(page.get_by_role("heading", name="Nothing needs a decision")).to_be_visible()
