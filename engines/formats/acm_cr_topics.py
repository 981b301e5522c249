"""Topics and qrels from citation contexts, by the rules of ACM-CR's release.

A reference is in the collection if its value equals a docno exactly. A context becomes a topic if any of its
sentences cites such a reference, a sentence if it does so itself. Two contexts of a paper that share an id make two
topics with one number; `merged_qrels` gives each judgment of such a number once.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from engines.formats.acm_cr import AnnotatedPaper, CitingSentence
from engines.formats.records import QrelRow, TopicRecord

PARAGRAPH, SENTENCE = "context-paragraph", "context-sentence"
_DIGITS = 6


def paragraph_topics(
    papers: Iterable[AnnotatedPaper], collection: Container[str]
) -> Iterator[tuple[TopicRecord, list[QrelRow]]]:
    """Yield a topic for each context that cites the collection, with its qrels.

    Its number is the tail of the DOI and the context's id. Where a paper gives an id twice (the release has such a
    paper) two topics share a number, and the writer should merge their qrels.
    """
    for paper in papers:
        for context in paper.contexts:
            topic = _topic(f"{paper.tail}{context.number}", paper, context.text, PARAGRAPH)
            if rows := _rows(topic.number, paper, context.sentences, collection):
                yield topic, rows


def sentence_topics(
    papers: Iterable[AnnotatedPaper], collection: Container[str], *, first_number: int = 0
) -> Iterator[tuple[TopicRecord, list[QrelRow]]]:
    """Yield a topic for each sentence that cites the collection, with its qrels.

    Its number is the first six digits of the DOI's tail and a running number over all of them, from `first_number`.
    """
    running = first_number
    for paper in papers:
        for context in paper.contexts:
            for sentence in context.sentences:
                topic = _topic(f"{paper.tail[:_DIGITS]}{running}", paper, sentence.text, SENTENCE)
                if rows := _rows(topic.number, paper, (sentence,), collection):
                    running += 1
                    yield topic, rows


def merged_qrels(topics: Iterable[tuple[TopicRecord, list[QrelRow]]]) -> Iterator[QrelRow]:
    """Yield the qrels of topics, each (number, document) once; topics of equal numbers must be of one paper."""
    paper, seen = "", set[tuple[str, str]]()
    for topic, rows in topics:
        if topic.file != paper:
            paper, seen = topic.file, set()
        for row in rows:
            if (row.topic, row.docno) not in seen:
                seen.add((row.topic, row.docno))
                yield row


def _topic(number: str, paper: AnnotatedPaper, text: str, kind: str) -> TopicRecord:
    return TopicRecord(number, paper.title, text, kind=kind, file=paper.file)


def _rows(
    number: str, paper: AnnotatedPaper, sentences: Iterable[CitingSentence], collection: Container[str]
) -> list[QrelRow]:
    """One row for each document cited, at the first reference number that names it."""
    rows: dict[str, QrelRow] = {}
    for sentence in sentences:
        for cite in sentence.cites:
            docno = paper.references.get(cite)
            if docno is not None and docno not in rows and docno in collection:
                rows[docno] = QrelRow(number, cite, docno, 1, paper.file)
    return list(rows.values())
