"""The published pair count of DORIS-MAE: distinct aspects by the pools of its first fifty queries."""

import json
from itertools import islice

import pytest
from django.core.management import call_command

from annotation.campaigns.items import build_items
from annotation.campaigns.lifecycle import create_campaign
from corpus.models import Collection, Document
from tests.factories.annotation import AT
from tests.shared import shared_path

pytestmark = [pytest.mark.django_db, pytest.mark.shared]

PUBLISHED_PAIRS = 82_754  # of version 0, by the data's README


@pytest.mark.slow
def test_the_pairs_of_version_0_come_out(capsys):
    queries, run = shared_path("data", "doris-mae", "queries.txt"), shared_path("data", "doris-mae", "runs", "bm25.run")
    expected = json.loads(shared_path("data", "doris-mae", "expected_counts.json").read_text())
    collection = Collection.objects.create(slug="doris", title="DORIS-MAE", created_at=AT)
    docnos = sorted({line.split()[2] for line in run.read_text().splitlines()})
    Document.objects.bulk_create([Document(collection=collection, docno=docno) for docno in docnos])
    call_command("import_topics", "doris", str(queries))
    call_command("import_runs", "doris", str(run))
    call_command("build_pools", "doris", depth=0)
    capsys.readouterr()
    call_command("collection_stats", "doris", as_json=True)
    figures = json.loads(capsys.readouterr().out)
    assert figures["pairs"] == expected["totals"]["pairs_v0_first_50"] == PUBLISHED_PAIRS
    assert figures["pooled_topics"] == 50
    sizes = {topic.number: topic.pool.count() for topic in collection.topics.filter(pool__isnull=False).distinct()}
    assert sizes == {str(query["id"]): query["pool_size_v0"] for query in expected["per_query"][:50]}

    campaign = create_campaign(collection=collection, by=None, at=AT, name="Everything")
    assert campaign.kind_object.items.fetch_supply(campaign).left == PUBLISHED_PAIRS
    assert build_items(campaign=campaign, by=None, at=AT, sample=90, stratified=True).created == 90
    assert len(set(islice(campaign.items.values_list("topic", flat=True), 90))) == 50
