"""Vectors for pools: asked of a real HTTP endpoint, kept in PostgreSQL or in files, never asked for twice."""

import json
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connection

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.endpoints.changes import add_endpoint
from corpus.models import Collection, PoolEntry, PoolRun
from corpus.pools.recipes import default_recipe
from corpus.pools.requests import request_pools
from corpus.searching.vectors import FileVectors, PgVectors, open_store
from engines.endpoints.chat import Endpoint, Rejected
from engines.endpoints.connections import Busy
from engines.endpoints.embeddings import Embeddings, read_vectors
from engines.ranking.analysis import tokenise
from engines.ranking.vectors import VectorFiles
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.stubs.chat import Call, ChatStub, Garbage, Status, Step, Trickle

WORDS = ["tea", "green", "pots", "roads", "silk"]


def vector(text: str) -> list[float]:
    """Counts of a few words, and a little of everything, so that no text is all zeros."""
    words = tokenise(text)
    return [0.01, *(float(words.count(word)) for word in WORDS)]


def answer(call: Call) -> Step:
    rows = [{"index": place, "embedding": vector(text)} for place, text in enumerate(call.body["input"])]
    return Garbage(json.dumps({"object": "list", "data": rows[::-1]}).encode(), "application/json")


@pytest.fixture
def collection(db: None) -> Collection:
    collection = CollectionFactory(slug="tea")
    texts = {"green": "Green green tea", "pots": "Pots for tea", "roads": "Roads of silk", "source": "Green tea"}
    for docno, text in texts.items():
        DocumentFactory(collection=collection, docno=docno, title="", abstract=text)
    DocumentFactory(collection=collection, docno="empty", title="", abstract="")
    TopicFactory(collection=collection, number="1", text="Green tea", extra={"idea_from": ["source"]})
    return collection


@pytest.fixture(scope="module")
def superuser(django_db_setup: None) -> Iterator[psycopg.Connection]:
    """Who alone can create the extension and take it away; a cluster made by `initdb` today has it from the start."""
    database = connection.settings_dict
    where = {"host": database["HOST"], "port": database["PORT"], "dbname": database["NAME"], "user": "postgres"}
    if "postgres" not in django_settings.EMBEDDED_SERVERS:
        pytest.skip("needs the embedded PostgreSQL, whose superuser we are")
    with psycopg.connect(**where, autocommit=True) as found:
        if found.execute("SELECT FROM pg_available_extensions WHERE name = 'vector'").fetchone() is None:
            pytest.skip("this PostgreSQL has no pgvector")
        found.execute("CREATE EXTENSION IF NOT EXISTS vector")
        yield found


@pytest.fixture
def without_pgvector(superuser: psycopg.Connection) -> Iterator[None]:
    superuser.execute("DROP EXTENSION vector CASCADE")
    yield
    superuser.execute("CREATE EXTENSION vector")


