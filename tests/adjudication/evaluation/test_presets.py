"""The papers' tables against figures by hand."""

import csv
import io
from dataclasses import replace
from itertools import combinations
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from adjudication.evaluation.layout import make_table
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.evaluation.presets.reports import make_report
from adjudication.evaluation.spec import CONDENSED, EvaluationSpec
from adjudication.evaluation.writers import as_csv, as_latex
from adjudication.models import Verdict
from adjudication.splits.splits import make_split
from annotation.campaigns.items import build_items_of
from annotation.campaigns.lifecycle import create_campaign
from annotation.models import Judgment, Submission
from corpus.models import (
    Collection,
    Document,
    PartRanking,
    RetrievalRun,
    SubQuery,
    Target,
    Topic,
)
from tests.adjudication.evaluation.conftest import make_built
from tests.adjudication.evaluation.evaluating import done, evaluated, make_run
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    """One for each test that asks, as others make a collection of that name."""
    return make_built()


@pytest.mark.slow
def test_presets_of_doris_mae(built: Built) -> None:
    report = make_report(built.collection, EvaluationSpec("", ("good", "half"), preset="doris-2", resamples=1000))
    assert [column.label for column in report.table.columns] == ["R@5", "R@20", "RP", "NDCG exp 10%", "MRR@10", "MAP"]
    assert [row.label for row in report.table.rows] == ["good", "half", "Random"]
    assert all(cell.se for cell in report.table.rows[0].cells)
    assert " ± " in as_latex(report.table).replace(r"$\pm$", "±")
    assert report.table.with_se
    assert report.table.se_about == "±: standard error of the mean over topics, by the bootstrap (1,000 resamples)."


def test_a_tenth_of_a_small_pool_is_no_document(built: Built) -> None:
    """It is not that no topic has a relevant document: the other measures have values."""
    make_run(built.collection, "small", {str(topic): {f"d{d}": float(-d) for d in range(8)} for topic in range(1, 13)})
    make_run(built.collection, "other", {str(topic): {f"d{d}": float(d) for d in range(7)} for topic in range(1, 13)})
    found = done(built, "small", "other", measures=("nDCG_exp@10%", "nDCG_pool@5%", "nDCG_exp@20%", "AP"), by=())
    small = found.subsets[0].means["small"]
    assert [small[name].reason for name in ("nDCG_exp@10%", "nDCG_exp@20%", "AP")] == ["empty_share", None, None]
    table = make_table(found)
    assert "– (nDCG_exp@10%): a tenth of these pools is no document." in table.notes
    assert "– (nDCG_pool@5%): 5% of these pools is no document." in table.notes
    assert "no topic has a relevant" not in as_latex(table)


def test_table_8_of_doris_mae_is_of_the_split_that_was_drawn(built: Built) -> None:
    """Not of what a campaign called test judges, and not of a topic's own word."""
    topics = Topic.objects.filter(collection=built.collection)
    other = create_campaign(collection=built.collection, by=None, at=AT, name="Other", split="test")
    build_items_of(campaign=other, by=None, at=AT, pairs=[(topics[0].pk, built.items[0].document_id or 0)])
    topics.filter(number="2").update(extra={"split": "test"})
    spec = EvaluationSpec("campaign:main", ("good",), preset="doris-8", resamples=1000)
    with pytest.raises(Refused, match=r"No split of the topics has a part “test”\. Draw a split first"):
        make_report(built.collection, spec)
    how: dict[str, Any] = {"by": None, "at": AT, "collection": built.collection}
    make_split(**how, name="dev-test", parts={"dev": 1, "test": 2})
    table = make_report(built.collection, spec).table
    assert (table.rows[0].cells[0].n_topics, len(topics)) == (8, 12)
    assert table.caption.startswith("Means over 8 topics")
    make_split(**how, name="half", parts={"train": 1, "test": 1})
    with pytest.raises(Refused, match=r"Several splits .* break down by one of split:dev-test, split:half"):
        make_report(built.collection, spec)
    chosen = make_report(built.collection, replace(spec, by=("split:half",))).table
    assert chosen.caption.startswith("Means over 6 topics")
    with pytest.raises(Refused, match="other is not a split with a part “test”"):
        make_report(built.collection, replace(spec, by=("split:other",)))


