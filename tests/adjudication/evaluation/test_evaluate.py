"""Runs against golds of every kind: figures, what they assume, refusals, the command and the papers' tables."""

import json
import uuid
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import ir_measures
import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.refusals import NotAllowed, Refused
from adjudication.evaluation.golds.registry import (
    campaigns_behind,
    offered_golds,
    parse_selector,
    read_gold,
    settled_gold,
)
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.evaluation.reads.evaluation import evaluate
from adjudication.evaluation.reads.pages import plot_of
from adjudication.evaluation.reads.rankings import pool_sources, pools_of
from adjudication.evaluation.reads.reports import make_report
from adjudication.evaluation.reads.result import EvaluationResult
from adjudication.evaluation.reads.spec import CONDENSED, EvaluationSpec
from adjudication.evaluation.reads.tables import as_csv, as_latex, as_markdown, figures_csv, make_table
from adjudication.evaluation.rules import check_can_see
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from adjudication.models import Verdict
from adjudication.stats.rankings import canonical_ranking
from annotation.models import Assignment, Campaign, Judgment, Submission
from corpus.models import (
    Collection,
    Document,
    PartRanking,
    PoolSource,
    Ranking,
    RetrievalRun,
    SubQuery,
    Target,
    Topic,
)
from tests.adjudication.evaluation.conftest import TOPICS
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.corpus import make_pool, make_tree

pytestmark = pytest.mark.django_db


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
    notes = evaluated(built, "foreign", "tied", "good", measures=("R@2",), gold="campaign:main;relevance=2")["notes"]
    assert "foreign ranks no judged document. Is it a run of another collection?" in notes
    assert "tied has equal scores across the cut-off (1 at R@2 topics); ties go by docno, descending." in notes
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


# --- golds ------------------------------------------------------------------------------------------------------------


def test_every_kind_of_gold(built: Built, tmp_path: Path) -> None:
    collection = built.collection
    topics = list(Topic.objects.filter(collection=collection).order_by("position"))
    for topic, docno in zip(topics[:3], ("d1", "d2", "d3"), strict=True):
        Target.objects.create(topic=topic, document=Document.objects.get(collection=collection, docno=docno))
    Topic.objects.filter(pk=topics[2].pk).update(kind="context-paragraph")
    assert read_gold(collection, "targets").gold.topics == ("1", "2")
    assert read_gold(collection, "contexts:paragraph").gold.topics == ("3",)
    assert [selector for selector, _ in offered_golds(collection)] == [
        *("campaign:main", "targets", "contexts:paragraph"),
        *("annotator:ana;campaign=main", "annotator:ben;campaign=main", "machine:gpt;campaign=main"),
    ]
    verdicts, person = read_gold(collection, "campaign:main").gold, read_gold(collection, "annotator:ana").gold
    assert person.topics == read_gold(collection, "machine:gpt").gold.topics == verdicts.topics
    assert person.gain.tolist() == verdicts.gain.tolist()
    mean = read_gold(collection, "campaign:main;grade=mean;relevance=1.5").gold
    assert (mean.relevance, mean.gain.max()) == (1.5, 2)
    assert mean.level.tolist() == (verdicts.gain / 2).tolist()
    aspects = read_gold(collection, "campaign:main;unit=aspect")
    assert (len(aspects.gold.topics), aspects.unit, aspects.gold.topics[0]) == (2 * TOPICS, "aspect", "1.1")
    with pytest.raises(Refused, match="no ranking for any of the 24 aspects of the gold"):
        done(built, gold="campaign:main;unit=aspect")
    part = SubQuery.objects.create(collection=collection, topic=topics[0], number="1-a", size=1, sentences=["Tea?"])
    part.chosen.create(aspect=topics[0].aspects.order_by("pk")[0], position=0)
    assert read_gold(collection, "sub-queries").gold.topics == ("1-a",)
    run = RetrievalRun.objects.get(name="good")
    PartRanking.objects.create(run=run, sub_query=part, docnos=["d1", "d2"], scores=[2, 1])
    PartRanking.objects.create(run=run, aspect=topics[0].aspects.order_by("pk")[1], docnos=["d1"], scores=[1])
    (of_parts,) = done(built, "good", gold="sub-queries").whole.means.values()
    assert of_parts["AP"].n_items == 1
    assert done(built, "good", gold="campaign:main;unit=aspect").scores["good"].missing[0] == "1.1"
    assert str(parse_selector("campaign:main; unit=aspect")) == "campaign:main;unit=aspect"
    path = tmp_path / "own.qrels"
    path.write_text("1 0 d1 1\n99 0 d1 1\n")
    files = {"own": {"1": {"d1": 1.0}, "99": {"d1": 1.0}}}
    found = read_gold(collection, "qrels:own", files)
    assert found.gold.topics == ("1",)
    assert "1 topics of the qrels are not in the collection and left out: 99." in found.notes
    assert [str(each.slug) for each in campaigns_behind(collection, "machine:gpt")] == ["main"]
    assert campaigns_behind(collection, "targets") == []


