"""Questions from citation mentions in Chromium: accessible pages, an answer put right, a filtered question kept."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import User
from corpus.models import Collection, GenerationReply, Outcome, Topic
from corpus.models.collections import Role
from tests.browser.axe import assert_accessible_everywhere
from tests.factories.accounts import CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question

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


def test_an_answer_is_put_right_and_a_filtered_question_kept(
    new_page: NewPage, manager: User, asked: GenerationReply
) -> None:
    """The way from a file of mentions to these answers is in test_question_road.py."""
    page = new_page(user=manager)
    page.goto(reverse("generation_detail", args=["tea", asked.run_id]))
    expect(page.get_by_text("Sure! Here.")).to_be_visible()
    page.get_by_role("link", name="Correct it").click()
    page.get_by_label("The answer as it should read").fill("QUESTION: What did old manuals say?\nANSWER: cite_001")
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_text("Questions read from it: 1.")).to_be_visible()

    page.get_by_role("link", name="See the questions").click()
    expect(page.get_by_text("Which extraction kinetics has green tea?").first).to_be_visible()
    row = page.locator("tbody tr", has_text="Which extraction kinetics has green tea?").first
    row.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("Kept as a topic.")).to_be_visible()
    texts = set(Topic.objects.values_list("text", flat=True))
    assert texts >= {"What did old manuals say?", "Which extraction kinetics has green tea?"}
