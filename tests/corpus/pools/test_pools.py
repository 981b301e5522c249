"""Pools: unions with provenance from runs, known targets and lists; built twice, deeper, by hand, by a real worker."""

from functools import partial

import pytest
from django.db import transaction

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.models import Campaign, Item
from corpus.models import (
    Collection,
    Document,
    Membership,
    PoolEntry,
    PoolRun,
    PoolSource,
    RetrievalRun,
    Role,
    Target,
    Topic,
)
from corpus.pools.building import try_lock_pools
from corpus.pools.requests import add_to_pool, remove_from_pool, request_pools
from tests.corpus.pools.building import build, pools
from tests.databases import at_once
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run
from tests.processes import wait_for


@pytest.fixture
def manager(collection: Collection) -> Membership:
    return MembershipFactory(collection=collection, role=Role.MANAGER)


def judge(topic: Topic, document: Document) -> None:
    """A campaign has an item of this pair."""
    campaign, _ = Campaign.objects.get_or_create(
        collection=topic.collection,
        slug="main",
        defaults={"name": "Main", "kind": "relevance", "seed": 1, "created_at": AT},
    )
    Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, document=document)


class TestBuild:
    def test_pools_are_the_union_with_methods_and_ranks(self, collection: Collection) -> None:
        run = build(collection, depth=2)
        assert pools(collection) == {
            "1": {"D1": {"bm25": 1}, "D2": {"bm25": 2, "e5": 2}},
            "2": {"D4": {"bm25": 1}},
        }
        assert (run.state, run.topics, run.pairs, run.added, run.removed) == (JobState.DONE, 2, 3, 3, 0)
        assert run.methods == {"bm25": 3, "e5": 1}

    def test_documents_that_are_not_there_hold_their_ranks(self, collection: Collection) -> None:
        build(collection, ["e5"], depth=1)
        assert pools(collection) == {}
        build(collection, ["e5"], depth=3)
        assert pools(collection) == {"1": {"D2": {"e5": 2}, "D5": {"e5": 3}}}

    @pytest.mark.parametrize("depth", [None, 0, 1_000_000_000])
    def test_whole_rankings_are_pooled(self, collection: Collection, depth: int | None) -> None:
        assert build(collection, depth=depth).pairs == 5

    def test_building_twice_changes_nothing(self, collection: Collection) -> None:
        build(collection, depth=2)
        before = list(PoolEntry.objects.order_by("pk").values()), list(PoolSource.objects.order_by("pk").values())
        run = build(collection, depth=2)
        assert (run.added, run.removed, run.pairs) == (0, 0, 3)
        after = list(PoolEntry.objects.order_by("pk").values()), list(PoolSource.objects.order_by("pk").values())
        assert before == after

    def test_a_lesser_depth_takes_back_what_nothing_else_brings(self, collection: Collection) -> None:
        build(collection)
        make_pool(collection.topics.get(number="2"), [collection.documents.get(docno="D6")], method="list")
        run = build(collection, depth=1)
        assert pools(collection) == {"1": {"D1": {"bm25": 1}}, "2": {"D4": {"bm25": 1}, "D6": {"list": 1}}}
        assert run.removed == 3

    def test_what_campaigns_have_made_items_of_stays_with_its_provenance(self, collection: Collection) -> None:
        build(collection)
        judge(collection.topics.get(number="1"), collection.documents.get(docno="D5"))
        build(collection, depth=1)
        assert pools(collection)["1"] == {"D1": {"bm25": 1}, "D5": {"e5": 3}}

    def test_methods_that_are_not_chosen_keep_their_share(self, collection: Collection) -> None:
        build(collection)
        build(collection, ["bm25"], depth=1)
        assert pools(collection)["1"] == {"D1": {"bm25": 1}, "D2": {"e5": 2}, "D5": {"e5": 3}}

    def test_ranks_follow_a_run_that_changed(self, collection: Collection) -> None:
        build(collection)
        ranking = RetrievalRun.objects.get(name="bm25").rankings.get(topic__number="1")
        ranking.docnos = ["D3", "D1"]
        ranking.scores = [2.0, 1.0]
        ranking.save()
        build(collection)
        assert pools(collection)["1"] == {"D3": {"bm25": 1}, "D1": {"bm25": 2}, "D2": {"e5": 2}, "D5": {"e5": 3}}

    def test_known_targets_are_pooled_too(self, collection: Collection) -> None:
        topic = collection.topics.get(number="2")
        Target.objects.create(topic=topic, document=collection.documents.get(docno="D6"))
        assert build(collection).methods == {"bm25": 4, "e5": 2, "targets": 1}
        assert pools(collection)["2"] == {"D4": {"bm25": 1}, "D6": {"targets": None}}
        assert build(collection, ["targets"]).methods == {"targets": 1}

    def test_other_collections_are_not_touched(self, collection: Collection) -> None:
        other = CollectionFactory()
        topic = TopicFactory(collection=other, number="1")
        make_pool(topic, [DocumentFactory(collection=other, docno="D1")])
        make_run(other, "bm25", {"1": []})
        build(collection)
        assert pools(other) == {"1": {"D1": {"bm25": 1}}}

    def test_it_is_in_the_audit_log(self, collection: Collection) -> None:
        build(collection, ["bm25"], depth=1)
        event = AuditEvent.objects.get(verb="build_pools")
        assert event.data == {"methods": {"bm25": 2}, "depth": 1, "added": 2, "removed": 0}

    def test_a_job_whose_worker_died_after_its_commit_is_not_done_twice(self, collection: Collection) -> None:
        run = build(collection)
        PoolRun.objects.filter(pk=run.pk).update(state=JobState.RUNNING, finished_at=None)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert (run.state, run.added) == (JobState.DONE, 5)