def test_a_name_with_a_semicolon_is_a_gold(built: Built) -> None:
    """It stands before the options, which begin with one."""
    built.campaign.annotators.filter(name="ana").update(name="Lee; Ana, 50%")
    (selector,) = (word for word, label in offered_golds(built.collection) if label.startswith("Lee"))
    assert selector == "annotator:Lee%3B Ana, 50%;campaign=main"
    assert str(parse_selector(selector)) == selector
    assert settled_gold(built.collection, selector) == selector
    assert read_gold(built.collection, selector).label == "labels of Lee; Ana, 50% in Main round"


@pytest.mark.django_db(transaction=True)
def test_gold_and_runs_are_of_one_moment(built: Built) -> None:
    """Somebody replaces a run and the labels while another run is read: neither shows."""
    before = done(built, "good", "half").to_json()["subsets"]
    collection = built.collection

    def change() -> None:
        RetrievalRun.objects.get(name="half").rankings.all().delete()
        Verdict.objects.filter(item__campaign=built.campaign).update(value=0)
        connection.close()

    def meanwhile(_done: int, _total: int, step: str) -> None:
        if step == "reading good":
            thread = Thread(target=change)
            thread.start()
            thread.join()

    spec = EvaluationSpec("campaign:main", ("good", "half"), resamples=1000)
    assert evaluate(collection, spec, progress=meanwhile).to_json()["subsets"] == before
    assert not RetrievalRun.objects.get(name="half").rankings.exists()


def test_no_campaign_is_needed_for_targets() -> None:
    collection = Collection.objects.create(slug="bare", title="Bare", created_at=AT)
    for number in range(10):
        topic = Topic.objects.create(collection=collection, number=str(number), text="Tea?", position=number)
        document = Document.objects.create(collection=collection, docno=f"d{number}", title="Tea")
        Target.objects.create(topic=topic, document=document)
    make_run(collection, "bm25", {str(number): {f"d{number}": 2.0, "d0": 1.0} for number in range(1, 10)})
    wanted = EvaluationSpec("targets", ("bm25",), measures=("R@1",), resamples=1000)
    found = evaluate(collection, wanted).to_json()
    assert found["subsets"][0]["runs"]["bm25"]["R@1"]["value"] == 0.9
    assert "precision is a lower bound" in found["notes"][0]
    shuffled = evaluate(collection, replace(wanted, random=True)).to_json()["subsets"][0]["runs"]["Random"]["R@1"]
    assert (shuffled["value"], shuffled["reason"]) == (None, "no_overlap"), "targets alone are no pool"
    assert shuffled["problem"] == "no topic has a pool whose order could be shuffled."


def test_who_may_see_a_gold(built: Built) -> None:
    """Who still has to judge sees no figures made of what they judge; targets are open to all overseers."""
    viewer = MembershipFactory(collection=built.collection, role="viewer")
    check_can_see(viewer, EvaluationSpec("campaign:main", ()))
    annotator = MembershipFactory(collection=built.collection, role="annotator")
    with pytest.raises(NotAllowed):
        check_can_see(annotator, EvaluationSpec("targets", ()))
    built.annotators["ana"].user = viewer.user
    built.annotators["ana"].save()
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[0]).update(state="pending")
    for gold in ("campaign:main", "annotator:ben", "machine:gpt", "campaign"):
        with pytest.raises(NotAllowed, match="still have items to judge in Main round"):
            check_can_see(viewer, EvaluationSpec(gold, ()))
    with pytest.raises(NotAllowed):
        check_can_see(viewer, EvaluationSpec("targets", (), against="machine:gpt"))
    with pytest.raises(NotAllowed):
        check_can_see(viewer, EvaluationSpec("", (), preset="doris-2"))
    check_can_see(viewer, EvaluationSpec("targets", ()))


def test_who_still_rates_questions_sees_no_figures_by_their_ratings(built: Built) -> None:
    """A subset of one question would give its quality away, and LitSearch's tables are broken down by it."""
    Campaign.objects.filter(pk=built.campaign.pk).update(kind="rubric")
    viewer = MembershipFactory(collection=built.collection, role="viewer")
    built.annotators["ana"].user = viewer.user
    built.annotators["ana"].save()
    Assignment.objects.filter(annotator=built.annotators["ana"], item=built.items[0]).update(state="pending")
    for spec in (
        EvaluationSpec("targets", (), by=("quality",)),
        EvaluationSpec("targets", (), by=("source", "specificity")),
        EvaluationSpec("", (), preset="litsearch-4"),
    ):
        with pytest.raises(NotAllowed, match="still have items to judge in Main round"):
            check_can_see(viewer, spec)
    check_can_see(viewer, EvaluationSpec("targets", (), by=("source",)))


# --- subsets, tables --------------------------------------------------------------------------------------------------


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


