"""Which pairs a relevance campaign takes: chosen on the page, by command and REST, counted before they are added."""

import json
from copy import deepcopy
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.refusals import Refused
from adjudication.splits.splits import make_split
from annotation.assignment.assignments import assign_items
from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import open_campaign
from annotation.campaigns.pace import fetch_pace, fetch_workload
from annotation.kinds.relevance.choosing import PairChoice
from annotation.models import Campaign, ItemBuild
from corpus.models import PoolEntry, PoolSource
from tests.factories.accounts import AT, make_token
from tests.factories.annotation import Material, annotator, give_labels, make_campaign, make_material
from tests.factories.corpus import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def shared_made(module_db: None) -> Material:
    """Three topics of two aspects and four documents: bm25 pooled all of them in order, dense the first two."""
    found = make_material()
    entries = PoolEntry.objects.order_by("topic__position", "document__docno")
    for each in entries:
        rank = int(each.document.docno[1:]) + 1
        PoolSource.objects.create(entry=each, method="bm25", rank=rank)
        if rank <= 2:
            PoolSource.objects.create(entry=each, method="dense", rank=3 - rank)
    make_run(found.collection, "new", {"1": ["d0003", "elsewhere", "d0000"], "2": ["d0001"]})
    return found


@pytest.fixture
def made(db: None, shared_made: Material) -> Material:
    """Of rows that the tests of a module share; as Python knows them, they are this test's own."""
    return deepcopy(shared_made)


@pytest.fixture
def campaign(made: Material) -> Campaign:
    return make_campaign(made, items=False)


def taken(campaign: Campaign, **choice: Any) -> set[tuple[str, str, str]]:
    """What is made of a choice, by topic, end of the aspect and document."""
    build_items(campaign=campaign, by=None, at=AT, choice=PairChoice(**choice))
    rows = campaign.items.values_list("topic__number", "aspect__text", "document__docno")
    return {(topic, text[-2:-1], docno) for topic, text, docno in rows}


def client_of(made: Material, name: str = "mia") -> Client:
    client = Client()
    client.force_login(made.people[name])
    return client


ALL = [f"d{n:04d}" for n in range(4)]


