"""Runs against a gold: figures, what they assume, refusals, and the command."""

import json
import uuid
from pathlib import Path

import ir_measures
import pytest
from django.core.management import CommandError, call_command

from accounts.refusals import Refused
from adjudication.evaluation.layout import make_table
from annotation.models import Judgment, Submission
from corpus.models import (
    Ranking,
    RetrievalRun,
    Topic,
)
from tests.adjudication.evaluation.conftest import TOPICS
from tests.adjudication.evaluation.evaluating import done, evaluated, make_run, qrels
from tests.factories.adjudication import AT, Built
from tests.factories.corpus import make_tree

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_means_are_those_of_ir_measures(built: Built) -> None:
    found = evaluated(built, measures=("nDCG@10", "AP", "R@5"))
    binary = [ir_measures.Qrel(topic, docno, int(grade >= 2)) for topic, docno, grade in qrels(built)]
    graded = [ir_measures.Qrel(*row) for row in qrels(built)]
    (subset,) = found["subsets"]
    assert (subset["by"], subset["n_topics"]) == ({}, TOPICS)
    for name in ("good", "half"):
        run = [
            ir_measures.ScoredDoc(ranking.topic.number, docno, score)
            for ranking in Ranking.objects.filter(run__name=name).select_related("topic")
            for docno, score in zip(ranking.docnos, ranking.scores, strict=True)
        ]
        theirs = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.R @ 5], binary, run)
        theirs |= ir_measures.calc_aggregate([ir_measures.nDCG @ 10], graded, run)
        mine = subset["runs"][name]
        assert {measure: each["value"] for measure, each in mine.items()} == pytest.approx(
            {str(measure): value for measure, value in theirs.items()}, abs=1e-12
        )
        assert mine["AP"]["low"] <= mine["AP"]["value"] <= mine["AP"]["high"]
        assert (mine["AP"]["method"], mine["AP"]["se"] > 0) == ("jackknife_t", True)
    assert found["missing"] == {"half": ["10", "11", "12"]}
    assert {(test["a"], test["b"], test["measure"], test["test"]) for test in found["tests"]} == {
        ("good", "half", measure, test)
        for measure in ("nDCG@10", "AP", "R@5")
        for test in ("paired-t", "randomisation")
    }
    assert found["notes"][-1] == "half ranks nothing for 3 topics of the gold; it scores 0 there."


def test_refusals(built: Built) -> None:
    for more, why in (
        ({"gold": "magic"}, r"Unknown gold “magic”. There is campaign:CAMPAIGN, sub-queries:\[CAMPAIGN\], targets, "),
        ({"gold": "campaign:main;foo=1"}, "no option “foo”. It has: criterion, unit, grade"),
        ({"gold": "campaign:main;unit=page"}, "“page” is none of query, aspect, sub-query"),
        ({"gold": "campaign:main;relevance=0"}, "is not a relevance level"),
        ({"gold": "campaign:other"}, "no campaign “other”. It has: main"),
        ({"gold": "annotator:zoe"}, "no annotator “zoe”. It has: ana, ben"),
        ({"gold": "targets"}, "No question has a target"),
        ({"gold": "contexts:paragraph"}, "No paragraph has been made a topic"),
        ({"gold": "contexts:page"}, "contexts:paragraph or contexts:sentence"),
        ({"gold": "sub-queries"}, "There are no sub-queries yet"),
        ({"gold": "qrels:gone"}, "There are no qrels “gone”"),
        ({"measures": ("magic",)}, r"Unknown measure 'magic'; there are P@k, R@k, .*nDCG_exp@x%"),
        ({"measures": ("R@0",)}, "write R@10"),
        ({"by": ("colour",)}, "No topic has an attribute “colour”. There is source, "),
        ({"baseline": "gone"}, "The baseline “gone” is not among the runs"),
    ):
        with pytest.raises(Refused, match=why):
            done(built, **more)
    with pytest.raises(Refused, match=r"no run 'none'.* It has: good, half"):
        done(built, "none")


def test_newer_answers_make_the_gold_unsure(built: Built) -> None:
    judgment = Judgment.objects.filter(assignment__item=built.items[0]).select_related("assignment")[0]
    value = (judgment.value + 1) % 3
    changed = Submission.objects.create(
        uuid=uuid.uuid4(), assignment=judgment.assignment, kind="answer", received_at=AT, answers={"relevance": value}
    )
    Judgment.objects.filter(pk=judgment.pk).update(submission=changed, value=value)
    with pytest.raises(Refused, match="newer judgment"):
        done(built)
    assert any("newer judgment" in note for note in evaluated(built, gold="campaign:main;unresolved=skip")["notes"])


