"""Documents that runs rank high and a gold does not know: what an evaluation lacks, and what should be judged next."""

from collections.abc import Sequence
from dataclasses import dataclass

from adjudication.evaluation.golds.kind import ASPECT, SUB_QUERY, LoadedGold
from adjudication.evaluation.rankings import tops_of
from annotation.models import Campaign, Item
from corpus.models import Collection

DEPTHS = (5, 10, 20, 50)


@dataclass(frozen=True)
class Unjudged:
    """A document that the gold does not know for a topic, with the best rank that a run gives it."""

    topic: str
    docno: str
    rank: int


@dataclass(frozen=True)
class UnjudgedCount:
    """How many documents are unjudged among the first `depth` of any run, of how many, on how many topics."""

    depth: int
    documents: int
    of: int
    topics: int


def fetch_unjudged(
    collection: Collection, found: LoadedGold, runs: Sequence[str], depth: int, topics: Sequence[str] | None = None
) -> tuple[list[Unjudged], list[UnjudgedCount]]:
    """(unjudged documents among the first `depth` of the runs, counts at each of the DEPTHS up to it).

    Only topics of the gold count, `topics` of them where they are given. One query.
    """
    places = dict(zip(found.gold.topics, found.gold.places, strict=True))
    best: dict[tuple[str, str], int] = {}
    for _, topic, docnos in tops_of(collection, runs, found.unit, depth, topics):
        if topic in places:
            for rank, docno in enumerate(docnos, 1):
                if rank < best.get((topic, docno), depth + 1):
                    best[topic, docno] = rank
    rows = [Unjudged(topic, docno, rank) for (topic, docno), rank in best.items() if docno not in places[topic]]
    return rows, [_count(each, rows, list(best.values())) for each in DEPTHS if each <= depth]


def _count(depth: int, rows: Sequence[Unjudged], ranks: Sequence[int]) -> UnjudgedCount:
    within = [row for row in rows if row.rank <= depth]
    return UnjudgedCount(depth, len(within), sum(rank <= depth for rank in ranks), len({row.topic for row in within}))


def pairs_of(collection: Collection, unit: str, rows: Sequence[Unjudged]) -> list[tuple[int, int]]:
    """(topic id, document id) of those documents that the collection has; of a sub-query or aspect, its topic's."""
    documents = dict(collection.documents.filter(docno__in={row.docno for row in rows}).values_list("docno", "pk"))
    topics = _topic_ids(collection, unit, {row.topic for row in rows})
    pairs = ((topics.get(row.topic), documents.get(row.docno)) for row in rows)
    return list(dict.fromkeys((topic, document) for topic, document in pairs if topic and document))


def without_items(campaigns: Sequence[Campaign], pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs of topic and document that none of these campaigns has as an item."""
    documents = {document for _, document in pairs}
    items = Item.objects.filter(campaign__in=campaigns, document__in=documents)
    known = set(items.values_list("topic_id", "document_id").distinct())
    return [pair for pair in pairs if pair not in known]


def _topic_ids(collection: Collection, unit: str, numbers: set[str]) -> dict[str, int]:
    if unit == SUB_QUERY:
        return dict(collection.sub_queries.filter(number__in=numbers).values_list("number", "topic_id"))
    parents = {number: number.rpartition(".")[0] if unit == ASPECT else number for number in numbers}
    known = dict(collection.topics.filter(number__in=set(parents.values())).values_list("number", "pk"))
    return {number: known[parent] for number, parent in parents.items() if parent in known}
