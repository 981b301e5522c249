"""Requests to build pools, changes of them by hand, and the deletion of runs."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from corpus.collections.rules import check_can_delete, check_manager, check_run_is_free
from corpus.models import Collection, PoolEntry, PoolRun, PoolSource, RetrievalRun, Topic
from corpus.models.pools import BY_HAND
from corpus.pools.building import remove_method, try_lock_pools
from corpus.pools.recipes import choose_methods
from corpus.runs.runs import judged_documents_of
from engines.ranking.analysis import analysis_of
from engines.ranking.index import Settings
from engines.ranking.recipe import Recipe

DEEPEST = 1_000_000_000
POOL_PAIRS = """
WITH pairs AS (
  SELECT t.id AS topic_id, d.id AS document_id
  FROM unnest(%(topics)s::bigint[], %(documents)s::bigint[]) AS pair (topic_id, document_id)
  JOIN corpus_topic t ON t.id = pair.topic_id AND t.collection_id = %(collection)s
  JOIN corpus_document d ON d.id = pair.document_id AND d.collection_id = %(collection)s
), entries AS (
  INSERT INTO corpus_poolentry (topic_id, document_id) SELECT topic_id, document_id FROM pairs
  ON CONFLICT DO NOTHING RETURNING id
), sources AS (
  INSERT INTO corpus_poolsource (entry_id, method) SELECT id, %(method)s FROM entries
)
SELECT count(*) FROM entries
"""


@transaction.atomic
def request_pools(
    *,
    by: User | None,
    at: datetime,
    collection: Collection,
    methods: Sequence[str] | None = None,
    depth: int | None = None,
    recipe: Recipe | None = None,
    index: Settings | None = None,
    send: bool = True,
) -> PoolRun:
    """Request pools of the first `depth` documents (None or 0: all) of runs, of what a recipe finds, or of both.

    `methods` are names of runs, "targets" for documents known to answer a topic, and (unless a run has the name)
    "bm25", "tfidf", "citations" and "dense", which search the collection for the whole topic. Without methods and
    recipe: all runs and targets, or where there are none the usual recipe. `send=False` leaves the work to the caller.
    Errors: Refused for unknown methods and when there is nothing to pool, Conflict while pools are being built.
    """
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    depth = depth or None
    if depth is not None and not 1 <= depth <= DEEPEST:
        raise Refused(f"The depth must be between 1 and {DEEPEST:,}; 0 takes whole rankings.")
    chosen, recipe = choose_methods(collection, methods, recipe, depth)
    if index is not None and recipe is None:
        raise Refused("Index settings apply to searches only. Add a search, or leave the settings out.")
    if send and collection.pool_runs.exclude(state__in=FINAL_STATES).exists():
        raise Conflict(
            "Pools of this collection are already being built. Wait until this has finished, or cancel it first."
        )
    parameters: dict[str, Any] = {"methods": chosen, "depth": depth}
    if recipe is not None:
        parameters |= {"recipe": asdict(recipe), "index": asdict(index or Settings(analysis_of(collection.language)))}
    run = jobs.new_job(PoolRun, by=by, at=at, send=send, collection=collection, parameters=parameters)
    record_event(by=by, at=at, verb="request_pools", target=run, scope=collection, **parameters)
    return run


@dataclass(frozen=True)
class RemovedRun:
    """The name of a run that is deleted, where it was, and how many documents left the pools with it."""

    name: str
    collection: Collection
    removed: int


@transaction.atomic
def delete_run(*, by: User, at: datetime, run: RetrievalRun) -> RemovedRun:
    """Delete a run with its rankings and the pool entries that only it retrieved.

    Errors: Refused when a campaign judges documents that it retrieved, because their provenance must stay.
    """
    check_manager(run.collection, by)
    check_can_delete(run, run.collection)
    Collection.objects.select_for_update(no_key=True).get(pk=run.collection_id)  # nobody makes or imports it meanwhile
    lock_pools(run.collection)
    check_run_is_free(run, judged_documents_of(run))
    removed = remove_method(run.collection_id, run.name)
    record_event(by=by, at=at, verb="delete_run", target=run, scope=run.collection, name=run.name, unpooled=removed)
    run.delete()
    return RemovedRun(run.name, run.collection, removed)


@transaction.atomic
def add_to_pool(*, by: User, at: datetime, topic: Topic, docno: str) -> PoolEntry:
    """Pool one document by hand."""
    check_manager(topic.collection, by)
    lock_pools(topic.collection)
    document = topic.collection.documents.filter(docno=docno).only("collection", "docno", "title").first()
    if document is None:
        raise Refused(f"There is no document {docno} in the collection.")
    entry, _ = PoolEntry.objects.get_or_create(topic=topic, document=document)
    _, is_new = PoolSource.objects.get_or_create(entry=entry, method=BY_HAND)
    if is_new:
        record_event(by=by, at=at, verb="add_to_pool", target=topic, scope=topic.collection, docno=docno)
    return entry


@transaction.atomic
def add_all_to_pool(*, by: User | None, at: datetime, collection: Collection, pairs: Sequence[tuple[int, int]]) -> int:
    """Pool these (topic id, document id) of the collection by hand; returns how many were not pooled before."""
    check_manager(collection, by)
    lock_pools(collection)
    topics, documents = [topic for topic, _ in pairs], [document for _, document in pairs]
    values = {"topics": topics, "documents": documents, "method": BY_HAND, "collection": collection.pk}
    ((added,),) = execute(POOL_PAIRS, values)
    record_event(by=by, at=at, verb="add_to_pools", target=collection, scope=collection, pairs=len(pairs), added=added)
    return added


@transaction.atomic
def remove_from_pool(*, by: User, at: datetime, entry: PoolEntry) -> None:
    """Remove a document from a topic's pool. Errors: Refused when a campaign has made items of it."""
    collection = entry.topic.collection
    check_manager(collection, by)
    lock_pools(collection)
    items = entry.document.items.filter(topic=entry.topic_id).count()
    if items:
        many = f"{items:,} item{'' if items == 1 else 's'} of a campaign"
        raise Refused(f"{entry.document.docno} is in {many} for this topic. Remove what is in the campaign first.")
    record_event(
        by=by,
        at=at,
        verb="remove_from_pool",
        target=entry.topic,
        scope=collection,
        docno=entry.document.docno,
        methods=list(entry.sources.values_list("method", flat=True)),
    )
    entry.delete()


def lock_pools(collection: Collection) -> None:
    """Lock the pools until the transaction ends. Errors: Conflict when another transaction has locked them."""
    if not try_lock_pools(collection.pk):
        raise Conflict("The pools of this collection are being changed. Try again when this has finished.")
