"""Subsets of topics, tables and plots of an evaluation, and what they say of themselves."""

import csv
import io
from dataclasses import replace
from itertools import pairwise
from typing import Any

import ir_measures
import numpy as np
import pytest

from adjudication.evaluation.further import further_tables
from adjudication.evaluation.golds.registry import (
    read_gold,
)
from adjudication.evaluation.layout import make_table
from adjudication.evaluation.plots import plot_of
from adjudication.evaluation.rankings import pool_sources, pools_of
from adjudication.evaluation.tables import ScoreCell
from adjudication.evaluation.writers import (
    WRITERS,
    as_csv,
    as_latex,
    as_markdown,
    figures_csv,
    write_report,
)
from corpus.models import (
    Document,
    PoolSource,
    Ranking,
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
    lines = list(csv.DictReader(io.StringIO(as_csv(table.shown(se=True, interval=True)))))
    wanted = {"AP": "100.00", "AP low": "", "AP topics": "12", "AP †": "†", "nDCG@10": "100.00", "nDCG@10 †": "†"}
    assert wanted.items() <= lines[1].items(), "of 12 equal values there is no interval, and no standard error but 0"
    assert lines[1]["AP SE"] == "0.00"
    assert float(lines[0]["AP low"]) < float(lines[0]["AP"]) < float(lines[0]["AP high"])
    assert all(float(lines[0][name]) > 0 for name in ("AP SE", "nDCG@10 SE"))
    assert "±" not in as_csv(table.shown(se=True)), "each cell is a number"
    assert "differs from good, paired t-test, Holm-adjusted p < 0.05" in table.caption
    lines = figures_csv([found, found]).splitlines()
    assert lines[0].startswith("run,measure,by,n_topics,value,se,low,high")
    assert [line.split(",")[0] for line in lines].count("run") == 1, "several evaluations have one header"
    assert {(test.a, test.b) for test in found.whole.tests} == {("good", "best")}


@pytest.mark.slow
def test_two_golds_and_what_each_run_brought(built: Built) -> None:
    found = evaluated(built, against="annotator:ana", measures=("AP",))
    (order,) = found["tau"]
    assert (order["reference"], order["other"]) == ("campaign:main", "annotator:ana")
    assert (order["tau_b"]["value"], order["tau_ap"]["value"]) == (1, 1)
    (table,) = further_tables(found)
    assert [cell.text for cell in table.rows[0].cells] == ["2", "12", "1.000", "1.000"]
    assert "Kendall's τ-b and τ" in as_latex(table).replace(r"$\tau$", "τ")


def test_sensitivity_goes_by_method_also_where_no_run_was_pooled(built: Built) -> None:
    """DORIS-MAE's C.6: pools made by searches, which bring in what no run did. In every format, and for the runs that
    change most."""
    stranger = evaluated(built, sensitivity=True, measures=("AP",))
    assert stranger["left_out"] == []
    assert "The origin of the judged documents is not recorded" in stranger["notes"][-1]
    documents = list(Document.objects.filter(collection=built.collection).order_by("pk"))
    for topic in Topic.objects.filter(collection=built.collection):
        entries = make_pool(topic, documents[:10], "search:bm25")
        make_pool(topic, documents[10:], "search:tfidf")
        PoolSource.objects.bulk_create(
            PoolSource(entry=entry, method="search:tfidf", rank=rank) for rank, entry in enumerate(entries[5:], 6)
        )
    found = done(built, sensitivity=True, measures=("AP",))
    left = {each.method: each for each in found.left_out}
    assert list(left) == ["search:bm25", "search:tfidf"]
    gone = {document.docno for document in documents[:5]}
    kept = [ir_measures.Qrel(t, docno, int(grade >= 2)) for t, docno, grade in qrels(built) if docno not in gone]
    answered = {row.query_id for row in kept if row.relevance}
    runs = {
        name: [
            ir_measures.ScoredDoc(number, docno, score)
            for number, docnos, scores in Ranking.objects.filter(run__name=name).values_list(
                "topic__number", "docnos", "scores"
            )
            for docno, score in zip(docnos, scores, strict=True)
        ]
        for name in ("good", "half")
    }
    known = [row for row in kept if row.query_id in answered]
    theirs = {
        name: ir_measures.calc_aggregate([ir_measures.AP], known, run)[ir_measures.AP] for name, run in runs.items()
    }
    bm25 = left["search:bm25"]
    assert bm25.without == pytest.approx(theirs, abs=1e-12)
    assert (bm25.judgments, bm25.n_topics_without) == (5 * TOPICS, len(answered))
    assert any(note.startswith("No pool was made of good, half") for note in found.notes)
    report = found.to_json()
    for form in WRITERS:
        written = write_report(form, make_table(found), report)
        assert "search:bm25" in written, form
        assert "Shallower pools" in written or form == "csv"


def test_a_caption_counts_what_its_means_count(built: Built) -> None:
    """R@5 asks for a relevant document, nDCG for a gain: of grades below the threshold there are more topics."""
    spec: dict[str, Any] = {"gold": "campaign:main;grade=mean;relevance=2", "measures": ("R@5", "nDCG@10", "Judged@5")}
    plain = done(built, **spec)
    counts = {measure: plain.whole.means["good"][measure].n_items for measure in plain.measures}
    assert counts["R@5"] < counts["nDCG@10"] == TOPICS
    table = make_table(plain)
    few = counts["R@5"]
    assert table.caption.startswith(f"Means over {few} to 12 topics in percent, against verdicts of Main round.")
    assert f"Topics in each mean: R@5 {few}; nDCG@10 12; Judged@5 12." in table.notes
    for form in ("markdown", "latex"):
        assert f"Topics in each mean: R@5 {few};" in WRITERS[form](table)
        assert "\n%" not in WRITERS[form](table), "what changes the reading is printed"
    assert next(csv.DictReader(io.StringIO(as_csv(table))))["R@5 topics"] == str(few)
    same = make_table(done(built, **spec, topics="relevant"))
    assert same.caption.startswith(f"Means over {few} topics in percent")
    subsets = make_table(done(built, **spec, by=("kind",)))
    assert subsets.heads[0][0][0] == f"all topics (n = {few} to 12)"


def test_trec_evals_mean_counts_topics_without_a_relevant_document_as_zero(built: Built) -> None:
    gold = "campaign:main;relevance=2"
    binary = [ir_measures.Qrel(topic, docno, int(grade >= 4)) for topic, docno, grade in qrels(built)]
    run = [
        ir_measures.ScoredDoc(number, docno, score)
        for number, docnos, scores in Ranking.objects.filter(run__name="half").values_list(
            "topic__number", "docnos", "scores"
        )
        for docno, score in zip(docnos, scores, strict=True)
    ]
    theirs = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.P @ 5], binary, run)
    names = ("AP", "P@5", "nDCG_pool@10%")
    found = evaluated(built, gold=gold, measures=names, empty_topics="zero", random=True)
    mine = found["subsets"][0]["runs"]["half"]
    assert {str(measure): mine[str(measure)]["value"] for measure in theirs} == pytest.approx(
        {str(measure): value for measure, value in theirs.items()}, abs=1e-12
    )
    assert mine["AP"]["n_topics"] == TOPICS
    assert any("They count as 0, as trec_eval counts them." in note for note in found["notes"])
    left = evaluated(built, gold=gold, measures=names)["subsets"][0]["runs"]["half"]
    assert left["AP"]["n_topics"] < TOPICS
    assert left["AP"]["value"] > mine["AP"]["value"]


