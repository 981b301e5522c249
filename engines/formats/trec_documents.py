"""TREC documents: `<DOC>`, `<DOCNO>id</DOCNO>`, content tags, `</DOC>`; see formats.md 3.4.

Read kindly: tags in any case, content on the line of its tag, missing end tags, paragraph marks and comments inside
the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from engines.formats.lines import read_lines
from engines.formats.records import BrokenFile, DocumentRecord, Problem, id_problem
from engines.text.markup import decode_entities, fold_space, strip_tags

TITLE_TAGS = ("TITLE", "HEADLINE", "HL", "HEAD", "TTL")
TEXT_TAGS = ("TEXT", "ABSTRACT", "LP", "LEADPARA")
MAX_DOCUMENT_CHARS = 64 << 20

_FIELD = re.compile(r"\s*<(/?)([A-Za-z][\w-]*)>")
_CLOSING = re.compile(r"</([A-Za-z][\w-]*)>")
_INNER = re.compile(r"<!--.*?-->|</?[A-Z][A-Z0-9]*(?:\s[^<>]*)?>")


class Draft:
    """The document or topic being read: where it began, its lines by field, and the field that is open."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.fields: dict[str, list[str]] = {}
        self.open = ""
        self.size = 0


def read_trec_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem]:
    """Yield one document for each `<DOC>`; fields other than title and text go to `extra` in lower case.

    Raises `BrokenFile` if the file is not text or ends inside a document.
    """
    draft: Draft | None = None
    for number, text in read_lines(stream, file):
        word = text.strip().upper()
        if word == "<DOC>":
            if draft is not None:
                yield Problem(file, draft.line, "the document is not closed: another <DOC> follows")
            draft = Draft(number)
        elif draft is None:
            if word:
                yield Problem(file, number, "text stands outside of a document")
        elif word == "</DOC>":
            yield _document(draft, file)
            draft = None
        else:
            _take_line(draft, text, file)
    if draft is not None:
        raise BrokenFile(file, draft.line, "the file ends inside the document that begins here")


def _take_line(draft: Draft, text: str, file: str) -> None:
    draft.size += len(text)
    if draft.size > MAX_DOCUMENT_CHARS:
        raise BrokenFile(file, draft.line, f"the document is longer than {MAX_DOCUMENT_CHARS >> 20} million characters")
    tag = _FIELD.match(text)
    name = tag[2].upper() if tag else ""
    if tag and tag[1] and name == draft.open:
        draft.open = ""
        text = text[tag.end() :]
    elif tag and not tag[1] and (not draft.open or name in TITLE_TAGS or name in TEXT_TAGS):
        draft.open = name
        draft.fields.setdefault(name, [])
        text = text[tag.end() :]
    closings = [match.start() for match in _CLOSING.finditer(text) if match[1].upper() == draft.open]
    draft.fields.setdefault(draft.open or "TEXT", []).append(text[: closings[-1]] if closings else text)
    if closings:
        draft.open = ""


def _document(draft: Draft, file: str) -> DocumentRecord | Problem:
    fields = {name: "\n".join(lines).strip() for name, lines in draft.fields.items()}
    docno = fields.pop("DOCNO", "")
    if reason := id_problem(docno):
        return Problem(file, draft.line, reason if docno else "the document has no DOCNO")
    title = " ".join(_plain(fields.pop(tag)) for tag in TITLE_TAGS if tag in fields).strip()
    abstract = " ".join(_plain(fields.pop(tag)) for tag in TEXT_TAGS if tag in fields).strip()
    if not title and not abstract:
        return Problem(file, draft.line, f"document {docno} has neither a title nor a text")
    extra: dict[str, Any] = {name.lower(): _plain(text) for name, text in fields.items()}
    return DocumentRecord(docno, title, abstract, extra=extra, file=file, line=draft.line)


def _plain(text: str) -> str:
    return fold_space(decode_entities(strip_tags(_INNER.sub(" ", text))))