def test_tables_6_and_7_of_doris_mae() -> None:
    """Worked out by hand over 20 documents, of which d1 to d3 have grades on the aspects a, b and c.

    Sums: of the topic d1 4, d2 1, d3 3; of ab d1 4, d2 1, d3 1; of bc d1 2, d3 3. Relevant from a mean of 1 on: d1 and
    d3 of the topic, d1 of ab, d1 and d3 of bc. nDCG_exp counts the first 2 (a tenth): Table 6 has
    (2 + 8/log2 3) / (16 + 8/log2 3), ab (2 + 16/log2 3) / (16 + 2/log2 3), bc (8 + 1/log2 3) / (8 + 4/log2 3).
    """
    grades = {"d1": (2, 2, 0), "d2": (1, 0, 0), "d3": (0, 1, 2)}
    docnos = [f"d{n}" for n in range(1, 21)]
    triples = [("1", aspect, docno) for docno in docnos for aspect in "abc"]
    labels = [[grades.get(docno, (0, 0, 0))["abc".index(str(aspect))]] * 3 for _, aspect, docno in triples]
    built = build_campaign(labels, triples=triples)
    vote(built)
    first, rest = ["d2", "d3", "d4", "d5", "d6", "d1"], docnos[6:]
    make_run(built.collection, "aspects", {"1": {docno: -float(at) for at, docno in enumerate([*first, *rest])}})
    table = make_report(built.collection, EvaluationSpec("", ("aspects",), preset="doris-6", resamples=1000)).table
    assert [cell.text for cell in table.rows[0].cells] == ["50.00", "100.00", "50.00", "33.48", "16.67", "41.67"]
    topic, run = Topic.objects.get(collection=built.collection), RetrievalRun.objects.get(name="aspects")
    aspects = {aspect.text: aspect for aspect in topic.aspects.all()}
    orders = {"ab": ["d2", "d1", "d3"], "bc": ["d3", "d2", "d1"], "a": docnos[::-1], "abc": docnos[::-1]}
    for name, order in orders.items():
        part = SubQuery.objects.create(
            collection=built.collection, topic=topic, number=f"1-{name}", size=len(name), sentences=[name]
        )
        for place, text in enumerate(name):
            part.chosen.create(aspect=aspects[text], position=place)
        ranked = [*order, *(docno for docno in docnos if docno not in order)]
        PartRanking.objects.create(run=run, sub_query=part, docnos=ranked, scores=[-float(at) for at in range(20)])
    table = make_report(built.collection, EvaluationSpec("", ("aspects",), preset="doris-7", resamples=1000)).table
    assert [cell.text for cell in table.rows[0].cells] == ["100.00", "100.00", "25.00", "76.04", "75.00", "66.67"]
    assert table.caption.startswith("Means over 2 topics"), "sub-queries of other sizes are left out"


