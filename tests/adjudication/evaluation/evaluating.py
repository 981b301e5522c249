"""Runs, figures and qrels in few words, for the tests of evaluation."""

import json
from typing import Any

from adjudication.evaluation.evaluation import evaluate
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from corpus.models import (
    Collection,
    Ranking,
    RetrievalRun,
    Topic,
)
from engines.stats.rankings import canonical_ranking
from tests.factories.adjudication import AT, Built


def make_run(collection: Collection, name: str, scores: dict[str, dict[str, float]]) -> None:
    run = RetrievalRun.objects.create(collection=collection, name=name, created_at=AT)
    for number, of_topic in scores.items():
        docnos = canonical_ranking(of_topic)
        values = [of_topic[docno] for docno in docnos]
        topic = Topic.objects.get(collection=collection, number=number)
        Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=values)


def done(built: Built, *runs: str, gold: str = "campaign:main", **more: Any) -> EvaluationResult:
    more = {"resamples": 1000, **more}
    return evaluate(built.collection, EvaluationSpec(gold, runs or ("good", "half"), **more))


def evaluated(built: Built, *runs: str, **more: Any) -> dict[str, Any]:
    return json.loads(json.dumps(done(built, *runs, **more).to_json(), allow_nan=False))


def qrels(built: Built) -> list[tuple[str, str, int]]:
    lines = b"".join(open_export(make_options(built.collection, "qrels")).pieces).decode().splitlines()
    return [(topic, docno, int(grade)) for topic, _, docno, grade in map(str.split, lines)]
