"""Questions from citation mentions in Chromium: accessible pages, and the whole way with a real worker and stub."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from corpus.models import Collection, GenerationReply, Outcome, Topic
from corpus.models.collections import Role
from tests.browser.axe import assert_accessible, assert_accessible_everywhere
from tests.factories.accounts import CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question
from tests.processes import Child, start_celery_worker
from tests.stubs.chat import Call, ChatStub

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NewPage = Callable[..., Page]
PARAGRAPH = (
    "The temperature of the water decides how much of the bitter matter is drawn out of the leaves [1, 2]. For white "
    "tea, which is not rolled, lower temperatures have been advised since the first handbooks [3]; whether hard water "
    "makes a difference is an open question that [?] touch upon."
)


@pytest.fixture
def collection() -> Collection:
    collection = CollectionFactory(slug="tea", title="Questions about tea")
    DocumentFactory(collection=collection, docno="11", title="Extraction kinetics of catechins in green tea")
    DocumentFactory(collection=collection, docno="12", title="Infusion temperature and perceived bitterness")
    return collection


@pytest.fixture
def manager(collection: Collection) -> User:
    return one_member_each(collection)[Role.MANAGER].user


@pytest.fixture
def asked(collection: Collection) -> GenerationReply:
    """A run with questions in several states, and the answer that waits for a person."""
    first, second = collection.documents.order_by("docno")
    run = QuestionRunFactory(collection=collection, model="a-model", state="done", done=4, total=4)
    run.started_at = run.finished_at = run.requested_at
    run.save()
    texts = (
        "How hot should water be for unrolled leaves?",
        "Which extraction kinetics has green tea?",
        "Is <b>it</b>?",
    )
    for text, state in zip(texts, ("kept", "filtered", "markup"), strict=True):
        mention = make_mention(
            {"b0": first, "b1": second, "b2": None},
            collection=collection,
            source_title="A handbook of infusions",
            source_document=first if state == "kept" else None,
            text=PARAGRAPH,
            markers=[
                {"start": (at := PARAGRAPH.index(mark)), "end": at + len(mark), "keys": keys}
                for mark, keys in (("[1, 2]", ["b0", "b1"]), ("[3]", ["b2"]), ("[?]", []))
            ],
        )
        make_question(mention, run=run, text=text, state=state, problem="" if state == "kept" else "A reason.")
    reply = make_question(make_mention({"b0": first}, collection=collection), run=run).reply
    reply.questions.all().delete()
    reply.outcome, reply.text, reply.problem = Outcome.UNPARSEABLE, "Sure! " + "Here. " * 300, "It begins otherwise."
    reply.save()
    return reply


def test_pages_are_accessible(new_page: NewPage, manager: User, asked: GenerationReply) -> None:
    page = new_page(user=manager)
    for name, arguments, query in (
        ("mention_list", [], "?sample=x"),
        ("generation_create", [], "?sample=10&seed=1"),
        ("generation_detail", [asked.run_id], ""),
        ("reply_correct", [asked.run_id, asked.pk], ""),
        ("question_list", [], ""),
    ):
        assert_accessible_everywhere(page, reverse(name, args=["tea", *arguments]) + query)


@pytest.fixture
def model(own_queue: str, tmp_path: Path, settings) -> Iterator[ChatStub]:
    """A stub of a model, known to the pages and to a worker of its own."""

    def answer(call: Call) -> str:
        if "Second" in call.prompt:
            return "I would rather talk about coffee."
        return (
            "QUESTION: How warm may the liquid be so that unrolled leaves do not turn astringent?\nANSWER: cite_001\n"
            "QUESTION: Infusion temperature and perceived bitterness?\nANSWER: cite_001"
        )

    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "stub"
        own = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "stub", "LITMUS_LLM_RATE": "0"}
        worker: Child = start_celery_worker(tmp_path / "worker.log", queue=own_queue, **own)
        yield stub
        worker.stop()


@pytest.mark.services
def test_from_a_file_of_mentions_to_questions(
    new_page: NewPage, manager: User, collection: Collection, model: ChatStub, tmp_path: Path
) -> None:
    file = tmp_path / "mentions.jsonl"
    rows = [
        {
            "source_id": f"s{number}",
            "source_title": f"{word} handbook of infusions",
            "text": f"{word} of all, cooler water was advised [1].",
            "markers": [{"start": len(word) + 34, "end": len(word) + 37, "keys": ["b0"]}],
            "references": {"b0": {"title": "Infusion Temperature and Perceived Bitterness."}},
        }
        for number, word in enumerate(("First", "Second"))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = new_page(user=manager)
    page.goto(reverse("mention_list", args=["tea"]))
    page.get_by_role("link", name="Import mentions").first.click()
    page.get_by_label("Files").set_input_files(file)
    page.get_by_label("Try first").uncheck()
    page.locator("main form button[type=submit]").click()
    expect(page.locator("[data-job-final=done]")).to_be_visible(timeout=30_000)

    page.goto(reverse("mention_list", args=["tea"]))
    expect(page.get_by_text("by title")).to_have_count(2)
    page.get_by_role("link", name="Ask about these").click()
    expect(page.get_by_role("heading", name="2 mentions to ask about")).to_be_visible()
    page.get_by_role("button", name="Ask the model about 2").click()
    expect(page.get_by_role("link", name="See the questions")).to_be_visible(timeout=30_000)
    assert len(model.calls) == 2
    expect(page.get_by_text("I would rather talk about coffee.")).to_be_visible()
    assert_accessible(page)

    page.get_by_role("link", name="Put it right").click()
    page.get_by_label("The answer as it should read").fill("QUESTION: What did old manuals say?\nANSWER: cite_001")
    page.get_by_role("button", name="Read it so").click()
    expect(page.get_by_text("Questions read from it: 1.")).to_be_visible()

    page.get_by_role("link", name="See the questions").click()
    page.get_by_label("State").select_option("filtered")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("A share of 1.00 of its words stands in the titles")).to_be_visible()
    page.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("It is a topic now.")).to_be_visible()
    texts = set(Topic.objects.filter(source="inline-outside").values_list("text", flat=True))
    assert len(texts) == 3
    assert "Infusion temperature and perceived bitterness?" in texts
