"""The whole road of a question set on pages alone: mentions, a model, the overlap filter, an author, ratings by keys
with a rewrite that is confirmed, figures, and a file that comes back as it went out."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Rewrite
from corpus.models import Collection, GeneratedQuestion, QuestionCall, Role, Topic
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory
from tests.processes import start_celery_worker
from tests.stubs.chat import Call, ChatStub

pytestmark = [pytest.mark.browser, pytest.mark.services, pytest.mark.django_db(transaction=True)]

MOVING = {"reduced_motion": "no-preference"}  # the whole road, with all that moves on the way
TITLES = {"11": "Infusion temperature and perceived bitterness", "12": "Kettles that listen to their owners"}
WRITTEN = "How warm may the liquid be so that unrolled leaves do not turn astringent?"
COPIED = "Infusion temperature and perceived bitterness?"
AUTHORS = "Has anybody built kitchen appliances which answer when people talk?"


def collection_of(slug: str) -> Collection:
    collection: Collection = CollectionFactory(slug=slug, title=f"Questions about {slug}")
    for docno, title in TITLES.items():
        DocumentFactory(collection=collection, docno=docno, title=title, abstract="We measured and listened.")
    return collection


@pytest.fixture
def model(own_queue: str, tmp_path: Path, settings) -> Iterator[None]:
    """A model's stub and a worker that asks it."""

    def answer(_: Call) -> str:
        return f"QUESTION: {WRITTEN}\nANSWER: cite_001\nQUESTION: {COPIED}\nANSWER: cite_001"

    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = stub.url, "stub", 0
        own = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "stub", "LITMUS_LLM_RATE": "0"}
        worker = start_celery_worker(tmp_path / "worker.log", queue=own_queue, **own)
        yield
        worker.stop()


def bring_in(page: Page, slug: str, kind: str, file: Path, layout: str = "") -> None:
    """Import a file on the page."""
    page.goto(reverse("import_create", args=[slug, kind]))
    page.get_by_label("Files").set_input_files(file)
    if layout:
        page.get_by_label("Format").select_option(layout)
    page.get_by_label("Dry run").uncheck()
    page.locator("main form button[type=submit]").click()
    expect(page.locator("[data-job-final=done]")).to_be_visible()


def ask_model(page: Page, tmp_path: Path) -> None:
    text = "Of all things, cooler water was advised [1]."
    row = {
        "source_id": "s1",
        "source_title": "A handbook of infusions",
        "text": text,
        "markers": [{"start": text.index("["), "end": text.index("[") + 3, "keys": ["b0"]}],
        "references": {"b0": {"title": TITLES["11"]}},
    }
    file = tmp_path / "mentions.jsonl"
    file.write_text(json.dumps(row) + "\n")
    bring_in(page, "tea", "mentions", file)
    page.goto(reverse("mention_list", args=["tea"]))
    page.get_by_role("link", name="Ask a language model about these").click()
    page.get_by_role("button", name="Ask the model about 1").click()
    expect(page.get_by_role("link", name="See the questions")).to_be_visible()


def invite_an_author(page: Page) -> str:
    """The personal link, as the manager could pass it on."""
    page.goto(reverse("author_call_list", args=["tea"]))
    page.get_by_role("link", name="Write a call").click()
    page.get_by_label("Name").fill("authors")
    page.get_by_label("Last day").fill((timezone.now() + timedelta(days=3)).date().isoformat())
    page.get_by_role("button", name="Create call").click()
    page.get_by_label("E-mail address").fill("x@example.org")
    page.get_by_label("Name").fill("Xi")
    page.get_by_label("Paper").fill("12")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator("summary", has_text="Link").click()
    link = page.get_by_label("Link for x@example.org")
    expect(link).to_be_visible()
    return "/" + link.input_value().split("/", 3)[3]


