"""Topics in TREC's layout, in JSONL and in `queries.txt` as imports read them, and what subtopics stand for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from adjudication.exporting import statements
from adjudication.exporting.exporter import FATAL, NDJSON, Finding, Options, Reader, TextExporter
from adjudication.exporting.forms import ASPECT, QUERY, SUB_QUERY, ExportForm, LevelField
from adjudication.exporting.streams import rows
from adjudication.exports.exporters.qrels import check_sub_queries
from corpus.models import AspectNode, Collection, Target, Topic, TopicKind
from corpus.questions.authors import withdrawn_topics
from engines.formats.csv_text import write_csv
from engines.formats.doris_queries import write_doris_queries
from engines.formats.jsonl_topics import write_jsonl_topics
from engines.formats.records import AspectRecord, TopicRecord
from engines.formats.trec_topics import one_line, write_trec_topics

AT_ONCE = 500  # topics read together


class Aspects(TextExporter):
    name = "aspects"
    label = "Aspects"
    suffix = "aspects.tsv"
    media_type = "text/tab-separated-values; charset=utf-8"
    about = "Which aspect each subtopic number stands for."
    labels = False

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        return [] if read(f"{ASPECTS} LIMIT 1") else [Finding(FATAL, "no_aspects", "No topic has an aspect.")]

    def lines(self, options: Options) -> Iterator[str]:
        found = ((number, place, one_line(text)) for number, place, text in rows(ASPECTS, options))
        return write_csv(("topic", "subtopic", "text"), found, guarded=False, delimiter="\t")


class TopicsForm(ExportForm):
    level = LevelField(QUERY, ASPECT, SUB_QUERY)


class Topics(TextExporter):
    name = "topics"
    label = "TREC topics"
    suffix = "topics"
    about = "All topics with number, title, description and narrative; or one topic for each aspect or sub-query."
    form = TopicsForm
    labels = False

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        check_sub_queries(collection, values)
        return super().options(collection, values)

    def stem(self, options: Options) -> list[str]:
        return [*super().stem(options), options.level if options.level != QUERY else ""]

    def about_file(self, options: Options) -> str:
        whole = "All topics with number, title, description and narrative."
        return whole if options.level == QUERY else f"One topic for each {options.level}."

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        if read(f"{TOPICS[options.level]} LIMIT 1"):
            return []
        some = {QUERY: "The collection has no topics.", ASPECT: "No topic has an aspect."}
        return [Finding(FATAL, "no_topics", some.get(options.level, "There are no sub-queries."))]

    def lines(self, options: Options) -> Iterator[str]:
        return write_trec_topics(trec_topics(options))


class TopicsJsonl(TextExporter):
    """All topics that may be published, with aspects, ties, targets and all that an import stored."""

    name = "topics-jsonl"
    label = "Topics, JSONL"
    suffix = "topics.jsonl"
    media_type = NDJSON
    about = (
        "All topics; where they have them, with aspects, the sentences these come from, targets and source papers. Can"
        " be imported again."
    )
    labels = False

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        return (
            [] if read(f"{TOPICS[QUERY]} LIMIT 1") else [Finding(FATAL, "no_topics", "The collection has no topics.")]
        )

    def lines(self, options: Options) -> Iterator[str]:
        return write_jsonl_topics(map(topic_record, _read_topics(published_topics(options.collection))))


class QueriesTxt(TextExporter):
    """Complex queries and other topics with aspects; the layout has no place for ties, targets and the rest."""

    name = "queries-txt"
    label = "Queries with aspects, queries.txt"
    suffix = "queries.txt"
    about = "Each complex query: sentences, aspects, sub-aspects, in DORIS-MAE's text layout. Can be imported again."
    labels = False

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        problem = _query_problem(options)
        return [Finding(FATAL, "no_queries_txt", problem)] if problem else []

    def lines(self, options: Options) -> Iterator[str]:
        return write_doris_queries(map(topic_record, _read_topics(_queries(options.collection))))


def trec_topics(options: Options) -> Iterator[TopicRecord]:
    """Topics, or aspects or sub-queries as topics. A topic without a title has its text as the title."""
    for number, title, text, narrative in rows(TOPICS[options.level], options):
        yield TopicRecord(number, title or text, text, narrative, "", "", (), (), "", 0)


def _query_problem(options: Options) -> str:
    """Why `queries.txt` cannot be written, or ""."""
    found = False
    for record in map(topic_record, _read_topics(_queries(options.collection))):
        found = True
        try:
            list(write_doris_queries([record]))
        except ValueError as error:
            return f"queries.txt cannot hold topic {record.number}: {error}."
    return "" if found else "There is no complex query yet, and no topic with aspects."


def published_topics(collection: Collection) -> QuerySet[Topic]:
    """The topics without those that their authors have withdrawn."""
    return collection.topics.exclude(pk__in=withdrawn_topics(collection).values("pk"))


def _queries(collection: Collection) -> QuerySet[Topic]:
    placed = AspectNode.objects.filter(topic=OuterRef("pk"))
    return published_topics(collection).filter(Q(kind=TopicKind.COMPLEX_QUERY) | Exists(placed))


def _read_topics(topics: QuerySet[Topic]) -> Iterator[Topic]:
    targets = Prefetch("targets", Target.objects.select_related("document").order_by("pk"))
    return topics.prefetch_related("nodes__aspect", targets).iterator(AT_ONCE)


def topic_record(topic: Topic) -> TopicRecord:
    """The topic with its tree as it is now."""
    nodes = list(topic.nodes.all())
    aspects = tuple(
        _aspect(top, topic, tuple(_aspect(below, topic) for below in nodes if below.parent_id == top.pk))
        for top in nodes
        if top.parent_id is None
    )
    targets = tuple(target.document.docno for target in topic.targets.all())
    return TopicRecord(
        number=topic.number,
        title=topic.title,
        text=topic.text,
        narrative=topic.narrative,
        kind=topic.kind,
        source=topic.source,
        sentences=tuple(topic.sentences),
        aspects=aspects,
        file="",
        line=0,
        targets=targets,
        extra={**topic.extra, **_author_now(topic)},
    )


def _author_now(topic: Topic) -> dict[str, str]:
    """The author of a topic whose file named one (`extra` keeps the file's), as it is now."""
    return {"author": topic.author} if isinstance(topic.extra.get("author"), str) else {}


def _aspect(node: AspectNode, topic: Topic, below: tuple[AspectRecord, ...] = ()) -> AspectRecord:
    spoken_in = None if node.spoken_in is None else _places(node.spoken_in, topic)
    return AspectRecord(node.aspect.text, below, _places(node.sentences, topic), spoken_in)


def _places(tied: Iterable[int], topic: Topic) -> tuple[int, ...]:
    return tuple(place for place in tied if place < len(topic.sentences))


_ASPECTS = f"""
FROM places JOIN corpus_aspect asp ON asp.id = places.aspect_id
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = asp.topic_id
ORDER BY t.position, t.id, places.place
"""
ASPECTS = f"WITH {statements.PLACES} SELECT t.written, places.place, asp.text {_ASPECTS}"
TOPICS = {
    QUERY: f"""
SELECT t.written, t.title, t.text, t.narrative FROM {statements.PUBLISHED_TOPICS} t
WHERE t.collection_id = %(collection)s ORDER BY t.position, t.id
""",
    ASPECT: f"WITH {statements.PLACES} SELECT t.written || '.' || places.place, asp.text, asp.text, t.text {_ASPECTS}",
    SUB_QUERY: f"""
SELECT q.number, '', array_to_string(q.sentences, ' '), t.text
FROM corpus_subquery q JOIN {statements.PUBLISHED_TOPICS} t ON t.id = q.topic_id
WHERE q.collection_id = %(collection)s ORDER BY t.position, t.id, q.id
""",
}

EXPORTERS = (Aspects(), Topics(), TopicsJsonl(), QueriesTxt())
