"""Runs that are deleted go with what only they brought into pools; only managers delete and describe them."""

from functools import partial

import pytest
from django.db import transaction

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from annotation.models import Campaign, Item
from corpus.models import Collection, Membership, PoolEntry, Ranking, RetrievalRun, Role
from corpus.pools.building import try_lock_pools
from corpus.pools.requests import delete_run
from corpus.runs.runs import describe_run
from tests.databases import in_another_connection
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory, TopicFactory, make_pool, make_run


@pytest.fixture
def collection(db: None) -> Collection:
    found = CollectionFactory(slug="tea")
    TopicFactory(collection=found, number="1")
    for number in range(1, 4):
        DocumentFactory(collection=found, docno=f"D{number}")
    return found


@pytest.fixture
def manager(collection: Collection) -> Membership:
    return MembershipFactory(collection=collection, role=Role.MANAGER)


class TestDeletion:
    def test_a_run_goes_with_what_only_it_brought_into_pools(self, collection: Collection, manager: Membership) -> None:
        topic, (d1, d2, d3) = collection.topics.get(number="1"), collection.documents.order_by("docno")[:3]
        run = make_run(collection, "bm25", {"1": ["D1", "D2"]})
        shared = make_pool(topic, [d1, d2])[1]
        shared.sources.create(method="e5", rank=7)
        make_pool(topic, [d3], method="e5")
        other = CollectionFactory()
        make_pool(TopicFactory(collection=other), [DocumentFactory(collection=other)])
        removed = delete_run(by=manager.user, at=AT, run=run).removed
        assert removed == 1
        assert not RetrievalRun.objects.exists()
        left = {
            entry.document.docno: [source.method for source in entry.sources.all()]
            for entry in PoolEntry.objects.filter(topic=topic)
        }
        assert left == {"D2": ["e5"], "D3": ["e5"]}
        assert PoolEntry.objects.filter(topic__collection=other).count() == 1
        event = AuditEvent.objects.get(verb="delete_run")
        assert (event.target, event.data) == ("bm25", {"name": "bm25", "unpooled": 1})

    def test_a_run_whose_documents_are_judged_stays(self, collection: Collection, manager: Membership) -> None:
        topic, document = collection.topics.get(number="1"), collection.documents.get(docno="D1")
        run = make_run(collection, "bm25", {"1": ["D1"]})
        make_pool(topic, [document])
        campaign = Campaign.objects.create(
            collection=collection, slug="main", name="Main", kind="relevance", seed=1, created_at=AT
        )
        Item.objects.create(campaign=campaign, split=campaign.split, topic=topic, document=document)
        with pytest.raises(Refused, match=r"Campaigns judge 1 document that bm25 added to pools"):
            delete_run(by=manager.user, at=AT, run=run)
        assert Ranking.objects.get(run=run).docnos == ["D1"]
        assert PoolEntry.objects.count() == 1

    def test_only_managers_delete_and_describe(self, collection: Collection) -> None:
        run = make_run(collection, "bm25", {"1": ["D1"]})
        for role in (Role.ADJUDICATOR, Role.VIEWER, Role.ANNOTATOR):
            member = MembershipFactory(collection=collection, role=role)
            with pytest.raises(NotAllowed):
                delete_run(by=member.user, at=AT, run=run)
            with pytest.raises(NotAllowed):
                describe_run(by=member.user, at=AT, run=run, description="BM25")
        assert RetrievalRun.objects.get().description == ""

    @pytest.mark.django_db(transaction=True)
    def test_nothing_is_deleted_while_pools_are_changed(self, collection: Collection, manager: Membership) -> None:
        run = make_run(collection, "bm25", {"1": ["D1"]})
        with transaction.atomic():
            assert try_lock_pools(collection.pk)
            said = in_another_connection(partial(delete_run, by=manager.user, at=AT, run=run))
        assert isinstance(said, Conflict)
        assert said.reason == "The pools of this collection are being changed. Try again when this has finished."
        assert RetrievalRun.objects.filter(pk=run.pk).exists()
