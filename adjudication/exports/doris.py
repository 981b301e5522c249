"""DORIS-MAE's JSON: topics with trees and pools in memory, documents and values as a stream."""

from collections.abc import Iterator
from dataclasses import replace

from adjudication.exports import statements
from adjudication.exports.documents import document_records
from adjudication.exports.options import Options
from adjudication.exports.streams import rows
from adjudication.exports.topics import standing_topics, topic_record
from corpus.formats.doris_json_writer import write_doris_json
from corpus.formats.records import JudgmentRow, TopicRecord


def doris_pieces(options: Options) -> Iterator[str]:
    """The file in pieces; findings must have said that it can be written."""
    docnos = [docno for (docno,) in rows(statements.DOCNOS, options)]
    yield from write_doris_json(_topics(options), docnos, document_records(options), _scores(options))


def _topics(options: Options) -> list[TopicRecord]:
    pools: dict[str, list[str]] = {}
    for number, docno in rows(statements.POOLED_DOCNOS, options):
        pools.setdefault(number, []).append(docno)
    topics = standing_topics(options.collection).prefetch_related("nodes__aspect", "targets__document")
    records = map(topic_record, topics)
    return [replace(one, extra={**one.extra, "candidate_pool": pools.get(one.number, [])}) for one in records]


def _scores(options: Options) -> Iterator[JudgmentRow]:
    for number, aspect, docno, value in rows(statements.DORIS_SCORES, options):
        yield JudgmentRow("", number, aspect, docno, "", str(value), False)
