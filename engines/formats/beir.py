"""BEIR: `corpus.jsonl`, `queries.jsonl` and a table of qrels (formats.md 5)."""

from engines.formats.jsonl_documents import read_jsonl_documents, write_beir_corpus
from engines.formats.jsonl_topics import read_jsonl_topics, write_beir_queries
from engines.formats.pool_lists import read_pool_list
from engines.formats.qrels import BEIR_HEADER, read_beir_qrels, write_beir_qrels
from engines.formats.registry import Certainty, Format, Head, Shape

RECORDS = ("documents", "topics")


def _is_table(head: Head) -> bool:
    return not head.is_json and head.text.split("\n", 1)[0].rstrip("\r").split("\t")[:3] == list(BEIR_HEADER)


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
)
