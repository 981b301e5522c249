"""How relevant pooled documents are to a query, an aspect or a sub-query, from a campaign's verdicts.

S(p|Q) is the sum of the values over the distinct aspects and sub-aspects, a document is relevant when the mean over
them is 1 or more (formats.md 1.3). They are the topic's own, not those that the campaign happens to ask for: a sample
judges one of nineteen. Only a document that has a value on each of them has a score, unless scores over the judged ones
alone are asked for. A value below 0 is no value. A topic that is judged as a whole is one item.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection

from adjudication.labels.labels import count_changed
from adjudication.labels.staleness import changed_verdicts
from annotation.campaigns.progress import counted_large_at
from annotation.models import Campaign, Criterion
from corpus.models import AspectNode, SubQuery, Topic
from engines.text.names import document_name

# On how many distinct things a topic is judged: all its aspects as soon as the campaign asks for one of them (which
# `by_aspect` says so), or the topic itself. The exports stand on it too.
WHOLE = """
whole AS (
  SELECT topic_id, by_aspect, CASE WHEN by_aspect THEN
    (SELECT count(*) FROM corpus_aspect a WHERE a.topic_id = asked.topic_id)::int ELSE 1 END AS n
  FROM (
    SELECT topic_id, bool_or(aspect_id IS NOT NULL) AS by_aspect FROM annotation_item
    WHERE campaign_id = %(campaign)s AND document_id IS NOT NULL GROUP BY topic_id
  ) asked
)
"""
# The campaign's items with their values; `aspects` null asks for the whole topic.
VALUES = f"""
WITH {WHOLE}, value AS (
  SELECT i.topic_id, i.document_id, coalesce(i.aspect_id, 0) AS thing, v.value,
    coalesce(cardinality(%(aspects)s::bigint[]), whole.n) AS n
  FROM annotation_item i
  JOIN whole ON whole.topic_id = i.topic_id AND whole.by_aspect = (i.aspect_id IS NOT NULL)
  LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s AND v.value >= 0
  WHERE i.campaign_id = %(campaign)s AND i.document_id IS NOT NULL
    AND (%(topic)s::bigint IS NULL OR i.topic_id = %(topic)s)
    AND (%(aspects)s::bigint[] IS NULL OR i.aspect_id = ANY(%(aspects)s))
), pair AS (
  SELECT topic_id, document_id, n, count(value) AS valued, coalesce(sum(value), 0) AS total,
    count(value) = n OR (%(judged_only)s AND count(value) > 0) AS scored
  FROM value GROUP BY 1, 2, 3
)
"""
COUNTED = f"""
{VALUES}, judged AS (SELECT topic_id, count(DISTINCT thing) AS judged FROM value WHERE value IS NOT NULL GROUP BY 1),
counted AS (
  SELECT topic_id, pair.n AS things, coalesce(judged.judged, 0) AS judged, count(*) AS documents,
    count(*) FILTER (WHERE scored) AS complete, count(*) FILTER (WHERE scored AND total >= valued) AS relevant,
    max(total) FILTER (WHERE scored) AS best, max(total::float8 / valued) FILTER (WHERE scored) AS best_mean
  FROM pair LEFT JOIN judged USING (topic_id) GROUP BY topic_id, pair.n, judged.judged
)
"""
FIGURES = "things, judged, documents, complete, relevant, best, best_mean"
WITH_TOPICS = f"""
SELECT t.id, t.number, coalesce(nullif(t.title, ''), t.text), {FIGURES},
  things = (SELECT count(*) FROM corpus_aspect a WHERE a.topic_id = t.id)
