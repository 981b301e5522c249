"""ACM-CR's XML of citation contexts and the annotators' `.dois` sheets (formats.md 11).

Everything is kept exactly as written: reference values are compared to docnos without trimming or folding, because
the released topics and qrels were made that way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from engines.formats.characters import FORBIDDEN
from engines.formats.layouts import DROPPED, Layout, optional, required
from engines.formats.lines import read_lines
from engines.formats.papers import PaperFormat
from engines.formats.records import BrokenFile, Problem, id_problem
from engines.formats.registry import Head, Shape
from engines.formats.xml_tree import Node, read_xml

_DOIS_LINE = re.compile(r"(-?)\[(\d+)\][\t ]+(\S+)[\t ]*(.*)").fullmatch


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a context: `cites` are reference numbers, repeats and order kept; empty for a plain sentence."""

    text: str
    cites: tuple[str, ...] = ()
    anonymised: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """A paragraph that cites: `number` is its id within the paper, `section` "introduction", "related work" or ""."""

    number: str
    section: str
    sentences: tuple[CitingSentence, ...]

    @property
    def text(self) -> str:
        """The sentences joined by one blank, as in the released topics."""
        return " ".join(sentence.text for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class AnnotatedPaper:
    """A paper with its citation contexts; `references` maps reference numbers to DOI, URL or None (no address)."""

    doi: str
    title: str
    abstract: str
    contexts: tuple[Context, ...]
    references: dict[str, str | None]
    file: str = ""
    status: str = ""  # "" for what people confirmed, else "draft" or "machine"

    @property
    def tail(self) -> str:
        """The part of the DOI after its last dot, which begins the numbers of its topics."""
        return self.doi.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class DoisLine:
    """A line of a `.dois` sheet; `outside` is the annotator's guess that the document is not in the collection."""

    number: str
    value: str
    note: str
    outside: bool


def read_acm_cr(stream: BinaryIO, file: str) -> AnnotatedPaper:
    """Return the paper. Raises `BrokenFile` if it is not well-formed or lacks what the format promises."""
    root = read_xml(stream, file)
    if root.name != "doc":
        raise BrokenFile(file, root.line, f"the root element is <{root.name}>, not <doc>")
    doi = _text(root, "doi").strip()
    if reason := id_problem(doi):
        raise BrokenFile(file, root.line, f"doi: {reason}")
    contexts = root.node("contexts")
    references = root.node("references")
    return AnnotatedPaper(
        doi,
        _text(root, "title"),
        _text(root, "abstract"),
        tuple(_context(node, file) for node in contexts.nodes("context")) if contexts else (),
        _references(references, file) if references else {},
        file,
        root.attributes.get("status", ""),
    )


def _text(root: Node, name: str) -> str:
    node = root.node(name)
    return node.text() if node else ""


def _context(node: Node, file: str) -> Context:
    sentences = []
    for part in node.nodes("s"):
        cites = tuple(number.strip() for number in part.attributes.get("cites", "").split(",") if number.strip())
        flag = part.attributes.get("anonymised", "").strip().lower()
        # Gold files hold anonymised="17" once: anything but a "no" means yes.
        sentences.append(CitingSentence(part.text(), cites, flag not in ("", "false", "0", "no")))
    number = node.attributes.get("id", "")
    if not number:
        raise BrokenFile(file, node.line, "a context has no id")
    return Context(number, node.attributes.get("section", ""), tuple(sentences))


def _references(node: Node, file: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for entry in node.nodes("reference"):
        number = entry.attributes.get("id", "")
        if not number or number in found:
            raise BrokenFile(file, entry.line, f"reference number {number!r} is missing or appears twice")
        value = entry.text()
        found[number] = None if value == "None" else value
    return found


def write_acm_cr(paper: AnnotatedPaper) -> Iterator[str]:
    """Yield the paper in the layout of the released files, its status as an attribute of <doc>.

    Raises `ValueError` for characters XML cannot hold.
    """
    status = f" status={_quoted(paper.status)}" if paper.status else ""
    yield f"<doc{status}>\n\t<doi>{_xml(paper.doi)}</doi>\n\t<title>{_xml(paper.title)}</title>\n"
    yield f"\t<abstract>{_xml(paper.abstract)}</abstract>\n\t<contexts>\n"
    for context in paper.contexts:
        yield f"\t\t<context id={_quoted(context.number)} section={_quoted(context.section)}>\n"
        for sentence in context.sentences:
            cites = f" cites={_quoted(','.join(sentence.cites))}" if sentence.cites else ""
            flag = ' anonymised="true"' if sentence.anonymised else ""
            yield f"\t\t\t<s{cites}{flag}>{_xml(sentence.text)}</s>\n"
        yield "\t\t</context>\n"
    yield "\t</contexts>\n\t<references>\n"
    for number, value in paper.references.items():
        yield f"\t\t<reference id={_quoted(number)}>{_xml('None' if value is None else value)}</reference>\n"
    yield "\t</references>\n</doc>\n"


def _xml(text: str) -> str:
    if FORBIDDEN.search(text):
        raise ValueError(f"the text {text[:40]!r} contains a character that XML does not allow")
    return escape(text, {"\r": "&#13;"})


def _quoted(text: str) -> str:
    _xml(text)
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def read_dois(stream: BinaryIO, file: str) -> Iterator[DoisLine | Problem]:
    """Yield the lines of a sheet: `[n] TAB value TAB note`, sometimes a blank instead of a TAB, `-` before what is
    outside the collection.

    The sheet is a worksheet: some lines of the released ones fit no rule, and the XML is the authority.
    """
    for number, text in read_lines(stream, file):
        match = _DOIS_LINE(text)
        if match:
            yield DoisLine(match[2], match[3], match[4].strip(), match[1] == "-")
        elif text.strip():
            yield Problem(file, number, "is not “[number] TAB address TAB note”")


def write_dois(lines: Iterable[DoisLine]) -> Iterator[str]:
    """Yield the lines of a sheet. Raises `ValueError` for an address with white space."""
    for line in lines:
        if not line.value or len(line.value.split()) != 1 or line.value != line.value.strip():
            raise ValueError(f"the address {line.value!r} of reference {line.number} is empty or contains white space")
        note = " ".join(line.note.split())
        yield f"{'-' if line.outside else ''}[{line.number}]\t{line.value}" + (f"\t{note}\n" if note else "\n")


def _read_papers(stream: BinaryIO, file: str, **_: Any) -> Iterator[AnnotatedPaper]:
    yield read_acm_cr(stream, file)


def _is_acm_cr(head: Head) -> bool:
    return "<doc" in head.marks and "<docno" not in head.marks and ("<doi" in head.marks or "<contexts" in head.marks)


ACM_CR = PaperFormat(
    name="acm-cr",
    label="ACM-CR XML",
    help="One <doc> per paper, with its citation contexts and references as people marked them.",
    reads={"papers": _read_papers},
    writes={"papers": write_acm_cr},
    shapes=(Shape("acm-cr", ("papers",), _is_acm_cr),),
    is_gold=True,
    layouts={
        "papers": Layout(
            '<doc><doi>10.1145/3</doi><title>Owls</title><abstract/><contexts><context id="01" section="introduction">'
            '<s cites="1">As shown [1].</s></context></contexts>\n'
            '<references><reference id="1">10.1145/1</reference></references></doc>\n',
            (
                required("doi", "DOI of the paper"),
                optional("title", "title"),
                optional("abstract", "abstract"),
                optional("context", "a paragraph that cites; attributes: id and section (introduction, related work)"),
                optional("s", "a sentence; attributes: cites (numbers of references) and anonymised"),
                optional("reference", "DOI or URL of a reference, or None; attribute: id"),
                optional("status", "attribute of doc: draft or machine, nothing where people confirmed the paper"),
            ),
            DROPPED,
        )
    },
)
