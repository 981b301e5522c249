"""Exported files read by ir-measures give the figures of an evaluation, also by page and REST; CSFCube those of its
authors."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from corpus.models import Aspect, PartRanking, RetrievalRun, SubQuery, Target, Topic
from tests.adjudication.csfcube import NAMES
from tests.adjudication.evaluation.evaluating import make_run
from tests.adjudication.evaluation.roads import ROADS, Page, check_read_back
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.adjudication import Built
from tests.factories.corpus import DocumentFactory, TopicFactory
from tests.shared import shared_path

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_of_verdicts_by_query_by_aspect_and_by_sub_query(built: Built, tmp_path: Path) -> None:
    collection, rng = built.collection, np.random.default_rng(8)
    make_run(collection, "tied", {"1": {"d1": 2, "d2": 1, "d3": 1, "x": 1}, "2": {"d4": 0.1, "d5": 0.1}})
    check_read_back(collection, tmp_path, "campaign:main", ["good", "half", "tied"], ("qrels", {}), 2)

    def ranked(run: RetrievalRun, **part: Aspect | SubQuery) -> None:
        docnos = [f"d{place}" for place in rng.permutation(15)[:12]]
        scores = sorted(rng.random(12).astype(np.float32).tolist(), reverse=True)
        PartRanking.objects.create(run=run, docnos=docnos, scores=scores, **part)

    parts, combined = (
        RetrievalRun.objects.create(collection=collection, name=name, created_at=AT) for name in ("parts", "combined")
    )
    for aspect in Aspect.objects.filter(topic__collection=collection):
        ranked(parts, aspect=aspect)
    for topic in Topic.objects.filter(collection=collection).order_by("position")[:6]:
        fields = {"number": f"{topic.number}-ab", "size": 2, "sentences": ["Tea?"]}
        sub_query = SubQuery.objects.create(collection=collection, topic=topic, **fields)
        for position, aspect in enumerate(topic.aspects.order_by("pk")):
            sub_query.chosen.create(aspect=aspect, position=position)
        ranked(combined, sub_query=sub_query)
    for gold, run, level, relevance in (
        ("campaign:main;unit=aspect", "parts", "aspect", 1),
        ("sub-queries:main", "combined", "sub-query", 2),
    ):
        check_read_back(collection, tmp_path, gold, [run], ("qrels", {"level": level}), relevance)


@pytest.mark.slow
def test_of_targets(tmp_path: Path) -> None:
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
    check_read_back(collection, tmp_path, "targets", ["bm25"], ("question-qrels", {}), 1, ways=ROADS)


@pytest.mark.slow
@pytest.mark.shared
def test_csfcube_from_its_files(tmp_path: Path) -> None:
    """Papers, query facets, grades and SPECTER's run come in; figures by facet as its script and trec_eval have it."""
    folder = shared_path("data", "csfcube")
    expected = json.loads((folder / "expected_eval.json").read_text(encoding="utf-8"))
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
        rows = [(f"{row['query_pid']}_{row['facet']}", row) for row in csv.DictReader(file)]
    topics = {number: {"number": number, "text": number, "facet": row["facet"]} for number, row in rows}
    (tmp_path / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics.values()))
    grades = [f"{number} 0 {row['candidate_pid']} {row['adjudicated']}\n" for number, row in rows]
    (tmp_path / "csfcube.qrels").write_text("".join(grades))
    collection = CollectionFactory(slug="facets")
    call_command("import_documents", "facets", str(folder / "papers.jsonl"))
    call_command("import_topics", "facets", str(tmp_path / "topics.jsonl"))
    call_command("import_qrels", "facets", str(tmp_path / "csfcube.qrels"), "--name", "csfcube")
    call_command("import_runs", "facets", str(folder / "specter.run"))
    measures = [measure for names in NAMES.values() for measure in names.values()]
    subsets = Page(collection, tmp_path).figures("qrels:csfcube;relevance=2", ["specter"], measures, "facet")
    found = {by.get("facet", "all"): of["specter"] for by, of in subsets}
    for script, names in NAMES.items():
        for facet, values in expected[script].items():
            wanted = {names[name]: value for name, value in values.items() if name in names}
            of_script = {measure: found[facet][measure] for measure in wanted}
            assert of_script == pytest.approx(wanted, abs=1e-6), (script, facet)
