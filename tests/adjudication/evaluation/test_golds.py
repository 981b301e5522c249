"""Golds of every kind, and who may see figures by them."""

from dataclasses import replace
from pathlib import Path

import pytest

from accounts.refusals import NotAllowed, Refused
from adjudication.evaluation.evaluation import evaluate
from adjudication.evaluation.golds.registry import (
    campaigns_of_gold,
    lasting_selector,
    offered_golds,
    parse_selector,
    read_gold,
)
from adjudication.evaluation.rules import check_can_see
from adjudication.evaluation.spec import EvaluationSpec
from annotation.models import Assignment, Campaign
from corpus.models import (
    Collection,
    Document,
    PartRanking,
    RetrievalRun,
    SubQuery,
    Target,
    Topic,
)
from tests.adjudication.evaluation.conftest import TOPICS
from tests.adjudication.evaluation.evaluating import done, make_run
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built

pytestmark = pytest.mark.django_db


@pytest.mark.slow
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
    loaded = read_gold(collection, "campaign:main;grade=mean;relevance=1.5")
    assert "grade 1.5 or more count as relevant. Where a grade is a sum over aspects, its mean" in loaded.notes[-1]
    mean = loaded.gold
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
    assert [str(each.slug) for each in campaigns_of_gold(collection, "machine:gpt")] == ["main"]
    assert campaigns_of_gold(collection, "targets") == []


def test_a_name_with_a_semicolon_is_a_gold(built: Built) -> None:
    """It stands before the options, which begin with one."""
    built.campaign.annotators.filter(name="ana").update(name="Lee; Ana, 50%")
    (selector,) = (word for word, label in offered_golds(built.collection) if label.startswith("Lee"))
    assert selector == "annotator:Lee%3B Ana, 50%;campaign=main"
    assert str(parse_selector(selector)) == selector
    assert lasting_selector(built.collection, selector) == selector
    assert read_gold(built.collection, selector).label == "labels of Lee; Ana, 50% in Main round"


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


@pytest.mark.slow
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