@pytest.fixture(params=["pgvector", "files"])
def store(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> str:
    if request.param == "pgvector":
        request.getfixturevalue("superuser")
    settings.VECTOR_STORE = request.param
    settings.INDEX_DIR = tmp_path
    settings.EMBEDDINGS_BATCH, settings.EMBEDDINGS_RATE = 2, 0
    settings.LLM_ATTEMPTS, settings.LLM_CONCURRENCY = 1, 1
    return str(request.param)


def build(collection: Collection, stub: ChatStub, settings: Any, depth: int = 2) -> PoolRun:
    settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "counts"
    run = request_pools(by=None, at=AT, collection=collection, methods=["dense"], depth=depth, send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def pooled(collection: Collection) -> dict[str, dict[str, int | None]]:
    entries = PoolEntry.objects.filter(topic__collection=collection).select_related("document")
    return {entry.document.docno: dict(entry.sources.values_list("method", "rank")) for entry in entries}


def asked(stub: ChatStub) -> list[str]:
    return [text for call in stub.calls for text in call.body["input"]]


def test_pgvector_that_cannot_be_had_is_reported(without_pgvector: None, collection: Collection, settings: Any) -> None:
    settings.VECTOR_STORE = "pgvector"
    with ChatStub(answer) as stub:
        run = build(collection, stub, settings)
    assert "LITMUS_VECTOR_STORE is pgvector, but this database has no such extension" in run.reason


def test_without_pgvector_files_serve(without_pgvector: None, collection: Collection, settings: Any) -> None:
    assert isinstance(open_store(collection, "counts"), FileVectors)


class TestPools:
    def test_the_nearest_come_in_and_source_papers_do_not(
        self, collection: Collection, store: str, settings: Any
    ) -> None:
        with ChatStub(answer) as stub:
            run = build(collection, stub, settings)
        assert (run.state, run.reason) == (JobState.DONE, "")
        assert pooled(collection) == {"green": {"dense:query": 2}, "pots": {"dense:query": 3}}
        assert isinstance(open_store(collection, "counts"), PgVectors if store == "pgvector" else FileVectors)
        assert {call.path for call in stub.calls} == {"/v1/embeddings"}
        assert "" not in asked(stub), "what has no text has no vector"

    def test_a_document_whose_text_was_taken_away_is_not_found_by_its_old_vector(
        self, collection: Collection, store: str, settings: Any
    ) -> None:
        with ChatStub(answer) as stub:
            build(collection, stub, settings)
            collection.documents.filter(docno="green").update(abstract=" \n")
            build(collection, stub, settings, depth=4)
            assert set(pooled(collection)) == {"pots", "roads"}
            collection.documents.filter(docno="green").update(abstract="Green green tea")
            build(collection, stub, settings, depth=4)
        assert "green" in pooled(collection)
        assert asked(stub).count("Green green tea") == 1, "its vector was kept, as it was paid for"

    def test_only_new_and_changed_texts_are_asked_for_again(
        self, collection: Collection, store: str, settings: Any
    ) -> None:
        with ChatStub(answer) as stub:
            build(collection, stub, settings)
            before = len(asked(stub))
            collection.documents.filter(docno="roads").update(abstract="Green green green tea")
            DocumentFactory(collection=collection, docno="new", title="Silk", abstract="")
            build(collection, stub, settings)
        assert sorted(asked(stub)[before:]) == ["Green green green tea", "Silk"], "the topic was asked for before"
        assert set(pooled(collection)) == {"green", "roads"}

    def test_what_has_come_is_kept_when_the_endpoint_breaks(
        self, collection: Collection, store: str, settings: Any
    ) -> None:
        def breaks(call: Call) -> Step:
            return answer(call) if call.number == 0 else Status(400)

        with ChatStub(breaks) as stub:
            run = build(collection, stub, settings)
            assert run.state == JobState.FAILED
            assert "batches of documents have no vectors, the first because the endpoint rejected" in run.reason
            assert "scripted 400" in run.reason
            assert pooled(collection) == {}
            first = len(asked(stub))
        with ChatStub(answer) as stub:
            assert build(collection, stub, settings).state == JobState.DONE
        assert first == 4
        assert len(asked(stub)) == 3, "two documents and the topic"

    def test_an_endpoint_that_refuses_us_ends_the_job(self, collection: Collection, store: str, settings: Any) -> None:
        with ChatStub([Status(401)]) as stub:
            run = build(collection, stub, settings)
        assert run.state == JobState.FAILED
        assert "The embeddings endpoint failed: the endpoint refused the request with 401" in run.reason

    def test_a_model_whose_vectors_change_their_length_is_reported(
        self, collection: Collection, store: str, settings: Any
    ) -> None:
        def longer(call: Call) -> Step:
            rows = [{"index": place, "embedding": [1.0] * 9} for place, _ in enumerate(call.body["input"])]
            return Garbage(json.dumps({"data": rows}).encode(), "application/json")

        with ChatStub(answer) as stub:
            build(collection, stub, settings)
        DocumentFactory(collection=collection, docno="new")
        with ChatStub(longer) as stub:
            run = build(collection, stub, settings)
        assert "The model counts has changed: it gives vectors of 9 numbers, where those before have 6" in run.reason


def test_the_usual_recipe_uses_vectors_where_there_are_any(collection: Collection, settings: Any) -> None:
    assert default_recipe(collection).dense == 0
    with pytest.raises(Refused, match="LITMUS_EMBEDDINGS_BASE_URL"):
        request_pools(by=None, at=AT, collection=collection, methods=["dense"])
    settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = "http://127.0.0.1:9/v1", "counts"
    assert default_recipe(collection).dense == 20


def test_vectors_come_from_an_endpoint_of_staff(collection: Collection, settings: Any) -> None:
    settings.INNER_ADDRESSES = (ip_network("127.0.0.1/32"),)
    with ChatStub(answer) as stub:
        add_endpoint(
            by=None,
            at=AT,
            name="vectors",
            purpose="embeddings",
            address=stub.url,
            key="sk-ours",
            models=["counts"],
            per_minute=0,
            collections=["tea"],
        )
        assert default_recipe(collection).dense == 20
        assert default_recipe(CollectionFactory()).dense == 0
        run = request_pools(by=None, at=AT, collection=collection, methods=["dense"], send=False)
        jobs.carry_out(run)
        assert {call.headers["authorization"] for call in stub.calls} == {"Bearer sk-ours"}
    run.refresh_from_db()
    assert (run.state, run.methods) == (JobState.DONE, {"dense:query": 3})


class TestEndpoint:
    @pytest.mark.parametrize(
        "body",
        [
            b"<html>",
            b"{}",
            b'{"data": [{"index": 0}]}',
            b'{"data": [{"index": 0, "embedding": [1, 2]}]}',
            b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1]}]}',
            b'{"data": [{"index": 0, "embedding": [0, 0]}, {"index": 1, "embedding": [1, 1]}]}',
            b'{"data": [{"index": 0, "embedding": ["x", 0]}, {"index": 1, "embedding": [1, 1]}]}',
            b'{"data": [{"index": 0, "embedding": [NaN, 0]}, {"index": 1, "embedding": [1, 1]}]}',
            b'{"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]}',
        ],
    )
    def test_answers_that_are_no_vectors(self, body: bytes) -> None:
        with pytest.raises(Busy):
            read_vectors(body, 2)

    def test_vectors_come_in_the_order_of_the_texts_with_length_one(self) -> None:
        with ChatStub(answer) as stub, Embeddings(Endpoint(stub.url, "secret", "counts")) as embeddings:
            found = embeddings.embed(["tea", "silk road"])
            assert stub.calls[0].headers["authorization"] == "Bearer secret"
        assert np.linalg.norm(found, axis=1) == pytest.approx([1, 1])
        assert found.argmax(axis=1).tolist() == [1, 5]

    def test_errors_are_those_of_endpoints(self) -> None:
        with ChatStub([Status(429), Status(400)]) as stub, Embeddings(Endpoint(stub.url, "", "m")) as embeddings:
            with pytest.raises(Busy):
                embeddings.embed(["a"])
            with pytest.raises(Rejected):
                embeddings.embed(["a"])

    def test_an_answer_that_never_ends_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        endless = Trickle(piece=b" " * 1000, seconds=0.02)
        with ChatStub([endless]) as stub:
            with Embeddings(Endpoint(stub.url, "", "m", timeout=0.1)) as embeddings, pytest.raises(Busy, match="after"):
                embeddings.embed(["a"])
            monkeypatch.setattr("engines.endpoints.embeddings.LONGEST_BODY", 5_000)
            with Embeddings(Endpoint(stub.url, "", "m")) as embeddings, pytest.raises(Busy, match="longer than"):
                embeddings.embed(["a"])


