"""LitSearch's schema (formats.md 2): questions with their targets, the corpus, and runs.

A run is a question's row in JSON with `retrieved`, docnos best first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, is_id, take_id, take_targets, take_text
from engines.formats.jsonl import read_objects, records_from, write_objects
from engines.formats.jsonl_documents import LAYOUT as JSONL_LAYOUT
from engines.formats.jsonl_documents import document_from, read_jsonl_documents
from engines.formats.jsonl_topics import json_topic
from engines.formats.layouts import DROPPED, KEPT, Layout, optional, required
from engines.formats.litsearch_parquet import MAGIC, read_rows
from engines.formats.mentions import mentions_from
from engines.formats.papers import FullPaper
from engines.formats.records import (
    MAX_TOPIC_LENGTH,
    BrokenFile,
    DocumentRecord,
    Problem,
    Remark,
    RunRow,
    TopicRecord,
    id_problem,
)
from engines.formats.registry import Format, Head, Shape
from engines.formats.s2orc import papers_from
from engines.formats.s2orc_spans import annotated_document
from engines.formats.trec_runs import BadRow

KIND = "question"
SOURCES = {
    "inline_acl": "inline-acl",
    "inline_nonacl": "inline-nonacl",
    "manual_acl": "author",
    "manual_iclr": "author",
}
GRADES = {"specificity": (0, 1), "quality": (0, 1, 2)}
RETRIEVED = "retrieved"

Object = tuple[int, dict[str, Any]]  # with its line


def read_litsearch_queries(
    stream: BinaryIO, file: str, *, text_from: str = ""
) -> Iterator[TopicRecord | Problem | Remark]:
    """Yield the questions as topics: targets from `corpusids`, specificity, quality and query_set in `extra`.

    A question is named by its `number`, which Litmus writes, else by its row, from 0. A parquet file is known by its
    first bytes; one of other columns is read as topics by their names. `text_from` as in `topic_from`.
    """
    if not is_parquet(stream):
        return _topics(read_objects(stream, file), file, text_from)
    rows = read_rows(stream, file, "topics")
    first = next(rows, None)
    rows = chain([first] if first else [], rows)
    if first and not {"query_set", "corpusids"} & first[1].keys():
        return records_from(rows, file, partial(json_topic, text_from=text_from))
    return _topics(rows, file, text_from)


def _topics(objects: Iterable[Object | Problem], file: str, text_from: str) -> Iterator[TopicRecord | Problem | Remark]:
    dropped: dict[str, None] = {}
    yield from records_from(_numbered(objects), file, partial(_topic, text_from=text_from, dropped=dropped))
    if dropped:
        names = ", ".join(dropped)
        yield Remark(file, 0, f"documents that a system found are not read with topics ({names}); import them as runs")


def is_parquet(stream: BinaryIO) -> bool:
    """Whether a buffered stream begins as parquet files do."""
    peek = getattr(stream, "peek", None)
    return peek is not None and peek(len(MAGIC))[: len(MAGIC)] == MAGIC


def _numbered(objects: Iterable[Object | Problem]) -> Iterator[Object | Problem]:
    """The objects; one without a `number` gets the number of its row. Rows that cannot be read are counted too."""
    for row, found in enumerate(objects):
        if not isinstance(found, Problem) and found[1].get("number") is None:
            found[1]["number"] = row
        yield found


def _topic(item: dict[str, Any], file: str, line: int, *, text_from: str, dropped: dict[str, None]) -> TopicRecord:
    if text_from not in ("", "query"):
        raise FieldError("is a question of LitSearch, whose text is its query")
    number = take_id(item, ("number",))
    if reason := id_problem(number, MAX_TOPIC_LENGTH):
        raise FieldError(reason)
    text = take_text(item, ("query",))
    if not text.strip():
        raise FieldError(f"question {number} has no text")
    for name, grades in GRADES.items():
        value = item.get(name)
        if value is not None and (isinstance(value, bool) or value not in grades):
            raise FieldError(f"{name} is {value!r}; one of {', '.join(map(str, grades))} is expected")
    targets = take_targets(item, ("corpusids", "docnos"))
    for name in (RETRIEVED, "pre_reranked", "original_retrieved"):
        if item.pop(name, None) is not None:
            dropped[name] = None
    written = item.get("query_set")
    source = SOURCES.get(written, written) if isinstance(written, str) else ""
    title, narrative = take_text(item, ("title",)), take_text(item, ("narrative",))
    return TopicRecord(
        number, title, text, narrative, kind=KIND, source=source, file=file, line=line, targets=targets, extra=item
    )


def write_litsearch_queries(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the topics in LitSearch's keys, and their number.

    The query_set is the one in `extra`, else made from the source. Whole numbers among the docnos are written as such.
    """
    return write_objects(map(query_object, topics))


