"""S2ORC in both generations, as documents and as papers with running text (formats.md 8).

2019 and CORD-19: metadata and parse in one object. 2020: metadata and parses are separate JSON Lines, joined by
`paper_id`; s2orc-doc2json nests the parse in the metadata. 2023 and later: one text, with annotations whose values are
JSON within JSON and whose offsets count code points.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, take_id, take_text, take_texts, take_year
from engines.formats.jsonl import Decoder, parse_object, read_objects, records_from
from engines.formats.jsonl_documents import FULL_TEXT, document_from, take_authors
from engines.formats.jsonl_documents import LAYOUT as JSONL_LAYOUT
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.lines import MAX_LINE_BYTES
from engines.formats.mentions import mentions_from
from engines.formats.notes import notes_of
from engines.formats.papers import FullPaper, Marker, PaperFormat, Paragraph, Reference, first_year
from engines.formats.records import BrokenFile, DocumentRecord, PartProblem, Problem, Remark
from engines.formats.registry import Certainty, Head, Shape
from engines.formats.s2orc_layouts import LINKS, PARSE_KEYS, with_metadata, without_parse
from engines.formats.s2orc_spans import annotated_document, annotated_paper

_BREAK = ":::"
_HEAD = 64


def read_s2orc_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem | Remark]:
    """Yield one document for each line of metadata, of doc2json's output or of the annotated generation."""
    said: set[str] = set()
    yield from records_from(_objects(stream, file), file, partial(_document, said=said))
    yield from (Remark(file, 0, text) for text in sorted(said))


def _objects(stream: BinaryIO, file: str) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """Yield one object for each line, or the one object of a file laid out over many, as doc2json writes it."""
    head: bytes = stream.peek(_HEAD)[:_HEAD] if hasattr(stream, "peek") else b""
    if head.removeprefix(BOM_UTF8).split(b"\n", 1)[0].strip() != b"{":
        yield from read_objects(stream, file)
        return
    data = stream.read(MAX_LINE_BYTES + 1)
    if len(data) > MAX_LINE_BYTES:
        raise BrokenFile(file, 0, f"the object is longer than {MAX_LINE_BYTES >> 20} MB")
    decoder = Decoder()
    try:
        item = parse_object(data.decode("utf-8-sig"), decoder)
    except (ValueError, RecursionError) as error:  # bytes that are not UTF-8 are a ValueError too
        raise BrokenFile(file, 0, f"is neither a single JSON object nor one per line: {error}") from error
    decoder.note_repeats(notes_of(stream), 1)
    yield 1, item


def _document(item: dict[str, Any], file: str, line: int, said: set[str]) -> DocumentRecord:
    if "content" in item:
        return annotated_document(item, file, line)
    item = with_metadata(item, file, said)
    full_text = _full_text(item)
    without_parse(item, said)
    if full_text is not None:
        item[FULL_TEXT] = full_text
    abstract = item.get("abstract")
    if isinstance(abstract, str):
        item["abstract"] = " ".join(abstract.replace(_BREAK, " ").split())
    elif isinstance(abstract, list):
        item["abstract"] = " ".join(_text_of(paragraph) for paragraph in abstract)
    return document_from(item, file, line)


def _full_text(item: dict[str, Any]) -> str | None:
    """The paragraphs of the first parse that the object has, separated by empty lines; None without one."""
    parses = (item, *(item[key] for key in PARSE_KEYS if isinstance(item.get(key), dict)))
    body = next((found for parse in parses if isinstance(found := parse.get("body_text"), list)), None)
    texts = [paragraph.get("text") for paragraph in body or () if isinstance(paragraph, dict)]
    return None if body is None else "\n\n".join(text for text in texts if isinstance(text, str))


def _text_of(paragraph: object) -> str:
    text = paragraph.get("text") if isinstance(paragraph, dict) else None
    if not isinstance(text, str):
        raise FieldError("a paragraph has no text")
    return text