def test_presets_of_litsearch_and_acm_cr() -> None:
    """Broad and specific questions of both origins and qualities; each column counts its own questions."""
    collection = Collection.objects.create(slug="lit", title="Lit", created_at=AT)
    kinds = [
        (source, specificity, quality)
        for source in ("inline-acl", "inline-nonacl", "author")
        for specificity in (0, 1)
        for quality in (1, 2)
    ]
    rankings: dict[str, dict[str, float]] = {}
    for place, (source, specificity, quality) in enumerate(kinds):
        extra = {"specificity": specificity, "quality": quality}
        topic = Topic.objects.create(
            collection=collection, number=str(place), text="Tea?", source=source, extra=extra, position=place
        )
        document = Document.objects.create(collection=collection, docno=f"d{place}", title="Tea")
        Target.objects.create(topic=topic, document=document)
        rankings[str(place)] = {f"d{place}" if specificity else "other": 1.0}
    make_run(collection, "bm25", rankings)
    make_run(collection, "bm25-full", dict(list(rankings.items())[:2]))
    tables = {
        name: make_report(collection, EvaluationSpec("", ("bm25", "bm25-full"), preset=name, resamples=1000)).table
        for name in PRESETS
        if name.startswith("litsearch")
    }
    texts = {name: [cell.text for cell in table.rows[0].cells] for name, table in tables.items()}
    assert texts["litsearch-3"] == ["0.0", "100.0", "100.0", "0.0", "100.0", "100.0", "0.0", "100.0"]
    assert texts["litsearch-4"] == ["100.0"] * 4
    few = "No † for fewer than 8 topics: a test over so few topics says very little."
    assert few in tables["litsearch-3"].notes, "also of columns where the runs do not differ"
    assert texts["litsearch-5"] == ["0.0", "100.0", "0.0", "100.0"]
    assert texts["litsearch-6"] == ["0.0", "100.0", "0.0", "100.0"]
    assert texts["litsearch-7"] == ["–", "–"], "no specific question is ranked by both"
    assert texts["litsearch-8"] == ["0.0", "100.0", "0.0", "100.0"]
    assert [column.groups[0] for column in tables["litsearch-8"].columns[::2]] == [
        "nDCG@10, 1/log2(rank + 1)",
        "LitSearch_nDCG@10, 1/rank",
    ]
    assert "nDCG@10 discounts by 1/log2(rank + 1)" in tables["litsearch-8"].caption
    assert [group for column in tables["litsearch-3"].columns for group in column.groups[:1]][::3] == [
        "Inline-citation",
        "Author-written",
        "Avg.",
    ]
    assert (tables["litsearch-5"].rows[1].label, tables["litsearch-5"].rows[1].is_indented) == ("w/ full", True)
    Topic.objects.filter(collection=collection, number__in=["1", "2", "3"]).update(kind="context-paragraph")
    Topic.objects.filter(collection=collection, number__in=["5", "6"]).update(kind="context-sentence")
    table = make_report(collection, EvaluationSpec("", ("bm25", "bm25-full"), preset="acm-cr-2", resamples=1000)).table
    assert [(column.groups, column.label) for column in table.columns] == [
        (("Paragraphs",), "R@10"),
        (("Paragraphs",), "nDCG@10"),
        (("Sentences",), "R@10"),
        (("Sentences",), "nDCG@10"),
    ]
    assert [cell.text for cell in table.rows[0].cells] == ["66.67", "66.67", "50.00", "50.00"]
    assert [cell.text for cell in table.rows[1].cells] == ["0.00", "0.00", "–", "–"]
    with pytest.raises(Refused, match="The collection has no papers"):
        make_report(collection, EvaluationSpec("", (), preset="acm-cr-1"))


@pytest.mark.slow
def test_condensed_lists_take_unjudged_documents_out(built: Built) -> None:
    make_run(built.collection, "stray", {"1": {"unjudged": 2, "d1": 1}})
    as_they_are = evaluated(built, "good", "stray", measures=("nDCG_exp@10%", "P@1"))["subsets"][0]["runs"]["stray"]
    condensed = evaluated(built, "good", "stray", measures=("nDCG_exp@10%", "P@1"), unjudged=CONDENSED)
    assert as_they_are["nDCG_exp@10%"]["value"] is None
    assert condensed["subsets"][0]["runs"]["stray"]["nDCG_exp@10%"]["value"] == 0.0
    assert "Unjudged documents are taken out of every ranking first (condensed lists)." in condensed["notes"]


