"""Rankings of runs as measures need them, and the pools behind a gold."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass

import numpy as np
from django.db import connection

from accounts.refusals import Refused
from accounts.sql import execute
from adjudication.evaluation.golds.kind import ASPECT, QUERY, SUB_QUERY, LoadedGold
from adjudication.exporting.statements import PLACES
from corpus.models import Collection, RetrievalRun
from engines.stats.measure import Measure
from engines.stats.rankings import Gold, RankedList
from engines.stats.results import BoolArray, FloatArray

ROWS = 200  # rankings fetched at a time
# One string for each ranking: much quicker than arrays of many texts. Docnos hold no white space.
COLUMNS = """array_to_string(k.docnos, E'\\n'),
  ARRAY(SELECT cut FROM unnest(%(cuts)s::int[]) cut WHERE k.scores[cut] = k.scores[cut + 1])"""


@dataclass(frozen=True)
class Unit:
    """How what a gold calls a topic is read: expressions over topics `t`, their parts, and rankings `k`."""

    number: str
    rankings: str
    order: str
    parts: str = ""  # joined to topics; a part of a topic has the topic's pool
    lead: str = ""


UNITS = {
    QUERY: Unit("t.number", "corpus_ranking k JOIN corpus_topic t ON t.id = k.topic_id", "t.position, t.id"),
    SUB_QUERY: Unit(
        "q.number",
        "corpus_partranking k JOIN corpus_subquery q ON q.id = k.sub_query_id",
        "q.id",
        "JOIN corpus_subquery q ON q.topic_id = t.id",
    ),
    ASPECT: Unit(
        "t.number || '.' || places.place",
        "corpus_partranking k JOIN places USING (aspect_id) JOIN corpus_topic t ON t.id = places.topic_id",
        "t.position, t.id, places.place",
        "JOIN places ON places.topic_id = t.id",
        f"WITH {PLACES}",
    ),
}
RANKINGS = """
{lead}
SELECT {number}, {columns} FROM {rankings} WHERE k.run_id = %(run)s ORDER BY {order}
"""
# The tops of rankings of several runs, by topic.
TOPS = """
{lead}
SELECT r.name, {number}, array_to_string(k.docnos[1:coalesce(%(depth)s::int, cardinality(k.docnos))], E'\\n')
FROM {rankings} JOIN corpus_retrievalrun r ON r.id = k.run_id
WHERE k.run_id = ANY(%(runs)s) AND (%(topics)s::text[] IS NULL OR {number} = ANY(%(topics)s))
"""
ASPECT_TEXTS = f"""
WITH {PLACES}
SELECT t.number || '.' || places.place, asp.text FROM places
JOIN corpus_aspect asp ON asp.id = places.aspect_id JOIN corpus_topic t ON t.id = places.topic_id
"""
POOLS = """
{lead}
SELECT {number} AS number, array_agg(d.docno ORDER BY d.id) FROM corpus_poolentry p
JOIN corpus_topic t ON t.id = p.topic_id AND t.collection_id = %(collection)s
JOIN corpus_document d ON d.id = p.document_id
{parts}
GROUP BY 1 ORDER BY min(t.position), min(t.id), 1
"""
# What brought a document into a pool, and the best rank there; none where something without ranks did as well.
SOURCES = """
{lead}
SELECT {number} AS number, d.docno, array_agg(s.method), CASE WHEN bool_and(s.rank IS NOT NULL) THEN min(s.rank) END
FROM corpus_poolsource s
JOIN corpus_poolentry p ON p.id = s.entry_id
JOIN corpus_topic t ON t.id = p.topic_id AND t.collection_id = %(collection)s
JOIN corpus_document d ON d.id = p.document_id
{parts}
GROUP BY 1, 2
"""


def _of_unit(statement: str, unit: str) -> str:
    return statement.format(**asdict(UNITS[unit]), columns=COLUMNS)


def find_runs(collection: Collection, names: Iterable[str]) -> list[RetrievalRun]:
    """The runs of these names, in this order. Errors: Refused for one that there is not, listing what there is."""
    unique = list(dict.fromkeys(names))
    if not unique:
        raise Refused("Choose at least one run to evaluate.")
    found = {run.name: run for run in collection.retrieval_runs.filter(name__in=unique)}
    if missing := [name for name in unique if name not in found]:
        known = ", ".join(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
        raise Refused(f"{collection.slug} has no run {missing[0]!r}. " + (f"It has: {known}." if known else ""))
    return [found[name] for name in unique]


def rankings_of(run: RetrievalRun, unit: str, measures: Sequence[Measure]) -> Iterator[RankedList]:
    """The run's rankings for topics of this unit, with the cut-offs of measures that equal scores straddle."""
    cuts = sorted({measure.rank for measure in measures if measure.rank})
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(_of_unit(RANKINGS, unit), {"run": run.pk, "collection": run.collection_id, "cuts": cuts})
        while rows := cursor.fetchmany(ROWS):
            for number, docnos, tied in rows:
                yield RankedList(number, docnos.split("\n") if docnos else (), tied)


def tops_of(
    collection: Collection,
    runs: Sequence[str],
    unit: str,
    depth: int | None = None,
    topics: Sequence[str] | None = None,
) -> Iterator[tuple[str, str, list[str]]]:
    """(run, topic, its first `depth` documents) of the runs that there are, for topics of this unit (None: all)."""
    known = list(collection.retrieval_runs.filter(name__in=runs).values_list("pk", flat=True))
    numbers = None if topics is None else list(topics)
    with closing(connection.chunked_cursor()) as cursor:
        named = {"runs": known, "topics": numbers, "depth": depth, "collection": collection.pk}
        cursor.execute(_of_unit(TOPS, unit), named)
        while rows := cursor.fetchmany(ROWS):
            for run, number, docnos in rows:
                yield run, number, docnos.split("\n") if docnos else []


def topic_texts(collection: Collection, unit: str) -> dict[str, str]:
    """{number: its text} of all topics, sub-queries or aspects. One query."""
    if unit == SUB_QUERY:
        return {number: " ".join(parts) for number, parts in collection.sub_queries.values_list("number", "sentences")}
    if unit == ASPECT:
        return dict(execute(ASPECT_TEXTS, {"collection": collection.pk}))
    return dict(collection.topics.values_list("number", "text"))


def pools_of(collection: Collection, unit: str) -> dict[str, list[str]]:
    """{topic number: docnos of its pool}; a sub-query or aspect has its topic's."""
    return dict(execute(_of_unit(POOLS, unit), {"collection": collection.pk}))


def pool_sources(found: LoadedGold, collection: Collection) -> tuple[dict[str, BoolArray], FloatArray]:
    """({method: (J,) judgments that are in the pools through it alone}, (J,) best rank of any run or search).

    A method is what brought documents in: a run, a search, a list, a hand. Each of a judged document has an entry.

    The rank is infinite for judgments that something without ranks brought in, such as a hand or a list, or nothing.
    """
    gold: Gold = found.gold
    index = {topic: place for place, topic in enumerate(gold.topics)}
    alone: dict[str, BoolArray] = {}
    depth = np.full(len(gold), np.inf)
    for number, docno, methods, rank in execute(_of_unit(SOURCES, found.unit), {"collection": collection.pk}):
        at = index.get(number)
        place = None if at is None else gold.places[at].get(docno)
        if place is None:
            continue
        depth[place] = np.inf if rank is None else rank
        for method in methods:
            alone.setdefault(method, np.zeros(len(gold), dtype=bool))
        if len(methods) == 1:
            alone[methods[0]][place] = True
    return dict(sorted(alone.items())), depth
