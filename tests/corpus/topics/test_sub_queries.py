"""Sub-queries of a collection: made, made again, removed; by page and command; qrels and topics of them."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.exporting.options import make_options
from adjudication.exports.files import open_export
from corpus.models import Collection, PoolEntry, Role, Topic
from corpus.topics.sub_queries import SubQueryCounts, make_sub_queries, remove_sub_queries
from engines.formats.doris_json_writer import write_doris_json
from tests.adjudication.verdicts.test_votes import vote
from tests.engines.ranking.test_sub_queries import tied_topics
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.adjudication import Built, build_campaign
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_tree
from tests.shared import shared_path

pytestmark = pytest.mark.django_db
TEA, POTS, CUPS = "It is about tea.", "It has pots.", "It has cups."


@pytest.fixture
def collection() -> Collection:
    """Topic 1 has three aspects; pots and cups come from the same sentence. Topic 2 has one aspect."""
    collection = CollectionFactory(slug="tea")
    topic = TopicFactory(
        collection=collection, number="1", sentences=["I brew tea.", "I need pots and cups."], text="I brew tea. …"
    )
    make_tree(topic, {TEA: ["green", "black"], POTS: [], CUPS: ["green"]})
    for node in topic.nodes.filter(parent=None):
        node.sentences = [0] if node.aspect.text == TEA else [1]
        node.save()
    make_tree(TopicFactory(collection=collection, number="2"), {"Alone.": []})
    make_pool(topic, [DocumentFactory(collection=collection, docno="D1")])
    return collection


def make(collection: Collection, size: int = 2) -> SubQueryCounts:
    return make_sub_queries(by=None, at=AT, collection=collection, size=size).counts


def numbers(collection: Collection) -> dict[str, str]:
    return {each.number: each.text for each in collection.sub_queries.all()}


def test_sub_queries_are_made_once(collection: Collection) -> None:
    assert make(collection) == SubQueryCounts(created=1, updated=0, unchanged=0, removed=0, left_out=2)
    assert numbers(collection) == {"1:2+3": "I need pots and cups."}
    kept = collection.sub_queries.get().pk
    assert make(collection) == SubQueryCounts(created=0, updated=0, unchanged=1, removed=0, left_out=2)
    assert collection.sub_queries.get().pk == kept
    assert make(collection, 3).created == 1
    assert AuditEvent.objects.filter(verb="make_sub_queries").count() == 3


def test_they_follow_what_changes(collection: Collection) -> None:
    make(collection)
    topic = Topic.objects.get(number="1")
    topic.sentences = ["I brew tea.", "I need a pot and cups."]
    topic.save()
    assert make(collection).updated == 1
    assert numbers(collection) == {"1:2+3": "I need a pot and cups."}
    topic.nodes.filter(aspect__text=CUPS).update(sentences=[])
    made = make(collection)
    # Pots alone own their sentence now; cups, tied to nothing, bring their own words.
    assert numbers(collection)["1:2+3"] == f"I need a pot and cups. {CUPS}"
    assert (made.created, made.updated, made.left_out) == (2, 1, 0)
    topic.nodes.filter(aspect__text=TEA).delete()
    assert make(collection) == SubQueryCounts(created=0, updated=1, unchanged=0, removed=2, left_out=0)
    assert set(numbers(collection)) == {"1:1+2"}


def test_they_cost_nothing(collection: Collection) -> None:
    before = PoolEntry.objects.count(), Topic.objects.count()
    make(collection, 1)
    assert (PoolEntry.objects.count(), Topic.objects.count()) == before


@pytest.mark.parametrize(("size", "reason"), [(0, "between 1 and 6"), (7, "between 1 and 6"), (4, "No topic has 4")])
def test_sizes_that_make_no_sense_are_refused(collection: Collection, size: int, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        make(collection, size)


def test_numbers_that_collide_are_refused_and_nothing_is_kept(collection: Collection) -> None:
    make(collection)
    collection.sub_queries.update(size=3, number="2:1")
    with pytest.raises(Conflict, match="same number"):
        make(collection, 1)
    assert set(numbers(collection)) == {"2:1"}


def test_only_managers_make_and_remove(collection: Collection) -> None:
    member = MembershipFactory(collection=collection, role=Role.ADJUDICATOR)
    with pytest.raises(NotAllowed):
        make_sub_queries(by=member.user, at=AT, collection=collection, size=2)
    with pytest.raises(NotAllowed):
        remove_sub_queries(by=member.user, at=AT, collection=collection, size=2)


def test_without_two_aspects_the_page_says_why_none_can_be_made(client: Client) -> None:
    membership = MembershipFactory(role=Role.MANAGER)
    client.force_login(membership.user)
    page = client.get(reverse("sub_query_list", args=[membership.collection.slug])).content.decode()
    assert "No topic has two aspects yet" in page
    assert '<button class="button primary" type="submit"' not in page


@pytest.mark.slow
def test_pages(collection: Collection, client: Client) -> None:
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    page = reverse("sub_query_list", args=["tea"])
    asked = client.get(page).content.decode()
    assert "No sub-queries yet" in asked
    assert "The topics have up to 3 aspects." in asked
    refused = client.post(reverse("sub_query_create", args=["tea"]), {"size": "5"}, follow=True)
    assert "No topic has 5 aspects" in refused.content.decode()
    assert refused.context["form"]["size"].value() == "5"  # what was typed is still there
    wrong = client.post(reverse("sub_query_create", args=["tea"]), {"size": "99"}, follow=True)
    assert wrong.context["form"]["size"].value() == "99"
    assert 'aria-invalid="true"' in wrong.content.decode()
    assert client.get(page).context["form"]["size"].value() == 2  # only on the page that follows
    made = client.post(reverse("sub_query_create", args=["tea"]), {"size": "2"}, follow=True).content.decode()
    assert "1 made, 0 changed, 0 as before, 0 removed; 2 combinations left out" in made
    assert "I need pots and cups." in made
    assert "No sub-queries match." in client.get(page, {"topic": "2", "size": "2"}).content.decode()
    assert client.get(page, {"size": "many", "page": "x"}).status_code == 200
    gone = client.post(reverse("sub_query_delete", args=["tea"]), {"size": "2"}, follow=True).content.decode()
    assert "1 sub-queries are gone" in gone or "No sub-queries yet" in gone
    assert not collection.sub_queries.exists()


@pytest.mark.slow
def test_the_page_costs_the_same_however_many(
    collection: Collection, client: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(5, 15):
        make_tree(TopicFactory(collection=collection, number=str(number)), {"A.": [], "B.": [], "C.": []})
    make(collection)
    client.force_login(MembershipFactory(collection=collection, role=Role.VIEWER).user)
    with django_assert_max_num_queries(10):  # type: ignore[operator]
        assert client.get(reverse("sub_query_list", args=["tea"])).status_code == 200


def test_api(collection: Collection, client: Client) -> None:
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    url = "/api/collections/tea/sub-queries/"
    made = client.post(url, {"size": 2}, content_type="application/json")
    assert (made.status_code, made.json()) == (
        200,
        {"created": 1, "updated": 0, "unchanged": 0, "removed": 0, "left_out": 2, "sub_queries": 1, "aspects": 2},
    )
    (one,) = client.get(url, {"size": "2", "topic": "1"}).json()["results"]
    assert {key: one[key] for key in ("number", "topic", "text", "aspects", "pooled")} == {
        "number": "1:2+3",
        "topic": "1",
        "text": "I need pots and cups.",
        "aspects": [POTS, CUPS],
        "pooled": 1,
    }
    assert client.get(url, {"topic": "2"}).json()["results"] == []
    assert [client.get(url, {"size": bad}).status_code for bad in ("x", "0", "7")] == [400] * 3
    assert client.delete(f"{url}?size=2").json() == {"removed": 1}
    assert not collection.sub_queries.exists()


@pytest.mark.slow
@pytest.mark.shared
def test_the_published_sub_queries_come_out_of_the_published_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """1,003 with the sentences of DORIS-MAE's JSON; 1,395 from `queries.txt`, which says nothing of sentences."""
    topics, _ = tied_topics()
    CollectionFactory(slug="doris")
    tied, bare = tmp_path / "v1.json", shared_path("data", "doris-mae", "queries.txt")
    tied.write_text("".join(write_doris_json(topics, [], [], [])))

    def made_of(file: Path) -> tuple[int, int]:
        call_command("import_topics", "doris", str(file), as_json=True)
        unchanged = json.loads(capsys.readouterr().out)["unchanged"]
        call_command("make_sub_queries", "doris", size=2, as_json=True)
        return json.loads(capsys.readouterr().out)["sub_queries"], unchanged

    assert made_of(tied) == (1_003, 0)
    assert made_of(tied) == (1_003, 100)
    assert made_of(bare) == (1_395, 0)


