"""How relevant pooled documents are to a query, an aspect or a sub-query, from a campaign's verdicts.

S(p|Q) is the sum of the values over the distinct aspects and sub-aspects, a document is relevant when the mean over
them is 1 or more (formats.md 1.3). Only a document that has a value on each of them has a sum; a value below 0 is no
value. A topic without aspects is one item.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from annotation.models import Campaign, Criterion
from corpus.models import AspectNode, SubQuery, Topic

# Each pair of topic and document in the campaign; `aspects` null asks for the whole topic.
SUMS = """
SELECT i.topic_id, i.document_id, count(*) AS things, count(v.value) AS valued, coalesce(sum(v.value), 0) AS total
FROM annotation_item i
LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value >= 0
WHERE i.campaign_id = %(campaign)s AND i.document_id IS NOT NULL
  AND (%(topic)s::bigint IS NULL OR i.topic_id = %(topic)s)
  AND (%(aspects)s::bigint[] IS NULL OR i.aspect_id = ANY(%(aspects)s))
GROUP BY 1, 2
"""
WHOLE = """
SELECT i.topic_id, count(DISTINCT coalesce(i.aspect_id, 0)) AS n FROM annotation_item i
WHERE i.campaign_id = %(campaign)s AND i.document_id IS NOT NULL
  AND (%(topic)s::bigint IS NULL OR i.topic_id = %(topic)s)
  AND (%(aspects)s::bigint[] IS NULL OR i.aspect_id = ANY(%(aspects)s))
GROUP BY 1
"""
BY_TOPIC = f"""
WITH whole AS ({WHOLE}), pair AS ({SUMS})
SELECT t.id, t.number, coalesce(nullif(t.title, ''), t.text), whole.n, count(*),
  count(*) FILTER (WHERE pair.valued = whole.n),
  count(*) FILTER (WHERE pair.valued = whole.n AND pair.total >= whole.n),
  max(pair.total) FILTER (WHERE pair.valued = whole.n)
FROM pair JOIN whole USING (topic_id) JOIN corpus_topic t ON t.id = pair.topic_id
GROUP BY t.id, whole.n ORDER BY t.position, t.id
"""
RANKED = f"""
WITH whole AS ({WHOLE}), pair AS ({SUMS})
SELECT d.docno, d.title, pair.valued, whole.n, pair.total
FROM pair JOIN whole USING (topic_id) JOIN corpus_document d ON d.id = pair.document_id
ORDER BY pair.valued = whole.n DESC, pair.total DESC, d.docno COLLATE "C"
"""


@dataclass(frozen=True)
class TopicRelevance:
    """A topic's documents: all in the campaign, those with a value on each of its `things`, the relevant ones."""

    topic: int
    number: str
    title: str
    things: int
    documents: int
    complete: int
    relevant: int
    best: int | None

    @property
    def best_mean(self) -> float | None:
        return None if self.best is None else self.best / self.things


@dataclass(frozen=True)
class RankedDocument:
    """A document with its sum; `rank` and `mean` are None while a value is missing. Equal sums share a rank."""

    docno: str
    title: str
    valued: int
    things: int
    total: int
    rank: int | None

    @property
    def mean(self) -> float | None:
        return None if self.rank is None else self.total / self.things

    @property
    def is_relevant(self) -> bool:
        return self.rank is not None and self.total >= self.things


@dataclass(frozen=True)
class Part:
    """What of a topic is looked at: `key` names it in addresses; no aspects: the whole topic."""

    key: str
    label: str
    aspects: tuple[int, ...] | None = None


def relevance_by_topic(campaign: Campaign, criterion: Criterion) -> list[TopicRelevance]:
    """All topics of the campaign in their order; one query."""
    return [TopicRelevance(*row) for row in _rows(BY_TOPIC, campaign, criterion, None, None)]


def rank_documents(campaign: Campaign, criterion: Criterion, topic: Topic, part: Part) -> list[RankedDocument]:
    """The topic's documents by falling sum over the part, those without all values last; one query."""
    found: list[RankedDocument] = []
    rows = _rows(RANKED, campaign, criterion, topic.pk, part.aspects)
    for place, (docno, title, valued, things, total) in enumerate(rows, 1):
        rank = place if valued == things else None
        if rank and found and found[-1].total == total:
            rank = found[-1].rank
        found.append(RankedDocument(docno, title, valued, things, total, rank))
    return found


def parts_of(topic: Topic) -> list[Part]:
    """The whole topic, each top aspect with what stands below it, each sub-query; three queries."""
    nodes = list(topic.nodes.select_related("aspect"))
    tops = [node for node in nodes if node.parent_id is None]
    below = {top.aspect_id: _with_below(nodes, top) for top in tops}
    parts = [Part("", "The whole topic")]
    parts += [
        Part(f"aspect-{place}", f"Aspect {place}: {top.aspect.text}", tuple(sorted(below[top.aspect_id])))
        for place, top in enumerate(tops, 1)
    ]
    for sub_query in topic.sub_queries.prefetch_related("chosen"):
        parts.append(_part_of(sub_query, below))
    return parts


def _part_of(sub_query: SubQuery, below: dict[int, set[int]]) -> Part:
    aspects = set().union(*(below.get(each.aspect_id, {each.aspect_id}) for each in sub_query.chosen.all()))
    return Part(f"sub-{sub_query.pk}", f"Sub-query {sub_query.number}: {sub_query.text}", tuple(sorted(aspects)))


def _with_below(nodes: Sequence[AspectNode], top: AspectNode) -> set[int]:
    """The aspect of a top place and those below it, wherever its text stands on top."""
    same = {node.pk for node in nodes if node.parent_id is None and node.aspect_id == top.aspect_id}
    return {top.aspect_id} | {node.aspect_id for node in nodes if node.parent_id in same}


def _rows(
    statement: str, campaign: Campaign, criterion: Criterion, topic: int | None, aspects: tuple[int, ...] | None
) -> list[tuple[Any, ...]]:
    named = {
        "campaign": campaign.pk,
        "criterion": criterion.pk,
        "topic": topic,
        "aspects": None if aspects is None else list(aspects),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        return list(cursor.fetchall())
