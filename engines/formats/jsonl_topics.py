"""Topics as JSON: Litmus' own lines, BEIR's `queries.jsonl`, and the objects of others by the names of `topic_fields`.

    {"number": "1", "title": "", "text": "I need A. I need B.", "kind": "complex-query", "sentences": ["I need A.",
     "I need B."], "aspects": [{"text": "A", "sentences": [0], "aspects": [{"text": "first half of A"}]}, "B"]}

An aspect is a text or an object of text, aspects (also named children or sub_aspects) and sentences (0-based places);
`spoken_in` are the places of the sentences that speak of it, where these are not the ones it comes from.
Aspects have at most two levels: aspect and sub-aspect. `targets` and `source_papers` are lists of docnos.
`category` is what the query is about; it is kept and written as DORIS-MAE's `query_type`. Unknown keys are kept in
`extra`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, take_first, take_targets, take_text, take_texts
from engines.formats.json_objects import read_any_objects
from engines.formats.jsonl import records_from, write_objects
from engines.formats.layouts import KEPT, Layout, optional
from engines.formats.records import AspectRecord, Problem, Remark, TopicRecord
from engines.formats.topic_fields import (
    FIELDS_READ,
    TITLE_ORDER,
    is_number_name,
    is_published,
    is_text_name,
    meaning_of,
    topic_from,
)

MAX_LEVELS = 2
# As Litmus writes them.
FIELDS = ("number", "title", "text", "narrative", "kind", "source", "sentences", "aspects", "targets")
_OWN = ("kind", "source", "sentences", "aspects", "targets", "source_papers", "category", "author", "metadata")
_BEFORE_SENTENCES = ("text", "question", "description", "query")  # texts that count more than the join of sentences
_TRANSLATIONS = ("topics", "topic", "queries", "query")
_CHILD_KEYS = ("aspects", "children", "sub_aspects", "subaspects")
_TARGET_KEYS = ("targets", "corpusids")
# What `topic_from` does not know: other fields are its own, as long as their values are texts and numbers.
_SPECIAL = frozenset({*_OWN, *_CHILD_KEYS, *_TARGET_KEYS})
_PLAIN = frozenset({str, int, float})

LAYOUT = Layout(
    '{"number": "1", "title": "Owl hearing", "text": "How do owls hear?", "targets": ["10.1145/1"]}\n'
    '{"number": "2", "title": "Moth wings", "text": "Why are moths quiet?", "aspects": ["Wings", "Flight"]}\n',
    (
        *FIELDS_READ,
        optional("kind", "question, complex-query, context-paragraph or context-sentence"),
        optional("source", "where the topic comes from, such as inline-acl or author"),
        optional("category", "what the topic is about"),
        optional("author", "who asked"),
        optional("sentences", "list of the text's sentences"),
        optional(_CHILD_KEYS, "list of aspects, each a text or an object with text, aspects, sentences and spoken_in"),
        optional(_TARGET_KEYS, "list of ids of documents known to be relevant"),
        optional("source_papers", "list of ids of documents that the topic was written from"),
    ),
    KEPT,
)


def read_jsonl_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem | Remark]:
    """Return one topic for each object, or a `Problem` for one that is none; `text_from` as in `topic_from`."""
    objects = read_any_objects(stream, file, is_known, is_topic, "topics")
    return records_from(objects, file, partial(json_topic, text_from=text_from))


def is_known(name: str) -> bool:
    """Whether a topic has such a field."""
    return is_number_name(name) or is_text_name(name) or name in _OWN


def is_topic(names: Collection[str]) -> bool:
    """Whether an object with these fields has a number and a text under any name, and is no publication."""
    return any(map(is_number_name, names)) and any(map(is_text_name, names)) and not is_published(names)


def json_topic(item: dict[str, Any], file: str, line: int, *, text_from: str = "") -> TopicRecord:
    """The topic that an object or a row of a table of columns is. Errors: FieldError."""
    if _SPECIAL.isdisjoint(item) and _PLAIN.issuperset(map(type, item.values())):
        return topic_from(item, file, line, text_from=text_from)
    sentences = take_texts(item, ("sentences",), split="\n")
    aspects = take_first(item, _CHILD_KEYS)[1]
    papers = take_targets(item, ("source_papers",))
    known: dict[str, Any] = {name: take_text(item, (name,)) for name in ("kind", "source")}
    known |= {"targets": take_targets(item, _TARGET_KEYS), "sentences": sentences}
    author = item.get("author")  # stays in `extra` too, which exports write back
    _take_from_metadata(item)
    if not _has_text(item):
        _take_from_translations(item)
    if sentences and text_from:
        raise FieldError("has sentences, which make its text; no other field can become it")
    if sentences and not _has_text(item):
        item["text"] = " ".join(sentences)
    topic = topic_from(item, file, line, text_from=text_from, author=author if isinstance(author, str) else "", **known)
    if papers:
        topic.extra["idea_from"] = list(papers)
    if isinstance(topic.extra.get("category"), str) and (category := topic.extra.pop("category")):
        topic.extra["query_type"] = category
    found = _aspects(aspects, topic.number, len(sentences))
    return replace(topic, aspects=found) if found else topic


def _has_text(item: Mapping[str, Any]) -> bool:
    return any(meaning_of(name) in _BEFORE_SENTENCES and item[name] not in (None, "") for name in item)


def _take_from_metadata(item: dict[str, Any]) -> None:
    """Move BEIR's title (or query) and narrative out of `metadata`, where the query itself has none."""
    metadata = item.get("metadata")
    if not isinstance(metadata, dict):
        return
    own = {meaning_of(name) for name in item}
    taken = {name for name in metadata if meaning_of(name) in {*TITLE_ORDER, "narrative"} - own and metadata[name]}
    item |= {name: metadata[name] for name in taken}
    item["metadata"] = {name: value for name, value in metadata.items() if name not in taken}
    if not item["metadata"]:
        del item["metadata"]