class TestExports:
    def test_qrels_are_inherited(self) -> None:
        """Sub-aspects count with their aspect, once; a document that lacks one of the items is left out."""
        triples = [("7", text, docno) for docno in ("D1", "D2") for text in ("tea", "green", "pots")]
        built = build_campaign([[value] * 3 for value in (2, 1, 2, 0, 2, 1)], triples=triples)
        vote(built)
        topic = Topic.objects.get(number="7")
        topic.nodes.all().delete()
        make_tree(topic, {"tea": ["green", "pots"], "pots": ["green"]})
        make_sub_queries(by=None, at=AT, collection=built.collection, size=1)
        assert text_of(built.collection, "qrels") == "7:1 0 D1 5\n7:1 0 D2 3\n7:2 0 D1 3\n7:2 0 D2 3\n"
        assert text_of(built.collection, "qrels", grades="binary") == "7:1 0 D1 1\n7:1 0 D2 1\n7:2 0 D1 1\n7:2 0 D2 1\n"
        assert inherited_by_api(built) == [("D1", 1, 5, True), ("D2", 2, 3, True)]
        topics = text_of(built.collection, "topics")
        assert "<num> Number: 7:1" in topics
        options = make_options(built.collection, "topics", level="sub-query")
        assert open_export(options).filename == "tea-sub-query.topics"

    def test_what_cannot_be_written(self, collection: Collection) -> None:
        with pytest.raises(Refused, match="There are no sub-queries yet"):
            make_options(collection, "topics", level="sub-query")
        make(collection)
        with pytest.raises(Refused, match="export one of these: qrels, topics"):
            make_options(collection, "documents", level="sub-query")
        with pytest.raises(Refused, match="are based on verdicts"):
            make_options(collection, "qrels", level="sub-query", annotators=True)


def inherited_by_api(built: Built) -> list[tuple[str, int, int, bool]]:
    """The ranking of sub-query 7:1 as the API returns it."""
    client = Client()
    client.force_login(MembershipFactory(collection=built.collection, role=Role.VIEWER).user)
    url = f"/api/collections/{built.collection.slug}/campaigns/{built.campaign.slug}/relevance/"
    assert [row["topic"] for row in client.get(url).json()] == ["7"]
    parts = client.get(f"{url}7/").json()["parts"]
    (key,) = (part["key"] for part in parts if part["label"].startswith("Sub-query 7:1:"))
    result = client.get(f"{url}7/", {"part": key}).json()
    assert [client.get(f"{url}{bad}").status_code for bad in ("8/", "7/?part=x", "7/?criterion=x")] == [404] * 3
    return [(row["docno"], row["rank"], row["sum"], row["relevant"]) for row in result["documents"]]


def text_of(collection: Collection, kind: str, **options: str) -> str:
    return b"".join(open_export(make_options(collection, kind, level="sub-query", **options)).pieces).decode()
