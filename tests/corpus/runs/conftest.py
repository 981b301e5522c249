"""What tests of recipes share: a collection with a run, and endpoints that are asked without pauses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus.models import Collection
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run

TOPICS = 20


@pytest.fixture
def paced(settings: Any, tmp_path: Path) -> Iterator[None]:
    settings.INDEX_DIR = tmp_path
    settings.LLM_ATTEMPTS, settings.LLM_CONCURRENCY, settings.LLM_RATE = 1, 1, 0
    settings.EMBEDDINGS_RATE, settings.VECTOR_STORE = 0, "files"
    settings.LLM_PRICE_IN = settings.LLM_PRICE_OUT = None
    return


@pytest.fixture
def collection(db: None) -> Collection:
    found = CollectionFactory(slug="tea")
    for number in range(1, 6):
        DocumentFactory(collection=found, docno=f"D{number}", title=f"Tea {number}", abstract="tea " * number)
    for number in range(1, TOPICS + 1):
        TopicFactory(collection=found, number=str(number), text=f"tea of sort {number}")
    make_run(found, "first", {str(number): ["D1", "D2", "D3", "D4"] for number in range(1, TOPICS + 1)})
    return found