def query_object(topic: TopicRecord) -> dict[str, Any]:
    """A question in LitSearch's keys; targets that are not all whole numbers stand under `docnos` instead."""
    sets = {source: name for name, source in reversed(SOURCES.items())}
    own = {
        "query_set": topic.extra.get("query_set") or sets.get(topic.source, topic.source),
        "query": topic.text,
        "specificity": topic.extra.get("specificity"),
        "quality": topic.extra.get("quality"),
        **_targets(topic.targets),
        "number": topic.number,
    }
    own |= {"title": topic.title} if topic.title not in ("", topic.text) else {}
    own |= {"narrative": topic.narrative} if topic.narrative else {}
    return own | {key: value for key, value in topic.extra.items() if key not in own}


def _targets(docnos: Sequence[str]) -> dict[str, Any]:
    whole = [_number(docno) for docno in docnos]
    return {"docnos": list(docnos)} if any(isinstance(docno, str) for docno in whole) else {"corpusids": whole}


def _number(docno: str) -> int | str:
    """Return a docno as the whole number it is, if it is written as one and comes back the same."""
    return int(docno) if docno.isascii() and docno.isdigit() and len(docno) < 18 and str(int(docno)) == docno else docno


def read_litsearch_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem | Remark]:
    """Yield the rows of `corpus_clean`, and of `corpus_s2orc` as parquet; citations are docnos in `extra`.

    Of what the full text of corpus_s2orc is annotated with, only what documents have is kept.
    """
    if is_parquet(stream):
        return records_from(read_rows(stream, file, "documents"), file, _parquet_document)
    return read_jsonl_documents(stream, file)


def read_litsearch_papers(stream: BinaryIO, file: str) -> Iterator[FullPaper | Problem]:
    """Yield the papers of `corpus_s2orc` as parquet, with paragraphs, markers and references of their full texts."""
    return papers_from(read_rows(stream, file, "mentions"), file)


def _parquet_document(item: dict[str, Any], file: str, line: int) -> DocumentRecord:
    return annotated_document(item, file, line) if "content" in item else document_from(item, file, line)


def read_litsearch_run(stream: BinaryIO, file: str) -> Iterator[RunRow | BadRow | Problem]:
    """Yield a row for each retrieved document; scores fall from the list's length to 1, since the file has none.

    A question is named by its `number`, else by its row, from 0; the run by the name of its file. Errors: BrokenFile
    for a document that occurs twice in a list.
    """
    tag = "".join(PurePath(file).name.partition(".")[0].split()) or "run"
    for row, found in enumerate(read_objects(stream, file)):
        if isinstance(found, Problem):
            yield found
            continue
        line, item = found
        topic = str(row)
        try:
            topic = take_id(item, ("number",)) if item.get("number") is not None else topic
            docnos = _docnos(item)
        except FieldError as error:
            yield BadRow(file, line, str(error), topic)
            continue
        if len(set(docnos)) < len(docnos):
            twice = next(docno for place, docno in enumerate(docnos) if docno in docnos[:place])
            raise BrokenFile(file, line, f"document {twice} is ranked twice for question {topic}")
        for rank, docno in enumerate(docnos, 1):
            yield RunRow(topic, docno, rank, float(len(docnos) - rank + 1), tag, file, line)


