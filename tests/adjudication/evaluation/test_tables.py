"""Subsets of topics, tables and plots of an evaluation, and what they say of themselves."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from adjudication.evaluation.golds.registry import (
    read_gold,
)
from adjudication.evaluation.reads.pages import plot_of
from adjudication.evaluation.reads.rankings import pool_sources, pools_of
from adjudication.evaluation.reads.tables import as_csv, as_latex, as_markdown, figures_csv, make_table
from corpus.models import (
    Document,
    PoolSource,
    RetrievalRun,
    SubQuery,
    Topic,
)
from tests.adjudication.evaluation.conftest import TOPICS
from tests.adjudication.evaluation.evaluating import done, evaluated, make_run, qrels
from tests.factories.adjudication import AT, Built
from tests.factories.corpus import make_pool

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_subsets_by_attributes(built: Built) -> None:
    for place, topic in enumerate(Topic.objects.filter(collection=built.collection).order_by("position")):
        extra = {} if place == 11 else {"quality": place % 2 + 1, "level": ["deep"]}
        Topic.objects.filter(pk=topic.pk).update(source="author" if place < 4 else "inline-acl", extra=extra)
    found = evaluated(built, by=("origin", "quality"), measures=("AP",))
    counts = {tuple(each["by"].items()): each["n_topics"] for each in found["subsets"]}
    assert counts == {
        (): 12,
        (("origin", "author"),): 4,
        (("origin", "inline"),): 8,
        (("quality", "1"),): 6,
        (("quality", "2"),): 5,
        (("quality", None),): 1,
        (("origin", "author"), ("quality", "1")): 2,
        (("origin", "author"), ("quality", "2")): 2,
        (("origin", "inline"), ("quality", "1")): 4,
        (("origin", "inline"), ("quality", "2")): 3,
        (("origin", "inline"), ("quality", None)): 1,
    }
    table = make_table(done(built, by=("origin", "quality"), measures=("AP",)))
    assert table.heads[0][0] == ("all topics (n = 12)", 1)
    assert ("origin author, quality 1 (n = 2)", 1) in table.heads[0]
    assert {each.by.get("aspects") for each in done(built, by=("aspects",)).subsets} == {None, "2"}
    Topic.objects.filter(collection=built.collection, number="1").update(extra={"quality": "²"})
    assert [each.by.get("quality") for each in done(built, by=("quality",)).subsets] == [None, "1", "2", "²", None]


@pytest.mark.slow
def test_tables_are_marked_and_written(built: Built) -> None:
    topics = Topic.objects.filter(collection=built.collection)
    relevant: dict[str, dict[str, float]] = {topic.number: {} for topic in topics}
    for topic, docno, grade in qrels(built):
        relevant[topic][docno] = float(grade) + (0.001 * int(docno[1:]))
    make_run(built.collection, "best", relevant)
    found = done(built, "good", "best", measures=("AP", "nDCG@10"), baseline="good", random=True)
    table = make_table(found)
    assert [row.label for row in table.rows] == ["good", "best", "Random"]
    assert [(cell.is_best, cell.is_marked) for cell in table.rows[1].cells] == [(True, True)] * 2
    assert "**100.00**†" in as_markdown(table)
    assert r"\textbf{100.00}$^\dagger$" in as_latex(table)
    assert as_csv(table).splitlines()[0] == "Run,AP,nDCG@10"
    assert "best,100.00†,100.00†" in as_csv(table)
    assert "differs from good, paired t-test, Holm-adjusted p < 0.05" in table.caption
    lines = figures_csv([found, found]).splitlines()
    assert lines[0].startswith("run,measure,by,n_topics,value,se,low,high")
    assert [line.split(",")[0] for line in lines].count("run") == 1, "several evaluations have one header"
    assert {(test.a, test.b) for test in found.whole.tests} == {("good", "best")}


@pytest.mark.slow
def test_two_golds_and_what_each_run_brought(built: Built) -> None:
    found = evaluated(built, against="annotator:ana", sensitivity=True, measures=("AP",))
    (order,) = found["tau"]
    assert (order["reference"], order["other"]) == ("campaign:main", "annotator:ana")
    assert (order["tau_b"]["value"], order["tau_ap"]["value"]) == (1, 1)
    assert {(each["run"], each["judgments"], each["change"]) for each in found["left_out"]} == {
        ("good", 0, 0.0),
        ("half", 0, 0.0),
    }


def test_names_and_values_are_printed_as_they_are(built: Built) -> None:
    Topic.objects.filter(collection=built.collection).update(extra={"area": "a|b\n\nc"})
    names = ("[x](http://x)", "=1+1", "<img", "_x_", "bm25_title")
    for name in names:
        make_run(built.collection, name, {"1": {"d1": 1.0}})
    table = make_table(done(built, *names, by=("area",), measures=("AP",)))
    markdown = as_markdown(table)
    assert [line.split(" | ")[0] for line in markdown.splitlines()[2:7]] == [
        *(r"| \[x\](http://x)", "| =1+1", r"| \<img", r"| \_x\_", "| bm25_title"),
    ]
    assert r"area a\|b c (n = 12) AP" in markdown.splitlines()[0]
    assert "\n{[}x](http://x) & " in as_latex(table), "no option of the line end before it"
    assert r"area a|b c (n = 12)" in as_latex(table)
    assert "'=1+1," in as_csv(table)


@pytest.mark.slow
def test_the_axis_of_a_plot_has_the_numbers_of_the_table(built: Built) -> None:
    make_run(built.collection, "one", {str(topic): {"d1": 1.0} for topic in range(1, TOPICS + 1)})
    table = make_table(done(built, "one", measures=("NumRet", "P@1")))
    counts, shares = plot_of(table, 0), plot_of(table, 1)
    assert counts is not None
    assert shares is not None
    assert (counts.marks[0].words, max(float(text) for _, text in counts.ticks) < 2) == ("1.0, no interval", True)
    assert max(float(text) for _, text in shares.ticks) > 2
    for plot in (counts, shares):
        texts = [float(text) for _, text in plot.ticks]
        (gap,) = {round(later - earlier, 6) for earlier, later in pairwise(texts)}
        assert float(f"{gap:.0e}") == gap or f"{gap:.1e}".startswith("2.5"), "ticks are round numbers"
        assert (plot.ticks[0][0], plot.ticks[-1][0]) == (0, 100)
        assert 3 <= len(texts) <= 8
        marks = [end for mark in plot.marks for end in (mark.at, mark.low, mark.high) if end is not None]
        assert 0 <= min(marks) <= max(marks) <= 100


@pytest.mark.slow
def test_equal_as_printed_is_equally_best(built: Built) -> None:
    relevant = {topic: {docno: 1.0} for topic, docno, grade in qrels(built) if grade >= 2}
    make_run(built.collection, "one", relevant)
    make_run(built.collection, "two", relevant)
    found = done(built, "one", "two", measures=("AP",))
    nearly = found.whole.means["two"]["AP"]
    found.whole.means["two"]["AP"] = replace(nearly, value=(nearly.value or 0) + 1e-9)  # type: ignore[index]
    assert [row.cells[0].is_best for row in make_table(found).rows] == [True, True]


@pytest.mark.slow
def test_parts_of_topics_have_their_topics_pools(built: Built) -> None:
    """What a run alone brought in is found for every unit; what a hand picked, too, is in a pool of any depth."""
    topic = Topic.objects.get(collection=built.collection, number="1")
    documents = Document.objects.filter(collection=built.collection).order_by("pk")
    first, *_, last = make_pool(topic, documents, "good")
    PoolSource.objects.create(entry=first, method="half", rank=2)
    PoolSource.objects.create(entry=last, method="by-hand")
    part = SubQuery.objects.create(topic=topic, collection=built.collection, number="1-a", size=1, sentences=["a"])
    part.chosen.create(aspect=topic.aspects.order_by("pk")[0], position=0)
    for gold, parts in (("campaign:main", 1), ("campaign:main;unit=aspect", 2), ("sub-queries:main", 1)):
        found = read_gold(built.collection, gold)
        alone, depth = pool_sources(found, built.collection)
        assert alone["good"].sum() == parts * (len(documents) - 2), gold
        assert "half" not in alone
        of_topic = [place for place, number in enumerate(found.gold.topics) if number.partition(".")[0] in ("1", "1-a")]
        ranks = depth[np.isin(found.gold.topic, of_topic)]
        assert np.isinf(ranks).sum() == parts, "picked by hand"
        assert sorted(ranks)[:parts] == [1.0] * parts
        assert len(pools_of(built.collection, found.unit)[found.gold.topics[of_topic[0]]]) == len(documents)


def test_topics_that_every_run_ranks(built: Built) -> None:
    found = evaluated(built, topics="common")
    assert found["subsets"][0]["n_topics"] == TOPICS - 3
    assert "Only topics that every run ranks are counted." in found["notes"]
    assert not any("scores 0 there" in note for note in found["notes"]), "they are not counted"
    RetrievalRun.objects.create(collection=built.collection, name="none", created_at=AT)
    again = evaluated(built, "good", "half", "none", topics="common")
    assert again["subsets"][0]["n_topics"] == TOPICS - 3, "a run of no topic of the gold spoils nothing else"


def test_orders_leave_out_runs_that_a_measure_cannot_be_computed_for(built: Built) -> None:
    make_run(built.collection, "other", {str(topic): {"d1": 2.0, "x": 1.0} for topic in range(1, TOPICS + 1)})
    names = ("good", "half", "other")
    found = evaluated(built, *names, against="annotator:ana", measures=("AP", "nDCG_pool@50%"), topics="common")
    orders = {each["measure"]: each for each in found["tau"]}
    assert orders["AP"]["runs"] == list(names)
    assert orders["nDCG_pool@50%"]["runs"] == ["good", "half"]
    assert orders["nDCG_pool@50%"]["tau_b"]["n_items"] == TOPICS - 3, "of the topics that count"


def test_means_over_different_topics_are_pointed_out(built: Built) -> None:
    make_run(built.collection, "short", {"1": {"d1": 1.0}, "2": {f"d{d}": float(d) for d in range(12)}})
    found = evaluated(built, "good", "short", measures=("AP", "nDCG_pool@10%"))
    assert [note for note in found["notes"] if "Topics in each mean" in note] == [
        "nDCG_pool@10% is not defined for the same topics in every run. Topics in each mean: good 12, short 11."
    ]
