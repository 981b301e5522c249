"""The queries of a run: topics of a kind, aspects or sub-queries; and the documents that each leaves out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.extensions import extensions
from accounts.sql import execute
from corpus.models import Collection, Document, GeneratedQuestion, Paper, PoolEntry, Topic, TopicKind

TEXT, TITLE, BOTH = "text", "title", "title-and-text"
ALL, ASPECTS, SUB_QUERIES = "all", "aspects", "sub-queries"
CONTEXTS = (TopicKind.CONTEXT_PARAGRAPH, TopicKind.CONTEXT_SENTENCE)
# Aspects of a topic are numbered 1..n in the order of the tree: top aspects by position, each followed by its
# sub-aspects. Exports number them in the same way.
ASPECT_NUMBERS = """
SELECT asp.id, asp.topic_id, t.number || '.' || row_number() OVER (
    PARTITION BY asp.topic_id
    ORDER BY min(ARRAY[coalesce(p.position, n.position), CASE WHEN p.id IS NULL THEN -1 ELSE n.position END])
      NULLS LAST, asp.id
  ), asp.text
FROM corpus_aspect asp JOIN corpus_topic t ON t.id = asp.topic_id AND t.collection_id = %s
LEFT JOIN corpus_aspectnode n ON n.aspect_id = asp.id LEFT JOIN corpus_aspectnode p ON p.id = n.parent_id
GROUP BY asp.id, asp.topic_id, t.number, t.position, t.id ORDER BY t.position, t.id, 3
"""


@dataclass(frozen=True, slots=True)
class Query:
    """A query. `topic` is the topic's id; `sub_query` or `aspect` is the id of the part of it that is searched for."""

    number: str
    text: str
    topic: int
    sub_query: int | None = None
    aspect: int | None = None


Maker = Callable[[Collection, str], Iterator[Query]]


@dataclass(frozen=True)
class TopicSet:
    """A set of queries that a run can be made for. Forms begin with one that `is_usual` in the collection."""

    label: str
    make: Maker
    is_usual: Callable[[Collection], bool] | None = None


def _of_kinds(*kinds: TopicKind) -> Maker:
    def make(collection: Collection, words: str) -> Iterator[Query]:
        # With the collection's id: without it Django would ask for it again, row by row.
        topics: QuerySet[Topic] = collection.topics.only("collection", "number", "title", "text")
        for topic in (topics.filter(kind__in=kinds) if kinds else topics).iterator():
            yield Query(topic.number, _words(topic, words), topic.pk)

    return make


def _words(topic: Topic, words: str) -> str:
    if words == TITLE:
        return topic.title or topic.text
    return f"{topic.title} {topic.text}" if words == BOTH else topic.text


def _sub_queries(collection: Collection, _: str) -> Iterator[Query]:
    for part in collection.sub_queries.only("collection", "number", "sentences", "topic"):
        yield Query(part.number, part.text, part.topic_id, sub_query=part.pk)


def _aspects(collection: Collection, _: str) -> Iterator[Query]:
    for pk, topic, number, text in execute(ASPECT_NUMBERS, [collection.pk]):
        yield Query(number, text, topic, aspect=pk)


OWN_SETS: dict[str, TopicSet] = {
    ALL: TopicSet("all topics", _of_kinds()),
    **{kind.value: TopicSet(f"topics of the kind {kind.label}", _of_kinds(kind)) for kind in TopicKind},
    ASPECTS: TopicSet("aspects and sub-aspects, each on its own", _aspects),
    SUB_QUERIES: TopicSet("sub-queries", _sub_queries),
}


def topic_sets() -> dict[str, TopicSet]:
    """All topic sets by name; apps above this one declare more as `topic_sets` on their AppConfig."""
    return OWN_SETS | extensions("topic_sets")


def topic_choices() -> list[tuple[str, str]]:
    """Names and labels of the topic sets, as a form offers them."""
    return [(name, each.label) for name, each in topic_sets().items()]


def usual_topics(collection: Collection) -> str:
    """The topic set that a form begins with."""
    usual = (name for name, each in topic_sets().items() if each.is_usual and each.is_usual(collection))
    return next(usual, ALL)


def aspect_numbers(collection_id: int) -> list[tuple[str, int]]:
    """(number, id) of all aspects, as exports number them, in the order of topics."""
    return [(number, pk) for pk, _, number, _ in execute(ASPECT_NUMBERS, [collection_id])]


def queries_of(collection: Collection, topics: str, words: str = TEXT) -> list[Query]:
    """The queries of a topic set, in the order of topics."""
    return list(topic_sets()[topics].make(collection, words))


def sources_of(collection: Collection, queries: Sequence[Query]) -> dict[int, frozenset[int]]:
    """Ids of the documents that each topic was written from, by topic.

    These are the source papers that a topic names, the paper whose paragraph a generated question comes from, and for
    citation contexts all citing papers of the collection (Boudin, JCDL 2021, section 3).
    """
    topics = {topic.pk: topic for topic in collection.topics.only("collection", "kind", "extra")}
    named = {pk: set(topic.source_papers) for pk, topic in topics.items() if topic.source_papers}
    keys = set(Paper.objects.filter(collection=collection).values_list("key", flat=True))
    for query in queries:
        if topics[query.topic].kind in CONTEXTS:
            named[query.topic] = named.get(query.topic, set()) | keys
    docnos = set().union(*named.values()) if named else set()
    found = Document.objects.filter(collection=collection, docno__in=docnos)
    ids = dict(found.values_list("docno", "pk"))
    sources = {topic: {ids[docno] for docno in docnos if docno in ids} for topic, docnos in named.items()}
    written = GeneratedQuestion.objects.filter(topic__collection=collection)
    mentioned = written.exclude(reply__mention__source_document=None)
    for topic, source in mentioned.values_list("topic", "reply__mention__source_document"):
        sources.setdefault(topic, set()).add(source)
    return {topic: frozenset(found) for topic, found in sources.items()}


def pool_of(topic: int) -> frozenset[int]:
    """Ids of the documents in a topic's pool."""
    return frozenset(PoolEntry.objects.filter(topic=topic).values_list("document", flat=True))