def read_s2orc_papers(stream: BinaryIO, file: str, **_: Any) -> Iterator[FullPaper | Problem]:
    """Yield one paper for each line that holds running text, and a `Problem` for each marker that is out of place.

    Such a marker is left out, its paragraph stays. Lines of metadata alone have no text: they are a `Problem` too.
    """
    return papers_from(_objects(stream, file), file)


def papers_from(objects: Iterable[tuple[int, dict[str, Any]] | Problem], file: str) -> Iterator[FullPaper | Problem]:
    """Yield the paper of each (line, object), as `read_s2orc_papers` does."""
    for found in objects:
        if isinstance(found, Problem):
            yield found
            continue
        line, item = found
        problems: list[str] = []
        try:
            if "content" in item:
                paper = annotated_paper(item, file, line, problems)
            else:
                paper = _parsed_paper(item, file, line, problems)
        except FieldError as error:
            yield Problem(file, line, str(error))
            continue
        yield from (PartProblem(file, line, f"paper {paper.paper_id}: {reason}") for reason in problems)
        yield paper


def _parsed_paper(item: dict[str, Any], file: str, line: int, problems: list[str]) -> FullPaper:
    item = with_metadata(item, file, set())
    parse = next((item.pop(key) for key in PARSE_KEYS if isinstance(item.get(key), dict)), item)
    body = parse.get("body_text")
    if not isinstance(body, list):
        raise FieldError("has no body_text: it is a document without its text, to be imported as one")
    references = tuple(_references(parse.get("bib_entries") or {}))
    known = frozenset(reference.key for reference in references)
    paragraphs = tuple(_paragraph(entry, place, known, problems) for place, entry in enumerate(body))
    abstract = item.get("abstract") or parse.get("abstract") or ""
    if isinstance(abstract, list):
        abstract = " ".join(_text_of(paragraph) for paragraph in abstract)
    return FullPaper(
        take_id(item, ("paper_id",)),
        take_text(item, ("title",)),
        " ".join(str(abstract).replace(_BREAK, " ").split()),
        take_authors(item),
        take_text(item, ("venue", "journal")),
        take_year(item),
        take_text(item, ("doi",)),
        paragraphs,
        references,
        file=file,
        line=line,
    )


def _paragraph(entry: object, place: int, known: frozenset[str], problems: list[str]) -> Paragraph:
    text = _text_of(entry)
    section, number = _section(entry.get("section"), entry.get("sec_num"))  # type: ignore[attr-defined]
    markers: list[Marker] = []
    for span in _list(entry, "cite_spans"):
        marker = _marker(span, text, known)
        if marker is None:
            problems.append(f"paragraph {place}: the marker {span!r:.80} does not fit the text")
            continue
        markers.append(marker)
        if not marker.keys and (key := span.get("ref_id")) is not None:
            problems.append(
                f"paragraph {place}: the marker {marker.text!r:.40} names {key!r:.40}, which is not in bib_entries"
            )
    return Paragraph(text, section, number, "paragraph", tuple(sorted(markers, key=lambda marker: marker.start)))


def _list(entry: Any, name: str) -> list[Any]:
    found = entry.get(name) or []
    if not isinstance(found, list):
        raise FieldError(f"{name} is not a list")
    return found


def _marker(span: object, text: str, known: frozenset[str]) -> Marker | None:
    """Return the marker where it stands in the text as it says; `ref_id` may be null or unknown."""
    if not isinstance(span, dict):
        return None
    start, end, written, key = (span.get(name) for name in ("start", "end", "text", "ref_id"))
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text):
        return None
    if isinstance(written, str) and written != text[start:end]:
        return None
    return Marker(start, end, text[start:end], (key,) if isinstance(key, str) and key in known else ())


def _section(value: object, number: object) -> tuple[str, str]:
    """Return (title, number): a text, [number, title], or a path of such pairs of which the last counts."""
    if isinstance(value, list) and value and isinstance(value[-1], list):
        value = value[-1]
    if isinstance(value, list):
        texts = [str(part) for part in value if part]
        return (texts[-1], texts[0] if len(texts) > 1 else "") if texts else ("", "")
    return (value if isinstance(value, str) else "", str(number) if number else "")


