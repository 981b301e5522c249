"""The whole road of a question set: mentions, a model, the overlap filter, an author, ratings by keys with a rewrite,
figures, and a file that comes back as it went out."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.actions.annotators import add_members
from annotation.actions.assignments import assign_items
from annotation.actions.campaigns import create_campaign, open_campaign
from annotation.actions.items import build_items
from annotation.actions.rewrites import decide_rewrite
from annotation.models import Campaign, ReviewDecision, Rewrite
from corpus.actions.author_calls import create_call, invite_author
from corpus.author_links import author_token
from corpus.author_words import BODY, GUIDELINE, SUBJECT
from corpus.models import Collection, GeneratedQuestion, QuestionCall, Role, Topic
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory
from tests.processes import start_celery_worker
from tests.stubs.chat import Call, ChatStub

pytestmark = [pytest.mark.browser, pytest.mark.services, pytest.mark.django_db(transaction=True)]

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
def model(queue: object, tmp_path: Path, settings) -> Iterator[None]:
    """A model's stub and a worker that asks it."""

    def answer(_: Call) -> str:
        return f"QUESTION: {WRITTEN}\nANSWER: cite_001\nQUESTION: {COPIED}\nANSWER: cite_001"

    cache.clear()
    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "stub"
        own = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "stub", "LITMUS_LLM_RATE": "0"}
        worker = start_celery_worker(tmp_path / "worker.log", **own)
        yield
        worker.stop()


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
    page.goto(reverse("import_create", args=["tea", "mentions"]))
    page.get_by_label("Files").set_input_files(file)
    page.get_by_label("Try first").uncheck()
    page.locator("main form button[type=submit]").click()
    expect(page.locator("[data-job-final=done]")).to_be_visible(timeout=60_000)
    page.goto(reverse("mention_list", args=["tea"]))
    page.get_by_role("link", name="Ask about").click()
    page.get_by_role("button", name="Ask the model about 1").click()
    expect(page.get_by_role("link", name="See the questions")).to_be_visible(timeout=60_000)


def call_of(collection: Collection, manager: object) -> QuestionCall:
    return create_call(
        by=manager,
        at=AT,
        collection=collection,
        name="authors",
        source="author",
        guideline=GUIDELINE,
        mail_subject=SUBJECT,
        mail_body=BODY,
        deadline_at=timezone.now() + timedelta(days=1),
    )


def campaign_of(collection: Collection, people: dict[Role, object]) -> Campaign:
    manager = people[Role.MANAGER]
    campaign = create_campaign(collection=collection, by=manager, at=AT, name="Ratings", kind="rubric", seed=1)
    add_members(campaign=campaign, users=[people[Role.ANNOTATOR]], by=manager, at=AT)
    build_items(campaign=campaign, by=manager, at=AT)
    assign_items(campaign=campaign, by=manager, at=AT)
    return open_campaign(campaign=campaign, by=manager, at=AT)


def download(page: Page, slug: str, kind: str) -> bytes:
    return page.request.get(reverse("export_download", args=[slug, kind])).body()


def test_from_a_mention_to_a_file_and_back(new_page, model: None, tmp_path: Path) -> None:
    collection = collection_of("tea")
    people = {role: member.user for role, member in one_member_each(collection).items()}
    manager = new_page(user=people[Role.MANAGER])
    ask_model(manager, tmp_path)
    found = GeneratedQuestion.objects.filter(reply__run__collection=collection)
    assert dict(found.values_list("text", "state")) == {WRITTEN: "kept", COPIED: "filtered"}
    assert list(collection.topics.values_list("text", flat=True)) == [WRITTEN]

    call = call_of(collection, people[Role.MANAGER])
    invitation = invite_author(by=people[Role.MANAGER], at=AT, call=call, email="x@example.org", docno="12", name="Xi")
    author = new_page()
    author.goto(reverse("author_answer", args=[author_token(invitation)]))
    author.get_by_label("Your question").fill(AUTHORS)
    author.get_by_label("I wrote this question").check()
    author.get_by_label("Name me").check()
    author.get_by_role("button", name="Send the question").click()
    expect(author.locator(".alert.ok")).to_contain_text("your question is here")
    QuestionCall.objects.update(deadline_at=timezone.now())
    manager.goto(reverse("author_call_detail", args=["tea", call.pk]))
    manager.get_by_role("button", name="Make 1 topic").click()
    expect(manager.get_by_text("1 topics were made")).to_be_visible()
    manager.goto(reverse("author_call_list", args=["tea"]))
    expect(manager.locator("#contributor-names")).to_have_text("Xi.")

    campaign = campaign_of(collection, people)
    rater = new_page(user=people[Role.ANNOTATOR])
    rater.goto(reverse("labelling_screen", args=["tea", campaign.slug]))
    rater.wait_for_selector("body[data-ready]")
    first = rater.locator("[data-part=title]").inner_text()
    rater.keyboard.press("r")
    rater.keyboard.type(" In short?")
    rater.keyboard.press("Escape")
    rater.locator("[data-part=title]").focus()
    rater.keyboard.press("1")
    rater.keyboard.press("2")
    expect(rater.locator("[data-part=title]")).not_to_have_text(first)
    rater.keyboard.press("0")
    rater.keyboard.press("1")
    expect(rater.locator("[data-empty=all-done]")).to_be_visible()
    rewrite = Rewrite.objects.get()
    assert rewrite.text == f"{first} In short?"
    decide_rewrite(
        campaign=campaign, rewrite=rewrite.pk, decision=ReviewDecision.CONFIRMED, by=people[Role.ADJUDICATOR], at=AT
    )

    manager.goto(reverse("question_set", args=["tea"]))
    expect(manager.get_by_text(f"{first} In short?")).to_be_visible()
    expect(manager.get_by_text("100% (1)").first).to_be_visible()
    written = download(manager, "tea", "litsearch")
    rows = [json.loads(line) for line in written.splitlines()]
    assert sorted((row["specificity"], row["quality"], tuple(row["corpusids"])) for row in rows) == sorted(
        ((1, 2, (11 if first == WRITTEN else 12,)), (0, 1, (12 if first == WRITTEN else 11,)))
    )

    collection_of("again")
    file = tmp_path / "litsearch.jsonl"
    file.write_bytes(written)
    call_command("import_topics", "again", file, "--format", "litsearch")
    again = Collection.objects.get(slug="again")
    again.memberships.create(user=people[Role.MANAGER], role=Role.MANAGER, created_at=AT)
    assert download(manager, "again", "litsearch") == written
    assert Topic.objects.filter(collection=again).count() == 2