def _take_from_translations(item: dict[str, Any]) -> None:
    """Copy the texts of the first of several languages (`topics` of HC4 and NeuCLIR); the list stays whole."""
    for name in _TRANSLATIONS:
        found = item.get(name)
        first = found[0] if isinstance(found, list) and found else found
        if isinstance(first, dict) and any(map(is_text_name, first)):
            item |= {key: value for key, value in first.items() if key not in item and not is_number_name(key)}
            return


def _aspects(value: object, number: str, n_sentences: int, level: int = 1) -> tuple[AspectRecord, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise FieldError(f"the aspects of topic {number} are not a list")
    if value and level > MAX_LEVELS:
        raise FieldError(f"the aspects of topic {number} are nested more than {MAX_LEVELS} levels deep")
    return tuple(_aspect(entry, number, n_sentences, level) for entry in value)


def _aspect(entry: object, number: str, n_sentences: int, level: int) -> AspectRecord:
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not entry["text"].strip():
        raise FieldError(f"an aspect of topic {number} has no text")
    places, spoken_in = entry.get("sentences") or [], entry.get("spoken_in")
    for named in (places, spoken_in or []):
        if not isinstance(named, list) or not all(_is_place(place, n_sentences) for place in named):
            raise FieldError(f"an aspect of topic {number} names a sentence that the topic does not have")
    children = next((entry[key] for key in _CHILD_KEYS if entry.get(key) is not None), None)
    below = _aspects(children, number, n_sentences, level + 1)
    return AspectRecord(entry["text"].strip(), below, tuple(places), None if spoken_in is None else tuple(spoken_in))


def _is_place(value: object, n_sentences: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n_sentences


def write_jsonl_topics(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield one line for each topic, in Litmus' own keys; with the `extra` keys."""
    return write_objects(map(_object_from, topics))


def _object_from(topic: TopicRecord) -> dict[str, Any]:
    own = {name: getattr(topic, name) for name in FIELDS}
    own["aspects"] = [_aspect_object(aspect) for aspect in topic.aspects]
    return own | {key: value for key, value in topic.extra.items() if key not in own}


def _aspect_object(aspect: AspectRecord) -> dict[str, Any]:
    written: dict[str, Any] = {"text": aspect.text}
    if aspect.sentences:
        written["sentences"] = list(aspect.sentences)
    if aspect.spoken_in is not None:
        written["spoken_in"] = list(aspect.spoken_in)
    if aspect.children:
        written["aspects"] = [_aspect_object(child) for child in aspect.children]
    return written


def write_beir_queries(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield BEIR's `queries.jsonl`: _id, text, and what else annotators read of a topic in `metadata`."""
    return write_objects(map(_beir_query, topics))


def _beir_query(topic: TopicRecord) -> dict[str, Any]:
    others = {"title": topic.title if topic.title != topic.text else "", "narrative": topic.narrative}
    metadata = topic.extra.get("metadata")
    metadata = (metadata if isinstance(metadata, dict) else {}) | {name: text for name, text in others.items() if text}
    return {"_id": topic.number, "text": topic.text} | ({"metadata": metadata} if metadata else {})
