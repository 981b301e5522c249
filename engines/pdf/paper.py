"""A PDF file to a paper: pages, lines, blocks, references, markers, sentences, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pypdfium2

from engines.formats.dois import distinct, is_of_data, is_placeholder, readings
from engines.formats.papers import DOUBTFUL_DOIS, FullPaper, Marker, PageSize, Paragraph, Reference, cited_sentences
from engines.pdf.anonymise import Anonymiser
from engines.pdf.contents import drop_contents
from engines.pdf.described import bookmarks, described_authors, described_title
from engines.pdf.flow import Block, Flow, flow_of
from engines.pdf.furniture import drop_furniture
from engines.pdf.layout import Kind, chunks
from engines.pdf.lines import Line, find_gutters, page_lines
from engines.pdf.markers import AuthorYears, author_year_markers, label_markers, numbers_in, numeric_markers
from engines.pdf.measures import measure
from engines.pdf.opening import ABSTRACT
from engines.pdf.pages import PageRuns, read_pages
from engines.pdf.prose import RAISED_NUMBERS, boxes, is_note_mark, printed, prose
from engines.pdf.references import Works, raised_label, works_of
from engines.pdf.rulers import without_rulers
from engines.pdf.sections import with_parts
from engines.pdf.sentences import sentence_spans
from engines.pdf.vocabulary import Vocabulary, count_words
from engines.text.words import title_key

_CITING = (Kind.BODY, Kind.FOOTNOTE, Kind.CAPTION)


class NoText(Exception):
    """A document whose pages hold pictures but hardly a letter."""


def read_paper(document: pypdfium2.PdfDocument, vocabulary: Vocabulary, file: str) -> FullPaper:
    """Return the paper that an open PDF document holds.

    Runs unguarded: strangers' files go through `engines.pdf.worker.extract`. Raises `NoText` for scans and
    `TooMuchText`.
    """
    pages = list(read_pages(document))
    if sum(sum(map(str.isalpha, run.text)) for page in pages for run in page.runs) < 25 * len(pages):
        raise NoText
    return paper_of(pages, vocabulary, file, document.get_metadata_dict(), bookmarks(document))


def paper_of(
    read: Sequence[PageRuns],
    vocabulary: Vocabulary,
    file: str,
    described: Mapping[str, str],
    named: frozenset[str] = frozenset(),
) -> FullPaper:
    """Return the paper on these pages; `described` is the metadata of the file, `named` are sections of its outline."""
    pages = [without_rulers(page) for page in read]
    gutters = find_gutters(pages)
    lines = [page_lines(page, gutter) for page, gutter in zip(pages, gutters, strict=True)]
    measures = replace(measure([line for page in lines for line in page]), named=named)
    kept = drop_contents(drop_furniture(lines, [page.height for page in pages], measures))
    flow = flow_of(chunks((line for page in kept for line in page), measures), measures)
    own = _own_words(kept)
    works = works_of(flow.references, own, vocabulary)
    marking = _Marking(works, flow)
    dois = _dois(lines[0], flow) if lines else []
    paragraphs = [marking.paragraph(block, own, vocabulary) for block in flow.blocks]
    is_doubtful = len(dois) > 1 or any(map(is_of_data, dois))
    return FullPaper(
        title=_title(lines[0] if lines else [], described),
        abstract=ABSTRACT.sub("", prose(flow.abstract, own, vocabulary), count=1),
        authors=described_authors(lines[0] if lines else [], described),
        doi=dois[0] if dois and not is_doubtful else "",
        paragraphs=with_parts(paragraph for paragraph in paragraphs if paragraph.text),
        references=works.references,
        extra={DOUBTFUL_DOIS: dois} if is_doubtful else {},
        file=file,
        pages=tuple(PageSize(page.width, page.height) for page in pages),
    )


def _own_words(pages: Sequence[Sequence[Line]]) -> Counter[str]:
    """Count the words that no line end cuts: all but the last of a line with a hyphen and the first after it."""
    whole: list[str] = []
    is_cut = False
    for line in (line for page in pages for line in page):
        text = line.text.partition(" ")[2] if is_cut else line.text
        is_cut = line.text.endswith("-")
        whole.append(text.rpartition(" ")[0] if is_cut else text)
    return count_words(whole)


def _title(lines: Sequence[Line], described: Mapping[str, str]) -> str:
    """Return the title that the file gives if its first page prints it, else the largest lines of its upper half."""
    given, largest = described_title(lines, described), _largest(lines)
    return largest if not given or title_key(largest) == title_key(given) else given


def _largest(lines: Sequence[Line]) -> str:
    """The largest lines of the first page's upper half; text next to a title in one column is passed over."""
    upper = [line for line in lines if sum(char.isalpha() for char in line.text) > 3][:40]
    if not upper:
        return ""
    size = max(line.size for line in upper)
    first = next(place for place, line in enumerate(upper) if line.size == size)
    found: list[Line] = []
    for line in upper[first:]:
        if line.left >= upper[first].right or line.right <= upper[first].left:
            continue
        if abs(line.size - size) > 0.6 or len(found) > 5:
            break
        found.append(line)
    return prose(found, {}, {})


