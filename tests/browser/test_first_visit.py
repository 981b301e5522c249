"""One person, one visit: from an empty Litmus to the qrels of twelve items, by few clicks on few pages."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.urls import resolve
from django.utils import timezone
from playwright.sync_api import Frame, Locator, Page, expect

from accounts.first_account import create_first_code
from annotation.models import Assignment, AssignmentState
from tests.factories.accounts import PASSWORD
from tests.waiting import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
MOST_CLICKS, MOST_PAGES = 20, 8  # 38 on 13 pages before the guide went on to the end
ITEMS = 12
DOCUMENTS = "".join(
    f'{{"docno": "d{n}", "title": "Tea {n}", "abstract": "How long leaves of sort {n} are brewed."}}\n'
    for n in range(4)
)
TOPICS = "".join(f'{{"number": "{n}", "text": "How are tea leaves brewed {n} times?"}}\n' for n in (1, 2, 3))


class Visit:
    """Counts the clicks of a visit, and its pages by the names of their addresses. Typing and keys are no clicks."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0
        self.pages: set[str] = set()
        page.on("framenavigated", self._note)

    def _note(self, frame: Frame) -> None:
        path = urlsplit(frame.url).path
        if frame == self.page.main_frame and path.startswith("/"):
            self.pages.add(resolve(path).url_name or path)

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()

    def press(self, label: str) -> None:
        self.click(self.page.locator(".guide").get_by_role("button", name=label, exact=True))

    def follow(self, label: str) -> None:
        self.click(self.page.locator(".guide").get_by_role("link", name=label, exact=True))

    def choose(self, file: Path) -> None:
        """One click opens the browser's own dialog."""
        self.clicks += 1
        self.page.locator(".guide").get_by_label(re.compile("Files")).set_input_files(file)

    def expect_next(self, words: str) -> None:
        expect(self.page.locator("#guide-line")).to_have_text(f"Next: {words}")


def make_account(page: Page) -> None:
    page.goto("/")
    code = create_first_code(at=timezone.now())
    for label, text in (
        ("Code from the terminal", code),
        ("Your e-mail address", "ana@example.org"),
        ("Your name", "Ana"),
        ("Password", PASSWORD),
        ("The password again", PASSWORD),
    ):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Welcome, Ana")).to_be_visible()


def judge_all(visit: Visit) -> None:
    """By digits, as the screen advises."""
    visit.page.wait_for_selector("body[data-ready]")
    done = Assignment.objects.filter(state=AssignmentState.DONE)
    for number in range(ITEMS):
        expect(visit.page.locator("[data-part=unit]")).to_be_visible()
        visit.page.keyboard.press(str(number % 3))
        wait_for(lambda number=number: done.count() == number + 1, what="the answer")
    expect(visit.page.get_by_role("heading", name="All done")).to_be_visible()


@pytest.mark.usefixtures("celery_worker")
def test_from_an_empty_account_to_qrels(new_page: Callable[..., Page], tmp_path: Path) -> None:
    page = new_page()
    make_account(page)
    documents, topics = tmp_path / "documents.jsonl", tmp_path / "topics.jsonl"
    documents.write_text(DOCUMENTS)
    topics.write_text(TOPICS)
    visit = Visit(page)
    visit.pages.add("home")

    visit.click(page.get_by_role("link", name="Create collection"))
    page.get_by_label("Title").fill("Tea")
    visit.click(page.get_by_role("button", name="Create collection"))
    visit.expect_next("bring in the documents")
    visit.choose(documents)
    visit.press("Import")
    visit.expect_next("bring in the topics")
    visit.choose(topics)
    visit.press("Import")
    visit.expect_next("build the pools")
    visit.press("Build pools")
    visit.expect_next("define a campaign")
    visit.follow("New campaign")
    page.get_by_label("Name", exact=True).fill("Main round")
    visit.click(page.get_by_role("button", name="Create campaign"))
    expect(page.get_by_role("heading", name="Check list", exact=True)).to_be_visible()
    visit.click(page.get_by_role("button", name="Open", exact=True))
    visit.expect_next("judge “Main round”")
    visit.follow("Judge")
    judge_all(visit)
    visit.click(page.get_by_role("link", name="The campaign"))
    visit.expect_next("count the votes of “Main round”")
    visit.press("Count votes")
    visit.expect_next("export “Main round”")
    with page.expect_download() as download:
        visit.follow("Download the qrels")
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == ITEMS
    assert visit.clicks <= MOST_CLICKS, visit.clicks
    assert len(visit.pages) <= MOST_PAGES, visit.pages
