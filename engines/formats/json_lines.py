"""Litmus's own JSON Lines: documents, topics, judgments, citation mentions, one object a line."""

from engines.formats import jsonl_documents, jsonl_topics, mentions
from engines.formats.json_objects import is_one_object
from engines.formats.jsonl_documents import ID_KEYS, is_document, read_jsonl_documents, write_jsonl_documents
from engines.formats.jsonl_topics import is_known, is_topic, read_jsonl_topics, write_jsonl_topics
from engines.formats.judgment_columns import MARKS
from engines.formats.judgments import JSONL_LAYOUT, is_judgment, read_jsonl_judgments
from engines.formats.mentions import is_mention, read_jsonl_mentions
from engines.formats.qrels_json import joins_two
from engines.formats.registry import Certainty, Format, Head, Shape
from engines.formats.topic_fields import is_number_name, is_published

RECORDS = ("documents", "topics")


def _has_id(head: Head) -> bool:
    return bool(head.keys & set(ID_KEYS)) and not _is_around_a_list(head)


def _has_number(head: Head) -> bool:
    return any(map(is_number_name, head.keys_at_hand))


def _are_topics(head: Head) -> bool:
    """Whether the first object has a number and a text under any name, or is one object of objects."""
    if not head.is_json and not head.is_list:
        return False
    if _is_list_of_others(head):
        return False
    keys = head.keys_at_hand
    if joins_two(keys) or is_published(keys):
        return False
    return is_topic(keys) or head.is_list or is_one_object(head.text, is_known)


def _may_be_topics(head: Head) -> bool:
    """Whether there is a field of topics; the one called `topic` is one of judgments as well."""
    keys = head.keys_at_hand
    if _is_list_of_others(head) or joins_two(keys) or is_published(keys):
        return False
    if not _has_number(head) and (is_document(keys) or is_mention(keys)):
        return False
    return any(map(is_known, keys - {"topic"}))


def _is_around_a_list(head: Head) -> bool:
    """Whether it is one object around a list of records, whose sort is known by the name of the list."""
    return head.is_json and (head.holds_list("", is_topic) or head.holds_list("", is_document))


def _is_list_of_others(head: Head) -> bool:
    """Whether it is one object around a list that is called as records of another sort are, such as documents."""
    return head.is_json and not head.holds_list("topics", is_topic) and head.holds_list("", is_topic)


JSONL = Format(
    name="jsonl",
    label="JSON Lines",
    help="One JSON object per line, in UTF-8; the easiest format to convert to.",
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
            lambda head: head.has_keys({"id", "title", "abstract"}) and not _is_around_a_list(head),
            Certainty.LIKELY,
        ),
        Shape(
            "jsonl-documents",
            ("documents",),
            lambda head: head.has_keys({"docno"}) and not _is_around_a_list(head),
            Certainty.LIKELY,
        ),
        Shape(
            "jsonl-topics",
            ("topics",),
            lambda head: head.has_keys({"number"}, {"aspects"}, {"query_id"}, {"topic"}),
            Certainty.LIKELY,
        ),
        Shape(
            "json-judgments", ("judgments",), lambda head: head.holds_list("judgments", is_judgment), Certainty.LIKELY
        ),
        Shape("json-mentions", ("mentions",), lambda head: head.holds_list("mentions", is_mention), Certainty.LIKELY),
        Shape("json-topics", ("topics",), _are_topics, Certainty.IF_REQUESTED),
        Shape(
            "json-documents",
            ("documents",),
            lambda head: (head.is_list or head.is_json) and jsonl_documents.are_documents(head.text, head.keys_at_hand),
            Certainty.IF_REQUESTED,
        ),
        Shape("json-topics", ("topics",), lambda head: head.holds_list("topics", is_topic), Certainty.POSSIBLE),
        Shape(
            "json-documents",
            ("documents",),
            lambda head: head.holds_list("documents", is_document),
            Certainty.POSSIBLE,
        ),
        Shape("jsonl-documents", RECORDS, lambda head: _has_id(head) and _has_number(head), Certainty.POSSIBLE),
        Shape("jsonl-documents", ("documents",), _has_id, Certainty.POSSIBLE),
        Shape("jsonl-judgments", ("judgments",), lambda head: head.keys & MARKS, Certainty.MEANT),
        Shape("json-topics", ("topics",), _may_be_topics, Certainty.MEANT),
    ),
    layouts={
        "documents": jsonl_documents.LAYOUT,
        "topics": jsonl_topics.LAYOUT,
        "judgments": JSONL_LAYOUT,
        "mentions": mentions.LAYOUT,
    },
)
