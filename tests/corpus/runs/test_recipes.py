"""Recipes over other runs: fusion and one hop; what more topics cost."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import JobState
from accounts.refusals import Refused
from corpus.models import Citation, Collection, Ranking, RetrievalRun
from corpus.runs.recipes.fusion import interpolation, reciprocal_rank_fusion
from corpus.runs.recipes.one_hop import expand
from corpus.runs.runs import recipe_named
from engines.ranking.order import ScoredList
from tests.corpus.runs.conftest import TOPICS
from tests.corpus.runs.recipes import docnos, made
from tests.factories.corpus import TopicFactory, make_run

pytestmark = pytest.mark.usefixtures("paced")


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "asked"), [("bm25", {}), ("fusion", {"runs": ["first", "second"]})])
def test_more_topics_take_no_more_statements(collection: Collection, recipe: str, asked: dict[str, Any]) -> None:
    def statements(name: str) -> int:
        with CaptureQueriesContext(connection) as sent:
            assert made(collection, name, recipe, **asked).state == JobState.DONE
        # Whether somebody cancelled the job is asked every so many seconds, however many topics there are.
        return sum("cancel_requested_at" not in each["sql"] for each in sent)

    make_run(collection, "second", {"1": ["D4"]})
    made(collection, "warm", recipe, **asked)  # builds the index
    few = statements("few")
    known = collection.retrieval_runs.get(name="first")
    for number in range(TOPICS + 1, TOPICS + 11):
        topic = TopicFactory(collection=collection, number=str(number), text="tea")
        Ranking.objects.create(run=known, topic=topic, docnos=["D2"], scores=[1.0])
    assert statements("many") == few
    assert RetrievalRun.objects.get(name="many").rankings.count() == TOPICS + 10


class TestFusion:
    def test_reciprocal_ranks_add_up(self) -> None:
        lists = [ScoredList(["a", "b"], [9.0, 8.0]), ScoredList(["b", "c"], [1.0, 0.5])]
        assert reciprocal_rank_fusion(lists, [1, 2], 60) == {"a": 1 / 61, "b": 1 / 62 + 2 / 61, "c": 2 / 62}
        assert interpolation(lists, [1, 0.5]) == {"a": 1.0, "b": 0.5, "c": 0.0}
        assert interpolation([ScoredList(["a"], [3.0]), ScoredList([], [])], [1, 1]) == {"a": 1.0}
        far = ScoredList(["a", "b", "c"], [1.7e308, 0.0, -1.7e308])
        assert interpolation([far], [1]) == {"a": 1.0, "b": 0.5, "c": 0.0}

    def test_runs_become_one(self, collection: Collection) -> None:
        make_run(collection, "second", {"1": ["D4", "D9"]})
        job = made(collection, "both", "fusion", runs=["first", "second"])
        assert (job.state, job.reason) == (JobState.DONE, "")
        assert docnos("both") == ["D4", "D1", "D9", "D2", "D3"]
        assert docnos("both", "2") == ["D1", "D2", "D3", "D4"]
        for asked, reason in (
            ({"runs": "first"}, "two runs or more"),
            ({"runs": "first third"}, "no run third"),
            ({"runs": "first second", "weights": "1"}, "There are 1 weights for 2 runs"),
            ({"runs": "first second", "weights": "1 0"}, "above 0"),
            ({"runs": "first second", "weights": "1 1e300"}, "at most 1,000,000"),
        ):
            with pytest.raises(Refused, match=reason):
                made(collection, "x", "fusion", **asked)


class TestOneHop:
    def test_the_paper_and_the_code_differ(self) -> None:
        cited = {"a": ["x", "b"], "b": ["y", "x"]}
        assert expand(["a", "b", "c"], cited, 2, "paper") == ["a", "x", "b", "y"]
        assert expand(["a", "b", "c"], cited, 2, "code") == ["a", "b", "x", "y"]

    def test_the_list_ends_after_n_papers_as_the_paper_has_it(self, collection: Collection) -> None:
        """Papers that a ranking must leave out take no place; uncut, the rest of the run follows."""
        collection.documents.filter(docno="D1").update(extra={"citations": ["D5", "D3"]})
        collection.topics.filter(number="2").update(extra={"idea_from": ["D5"]})
        for name, asked, first, second in (
            ("cut", {"most": 3}, ["D1", "D5", "D3"], ["D1", "D3", "D2"]),
            ("paper", {}, ["D1", "D5", "D3", "D2"], ["D1", "D3", "D2"]),
            ("whole", {"most": 0}, ["D1", "D5", "D3", "D2", "D4"], ["D1", "D3", "D2", "D4"]),
        ):
            made(collection, name, "one-hop", run="first", first=2, **asked)
            assert (docnos(name), docnos(name, "2")) == (first, second)
        assert RetrievalRun.objects.get(name="cut").parameters["counts"] == {
            "documents that citations brought in": TOPICS - 1,
            "documents after the end of the list, which are left out": TOPICS - 1,
        }
        assert recipe_named("one-hop").form.base_fields["most"].initial == 200

    @pytest.mark.slow
    def test_citations_come_in_as_rows_and_as_lists(self, collection: Collection) -> None:
        documents = {each.docno: each for each in collection.documents.all()}
        Citation.objects.create(citing=documents["D1"], cited=documents["D5"])
        collection.documents.filter(docno="D2").update(extra={"citations": ["D3", "elsewhere"]})
        job = made(collection, "hop", "one-hop", run="first", first=2)
        assert (job.state, docnos("hop")) == (JobState.DONE, ["D1", "D5", "D2", "D3"])
        first = RetrievalRun.objects.get(name="hop").parameters["inputs"]
        assert first.keys() == {"documents", "topics", "citations"}
        collection.documents.filter(docno="D2").update(extra={"citations": ["D4", "elsewhere"]})
        made(collection, "listed", "one-hop", run="first", first=2)
        Citation.objects.all().delete()
        made(collection, "bare", "one-hop", run="first", first=2)
        states = [RetrievalRun.objects.get(name=name).parameters["inputs"] for name in ("listed", "bare")]
        assert len({first["citations"], *(each["citations"] for each in states)}) == 3
        assert {each["documents"] for each in states} == {first["documents"]}
        counts = RetrievalRun.objects.get(name="hop").parameters["counts"]
        assert counts == {"documents that citations brought in": TOPICS}
