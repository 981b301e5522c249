"""XML from strangers as a small tree that keeps text and elements in order, and the line each element begins on.

Entity declarations and external references are refused (defusedxml), size and depth are bounded. Names come without
their namespace: no format read here uses two of them with equal names. What people write into XML by hand, such as a
bare &, is read as the text that it is, with a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.parsers.expat import errors

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from engines.formats.encodings import as_utf8
from engines.formats.notes import Notes, notes_of
from engines.formats.records import BrokenFile
from engines.formats.xml_repairs import repaired

MAX_BYTES = 64 << 20
MAX_DEPTH = 200
# What to do about faults, by expat's words for them.
_ADVICE = {
    errors.XML_ERROR_TAG_MISMATCH: "close each element by its own end tag, the inner one first",
    errors.XML_ERROR_NO_ELEMENTS: "the file ends before all elements are closed",
    errors.XML_ERROR_UNCLOSED_TOKEN: "the file ends within a tag",
    errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "put one element around all others",
    errors.XML_ERROR_INVALID_TOKEN: "write < and & as &lt; and &amp; where they are part of a text",
}


class NotWellFormed(BrokenFile):
    """The file looks like XML but is not well-formed."""


@dataclass(slots=True)
class Node:
    """An element: `content` is its texts and elements in order."""

    name: str
    attributes: dict[str, str]
    line: int
    content: list[Node | str] = field(default_factory=list)

    def nodes(self, name: str = "") -> list[Node]:
        """Return the child elements, all or those of one name."""
        return [part for part in self.content if isinstance(part, Node) and name in ("", part.name)]

    def node(self, *path: str) -> Node | None:
        """Return the first element along a path of child names."""
        found: Node | None = self
        for name in path:
            found = next(iter(found.nodes(name)), None) if found else None
        return found

    def walk(self, name: str = "") -> Iterator[Node]:
        """Yield all elements below this one, parents first, all or those of one name."""
        for part in self.nodes():
            if name in ("", part.name):
                yield part
            yield from part.walk(name)

    def text(self) -> str:
        """Return all text below this element."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.content)


class _Builder:
    """What the parser calls; `line` is asked of the parser itself."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Node] = []
        self.texts: list[str] = []  # of one text, which comments cut into pieces
        self.parser: DefusedXMLParser | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise ValueError(f"elements are nested more than {MAX_DEPTH} levels deep")
        self.end_text()
        line = self.parser.parser.CurrentLineNumber if self.parser else 0
        node = Node(_local(tag), {_local(name): value for name, value in attributes.items()}, line)
        if self.open:
            self.open[-1].content.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, tag: str) -> None:  # noqa: ARG002 (the parser has checked that it matches)
        self.end_text()
        self.open.pop()

    def data(self, text: str) -> None:
        self.texts.append(text)

    def end_text(self) -> None:
        if self.texts:
            self.open[-1].content.append("".join(self.texts))
            self.texts = []

    def close(self) -> None:
        """Nothing is left to do; the parser asks for it."""


def read_xml(stream: BinaryIO, file: str) -> Node:
    """Return the root of the document. Characters that XML does not allow in texts are noted with the stream.

    Raises `BrokenFile` if it is not well-formed otherwise, too large or declares entities.
    """
    stream = as_utf8(stream, file)
    return parse_xml(stream.read(MAX_BYTES + 1), file, notes_of(stream))


def parse_xml(data: bytes, file: str, notes: Notes) -> Node:
    """As `read_xml`, of the bytes of a file in UTF-8."""
    if len(data) > MAX_BYTES:
        raise BrokenFile(file, 0, f"the XML is larger than {MAX_BYTES >> 20} MB")
    try:
        return _parsed(data, file)
    except NotWellFormed:
        better, found = repaired(data)
        if not found:
            raise
        root = _parsed(better, file)
        for line, reason in found:
            notes.add(line, reason)
        return root


def _parsed(data: bytes, file: str) -> Node:
    builder = _Builder()
    builder.parser = parser = DefusedXMLParser(target=builder, encoding="utf-8")  # whatever it declares
    try:
        parser.feed(data)
        parser.close()
    except ParseError as error:
        raise NotWellFormed(file, *_fault(error)) from error
    except DefusedXmlException as error:
        raise BrokenFile(file, 0, "declares XML entities, which are not read here; write them out") from error
    except (ValueError, LookupError) as error:
        raise BrokenFile(file, 0, f"is not readable XML: {error}") from error
    if builder.root is None:
        raise NotWellFormed(file, 0, f"is not well-formed XML: {errors.XML_ERROR_NO_ELEMENTS}")
    return builder.root


def _fault(error: ParseError) -> tuple[int, str]:
    """The line of a fault, and what is wrong at which character of it."""
    line, column = getattr(error, "position", (0, 0))
    what = str(error.msg).partition(": line")[0]
    advice = _ADVICE.get(what, "")
    what = what.removeprefix("not well-formed (").removesuffix(")")
    return line, f"is not well-formed XML: {what} at character {column + 1}{f'; {advice}' if advice else ''}"


def _local(name: str) -> str:
    return name.rpartition("}")[2]
