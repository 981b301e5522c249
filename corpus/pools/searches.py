"""Searching the whole collection for each topic, and the pools that a recipe makes of the results."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from accounts.jobs import Progress
from corpus.documents.neighbours import source_papers
from corpus.models import AspectNode, Collection, Topic
from corpus.searching.indexes import IndexSpec, open_index
from corpus.searching.shard_search import IndexQuery, search_all
from corpus.searching.vectors import DenseSearch
from engines.formats.dataclass_json import from_json
from engines.ranking.index import Index, Settings
from engines.ranking.recipe import Lists, Recipe, make_pool

SPARE = 200  # vectors compared beyond those needed, as source papers are left out


@dataclass(frozen=True)
class PooledDocument:
    """A document for a topic, the method that brought it in, and its rank there (None: nothing is ranked)."""

    topic: int
    document: int
    method: str
    rank: int | None


def searched_topics(collection: Collection) -> QuerySet[Topic]:
    """The topics that pools are searched for, with their top aspects."""
    tops = AspectNode.objects.filter(parent=None).select_related("aspect")
    return collection.topics.prefetch_related(Prefetch("nodes", tops, to_attr="tops"))


def search_pools(collection: Collection, parameters: dict[str, Any], progress: Progress) -> Iterator[PooledDocument]:
    """Yield the documents that the recipe pools, by topic; the index is built first where it is missing or stale.

    Equal documents, topics and parameters give equal pools. Errors: Cancelled from `progress`, Refused where the recipe
    needs vectors that cannot be had.
    """
    recipe = from_json(Recipe, parameters["recipe"])
    index = open_index(collection, progress, IndexSpec(from_json(Settings, parameters["index"])))
    topics = list(searched_topics(collection))
    sources = source_papers(collection, topics)
    dense = DenseSearch(collection, progress) if recipe.dense else None
    if dense:
        dense.prepare([topic.text for topic in topics])
    searches = {scorer: _TopicSearch(index, scorer, topics, recipe, progress) for scorer in recipe.scorers}
    for done, topic in enumerate(topics):
        progress.report(done, len(topics), "searching for each topic")
        lists = {scorer: search.next_lists(topic) for scorer, search in searches.items()}
        candidates = {pk for found in lists.values() for ranked in (found.query, *found.aspects) for pk in ranked}
        depth = recipe.dense + len(candidates) + SPARE
        by_vectors = dense.find(topic.text, depth)[0] if dense else []
        pool = make_pool(lists, recipe, sources.around(topic, recipe, candidates, by_vectors))
        for document, methods in pool.items():
            yield from (PooledDocument(topic.pk, document, method, rank) for method, rank in methods.items())
    progress.report(len(topics), len(topics), "searching for each topic")


class _TopicSearch:
    """The lists of one scorer for topic after topic; free workers search shards."""

    def __init__(self, index: Index, scorer: str, topics: list[Topic], recipe: Recipe, progress: Progress) -> None:
        self.recipe = recipe
        queries = (IndexQuery(topic.text) for topic in topics if recipe.query_depth)
        aspects = (IndexQuery(text) for topic in topics for text in self.aspects(topic))
        self.queries = search_all(index, scorer, queries, recipe.query_depth, progress)
        self.by_aspect = search_all(index, scorer, aspects, recipe.aspect_depth, progress)

    def aspects(self, topic: Topic) -> list[str]:
        """The texts of aspects that are searched for in addition to the topic's text."""
        tops: list[AspectNode] = topic.tops  # type: ignore[attr-defined]
        return list(dict.fromkeys(node.aspect.text for node in tops)) if self.recipe.aspect_depth else []

    def next_lists(self, topic: Topic) -> Lists:
        """The lists of this topic; topics come in the order that the search was made with."""
        query = next(self.queries).ids.tolist() if self.recipe.query_depth else []
        return Lists(query, [next(self.by_aspect).ids.tolist() for _ in self.aspects(topic)])
