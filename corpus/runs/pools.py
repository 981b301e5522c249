"""Pools out of rankings, known targets and explicit lists, by set-based statements. Pools only grow here: what was
put before judges stays, with every method that ever brought it in and the best rank it has there now.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

TARGETS = "targets"  # the method of documents known to answer a topic beforehand

# `brought`: (topic_id, document_id, method, rank); rank is null for explicit lists and targets.
STORE = """
entries AS (
  INSERT INTO corpus_poolentry (topic_id, document_id)
  SELECT DISTINCT topic_id, document_id FROM brought ORDER BY topic_id, document_id
  ON CONFLICT (topic_id, document_id) DO NOTHING
  RETURNING id, topic_id, document_id
), placed AS (
  SELECT coalesce(n.id, p.id) AS entry_id, b.method, b.rank
  FROM brought b
  LEFT JOIN entries n USING (topic_id, document_id)
  LEFT JOIN corpus_poolentry p USING (topic_id, document_id)
), sources AS (
  INSERT INTO corpus_poolsource (entry_id, method, rank)
  SELECT entry_id, method, rank FROM placed ORDER BY entry_id, method
  ON CONFLICT (entry_id, method) DO UPDATE SET rank = excluded.rank
  WHERE corpus_poolsource.rank IS DISTINCT FROM excluded.rank
)
SELECT b.method, count(*), (SELECT count(*) FROM entries) FROM brought b GROUP BY b.method
"""
FROM_RUNS = """
WITH brought AS (
  SELECT k.topic_id, d.id AS document_id, r.name AS method, min(u.rank)::int AS rank
  FROM corpus_retrievalrun r
  JOIN corpus_ranking k ON k.run_id = r.id
  CROSS JOIN LATERAL unnest(k.docnos[1:%(depth)s]) WITH ORDINALITY AS u(docno, rank)
  JOIN corpus_document d ON d.collection_id = r.collection_id AND d.docno = u.docno
  WHERE r.collection_id = %(collection)s AND r.name = ANY(%(methods)s)
  GROUP BY k.topic_id, d.id, r.name
),
"""
FROM_TARGETS = """
WITH brought AS (
  SELECT t.topic_id, t.document_id, %(method)s::text AS method, NULL::int AS rank
  FROM corpus_target t JOIN corpus_topic o ON o.id = t.topic_id WHERE o.collection_id = %(collection)s
),
"""
FROM_PAIRS = """
WITH brought AS (
  SELECT DISTINCT p.topic AS topic_id, p.document AS document_id, %(method)s::text AS method, NULL::int AS rank
  FROM unnest(%(topics)s::bigint[], %(documents)s::bigint[]) AS p(topic, document)
),
"""
SIZE = """
SELECT count(DISTINCT p.topic_id), count(*) FROM corpus_poolentry p
JOIN corpus_topic t ON t.id = p.topic_id WHERE t.collection_id = %(collection)s
"""


@dataclass(frozen=True, slots=True)
class Pooled:
    """`methods` counts the (topic, document) pairs each method brings, `new` the pairs that no pool had before."""

    methods: dict[str, int]
    new: int


def pool_runs(collection_id: int, methods: Sequence[str], depth: int) -> Pooled:
    """Pool the first `depth` documents of each ranking of these runs, as far as the collection has them."""
    named = {"collection": collection_id, "methods": list(methods), "depth": depth}
    return _store(FROM_RUNS, named, methods)


def pool_targets(collection_id: int) -> Pooled:
    """Pool what is known to answer a topic."""
    return _store(FROM_TARGETS, {"collection": collection_id, "method": TARGETS}, [TARGETS])


def pool_pairs(method: str, pairs: Sequence[tuple[int, int]]) -> Pooled:
    """Pool an explicit list of (topic id, document id)."""
    topics, documents = [topic for topic, _ in pairs], [document for _, document in pairs]
    return _store(FROM_PAIRS, {"method": method, "topics": topics, "documents": documents}, [method])


def measure_pools(collection_id: int) -> tuple[int, int]:
    """Topics with a pool, and (topic, document) pairs in all pools of the collection."""
    with connection.cursor() as cursor:
        cursor.execute(SIZE, {"collection": collection_id})
        topics, pairs = cursor.fetchone()
    return topics, pairs


def _store(brought: str, named: dict[str, Any], methods: Sequence[str]) -> Pooled:
    with connection.cursor() as cursor:
        cursor.execute(brought + STORE, named)
        rows = cursor.fetchall()
    counts = {method: count for method, count, _ in rows}
    return Pooled({method: counts.get(method, 0) for method in methods}, rows[0][2] if rows else 0)
