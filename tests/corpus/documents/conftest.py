"""Fixtures that several modules here share."""

import pytest

from corpus.models import Collection
from tests.factories.accounts import CollectionFactory


@pytest.fixture
def collection(db: None) -> Collection:
    return CollectionFactory(slug="tea")
