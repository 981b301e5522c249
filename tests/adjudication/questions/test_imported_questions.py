"""Questions that came with ratings: their tables, exported and imported again, next to a campaign over some of them."""

import io
import json
import re
from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse

from adjudication.questions.api import QualitySerializer, QuestionFiguresSerializer
from adjudication.questions.question_set import DISCARDED, KEPT, UNDECIDED, fetch_question_set
from adjudication.questions.question_statistics import question_statistics
from annotation.assignment.annotators import add_members
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign, open_campaign
from annotation.kinds.rubric.choosing import QuestionChoice
from annotation.kinds.rubric.items import fetch_candidates
from corpus.models import Collection, Document, Role, Target, Topic
from engines.text.overlap import LITSEARCH_CODE, word_overlap
from tests.adjudication.questions.test_question_set import content, count
from tests.factories.accounts import AT, MembershipFactory, make_members
from tests.factories.litsearch import DOCUMENTS, invented_questions
from tests.factories.rubrics import Rubric, build_rubric, rate

pytestmark = pytest.mark.django_db


@pytest.fixture
def litsearch(tmp_path) -> Collection:
    """The invented set, imported from parquet by the command."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    collection = Collection.objects.create(slug="lit", title="Invented", created_at=AT)
    Document.objects.bulk_create(
        Document(collection=collection, docno=str(1000 + n), title=f"Paper number {n}", abstract="It answers.")
        for n in range(DOCUMENTS)
    )
    file = tmp_path / "query.parquet"
    pq.write_table(pa.Table.from_pylist(invented_questions()), file)
    call_command("import_topics", "lit", str(file))
    return collection


def test_an_imported_set_has_its_tables(litsearch):
    assert Topic.objects.filter(collection=litsearch).count() == 597
    assert Target.objects.filter(topic__collection=litsearch).count() == 639
    found = fetch_question_set(litsearch)
    statistics = question_statistics(found)
    assert statistics.groups == ("Broad", "Specific")
    counts = {line.label: [cell.questions for cell in (*line.cells, line.total)] for line in statistics.lines}
    assert counts["Inline-citation questions"] == [120, 231, 351]
    assert counts["Author-written questions"] == [35, 211, 246]
    assert counts["inline_acl"] == [32, 66, 98]
    assert counts["manual_iclr"] == [10, 81, 91]
    assert counts["All"] == [155, 442, 597]
    assert Counter(question.quality for question in found.kept) == {1: 294, 2: 303}
    first = found.kept[0]
    texts = [text for target in first.targets for text in (target.title, target.abstract)]
    assert (first.words, first.overlap) == (7, word_overlap(first.text, texts, LITSEARCH_CODE))


def test_of_how_many_the_imported_ones_were_kept_is_known_only_where_discarded_ones_came_too(litsearch, client) -> None:
    client.force_login(MembershipFactory(collection=litsearch, role=Role.MANAGER).user)

    def shown() -> tuple[str, str]:
        html = client.get(reverse("question_set", args=[litsearch.slug])).text
        plain = " ".join(re.sub("<[^>]+>", " ", html).split())
        return plain, content(litsearch, "question-latex").decode().replace("\\", "")

    page, latex = shown()
    assert "inline_acl not known 98 0 0" in page
    assert "inline_acl 98 of an unknown number;" in latex
    assert all("Questions that were imported with their ratings may be" in each for each in (page, latex))
    topic = Topic.objects.filter(collection=litsearch, source="inline-acl").latest("pk")
    topic.extra |= {"quality": 0}
    topic.save()
    page, latex = shown()
    assert "inline_acl 98 99% (97) 0 0" in page
    assert "inline_acl 97 of 98 (99%);" in latex.replace("inline\\_acl", "inline_acl")
    assert "imported with their ratings" not in page + latex


@pytest.mark.slow
def test_a_campaign_over_part_of_an_imported_set_loses_none_of_it(litsearch: Collection) -> None:
    """It covers one source of four: what it does not ask, or nobody has rated yet, stays as it came."""
    people = make_members(litsearch, {"mia": Role.MANAGER, "ana": Role.ANNOTATOR})
    wanted = {"name": "Again", "kind": "rubric", "overlap": 1, "seed": 7, "strategy": "planned"}
    campaign = create_campaign(collection=litsearch, by=people["mia"], at=AT, **wanted)
    add_members(campaign=campaign, users=[people["ana"]], by=people["mia"], at=AT)
    build_items(campaign=campaign, by=people["mia"], at=AT, choice=QuestionChoice(sources=("inline-acl",)))
    assert campaign.items.count() == 98
    before = content(litsearch, "litsearch")
    for name in ("", campaign.slug):
        found = fetch_question_set(litsearch, name)
        assert Counter(question.quality for question in found.kept) == {1: 294, 2: 303}
        assert content(litsearch, "litsearch", **({"campaign": name} if name else {})).count(b"\n") == 597
    assign_items(campaign=campaign, by=people["mia"], at=AT)
    campaign = open_campaign(campaign=campaign, by=people["mia"], at=AT)
    assert content(litsearch, "litsearch") == before
    rubric = Rubric(litsearch, campaign, {}, {}, people)
    first = campaign.items.select_related("topic").order_by("pk")[0].topic.number
    rate(rubric, "ana", first, 1, 0)
    count(campaign, min_votes=1)
    assert Counter(each.state for each in fetch_question_set(litsearch).questions) == {KEPT: 596, DISCARDED: 1}
    assert content(litsearch, "litsearch").count(b"\n") == 596


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), [("litsearch", "s.jsonl"), ("litsearch-parquet", "s.parquet")])
def test_exported_and_imported_again_it_is_the_same(litsearch, tmp_path, kind, name):
    (tmp_path / name).write_bytes(content(litsearch, kind))
    other = Collection.objects.create(slug="other", title="Other", created_at=AT)
    Document.objects.bulk_create(
        Document(collection=other, docno=document.docno, title=document.title, abstract=document.abstract)
        for document in Document.objects.filter(collection=litsearch)
    )
    call_command("import_topics", "other", str(tmp_path / name))
    for each in ("litsearch", "question-qrels", "question-topics", "question-statistics", "question-latex"):
        assert content(other, each) == content(litsearch, each), each


def test_collection_stats_prints_the_tables(litsearch):
    out = io.StringIO()
    call_command("collection_stats", "lit", "--json", stdout=out)
    found = json.loads(out.getvalue())["questions"]
    assert (found["kept"], found["undecided"], "examined" in found) == (597, 0, False)
    assert found["examined_unknown"].endswith("how many is not known.")
    assert found["sources"]["inline_acl"] == {"kept": 98}
    for named, described in ((found, QuestionFiguresSerializer()), (found["quality"], QualitySerializer())):
        assert set(named) <= set(described.fields)
        assert {name for name, field in described.fields.items() if field.required} <= set(named)
    assert found["table"]["Author-written questions"]["Specific"]["questions"] == 211
    assert found["table"]["All"]["all"]["targets"] == 639
    assert (found["quality"]["judged"], found["quality"]["not_judged"]) == (597, 0)
    assert {label: line["all"]["questions"] for label, line in found["quality"]["levels"].items()} == {
        "2 Good": 303,
        "1 Acceptable": 294,
    }


def test_the_set_leads_the_exports_where_questions_came_rated_and_nothing_is_judged(litsearch, client) -> None:
    client.force_login(MembershipFactory(collection=litsearch, role=Role.MANAGER).user)
    shown = client.get(reverse("export_list", args=[litsearch.slug])).text
    assert shown.index('id="questions-heading"') < shown.index('id="judgments-heading"')


def test_imported_questions_keep_what_they_came_with_and_are_not_filtered_unless_asked() -> None:
    rubric = build_rubric(opened=False)  # q4 is its target's title word for word, so it is left out
    for number in ("q1", "q4"):
        Topic.objects.filter(number=number).update(extra={"quality": 2, "specificity": 1})
    assert [each.number for each in fetch_candidates(rubric.campaign)] == ["q4"]
    rubric.campaign.options = {"filter_imported": True}
    assert fetch_candidates(rubric.campaign) == []
    for campaign in ("", rubric.campaign.slug):  # q1 is an item that nobody has rated, q4 is in no campaign
        found = fetch_question_set(rubric.collection, campaign)
        assert [(each.number, each.state, each.quality) for each in found.questions] == [
            *(("q1", KEPT, 2), ("q2", UNDECIDED, None), ("q3", UNDECIDED, None), ("q4", KEPT, 2)),
        ]
    assign_items(campaign=rubric.campaign, by=rubric.people["mia"], at=AT)
    open_campaign(campaign=rubric.campaign, by=rubric.people["mia"], at=AT)
    rate(rubric, "ana", "q1", 1, 0)
    count(rubric.campaign, min_votes=1)
    assert fetch_question_set(rubric.collection).questions[0].state == DISCARDED