def _docnos(item: dict[str, Any]) -> list[str]:
    found = item.get(RETRIEVED)
    if not isinstance(found, list):
        raise FieldError(f"`{RETRIEVED}` is not a list of documents")
    for each in found:
        if not is_id(each):
            raise FieldError(f"`{RETRIEVED}` holds {str(each)[:40]!r}, which is not a document id")
    docnos = list(map(str, found))
    if reason := next(filter(None, map(id_problem, docnos)), ""):
        raise FieldError(reason)
    return docnos


def _is_corpus(head: Head) -> bool:
    return head.has_keys({"corpusid", "title", "full_paper"}, {"corpusid", "title", "citations"})


_DOCUMENTS = Layout(
    '{"corpusid": 11, "title": "Hearing of owls", "abstract": "Owls hear well.", "citations": [12], "full_paper": ""}\n'
    '{"corpusid": 12, "title": "Wings of moths", "abstract": "Moths are quiet.", "citations": [], "full_paper": ""}\n',
    (
        *JSONL_LAYOUT.fields,
        optional("content", "of corpus_s2orc: the full text, and annotations with the places of its parts"),
        optional("externalids", "of corpus_s2orc: object with doi, arxiv, acl and others"),
    ),
    f"As parquet, these are the columns. {KEPT}",
)
_TOPICS = Layout(
    '{"query_set": "manual_acl", "query": "Which paper is on owls?", "specificity": 1, "corpusids": [11]}\n'
    '{"query_set": "inline_acl", "query": "Are there papers on moths?", "specificity": 0, "corpusids": [12]}\n',
    (
        required("query", "the question"),
        optional("number", "the topic's number; without it, the number of the row, from 0"),
        optional("query_set", "inline_acl, inline_nonacl, manual_acl or manual_iclr"),
        optional("specificity", "0 broad, 1 specific"),
        optional("quality", "0, 1 or 2"),
        optional(("corpusids", "docnos"), "list of ids of documents known to be relevant"),
    ),
    f"As parquet, these are the columns. {KEPT}",
)
_MENTIONS = Layout(
    fields=(
        required("corpusid", "the citing paper's id"),
        required("content", "its text, and annotations with the places of paragraphs, bibref and bibentry"),
        optional("externalids", "object with doi, arxiv, acl and others"),
    ),
    note="corpus_s2orc as parquet, as stored on the hub: these are its columns. Parquet is not text, so there are no"
    " lines to copy; its rows as JSON Lines are read as S2ORC.",
)
_RUNS = Layout(
    '{"query_set": "manual_acl", "query": "Which paper is on owls?", "retrieved": [11, 12]}\n'
    '{"query_set": "inline_acl", "query": "Are there papers on moths?", "retrieved": [12, 11]}\n',
    (
        required(RETRIEVED, "list of ids of documents, best first"),
        optional("number", "the topic's number; without it, the number of the row, from 0"),
    ),
    f"The file's name is the name of the run. {DROPPED}",
)

LITSEARCH = Format(
    name="litsearch",
    label="LitSearch",
    help="Questions with their targets and corpus_clean as JSON Lines or parquet; corpus_s2orc as parquet; runs with "
    "“retrieved”.",
    reads={
        "documents": read_litsearch_documents,
        "topics": read_litsearch_queries,
        "runs": read_litsearch_run,
        "mentions": mentions_from(read_litsearch_papers),
    },
    writes={"topics": write_litsearch_queries},
    shapes=(
        Shape(
            "parquet",
            ("topics", "documents", "mentions"),
            lambda head: head.data.startswith(MAGIC),
            is_binary=True,
            label="parquet",
        ),
        Shape("litsearch-run", ("topics", "runs"), lambda head: head.has_keys({"query", RETRIEVED})),
        Shape("litsearch-queries", ("topics",), lambda head: head.has_keys({"query_set"}, {"query", "corpusids"})),
        Shape("litsearch-corpus", ("documents",), _is_corpus),
    ),
    layouts={"documents": _DOCUMENTS, "topics": _TOPICS, "runs": _RUNS, "mentions": _MENTIONS},
)
