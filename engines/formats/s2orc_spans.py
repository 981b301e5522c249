"""The annotated generation of S2ORC (2023 and later, LitSearch's `corpus_s2orc`): one text, spans by kind."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from engines.formats.json_fields import FieldError, is_id, take_id, take_text, take_texts, take_year
from engines.formats.jsonl import parse_list
from engines.formats.papers import FullPaper, Marker, Paragraph, Reference
from engines.formats.records import DocumentRecord, id_problem

FULL_TEXT = "fulltext"  # not a kind of S2ORC's: in files that Litmus wrote, which part of the text is the full text


@dataclass(frozen=True, slots=True)
class _Span:
    """A half-open span of the text, in code points."""

    start: int
    end: int
    attributes: dict[str, Any]


class _Text:
    """The text of a paper and its spans, decoded when they are asked for."""

    def __init__(self, content: object) -> None:
        if not isinstance(content, dict):
            raise FieldError("content is not an object")
        text = content.get("text")
        if text is not None and not isinstance(text, str):
            raise FieldError("content.text is not text")
        annotations = content.get("annotations")
        self.text = text or ""
        self.annotations = annotations if isinstance(annotations, dict) else {}
        self.strays: list[str] = []  # spans that do not fit, for people

    def spans(self, kind: str) -> list[_Span]:
        """Return the spans of a kind in order; those that do not fit the text are left out."""
        written = self.annotations.get(kind)
        if not written:
            return []
        try:
            entries = parse_list(written) if isinstance(written, str) else list(written)
        except (ValueError, TypeError, RecursionError) as error:
            raise FieldError(f"the annotation {kind!r} is not a list in JSON") from error
        spans = [span for entry in entries if (span := self.span(entry, kind))]
        return sorted(spans, key=lambda span: (span.start, span.end))

    def span(self, entry: object, kind: str) -> _Span | None:
        try:
            start, end = int(entry["start"]), int(entry["end"])  # type: ignore[index]
        except (KeyError, ValueError, TypeError, IndexError):
            start = end = -1
        if not 0 <= start < end <= len(self.text):
            self.strays.append(f"the {kind} {entry!r:.80} does not fit the text of {len(self.text)} characters")
            return None
        attributes = entry.get("attributes")  # type: ignore[attr-defined]
        return _Span(start, end, attributes if isinstance(attributes, dict) else {})

    def of(self, span: _Span) -> str:
        return self.text[span.start : span.end]

    def first(self, kind: str) -> str:
        """Return the text of the first span of a kind, white space folded, or ""."""
        spans = self.spans(kind)
        return " ".join(self.of(spans[0]).split()) if spans else ""


def _within(spans: list[_Span], outer: _Span) -> list[_Span]:
    """Return the spans (sorted by start) that lie in another one."""
    first = bisect_right(spans, outer.start - 1, key=lambda span: span.start)
    found = []
    for span in spans[first:]:
        if span.start >= outer.end:
            break
        if span.end <= outer.end:
            found.append(span)
    return found


def annotated_document(item: dict[str, Any], file: str, line: int) -> DocumentRecord:
    """Return the document; title and abstract are the first spans of their kind. Raises `FieldError`.

    What its references are matched with are its citations. Keywords, year and url stand next to the text, where Litmus
    wrote the file (`s2orc_parquet`).
    """
    text = _Text(item.pop("content", None))
    docno, ids = _identify(item)
    title, abstract = text.first("title"), text.first("abstract")
    if not title and not abstract:
        raise FieldError(f"document {docno} has neither a title nor an abstract")
    authors = (" ".join(text.of(span).split()) for span in text.spans("author"))
    keywords, year, url = take_texts(item, ("keywords",)), take_year(item), take_text(item, ("url",))
    return DocumentRecord(
        docno,
        title,
        abstract,
        keywords,
        tuple(filter(None, authors)),
        text.first("venue"),
        year,
        ids.get("doi", ""),
        url,
        {**item, **_citations(text), **({"externalids": ids} if ids.keys() - {"doi"} else {})},
        file,
        line,
        _full_text(text),
    )


def _citations(text: _Text) -> dict[str, list[str]]:
    """The documents that references were matched with, each once, under `citations`; nothing where none was."""
    matched = (span.attributes.get("matched_paper_id") for span in text.spans("bibentry"))
    docnos = dict.fromkeys(str(docno) for docno in matched if is_id(docno) and not id_problem(str(docno)))
    return {"citations": list(docnos)} if docnos else {}


def _full_text(text: _Text) -> str | None:
    """The span that Litmus marked as the full text, None where it marked none; else the whole text."""
    if text.annotations.get(FULL_TEXT) is None:
        return text.text
    marked = text.spans(FULL_TEXT)
    return text.of(marked[0]) if marked else None


def _identify(item: dict[str, Any]) -> tuple[str, dict[str, str]]:
    docno = take_id(item, ("corpusid", "paper_id"))
    if reason := id_problem(docno):
        raise FieldError(reason)
    ids = item.pop("externalids", None)
    known = ids.items() if isinstance(ids, dict) else ()
    return docno, {str(kind).lower(): str(value) for kind, value in known if value is not None}


def annotated_paper(item: dict[str, Any], file: str, line: int, problems: list[str]) -> FullPaper:
    """Return the paper with its paragraphs, markers and references. Raises `FieldError`.

    `problems` takes the spans that do not fit the text, which are left out, and the markers of unknown references.
    """
    text = _Text(item.pop("content", None))
    docno, ids = _identify(item)
    if not text.text:
        raise FieldError(f"paper {docno} has no text")
    references = tuple(_references(text))
    known = frozenset(reference.key for reference in references)
    headers, markers = text.spans("sectionheader"), text.spans("bibref")
    starts = [header.start for header in headers]
    paragraphs = []
    for span in text.spans("paragraph"):
        before = bisect_right(starts, span.start) - 1
        header = headers[before] if before >= 0 else None
        paragraphs.append(
            Paragraph(
                text.of(span),
                " ".join(text.of(header).split()) if header else "",
                str(header.attributes.get("n") or "").rstrip(".") if header else "",
                "paragraph",
                tuple(_marker(text, span, marker, known) for marker in _within(markers, span)),
            )
        )
    problems += text.strays
    for span in markers:
        key = span.attributes.get("ref_id")
        if key is not None and key not in known:
            problems.append(f"the marker {text.of(span)!r:.40} names {key!r:.40}, which is not among the bibentries")
    return FullPaper(
        docno,
        text.first("title"),
        text.first("abstract"),
        tuple(" ".join(text.of(span).split()) for span in text.spans("author")),
        text.first("venue"),
        doi=ids.get("doi", ""),
        paragraphs=tuple(paragraphs),
        references=references,
        extra={"externalids": ids},
        file=file,
        line=line,
    )


def _marker(text: _Text, paragraph: _Span, span: _Span, known: frozenset[str]) -> Marker:
    key = span.attributes.get("ref_id")
    keys = (key,) if isinstance(key, str) and key in known else ()
    return Marker(span.start - paragraph.start, span.end - paragraph.start, text.of(span), keys)


def _references(text: _Text) -> list[Reference]:
    titles, authors, venues = (text.spans(kind) for kind in ("bibtitle", "bibauthor", "bibvenue"))
    found: dict[str, Reference] = {}
    for span in text.spans("bibentry"):
        key = str(span.attributes.get("id") or f"entry{len(found)}")
        target, doi = span.attributes.get("matched_paper_id"), span.attributes.get("doi")
        found.setdefault(
            key,
            Reference(
                key,
                _joined(text, _within(titles, span)[:1]),
                tuple(_joined(text, [author]) for author in _within(authors, span)),
                _joined(text, _within(venues, span)[:1]),
                None,
                "" if target is None else str(target),
                {"doi": str(doi)} if doi else {},
                " ".join(text.of(span).split()),
            ),
        )
    return list(found.values())


def _joined(text: _Text, spans: list[_Span]) -> str:
    return " ".join(" ".join(text.of(span).split()) for span in spans)
