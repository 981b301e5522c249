"""TREC topics: the old SGML style (formats.md 3.3) and the XML of the Web track.

The old style is no XML: `&` and `<` stand raw in texts, end tags are missing, and a field ends where a line begins with
the next tag. Title, description and narrative become `title`, `text` and `narrative`; a topic without a description
takes its title for text. What other tags hold goes to `extra`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from engines.formats.lines import read_lines
from engines.formats.records import (
    MAX_TOPIC_LENGTH,
    AspectRecord,
    BrokenFile,
    Problem,
    TopicRecord,
    id_problem,
)
from engines.formats.trec_documents import Draft
from engines.formats.xml_tree import Node, read_xml

MAX_TOPIC_CHARS = 1 << 20

_TAGS = "num|title|desc|narr|dom|head|smry|con|fac|def|nat|time"
_OPENING = re.compile(rf"<({_TAGS})\b[^>]*>", re.IGNORECASE)
_TOP = re.compile(r"<top>", re.IGNORECASE)
_TOP_END = re.compile(r"</top>\s*$", re.IGNORECASE)
_END_TAG = re.compile(rf"</(?:{_TAGS})>\s*$", re.IGNORECASE)
_LABELS = {
    "num": re.compile(r"\s*(?:topic\s+)?number:\s*", re.IGNORECASE),
    "title": re.compile(r"\s*topic:\s*", re.IGNORECASE),
    "desc": re.compile(r"\s*description:\s*", re.IGNORECASE),
    "narr": re.compile(r"\s*narrative:\s*", re.IGNORECASE),
}
_LINE_BREAKS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


class _TopicDraft(Draft):
    def take(self, text: str, file: str) -> None:
        """Take in a line: tags at its beginning change the field, the rest is text of the open field."""
        self.size += len(text)
        if self.size > MAX_TOPIC_CHARS:
            raise BrokenFile(file, self.line, f"the topic is longer than {MAX_TOPIC_CHARS} characters")
        while tag := _OPENING.match(text):
            self.open = tag[1].lower()
            text = text[tag.end() :]
            self.fields.setdefault(self.open, [])
            inner = re.search(rf"</{self.open}>\s*(?=<)", text, re.IGNORECASE)
            if inner is None:
                break
            self.fields[self.open].append(text[: inner.start()])
            text = text[inner.end() :]
        if self.open:
            self.fields[self.open].append(_END_TAG.sub("", text))


def read_trec_topics(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Yield the topics of an old-style file.

    Raises `BrokenFile` if the file is not text or ends inside a topic.
    """
    draft: _TopicDraft | None = None
    for number, line in read_lines(stream, file):
        begins = _TOP.match(line)
        if begins:
            if draft is not None:
                yield Problem(file, draft.line, "the topic is not closed: another <top> follows")
            draft = _TopicDraft(number)
        text = line[begins.end() :] if begins else line
        ends = _TOP_END.search(text) if begins or text.startswith("<") else None
        if draft is not None:
            draft.take(text[: ends.start()] if ends else text, file)
        elif text.strip():
            yield Problem(file, number, "text stands outside of a topic")
        if ends and draft is not None:
            yield _topic(draft, file)
            draft = None
    if draft is not None:
        raise BrokenFile(file, draft.line, "the file ends inside the topic that begins here")


def _topic(draft: _TopicDraft, file: str) -> TopicRecord | Problem:
    fields = {name: _text(name, lines) for name, lines in draft.fields.items()}
    number = fields.pop("num", "")
    title, text, narrative = fields.pop("title", ""), fields.pop("desc", ""), fields.pop("narr", "")
    if reason := id_problem(number, MAX_TOPIC_LENGTH):
        return Problem(file, draft.line, reason if number else "the topic has no number")
    if not text and not title:
        return Problem(file, draft.line, f"topic {number} has neither a title nor a description")
    extra = {name: value for name, value in fields.items() if value}
    return TopicRecord(number, title, text or title, narrative, file=file, line=draft.line, extra=extra)


def _text(name: str, lines: list[str]) -> str:
    text = " ".join(line.strip() for line in lines if line.strip())
    label = _LABELS[name].match(text) if name in _LABELS else None
    return text[label.end() :] if label else text


def read_web_topics(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Yield the topics of a Web-track file: query as title, description as text, subtopics as aspects."""
    root = read_xml(stream, file)
    if root.name != "topics":
        raise BrokenFile(file, root.line, f"the root element is <{root.name}>, not <topics>")
    for node in root.nodes("topic"):
        number = node.attributes.get("number", "").strip()
        title, text = _inner(node, "query"), _inner(node, "description")
        aspects = tuple(AspectRecord(words) for sub in node.nodes("subtopic") if (words := _fold(sub.text())))
        if reason := id_problem(number, MAX_TOPIC_LENGTH):
            yield Problem(file, node.line, reason if number else "the topic has no number")
        elif not title and not text:
            yield Problem(file, node.line, f"topic {number} has neither a query nor a description")
        else:
            extra = {name: value for name, value in node.attributes.items() if name != "number"}
            narrative, line = _inner(node, "narrative"), node.line
            yield TopicRecord(
                number, title, text or title, narrative, aspects=aspects, file=file, line=line, extra=extra
            )


def _inner(node: Node, name: str) -> str:
    child = node.node(name)
    return _fold(child.text()) if child else ""


def _fold(text: str) -> str:
    return " ".join(text.split())


def write_trec_topics(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield each topic in the old style, laid out as ACM-CR's; raises `ValueError` for a number with white space.

    Every field stands on one line, since readers lose lines that begin with `<`; a text that begins so is moved one
    blank to the right. A label is put before a title that looks like one, because readers take one label off.
    """
    for topic in topics:
        if reason := id_problem(topic.number, MAX_TOPIC_LENGTH):
            raise ValueError(reason)
        title = one_line(topic.title)
        label = "Topic: " if _LABELS["title"].match(title) else ""
        yield (
            f"<top>\n<num> Number: {topic.number}\n<title> {label}{title}\n\n"
            f"<desc> Description:\n{_guarded(topic.text)}\n\n<narr> Narrative:\n{_guarded(topic.narrative)}"
        )
        yield "\n\n</top>\n\n" if one_line(topic.narrative) else "\n</top>\n\n"


def _guarded(text: str) -> str:
    line = one_line(text)
    return f" {line}" if line.startswith("<") else line


def one_line(text: str) -> str:
    """Return `text` on one line: every run of line ends (all that readers take for one) becomes a blank."""
    return _LINE_BREAKS.sub(" ", text).strip()
