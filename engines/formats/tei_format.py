"""GROBID's TEI as a format: a paper with its text, or a document with its title, abstract and full text.

A document is named by its file, as GROBID names files by the papers; in a <teiCorpus>, by the xml:id of its element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, BinaryIO

from engines.formats.layouts import Layout, optional, required
from engines.formats.loose_numbers import LOOSE_NUMBER, without_loose_numbers
from engines.formats.mentions import mentions_from
from engines.formats.naming import Naming
from engines.formats.papers import FullPaper, PaperFormat
from engines.formats.records import BrokenFile, DocumentRecord, Problem, Remark, Skip
from engines.formats.registry import Shape
from engines.formats.s2orc_layouts import TEXTS_ALONE
from engines.formats.tei import flat, ids_of, paper_of, read_tei
from engines.formats.xml_tree import Node, read_xml

_MARK = re.compile(r"<tei(?:corpus)?[\s>]").search
_ENDINGS = re.compile(r"(?:\.grobid)?(?:\.tei)?\.xml(?:\.gz|\.bz2|\.xz)?$", re.IGNORECASE)
_CORPUS = "teiCorpus"


def read_tei_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem | Remark]:
    """Yield one document for each <TEI>. Raises `BrokenFile` if the file is not well-formed XML or no TEI."""
    root = read_xml(stream, file)
    if root.name not in ("TEI", _CORPUS):
        raise BrokenFile(file, root.line, f"the root element is <{root.name}>, not <TEI>")
    naming = Naming(file)
    has_texts = False
    for node in [root] if root.name == "TEI" else root.nodes("TEI"):
        paper = paper_of(node, file)
        has_texts = has_texts or bool(paper.paragraphs or paper.references)
        name = "" if root.name == _CORPUS else _ENDINGS.sub("", PurePath(file).name)
        yield _document(node, paper, name or node.attributes.get("id", ""), naming)
    if has_texts:
        yield Remark(file, 0, TEXTS_ALONE)
    yield from naming.remarks()


def _document(node: Node, paper: FullPaper, name: str, naming: Naming) -> DocumentRecord | Problem:
    if not paper.title and not paper.abstract:
        return Problem(naming.file, node.line, "the paper has neither a title nor an abstract")
    own = node.node("teiHeader", "fileDesc", "sourceDesc", "biblStruct")
    ids = {kind: value for kind, value in (ids_of(own) if own else {}).items() if kind not in ("doi", "url")}
    return DocumentRecord(
        naming.docno([name], paper.doi, paper.title, paper.authors, year=paper.year, text=paper.abstract),
        paper.title,
        paper.abstract,
        tuple(dict.fromkeys(_keywords(node))),
        paper.authors,
        paper.venue,
        paper.year,
        paper.doi,
        ids_of(own).get("url", "") if own else "",
        {"ids": ids} if ids else {},
        naming.file,
        node.line,
        "\n\n".join(paragraph.text for paragraph in paper.paragraphs) if paper.paragraphs else None,
    )


def _keywords(node: Node) -> Iterator[str]:
    holder = node.node("teiHeader", "profileDesc", "textClass")
    for keywords in holder.nodes("keywords") if holder else ():
        terms = list(keywords.walk("term"))
        yield from filter(None, (flat(term) for term in terms or [keywords]))


def _read_papers(stream: BinaryIO, file: str, **_: Any) -> Iterator[FullPaper]:
    yield read_tei(stream, file)


def read_tei_corpus(stream: BinaryIO, file: str) -> Iterator[FullPaper | Skip | Problem]:
    """Yield the paper of a file, or those of a <teiCorpus>; numbers that are no citations are left out, as `Skip`s.

    A file that is not well-formed, or no TEI, is a `Problem`: it is one of many.
    """
    try:
        root = read_xml(stream, file)
    except BrokenFile as broken:
        yield Problem(broken.file, broken.line, broken.reason)
        return
    nodes = [root] if root.name == "TEI" else list(root.nodes("TEI"))
    if not nodes:
        yield Problem(file, root.line, f"the root element is <{root.name}>, not <TEI>")
    for node in nodes:
        paper, loose = without_loose_numbers(paper_of(node, file))
        yield from (Skip(file, node.line, LOOSE_NUMBER, paper.doi or paper.title) for _ in range(loose))
        yield paper


_LAYOUT = Layout(
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head n="1">Intro</head>'
    '<p>As shown <ref type="bibr" target="#b0">[1]</ref>.</p></div></body>\n'
    '<back><listBibl><biblStruct xml:id="b0"><analytic><title level="a">Hearing of owls</title></analytic>'
    "</biblStruct></listBibl></back></text></TEI>\n",
    (
        optional("teiHeader", "title, authors, DOI, year and abstract of the paper"),
        required("p", "a paragraph of the body, in div with head"),
        optional("ref", "in a paragraph: with type bibr, a citation marker whose target is a reference"),
        optional("s", "in a paragraph: a sentence"),
        optional("note", "a footnote"),
        optional("figure", "its figDesc is a caption"),
        optional("biblStruct", "a reference, with its xml:id"),
        optional("coords", "an attribute: places on the pages"),
    ),
    "Other elements are not read; their text is part of the paragraph around them.",
)

_DOCUMENT = Layout(
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Hearing of owls</title>'
    "</titleStmt></fileDesc>\n<profileDesc><abstract><p>Owls hear well.</p></abstract></profileDesc>"
    "</teiHeader></TEI>\n",
    (
        required("titleStmt", "its title is the title; this or an abstract is required"),
        optional("abstract", "abstract, in profileDesc"),
        optional("biblStruct", "in sourceDesc: authors, journal, date and ids, among them the DOI"),
        optional("keywords", "keywords, in textClass"),
        optional("body", "its paragraphs, notes and captions are the full text"),
    ),
    "The name of the file is the id. Citation markers and references are read by an import of papers.",
)

TEI = PaperFormat(
    name="tei",
    label="GROBID TEI",
    help="XML that GROBID makes of a paper; as documents or mentions, also a <teiCorpus> of several.",
    reads={
        "documents": read_tei_documents,
        "papers": _read_papers,
        "mentions": mentions_from(read_tei_corpus),
    },
    shapes=(Shape("tei", ("papers", "mentions", "documents"), lambda head: _MARK(head.marks)),),
    layouts={"documents": _DOCUMENT, "papers": _LAYOUT, "mentions": _LAYOUT},
)
