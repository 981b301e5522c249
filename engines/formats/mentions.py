"""Citation mentions from any path: paragraphs that cite, of S2ORC in both generations, doc2json, GROBID TEI or JSONL.

The JSON Lines form has one paragraph in each line:

    {"source_id": "…", "source_title": "…", "source_doi": "…", "paragraph": 0, "section": "…", "text": "As shown [2].",
     "markers": [{"start": 9, "end": 12, "keys": ["b1"]}],
     "references": {"b1": {"id": "…", "doi": "…", "title": "…"}}}

Offsets are half-open and count code points. A source needs an id, a DOI or a title; `paragraph` may be left out, then
the lines of a source are counted. A key that is not among the references is reported, and its marker stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from engines.formats.dois import is_placeholder
from engines.formats.json_fields import FieldError, take_text
from engines.formats.json_objects import read_any_objects
from engines.formats.layouts import DROPPED, Layout, optional, required
from engines.formats.papers import FullPaper, Marker, Reference
from engines.formats.records import PartProblem, Problem, Remark, Skip
from engines.formats.registry import Read
from engines.text.words import title_key

LONGEST_KEY = 400

LAYOUT = Layout(
    '{"source_doi": "10.1145/3", "text": "As shown [2].", "markers": [{"start": 9, "end": 12, "keys": ["b1"]}], '
    '"references": {"b1": {"doi": "10.1145/1", "title": "Hearing of owls"}}}\n'
    '{"source_doi": "10.1145/3", "text": "See [1].", "markers": [{"start": 4, "end": 7, "keys": ["b0"]}], '
    '"references": {"b0": {"doi": "10.1145/2", "title": "Wings of moths"}}}\n',
    (
        required(("source_id", "source_doi", "source_title"), "the citing paper: one of the three, or several"),
        required("text", "the paragraph"),
        required(
            "markers", "list of objects with start and end (characters of the text, from 0) and keys of references"
        ),
        required("references", "object of the references by key, each with id (or docno, corpusid), doi and title"),
        optional("section", "heading of the section"),
        optional("paragraph", "place of the paragraph in its paper, from 0; counted where it is left out"),
    ),
    DROPPED,
)


_KNOWN = frozenset(name for field in LAYOUT.fields for name in field.names)


@dataclass(frozen=True, slots=True)
class MentionRecord:
    """A paragraph with its markers in order, and the references they name, each once, in the order of the text.

    `source_key` is equal for paragraphs of the same paper, in whichever file and import they come.
    """

    source_key: str
    source_id: str
    source_doi: str
    source_title: str
    position: int
    section: str
    text: str
    markers: tuple[Marker, ...]
    references: tuple[Reference, ...]
    file: str
    line: int


def source_key_of(paper_id: str, doi: str, title: str, file: str) -> str:
    """Return what identifies a source paper: its id, else its DOI (no template's), else its title, else the file."""
    if paper_id:
        return f"id:{paper_id}"[:LONGEST_KEY]
    if doi and not is_placeholder(doi):
        return f"doi:{doi.lower()}"[:LONGEST_KEY]
    key = title_key(title)
    return f"title:{key}"[:LONGEST_KEY] if key else f"file:{file}"[-LONGEST_KEY:]


def mentions_of(paper: FullPaper) -> Iterator[MentionRecord]:
    """Yield the paragraphs of the body that cite a known reference; captions and footnotes are none."""
    known = {reference.key: reference for reference in paper.references}
    source_key = source_key_of(paper.paper_id, paper.doi, paper.title, paper.file)
    for position, paragraph in enumerate(paper.paragraphs):
        if paragraph.kind != "paragraph" or not paragraph.text.strip():
            continue
        cited = dict.fromkeys(key for marker in paragraph.markers for key in marker.keys if key in known)
        if cited:
            yield MentionRecord(
                source_key,
                paper.paper_id,
                paper.doi,
                paper.title,
                position,
                " ".join(filter(None, (paragraph.number, paragraph.section))),
                paragraph.text,
                paragraph.markers,
                tuple(known[key] for key in cited),
                paper.file,
                paper.line,
            )


def mentions_from(read_papers: Read) -> Read:
    """The reader of the mentions in a format from which papers are read as `FullPaper`s."""

    def read(stream: BinaryIO, file: str) -> Iterator[MentionRecord | Skip | Problem]:
        seen: set[str] = set()
        for paper in read_papers(stream, file):
            if isinstance(paper, Problem | Skip):
                yield paper
                continue
            for target in paper.extra.get("unknown_targets", ()):
                yield PartProblem(file, paper.line, f"a marker names {target}, which is not in the list of references")
            found = list(mentions_of(paper))
            if found and found[0].source_key in seen:
                yield Problem(paper.file, paper.line, f"the paper {found[0].source_key} came earlier in this file")
                continue
            seen.update(mention.source_key for mention in found[:1])
            yield from found

    return read


# --- JSON Lines -------------------------------------------------------------------------------------------------------


def is_mention(names: Collection[str]) -> bool:
    """Whether an object with these fields is a paragraph with markers."""
    return {"text", "markers"}.issubset(names)


def read_jsonl_mentions(stream: BinaryIO, file: str) -> Iterator[MentionRecord | Problem | Remark]:
    """Yield a mention for each object; a marker that does not fit, or names no reference, is also a `Problem`."""
    counted: Counter[str] = Counter()
    seen: set[tuple[str, int]] = set()
    for found in read_any_objects(stream, file, _KNOWN.__contains__, is_mention, "mentions"):
        if not isinstance(found, tuple):
            yield found
            continue
        line, item = int(found[0]), found[1]
        problems: list[str] = []
        try:
            mention = _mention(item, file, line, counted, problems)
        except FieldError as error:
            yield Problem(file, line, str(error))
            continue
        yield from (PartProblem(file, line, reason) for reason in problems)
        place = (mention.source_key, mention.position)
        if place in seen:
            yield Problem(file, line, f"paragraph {mention.position} of {mention.source_key} came earlier in this file")
        elif not mention.references:
            yield Problem(file, line, "no marker names a reference, so nothing is cited here")
        else:
            seen.add(place)
            yield mention


def _mention(item: dict[str, Any], file: str, line: int, counted: Counter[str], problems: list[str]) -> MentionRecord:
    paper_id, doi, title, section = (
        take_text(item, names).strip() for names in (("source_id",), ("source_doi",), ("source_title",), ("section",))
    )
    if not (paper_id or doi or title):
        raise FieldError("does not say which paper it is from (source_id, source_doi or source_title)")
    text = item.get("text")
    if not isinstance(text, str) or not text.strip():
        raise FieldError("has no text")
    references = _references(item.get("references"))
    markers = tuple(_markers(item.get("markers"), text, references, problems))
    cited = dict.fromkeys(key for marker in markers for key in marker.keys)
    source_key = source_key_of(paper_id, doi, title, file)
    position = item.get("paragraph", counted[source_key])
    if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < 2**31:
        raise FieldError("'paragraph' is not a whole number from 0")
    counted[source_key] += 1
    found = tuple(references[key] for key in cited)
    return MentionRecord(source_key, paper_id, doi, title, position, section, text, markers, found, file, line)


def _references(value: object) -> dict[str, Reference]:
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        raise FieldError("'references' is not an object of objects")
    return {
        key: Reference(
            key,
            take_text(dict(entry), ("title",)),
            target=take_text(dict(entry), ("id", "docno", "corpusid")),
            ids={"doi": doi} if (doi := take_text(dict(entry), ("doi",))) else {},
        )
        for key, entry in value.items()
    }


def _markers(value: object, text: str, references: dict[str, Reference], problems: list[str]) -> Iterator[Marker]:
    """Yield the markers in the order of the text, and note those that do not fit it and keys that are nowhere."""
    if not isinstance(value, list):
        raise FieldError("'markers' is not a list")
    fitting = []
    for entry in value:
        if marker := _marker(entry, text):
            fitting.append(marker)
        else:
            problems.append(f"the marker {entry!r:.80} does not fit the text of {len(text)} characters")
    last = 0
    for marker in sorted(fitting, key=lambda marker: (marker.start, marker.end)):
        if marker.start < last:
            problems.append(f"the marker {marker.text!r:.40} at {marker.start} overlaps the one before it")
            continue
        last = marker.end
        for key in marker.keys:
            if key not in references:
                problems.append(f"the marker {marker.text!r:.40} names {key!r:.40}, which is not among the references")
        yield Marker(marker.start, marker.end, marker.text, tuple(key for key in marker.keys if key in references))


def _marker(entry: object, text: str) -> Marker | None:
    if not isinstance(entry, dict):
        return None
    start, end, keys, written = (entry.get(name) for name in ("start", "end", "keys", "text"))
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        return None
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    if isinstance(written, str) and written != text[start:end]:
        return None
    return Marker(start, end, text[start:end], tuple(dict.fromkeys(keys)))
