"""What methods brought into pools, and how far the rankings of runs are pooled and judged."""

from typing import Any

import pytest

from corpus.models import (
    Collection,
    Membership,
    RetrievalRun,
    Role,
)
from corpus.pools.pools import methods_by_topic, pool_methods, pool_of
from corpus.runs.runs import compare_with_pools, overlap_of, rankings_of
from tests.corpus.judging import judge
from tests.corpus.runs.runs_and_pools import topic
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run


@pytest.fixture
def collection(members: dict[Role, Membership]) -> Collection:
    return members[Role.MANAGER].collection


class TestQueries:
    def test_what_one_method_alone_found(self, collection: Collection) -> None:
        assert [(m.name, m.entries, m.alone, m.deepest) for m in pool_methods(collection)] == [
            ("bm25-of-ours", 2, 1, 2),
            ("dense-retriever", 2, 1, 2),
            ("hand-picked", 1, 1, 1),
        ]
        one, two = methods_by_topic(collection.topics.order_by("number"))
        assert [(m.name, m.entries, m.alone) for m in one.methods] == [
            ("bm25-of-ours", 2, 1),
            ("dense-retriever", 2, 1),
            ("hand-picked", 1, 1),
        ]
        assert (one.alone, two.methods, two.alone) == (3, [], 0)

    def test_pools_of_other_collections_are_not_counted(self, collection: Collection) -> None:
        other = CollectionFactory()
        make_pool(TopicFactory(collection=other), [DocumentFactory(collection=other)], method="theirs")
        assert "theirs" not in [method.name for method in pool_methods(collection)]

    def test_entries_by_best_rank_narrowed_to_a_method_or_to_lone_finds(self, collection: Collection) -> None:
        def docnos(**narrow: Any) -> list[str]:
            return [entry.document.docno for entry in pool_of(topic("1"), **narrow)]

        assert docnos() == ["D1", "D3", "D5", "D2"]
        assert docnos(method="dense-retriever") == ["D3", "D2"]
        assert docnos(method="dense-retriever", only=True) == ["D3"]
        assert docnos(only=True) == ["D1", "D3", "D5"]
        states = {entry.document.docno: (entry.has_items, entry.is_judged) for entry in pool_of(topic("1"))}
        assert states == {"D1": (True, True), "D2": (True, False), "D3": (False, False), "D5": (False, False)}

    def test_an_answer_for_another_topic_judges_nothing_here(self, collection: Collection) -> None:
        judge(topic("2"), collection.documents.get(docno="D3"))
        states = {entry.document.docno: entry.is_judged for entry in pool_of(topic("1"))}
        assert states["D3"] is False

    def test_rankings_against_pools_and_judgments(self, collection: Collection) -> None:
        run = RetrievalRun.objects.get(name="bm25-of-ours")
        rows = compare_with_pools(collection, rankings_of(run))
        assert [(row.length, row.pooled, row.judged, row.unknown) for row in rows] == [(3, 2, 1, 1), (1, 0, 0, 0)]
        assert (overlap_of(run).at_10, overlap_of(run).at_100) == (50.0, 50.0)

    def test_a_run_without_rankings_overlaps_with_nothing(self, collection: Collection) -> None:
        overlap = overlap_of(make_run(collection, "empty", {}))
        assert (overlap.at_10, overlap.at_100) == (None, None)
