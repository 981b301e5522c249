"""Attributes of topics that figures are broken down by."""

import pytest

from adjudication.evaluation.reads.subsets import attribute_names, attributes_of
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import TopicFactory


@pytest.mark.django_db
def test_a_category_is_that_of_doris_mae_or_one_that_was_typed() -> None:
    collection = CollectionFactory()
    for number, extra in (("1", {"query_type": "NLP"}), ("2", {"category": "CV"}), ("3", {})):
        TopicFactory(collection=collection, number=number, extra=extra)
    assert "category" in attribute_names(collection)
    found = attributes_of(collection, "query", ["1", "2", "3"], ["category"])
    assert found == {"category": {"1": "NLP", "2": "CV", "3": None}}