def _references(entries: object) -> Iterator[Reference]:
    if not isinstance(entries, dict):
        raise FieldError("bib_entries is not an object")
    for key, value in entries.items():
        if not isinstance(value, dict):
            raise FieldError(f"bib_entries: {key} is not an object")
        entry = dict(value)
        raw_ids = entry.pop("other_ids", None) or {}
        if not isinstance(raw_ids, dict):
            raise FieldError(f"bib_entries: other_ids of {key} is not an object")
        ids = {kind.lower(): str(found[0]) for kind, found in raw_ids.items() if isinstance(found, list) and found}
        yield Reference(
            key,
            take_text(entry, ("title",)),
            take_authors(entry),
            take_text(entry, ("venue", "journal")),
            first_year(str(entry.get("year") or "")),
            take_text(entry, LINKS),
            ids,
            " ".join(take_texts(entry, ("raw_text",), "\n")),
        )


def _is_s2orc(head: Head) -> bool:
    return head.has_keys(
        {"corpusid", "content"},
        {"paper_id", "body_text"},
        {"paper_id", "has_pdf_parse"},
        *({"paper_id", key} for key in PARSE_KEYS),
    )


_ID = required(("paper_id", "corpusid"), "the paper's id, unique in the collection")
_ANNOTATED = (
    optional("content", "of the newer generation: object with text, and annotations with the places of its parts"),
    optional("externalids", "of the newer generation: object with doi, arxiv, acl and others"),
)
_PAPER = Layout(
    '{"paper_id": "1", "title": "Hearing of owls", "body_text": [{"text": "As shown [2].", "section": "Intro", '
    '"cite_spans": [{"start": 9, "end": 12, "ref_id": "BIBREF1"}]}], "bib_entries": {"BIBREF1": {"title": "Ears"}}}\n'
    '{"paper_id": "2", "title": "Wings of moths", "body_text": [{"text": "See [1].", "section": "Intro", '
    '"cite_spans": [{"start": 4, "end": 7, "ref_id": "BIBREF0"}]}], "bib_entries": {"BIBREF0": {"title": "Wings"}}}\n',
    (
        _ID,
        required("body_text", "list of paragraphs with text, section and cite_spans"),
        optional(
            "bib_entries", "object of the references by ref_id, with title, authors, year, venue, link and other_ids"
        ),
        optional(PARSE_KEYS, "object that holds body_text and bib_entries, as doc2json writes them"),
        optional("title", "title"),
        optional("abstract", "text, or list of paragraphs"),
        optional("authors", "list of names, or of objects with first, middle, last and suffix"),
        optional(("venue", "journal"), "where it was published"),
        optional("year", "year, four digits"),
        optional("doi", "DOI"),
        *_ANNOTATED,
    ),
    "Other fields are not read.",
)

S2ORC = PaperFormat(
    name="s2orc",
    label="S2ORC (or doc2json)",
    help="JSON Lines of both generations of S2ORC, with metadata or full texts.",
    reads={
        "documents": read_s2orc_documents,
        "papers": read_s2orc_papers,
        "mentions": mentions_from(read_s2orc_papers),
    },
    shapes=(
        Shape("s2orc", ("documents", "papers", "mentions"), _is_s2orc),
        Shape("s2orc", ("papers",), lambda head: head.is_json, Certainty.IF_REQUESTED),
    ),
    is_one_paper=False,
    layouts={
        "documents": Layout(
            '{"paper_id": "1", "title": "Hearing of owls", "abstract": "Owls hear well.", "has_pdf_parse": false}\n'
            '{"paper_id": "2", "title": "Wings of moths", "abstract": "Moths are quiet.", "has_pdf_parse": false}\n',
            (_ID, *JSONL_LAYOUT.fields[1:], optional("body_text", "list of paragraphs, the full text"), *_ANNOTATED),
            KEPT,
        ),
        "papers": _PAPER,
        "mentions": _PAPER,
    },
)
