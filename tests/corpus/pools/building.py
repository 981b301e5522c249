"""Pools built at once, and what they hold."""

from accounts import jobs
from corpus.models import (
    Collection,
    PoolEntry,
    PoolRun,
)
from corpus.pools.requests import request_pools
from tests.factories.accounts import AT

Found = dict[str, dict[str, dict[str, int | None]]]  # {topic: {docno: {method: rank}}}


def build(collection: Collection, methods: list[str] | None = None, depth: int | None = None) -> PoolRun:
    run = request_pools(by=None, at=AT, collection=collection, methods=methods, depth=depth, send=False)
    jobs.carry_out(run)
    run.refresh_from_db()
    return run


def pools(collection: Collection) -> Found:
    found: Found = {}
    for entry in PoolEntry.objects.filter(topic__collection=collection).select_related("topic", "document"):
        sources = {source.method: source.rank for source in entry.sources.all()}
        found.setdefault(entry.topic.number, {})[entry.document.docno] = sources
    return found