def _dois(lines: Sequence[Line], flow: Flow) -> list[str]:
    """Return the DOIs of the first page that stand in no reference, each once and in both readings where a line end
    leaves it open; a template's placeholder is none."""
    cited = {id(line) for line in flow.references}
    columns: dict[int, list[str]] = {}
    for line in lines:
        if id(line) not in cited:
            columns.setdefault(line.column, []).append(line.text)
    found = (doi for texts in columns.values() for reads in readings(texts) for doi in reads)
    return distinct(doi for doi in found if not is_placeholder(doi))


def _cites_raised(flow: Flow, references: Mapping[str, Reference]) -> bool:
    """Whether raised numbers cite: most of them are in the list, and they name a good part of it.

    Those that a note below the text begins with are marks of notes.
    """
    found = [
        run.text
        for block in flow.blocks
        if block.kind is Kind.BODY
        for line in block.lines
        for place, run in enumerate(line.runs)
        if RAISED_NUMBERS(run.text) and is_note_mark(line, place)
    ]
    notes = {raised_label(block.lines[0]) for block in flow.blocks if block.kind is Kind.FOOTNOTE}
    named = {number for text in found for number in numbers_in(text)} - notes
    known = named & references.keys()
    return 2 * len(known) > len(named) and len(known) >= max(0.3 * len(references), 3)


class _Marking:
    """Finds the markers of a paper in the way that it cites: by numbers, by labels, or by names and years."""

    def __init__(self, works: Works, flow: Flow) -> None:
        references = works.references
        self.works = works
        self.references = {reference.key: reference for reference in references}
        self.author_years = AuthorYears(references)
        self.anonymiser = Anonymiser(self.references)
        texts = [" ".join(line.text for line in block.lines) for block in flow.blocks]
        numbers = sum(len(numeric_markers(text, self.references)) for text in texts)
        # Names with years are looked for only where numbers do not settle it: the search is slow.
        self.is_numeric = 2 * numbers > len(references) or numbers >= sum(
            len(author_year_markers(text, self.author_years)) for text in texts
        )
        self.cites_raised = not numbers and self.is_numeric and _cites_raised(flow, self.references)

    def markers(self, text: str) -> list[Marker]:
        """Return the markers of a text in order; one that names a composite entry names all of its works."""
        if 2 * len(self.works.labels) > len(self.references):
            found = label_markers(text, self.works.labels)
        elif self.is_numeric:
            found = numeric_markers(text, self.references)
        else:
            found = author_year_markers(text, self.author_years)
        return [self._in_full(marker) for marker in found] if self.works.composites else found

    def _in_full(self, marker: Marker) -> Marker:
        keys = (all_ for key in marker.keys for all_ in self.works.composites.get(key, (key,)))
        return replace(marker, keys=tuple(dict.fromkeys(keys)))

    def paragraph(self, block: Block, own: Vocabulary, vocabulary: Vocabulary) -> Paragraph:
        """Return a block with its markers and sentences."""
        text = prose(block.lines, own, vocabulary, cites_raised=self.cites_raised)
        is_citing = block.kind in _CITING
        markers = tuple(self.markers(text)) if is_citing else ()
        spans = sentence_spans(text) if is_citing else []
        sentences = tuple(self.anonymiser.proposal(each, text, markers) for each in cited_sentences(spans, markers))
        return Paragraph(
            text, block.section, block.number, block.kind.value, markers, sentences, boxes(block.lines),
            printed=printed(block.lines), top=block.top,
        )  # fmt: skip
