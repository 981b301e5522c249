"""TREC documents: `<DOC>`, `<DOCNO>id</DOCNO>`, tags of any names, `</DOC>`; see formats.md 3.4.

Read leniently: tags in any case and anywhere in a line, attributes, missing end tags, paragraph marks and comments
inside the text, an id as attribute of <DOC>. A field that holds further known fields is opened, as <HEADER> and <HTML>.
Where no field is known as the text, the longest one is taken, and this is reported. All others are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, BinaryIO

from engines.formats.lines import read_lines
from engines.formats.records import BrokenFile, DocumentRecord, Problem, Remark, id_problem
from engines.text.markup import decode_entities, fold_space, strip_tags

ID_TAGS = ("DOCNO", "DOCID", "DOC_ID", "DOC-ID", "ID")
TITLE_TAGS = ("TITLE", "HEADLINE", "HL", "HEAD", "TTL", "TI")
TEXT_TAGS = ("TEXT", "ABSTRACT", "LP", "LEADPARA", "BODY", "CONTENT", "CONTENTS")
MAX_DOCUMENT_CHARS = 64 << 20
MAX_DEPTH = 20  # of fields within fields
_KNOWN = frozenset({*ID_TAGS, *TITLE_TAGS, *TEXT_TAGS})
_MARKS = frozenset({"P", "BR", "HR"})  # of paragraphs: no fields

_BORDER = re.compile(r"<(/?)doc((?:\s[^<>]*)?)>", re.IGNORECASE)
_MAY_BORDER = re.compile(r"</?[dD][oO][cC][\s>]").search
_OPENING = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>")
_LINE_TAG = re.compile(r"\n\s*</?[A-Za-z]")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_LONE_TAG = re.compile(r"<[^<>]*>").fullmatch
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_INNER = re.compile(r"</?[A-Z][A-Z0-9_-]*(?:\s[^<>]*)?/?>")
_IN_HTML = re.compile(r"</?[A-Za-z][^<>]*>")
_IS_HTML = re.compile(r"<html[\s>]", re.IGNORECASE).search


@dataclass(slots=True)
class Draft:
    """The document being read: where it began, the attributes of <DOC>, its text so far."""

    line: int
    attributes: str
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str, file: str) -> None:
        self.parts.append(text)
        self.size += len(text)
        if self.size > MAX_DOCUMENT_CHARS:
            reason = f"the document is longer than {MAX_DOCUMENT_CHARS >> 20} million characters"
            raise BrokenFile(file, self.line, reason)


def read_trec_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem | Remark]:
    """Yield one document for each `<DOC>`; fields other than title and text go to `extra` in lower case.

    Raises `BrokenFile` if the file is not text or ends inside a document.
    """
    draft: Draft | None = None
    said: set[str] = set()
    for number, text in read_lines(stream, file):
        if draft is not None and ("<" not in text or not _MAY_BORDER(text)):
            draft.add(text, file)
            continue
        at = 0
        for border in _BORDER.finditer(text):
            yield from _outside(draft, text[at : border.start()], file, number)
            at = border.end()
            if border[1]:
                if draft is not None:
                    yield _document(draft, file, said)
                draft = None
                continue
            if draft is not None:
                yield Problem(file, draft.line, "the document is not closed: another <DOC> follows")
            draft = Draft(number, border[2])
        yield from _outside(draft, text[at:], file, number)
    if draft is not None:
        raise BrokenFile(file, draft.line, "the file ends inside the document that begins here")
    yield from (Remark(file, 0, text) for text in sorted(said))


def _outside(draft: Draft | None, text: str, file: str, line: int) -> Iterator[Problem]:
    """Give the text to the document; without one it is a `Problem`, unless it is a tag around the documents."""
    if draft is not None:
        draft.add(text, file)
    elif text.strip() and not _LONE_TAG(text.strip()):
        yield Problem(file, line, "text stands outside of a document")


def _fields(text: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The (name in upper case, content) of the fields of a text, those in other fields too; text outside as TEXT."""
    at = begun = 0
    while tag := _OPENING.search(text, at):
        name = tag[1].upper()
        if name in _MARKS:
            at = tag.end()
            continue
        if outside := text[begun : tag.start()].strip():
            yield "TEXT", outside
        inner, at = _content(text, tag, name)
        begun = at
        may_hold = name not in TEXT_TAGS and depth < MAX_DEPTH
        if may_hold and "<" in inner and any(found[1].upper() in _KNOWN for found in _OPENING.finditer(inner)):
            yield from _fields(inner, depth + 1)
        else:
            yield name, inner
    if outside := text[begun:].strip():
        yield "TEXT", outside


def _content(text: str, tag: re.Match[str], name: str) -> tuple[str, int]:
    """What the tag holds and where it ends: at its end tag, without one at the next tag that begins a line."""
    written, begin = tag[1], tag.end()
    end = text.find(f"</{written}>", begin)
    if end >= 0 and text.find(f"<{written}", begin, end) < 0:  # as nearly all are
        return text[begin:end], end + len(written) + 3
    depth = 1
    for found in _tags_called(name).finditer(text, tag.end()):
        depth += -1 if found[1] else 1
        if not depth:
            return text[tag.end() : found.start()], found.end()
    following = _LINE_TAG.search(text, tag.end())
    end = following.start() if following else len(text)
    return text[tag.end() : end], end


@lru_cache(1024)
def _tags_called(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(/?){re.escape(name)}(?:\s[^<>]*)?>", re.IGNORECASE)


def _document(draft: Draft, file: str, said: set[str]) -> DocumentRecord | Problem:
    fields: dict[str, list[str]] = {}
    written = "\n".join(draft.parts)
    written = _COMMENT.sub(" ", written) if "<!--" in written else written
    inner_tags = _IN_HTML if _IS_HTML(written) else _INNER
    for name, inner in _fields(written):
        if "<" in inner:
            inner = strip_tags(inner_tags.sub(" ", inner))  # noqa: PLW2901
        if plain := fold_space(decode_entities(inner)).strip():
            fields.setdefault(name, []).append(plain)
    for name, *values in _ATTRIBUTE.findall(draft.attributes):
        fields.setdefault(name.upper(), []).extend(filter(None, values))
    docno = next((fields.pop(tag)[0] for tag in ID_TAGS if tag in fields), "")
    if reason := id_problem(docno):
        return Problem(file, draft.line, reason if docno else "the document has no DOCNO")
    title = " ".join(text for tag in TITLE_TAGS for text in fields.pop(tag, []))
    texts = [name for name in fields if name in TEXT_TAGS]
    if not texts and fields and (longest := max(fields, key=lambda name: len(" ".join(fields[name])))):
        texts = [longest] if not title or len(" ".join(fields[longest])) > len(title) else []
        said |= {f"no field is known as the text of some documents: it is taken from <{name}>" for name in texts}
    abstract = " ".join(text for name in texts for text in fields.pop(name))
    if not title and not abstract:
        return Problem(file, draft.line, f"document {docno} has neither a title nor a text")
    extra: dict[str, Any] = {name.lower(): one if len(one) > 1 else one[0] for name, one in fields.items()}
    return DocumentRecord(docno, title, abstract, extra=extra, file=file, line=draft.line)
