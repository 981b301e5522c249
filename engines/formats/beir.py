"""BEIR: `corpus.jsonl`, `queries.jsonl` and a table of qrels (formats.md 5)."""

from engines.formats import jsonl_documents, jsonl_topics
from engines.formats.jsonl_documents import read_jsonl_documents, write_beir_corpus
from engines.formats.jsonl_topics import read_jsonl_topics, write_beir_queries
from engines.formats.layouts import KEPT, Layout, required
from engines.formats.pool_lists import read_pool_list
from engines.formats.qrels import BEIR_HEADER, read_beir_qrels, write_beir_qrels
from engines.formats.registry import Certainty, Format, Head, Shape

RECORDS = ("documents", "topics")


def _is_table(head: Head) -> bool:
    return not head.is_json and head.text.split("\n", 1)[0].rstrip("\r").split("\t")[:3] == list(BEIR_HEADER)


_QRELS = Layout(
    "query-id\tcorpus-id\tscore\n1\t10.1145/1\t2\n",
    (
        required("query-id", "number of the topic"),
        required("corpus-id", "id of the document"),
        required("score", "grade, a whole number; not read for a pool"),
    ),
    "Tabs separate the columns.",
)

BEIR = Format(
    name="beir",
    label="BEIR",
    help="corpus.jsonl and queries.jsonl with _id, title and text; qrels as a table with the columns query-id, "
    "corpus-id and score.",
    reads={
        "documents": read_jsonl_documents,
        "topics": read_jsonl_topics,
        "pool": read_pool_list,
        "qrels": read_beir_qrels,
    },
    writes={"documents": write_beir_corpus, "topics": write_beir_queries, "qrels": write_beir_qrels},
    shapes=(
        Shape("beir-qrels", ("pool", "qrels"), _is_table),
        Shape(
            "beir-corpus", RECORDS, lambda head: head.has_keys({"_id", "title"}, {"_id", "abstract"}), Certainty.LIKELY
        ),
        Shape("beir-queries", RECORDS, lambda head: head.has_keys({"_id", "text"}), Certainty.LIKELY),
    ),
    layouts={
        "documents": Layout(
            '{"_id": "10.1145/1", "title": "Hearing of owls", "text": "Owls hear well."}\n'
            '{"_id": "10.1145/2", "title": "Wings of moths", "text": "Moths are quiet."}\n',
            jsonl_documents.LAYOUT.fields,
            KEPT,
        ),
        "topics": Layout(
            '{"_id": "1", "text": "How do owls hear?"}\n{"_id": "2", "text": "Why are moths quiet?"}\n',
            jsonl_topics.LAYOUT.fields,
            KEPT,
        ),
        "pool": _QRELS,
        "qrels": _QRELS,
    },
)
