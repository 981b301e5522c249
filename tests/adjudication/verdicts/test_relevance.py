"""Relevance from verdicts: sums over distinct items, ranks, parts of a topic; the published figures of DORIS-MAE."""

import csv
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.dateparse import parse_datetime

from accounts.models import JobState
from adjudication.evaluation.evaluation import evaluate
from adjudication.evaluation.presets.doris_mae import MEASURES
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.exporting.options import make_options
from adjudication.exports.exporters.qrels import qrel_rows
from adjudication.following.jobs import WorkJob
from adjudication.labels.relevance import parts_of, rank_documents, relevance_by_topic, shown_relevance
from adjudication.models import RelevanceCount, Verdict, VoteRun
from annotation.campaigns import progress
from annotation.models import Assignment, Campaign, Criterion, Level, WorkSummary
from corpus.models import Aspect, AspectNode, Change, Collection, Document, Role, Topic, TopicVersion
from corpus.topics.sub_queries import make_sub_queries
from tests.adjudication.following.counting import counted
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import MembershipFactory
from tests.factories.adjudication import AT, Built, Triple, build_campaign
from tests.factories.corpus import make_run, make_tree
from tests.shared import shared_path

pytestmark = pytest.mark.django_db


@pytest.fixture
def built() -> Built:
    """Topic 7: tea (with green) and pots (with green); D1 to D3 have all values, D4 lacks one."""
    texts = ("tea", "green", "pots")
    triples: list[Triple] = [("7", text, docno) for docno in ("D1", "D2", "D3", "D4") for text in texts]
    values = [0, 1, 0, 2, 2, 2, 0, 2, 1, 2, 2, None]
    found = build_campaign([[value] * 3 for value in values], triples=triples)
    topic = Topic.objects.get(number="7")
    topic.nodes.all().delete()
    make_tree(topic, {"tea": ["green"], "pots": ["green"]})
    vote(found)
    return found


def ranked(built: Built, key: str = "") -> list[tuple[int | None, str, int, bool]]:
    topic = Topic.objects.get(number="7")
    part = next(part for part in parts_of(topic) if part.key == key)
    rows = rank_documents(built.campaign, built.criterion, topic, part)
    return [(row.rank, row.docno, row.total, row.is_relevant) for row in rows]


def test_topics_without_aspects_are_not_said_to_lack_judged_ones(client: Client) -> None:
    built = build_campaign([[None] * 3, [1] * 3], triples=[("7", "tea", "D1"), ("8", "tea", "D1")])
    built.campaign.items.update(aspect=None)
    Topic.objects.get(number="7").nodes.all().delete()
    Aspect.objects.all().delete()
    vote(built)
    assert [row.by_aspect for row in relevance_by_topic(built.campaign, built.criterion)] == [False, False]
    client.force_login(built.people["viewer"])
    names = [built.collection.slug, built.campaign.slug]
    page = client.get(reverse("relevance_list", args=names)).content.decode()
    assert "1 topic has no judged document: 7." in page
    assert "aspects judged" not in page.lower()
    detail = client.get(reverse("relevance_detail", args=[*names, Topic.objects.get(number="7").pk])).content.decode()
    assert "no value yet" in detail


def test_sums_run_over_distinct_items(built: Built) -> None:
    assert ranked(built) == [(1, "D2", 6, True), (2, "D3", 3, True), (3, "D1", 1, False), (None, "D4", 4, False)]


def test_an_aspect_counts_with_what_stands_below_it(built: Built) -> None:
    assert ranked(built, "aspect-1") == [
        (1, "D2", 4, True),
        (1, "D4", 4, True),
        (3, "D3", 2, True),
        (4, "D1", 1, False),
    ]


def test_sub_queries_are_parts_too(built: Built) -> None:
    make_sub_queries(by=None, at=AT, collection=built.collection, size=1)
    key = f"sub-{built.collection.sub_queries.get(number='7:2').pk}"
    assert ranked(built, key)[0] == (1, "D2", 4, True)
    assert ranked(built, key)[-1] == (None, "D4", 2, False)


def test_values_below_zero_are_no_values(built: Built) -> None:
    Level.objects.create(criterion=built.criterion, value=-1, label="unreadable")
    Verdict.objects.filter(item__document__docno="D2", item__aspect__text="tea").update(value=-1)
    assert ranked(built)[-2:] == [(None, "D2", 4, False), (None, "D4", 4, False)]


