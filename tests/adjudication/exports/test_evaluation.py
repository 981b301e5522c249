"""Runs against verdicts: the values are those of ir-measures, the refusals those of the export."""

import json
import uuid

import ir_measures
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from accounts.refusals import Refused
from adjudication.exporting.options import make_options
from adjudication.exports.evaluation import evaluate_runs
from annotation.models import Judgment, Submission
from corpus.models import Ranking, RetrievalRun, Topic
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.corpus import make_tree

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
    with pytest.raises(Refused, match=r"unknown measure 'magic'; there are r@K, p@K, .*ndcg_exp_10pct"):
        evaluate_runs(options, ["good"], measures=["magic"])
    with pytest.raises(Refused, match=r"r@0.*such as r@10"):
        evaluate_runs(options, ["good"], measures=["r@0"])
    judgment = Judgment.objects.filter(assignment__item=built.items[0]).select_related("assignment")[0]
    value = (judgment.value + 1) % 3
    changed = Submission.objects.create(
        uuid=uuid.uuid4(), assignment=judgment.assignment, kind="answer", received_at=AT, answers={"relevance": value}
    )
    Judgment.objects.filter(pk=judgment.pk).update(submission=changed, value=value)
    with pytest.raises(Refused, match="newer answer"):
        evaluate_runs(options, ["good"])


def test_a_measure_that_one_run_lacks_spoils_nothing_else(built: Built) -> None:
    """Re-ranking measures want every ranked document judged, which is so of one run and not of the other."""
    stray = RetrievalRun.objects.create(collection=built.collection, name="stray", created_at=AT)
    topic = Topic.objects.get(number="1")
    Ranking.objects.create(run=stray, topic=topic, docnos=["d1", "unjudged"], scores=[2, 1])
    options = make_options(built.collection, "qrels")
    found = evaluate_runs(options, ["good", "stray"], measures=["ndcg_exp_10pct", "AP"], resamples=1000)
    stray_mean = found["runs"]["stray"]["ndcg_exp_10pct"]
    assert (stray_mean["value"], stray_mean["reason"]) == (None, "unjudged_document")
    assert stray_mean["problem"] == "query 1: 'unjudged' is not judged; this measure re-ranks a judged pool"
    assert found["runs"]["good"]["ndcg_exp_10pct"]["value"] is not None
    assert found["runs"]["stray"]["AP"]["value"] is not None
    assert [(test["measure"], test["reason"]) for test in found["tests"]] == [
        ("ndcg_exp_10pct", "unjudged_document"),
        ("AP", None),
    ]


def test_identical_runs(built: Built) -> None:
    again = RetrievalRun.objects.create(collection=built.collection, name="again", created_at=AT)
    for ranking in Ranking.objects.filter(run__name="good"):
        Ranking.objects.create(run=again, topic=ranking.topic, docnos=ranking.docnos, scores=ranking.scores)
    (test,) = evaluate_runs(
        make_options(built.collection, "qrels"), ["good", "again"], measures=["ap"], resamples=1000
    )["tests"]
    assert (test["p"], test["reason"], test["p_randomisation"]) == (None, "no_difference", 1.0)


def test_sampled_aspects(built: Built) -> None:
    """Topic 1 gets an aspect that nobody judged: refused, or over the judged ones, each document by its own number."""
    make_tree(Topic.objects.get(number="1"), {"aspect 3": []})
    with pytest.raises(Refused, match=r"1 \(2 of 3 aspects judged\)"):
        evaluate_runs(make_options(built.collection, "qrels", unresolved="skip"), ["good"])
    before = evaluate_runs(make_options(built.collection, "qrels", aspects="judged"), ["good"], resamples=1000)
    assert (before["aspects"], before["queries"]) == ("judged", TOPICS)
    assert "1 (2 of 3 aspects judged)" in before["notes"][0]
    Topic.objects.get(number="1").nodes.filter(aspect__text="aspect 3").delete()
    Topic.objects.get(number="1").aspects.filter(text="aspect 3").delete()
    after = evaluate_runs(make_options(built.collection, "qrels"), ["good"], resamples=1000)
    assert before["runs"] == after["runs"], "the unjudged aspect is in no sum and in no threshold"


def test_command(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate", "tea", "--run", "good", "half", "--resamples", "1000", "--json")
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert set(found["runs"]["good"]) == {"r@5", "r@20", "rprec", "ap", "rr@10", "ndcg@10"}
    assert "good – half" in printed.err
    with pytest.raises(CommandError, match="no run"):
        call_command("evaluate", "tea", "--run", "nope")