def answer_as_author(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Your question").fill(AUTHORS)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("I wrote this question").check()
    page.get_by_label("Name me").check()
    page.get_by_role("button", name="Send the question").click()
    expect(page.locator(".alert.ok")).to_contain_text("we have received your question")


def take_in(page: Page) -> None:
    """Make the answer a topic; the days until the deadline are over."""
    QuestionCall.objects.update(deadline_at=timezone.now())
    page.goto(reverse("author_call_detail", args=["tea", QuestionCall.objects.get().pk]))
    page.get_by_role("button", name="Make 1 topic").click()
    expect(page.get_by_text("1 topic was made")).to_be_visible()
    page.goto(reverse("author_call_list", args=["tea"]))
    expect(page.locator("#contributor-names")).to_have_text("Xi.")


def start_campaign(page: Page, rater: str) -> str:
    """Make, assign and open a rubric campaign; the address of its labelling screen."""
    page.goto(reverse("campaign_create", args=["tea"]))
    page.get_by_label("Name", exact=True).fill("Ratings")
    page.locator("input[name=template][value=litsearch]").check()
    page.get_by_label(rater, exact=True).check()
    page.get_by_role("button", name="Create campaign").click()
    steps = page.get_by_role("region", name="Before it can be opened")  # an open queue needs no plan
    steps.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_text("Ratings is open")).to_be_visible()
    return reverse("labelling_screen", args=["tea", "ratings"])


def rate_by_keys(page: Page, address: str) -> str:
    """Rewrite the first question and rate both; the first one's text."""
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    title = page.locator("[data-part=title]")
    first = title.inner_text()
    page.keyboard.press("r")
    expect(page.locator("[data-part=rewrite-text]")).to_be_focused()
    page.keyboard.type(" In short?")
    page.keyboard.press("Escape")
    title.focus()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(title).not_to_have_text(first)
    page.keyboard.press("0")
    page.keyboard.press("1")
    expect(page.locator("[data-empty=all-done]")).to_be_visible()
    expect(page.locator("[data-part=save-text]")).to_have_text(re.compile(r"^Saved \d"))  # it moves on before that
    return first


def confirm_rewrite(page: Page) -> None:
    page.goto(reverse("rewrite_list", args=["tea", "ratings"]))
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.locator(".badge.ok", has_text="confirmed")).to_be_visible()


def count_votes(page: Page) -> None:
    """From the question set, whose ratings decide nothing before; one rating for each question is all there will be."""
    page.goto(reverse("question_set", args=["tea"]))
    page.get_by_role("link", name="Count the votes").click()
    page.get_by_text("Rules of the vote").click()
    page.get_by_label("Fewest votes").fill("1")
    page.get_by_role("button", name="Count the votes").click()
    expect(page.get_by_text(re.compile(r"2 unanimous|Nothing needs a decision")).first).to_be_visible()


def download(page: Page, slug: str, kind: str) -> bytes:
    return page.request.get(reverse("export_download", args=[slug, kind])).body()


def test_from_a_mention_to_a_file_and_back(new_page, model: None, tmp_path: Path) -> None:
    collection = collection_of("tea")
    people = {role: member.user for role, member in one_member_each(collection).items()}
    manager = new_page(user=people[Role.MANAGER], **MOVING)
    ask_model(manager, tmp_path)
    found = GeneratedQuestion.objects.filter(reply__run__collection=collection)
    assert dict(found.values_list("text", "state")) == {WRITTEN: "kept", COPIED: "filtered"}
    assert list(collection.topics.values_list("text", flat=True)) == [WRITTEN]

    answer_as_author(new_page(**MOVING), invite_an_author(manager))
    take_in(manager)
    rater = people[Role.ANNOTATOR]
    first = rate_by_keys(new_page(user=rater, **MOVING), start_campaign(manager, rater.name))
    assert Rewrite.objects.get().text == f"{first} In short?"
    confirm_rewrite(manager)

    count_votes(manager)
    manager.goto(reverse("question_set", args=["tea"]))
    expect(manager.get_by_text(f"{first} In short?")).to_be_visible()
    expect(manager.get_by_text("100% (1)").first).to_be_visible()
    written = download(manager, "tea", "litsearch")
    rows = [json.loads(line) for line in written.splitlines()]
    assert sorted((row["specificity"], row["quality"], tuple(row["corpusids"])) for row in rows) == sorted(
        ((1, 2, (11 if first == WRITTEN else 12,)), (0, 1, (12 if first == WRITTEN else 11,)))
    )

    again = collection_of("again")
    again.memberships.create(user=people[Role.MANAGER], role=Role.MANAGER, created_at=AT)
    file = tmp_path / "litsearch.jsonl"
    file.write_bytes(written)
    bring_in(manager, "again", "topics", file, "litsearch")
    assert download(manager, "again", "litsearch") == written
    assert Topic.objects.filter(collection=again).count() == 2