def test_table_1_of_doris_mae_is_in_the_papers_layout() -> None:
    """Three people and two runs of a machine that has no vote, as scikit-learn and SciPy have it."""
    from scipy.stats import spearmanr
    from sklearn.metrics import accuracy_score, f1_score

    def macro_f1(one: Any, two: Any) -> float:
        return float(f1_score(one, two, average="macro"))

    rng = np.random.default_rng(4)
    truth = rng.choice(3, 60, p=[0.5, 0.3, 0.2])
    labels = np.where(rng.random((60, 5)) < 0.3, rng.choice(3, (60, 5)), truth[:, None])
    built = build_campaign(labels.tolist(), machines=[("g1", "gpt", 1), ("g2", "gpt", 2)], topics=60)
    vote(built)
    spec = EvaluationSpec("campaign:main", (), preset="doris-1", resamples=1000)
    table = make_report(built.collection, spec).table
    assert [column.label for column in table.columns] == ["G&A", "avg. H&H", "avg. G&H", "H&H CI", "G&H CI", "p-value"]
    assert [row.label for row in table.rows] == ["F1-score (macro)", "Accuracy", "Spearman's ρ"]
    among = list(combinations(range(3), 2))
    across = [(g, h) for g in (3, 4) for h in range(3)]
    for row, figure in zip(
        table.rows, (macro_f1, accuracy_score, lambda one, two: spearmanr(one, two).statistic), strict=True
    ):
        for cell, pairs in ((row.cells[1], among), (row.cells[2], across)):
            assert cell.text == f"{100 * np.mean([figure(labels[:, a], labels[:, b]) for a, b in pairs]):.2f}"
        for cell, interval in zip(row.cells[1:3], row.cells[3:5], strict=True):
            assert (interval.low or 1) < (cell.value or 0) < (interval.high or 0)
            assert interval.text == f"({100 * (interval.low or 0):.2f}, {100 * (interval.high or 0):.2f})"
        assert 0 <= (row.cells[5].value or 0) <= 1
    verdicts = dict(Verdict.objects.filter(value__isnull=False).values_list("item__document__docno", "value"))
    decided = [(verdicts.get(f"doc{at:05d}"), row) for at, row in enumerate(labels.tolist())]
    agreed = [value == row[g] for value, row in decided if value is not None for g in (3, 4)]
    assert table.rows[1].cells[0].text == f"{100 * np.mean(agreed):.2f}"
    assert "H is human (3 people), G is gpt (2 runs), A is the verdict" in table.caption
    assert "percentile bootstrap, 1,000 resamples of single items" in table.caption
    assert ", 95% interval −" in " ".join(table.notes), "a minus, as everywhere"
    line = next(csv.DictReader(io.StringIO(as_csv(table))))
    assert float(line["H&H CI low"]) < float(line["avg. H&H"]) < float(line["H&H CI high"])
    assert r"G\&A & avg. H\&H" in as_latex(table)
    with pytest.raises(Refused, match="choose campaign:NAME as gold"):
        make_report(built.collection, replace(spec, gold="targets"))


def test_the_page_offers_table_1_before_there_is_a_run(client: Client) -> None:
    rows = [[0, 0, 0, 0], [1, 1, 2, 1], [2, 2, 2, 2]]
    built = build_campaign(rows, machines=[("g1", "gpt", 1)])
    vote(built)
    client.force_login(built.people["manager"])
    address = reverse("evaluation_create", args=[built.collection.slug])
    assert "DORIS-MAE Table 1" in client.get(address).text
    sent = client.post(address, {"preset": "doris-1", "gold": "campaign:main", "measures": "", "resamples": "1000"})
    assert sent.status_code == 302, sent.text


def test_table_1_compares_no_machine_with_a_verdict_that_newer_labels_may_change(built: Built) -> None:
    spec = EvaluationSpec("campaign:main", (), preset="doris-1", resamples=1000)
    assert make_report(built.collection, spec).table.rows[1].cells[0].text == "100.00"
    judgment = Judgment.objects.filter(assignment__annotator__name="ana").select_related("assignment")[0]
    value = (judgment.value + 1) % 3
    newer = Submission.objects.create(
        uuid=uuid4(), assignment=judgment.assignment, kind="answer", received_at=AT, answers={"relevance": value}
    )
    Judgment.objects.filter(pk=judgment.pk).update(submission=newer, value=value)
    cells = make_report(built.collection, spec).table.rows[1].cells
    assert (cells[0].text, "came after the votes were counted: count again" in cells[0].why) == ("–", True)
    assert cells[2].value is not None