class TestFiles:
    def test_a_half_written_row_is_forgotten(self, tmp_path: Path) -> None:
        files = VectorFiles(tmp_path / "v")
        assert files.nearest(np.array([1, 0], dtype=np.float32), 5) == ([], [])
        files.keep([1, 2], [10, 20], np.array([[1, 0], [0, 1]], dtype=np.float32))
        with files.vectors_file.open("ab") as stream:
            stream.write(b"\0" * 8)
        with files.keys_file.open("ab") as stream:
            stream.write(b"\0" * 3)
        assert files.known() == {1: 10, 2: 20}
        files.keep([1], [11], np.array([[0.6, 0.8]], dtype=np.float32))
        assert files.known() == {1: 11, 2: 20}
        assert files.nearest(np.array([0, 1], dtype=np.float32), 5)[0] == [2, 1]
        assert files.nearest(np.array([1, 0], dtype=np.float32), 1)[0] == [1]
        assert files.nearest(np.array([1, 0], dtype=np.float32), 5, frozenset({2}))[0] == [2]
        with pytest.raises(ValueError, match="vectors of 3 numbers"):
            files.keep([3], [1], np.ones((1, 3), dtype=np.float32))

    def test_a_few_of_many_documents_are_read_alone_and_have_the_same_order(self, tmp_path: Path) -> None:
        files, rng = VectorFiles(tmp_path / "v"), np.random.default_rng(1)
        some = rng.normal(size=(100, 8)).astype(np.float32)
        files.keep(range(100), range(100), some)
        wanted, vector = [3, 50, 51, 99], some[0]
        found, cosines = files.nearest(vector, 3, frozenset(wanted))
        expected = sorted(wanted, key=lambda pk: -float(some[pk] @ vector))[:3]
        assert found == expected
        assert cosines == pytest.approx([float(some[pk] @ vector) for pk in expected], abs=1e-5)
