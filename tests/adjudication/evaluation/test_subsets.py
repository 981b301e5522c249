"""Attributes of topics that figures are broken down by."""

import pytest
from django.core.management import call_command

from adjudication.evaluation.subsets import attribute_names, attributes_of
from adjudication.models import Evaluation
from corpus.models import Target
from tests.adjudication.evaluation.evaluating import make_run
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory


@pytest.mark.django_db
def test_a_category_is_that_of_doris_mae_or_one_that_was_typed() -> None:
    collection = CollectionFactory()
    for number, extra in (("1", {"query_type": "NLP"}), ("2", {"category": "CV"}), ("3", {})):
        TopicFactory(collection=collection, number=number, extra=extra)
    assert "category" in attribute_names(collection)
    found = attributes_of(collection, "query", ["1", "2", "3"], ["category"])
    assert found == {"category": {"1": "NLP", "2": "CV", "3": None}}


@pytest.mark.django_db
def test_the_command_takes_attributes_as_words_again_and_with_commas_also_one_whose_name_has_a_comma() -> None:
    collection = CollectionFactory(slug="tea")
    topic = TopicFactory(collection=collection, number="1", extra={"length, in words": "9"})
    Target.objects.create(topic=topic, document=DocumentFactory(collection=collection, docno="d1"))
    make_run(collection, "bm25", {"1": {"d1": 1.0}})
    asked = ("evaluate", "tea", "--gold", "targets", "--run", "bm25", "--measure", "AP", "--resamples", "1000")
    call_command(*asked, "--by", "length, in words", "source,kind", "--by", "origin", verbosity=0)
    assert Evaluation.objects.get().parameters["by"] == ["length, in words", "source", "kind", "origin"]
