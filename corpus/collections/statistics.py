"""The contents of a collection in figures, as papers print them."""

from collections.abc import Callable
from typing import Any

from django.db import connection

from accounts.extensions import extensions
from corpus.models import Collection

# An item to judge is a distinct aspect of a topic and a document of its pool; a topic without aspects is one itself.
STATISTICS = """
WITH topic AS (
  SELECT id, cardinality(sentences) AS sentences FROM corpus_topic WHERE collection_id = %(collection)s
), node AS (
  SELECT n.topic_id, n.id, n.parent_id FROM corpus_aspectnode n JOIN topic ON topic.id = n.topic_id
), below AS (
  SELECT top.topic_id, top.id, count(child.id) AS n
  FROM node top LEFT JOIN node child ON child.parent_id = top.id WHERE top.parent_id IS NULL GROUP BY 1, 2
), tree AS (
  SELECT topic_id, count(*) AS aspects, sum(n) AS sub_aspects FROM below GROUP BY 1
), item AS (
  SELECT a.topic_id, count(*) AS n FROM corpus_aspect a JOIN topic ON topic.id = a.topic_id GROUP BY 1
), pool AS (
  SELECT p.topic_id, count(*) AS n FROM corpus_poolentry p JOIN topic ON topic.id = p.topic_id GROUP BY 1
)
SELECT json_build_object(
  'topics', (SELECT count(*) FROM topic),
  'topics_by_kind', (SELECT coalesce(json_object_agg(kind, n), '{}') FROM (
    SELECT kind, count(*) AS n FROM corpus_topic WHERE collection_id = %(collection)s GROUP BY 1 ORDER BY 1) k),
  'sentences', (SELECT coalesce(sum(sentences), 0) FROM topic),
  'aspects', (SELECT coalesce(sum(aspects), 0) FROM tree),
  'sub_aspects', (SELECT coalesce(sum(sub_aspects), 0) FROM tree),
  'mean_aspects', (SELECT round(avg(aspects), 2) FROM tree),
  'mean_sub_aspects', (SELECT round(avg(sub_aspects), 2) FROM tree),
  'aspects_without_sub_aspects', (SELECT count(*) FROM below WHERE n = 0),
  'max_aspects', (SELECT coalesce(max(aspects), 0) FROM tree),
  'max_sub_aspects_per_aspect', (SELECT coalesce(max(n), 0) FROM below),
  'distinct_aspects', (SELECT coalesce(sum(n), 0) FROM item),
  'distinct_aspect_texts', (SELECT count(DISTINCT a.text) FROM corpus_aspect a JOIN topic ON topic.id = a.topic_id),
  'targets', (SELECT count(*) FROM corpus_target t JOIN topic ON topic.id = t.topic_id),
  'runs', (SELECT count(*) FROM corpus_retrievalrun WHERE collection_id = %(collection)s),
  'pooled_topics', (SELECT count(*) FROM pool),
  'pool_entries', (SELECT coalesce(sum(n), 0) FROM pool),
  'mean_pool', (SELECT round(avg(n), 2) FROM pool),
  'pairs', (SELECT coalesce(sum(pool.n * coalesce(item.n, 1)), 0) FROM pool LEFT JOIN item USING (topic_id))
)
"""
# Where single blanks separate the words of both, blanks are counted, which takes a quarter of the time.
WORDS = r"""
CASE WHEN title ~ '^\S+( \S+)*$' AND abstract ~ '^\S+( \S+)*$'
THEN length(title || abstract) - length(replace(title || abstract, ' ', '')) + 2
ELSE regexp_count(title || ' ' || abstract, '\S+') END
"""
DOCUMENTS = f"""
SELECT json_build_object(
  'documents', count(*),
  'with_abstract', count(*) FILTER (WHERE abstract <> ''),
  'with_keywords', count(*) FILTER (WHERE keywords <> '{{}}'),
  'with_year', count(year),
  'with_doi', count(*) FILTER (WHERE doi <> ''),
  'mean_words', round(avg({WORDS}) FILTER (WHERE abstract <> ''), 1)
) FROM corpus_document WHERE collection_id = %(collection)s
"""

FULL_TEXTS = """
SELECT json_build_object('with_full_text', count(*), 'mean_full_text_words', round(avg(words), 1))
FROM corpus_fulltext f JOIN corpus_document d ON d.id = f.document_id WHERE d.collection_id = %(collection)s
"""

Figures = Callable[[Collection], dict[str, Any]]


def document_statistics(collection: Collection) -> dict[str, int | float | None]:
    """How many documents have an abstract, a DOI and so on, and the mean number of words; reads all of them.

    Words are separated by white space. `mean_words` is of title and abstract, over documents with an abstract (134 for
    LitSearch's corpus), `mean_full_text_words` over documents with a full text (LitSearch: 6,041); None where there is
    none.
    """
    found: dict[str, int | float | None] = {}
    with connection.cursor() as cursor:
        for statement in (DOCUMENTS, FULL_TEXTS):
            cursor.execute(statement, {"collection": collection.pk})
            found |= cursor.fetchone()[0]
    return found


def corpus_statistics(collection: Collection) -> dict[str, Any]:
    """Those of documents, and of topics, aspects and pools.

    `mean_aspects` and `mean_sub_aspects` are of topics that have aspects, `mean_pool` of topics that have a pool; None
    where there is none.
    """
    with connection.cursor() as cursor:
        cursor.execute(STATISTICS, {"collection": collection.pk})
        return document_statistics(collection) | cursor.fetchone()[0]


def collection_statistics(collection: Collection) -> dict[str, Any]:
    """All figures at once; reads the whole collection, so for commands and jobs, not for every page."""
    found = corpus_statistics(collection)
    more: dict[str, Figures] = extensions("collection_figures")
    return found | {name: figures(collection) for name, figures in more.items()}