def test_few_topics_have_no_mark_and_a_word_why(built: Built) -> None:
    """Seven topics on which one run is always ahead: p is small, and says next to nothing."""
    for place, topic in enumerate(Topic.objects.filter(collection=built.collection).order_by("position")):
        Topic.objects.filter(pk=topic.pk).update(extra={"part": "few" if place < 7 else "none"})
    grades: dict[str, dict[str, float]] = {}
    for topic, docno, grade in qrels(built):
        grades.setdefault(topic, {})[docno] = float(grade)
    make_run(built.collection, "best", grades)
    make_run(built.collection, "worst", {topic: {docno: -g for docno, g in of.items()} for topic, of in grades.items()})
    found = done(built, "best", "worst", by=("part",), measures=("nDCG@10",), baseline="best")
    table = make_table(found)
    headings = [column.heading for column in table.columns]
    marks = {heading: table.rows[1].cells[place].is_marked for place, heading in enumerate(headings)}
    assert marks == {
        "all topics (n = 12) nDCG@10": True,
        "part few (n = 7) nDCG@10": False,
        "part none (n = 5) nDCG@10": False,
    }
    test = next(each for each in found.subsets[1].tests)
    assert (test.t_holm or 1) < 0.05, "the p alone would have marked it"
    why = (
        "No † for fewer than 8 topics (part few (n = 7) nDCG@10; part none (n = 5) nDCG@10): a test over so few topics"
    )
    assert any(note.startswith(why) for note in table.notes)
    few = Topic.objects.filter(collection=built.collection, extra={"part": "few"}).values_list("number", flat=True)
    make_run(built.collection, "sure", {topic: grades[topic] for topic in few})
    make_run(built.collection, "else", {topic: {docno: -g for docno, g in grades[topic].items()} for topic in few})
    small = make_table(done(built, "sure", "else", topics="common", measures=("nDCG@10",)))
    assert "†" not in small.caption
    assert "No † for fewer than 8 topics: a test over so few topics says very little." in small.notes
    extra = {"part": "one"}
    Topic.objects.filter(collection=built.collection, number=few[0]).update(extra=extra)
    make_run(built.collection, "best too", grades)
    same = make_table(done(built, "best", "best too", by=("part",), measures=("nDCG@10",)))
    why = "No † for fewer than 8 topics (part few (n = 6) nDCG@10; part none (n = 5) nDCG@10; part one (n = 1) nDCG@10)"
    assert any(note.startswith(why) for note in same.notes), "where the runs do not differ, too"
    assert small.se_about == "No standard errors: fewer than 8 topics are too few for one."
    assert small.shown(se=True).full_caption.endswith(small.se_about)


