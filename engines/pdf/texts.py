"""Papers and sentences that came as text, brought to what is known of those read from PDF files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engines.formats.acm_cr import AnnotatedPaper
from engines.formats.characters import with_carriable_texts
from engines.formats.papers import FullPaper, Paragraph, Reference, Sentence, cited_sentences
from engines.pdf.anonymise import Anonymiser
from engines.pdf.headings import heading_number
from engines.pdf.markers import AuthorYears, author_year_markers, numeric_markers
from engines.pdf.sections import with_parts
from engines.pdf.sentences import sentence_spans


def completed(paper: AnnotatedPaper | FullPaper) -> AnnotatedPaper | FullPaper:
    """The paper with texts that files can carry; one that came as text gets the data that PDF files are parsed for."""
    if isinstance(paper, AnnotatedPaper):
        return paper
    paper = with_carriable_texts(paper)
    return paper if paper.pages else complete(paper)


def complete(paper: FullPaper) -> FullPaper:
    """Return the paper with the part each paragraph belongs to, its sentences, and proposals to anonymise them.

    Sections are recognised by their numbers ("2.1" is in "2"); in a paper without numbers each heading is a section.
    """
    anonymiser = Anonymiser({reference.key: reference for reference in paper.references}, paper.numbers)
    placed = [_with_sentences(each) for each in _with_tops(paper.paragraphs)]
    return replace(paper, paragraphs=tuple(_proposed(each, anonymiser) for each in with_parts(placed)))


def _with_tops(paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """The paragraphs with the top-level section that each stands in."""
    top, last = "", ""
    is_numbered = any(_number(each) for each in paragraphs)
    for each in paragraphs:
        first = _number(each).partition(".")[0]
        if first != last if first else not is_numbered:
            top = each.section
        last = first or last
        yield replace(each, top=top)


def _number(paragraph: Paragraph) -> str:
    return (paragraph.number or heading_number(paragraph.section)).rstrip(".")


def _with_sentences(paragraph: Paragraph) -> Paragraph:
    if paragraph.kind != "paragraph" or paragraph.sentences:
        return paragraph
    return replace(paragraph, sentences=cited_sentences(sentence_spans(paragraph.text), paragraph.markers))


def _proposed(paragraph: Paragraph, anonymiser: Anonymiser) -> Paragraph:
    sentences = (
        each if each.anonymised else anonymiser.proposal(each, paragraph.text, paragraph.markers)
        for each in paragraph.sentences
    )
    return replace(paragraph, sentences=tuple(sentences))


def read_sentence(text: str, references: Sequence[Reference]) -> Sentence:
    """Return a text that somebody typed as one sentence, with its citations and a proposal without names.

    Numbers in brackets cite where there are any, else names with years.
    """
    known = {reference.key: reference for reference in references}
    markers = numeric_markers(text, known) or author_year_markers(text, AuthorYears(references))
    cites = tuple(key for marker in markers for key in marker.keys)
    return Anonymiser(known).proposal(Sentence(0, len(text), cites), text, markers)
