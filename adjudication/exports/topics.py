"""Topics as imports read them: everything for JSONL, what the layout holds for DORIS-MAE's `queries.txt`."""

from collections.abc import Iterable, Iterator

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from adjudication.exports.options import Options
from corpus.formats.doris_queries import write_doris_queries
from corpus.formats.jsonl_topics import write_jsonl_topics
from corpus.formats.records import AspectRecord, TopicRecord
from corpus.models import AspectNode, Collection, Target, Topic, TopicKind
from corpus.queries.authors import withdrawn_topics

AT_ONCE = 500  # topics read together


def topic_lines(options: Options) -> Iterator[str]:
    """All topics that may be published, with aspects, ties, targets and whatever an import brought."""
    return write_jsonl_topics(map(topic_record, _read(standing_topics(options.collection))))


def query_blocks(options: Options) -> Iterator[str]:
    """Complex queries, and what else has aspects; the layout has no place for ties, targets and the rest."""
    return write_doris_queries(map(topic_record, _read(_queries(options.collection))))


def query_problem(options: Options) -> str:
    """Why `queries.txt` cannot be written, or ""."""
    found = False
    for record in map(topic_record, _read(_queries(options.collection))):
        found = True
        try:
            list(write_doris_queries([record]))
        except ValueError as error:
            return f"queries.txt cannot hold topic {record.number}: {error}."
    return "" if found else "There is no complex query yet, and no topic with aspects."


def standing_topics(collection: Collection) -> QuerySet[Topic]:
    """The topics without those that their authors have withdrawn."""
    return collection.topics.exclude(pk__in=withdrawn_topics(collection).values("pk"))


def _queries(collection: Collection) -> QuerySet[Topic]:
    placed = AspectNode.objects.filter(topic=OuterRef("pk"))
    return standing_topics(collection).filter(Q(kind=TopicKind.COMPLEX_QUERY) | Exists(placed))


def _read(topics: QuerySet[Topic]) -> Iterator[Topic]:
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
        extra=topic.extra,
    )


def _aspect(node: AspectNode, topic: Topic, below: tuple[AspectRecord, ...] = ()) -> AspectRecord:
    spoken_in = None if node.spoken_in is None else _places(node.spoken_in, topic)
    return AspectRecord(node.aspect.text, below, _places(node.sentences, topic), spoken_in)


def _places(tied: Iterable[int], topic: Topic) -> tuple[int, ...]:
    return tuple(place for place in tied if place < len(topic.sentences))
