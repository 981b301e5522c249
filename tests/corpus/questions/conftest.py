"""Mentions to ask about, and an endpoint to ask."""

from dataclasses import replace

import pytest

from corpus.endpoints import endpoints
from tests.corpus.questions.generating import FAST
from tests.factories.accounts import CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory
from tests.factories.mentions import QuestionRunFactory, make_mention, make_question


@pytest.fixture
def collection(db):
    return CollectionFactory(slug="tea")


@pytest.fixture
def document(collection):
    return DocumentFactory(collection=collection, docno="12", title="Green tea infusion temperatures", abstract="Cool.")


@pytest.fixture
def mentions(collection, document):
    """Three, of which one's source is inside; each cites a document, one that is elsewhere, and a third."""
    return [
        make_mention(
            {"b0": document, "b1": None},
            collection=collection,
            source_key=f"id:{number}",
            source_document=document if number == 0 else None,
        )
        for number in range(3)
    ]


@pytest.fixture
def quick(settings, monkeypatch):
    """The settings of a fast endpoint; pauses between tries are short."""
    for name, value in FAST.items():
        setattr(settings, name, value)
    usual = endpoints._usual
    monkeypatch.setattr(endpoints, "_usual", lambda purpose: replace(usual(purpose), first_wait=0.01))
    return settings


@pytest.fixture
def members(collection):
    return one_member_each(collection)


@pytest.fixture
def mention(collection):
    document = DocumentFactory(collection=collection, docno="12", title="Green tea infusion temperatures")
    return make_mention({"b0": document, "b1": None}, collection=collection)


@pytest.fixture
def model(settings):
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_RATE = "http://127.0.0.1:1/v1", "stub", 0
    settings.LLM_ATTEMPTS = 1
    return settings


@pytest.fixture
def filtered(mention):
    """A question of an ended run: by `words` a fifth of its words are in the title, as LitSearch's code counts none."""
    run = QuestionRunFactory(collection=mention.collection, state="done", overlap_definition="words", cutoff_inside=0.1)
    return make_question(mention, run=run, text="Which green leaf is best?", state="filtered", overlap_titles=0.2)
