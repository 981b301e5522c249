"""Exported files read by ir-measures give the figures of an evaluation; CSFCube through import and evaluation."""

import csv
import json
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from django.core.management import call_command

from corpus.models import Aspect, PartRanking, RetrievalRun, Target
from tests.adjudication.csfcube import NAMES
from tests.adjudication.evaluation.evaluating import make_run
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.adjudication import Built
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.shared import shared_path

pytestmark = pytest.mark.django_db

Figures = dict[str, dict[str, float | None]]


def figures(capsys: pytest.CaptureFixture[str], slug: str, *words: str) -> list[tuple[dict[str, str], Figures]]:
    """(subset, {run: {measure: value}}) of `evaluate`."""
    capsys.readouterr()
    call_command("evaluate", slug, *words, "--json")
    subsets = json.loads(capsys.readouterr().out)["subsets"]
    return [
        (each["by"], {run: {name: one["value"] for name, one in of.items()} for run, of in each["runs"].items()})
        for each in subsets
    ]


def read_back(tmp_path: Path, slug: str, runs: list[str], qrels: tuple[str, ...], relevance: int) -> Figures:
    """The same by ir-measures from plainly exported files, over topics with a relevant document."""
    call_command("export", slug, *qrels, "--out", str(tmp_path / "own.qrels"))
    rows = list(ir_measures.read_trec_qrels(str(tmp_path / "own.qrels")))
    answered = {row.query_id for row in rows if row.relevance >= relevance}
    known = [row for row in rows if row.query_id in answered]
    wanted = {
        "AP": ir_measures.AP(rel=relevance),
        "R@5": ir_measures.R(rel=relevance) @ 5,
        "RR@10": ir_measures.RR(rel=relevance) @ 10,
        "P@5": ir_measures.P(rel=relevance) @ 5,
        "nDCG@10": ir_measures.nDCG @ 10,
    }
    found: Figures = {}
    for run in runs:
        file = tmp_path / f"{run}.run"
        call_command("export_run", slug, run, "--out", str(file))
        read = list(ir_measures.read_trec_run(str(file)))
        values = ir_measures.calc_aggregate(list(wanted.values()), known, read)
        found[run] = {name: values[measure] for name, measure in wanted.items()}
    return found


MEASURES = ("--measure", "AP", "R@5", "RR@10", "P@5", "nDCG@10")


def agree(ours: Figures, theirs: Figures) -> None:
    assert ours.keys() == theirs.keys()
    for run, values in theirs.items():
        assert ours[run] == pytest.approx(values, abs=1e-12), run


def test_of_verdicts_by_query_and_by_aspect(built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(built.collection, "tied", {"1": {"d1": 2, "d2": 1, "d3": 1, "x": 1}, "2": {"d4": 0.1, "d5": 0.1}})
    runs = ["good", "half", "tied"]
    ((_, ours),) = figures(capsys, "tea", "--gold", "campaign:main", "--run", *runs, *MEASURES)
    agree(ours, read_back(tmp_path, "tea", runs, ("--format", "qrels"), 2))

    rng, parts = (
        np.random.default_rng(8),
        RetrievalRun.objects.create(collection=built.collection, name="parts", created_at=AT),
    )
    for aspect in Aspect.objects.filter(topic__collection=built.collection):
        docnos = [f"d{place}" for place in rng.permutation(15)[:12]]
        scores = sorted(rng.random(12).astype(np.float32).tolist(), reverse=True)
        PartRanking.objects.create(run=parts, aspect=aspect, docnos=docnos, scores=scores)
    ((_, ours),) = figures(capsys, "tea", "--gold", "campaign:main;unit=aspect", "--run", "parts", *MEASURES)
    agree(ours, read_back(tmp_path, "tea", ["parts"], ("--format", "qrels", "--level", "aspect"), 1))


def test_of_targets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    collection, rng = CollectionFactory(slug="coffee"), np.random.default_rng(9)
    documents = [DocumentFactory(collection=collection, docno=f"d{number}") for number in range(30)]
    scores = {}
    for number in range(8):
        rated = {"specificity": 1, "quality": 2}
        topic = TopicFactory(collection=collection, number=f"q{number}", kind="question", extra=rated)
        for place in rng.permutation(30)[: 1 + number % 3]:
            Target.objects.create(topic=topic, document=documents[place])
        scores[topic.number] = {each.docno: float(np.float32(rng.random())) for each in documents[:20]}
    make_run(collection, "bm25", scores)
    ((_, ours),) = figures(capsys, "coffee", "--gold", "targets", "--run", "bm25", *MEASURES)
    agree(ours, read_back(tmp_path, "coffee", ["bm25"], ("--format", "question-qrels"), 1))


@pytest.mark.shared
def test_csfcube_from_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Papers, query facets, grades and SPECTER's run come in; figures by facet as its script and trec_eval have it."""
    folder = shared_path("data", "csfcube")
    expected = json.loads((folder / "expected_eval.json").read_text(encoding="utf-8"))
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
        rows = [(f"{row['query_pid']}_{row['facet']}", row) for row in csv.DictReader(file)]
    topics = {number: {"number": number, "text": number, "facet": row["facet"]} for number, row in rows}
    (tmp_path / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics.values()))
    grades = [f"{number} 0 {row['candidate_pid']} {row['adjudicated']}\n" for number, row in rows]
    (tmp_path / "csfcube.qrels").write_text("".join(grades))
    CollectionFactory(slug="facets")
    call_command("import_documents", "facets", str(folder / "papers.jsonl"))
    call_command("import_topics", "facets", str(tmp_path / "topics.jsonl"))
    call_command("import_qrels", "facets", str(tmp_path / "csfcube.qrels"), "--name", "csfcube")
    call_command("import_runs", "facets", str(folder / "specter.run"))
    asked = ("--gold", "qrels:csfcube;relevance=2", "--run", "specter", "--by", "facet", "--measure")
    for script, names in NAMES.items():
        found = {by.get("facet", "all"): of["specter"] for by, of in figures(capsys, "facets", *asked, *names.values())}
        for facet, values in expected[script].items():
            wanted = {names[name]: value for name, value in values.items() if name in names}
            assert found[facet] == pytest.approx(wanted, abs=1e-6), (script, facet)
