"""What tests of recipes share: a collection with a run, and endpoints that are asked without pauses."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from corpus.models import (
    Collection,
    Membership,
    Role,
    Target,
)
from tests.corpus.judging import judge, put_in_campaign
from tests.factories.accounts import CollectionFactory, one_member_each
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run, make_tree

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


@pytest.fixture(scope="module")
def shared_members(module_db: None) -> dict[Role, Membership]:
    """Topic 1 with a pool from two runs and a list, D1 judged and D2 in a campaign; topic 2 without a pool."""
    members = one_member_each(CollectionFactory(slug="tea"))
    collection = members[Role.MANAGER].collection
    topics = [TopicFactory(collection=collection, number=number) for number in "12"]
    documents = [DocumentFactory(collection=collection, docno=f"D{n}") for n in range(1, 7)]
    make_tree(topics[0], {"hot": ["boiled"], "white": []})
    make_run(collection, "bm25-of-ours", {"1": ["D1", "D2", "X1"], "2": ["D4"]})
    make_run(collection, "dense-retriever", {"1": ["D3", "D2"]})
    _d1, d2 = make_pool(topics[0], documents[:2], method="bm25-of-ours")
    make_pool(topics[0], documents[2:3], method="dense-retriever")[0]
    d2.sources.create(method="dense-retriever", rank=2)
    make_pool(topics[0], documents[4:5], method="hand-picked")
    Target.objects.create(topic=topics[0], document=documents[5])
    judge(topics[0].aspects.get(text="hot"), documents[0])
    put_in_campaign(topics[0].aspects.get(text="hot"), documents[1])
    return members


@pytest.fixture
def members(shared_members: dict[Role, Membership], db: None) -> dict[Role, Membership]:
    """A copy for each test, which may change it."""
    return deepcopy(shared_members)
