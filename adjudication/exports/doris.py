"""DORIS-MAE's JSON: topics with trees and pools in memory, documents and values as a stream."""

from collections.abc import Iterable, Iterator

from adjudication.exports import statements
from adjudication.exports.documents import document_records
from adjudication.exports.options import Options
from adjudication.exports.streams import rows
from corpus.formats.doris_json_writer import write_doris_json
from corpus.formats.records import AspectRecord, JudgmentRow, TopicRecord
from corpus.models import Topic
from corpus.queries.authors import withdrawn_topics


def doris_pieces(options: Options) -> Iterator[str]:
    """The file in pieces; findings must have said that it can be written."""
    docnos = [docno for (docno,) in rows(statements.DOCNOS, options)]
    yield from write_doris_json(_topics(options), docnos, document_records(options), _scores(options))


def _topics(options: Options) -> list[TopicRecord]:
    pools: dict[str, list[str]] = {}
    for number, docno in rows(statements.POOLED_DOCNOS, options):
        pools.setdefault(number, []).append(docno)
    topics = options.collection.topics.exclude(
        pk__in=withdrawn_topics(options.collection).values("pk")
    ).prefetch_related("nodes__aspect")
    return [_record(topic, pools.get(topic.number, [])) for topic in topics]


def _record(topic: Topic, pool: list[str]) -> TopicRecord:
    nodes = list(topic.nodes.all())
    aspects = tuple(
        AspectRecord(
            top.aspect.text,
            tuple(AspectRecord(below.aspect.text) for below in nodes if below.parent_id == top.pk),
            _places(top.sentences, topic),
            None if top.spoken_in is None else _places(top.spoken_in, topic),
        )
        for top in nodes
        if top.parent_id is None
    )
    extra = {**topic.extra, "candidate_pool": pool}
    sentences = tuple(topic.sentences)
    return TopicRecord(topic.number, topic.title, topic.text, "", topic.kind, "", sentences, aspects, "", 0, (), extra)


def _places(tied: Iterable[int], topic: Topic) -> tuple[int, ...]:
    return tuple(place for place in tied if place < len(topic.sentences))


def _scores(options: Options) -> Iterator[JudgmentRow]:
    for number, aspect, docno, value in rows(statements.DORIS_SCORES, options):
        yield JudgmentRow("", number, aspect, docno, "", str(value), False)
