"""The published pair count of DORIS-MAE: distinct aspects by the pools of its first fifty queries."""

from io import StringIO
from itertools import islice

import pytest
from django.core.management import call_command

from annotation.campaigns.actions.campaigns import create_campaign
from annotation.campaigns.actions.items import build_items
from corpus.models import Collection, Document, PoolEntry, Topic
from tests.factories.annotation import AT
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]

PUBLISHED_PAIRS = 82_754  # of version 0, by the data's README


def test_the_pairs_of_version_0_come_out():
    queries, run = shared_path("data", "doris-mae", "queries.txt"), shared_path("data", "doris-mae", "runs", "bm25.run")
    collection = Collection.objects.create(slug="doris", title="DORIS-MAE", created_at=AT)
    call_command("import_topics", "doris", str(queries), stderr=StringIO())
    topics = dict(Topic.objects.filter(collection=collection).values_list("number", "pk"))
    with run.open() as lines:
        pairs = [line.split()[:3:2] for line in lines]
    docnos = sorted({docno for _, docno in pairs})
    documents = Document.objects.bulk_create([Document(collection=collection, docno=docno) for docno in docnos])
    known = {document.docno: document.pk for document in documents}
    PoolEntry.objects.bulk_create(
        [PoolEntry(topic_id=topics[topic], document_id=known[docno]) for topic, docno in pairs], batch_size=5000
    )
    campaign = create_campaign(collection=collection, by=None, at=AT, name="Everything")
    assert campaign.kind_object.items.fetch_supply(campaign).left == PUBLISHED_PAIRS
    assert build_items(campaign=campaign, by=None, at=AT, sample=90, stratified=True).created == 90
    assert len(set(islice(campaign.items.values_list("topic", flat=True), 90))) == 50