class TestChoice:
    def test_topics_and_aspects(self, campaign: Campaign) -> None:
        assert taken(campaign, topics=("1", "3"), aspect_words="THING 3.") == {("3", n, d) for n in "12" for d in ALL}

    def test_parts_of_splits(self, made: Material, campaign: Campaign) -> None:
        split = make_split(
            by=None, at=AT, collection=made.collection, name="halves", parts={"dev": 1, "test": 2}, seed=1
        )
        dev = set(split.members.filter(part="dev").values_list("topic__number", flat=True))
        assert len(dev) == 1
        assert {topic for topic, _, _ in taken(campaign, parts=("halves/dev",))} == dev

    def test_ways_into_the_pool_and_depth(self, campaign: Campaign) -> None:
        found = taken(campaign, topics=("2",), pool_sources=("dense",), depth=1)
        assert found == {("2", n, "d0001") for n in "12"}
        found = taken(campaign, topics=("2",), pool_sources=("dense", "bm25"), depth=1)
        assert found == {("2", n, d) for n in "12" for d in ("d0000", "d0001")}

    def test_unjudged_at_the_top_of_runs(self, made: Material, campaign: Campaign) -> None:
        """A pair counts as judged once anybody judged it in any campaign; the other aspects of its topic do not."""
        former = make_campaign(made, name="Former", items=False, overlap=1)
        build_items(campaign=former, by=None, at=AT, choice=PairChoice(topics=("1",), aspect_words="1.1"))
        assign_items(campaign=former, by=None, at=AT)
        open_campaign(campaign=former, by=None, at=AT)
        judge = next(each for each in former.annotators.all() if each.assignments.filter(state="pending").exists())
        give_labels(judge, [1])
        (judged,) = former.items.filter(assignments__state="done").values_list("document__docno", flat=True)
        found = taken(campaign, unjudged_runs=("new",), top=3)
        wanted = {("1", n, d) for n in "12" for d in ("d0003", "d0000")} | {("2", n, "d0001") for n in "12"}
        assert found == wanted - {("1", "1", judged)}

    def test_the_top_ends_where_it_was_said(self, campaign: Campaign) -> None:
        assert taken(campaign, topics=("1",), unjudged_runs=("new",), top=1) == {("1", n, "d0003") for n in "12"}

    def test_nothing_said_is_everything(self, campaign: Campaign) -> None:
        assert len(taken(campaign)) == 24

    def test_a_sample_is_drawn_of_the_choice(self, campaign: Campaign) -> None:
        build_items(campaign=campaign, by=None, at=AT, sample=5, choice=PairChoice(topics=("2",)))
        assert set(campaign.items.values_list("topic__number", flat=True)) == {"2"}
        with pytest.raises(Refused, match="Only 3 pairs are left"):
            build_items(campaign=campaign, by=None, at=AT, sample=5, choice=PairChoice(topics=("2",)))

    @pytest.mark.parametrize(
        ("choice", "reason"),
        [
            ({"topics": ("1", "17", "x")}, "no topic “17”, “x”"),
            ({"parts": ("halves/dev",)}, "no part of a split “halves/dev”"),
            ({"unjudged_runs": ("old",)}, "no run “old”"),
            ({"pool_sources": ("bm25", "dens")}, "no pool source “dens”"),
            ({"depth": 3}, "Choose the pool methods"),
            ({"top": 3}, "Choose the runs"),
        ],
    )
    def test_what_is_not_there_is_named(self, campaign: Campaign, choice: dict[str, Any], reason: str) -> None:
        with pytest.raises(Refused, match=reason):
            taken(campaign, **choice)
        assert not campaign.items.exists()


class TestWorkload:
    def test_pace_is_assumed_until_enough_answers_were_timed(self, made: Material) -> None:
        timed = make_campaign(made, name="Timed", overlap=1)
        assert (fetch_pace(timed).seconds, fetch_pace(timed).is_measured) == (30, False)
        assign_items(campaign=timed, by=None, at=AT)
        open_campaign(campaign=timed, by=None, at=AT)
        for name in ("ana", "ben", "cai"):
            give_labels(annotator(timed, name), [1] * 8, active_ms=9000)
        pace = fetch_pace(timed)
        assert (pace.seconds, pace.answers, pace.is_measured) == (9, 24, True)

    def test_judgments_are_items_by_people(self, campaign: Campaign) -> None:
        found = fetch_workload(campaign, PairChoice(topics=("1",)))
        assert (found.items, found.judgments, found.annotators) == (8, 16, 3)
        assert found.hours == pytest.approx(16 * 30 / 3600)
        assert found.hours_each == pytest.approx(16 * 10 / 3600)
        assert found.parts == (("topic", 1), ("aspect", 2), ("document", 4))
        assert fetch_workload(campaign, PairChoice(topics=("1",)), sample=3).judgments == 6


