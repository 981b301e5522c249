"""BibTeX entries to documents, by the rules of ACM-CR: which entries count, and how their values are read.

Source of the filter: F. Boudin, "ACM-CR: A Manually Annotated Test Collection for Citation Recommendation",
JCDL 2021: articles and conference papers only, without the session headings that have no abstract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from engines.formats.bibtex import Entry, read_entries
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.records import DocumentRecord, Problem, Skip, id_problem
from engines.formats.registry import Certainty, Format, Shape
from engines.text.latex import decode_accents
from engines.text.markup import has_odd_space, plain_text

PAPER_KINDS = frozenset({"article", "inproceedings"})
SESSION_REASON = "a session heading without an abstract"

_KEPT_BRACES = r"\\[A-Za-z]+\{[^{}]*\}|\$[^$]*\$|[\^_]\{[^{}]*\}"
_PROTECTED = re.compile(rf"({_KEPT_BRACES})|\{{((?=[^{{}}]*[^\W\d_])[^{{}},|=$\\]*)\}}")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_DOI_PREFIX = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_TO_DECODE = re.compile(r"[\\{}&<]").search
_BRACES_KEPT = frozenset({"abstract", "author", "keywords"})
_ESCAPED = re.compile(r"\\([_%#&~])")
_ENTRY = re.compile(r"^[ \t]*+@[ \t]*+[A-Za-z]\w*+\s*+[{(]", re.MULTILINE).search
_BRACES = re.compile(r"[{}]")
_END_OF_SPACE = re.compile(r"\s*")


def read_bibtex(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Skip | Problem]:
    """Yield one document for each entry; the entry's key is its docno.

    A `Skip` is what is not of `PAPER_KINDS`, and a title that begins with "session" (in any case) without an abstract.
    """
    for entry in read_entries(stream, file):
        if isinstance(entry, Problem):
            yield entry
        elif entry.kind not in PAPER_KINDS:
            yield Skip(file, entry.line, f"an entry of type @{entry.kind}", entry.key)
        elif _is_session(entry):
            yield Skip(file, entry.line, SESSION_REASON, entry.key)
        else:
            yield _document(entry, file)


def _is_session(entry: Entry) -> bool:
    title = entry.fields.get("title", "").lstrip("{ \n\t")
    return title[:7].lower() == "session" and not entry.fields.get("abstract", "").strip()


def _document(entry: Entry, file: str) -> DocumentRecord | Problem:
    reason = id_problem(entry.key)
    if reason:
        return Problem(file, entry.line, reason if entry.key else "the entry has no key")
    fields = entry.fields
    doi, url = fields.pop("doi", "").strip(), fields.pop("url", "").strip()
    if "\\" in doi or "\\" in url:
        doi, url = _ESCAPED.sub(r"\1", doi), _ESCAPED.sub(r"\1", url)
    for name, value in fields.items():
        if _TO_DECODE(value) or has_odd_space(value):
            fields[name] = clean_value(value, braces=name in _BRACES_KEPT)
        else:
            fields[name] = value.strip()
    authors, keywords = fields.pop("author", ""), fields.pop("keywords", "")
    title, abstract = fields.pop("title", ""), fields.pop("abstract", "")
    if not title and not abstract:
        return Problem(file, entry.line, f"entry {entry.key} has neither a title nor an abstract")
    venue = fields.pop("booktitle", "") or fields.pop("journal", "") or fields.pop("journaltitle", "")
    written = fields.get("year", "")
    year = int(fields.pop("year")) if len(written) == 4 and written.isascii() and written.isdigit() else None
    fields["entry_type"] = entry.kind
    return DocumentRecord(
        entry.key,
        title,
        abstract,
        _split_keywords(keywords),
        _split_authors(authors),
        venue,
        year,
        _doi(doi, entry.key),
        url,
        fields,
        file,
        entry.line,
    )


def clean_value(value: str, *, braces: bool = False) -> str:
    """Return a field's value as a person reads it: accents, entities and tags decoded, white space folded.

    Braces that only protect capitals go, unless `braces` asks to keep them (abstracts write sets as {0,1}); those of
    mathematics and of macros always stay.
    """
    text = plain_text(decode_accents(value))
    text = _without_outer_braces(text)
    return text if braces else strip_braces(text)


def strip_braces(text: str) -> str:
    """Take away braces that protect capitals ("{BERT} for {3D}"), level by level, and leave those with a meaning."""
    for _ in range(4):
        if "{" not in text:
            break
        text = _PROTECTED.sub(lambda match: match[1] or match[2], text)
    return text


def _without_outer_braces(text: str) -> str:
    """Take away the braces around the whole text, one pair within the other, in one pass."""
    if not (text.startswith("{") and text.endswith("}")):
        return text
    closed_by: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closed_by[opened.pop()] = brace.start()
    begin, end = 0, len(text)
    while closed_by.get(begin, -2) == end - 1:
        begin, end = _END_OF_SPACE.match(text, begin + 1).end(), end - 1  # type: ignore[union-attr]
        while end > begin and text[end - 1].isspace():
            end -= 1
    return text[begin:end]


def _split_authors(text: str) -> tuple[str, ...]:
    """Split at " and " outside braces; names stay as written ("Last, First", "Last, Jr., First", single names)."""
    if not text:
        return ()
    if "{" not in text and "others" not in text and " And " not in text and " AND " not in text:
        return tuple(text.split(" and "))
    parts = _split_outside_braces(text, _AND)
    names = (strip_braces(part).strip(" {}") for part in parts)
    return tuple(name for name in names if name and name != "others")


def _split_keywords(text: str) -> tuple[str, ...]:
    """Split at commas (at semicolons where there are no commas) outside braces; each keyword once, in order."""
    if not text:
        return ()
    mark = "," if "," in text else ";"
    if "{" in text:
        parts = [strip_braces(part.strip()) for part in _split_outside_braces(text, re.compile(mark))]
    else:
        parts = text.split(f"{mark} ")
        if text.count(mark) != len(parts) - 1:
            parts = [part.strip() for part in text.split(mark)]
    words = dict.fromkeys(parts)
    words.pop("", None)
    return tuple(words)


def _split_outside_braces(text: str, mark: re.Pattern[str]) -> list[str]:
    parts: list[str] = []
    begin = counted = depth = 0
    for match in mark.finditer(text):
        depth += text.count("{", counted, match.start()) - text.count("}", counted, match.start())
        counted = match.start()
        if not depth:
            parts.append(text[begin : match.start()])
            begin = match.end()
    parts.append(text[begin:])
    return parts


def _doi(field: str, key: str) -> str:
    """Return the DOI without a resolver's address; a key that is one serves (10.5555/… are ACM's own, no DOIs)."""
    if field:
        return _DOI_PREFIX.sub("", field, count=1) if not field.startswith("10.") else field
    return key if key.startswith("10.") and "/" in key and not key.startswith("10.5555/") else ""


_LAYOUT = Layout(
    "@article{10.1145/1, author = {Uhl, Anna and Kauz, Bo}, title = {Hearing of Owls}, journal = {Owls}, year = 2021}\n"
    "@inproceedings{moth22, title = {Wings of Moths}, booktitle = {Proceedings of Moths}, year = {2022}}\n",
    (
        required("key", "what follows the brace of an entry: the document's id, unique in the collection"),
        optional("title", "title; a document has a title or an abstract"),
        optional("abstract", "abstract"),
        optional("author", "names, separated by “and”"),
        optional("keywords", "separated by commas or semicolons"),
        optional(("booktitle", "journal", "journaltitle"), "where it was published"),
        optional("year", "year, four digits"),
        optional("doi", "DOI; without one, a key that is a DOI serves"),
        optional("url", "address"),
    ),
    KEPT,
)

BIBTEX = Format(
    name="bibtex",
    label="BibTeX",
    help="Entries as databases export them; articles and conference papers become documents.",
    reads={"documents": read_bibtex},
    shapes=(Shape("bibtex", ("documents",), lambda head: not head.is_json and _ENTRY(head.text), Certainty.POSSIBLE),),
    layouts={"documents": _LAYOUT},
)
