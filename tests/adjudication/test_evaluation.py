"""Runs against verdicts: the values are those of ir-measures, the refusals those of the export."""

import json

import ir_measures
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from accounts.refusals import Refused
from adjudication.exports.evaluation import evaluate_runs
from adjudication.exports.options import make_options
from corpus.models import Ranking, RetrievalRun, Topic
from tests.adjudication.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db

TOPICS, DOCUMENTS = 12, 15


@pytest.fixture
def built() -> Built:
    rng = np.random.default_rng(5)
    triples = [(str(t), f"aspect {a}", f"d{d}") for t in range(1, TOPICS + 1) for d in range(DOCUMENTS) for a in (1, 2)]
    labels = [[value] * 2 for value in rng.choice(3, len(triples), p=[0.6, 0.25, 0.15]).tolist()]
    found = build_campaign(labels, people=("ana", "ben"), triples=triples)
    vote(found)
    for name, topics in (("good", TOPICS), ("half", TOPICS - 3)):
        run = RetrievalRun.objects.create(collection=found.collection, name=name, created_at=AT)
        for topic in Topic.objects.filter(collection=found.collection)[:topics]:
            scores = sorted(rng.random(DOCUMENTS - 2).tolist(), reverse=True)
            docnos = [f"d{d}" for d in rng.permutation(DOCUMENTS)[: DOCUMENTS - 2]]
            Ranking.objects.create(run=run, topic=topic, docnos=docnos, scores=scores)
    return found


def test_means_are_those_of_ir_measures(built: Built) -> None:
    options = make_options(built.collection, "qrels")
    found = evaluate_runs(options, ["good", "half"], measures=["ndcg@10", "ap", "r@5"], resamples=1000)
    qrels = [
        ir_measures.Qrel(line.split()[0], line.split()[2], int(line.split()[3]) >= 2)
        for line in _lines(built)
    ]  # fmt: skip
    for name in ("good", "half"):
        run = [
            ir_measures.ScoredDoc(ranking.topic.number, docno, score)
            for ranking in Ranking.objects.filter(run__name=name).select_related("topic")
            for docno, score in zip(ranking.docnos, ranking.scores, strict=True)
        ]
        theirs = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.R @ 5], qrels, run)
        assert found["runs"][name]["ap"]["value"] == pytest.approx(theirs[ir_measures.AP])
        assert found["runs"][name]["r@5"]["value"] == pytest.approx(theirs[ir_measures.R @ 5])
        graded = [ir_measures.Qrel(line.split()[0], line.split()[2], int(line.split()[3])) for line in _lines(built)]
        mine = found["runs"][name]["ndcg@10"]
        assert mine["value"] == pytest.approx(
            ir_measures.calc_aggregate([ir_measures.nDCG @ 10], graded, run).popitem()[1]
        )
        assert mine["low"] <= mine["value"] <= mine["high"]
    assert found["missing"] == {"half": ["10", "11", "12"]}
    assert {(test["a"], test["b"], test["measure"]) for test in found["tests"]} == {
        ("good", "half", measure) for measure in ("ndcg@10", "ap", "r@5")
    }


def _lines(built: Built) -> list[str]:
    from adjudication.exports.files import open_export

    return b"".join(open_export(make_options(built.collection, "qrels")).pieces).decode().splitlines()


def test_refusals(built: Built) -> None:
    options = make_options(built.collection, "qrels")
    with pytest.raises(Refused, match="no run 'none'"):
        evaluate_runs(options, ["none"])
    with pytest.raises(Refused, match="unknown measure"):
        evaluate_runs(options, ["good"], measures=["magic"])
    built.label(built.items[0], "ana", 1, repeat=1)
    with pytest.raises(Refused, match="newer answer"):
        evaluate_runs(options, ["good"])


def test_command(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate", "tea", "--run", "good", "half", "--resamples", "1000", "--json")
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert set(found["runs"]["good"]) == {"r@5", "r@20", "rprec", "ap", "rr@10", "ndcg@10"}
    assert "good – half" in told.err
    with pytest.raises(CommandError, match="no run"):
        call_command("evaluate", "tea", "--run", "nope")