def test_the_axis_of_a_plot_has_the_numbers_of_the_table(built: Built) -> None:
    make_run(built.collection, "one", {str(topic): {"d1": 1.0} for topic in range(1, TOPICS + 1)})
    table = make_table(done(built, "one", measures=("NumRet", "P@1")))
    counts, shares = plot_of(table, 0), plot_of(table, 1)
    assert counts is not None
    assert shares is not None
    assert (counts.marks[0].words, max(float(text) for _, text in counts.ticks) < 2) == ("1.0, no interval", True)
    assert max(float(text) for _, text in shares.ticks) > 2


def test_equal_as_printed_is_equally_best(built: Built) -> None:
    relevant = {topic: {docno: 1.0} for topic, docno, grade in qrels(built) if grade >= 2}
    make_run(built.collection, "one", relevant)
    make_run(built.collection, "two", relevant)
    found = done(built, "one", "two", measures=("AP",))
    nearly = found.whole.means["two"]["AP"]
    found.whole.means["two"]["AP"] = replace(nearly, value=(nearly.value or 0) + 1e-9)  # type: ignore[index]
    assert [row.cells[0].is_best for row in make_table(found).rows] == [True, True]


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


# --- command ----------------------------------------------------------------------------------------------------------


def test_command(built: Built, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    common = ("--resamples", "1000")
    call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "good", "half", *common, "--format", "json")
    written = capsys.readouterr()
    found = json.loads(written.out)
    assert set(found["subsets"][0]["runs"]["good"]) == {"R@5", "R@20", "Rprec", "AP", "RR@10", "nDCG@10"}
    assert "| good |" in written.err
    call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "good", *common, "--format", "latex")
    assert capsys.readouterr().out.startswith(r"\begin{table}")
    path = tmp_path / "own.qrels"
    path.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in qrels(built)))
    call_command("evaluate", "tea", "--gold", f"qrels:{path};relevance=2", "--run", "good", *common, "--json")
    again = json.loads(capsys.readouterr().out)["subsets"][0]["runs"]["good"]
    assert again["AP"]["value"] == found["subsets"][0]["runs"]["good"]["AP"]["value"]
    path.write_text("1 0 d1 1\n1 0 d1 2\n")
    with pytest.raises(CommandError, match=r"own.qrels, line 2: d1 has two grades for topic 1"):
        call_command("evaluate", "tea", "--gold", f"qrels:{path}", "--run", "good")
    with pytest.raises(CommandError, match="no run"):
        call_command("evaluate", "tea", "--gold", "campaign:main", "--run", "nope")
    with pytest.raises(CommandError, match="Say against what"):
        call_command("evaluate", "tea", "--run", "good")
    with pytest.raises(CommandError, match=r"Unknown preset “x”\. There is litsearch-3"):
        call_command("evaluate", "tea", "--run", "good", "--preset", "x")


# --- the papers' tables -----------------------------------------------------------------------------------------------


def test_presets_of_doris_mae(built: Built) -> None:
    for topic in Topic.objects.filter(collection=built.collection)[:8]:
        Topic.objects.filter(pk=topic.pk).update(extra={"split": "test"})
    report = make_report(built.collection, EvaluationSpec("", ("good", "half"), preset="doris-2", resamples=1000))
    assert [column.label for column in report.table.columns] == ["R@5", "R@20", "RP", "NDCG exp 10%", "MRR@10", "MAP"]
    assert [row.label for row in report.table.rows] == ["good", "half", "Random"]
    assert " ± " in report.table.rows[0].cells[0].text
    test = make_report(built.collection, EvaluationSpec("", ("good",), preset="doris-8", resamples=1000))
    assert test.table.rows[0].cells[0].n_topics == 8
    assert test.table.caption.startswith("Means over 8 topics")


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
    assert texts["litsearch-5"] == ["0.0", "100.0", "0.0", "100.0"]
    assert texts["litsearch-6"] == ["0.0", "100.0", "0.0", "100.0"]
    assert texts["litsearch-7"] == ["–", "–"], "no specific question is ranked by both"
    assert texts["litsearch-8"] == ["0.0", "100.0"]
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


def test_condensed_lists_take_unjudged_documents_out(built: Built) -> None:
    make_run(built.collection, "stray", {"1": {"unjudged": 2, "d1": 1}})
    as_they_are = evaluated(built, "good", "stray", measures=("nDCG_exp@10%", "P@1"))["subsets"][0]["runs"]["stray"]
    condensed = evaluated(built, "good", "stray", measures=("nDCG_exp@10%", "P@1"), unjudged=CONDENSED)
    assert as_they_are["nDCG_exp@10%"]["value"] is None
    assert condensed["subsets"][0]["runs"]["stray"]["nDCG_exp@10%"]["value"] == 0.0
    assert "Unjudged documents are taken out of every ranking first (condensed lists)." in condensed["notes"]
