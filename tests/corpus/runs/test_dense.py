"""Runs by vectors: the nearest documents, and the first of a run in another order; asked of a real HTTP server."""

import json
import time
from functools import partial
from typing import Any

import pytest

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.models import Collection, RetrievalRun, RunMaking
from corpus.runs.runs import recipe_named, request_run
from tests.corpus.runs.conftest import TOPICS
from tests.corpus.runs.recipes import docnos, made, vectors
from tests.databases import at_once
from tests.factories.accounts import AT
from tests.factories.corpus import make_run
from tests.stubs.chat import Call, ChatStub, Garbage, Step

pytestmark = pytest.mark.usefixtures("paced")


def counts_of_tea(call: Call) -> Step:
    """Vectors that say how often a text has the word tea."""
    rows = [
        {"index": place, "embedding": [1.0, float(text.count("tea"))]} for place, text in enumerate(call.body["input"])
    ]
    return Garbage(json.dumps({"data": rows}).encode(), "application/json")


class TestDenseRerank:
    @pytest.mark.slow
    def test_the_first_documents_are_ordered_by_cosine_and_only_they_are_embedded(
        self, collection: Collection, settings: Any
    ) -> None:
        """Those without a vector follow in their old order, then the rest; what a query leaves out takes no place."""
        documents = {each.docno: each for each in collection.documents.all()}
        collection.documents.filter(docno="D2").update(title="", abstract="")
        collection.topics.filter(number="2").update(extra={"idea_from": ["D1"]})
        make_run(collection, "bm25", {"1": ["D1", "D2", "D3", "D5", "D4"], "2": ["D1", "D2", "D3", "D5", "D4"]})
        asked = {"run": "bm25", "top": 4, "query_instruction": "tea tea tea tea "}
        with ChatStub(counts_of_tea) as stub:
            settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "counts"
            job = made(collection, "second", "dense-rerank", **asked)
            assert (job.state, job.reason) == (JobState.DONE, "")
            calls = len(stub.calls)
            assert made(collection, "second", "dense-rerank", **asked).state == JobState.DONE
            assert len(stub.calls) == calls, "made again without asking again"
        assert docnos("second") == ["D5", "D3", "D1", "D2", "D4"]
        assert docnos("second", "2") == ["D5", "D4", "D3", "D2"]
        texts = [text for call in stub.calls for text in call.body["input"]]
        assert sum(text.startswith("Tea") for text in texts) == 4
        assert f"Tea 4\n{documents['D4'].abstract}".strip() in [text.strip() for text in texts]
        found = RetrievalRun.objects.get(name="second").parameters
        assert found["counts"] == {"documents without a vector, which come after those that have one": 2}
        assert (found["settings"]["model"], found["cost"]) == ("counts", None)

    def test_acm_cr_reranked_20_documents(self, collection: Collection, settings: Any) -> None:
        assert recipe_named("dense-rerank").form.base_fields["top"].initial == 20
        with pytest.raises(Refused, match="LITMUS_EMBEDDINGS_BASE_URL"):
            made(collection, "x", "dense-rerank", run="first")
        settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = "http://localhost:1", "counts"
        with pytest.raises(Refused, match="no run other"):
            made(collection, "x", "dense-rerank", run="other")


class TestDense:
    @pytest.mark.slow
    def test_instructions_stand_before_texts_and_nothing_is_asked_twice(
        self, collection: Collection, settings: Any
    ) -> None:
        asked = {"query_instruction": "query: tea tea tea tea ", "document_instruction": "passage: ", "topics": "all"}
        with ChatStub(counts_of_tea) as stub:
            settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "counts"
            job = made(collection, "dense", "dense", **asked)
            assert (job.state, job.reason) == (JobState.DONE, "")
            texts = [text for call in stub.calls for text in call.body["input"]]
            assert "passage: Tea 1\ntea ".strip() in [text.strip() for text in texts]
            assert "query: tea tea tea tea tea of sort 1" in texts
            first = RetrievalRun.objects.get(name="dense").rankings.get(topic__number="1")
            assert first.docnos == ["D5", "D4", "D3", "D2", "D1"]
            assert first.scores[0] == pytest.approx(1.0)
            calls = len(stub.calls)
            made(collection, "dense", "dense", **asked)
            assert len(stub.calls) == calls
            again = RetrievalRun.objects.get(name="dense").rankings.get(topic__number="1")
            assert (again.docnos, again.scores) == (first.docnos, first.scores)
        assert RetrievalRun.objects.get(name="dense").parameters["cost"] is None

    @pytest.mark.slow
    def test_a_model_that_has_changed_is_named(self, collection: Collection, settings: Any) -> None:
        """Vectors of topics that cannot be compared with those of documents, which came before."""
        with ChatStub(lambda call: vectors(call, [1.0, 2.0])) as stub:
            settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "changes"
            assert made(collection, "dense", "dense").state == JobState.DONE
        with ChatStub(lambda call: vectors(call, [1.0, 2.0, 3.0])) as stub:
            settings.EMBEDDINGS_BASE_URL = stub.url
            job = made(collection, "again", "dense", query_instruction="query: ")
        assert job.state == JobState.FAILED
        assert "changes has changed: it gives vectors of 3 numbers, where those before have 2" in job.reason

    def test_without_an_endpoint_it_is_refused(self, collection: Collection) -> None:
        with pytest.raises(Refused, match="LITMUS_EMBEDDINGS_BASE_URL"):
            made(collection, "x", "dense")

    @pytest.mark.slow
    @pytest.mark.django_db(transaction=True)
    def test_two_runs_at_once_ask_for_each_vector_once(self, collection: Collection, settings: Any) -> None:
        """One of them waits: written at once by two, files of vectors would be those of other documents."""

        def answer(call: Call) -> Step:
            time.sleep(0.05)
            return vectors(call, [1.0, 2.0])

        settings.EMBEDDINGS_BATCH = 1
        with ChatStub(answer) as stub:
            settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "counts"
            found = [
                request_run(
                    by=None,
                    at=AT,
                    collection=collection,
                    name=name,
                    recipe=recipe_named("dense"),
                    options={},
                    send=False,
                )
                for name in ("one", "two")
            ]

            at_once(*(partial(jobs.carry_out, job) for job in found))
            texts = [text for call in stub.calls for text in call.body["input"]]
        assert [RunMaking.objects.get(pk=job.pk).state for job in found] == [JobState.DONE] * 2
        assert len(texts) == len(set(texts)) == 5 + TOPICS
