"""Litmus's own JSON Lines: documents, topics, judgments, citation mentions, one object a line."""

from engines.formats import jsonl_documents, jsonl_topics, mentions
from engines.formats.json_objects import is_one_object
from engines.formats.jsonl_documents import ID_KEYS, read_jsonl_documents, write_jsonl_documents
from engines.formats.jsonl_topics import is_known, read_jsonl_topics, write_jsonl_topics
from engines.formats.judgment_columns import MARKS
from engines.formats.judgments import JSONL_LAYOUT, read_jsonl_judgments
from engines.formats.mentions import read_jsonl_mentions
from engines.formats.registry import Certainty, Format, Head, Shape
from engines.formats.topic_fields import is_number_name, is_text_name

RECORDS = ("documents", "topics")


def _has_id(head: Head) -> bool:
    return bool(head.keys & set(ID_KEYS))


def _are_topics(head: Head) -> bool:
    """Whether the first object has a number and a text under any name, or is one object of objects."""
    if not head.is_json and not head.is_list:
        return False
    keys = head.keys_at_hand
    has_both = any(map(is_number_name, keys)) and any(map(is_text_name, keys))
    return has_both or head.is_list or is_one_object(head.text, is_known)


JSONL = Format(
    name="jsonl",
    label="JSON Lines",
    help="One JSON object a line, in UTF-8; the simplest to convert to.",
    reads={
        "documents": read_jsonl_documents,
        "topics": read_jsonl_topics,
        "judgments": read_jsonl_judgments,
        "mentions": read_jsonl_mentions,
    },
    writes={"documents": write_jsonl_documents, "topics": write_jsonl_topics},
    shapes=(
        Shape("jsonl-judgments", ("judgments",), lambda head: head.has_keys({"annotator", "value"})),
        Shape("jsonl-mentions", ("mentions",), lambda head: head.has_keys({"text", "markers"})),
        Shape(
            "jsonl-documents",
            RECORDS,
            lambda head: head.has_keys({"docno"}, {"id", "title", "abstract"}),
            Certainty.LIKELY,
        ),
        Shape(
            "jsonl-topics",
            ("topics",),
            lambda head: head.has_keys({"number"}, {"aspects"}, {"query_id"}, {"topic"}),
            Certainty.LIKELY,
        ),
        Shape("json-topics", ("topics",), _are_topics, Certainty.IF_REQUESTED),
        Shape(
            "json-documents",
            ("documents",),
            lambda head: (head.is_list or head.is_json) and jsonl_documents.are_documents(head.text, head.keys_at_hand),
            Certainty.IF_REQUESTED,
        ),
        Shape("jsonl-documents", RECORDS, _has_id, Certainty.POSSIBLE),
        Shape("jsonl-judgments", ("judgments",), lambda head: head.keys & MARKS, Certainty.MEANT),
        Shape("json-topics", ("topics",), lambda head: any(map(is_known, head.keys_at_hand)), Certainty.MEANT),
    ),
    layouts={
        "documents": jsonl_documents.LAYOUT,
        "topics": jsonl_topics.LAYOUT,
        "judgments": JSONL_LAYOUT,
        "mentions": mentions.LAYOUT,
    },
)
