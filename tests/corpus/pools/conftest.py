"""A collection whose runs can be pooled."""

import pytest

from corpus.models import Collection
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run


@pytest.fixture
def collection(db: None) -> Collection:
    """Topics 1 and 2, documents D1 to D6, two runs that agree in part and name a stranger."""
    collection = CollectionFactory(slug="tea")
    for number in "12":
        TopicFactory(collection=collection, number=number)
    for number in range(1, 7):
        DocumentFactory(collection=collection, docno=f"D{number}")
    make_run(collection, "bm25", {"1": ["D1", "D2", "D3"], "2": ["D4"]})
    make_run(collection, "e5", {"1": ["X", "D2", "D5"]})
    return collection
