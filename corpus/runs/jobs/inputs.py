"""The state of what a run is made from, as hashes: with the same recipe and the same inputs it comes out the same."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from corpus.models import Collection
from corpus.runs.recipes.lexical import fields_of
from corpus.runs.recipes.queries import Query
from corpus.runs.recipes.recipe import POOLS
from corpus.searching.jobs.indexes import FULL_TEXT, collection_state, full_text_state

# Sums of hashes of rows: the same whatever their order and their ids.
STATES = {
    "citations": """
SELECT count(*), sum(hashtextextended(a.docno || ' ' || b.docno, 0)),
  (SELECT sum(hashtextextended(d.docno || ' ' || (d.extra->'citations')::text, 0)) FROM corpus_document d
   WHERE d.collection_id = %(collection)s AND d.extra ? 'citations')
FROM corpus_citation c JOIN corpus_document a ON a.id = c.citing_id JOIN corpus_document b ON b.id = c.cited_id
WHERE a.collection_id = %(collection)s
""",
    "pools": """
SELECT count(*), sum(hashtextextended(t.number || ' ' || d.docno, 0)) FROM corpus_poolentry p
JOIN corpus_topic t ON t.id = p.topic_id JOIN corpus_document d ON d.id = p.document_id
WHERE t.collection_id = %(collection)s
""",
}


def inputs_of(
    collection: Collection, queries: Sequence[Query], reads: Sequence[str], settings: Mapping[str, Any]
) -> dict[str, str]:
    """{what: its hash} of documents, topics, what the recipe reads, pools and full texts where they are searched."""
    names = [*reads, *(["pools"] if settings["among"] == POOLS else [])]
    states = {name: _state(collection, STATES[name]) for name in names}
    if FULL_TEXT in fields_of(str(settings.get("fields", "")))[0]:
        states["full texts"] = full_text_state(collection)
    return {"documents": collection_state(collection), "topics": _digest(queries), **states}


def _state(collection: Collection, statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"collection": collection.pk})
        return hashlib.sha256(repr([str(each) for each in cursor.fetchone()]).encode()).hexdigest()


def _digest(queries: Sequence[Query]) -> str:
    hashed = hashlib.sha256()
    for query in queries:
        hashed.update(repr((query.number, query.text)).encode())
    return hashed.hexdigest()
