"""Documents similar to a text, ranked by BM25 over any of its words; a search for all of its words misses them.

The words are those of the full-text search (stems, without stop words), looked up in its entries. Nothing grows
with the collection: candidates are the documents with the rarest of the words, and the best by their words alone
are scored in full.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from django.db import connection

from accounts.caches import volatile
from corpus.documents.finding import HEADLINE, SearchPage, find_hits
from corpus.models import Collection

K1, B = 0.9, 0.4  # as Anserini's default recipe for runs (corpus/runs/recipes)
MOST_WORDS = 64  # of a text, the rarest
MOST_COUNTED = 50_000  # documents of a word; a word that is in more counts as if it were in so many
MOST_CANDIDATES = 20_000
MOST_SCORED = 200  # also the last place that a page can show
SAMPLE = 1_000  # documents whose length is looked at
COUNTS_HOLD = 600  # seconds

_LEXEME = r"('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery"
# How many documents have each word of the text, at most MOST_COUNTED.
WORDS = rf"""
SELECT lexeme, cardinality(positions), (
  SELECT count(*) FROM (
    SELECT FROM corpus_searchentry e WHERE e.collection_id = %(collection)s AND e.vector @@ {_LEXEME} LIMIT %(most)s
  ) having_it
)
FROM unnest(corpus_search_words(%(language)s, %(text)s))
"""
# The number of searchable documents, and the mean number of words of some of them.
LENGTHS = """
SELECT (SELECT count(*) FROM corpus_searchentry e WHERE e.collection_id = %(collection)s),
  (SELECT avg((SELECT coalesce(sum(cardinality(positions)), 0) FROM unnest(sampled.vector))) FROM (
    SELECT e.vector FROM corpus_searchentry e WHERE e.collection_id = %(collection)s LIMIT %(sample)s) sampled)
"""
SIMILAR = (
    rf"""
WITH words AS MATERIALIZED (
  SELECT lexeme, weight, {_LEXEME} AS query FROM unnest(%(lexemes)s::text[], %(weights)s::float8[]) AS w(lexeme, weight)
), candidates AS MATERIALIZED (
  SELECT e.document_id AS id, e.vector FROM corpus_searchentry e
  WHERE e.collection_id = %(collection)s AND e.vector @@ (
    SELECT string_agg(query::text, ' | ')::tsquery FROM words WHERE lexeme = ANY(%(rare)s))
  LIMIT %(most)s
), near AS MATERIALIZED (
  SELECT id, vector FROM candidates
  ORDER BY (SELECT sum(weight) FROM words WHERE candidates.vector @@ words.query) DESC, id LIMIT %(scored)s
), ranked AS (
  SELECT near.id, count(*) OVER () AS matches, (
    SELECT sum(weight * tf / (tf + %(k1)s * (1 - %(b)s + %(b)s * length.words / %(mean)s)))
    FROM (SELECT weight, cardinality(positions)::float8 AS tf FROM unnest(near.vector) JOIN words USING (lexeme)) terms
  ) AS score
  FROM near, LATERAL (SELECT sum(cardinality(positions))::float8 AS words FROM unnest(near.vector)) length
), best AS (
  SELECT id, score AS rank, matches FROM ranked ORDER BY score DESC, id LIMIT %(size)s OFFSET %(offset)s
), any_word (lit) AS (
  SELECT string_agg(query::text, ' | ')::tsquery FROM words
)
"""
    + HEADLINE
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text: how often it is there, and how many documents have it."""

    lexeme: str
    times: int
    documents: int


def similar_documents(collection: Collection, text: str, *, number: int = 1, size: int = 20) -> SearchPage:
    """Page `number` of the documents that share any word with `text`, best first by BM25 (Lucene's form).

    At most MOST_SCORED are ranked (`is_cut`: more share a word). Nothing is found by stop words alone.
    """
    total, mean = _lengths(collection)
    words = [word for word in _words(collection, text) if word.documents]
    words = sorted(words, key=lambda word: (word.documents, word.lexeme))[:MOST_WORDS]
    if not words:
        return SearchPage([], 0, False, 1, size)
    rare = _rarest(words)
    number = max(1, min(number, MOST_SCORED // size))
    values = {
        "collection": collection.pk,
        "lexemes": [word.lexeme for word in words],
        "weights": [word.times * _idf(word.documents, total) for word in words],
        "rare": [word.lexeme for word in rare],
        "most": MOST_CANDIDATES,
        "scored": MOST_SCORED,
        "k1": K1,
        "b": B,
        "mean": mean,
    }
    hits, matches = find_hits(collection, SIMILAR, values, text=text, number=number, size=size)
    return SearchPage(hits, matches, matches == MOST_SCORED, number, size)


def _words(collection: Collection, text: str) -> list[Word]:
    with connection.cursor() as cursor:
        values: dict[str, Any] = {
            "collection": collection.pk,
            "language": collection.language,
            "text": text,
            "most": MOST_COUNTED,
        }
        cursor.execute(WORDS, values)
        return [Word(*row) for row in cursor.fetchall()]


def _lengths(collection: Collection) -> tuple[int, float]:
    """How many documents are searchable, and how many words they have in the mean (of a sample)."""
    key = f"similar:{collection.pk}"
    lengths: tuple[int, float] | None = volatile.get(key)
    if lengths is None:
        with connection.cursor() as cursor:
            cursor.execute(LENGTHS, {"collection": collection.pk, "sample": SAMPLE})
            total, mean = cursor.fetchone()
        lengths = (total, float(mean or 1) or 1.0)
        volatile.set(key, lengths, COUNTS_HOLD)
    return lengths


def _rarest(words: Sequence[Word]) -> list[Word]:
    """As many of the words, rarest first, as have at most MOST_CANDIDATES documents together; one at least."""
    together = accumulate(word.documents for word in words)
    limit = max(MOST_CANDIDATES, words[0].documents)
    return [word for word, documents in zip(words, together, strict=True) if documents <= limit]


def _idf(documents: int, total: int) -> float:
    """Lucene's inverse document frequency. `total` may be some minutes old: a word can be in more documents."""
    total = max(total, documents)
    return math.log(1 + (total - documents + 0.5) / (documents + 0.5))
