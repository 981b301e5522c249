"""DORIS-MAE as a format: the large JSON file and `queries.txt` (formats.md 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from engines.formats.doris_json import (
    KEYS,
    LABEL,
    read_doris_documents,
    read_doris_judgments,
    read_doris_pools,
    read_doris_topics,
)
from engines.formats.doris_queries import read_doris_queries, write_doris_queries
from engines.formats.layouts import DROPPED, KEPT, Layout, optional, required
from engines.formats.records import Problem, TopicRecord
from engines.formats.registry import Format, Head, Shape

_BLOCK = re.compile(r"query:\s*\d+\s*\n").match

_TEXTS = '"aspect_id2aspect": {"0": "The paper is on owls."}'
_QUERY = '{"Query": [{"query_text": "I need owls.", "candidate_pool": [0], "aspects": {"0": []}}]'
_DOCUMENTS = Layout(
    '{"Corpus": [{"title": "Hearing of owls", "original_abstract": "Owls hear well.", "abstract_id": 0},\n'
    '{"title": "Wings of moths", "original_abstract": "Moths are quiet.", "abstract_id": 1}]}\n',
    (
        required("Corpus", "list of abstracts; the place in it, from 0, is the document's id"),
        optional("title", "title; a document has a title or an abstract"),
        optional(("original_abstract", "abstract"), "abstract"),
        optional("abstract_id", "the place in the list"),
        optional("url", "address"),
        optional("outgoing_citations", "list of places of cited documents"),
        optional("incoming_citations", "list of places of citing documents"),
    ),
    KEPT,
)
_TOPICS = Layout(
    "Query: 0\n\nI need owls.\n\nAspects:\n\n1. The paper is on owls.\n\ta. Their hearing.\n" + "=" * 50 + "\n",
    (
        required("Query", "number of the query, then its sentences, one a line; in JSON the list of queries"),
        required("Aspects", "numbered aspects, each followed by its sub-aspects with letters"),
        optional("query_text", "in JSON: the text; the query's place, from 0, is the topic's number"),
        optional("query_type", "in JSON: what the query is about"),
        optional("aspects", "in JSON: object of the ids of aspects, each with the ids of its sub-aspects"),
        optional("aspect_id2aspect", "in JSON: object of the texts of aspects by id"),
        optional("aspect_id2sent", "in JSON: object of the sentences that an aspect comes from"),
        optional("sent2aspect_id", "in JSON: object of the aspects that a sentence mentions"),
        optional(("candidate_pool", "idea_from"), "in JSON: lists of places of documents"),
    ),
    "Other fields of the JSON are kept with the topic.",
)
_POOL = Layout(
    '{"Query": [{"query_text": "I need owls.", "candidate_pool": [0, 1]},\n'
    '{"query_text": "I need moths.", "candidate_pool": [1]}]}\n',
    (
        required("Query", "list of queries; the place in it, from 0, is the topic's number"),
        required("candidate_pool", "list of places of documents"),
    ),
    DROPPED,
)
_JUDGMENTS = Layout(
    f'{_QUERY}, {_TEXTS},\n"Annotation": [{{"aspect_id": "0", "abstract_id": 0, "score": 2}}]}}\n',
    (
        required("Query", "list of queries with their aspects and candidate_pool"),
        required("aspect_id2aspect", "object of the texts of aspects by id"),
        required("Annotation", "list of judgments of a machine"),
        required("aspect_id", "id of the aspect"),
        required("abstract_id", "place of the document"),
        required("score", "0, 1 or 2; -1 is an answer that could not be read"),
        optional("gpt_response", "the machine's reply"),
    ),
    DROPPED,
)


def _read_topics(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Read the queries from `queries.txt` or from the large JSON file, whichever this is."""
    is_json = stream.peek(64).lstrip().startswith(b"{")  # type: ignore[attr-defined]
    return read_doris_topics(stream, file) if is_json else read_doris_queries(stream, file)


def _is_json(head: Head) -> bool:
    return bool(head.keys & KEYS)


DORIS_MAE = Format(
    name="doris-mae",
    label=LABEL,
    help="Its large JSON file, with queries, abstracts, pools and annotations, or queries.txt.",
    reads={
        "documents": read_doris_documents,
        "topics": _read_topics,
        "pool": read_doris_pools,
        "judgments": read_doris_judgments,
    },
    writes={"topics": write_doris_queries},
    shapes=(
        Shape("doris-mae-json", ("documents", "topics", "pool", "judgments"), _is_json),
        Shape("doris-mae", ("topics",), lambda head: _BLOCK(head.marks)),
    ),
    layouts={"documents": _DOCUMENTS, "topics": _TOPICS, "pool": _POOL, "judgments": _JUDGMENTS},
)
