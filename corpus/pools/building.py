"""Building pools: the union of the first documents of each ranking and of what searches find, with provenance.

After building, the chosen methods bring in exactly their first documents. Entries that no method retrieves any longer
are removed, except where a campaign has made items of them. Building twice changes nothing.
"""

import time
from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.claims import jobs_claimed
from accounts.job_kinds import Waiting
from accounts.locks import BRIEFLY, briefly
from accounts.models import JobState
from accounts.refusals import Refused
from accounts.sql import execute
from corpus.loading.copying import NULL
from corpus.models import PoolEntry, PoolRun, RetrievalRun
from corpus.models.pools import CANDIDATE_POOL, SEARCHED_METHODS, TARGETS
from corpus.pools.searches import PooledDocument, search_pools

PATIENCE = 5  # seconds: others hold the lock while they write, and the searches would have to be made again

# The first documents of one run. `depth` null: the whole ranking.
RANKED = """
INSERT INTO pool_wanted (topic_id, document_id, method, rank)
SELECT k.topic_id, d.id, %(method)s, u.rank FROM corpus_ranking k
CROSS JOIN LATERAL unnest(k.docnos[1:coalesce(%(depth)s, cardinality(k.docnos))]) WITH ORDINALITY AS u (docno, rank)
JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = u.docno
WHERE k.run_id = %(run)s
"""
TARGETED = """
INSERT INTO pool_wanted (topic_id, document_id, method, rank)
SELECT g.topic_id, g.document_id, %(method)s, NULL FROM corpus_target g
JOIN corpus_topic t ON t.id = g.topic_id WHERE t.collection_id = %(collection)s
"""
TOPIC_POOL_DOCNOS = """
SELECT DISTINCT t.id AS topic_id, t.number, named.docno FROM corpus_topic t
CROSS JOIN LATERAL jsonb_array_elements_text(
  CASE WHEN jsonb_typeof(t.extra->'candidate_pool') = 'array' THEN t.extra->'candidate_pool' ELSE '[]' END) named (docno)
WHERE t.collection_id = %(collection)s
"""  # noqa: E501
TOPIC_POOLS = f"""
INSERT INTO pool_wanted (topic_id, document_id, method, rank)
SELECT g.topic_id, d.id, %(method)s, NULL FROM ({TOPIC_POOL_DOCNOS}) g
JOIN corpus_document d ON d.collection_id = %(collection)s AND d.docno = g.docno
"""
UNKNOWN_DOCNOS = f"""
SELECT g.number, g.docno, count(*) OVER () FROM ({TOPIC_POOL_DOCNOS}) g WHERE NOT EXISTS (
  SELECT FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno = g.docno)
ORDER BY g.topic_id, g.docno LIMIT 1
"""
STAGE = """
DROP TABLE IF EXISTS pg_temp.pool_wanted;
CREATE TEMP TABLE pool_wanted (topic_id bigint, document_id bigint, method text, rank integer) ON COMMIT DROP;
"""
ADD_ENTRIES = """
INSERT INTO corpus_poolentry (topic_id, document_id)
SELECT DISTINCT topic_id, document_id FROM pool_wanted ON CONFLICT DO NOTHING
"""
ADD_SOURCES = """
INSERT INTO corpus_poolsource AS s (entry_id, method, rank)
SELECT e.id, w.method, w.rank FROM pool_wanted w
JOIN corpus_poolentry e ON e.topic_id = w.topic_id AND e.document_id = w.document_id
ON CONFLICT (entry_id, method) DO UPDATE SET rank = excluded.rank WHERE s.rank IS DISTINCT FROM excluded.rank
"""
# `kept`: entries of which campaigns have made items; filled through the reverse relation, as items belong to an upper
# app.
DROP_SOURCES = """
DELETE FROM corpus_poolsource s USING corpus_poolentry e, corpus_topic t
WHERE s.entry_id = e.id AND t.id = e.topic_id AND t.collection_id = %(collection)s AND s.method = ANY(%(methods)s)
  AND NOT EXISTS (SELECT FROM pool_wanted w
    WHERE w.topic_id = e.topic_id AND w.document_id = e.document_id AND w.method = s.method)
  AND e.id <> ALL(%(kept)s)
"""
DROP_ENTRIES = """
DELETE FROM corpus_poolentry e USING corpus_topic t
WHERE t.id = e.topic_id AND t.collection_id = %(collection)s AND e.id <> ALL(%(kept)s)
  AND NOT EXISTS (SELECT FROM corpus_poolsource s WHERE s.entry_id = e.id)
"""
REMOVE_METHOD = """
WITH retrieved AS (
  SELECT s.id, s.entry_id FROM corpus_poolsource s
  JOIN corpus_poolentry e ON e.id = s.entry_id JOIN corpus_topic t ON t.id = e.topic_id
  WHERE t.collection_id = %(collection)s AND s.method = %(method)s
), removed AS (
  DELETE FROM corpus_poolsource WHERE id IN (SELECT id FROM retrieved)
)
DELETE FROM corpus_poolentry e WHERE e.id IN (SELECT entry_id FROM retrieved)
  AND NOT EXISTS (SELECT FROM corpus_poolsource s WHERE s.entry_id = e.id AND s.method <> %(method)s)
"""
COUNTS = """
SELECT count(DISTINCT e.topic_id), count(*) FROM corpus_poolentry e
JOIN corpus_topic t ON t.id = e.topic_id WHERE t.collection_id = %(collection)s
"""
METHODS = "SELECT method, count(*) FROM pool_wanted GROUP BY 1 ORDER BY 1"