class TestRoads:
    def test_page_counts_first_and_adds_then(self, made: Material, campaign: Campaign) -> None:
        client = client_of(made)
        page = reverse("item_build", args=["teas", "main-round"])
        shown = client.get(page).text
        for offered in ("bm25", "dense", "new", "Only these topics"):
            assert offered in shown
        assert "parts of splits" not in shown  # the collection has none
        data = {"topics": "1-2", "pool_sources": ["dense"], "depth": "2"}
        counted = client.post(page, {**data, "preview": "1"})
        assert counted.status_code == 200
        text = " ".join(counted.text.split())
        assert "<strong>8 pairs</strong> of 2 topics, 4 aspects, 2 documents would be added." in text
        assert "16 judgments, 2 for each, take about <strong>0.1 hours</strong>, 0.0 for each of 3 annotators." in text
        assert "which is assumed" in text
        assert not campaign.items.exists()
        assert client.post(page, data)["Location"] == reverse("item_list", args=["teas", "main-round"])
        assert campaign.items.count() == 8
        assert "No remaining item matches" in client.post(page, {**data, "preview": "1"}).text
        refused = client.post(page, {"topics": "1 8-9"})
        assert "no topic “8-9”" in refused.text
        refused = client.post(page, {"topics": "1 99"})
        assert refused.status_code == 422
        assert "no topic “99”" in refused.text

    def test_a_new_campaign_takes_the_choice(self, made: Material) -> None:
        data = {"name": "Chosen", "template": "doris-mae", "split": "main", "overlap": "1", "order": "by-aspect"}
        data |= {"strategy": "planned", "lease_minutes": "60", "topics": "3", "pool_sources": "bm25", "depth": "1"}
        answer = client_of(made).post(reverse("campaign_create", args=["teas"]), data)
        assert answer.status_code == 302, answer.text
        items = Campaign.objects.get(name="Chosen").items
        assert list(items.values_list("topic__number", "document__docno")) == [("3", "d0000")] * 2

    def test_a_job_keeps_the_choice(self, made: Material, campaign: Campaign, monkeypatch: Any) -> None:
        monkeypatch.setattr("annotation.campaigns.items.JOB_FROM", 1)
        client_of(made).post(
            reverse("item_build", args=["teas", "main-round"]), {"topics": "2", "pool_sources": "dense"}
        )
        jobs.carry_out(ItemBuild.objects.get())
        assert campaign.items.count() == 4

    def test_command(self, made: Material, campaign: Campaign, capsys: Any) -> None:
        where = ("build_items", "teas", "main-round", "--topic", "1", "--unjudged-run", "new", "--top", "1", "--json")
        call_command(*where, "--dry-run")
        said = json.loads(capsys.readouterr().out)
        assert (said["items"], said["judgments"]) == (2, 4)
        assert not campaign.items.exists()
        call_command(*where)
        assert json.loads(capsys.readouterr().out)["created"] == 2
        with pytest.raises(CommandError, match="no topic “9”"):
            call_command("build_items", "teas", "main-round", "--topic", "9")

    def test_rest(self, made: Material, campaign: Campaign, capsys: Any) -> None:
        _, key = make_token(made.people["mia"])
        headers = {"Authorization": f"Bearer {key}"}
        address = "/api/collections/teas/campaigns/main-round/items/"
        body = {"topics": ["1"], "pool_sources": ["dense"], "depth": 1}
        counted = Client().post(address, {**body, "dry_run": True}, "application/json", headers=headers)
        assert counted.status_code == 200, counted.text
        chosen = ("--topic", "1", "--pool-source", "dense", "--depth", "1")
        call_command("build_items", "teas", "main-round", *chosen, "--dry-run", "--json")
        assert counted.json() == json.loads(capsys.readouterr().out)
        assert (counted.json()["items"], counted.json()["judgments"], counted.json()["hours"]) == (2, 4, 0.03)
        sampled = Client().post(address, {"sample": 3, "dry_run": True}, "application/json", headers=headers).json()
        assert (sampled["items"], sampled["left"]) == (3, 24)
        assert not campaign.items.exists()
        answer = Client().post(address, body, "application/json", headers=headers)
        assert (answer.status_code, answer.json().get("created")) == (201, 2), answer.text
        answer = Client().post(address, {"topics": ["nine"]}, "application/json", headers=headers)
        assert answer.status_code == 422
        assert "no topic “nine”" in answer.text

    def test_rest_names_fields_that_the_kind_does_not_have(self, made: Material, campaign: Campaign) -> None:
        """Each would otherwise build all items instead of some."""
        headers = {"Authorization": f"Bearer {make_token(made.people['mia'])[1]}"}
        ratings = make_campaign(made, name="Ratings", kind="rubric", items=False)
        for slug, wrong in (("main-round", "topcis"), ("main-round", "sources"), ("ratings", "topics")):
            address = f"/api/collections/teas/campaigns/{slug}/items/"
            answer = Client().post(address, {wrong: ["1"]}, "application/json", headers=headers)
            assert answer.status_code == 400
            (reason,) = answer.json()["errors"][wrong]
            own = {"main-round": "pool_sources, sample, seed, stratified, top, topics", "ratings": "sources"}[slug]
            assert own in reason
        answer = Client().post(address, {"sources": ["nowhere"]}, "application/json", headers=headers)
        assert (answer.status_code, answer.json()["detail"]) == (422, "The collection has no source “nowhere”.")
        assert not (campaign.items.exists())
        assert not (ratings.items.exists())

    def test_a_rubric_is_chosen_by_kind_and_words_on_every_road(self, made: Material, capsys: Any) -> None:
        ratings = make_campaign(made, name="Ratings", kind="rubric", items=False)
        topic = made.collection.topics.first()
        assert topic is not None
        made.collection.topics.filter(pk=topic.pk).update(text="How warm is warm?", kind="question")
        headers = {"Authorization": f"Bearer {make_token(made.people['mia'])[1]}"}
        address = "/api/collections/teas/campaigns/ratings/items/"
        body = {"topic_kind": "question", "words": "HOW warm", "dry_run": True}
        assert Client().post(address, body, "application/json", headers=headers).json()["items"] == 1
        former = Client().post(address, {"text": "HOW warm", "dry_run": True}, "application/json", headers=headers)
        assert former.json()["items"] == 1
        assert former["Warning"] == '299 litmus "text is now words; the former name works in version 0.2 only"'
        call_command("build_items", "teas", "ratings", "--topic-kind", "question", "--words", "HOW warm", "--json")
        assert json.loads(capsys.readouterr().out)["created"] == 1
        assert ratings.items.get().topic == topic

    @pytest.mark.parametrize("command", [["build_items", "teas", "ratings"], ["create_campaign", "teas", "Second"]])
    def test_commands_refuse_arguments_of_another_kind(self, made: Material, command: list[str]) -> None:
        make_campaign(made, name="Ratings", kind="rubric", items=False)
        more = ["--kind", "rubric"] if command[0] == "create_campaign" else []
        reason = "--pool-source chooses items of a relevance campaign; this is a rubric campaign."
        with pytest.raises(CommandError, match=reason):
            call_command(*command, *more, "--pool-source", "bm25")
        assert not made.collection.campaigns.filter(items__isnull=False).exists()

    @pytest.mark.parametrize(
        ("query", "status", "reason"),
        [
            ("?topic=zzz", 422, "The campaign has no item of a topic “zzz”."),
            ("?topic=", 400, "Give the number of a topic"),
            ("?topcis=1", 400, "There is no such parameter here. The parameters are: dry_run, topic."),
        ],
    )
    def test_removing_by_a_wrong_topic_removes_nothing(
        self, made: Material, campaign: Campaign, query: str, status: int, reason: str
    ) -> None:
        build_items(campaign=campaign, by=None, at=AT)
        headers = {"Authorization": f"Bearer {make_token(made.people['mia'])[1]}"}
        address = "/api/collections/teas/campaigns/main-round/items/"
        answer = Client().delete(address + query, headers=headers)
        assert (answer.status_code, reason in answer.text) == (status, True), answer.text
        assert campaign.items.count() == 24
        sent = Client().delete(address, {"topic": "1"}, "application/json", headers=headers)
        assert (sent.status_code, "takes no body" in sent.text) == (400, True)
        assert campaign.items.count() == 24
        assert Client().delete(f"{address}?topic=1", headers=headers).json() == {"removed": 8}
        again = Client().delete(f"{address}?topic=1", headers=headers)
        assert "no item of a topic “1”" in again.json()["detail"]