def test_topics_show_what_is_relevant_to_them(built: Built, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        (row,) = relevance_by_topic(built.campaign, built.criterion)
    assert (row.number, row.things, row.documents, row.complete, row.relevant, row.best) == ("7", 3, 4, 3, 2, 6)
    assert row.best_mean == 2


@pytest.fixture
def sampled() -> Built:
    """Topic 7 has 19 aspects, of which the campaign judges one, on one document; topic 8 is judged as a whole."""
    found = build_campaign([[2] * 3, [1] * 3], triples=[("7", "tea", "D1"), ("8", None, "D1")])
    make_tree(Topic.objects.get(number="7"), {"brewing": [f"step {place}" for place in range(17)]})
    vote(found)
    return found


class TestSampledCampaign:
    """Every aspect is every aspect of the topic, not every aspect that the campaign happens to judge."""

    def test_no_document_is_fully_judged(self, sampled: Built) -> None:
        rows = relevance_by_topic(sampled.campaign, sampled.criterion)
        shown_rows = [
            (row.number, row.judged, row.things, row.documents, row.complete, row.relevant, row.best) for row in rows
        ]
        assert shown_rows == [("7", 1, 19, 1, 0, 0, None), ("8", 1, 1, 1, 1, 1, 1)]
        assert ranked(sampled) == [(None, "D1", 2, False)]

    def test_an_aspect_with_what_stands_below_it_is_whole_only_with_all_of_it(self, sampled: Built) -> None:
        topic = Topic.objects.get(number="7")
        tea = next(part for part in parts_of(topic) if "tea" in part.label)
        top = topic.nodes.get(aspect__text="tea")
        AspectNode.objects.create(topic=topic, aspect=topic.aspects.get(text="step 3"), parent=top, position=0)
        assert ranked(sampled, tea.key) == [(None, "D1", 2, False)]

    def test_judged_aspects_only_is_a_choice(self, sampled: Built) -> None:
        (row, _) = relevance_by_topic(sampled.campaign, sampled.criterion, judged_only=True)
        assert (row.judged, row.things, row.complete, row.relevant, row.best_mean) == (1, 19, 1, 1, 2)
        topic = Topic.objects.get(number="7")
        (found,) = rank_documents(sampled.campaign, sampled.criterion, topic, parts_of(topic)[0], judged_only=True)
        assert (found.rank, found.mean, found.valued, found.things, found.is_relevant) == (1, 2, 1, 19, True)

    @pytest.mark.slow
    def test_pages_and_api_say_so(self, sampled: Built, client: Client) -> None:
        client.force_login(sampled.people["viewer"])
        names = [sampled.collection.slug, sampled.campaign.slug]
        page = client.get(reverse("relevance_list", args=names)).content.decode()
        assert "1 topic is not judged on every aspect: topic 7 (1 of 19 aspects judged)" in page
        assert "1 relevant of 1 fully judged documents (2 in the campaign)" in page, "topic 8 alone"
        page = client.get(reverse("relevance_list", args=names), {"aspects": "judged"}).content.decode()
        assert "2 relevant of 2 documents scored over judged aspects only" in page
        detail = reverse("relevance_detail", args=[*names, Topic.objects.get(number="7").pk])
        assert "0 relevant of 0 fully judged documents; sums over 19 aspects" in client.get(detail).content.decode()
        page = client.get(detail, {"aspects": "judged"}).content.decode()
        assert "1 of 19 aspects judged" in page
        address = reverse("api_relevance", args=names)
        assert [row["complete"] for row in client.get(address).json()] == [0, 1]
        assert [row["complete"] for row in client.get(address, {"aspects": "judged"}).json()] == [1, 1]


class TestLargeCampaign:
    """What is too much to be added up for a page is what the job counted, and says when."""

    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(progress, "LIVE_MOST", 2)

    @pytest.mark.parametrize("judged_only", [False, True])
    def test_the_stored_figures_are_those_added_up(
        self, sampled: Built, judged_only: bool, django_assert_num_queries: Any
    ) -> None:
        live = relevance_by_topic(sampled.campaign, sampled.criterion, judged_only=judged_only)
        assert shown_relevance(sampled.campaign, sampled.criterion, judged_only=judged_only) == (live, None)
        summary = counted(sampled.campaign)
        with django_assert_num_queries(2) as captured:
            shown = shown_relevance(sampled.campaign, sampled.criterion, judged_only=judged_only)
        assert shown == (live, summary.counted_at)
        assert not [query for query in captured.captured_queries if "annotation_item" in query["sql"]]

    def test_page_and_api_say_when_it_was_counted(self, sampled: Built, client: Client) -> None:
        client.force_login(sampled.people["viewer"])
        names = [sampled.collection.slug, sampled.campaign.slug]
        page, address = reverse("relevance_list", args=names), reverse("api_relevance", args=names)
        assert "Counted " not in client.get(page).text
        assert [row["counted_at"] for row in client.get(address).json()] == [None, None]
        summary = counted(sampled.campaign)
        Verdict.objects.filter(item__campaign=sampled.campaign).update(value=0)
        text = " ".join(client.get(page).text.split())
        assert "1 relevant of 1 fully judged documents (2 in the campaign)" in text, "as stored"
        assert "Counted " in text
        rows = client.get(address).json()
        assert {parse_datetime(row["counted_at"]) for row in rows} == {summary.counted_at}

    def test_another_count_replaces_them_and_a_small_campaign_keeps_none(
        self, sampled: Built, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counted(sampled.campaign)
        Verdict.objects.filter(item__campaign=sampled.campaign).update(value=0)
        counted(sampled.campaign)
        rows, _ = shown_relevance(sampled.campaign, sampled.criterion)
        assert [row.relevant for row in rows] == [0, 0]
        assert RelevanceCount.objects.count() == 4
        monkeypatch.setattr(progress, "LIVE_MOST", 1_000)
        counted(sampled.campaign)
        assert not RelevanceCount.objects.exists()

    @pytest.mark.slow
    def test_what_changes_relevance_makes_the_next_count_due(self, sampled: Built) -> None:
        """Also in a closed campaign: a verdict, a count of votes, an aspect more."""
        whole = Topic.objects.get(number="8")
        TopicVersion.objects.create(
            topic=whole, number=1, content={}, fingerprint="0" * 64, change=Change.FIRST, saved_at=AT
        )
        fields = {
            "verdict": (Verdict.objects.filter(item__topic=whole), "changed_at"),
            "votes": (VoteRun.objects.all(), "finished_at"),
            "topic": (whole.versions.all(), "saved_at"),
        }

        def due_after(**changed: timedelta) -> bool:
            """Whether it is, with one thing changed at this distance from the newest count, and all others before."""
            summary = counted(sampled.campaign)
            WorkSummary.objects.filter(pk=summary.pk).update(started_at=summary.finished_at)
            for name, (rows, field) in fields.items():
                rows.update(**{field: summary.counted_at + changed.get(name, timedelta(minutes=-1))})
            WorkJob("work").start_due(summary.finished_at + timedelta(minutes=2))
            return WorkSummary.objects.get().state == JobState.QUEUED

        Assignment.objects.update(finished_at=AT)
        for name in fields:
            assert not due_after()
            assert due_after(**{name: timedelta(minutes=1)}), name
        assert not due_after()


class TestPages:
    def test_overseers_see_ranks(self, built: Built, client: Client) -> None:
        client.force_login(MembershipFactory(collection=built.collection, role=Role.VIEWER).user)
        names = [built.collection.slug, built.campaign.slug]
        listed = client.get(reverse("relevance_list", args=names)).content.decode()
        assert "2 relevant of 3 fully judged documents (4 in the campaign)" in listed
        address = reverse("relevance_detail", args=[*names, Topic.objects.get(number="7").pk])
        page = client.get(address, {"part": "aspect-2"}).content.decode()
        assert "<bdi>Aspect 2: pots</bdi> – " in page
        assert "2 of 3 aspects judged" in client.get(address, {"part": "nothing"}).content.decode()
        assert client.get(reverse("relevance_detail", args=[*names, 999_999])).status_code == 404

    def test_before_anything_is_counted(self, client: Client) -> None:
        found = build_campaign([[None] * 3], triples=[("7", "tea", "D1")])
        client.force_login(MembershipFactory(collection=found.collection, role=Role.MANAGER).user)
        page = client.get(reverse("relevance_list", args=[found.collection.slug, found.campaign.slug]))
        assert "The votes have not been counted yet" in page.content.decode()


# --- the published figures --------------------------------------------------------------------------------------------

# A value for each aspect so that they add up to the sum, which is all that is published.
FILL = """
WITH pair AS (
  SELECT * FROM unnest(%(topics)s::bigint[], %(documents)s::bigint[], %(sums)s::int[]) AS p (topic_id, document_id, total)
), item AS (
  INSERT INTO annotation_item (campaign_id, split, topic_id, aspect_id, document_id, extra_overlap)
  SELECT %(campaign)s, 'main', pair.topic_id, a.id, pair.document_id, 0
  FROM pair JOIN corpus_aspect a ON a.topic_id = pair.topic_id
  RETURNING id, topic_id, document_id, aspect_id
)
INSERT INTO adjudication_verdict (item_id, criterion_id, value, method, votes, n_votes, agreement, machine_differs,
  comment, cause)
SELECT item.id, %(criterion)s, least(2, greatest(0, pair.total - 2 * place.n)), 'unanimous', '[]', 3, 1, false, '', ''
FROM item JOIN pair USING (topic_id, document_id)
JOIN (SELECT id, row_number() OVER (PARTITION BY topic_id ORDER BY id) - 1 AS n FROM corpus_aspect) place
  ON place.id = item.aspect_id
"""  # noqa: E501


def load_judged(rows: list[dict[str, str]]) -> Campaign:
    """A campaign with the judged pairs of DORIS-MAE and verdicts that add up to the published sums."""
    collection = Collection.objects.create(slug="doris", title="DORIS-MAE", created_at=AT)
    things = {row["query-id"]: int(row["items"]) for row in rows}
    topics = {
        number: Topic.objects.create(collection=collection, number=number, text="query", position=int(number)).pk
        for number in things
    }
    Aspect.objects.bulk_create(
        Aspect(topic_id=topics[number], text=f"aspect {place}") for number in things for place in range(things[number])
    )
    docnos = sorted({row["corpus-id"] for row in rows})
    made = Document.objects.bulk_create(Document(collection=collection, docno=docno) for docno in docnos)
    documents = {document.docno: document.pk for document in made}
    campaign = Campaign.objects.create(
        collection=collection, slug="main", name="Main", kind="relevance", split="main", seed=1, created_at=AT
    )
    criterion = Criterion.objects.create(campaign=campaign, key="relevance", label="Relevance")
    Level.objects.bulk_create(Level(criterion=criterion, value=value, label=str(value)) for value in range(3))
    named = {
        "campaign": campaign.pk,
        "criterion": criterion.pk,
        "topics": [topics[row["query-id"]] for row in rows],
        "documents": [documents[row["corpus-id"]] for row in rows],
        "sums": [int(row["sum"]) for row in rows],
    }
    with connection.cursor() as cursor:
        cursor.execute(FILL, named)
        # As autovacuum does to what is committed: what earlier tests left known of these tables misleads the planner.
        cursor.execute("ANALYZE annotation_item, adjudication_verdict, corpus_document, corpus_topic, corpus_aspect")
    return campaign


@pytest.mark.slow
@pytest.mark.shared
def test_the_published_metrics_come_out_of_relevance_and_rankings() -> None:
    folder = shared_path("data", "doris-mae")
    expected = json.loads((folder / "judged" / "expected_metrics.json").read_text(encoding="utf-8"))
    with (folder / "judged" / "relevance.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    campaign = load_judged(rows)
    options = make_options(campaign.collection, "qrels")
    sums = {(row.topic, row.docno): row.value for row in qrel_rows(options)}
    assert sums == {(row["query-id"], row["corpus-id"]): int(row["sum"]) for row in rows}
    found = relevance_by_topic(campaign, campaign.criteria.get())
    assert sum(each.complete for each in found) == expected["pairs"] == 1_589
    assert sum(each.relevant for each in found) == expected["relevant_pairs_avg_ge_1"]
    assert [int(each.number) for each in found if not each.relevant] == expected["queries_without_relevant"]
    model = "bm25_abstract-paragraph_query-paragraph_mean_max"
    rankings = json.loads((folder / "rankings_v0.json").read_text(encoding="utf-8"))[model]
    cut = {
        each.number: [str(docno) for docno in rankings[int(each.number)] if (each.number, str(docno)) in sums]
        for each in found
    }
    make_run(campaign.collection, "bm25", cut)
    wanted = EvaluationSpec("campaign:main", ("bm25",), measures=MEASURES, resamples=1_000)
    means = evaluate(campaign.collection, wanted).whole.means["bm25"]
    values = [round(100 * (means[measure].value or 0), 6) for measure in MEASURES]
    assert values == pytest.approx(list(expected["metrics"][model].values()), abs=1e-6)