FROM counted JOIN corpus_topic t ON t.id = counted.topic_id ORDER BY t.position, t.id
"""
BY_TOPIC = COUNTED + WITH_TOPICS
STORED = f"""
WITH counted AS (
  SELECT topic_id, {FIGURES} FROM adjudication_relevancecount
  WHERE criterion_id = %(criterion)s AND judged_only = %(judged_only)s
)
{WITH_TOPICS}
"""
STORE = f"""
INSERT INTO adjudication_relevancecount (criterion_id, judged_only, topic_id, {FIGURES})
{COUNTED}
SELECT %(criterion)s, %(judged_only)s, topic_id, {FIGURES} FROM counted
"""
RANKED = f"""
{VALUES}
SELECT d.docno, d.title, left(d.abstract, 300), valued, n, total, scored
FROM pair JOIN corpus_document d ON d.id = pair.document_id
ORDER BY scored DESC, CASE WHEN scored THEN total::numeric / valued END DESC, total DESC, d.docno COLLATE "C"
"""


@dataclass(frozen=True)
class TopicRelevance:
    """A topic's documents: all in the campaign, those judged on enough to have a score (`complete`), the relevant ones.

    The topic has so many `things` (its aspects), of which the campaign's verdicts value `judged`; `best` is the highest
    sum and `best_mean` the highest mean among those with a score.
    """

    topic: int
    number: str
    title: str
    things: int
    judged: int
    documents: int
    complete: int
    relevant: int
    best: int | None
    best_mean: float | None
    by_aspect: bool  # or as a whole: then it is its only thing

    @property
    def is_short(self) -> bool:
        """Whether an aspect, or the topic as a whole, has no value at all, so that no document has a value on each."""
        return self.judged < self.things


@dataclass(frozen=True)
class RankedDocument:
    """A document with its sum over `valued` of the topic's `things`; `rank` and `mean` are None without a score.

    Equal means share a rank.
    """

    docno: str
    title: str
    opening: str  # of the abstract
    valued: int
    things: int
    total: int
    rank: int | None

    @property
    def name(self) -> str:
        return document_name(self.title, self.opening, self.docno)

    @property
    def mean(self) -> float | None:
        return None if self.rank is None else self.total / self.valued

    @property
    def is_relevant(self) -> bool:
        return self.rank is not None and self.total >= self.valued

    def ties(self, other: "RankedDocument") -> bool:
        """Whether both have the same mean, without dividing."""
        return self.total * other.valued == other.total * self.valued


@dataclass(frozen=True)
class QueryPart:
    """What of a topic is looked at: `key` names it in addresses; no aspects: the whole topic."""

    key: str
    label: str
    aspects: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return self.label


def relevance_by_topic(campaign: Campaign, criterion: Criterion, *, judged_only: bool = False) -> list[TopicRelevance]:
    """All topics of the campaign in their order; one query. `judged_only` scores over the judged aspects alone."""
    return [TopicRelevance(*row) for row in _rows(BY_TOPIC, campaign, criterion, judged_only=judged_only)]


def shown_relevance(
    campaign: Campaign, criterion: Criterion, *, judged_only: bool = False
) -> tuple[list[TopicRelevance], datetime | None]:
    """What `relevance_by_topic` returns, and None; for a campaign too large to count on a page, the stored counts and
    their time.

    Two queries. Until the job has ended once, a large campaign is added up as well.
    """
    counted_at = counted_large_at(campaign)
    if counted_at is not None:
        stored = _rows(STORED, campaign, criterion, judged_only=judged_only)
        if stored:
            return [TopicRelevance(*row) for row in stored], counted_at
    return relevance_by_topic(campaign, criterion, judged_only=judged_only), None


def relevance_note(campaign: Campaign, counted_at: datetime | None) -> str:
    """What has changed since stored relevance was counted, as a sentence; "" for nothing, or where none is stored."""
    since = changed_verdicts(count_changed(campaign, counted_at))
    return f"Relevance was counted before {since}." if since else ""


def rank_documents(
    campaign: Campaign, criterion: Criterion, topic: Topic, part: QueryPart, *, judged_only: bool = False
) -> list[RankedDocument]:
    """The topic's documents by falling mean over the part, those without a score last; one query.

    Where all are judged on everything, the order is that of the sums. `judged_only`: as in `relevance_by_topic`.
    """
    found: list[RankedDocument] = []
    rows = _rows(RANKED, campaign, criterion, topic=topic.pk, aspects=part.aspects, judged_only=judged_only)
    for place, (docno, title, opening, valued, things, total, scored) in enumerate(rows, 1):
        row = RankedDocument(docno, title, opening, valued, things, total, place if scored else None)
        if scored and found and found[-1].ties(row):
            row = replace(row, rank=found[-1].rank)
        found.append(row)
    return found


def parts_of(topic: Topic) -> list[QueryPart]:
    """The whole topic, each top aspect with what stands below it, each sub-query; three queries."""
    nodes = list(topic.nodes.select_related("aspect"))
    tops = [node for node in nodes if node.parent_id is None]
    below = {top.aspect_id: _with_below(nodes, top) for top in tops}
    parts = [QueryPart("", "The whole topic")]
    parts += [
        QueryPart(f"aspect-{place}", f"Aspect {place}: {top.aspect.text}", tuple(sorted(below[top.aspect_id])))
        for place, top in enumerate(tops, 1)
    ]
    for sub_query in topic.sub_queries.prefetch_related("chosen"):
        parts.append(_part_of(sub_query, below))
    return parts


def _part_of(sub_query: SubQuery, below: dict[int, set[int]]) -> QueryPart:
    aspects = set().union(*(below.get(each.aspect_id, {each.aspect_id}) for each in sub_query.chosen.all()))
    return QueryPart(f"sub-{sub_query.pk}", f"Sub-query {sub_query.number}: {sub_query.text}", tuple(sorted(aspects)))


def _with_below(nodes: Sequence[AspectNode], top: AspectNode) -> set[int]:
    """The aspect of a top place and those below it, wherever its text stands on top."""
    same = {node.pk for node in nodes if node.parent_id is None and node.aspect_id == top.aspect_id}
    return {top.aspect_id} | {node.aspect_id for node in nodes if node.parent_id in same}


def _rows(
    statement: str,
    campaign: Campaign,
    criterion: Criterion,
    *,
    judged_only: bool,
    topic: int | None = None,
    aspects: tuple[int, ...] | None = None,
) -> list[tuple[Any, ...]]:
    named = {
        "campaign": campaign.pk,
        "criterion": criterion.pk,
        "topic": topic,
        "aspects": None if aspects is None else list(aspects),
        "judged_only": judged_only,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        return list(cursor.fetchall())
