"""How the methods of pools overlap, and how much of each run nobody has judged."""

from dataclasses import dataclass, field

from django.db.models import F

from accounts.sql import execute
from corpus.models import Collection, Document

SHOWN = 20  # combinations of methods, the largest ones
CUTS = (5, 10, 20, 50, 100)

COMBINATIONS = """
WITH entry AS (
  SELECT s.entry_id, array_agg(s.method ORDER BY s.method COLLATE "C") AS methods FROM corpus_poolsource s
  JOIN corpus_poolentry e ON e.id = s.entry_id JOIN corpus_topic t ON t.id = e.topic_id
  WHERE t.collection_id = %s GROUP BY s.entry_id
), combination AS (
  SELECT methods, count(*) AS n FROM entry GROUP BY methods
)
SELECT methods, n, count(*) OVER (), sum(n) OVER ()::bigint, (
  SELECT json_object_agg(method, total) FROM (
    SELECT method, sum(n) AS total FROM combination, unnest(methods) AS method GROUP BY method
  ) by_method
) FROM combination ORDER BY n DESC, methods LIMIT %s
"""
# Only topics that have a pool: nobody was asked to judge the others.
HOLES = """
WITH judged AS MATERIALIZED ({judged}), pooled AS MATERIALIZED (
  SELECT DISTINCT e.topic_id FROM corpus_poolentry e JOIN corpus_topic t ON t.id = e.topic_id
  WHERE t.collection_id = %s
), ranked AS (
  SELECT r.id, r.name, k.topic_id, u.rank, e.id AS entry_id, j.pk IS NOT NULL AS is_judged FROM corpus_retrievalrun r
  JOIN corpus_ranking k ON k.run_id = r.id JOIN pooled p ON p.topic_id = k.topic_id
  CROSS JOIN LATERAL unnest(k.docnos[1:%s]) WITH ORDINALITY AS u (docno, rank)
  LEFT JOIN corpus_document d ON d.collection_id = r.collection_id AND d.docno = u.docno
  LEFT JOIN corpus_poolentry e ON e.topic_id = k.topic_id AND e.document_id = d.id
  LEFT JOIN judged j ON j.topic = k.topic_id AND j.pk = d.id
  WHERE r.collection_id = %s
)
SELECT id, name, count(DISTINCT topic_id), {figures} FROM ranked GROUP BY id, name ORDER BY name
"""
FIGURES = ", ".join(
    f"count(*) FILTER (WHERE rank <= {cut}), count(*) FILTER (WHERE rank <= {cut} AND NOT is_judged),"
    f" count(*) FILTER (WHERE rank <= {cut} AND entry_id IS NULL)"
    for cut in CUTS
)


@dataclass(frozen=True)
class Combination:
    """Pairs of topic and document that exactly these methods brought in."""

    methods: tuple[str, ...]
    pairs: int


@dataclass(frozen=True)
class MethodOverlap:
    """The largest combinations, how many there are in all, and the pairs of all of them.

    `methods` are the pairs that each method brought in, alone or with others: over all combinations.
    """

    combinations: list[Combination]
    total: int
    pairs: int
    methods: dict[str, int] = field(default_factory=dict)

    @property
    def others(self) -> int:
        """How many combinations are not among the largest."""
        return self.total - len(self.combinations)

    @property
    def pairs_of_others(self) -> int:
        return self.pairs - sum(each.pairs for each in self.combinations)


@dataclass(frozen=True)
class Hole:
    """Of a run's first `cut` documents over its pooled topics: how many there are, unjudged, not even pooled."""

    cut: int
    documents: int
    unjudged: int
    unpooled: int

    @property
    def unjudged_percent(self) -> float | None:
        return 100 * self.unjudged / self.documents if self.documents else None

    @property
    def unpooled_percent(self) -> float | None:
        return 100 * self.unpooled / self.documents if self.documents else None


@dataclass(frozen=True)
class RunHoles:
    """What of the first documents of one run is not judged or pooled: a hole for each cut, over its pooled `topics`."""

    run: int
    name: str
    topics: int
    holes: list[Hole] = field(default_factory=list)


def overlap_of_methods(collection: Collection) -> MethodOverlap:
    """Which methods found the same documents; one query."""
    rows = execute(COMBINATIONS, [collection.pk, SHOWN])
    if not rows:
        return MethodOverlap([], 0, 0)
    found = [Combination(tuple(methods), pairs) for methods, pairs, *_ in rows]
    return MethodOverlap(found, *rows[0][2:])


def holes_of_runs(collection: Collection) -> list[RunHoles]:
    """Unjudged and unpooled documents of each run at several cuts; one query.

    A pair is judged when anybody has answered about it in any campaign. A document that the collection lacks is a hole
    too, for a measure cannot distinguish the two.
    """
    answered = Document.objects.filter(collection=collection, items__assignments__submissions__isnull=False)
    pairs = answered.values("pk", topic=F("items__topic")).distinct().query
    judged, parameters = pairs.sql_with_params()
    statement = HOLES.format(judged=f"SELECT topic, pk FROM ({judged}) answered", figures=FIGURES)
    return [
        RunHoles(run, name, topics, [Hole(cut, *figures[3 * n : 3 * n + 3]) for n, cut in enumerate(CUTS)])
        for run, name, topics, *figures in execute(statement, [*parameters, collection.pk, CUTS[-1], collection.pk])
    ]
