"""Pools that searching finds: recipe, provenance, source papers, categories, citations; by command and by job."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.models import Citation, Collection, PoolEntry, PoolRun, Role
from corpus.pools.requests import request_pools
from engines.ranking.analysis import Analysis
from engines.ranking.index import Settings
from engines.ranking.recipe import Recipe
from tests.corpus.imports.importing import import_files
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_run, make_tree

ABSTRACTS = {
    "source": "Brewing green tea in cold water",
    "cold": "Cold water and green leaves, brewing for hours",
    "hot": "Hot water draws bitter tannins from black tea",
    "pots": "Pots of clay keep water warm",
    "cups": "Porcelain cups for tea tasting",
    "roads": "Trade roads of the middle ages",
    "deep": "A green note on caravans of porcelain",
}


@pytest.fixture
def collection(db: None) -> Collection:
    collection = CollectionFactory(slug="tea")
    for docno, abstract in ABSTRACTS.items():
        categories = ["tea"] if docno != "pots" else ["clay"]
        DocumentFactory(
            collection=collection, docno=docno, title="", abstract=abstract, extra={"categories": categories}
        )
    topic = TopicFactory(
        collection=collection, number="1", text="Brewing green tea with cold water", extra={"idea_from": ["source"]}
    )
    make_tree(topic, {"It concerns water.": [], "It speaks of porcelain.": ["cups"]})
    return collection


def build(collection: Collection, **wanted: object) -> PoolRun:
    run = request_pools(by=None, at=AT, collection=collection, send=False, **wanted)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


def sources(collection: Collection, number: str = "1") -> dict[str, dict[str, int | None]]:
    entries = PoolEntry.objects.filter(topic__collection=collection, topic__number=number)
    return {
        entry.document.docno: dict(entry.sources.values_list("method", "rank"))
        for entry in entries.select_related("document")
    }


SMALL = Recipe(query_take=2, fused_take=1, aspect_take=1, least=0, dense=0)


def test_a_recipe_pools_what_queries_and_aspects_find(collection: Collection) -> None:
    run = build(collection, recipe=SMALL)
    found = sources(collection)
    assert "source" not in found, "a paper used while writing is not a candidate"
    assert "pots" not in found, "it shares no category with the source paper"
    assert found["cold"]["bm25:query"] == 2, "ranks are those before candidates were dropped"
    assert found["deep"]["tfidf:aspects"] >= 1
    assert run.parameters["recipe"]["query_take"] == 2
    assert run.pairs == len(found)
    assert sum(run.methods.values()) == sum(len(methods) for methods in found.values())


def test_without_the_filters_everything_may_come_in(collection: Collection) -> None:
    build(collection, recipe=Recipe(dense=0, same_category=False, exclude_sources=False))
    assert {"source", "pots"} <= set(sources(collection))


def test_neighbours_of_source_papers_come_in_however_the_citation_is_known(collection: Collection) -> None:
    documents = {each.docno: each for each in collection.documents.all()}
    recipe = Recipe(query_take=1, fused_take=0, aspect_take=0, least=0, dense=0)
    build(collection, recipe=recipe)
    before = set(sources(collection))
    Citation.objects.create(citing=documents["hot"], cited=documents["source"])
    documents["cups"].extra["citations"] = ["source", "roads"]
    documents["cups"].save()
    documents["source"].extra |= {"cited_by": ["deep", "stranger"], "citations": "not a list"}
    documents["source"].save()
    build(collection, recipe=recipe)
    added = {docno: methods for docno, methods in sources(collection).items() if docno not in before}
    assert added == {docno: {"graph:citations": None} for docno in ("hot", "cups", "deep")}


def test_equal_requests_give_equal_pools_and_change_nothing(collection: Collection) -> None:
    build(collection, recipe=SMALL)
    before = sources(collection)
    run = build(collection, recipe=SMALL)
    assert (run.added, run.removed) == (0, 0)
    assert sources(collection) == before


def test_a_smaller_recipe_takes_back_what_it_no_longer_finds(collection: Collection) -> None:
    many = build(collection, recipe=Recipe(dense=0)).pairs
    run = build(collection, recipe=Recipe(query_take=1, fused_take=0, aspect_take=0, least=0, dense=0, citations=False))
    assert run.pairs < many
    assert run.removed == many - run.pairs


def test_runs_and_a_recipe_are_pooled_together(collection: Collection) -> None:
    make_run(collection, "bm25", {"1": ["roads"]})
    run = build(collection, methods=["bm25"], recipe=SMALL)
    assert sources(collection)["roads"] == {"bm25": 1}
    assert {"bm25", "bm25:query", "tfidf:query"} <= set(run.methods)


def test_a_run_comes_before_a_search_of_its_name(collection: Collection) -> None:
    make_run(collection, "bm25", {"1": ["roads"]})
    run = build(collection, methods=["bm25", "tfidf"], depth=2)
    assert run.methods == {"bm25": 1, "tfidf:query": 2}


def test_searches_by_name_pool_the_first_of_the_whole_topic(collection: Collection) -> None:
    assert build(collection, methods=["tfidf", "bm25"], depth=3).methods == {"bm25:query": 3, "tfidf:query": 3}
    assert "source" not in sources(collection)


def test_settings_of_the_index_are_followed(collection: Collection) -> None:
    stemmed = Settings(Analysis(stemmer="porter", stop_words=False), k1=0.9, b=0.4)
    TopicFactory(collection=collection, number="2", text="brewed the tastings")
    build(collection, methods=["bm25"], index=stemmed)
    assert set(sources(collection, "2")) == {"source", "cold", "cups"}


def test_topics_without_aspects_or_matches_have_what_the_query_finds(collection: Collection) -> None:
    TopicFactory(collection=collection, number="2", text="caravans")
    TopicFactory(collection=collection, number="3", text="zebra")
    build(collection, recipe=SMALL)
    assert set(sources(collection, "2")) == {"deep"}
    assert sources(collection, "3") == {}


class TestRefusals:
    @pytest.mark.parametrize(
        ("wanted", "reason"),
        [
            ({"methods": ["dense"]}, "embeddings"),
            ({"methods": ["citations"]}, "BM25, TF-IDF or vectors"),
            ({"methods": ["bm25"], "recipe": SMALL}, "either a recipe or bm25"),
            ({"recipe": Recipe(scorers=(), dense=0)}, "BM25, TF-IDF or vectors"),
        ],
    )
    def test_what_cannot_be_searched(self, collection: Collection, wanted: dict[str, object], reason: str) -> None:
        with pytest.raises(Refused, match=reason):
            build(collection, **wanted)
        assert not PoolRun.objects.exists()

    def test_a_collection_without_topics(self, db: None) -> None:
        collection = CollectionFactory()
        DocumentFactory(collection=collection)
        with pytest.raises(Refused, match="To build pools, first import"):
            build(collection, recipe=SMALL)

    @pytest.mark.parametrize("name", ["bm25:query", "graph:citations", "dense:query"])
    def test_lists_and_runs_cannot_take_the_names_of_searches(
        self, collection: Collection, name: str, tmp_path: Path
    ) -> None:
        (tmp_path / "list").write_text("1 cold\n")
        (tmp_path / "run").write_text(f"1 Q0 cold 1 1.0 {name}\n")
        listed = import_files(collection, tmp_path / "list", kind="pool", method=name)
        assert "already used in pools" in listed.reason
        run = import_files(collection, tmp_path / "run", kind="runs")
        assert "Litmus itself uses" in run.reason


class TestCommand:
    def test_a_collection_without_runs_is_searched(
        self, collection: Collection, capsys: pytest.CaptureFixture[str]
    ) -> None:
        call_command("build_pools", "tea", as_json=True)
        result = json.loads(capsys.readouterr().out)
        assert result["topics"] == 1
        assert result["pairs"] == len(sources(collection)) > 0
        assert set(result["methods"]) <= {"bm25:query", "bm25:aspects", "tfidf:query", "tfidf:aspects"}
        assert result["seconds"] > 0

    def test_methods_and_depth(self, collection: Collection, capsys: pytest.CaptureFixture[str]) -> None:
        call_command("build_pools", "tea", methods=["bm25"], depth=2, as_json=True)
        assert json.loads(capsys.readouterr().out)["methods"] == {"bm25:query": 2}

    def test_numbers_of_the_recipe_are_the_same_by_command_and_rest(
        self, collection: Collection, client: Client
    ) -> None:
        own = ["--scorers", "bm25", "--query-take", "1", "--no-citations", "--k1", "0.9", "--no-stop-words"]
        call_command("build_pools", "tea", *own)
        by_command = PoolRun.objects.get().parameters
        assert (by_command["recipe"]["scorers"], by_command["recipe"]["citations"]) == (["bm25"], False)
        assert (by_command["index"]["k1"], by_command["index"]["analysis"]["stop_words"]) == (0.9, False)
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        body = {
            "recipe": {"scorers": ["bm25"], "query_take": 1, "citations": False},
            "index": {"k1": 0.9, "stop_words": False},
        }
        asked = client.post(reverse("api_pool_builds", args=["tea"]), body, content_type="application/json")
        assert asked.status_code == 202
        by_rest = PoolRun.objects.latest("pk").parameters
        assert {name: by_rest[name] for name in ("recipe", "index")} == {
            name: by_command[name] for name in ("recipe", "index")
        }

    def test_settings_of_an_index_need_a_search(self, collection: Collection, tmp_path: Path) -> None:
        (tmp_path / "run").write_text("1 Q0 cold 1 1.0 ours\n")
        import_files(collection, tmp_path / "run", kind="runs")
        with pytest.raises(CommandError, match="apply to searches only"):
            call_command("build_pools", "tea", "--methods", "ours", "--k1", "0.9")

    def test_dense_needs_an_endpoint(self, collection: Collection) -> None:
        with pytest.raises(CommandError, match="embeddings") as refused:
            call_command("build_pools", "tea", methods=["dense"])
        assert refused.value.returncode == 1


class TestGivenPools:
    """Pools that came with the topics, as DORIS-MAE's JSON has them."""

    def test_they_are_pooled(self, collection: Collection) -> None:
        topic = collection.topics.get()
        topic.extra["candidate_pool"] = ["cold", "hot", "cold"]
        topic.save()
        assert build(collection).methods == {"candidate-pool": 2}
        assert sources(collection) == {"cold": {"candidate-pool": None}, "hot": {"candidate-pool": None}}

    def test_a_document_that_is_not_there_is_named_and_nothing_is_pooled(self, collection: Collection) -> None:
        topic = collection.topics.get()
        topic.extra["candidate_pool"] = ["cold", "mate", "yerba"]
        topic.save()
        run = request_pools(by=None, at=AT, collection=collection, send=False)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert (run.state, PoolEntry.objects.count()) == (JobState.FAILED, 0)
        assert "topic 1 names document mate, which is not in the collection (2 such pairs in all)" in run.reason

    def test_what_is_no_list_is_no_pool(self, collection: Collection) -> None:
        topic = collection.topics.get()
        topic.extra["candidate_pool"] = {"cold": 1}
        topic.save()
        assert build(collection, methods=["candidate-pool"]).pairs == 0
