"""A collection in which nothing is yet."""

import pytest

from corpus.models import Collection
from tests.factories.accounts import CollectionFactory


@pytest.fixture
def empty() -> Collection:
    return CollectionFactory(slug="new", title="New")