def build_pools(run: PoolRun, progress: jobs.Progress) -> None:
    """Build the pools of the collection from the job's methods with its depth, in one transaction."""
    if "seconds" in run.parameters:
        return  # the worker was killed after its commit, before it ended the job
    started = time.monotonic()
    _wait_for_older(run)
    found = list(search_pools(run.collection, run.parameters, progress)) if run.parameters.get("recipe") else None
    runs: list[str] = run.parameters["methods"]
    with transaction.atomic():
        lock_pools(run.collection_id, PATIENCE)
        execute(STAGE)
        for done, method in enumerate(runs):
            progress.report(done, len(runs), f"reading {method}")
            _stage_method(run, method)
        _stage_found(found or ())
        progress.report(progress.job.done, step="writing the pools")
        _merge(run, runs if found is None else [*runs, *SEARCHED_METHODS])
        run.parameters = {**run.parameters, "seconds": round(time.monotonic() - started, 3)}
        run.save()
        record_event(
            by=run.requested_by,
            at=timezone.now(),
            verb="build_pools",
            target=run,
            scope=run.collection,
            methods=run.methods,
            depth=run.parameters["depth"],
            added=run.added,
            removed=run.removed,
        )


def _wait_for_older(run: PoolRun) -> None:
    """Searching takes long and locks nothing, so that pools which another job searches for are waited for first.

    Errors: Waiting.
    """
    label = PoolRun._meta.label_lower
    working = [job for kind, job in jobs_claimed() if kind == label and job < run.pk]
    if PoolRun.objects.filter(collection=run.collection_id, pk__in=working, state=JobState.RUNNING).exists():
        raise Waiting("waiting for another change of these pools")


def try_lock_pools(collection_id: int) -> bool:
    """Lock the pools of the collection until the transaction ends; False while another transaction has locked them."""
    ((is_locked,),) = execute("SELECT pg_try_advisory_xact_lock(hashtext('corpus pools'), %s::int)", [collection_id])
    return bool(is_locked)


def lock_pools(collection_id: int, patience: float = BRIEFLY) -> None:
    """Lock the pools until the transaction ends, as soon as they are free; `patience` in seconds.

    Errors: Waiting, after which the transaction can only be rolled back.
    """
    with briefly("waiting for another change of these pools", patience):
        execute("SELECT pg_advisory_xact_lock(hashtext('corpus pools'), %s::int)", [collection_id])


def remove_method(collection_id: int, method: str) -> int:
    """Remove the method from all provenance, and entries that no other method retrieved; returns how many entries."""
    with connection.cursor() as cursor:
        cursor.execute(REMOVE_METHOD, {"collection": collection_id, "method": method})
        return cursor.rowcount


def _stage_method(run: PoolRun, method: str) -> None:
    """Put the documents of a run, of known targets or of pools that came with topics into the staging table.

    Errors: Refused for a run that was deleted, and where a topic's pool names documents that the collection lacks.
    """
    values = {"collection": run.collection_id, "method": method, "depth": run.parameters["depth"]}
    if method == TARGETS:
        execute(TARGETED, values)
    elif method == CANDIDATE_POOL:
        for number, docno, count in execute(UNKNOWN_DOCNOS, values):
            raise Refused(
                f"The pool that came with topic {number} names document {docno}, which is not in the collection"
                f" ({count:,} such {'pair' if count == 1 else 'pairs'} in all). Import the documents first."
            )
        execute(TOPIC_POOLS, values)
    else:
        found = RetrievalRun.objects.filter(collection=run.collection_id, name=method).first()
        if found is None:
            raise Refused(f"The run {method} has been deleted meanwhile. The pools are as they were.")
        execute(RANKED, {**values, "run": found.pk})


def _stage_found(found: Iterable[PooledDocument]) -> None:
    """Put the documents that searches found into the staging table."""
    with connection.cursor() as cursor, cursor.copy("COPY pool_wanted FROM STDIN") as copy:
        for each in found:
            copy.write(f"{each.topic}\t{each.document}\t{each.method}\t{NULL if each.rank is None else each.rank}\n")


def _merge(run: PoolRun, methods: list[str]) -> None:
    values: dict[str, Any] = {"collection": run.collection_id, "methods": methods, "kept": _entries_in_campaigns(run)}
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE pool_wanted")
        cursor.execute(ADD_ENTRIES)
        run.added = cursor.rowcount
        cursor.execute(ADD_SOURCES)
        cursor.execute(DROP_SOURCES, values)
        cursor.execute(DROP_ENTRIES, values)
        run.removed = cursor.rowcount
        cursor.execute(COUNTS, values)
        run.topics, run.pairs = cursor.fetchone()
        cursor.execute(METHODS)
        run.methods = dict.fromkeys(run.parameters["methods"], 0) | dict(cursor.fetchall())


def _entries_in_campaigns(run: PoolRun) -> list[int]:
    """Ids of the pool entries of which a campaign has made items."""
    entries = PoolEntry.objects.filter(topic__collection=run.collection_id, document__items__topic=F("topic"))
    return list(entries.values_list("pk", flat=True).distinct())
