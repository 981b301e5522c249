"""Papers that came as text (TEI, S2ORC), brought to what is known of those read from PDF files."""

from __future__ import annotations

from dataclasses import replace

from corpus.extraction.anonymise import Anonymiser
from corpus.extraction.flow import part_of
from corpus.extraction.layout import heading_number, plain_heading
from corpus.extraction.sentences import sentence_spans
from corpus.formats.paper_json import reference_numbers
from corpus.formats.papers import FullPaper, Paragraph, Sentence, cited_sentences


def complete(paper: FullPaper) -> FullPaper:
    """Return the paper with the part each paragraph belongs to, its sentences, and proposals to anonymise them.

    What the source says already stays. A subsection ("2.1") is of the part of the section above it.
    """
    keys = [reference.key for reference in paper.references]
    numbers = dict(zip(keys, reference_numbers(paper.references), strict=True))
    anonymiser = Anonymiser({reference.key: reference for reference in paper.references}, numbers)
    parts: dict[str, str] = {}
    done = [_completed(paragraph, parts, anonymiser) for paragraph in paper.paragraphs]
    return replace(paper, paragraphs=tuple(done))


def _completed(paragraph: Paragraph, parts: dict[str, str], anonymiser: Anonymiser) -> Paragraph:
    number = (paragraph.number or heading_number(paragraph.section)).rstrip(".")
    top = number.partition(".")[0]
    own = part_of(plain_heading(paragraph.section))
    if number and number == top:
        parts.setdefault(top, own)
    part = paragraph.part or own or (parts.get(top, "") if number else "")
    if paragraph.kind != "paragraph":
        return replace(paragraph, part=part)
    found = paragraph.sentences or cited_sentences(sentence_spans(paragraph.text), paragraph.markers)
    return replace(paragraph, part=part, sentences=tuple(_proposed(each, paragraph, anonymiser) for each in found))


def _proposed(sentence: Sentence, paragraph: Paragraph, anonymiser: Anonymiser) -> Sentence:
    return sentence if sentence.anonymised else anonymiser.proposal(sentence, paragraph.text, paragraph.markers)