@pytest.mark.slow
def test_what_one_run_lacks_spoils_nothing_else(built: Built) -> None:
    """A measure that re-ranks pools where a run ranks something unjudged; a run of something else; an empty run."""
    make_run(built.collection, "stray", {"1": {"d1": 2, "unjudged": 1}})
    RetrievalRun.objects.create(collection=built.collection, name="empty", created_at=AT)
    found = evaluated(built, "good", "stray", "empty", measures=("nDCG_exp@10%", "AP"))
    runs = found["subsets"][0]["runs"]
    stray = runs["stray"]["nDCG_exp@10%"]
    assert (stray["value"], stray["reason"]) == (None, "unjudged_document")
    assert stray["problem"] == "topic 1 has unjudged documents in its ranking; this measure re-ranks a judged pool"
    assert runs["stray"]["AP"]["value"] is not None
    assert runs["good"]["nDCG_exp@10%"]["value"] is not None
    assert (runs["empty"]["AP"]["value"], runs["empty"]["AP"]["reason"]) == (None, "no_overlap")
    assert runs["empty"]["AP"]["problem"] == "the run has no ranking for any of the 12 topics of the gold."
    reasons = {(test["a"], test["b"], test["measure"]): test["reason"] for test in found["tests"]}
    assert reasons["good", "stray", "nDCG_exp@10%"] == "unjudged_document"
    assert reasons["good", "stray", "AP"] is None
    with pytest.raises(Refused, match="the run has no ranking for any"):
        done(built, "empty")
    table = make_table(done(built, "good", "stray", "empty", measures=("nDCG_exp@10%", "AP")))
    assert [cell.text for cell in table.rows[2].cells] == ["–", "–"]
    assert table.rows[1].cells[0].why.startswith("topic 1 has unjudged")


def test_a_run_of_another_collection_ties_and_empty_topics_are_said(built: Built) -> None:
    make_run(built.collection, "foreign", {"1": {"x1": 2, "x2": 1}})
    make_run(built.collection, "tied", {"1": {"d1": 2, "d2": 1, "d3": 1}})
    make_run(
        built.collection, "most", {topic.number: {"d1": 1} for topic in built.collection.topics.exclude(number="1")}
    )
    runs = ("foreign", "tied", "good", "most")
    notes = evaluated(built, *runs, measures=("R@2",), gold="campaign:main;relevance=2")["notes"]
    assert "most ranks nothing for one topic of the gold; it scores 0 there." in notes
    assert "foreign ranks no judged document. Is it a run of another collection?" in notes
    assert "tied has equal scores across the cut-off (R@2 in 1 topic); ties go by docno, descending." in notes
    assert any("topics have no relevant document" in note for note in notes)


def test_identical_runs(built: Built) -> None:
    again = RetrievalRun.objects.create(collection=built.collection, name="again", created_at=AT)
    for ranking in Ranking.objects.filter(run__name="good"):
        Ranking.objects.create(run=again, topic=ranking.topic, docnos=ranking.docnos, scores=ranking.scores)
    t_test, randomisation = evaluated(built, "good", "again", measures=("AP",))["tests"]
    assert (t_test["p"], t_test["reason"], randomisation["p"]) == (None, "no_difference", 1.0)


def test_sampled_aspects(built: Built) -> None:
    """Topic 1 gets an aspect that nobody judged: refused, or over the judged ones, each document by its own number."""
    make_tree(Topic.objects.get(number="1"), {"aspect 3": []})
    with pytest.raises(Refused, match=r"1 \(2 of 3 aspects judged\)"):
        done(built, gold="campaign:main;unresolved=skip")
    before = evaluated(built, "good", gold="campaign:main;aspects=judged")
    assert "1 (2 of 3 aspects judged)" in before["notes"][0]
    Topic.objects.get(number="1").nodes.filter(aspect__text="aspect 3").delete()
    Topic.objects.get(number="1").aspects.filter(text="aspect 3").delete()
    after = evaluated(built, "good")
    assert before["subsets"] == after["subsets"], "the unjudged aspect is in no sum and in no threshold"


def test_command(built: Built, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    common = ("--resamples", "1000")
    call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "good", "half", *common, "--format", "json")
    written = capsys.readouterr()
    found = json.loads(written.out)
    assert set(found["subsets"][0]["runs"]["good"]) == {"R@5", "R@20", "Rprec", "AP", "RR@10", "nDCG@10"}
    assert "| good |" in written.err
    call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "good", *common, "--format", "latex")
    written = capsys.readouterr()
    assert written.out.startswith(r"\begin{table}")
    assert written.err == "", "`> table.tex` keeps all of it"
    path = tmp_path / "own.qrels"
    path.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in qrels(built)))
    call_command("evaluate", "tea", "--gold", f"qrels:{path};relevance=2", "--run", "good", *common, "--json")
    again = json.loads(capsys.readouterr().out)["subsets"][0]["runs"]["good"]
    assert again["AP"]["value"] == found["subsets"][0]["runs"]["good"]["AP"]["value"]
    path.write_text("1 0 d1 1\n1 0 d1 2\n")
    with pytest.raises(CommandError, match=r"own.qrels, line 2: d1 has two grades for topic 1"):
        call_command("evaluate", "tea", "--gold", f"qrels:{path}", "--run", "good")
    path.write_text("query-id\tcorpus-id\tscore\n097\td1\t1\n098\td1\t1\n")
    with pytest.raises(CommandError, match=r"2 of the 2 topics of .*own.qrels are not in tea, such as 097\."):
        call_command("evaluate", "tea", "--gold", f"qrels:{path}", "--run", "good")
    path.write_text("001 0 d1 1\n1 0 d1 1\n002 0 d1 1\n")
    with pytest.raises(
        CommandError, match=r"002 matches 2 without leading zeros.*with “Topic numbers” set to “Match without"
    ):
        call_command("evaluate", "tea", "--gold", f"qrels:{path}", "--run", "good")
    with pytest.raises(CommandError, match="no run"):
        call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "nope")
    with pytest.raises(CommandError, match="Say against what"):
        call_command("evaluate", "tea", "--run", "good")
    with pytest.raises(CommandError, match=r"Unknown preset “x”\. There is litsearch-3"):
        call_command("evaluate", "tea", "--run", "good", "--preset", "x")
