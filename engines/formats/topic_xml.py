"""Topics in XML of any root: of the Web track, CLEF, TREC-COVID, the health, clinical and conversational tracks.

A topic is an element with a number, as an attribute or a child, or one that is called `topic`. Its attributes and
children are its fields; text that stands directly in it is its text. `<field name="x">` is the field x, subtopics are
aspects, and a field that holds other fields is kept whole in `extra`. Elements that hold no topic are reported.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO

from engines.formats.encodings import as_utf8
from engines.formats.json_fields import FieldError
from engines.formats.notes import notes_of
from engines.formats.records import AspectRecord, BrokenFile, PartProblem, Problem, TopicRecord
from engines.formats.topic_fields import document_among, gathered, is_number_name, is_text_name, topic_from
from engines.formats.trec_topics import MARKUP, read_trec_topics, without_label
from engines.formats.xml_tree import MAX_BYTES, Node, NotWellFormed, parse_xml, read_xml

_TOPICS = ("topic", "top", "query")


def read_xml_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem]:
    """Yield the topics of an XML file; `text_from` as in `topic_from`.

    Raises `BrokenFile` where it is not well-formed, too large, declares entities or holds nothing with a number.
    """
    yield from _topics_of(read_xml(stream, file), file, text_from)


def _topics_of(root: Node, file: str, text_from: str) -> Iterator[TopicRecord | Problem]:
    nodes, others = _topics_in(root)
    if not nodes:
        raise BrokenFile(file, root.line, f"<{root.name}> holds no topics: no element in it has a number")
    for node in others:
        yield PartProblem(file, node.line, f"<{node.name}> is not part of a topic; it was left out")
    for node in nodes:
        yield _topic(node, file, text_from)


def read_marked_up_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem]:
    """Yield the topics of a file of either style: as XML where it is XML, else tag by tag, with a note."""
    stream = as_utf8(stream, file)
    data = stream.read(MAX_BYTES + 1)
    try:
        yield from _topics_of(parse_xml(data, file, notes_of(stream)), file, text_from)
    except NotWellFormed as broken:
        try:
            found = list(read_trec_topics(io.BytesIO(data), file, text_from=text_from))
        except BrokenFile:
            raise broken from None
        if not any(isinstance(topic, TopicRecord) for topic in found):
            raise
        yield PartProblem(file, broken.line, f"{broken.reason}; it was read tag by tag")
        yield from found


def _topics_in(root: Node) -> tuple[list[Node], list[Node]]:
    """The elements that are topics, and those that are left out. What topics are called is known from the nearest level
    to the root that has any; they are taken at every level."""
    if root.name.lower() in _TOPICS and _has_number(root):
        return [root], []
    level = [root]
    while level:
        below = [child for node in level for child in node.nodes()]
        named = Counter(child.name for child in below if child.name.lower() in _TOPICS or _has_number(child))
        if named:
            names = {name for name in named if name.lower() in _TOPICS} or {named.most_common(1)[0][0]}
            return _parted(root, names)
        level = below
    return [], []


def _parted(node: Node, names: set[str]) -> tuple[list[Node], list[Node]]:
    """The elements of these names below the node, at any level but within each other, and those without any."""
    topics: list[Node] = []
    others: list[Node] = []
    for child in node.nodes():
        if child.name in names:
            topics.append(child)
            continue
        below, around = _parted(child, names)
        topics += below
        others += around if below else [child]
    return topics, others


def _has_number(node: Node) -> bool:
    return any(map(is_number_name, node.attributes)) or any(is_number_name(child.name) for child in node.nodes())


def _topic(node: Node, file: str, text_from: str) -> TopicRecord | Problem:
    subtopics = [child for child in node.nodes() if child.name.lower() == "subtopic"]
    aspects = tuple(AspectRecord(words) for child in subtopics if (words := _words(child)))
    fields, more = gathered(_pairs(node))
    try:
        return topic_from(
            fields, file, node.line, text_from=text_from or document_among(fields), more=more, aspects=aspects
        )
    except FieldError as error:
        return Problem(file, node.line, str(error))


def _pairs(node: Node) -> Iterator[tuple[str, Any]]:
    """The fields of a topic: its attributes, the text directly in it, its children."""
    yield from node.attributes.items()
    children = node.nodes()
    if children and all(child.name.lower() in MARKUP for child in children):
        yield "text", _words(node)
        return
    own = " ".join(words for part in node.content if isinstance(part, str) and (words := " ".join(part.split())))
    has_text = any(child.name.lower() == "text" for child in children)
    yield "other text" if has_text else "text", own
    seen: set[str] = set()
    for child in children:
        yield from _fields_of(child, is_first=child.name not in seen)
        seen.add(child.name)


def _fields_of(node: Node, *, is_first: bool) -> Iterator[tuple[str, Any]]:
    """A child as fields: its text under its name, its attributes as further fields. Further children of a name become
    objects if they have attributes; so does one that holds other fields, unless it is a known text."""
    name, attributes, words = node.name, node.attributes, _words(node)
    if name.lower() == "subtopic":
        yield from [(name, {**attributes, "text": words})] if attributes else []
    elif set(attributes) == {"name"} and attributes["name"].strip():
        yield attributes["name"].strip(), words
    elif _is_nested(node) and not (is_first and is_text_name(name)):
        yield name, _object(node)
    elif is_first:
        yield name, without_label(name.lower(), words) if name.lower() != "title" else words
        yield from ((f"{name} {each}", value) for each, value in attributes.items())
        yield from [(f"{name} parts", _object(node))] if _is_nested(node) else []
    else:
        yield name, {**attributes, "text": words} if attributes else words


def _is_nested(node: Node) -> bool:
    """Whether it has elements that do not only mark up its text."""
    return any(child.name.lower() not in MARKUP for child in node.nodes()) and not _own_text(node)


def _own_text(node: Node) -> str:
    return "".join(part for part in node.content if isinstance(part, str)).strip()


def _object(node: Node) -> Any:
    """An element as a JSON value: its text, or an object of its attributes and children."""
    if not _is_nested(node):
        return {**node.attributes, "text": _words(node)} if node.attributes else _words(node)
    first, more = gathered([*node.attributes.items(), *((child.name, _object(child)) for child in node.nodes())])
    return {name: [value, *more[name]] if name in more else value for name, value in first.items()}


def _words(node: Node) -> str:
    """The text of an element; texts of elements side by side are separated by blanks, those of markup within a text are
    not."""
    return " ".join(_words(child) for child in node.nodes()) if _is_nested(node) else " ".join(node.text().split())