class TestRefusals:
    @pytest.mark.parametrize(
        ("methods", "depth", "reason"),
        [
            (["bm25", "splade"], None, "There is no run splade. Known are: bm25, e5."),
            (["targets"], None, "There is no run targets"),
            ([], None, "Choose at least one run"),
            (None, -1, "The depth must be between 1 and"),
            (None, 2_000_000_000, "The depth must be between 1 and"),
        ],
    )
    def test_what_cannot_be_built_is_refused(
        self, collection: Collection, methods: list[str] | None, depth: int | None, reason: str
    ) -> None:
        with pytest.raises(Refused, match=reason):
            build(collection, methods, depth)
        assert not PoolRun.objects.exists()

    def test_there_must_be_something_to_pool(self, db: None) -> None:
        with pytest.raises(Refused, match="To build pools, first import runs"):
            build(CollectionFactory())

    def test_only_managers_build(self, collection: Collection) -> None:
        for role in (Role.ADJUDICATOR, Role.VIEWER, Role.ANNOTATOR):
            member = MembershipFactory(collection=collection, role=role)
            with pytest.raises(NotAllowed):
                request_pools(by=member.user, at=AT, collection=collection)
        assert not PoolRun.objects.exists()

    def test_one_build_waits_at_a_time(self, collection: Collection, manager: Membership) -> None:
        run = request_pools(by=manager.user, at=AT, collection=collection)
        with pytest.raises(Conflict, match="already being built"):
            request_pools(by=manager.user, at=AT, collection=collection)
        cancel_job(by=manager.user, at=AT, job=run)
        assert run.state == JobState.CANCELLED
        with pytest.raises(Conflict, match="The job has already ended"):
            cancel_job(by=manager.user, at=AT, job=run)
        assert request_pools(by=manager.user, at=AT, collection=collection).state == JobState.QUEUED

    def test_a_run_that_was_deleted_meanwhile_ends_the_job(self, collection: Collection) -> None:
        run = request_pools(by=None, at=AT, collection=collection, send=False)
        RetrievalRun.objects.get(name="e5").delete()
        jobs.carry_out(run)
        run.refresh_from_db()
        assert (run.state, run.reason) == (
            JobState.FAILED,
            "The run e5 has been deleted meanwhile. The pools are as they were.",
        )
        assert pools(collection) == {}

    def test_a_cancelled_job_leaves_the_pools_as_they_were(
        self, collection: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
        run = request_pools(by=None, at=AT, collection=collection, send=False)
        PoolRun.objects.filter(pk=run.pk).update(cancel_requested_at=AT)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert pools(collection) == {}


class TestTurns:
    @pytest.mark.django_db(transaction=True)
    def test_building_waits_for_its_turn_and_can_be_cancelled_there(
        self, collection: Collection, manager: Membership
    ) -> None:
        run = request_pools(by=None, at=AT, collection=collection, send=False)

        def cancel() -> None:
            running = PoolRun.objects.filter(pk=run.pk, state=JobState.RUNNING)
            wait_for(lambda: running.update(cancel_requested_at=AT), what="the job to begin")

        with transaction.atomic():
            assert try_lock_pools(collection.pk)
            at_once(partial(jobs.carry_out, run), cancel)
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert pools(collection) == {}

    @pytest.mark.django_db(transaction=True)
    def test_a_real_worker_builds(self, collection: Collection, manager: Membership, celery_worker: object) -> None:
        run = request_pools(by=manager.user, at=AT, collection=collection, depth=1)
        wait_for(lambda: PoolRun.objects.get(pk=run.pk).is_final, what="the end of the job")
        assert PoolRun.objects.get(pk=run.pk).state == JobState.DONE
        assert pools(collection) == {"1": {"D1": {"bm25": 1}}, "2": {"D4": {"bm25": 1}}}


class TestByHand:
    def test_a_document_is_pooled_and_taken_out_again(self, collection: Collection, manager: Membership) -> None:
        topic = collection.topics.get(number="2")
        entry = add_to_pool(by=manager.user, at=AT, topic=topic, docno="D6")
        assert add_to_pool(by=manager.user, at=AT, topic=topic, docno="D6") == entry
        assert pools(collection) == {"2": {"D6": {"by-hand": None}}}
        build(collection)
        assert pools(collection)["2"] == {"D6": {"by-hand": None}, "D4": {"bm25": 1}}
        remove_from_pool(by=manager.user, at=AT, entry=entry)
        assert pools(collection)["2"] == {"D4": {"bm25": 1}}
        assert AuditEvent.objects.filter(verb="add_to_pool").count() == 1
        assert AuditEvent.objects.get(verb="remove_from_pool").data == {"docno": "D6", "methods": ["by-hand"]}

    def test_unknown_documents_and_judged_entries_are_refused(
        self, collection: Collection, manager: Membership
    ) -> None:
        topic = collection.topics.get(number="1")
        with pytest.raises(Refused, match="There is no document D99 in the collection"):
            add_to_pool(by=manager.user, at=AT, topic=topic, docno="D99")
        build(collection)
        judge(topic, collection.documents.get(docno="D1"))
        with pytest.raises(Refused, match="D1 is in 1 item of a campaign for this topic"):
            remove_from_pool(by=manager.user, at=AT, entry=PoolEntry.objects.get(topic=topic, document__docno="D1"))
        assert "D1" in pools(collection)["1"]

    def test_only_managers_change_pools(self, collection: Collection) -> None:
        build(collection)
        viewer = MembershipFactory(collection=collection, role=Role.VIEWER)
        topic = collection.topics.get(number="1")
        with pytest.raises(NotAllowed):
            add_to_pool(by=viewer.user, at=AT, topic=topic, docno="D6")
        with pytest.raises(NotAllowed):
            remove_from_pool(by=viewer.user, at=AT, entry=topic.pool.all()[0])
        assert len(pools(collection)["1"]) == 4