def test_why_there_is_no_figure_is_printed(built: Built) -> None:
    make_run(built.collection, "stray", {"1": {"d1": 2, "unjudged": 1}})
    table = make_table(done(built, "good", "stray", measures=("nDCG_exp@10%", "AP")))
    note = (
        "– (stray, nDCG_exp@10%): topic 1 has unjudged documents in its ranking; this measure re-ranks a judged pool."
    )
    assert note in table.notes
    assert note.replace("–", "--") in as_latex(table).replace(r"\_", "_").replace(r"\%", "%")
    lines = list(csv.DictReader(io.StringIO(as_csv(table))))
    assert (lines[1]["nDCG_exp@10%"], lines[1]["nDCG_exp@10% reason"][:7]) == ("", "topic 1")


def test_tables_that_were_stored_before_cells_knew_their_scale() -> None:
    old = {"text": "16.51 ± 2.05", "value": 0.16513, "is_best": True, "is_marked": False, "why": "", "n_topics": 60}
    cell = ScoreCell.from_json({**old, "low": 0.12, "high": 0.21})
    assert (cell.scale, cell.places, cell.interval) == (100, 2, "(12.00, 21.00)")
    count = ScoreCell.from_json({**old, "text": "1,041.0", "value": 1041.0, "low": None, "high": None})
    assert (count.scale, count.places, count.printed(count.value)) == (1, 1, "1041.0")


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
    assert not counts.has_intervals, "so its page promises none"
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
        assert alone["half"].sum() == 0, "what it brought, another did as well"
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
