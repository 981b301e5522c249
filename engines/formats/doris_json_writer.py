"""Write `DORIS-MAE_dataset_v1.json` as a stream; what it says and what not is in `engines.formats.doris_json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engines.formats.doris_json import SCORES
from engines.formats.records import DocumentRecord, JudgmentRow, TopicRecord
from engines.formats.repeats import SeenIds

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def write_doris_json(
    topics: Sequence[TopicRecord],
    docnos: Sequence[str],
    documents: Iterable[DocumentRecord],
    judgments: Iterable[JudgmentRow],
) -> Iterator[str]:
    """Yield the file piece by piece; documents and judgments are streamed, in memory are topics and docnos only.

    Abstracts are numbered as `docnos` lists them, which is the order `documents` must come in, and keep their docno
    under `docno`; topics are numbered in the order they are given. A topic's pool and source papers are the docnos
    in `extra["candidate_pool"]` and `["idea_from"]`, a document's citations those in `extra["citations"]` and
    `["cited_by"]`; docnos that are not listed are left out of all of these.

    Raises `ValueError` for documents in another order, for a judgment whose document, aspect or score the format
    lacks, and for two scores of one aspect and document.
    """
    texts = dict.fromkeys(text for topic in topics for text in topic.item_texts())
    aspect_ids = {text: str(number) for number, text in enumerate(texts)}
    places = {docno: number for number, docno in enumerate(docnos)}
    yield '{"aspect_id2aspect": ' + _encode({number: text for text, number in aspect_ids.items()})
    yield ', "aspect2aspect_id": ' + _encode(aspect_ids)
    yield ', "Query": ['
    yield from _separated(_query(topic, aspect_ids, places) for topic in topics)
    yield '], "Corpus": ['
    yield from _separated(_abstracts(documents, docnos, places))
    yield '], "Annotation": ['
    yield from _separated(_annotations(judgments, aspect_ids, places))
    yield "]}\n"


def _separated(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    for number, item in enumerate(items):
        yield (",\n" if number else "\n") + _encode(item)


def _abstracts(
    documents: Iterable[DocumentRecord], docnos: Sequence[str], places: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    count = 0
    for document in documents:
        if count >= len(docnos) or document.docno != docnos[count]:
            raise ValueError(f"document {document.docno} is not number {count} of the list of docnos")
        yield {
            "title": document.title,
            "original_abstract": document.abstract,
            "url": document.url,
            "abstract_id": count,
            "docno": document.docno,
            "ss_id": document.extra.get("ss_id", ""),
            "categories": document.extra.get("categories", []),
            "incoming_citations": _numbers(document.extra, "cited_by", places),
            "outgoing_citations": _numbers(document.extra, "citations", places),
        }
        count += 1
    if count < len(docnos):
        raise ValueError(f"document {docnos[count]} is listed, but did not come")


def _numbers(extra: Mapping[str, Any], name: str, places: Mapping[str, int]) -> list[int]:
    return [places[docno] for docno in extra.get(name, ()) if docno in places]


def _query(topic: TopicRecord, aspect_ids: Mapping[str, str], places: Mapping[str, int]) -> dict[str, Any]:
    tree: dict[str, list[str]] = {}
    by_aspect: dict[str, list[str]] = {}
    by_sentence: dict[str, list[str]] = {sentence: [] for sentence in topic.sentences}
    for aspect in topic.aspects:
        number = aspect_ids[aspect.text]
        sentences = [topic.sentences[place] for place in aspect.sentences]
        _extend(tree.setdefault(number, []), (aspect_ids[child.text] for child in aspect.children))
        _extend(by_aspect.setdefault(number, []), sentences)
        for place in aspect.speaking:
            _extend(by_sentence[topic.sentences[place]], [number])
    return {
        "query_text": topic.text,
        "query_type": topic.extra.get("query_type", ""),
        "idea_from": _numbers(topic.extra, "idea_from", places),
        "candidate_pool": _numbers(topic.extra, "candidate_pool", places),
        "aspects": tree,
        "aspect_id2sent": by_aspect,
        "sent2aspect_id": by_sentence,
    }


def _extend(known: list[str], more: Iterable[str]) -> None:
    known += [text for text in dict.fromkeys(more) if text not in known]


def _annotations(
    rows: Iterable[JudgmentRow], aspect_ids: Mapping[str, str], places: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    """An annotation serves every query that has the aspect: equal ones are written once."""
    pairs, scores = SeenIds(), SeenIds()
    for row in rows:
        item = _annotation(row, aspect_ids, places)
        pair = f"{item['aspect_id']} {item['abstract_id']}"
        is_new_score = scores.add(f"{pair} {item['score']}")
        if pairs.add(pair):
            yield item
        elif is_new_score:
            raise ValueError(f"document {row.docno} has two scores for the aspect {row.aspect!r}; decide on one first")


def _annotation(row: JudgmentRow, aspect_ids: Mapping[str, str], places: Mapping[str, int]) -> dict[str, Any]:
    if row.docno not in places or row.aspect not in aspect_ids:
        raise ValueError(f"document {row.docno} or aspect {row.aspect!r} of a judgment is not in the export")
    if row.value not in map(str, SCORES):
        raise ValueError(f"the value {row.value} is none of {', '.join(map(str, SCORES))}")
    written = {"aspect_id": aspect_ids[row.aspect], "abstract_id": places[row.docno], "score": int(row.value)}
    return {**written, "gpt_response": row.said} if row.said else written
