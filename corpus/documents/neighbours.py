"""What pools need to know of documents in addition to their texts: source papers, who cites whom, categories."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection

from corpus.models import Collection, Topic
from engines.ranking.recipe import Neighbourhood, Recipe

DOCUMENTS = "SELECT d.docno, d.id FROM corpus_document d WHERE d.collection_id = %s AND d.docno = ANY(%s)"
# Citations are rows, or lists of docnos that came with the documents (DORIS-MAE, S2ORC, LitSearch): both count, in
# either direction. A list that is no array of texts is no list of citations.
NEIGHBOURS = """
WITH source AS MATERIALIZED (
  SELECT d.id, d.docno, d.extra FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.id = ANY(%(sources)s)
), listed AS (
  SELECT s.id, named.docno FROM source s CROSS JOIN LATERAL (
    SELECT jsonb_array_elements_text(s.extra->'citations') AS docno WHERE jsonb_typeof(s.extra->'citations') = 'array'
    UNION
    SELECT jsonb_array_elements_text(s.extra->'cited_by') WHERE jsonb_typeof(s.extra->'cited_by') = 'array'
  ) named
)
SELECT id, (SELECT d.id FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno = listed.docno)
FROM listed
UNION SELECT s.id, d.id FROM corpus_document d JOIN source s ON d.extra->'citations' ? s.docno
  WHERE d.collection_id = %(collection)s AND d.extra->'citations' ?| (SELECT array_agg(docno) FROM source)
UNION SELECT s.id, c.cited_id FROM corpus_citation c JOIN source s ON s.id = c.citing_id
UNION SELECT s.id, c.citing_id FROM corpus_citation c JOIN source s ON s.id = c.cited_id
"""  # noqa: E501
CATEGORIES_OF = "SELECT d.id, d.extra->'categories' FROM corpus_document d WHERE d.id = ANY(%s)"


@dataclass(frozen=True)
class SourcePapers:
    """Each topic's source papers that the collection holds, and all documents that cite one or are cited by one."""

    of_topic: Mapping[int, frozenset[int]]
    neighbours: Mapping[int, frozenset[int]]

    def around(self, topic: Topic, recipe: Recipe, candidates: Iterable[int], dense: list[int]) -> Neighbourhood:
        """What `make_pool` asks about for this topic."""
        sources = self.of_topic.get(topic.pk, frozenset())
        categories_of = _categories([*sources, *candidates]) if sources and recipe.same_category else {}
        categories = frozenset().union(*(categories_of.get(source, frozenset()) for source in sources))
        return Neighbourhood(
            excluded=sources if recipe.exclude_sources else frozenset(),
            neighbours=frozenset().union(*(self.neighbours.get(source, frozenset()) for source in sources)),
            admits=(lambda document: bool(categories & categories_of.get(document, frozenset())))
            if categories
            else None,
            dense=dense,
        )


def source_papers(collection: Collection, topics: Iterable[Topic]) -> SourcePapers:
    """Look up the papers that topics name as their sources; three queries at most."""
    named = {topic.pk: topic.source_papers for topic in topics}
    docnos = sorted({docno for found in named.values() for docno in found})
    if not docnos:
        return SourcePapers({}, {})
    with connection.cursor() as cursor:
        cursor.execute(DOCUMENTS, [collection.pk, docnos])
        ids: dict[str, int] = dict(cursor.fetchall())
        cursor.execute(NEIGHBOURS, {"collection": collection.pk, "sources": list(ids.values())})
        pairs: dict[int, set[int]] = {}
        for source, other in cursor.fetchall():
            if other is not None:
                pairs.setdefault(source, set()).add(other)
    of_topic = {pk: frozenset(ids[docno] for docno in found if docno in ids) for pk, found in named.items()}
    return SourcePapers(of_topic, {source: frozenset(found) for source, found in pairs.items()})


def _categories(documents: Iterable[int]) -> dict[int, frozenset[str]]:
    """The categories of the documents that have any: a list, or one text with blanks between."""
    with connection.cursor() as cursor:
        cursor.execute(CATEGORIES_OF, [sorted(set(documents))])
        return {pk: frozenset(_category_words(value)) for pk, value in cursor.fetchall() if value}


def _category_words(value: object) -> list[str]:
    found = json.loads(value) if isinstance(value, str) else value
    return found.split() if isinstance(found, str) else [str(each) for each in found] if isinstance(found, list) else []
