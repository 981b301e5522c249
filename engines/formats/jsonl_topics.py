"""Topics as JSON Lines: Litmus' own and BEIR's `queries.jsonl`.

    {"number": "1", "title": "", "text": "I need A. I need B.", "kind": "complex-query", "sentences": ["I need A.",
     "I need B."], "aspects": [{"text": "A", "sentences": [0], "aspects": [{"text": "first half of A"}]}, "B"]}

An aspect is a text or an object of text, aspects (also named children or sub_aspects) and sentences (0-based places);
`spoken_in` are the places of the sentences that speak of it, where these are not the ones it comes from.
Aspects have at most two levels: aspect and sub-aspect. `targets` and `source_papers` are lists of docnos.
`category` is what the query is about; it is kept and written as DORIS-MAE's `query_type`. Unknown keys are kept in
`extra`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, take_first, take_id, take_targets, take_text, take_texts
from engines.formats.jsonl import read_objects, records_from, write_objects
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.records import MAX_TOPIC_LENGTH, AspectRecord, Problem, TopicRecord, id_problem

ID_KEYS = ("number", "_id", "id", "query_id", "qid", "topic")
TEXT_KEYS = ("text", "description", "query", "question")
MAX_LEVELS = 2
# As Litmus writes them.
FIELDS = ("number", "title", "text", "narrative", "kind", "source", "sentences", "aspects", "targets")
_CHILD_KEYS = ("aspects", "children", "sub_aspects", "subaspects")
_TARGET_KEYS = ("targets", "corpusids")

LAYOUT = Layout(
    '{"number": "1", "title": "Owl hearing", "text": "How do owls hear?", "targets": ["10.1145/1"]}\n'
    '{"number": "2", "title": "Moth wings", "text": "Why are moths quiet?", "aspects": ["Wings", "Flight"]}\n',
    (
        required(ID_KEYS, "the topic's number or name, unique in the collection"),
        required(TEXT_KEYS, "what is searched for; without it, the sentences or the title serve"),
        optional("title", "short title"),
        optional("narrative", "what counts as relevant"),
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


def read_jsonl_topics(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Return one topic for each line, or a `Problem` for a line that is none."""
    return records_from(read_objects(stream, file), file, _topic)


def _topic(item: dict[str, Any], file: str, line: int) -> TopicRecord:
    number = take_id(item, ID_KEYS)
    if reason := id_problem(number, MAX_TOPIC_LENGTH):
        raise FieldError(reason)
    title, text = take_text(item, ("title",)), take_text(item, TEXT_KEYS)
    sentences = take_texts(item, ("sentences",), split="\n")
    text = text or " ".join(sentences) or title
    if not text.strip():
        raise FieldError(f"topic {number} has no text")
    aspects = _aspects(take_first(item, _CHILD_KEYS)[1], number, len(sentences))
    if papers := take_targets(item, ("source_papers",)):
        item["idea_from"] = list(papers)
    if isinstance(item.get("category"), str) and (category := item.pop("category")):
        item["query_type"] = category
    author = item.get("author")  # stays in `extra` too, which exports write back
    return TopicRecord(
        number,
        title,
        text,
        take_text(item, ("narrative",)),
        take_text(item, ("kind",)),
        take_text(item, ("source",)),
        sentences,
        aspects,
        file,
        line,
        take_targets(item, _TARGET_KEYS),
        item,
        author if isinstance(author, str) else "",
    )


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
    """Yield BEIR's `queries.jsonl`: _id and text."""
    return write_objects({"_id": topic.number, "text": topic.text} for topic in topics)
