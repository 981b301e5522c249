"""TREC topics in the old, tagged style (formats.md 3.3), with whatever tags a file has.

It is no XML: `&` and `<` stand raw in texts and end tags are missing. A line that begins with a tag opens a field,
which ends at its end tag, at the next such line or with the topic. Tags that mark up text (`<b>`, `<p>`) open nothing.
What the fields are is said in `topic_fields`; other ones go to `extra` under their tags in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError
from engines.formats.lines import read_lines
from engines.formats.records import (
    MAX_TOPIC_LENGTH,
    BrokenFile,
    PartProblem,
    Problem,
    TopicRecord,
    id_problem,
)
from engines.formats.topic_fields import document_among, gathered, is_number_name, is_text_name, topic_from

MAX_TOPIC_CHARS = 1 << 20

_OPENING = re.compile(r"\s*<([A-Za-z][\w:.-]*)(\s[^<>]*)?/?>")
_CLOSING = re.compile(r"\s*</([A-Za-z][\w:.-]*)\s*>")
_TOP = re.compile(r"\s*<(top|topic)\b([^<>]*)>", re.IGNORECASE)
# Between the topics of one line, and what is around them.
_BORDER = re.compile(r"(?<=>)\s*(?=<(?:top|topic)[\s>])|(?<=</top>)\s*(?=<)|(?<=</topic>)\s*(?=<)", re.IGNORECASE)
_AROUND = re.compile(r"\s*(?:<[?!/]?[A-Za-z-][^<>]*>\s*)+$")  # tags that hold the topics, and what XML begins with
_ATTRIBUTE = re.compile(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
# Tags that mark up a text and open no field.
MARKUP = frozenset("a b br code div em i li ol p small span strong sub sup table td th tr tt u ul".split())
_LABELS = {
    "num": re.compile(r"\s*(?:topic\s+)?number:\s*", re.IGNORECASE),
    "title": re.compile(r"\s*topic:\s*", re.IGNORECASE),
    "desc": re.compile(r"\s*description:\s*", re.IGNORECASE),
    "narr": re.compile(r"\s*narrative:\s*", re.IGNORECASE),
}
_LINE_BREAKS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_WRITABLE = re.compile(r"[a-z][a-z0-9_.-]*").fullmatch  # a tag that our reader takes for a field


class _Draft:
    """The topic being read: where it began, its fields in order as (name, lines), and the one that is open."""

    def __init__(self, line: int, attributes: str) -> None:
        self.line = line
        self.fields: list[tuple[str, list[str]]] = []
        self.open: tuple[str, list[str]] | None = None
        self.size = 0
        self._note("", attributes)

    def take(self, text: str, file: str) -> None:
        """Take in a line: tags at its beginning change the field, the rest is text of the open field."""
        self.size += len(text)
        if self.size > MAX_TOPIC_CHARS:
            raise BrokenFile(file, self.line, f"the topic is longer than {MAX_TOPIC_CHARS} characters")
        while text.strip():
            rest = self._take_tag(text)
            if rest is None:
                break
            text = rest
        if not text.strip():
            return
        if self.open is None:  # text directly in the topic
            self._open("text" if all(name != "text" for name, _ in self.fields) else "other text")
        self.open[1].append(text)  # type: ignore[index] # opened above

    def _take_tag(self, text: str) -> str | None:
        """Take in the tag at the beginning, or what ends the open field; return the rest, None where neither is."""
        if self.open is not None and (end := self._end_of_open(text)) is not None:
            self.open[1].append(text[: end.start()])
            self.open = None
            return text[end.end() :]
        opening, closing = _OPENING.match(text), _CLOSING.match(text)
        if closing and closing[1].lower() not in MARKUP:
            return text[closing.end() :]  # of a field that another one has ended, or of several together
        if opening is None or opening[1].lower() in MARKUP:
            return None
        self._open(opening[1].lower())
        self._note(f"{opening[1].lower()} ", opening[2] or "")
        return text[opening.end() :]

    def _end_of_open(self, text: str) -> re.Match[str] | None:
        name = re.escape(self.open[0]) if self.open else ""
        return re.search(rf"</{name}\s*>(?=\s*(?:<|$))", text, re.IGNORECASE)

    def _open(self, name: str) -> None:
        self.open = (name, [])
        self.fields.append(self.open)

    def _note(self, before: str, attributes: str) -> None:
        for match in _ATTRIBUTE.finditer(attributes):
            value = next((part for part in match.groups()[1:] if part is not None), "")
            self.fields.append((f"{before}{match[1].lower()}", [value]))


def read_trec_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem]:
    """Yield the topics of an old-style file; `text_from` as in `topic_from`.

    Raises `BrokenFile` if the file is not text or ends inside a topic.
    """
    reader = _Reader(file, text_from)
    for number, line in read_lines(stream, file):
        for part in _BORDER.split(line) if "><" in line or "> <" in line else (line,):
            yield from reader.take(number, part)
    yield from reader.end()


class _Reader:
    """What a line may change: the topic that is open, how topics are called (`top` or `topic`), whether one was not
    closed."""

    def __init__(self, file: str, text_from: str) -> None:
        self.file = file
        self.text_from = text_from
        self.draft: _Draft | None = None
        self.element = ""
        self.is_unclosed = False

    def take(self, number: int, line: str) -> Iterator[TopicRecord | Problem]:
        """Take in a line; yield the topic that it ends."""
        begins = _TOP.match(line)
        if begins and self.element in ("", begins[1].lower()):
            yield from self._begin(number, begins)
            yield from self._take_text(line[begins.end() :], may_end=True)
        elif self.draft is not None:
            yield from self._take_text(line, may_end=line.lstrip().startswith("<"))
        elif line.strip() and not _AROUND.match(line):
            yield Problem(self.file, number, "text stands outside of a topic")

    def end(self) -> Iterator[TopicRecord | Problem]:
        """Yield the topic that the end of the file ends, which is a fault where others were closed."""
        if self.draft is not None and not self.is_unclosed:
            raise BrokenFile(self.file, self.draft.line, "the file ends inside the topic that begins here")
        if self.draft is not None:
            yield from self._unclosed(self.draft, "the file ends")

    def _begin(self, number: int, begins: re.Match[str]) -> Iterator[TopicRecord | Problem]:
        self.element = begins[1].lower()
        if self.draft is not None:
            self.is_unclosed = True
            yield from self._unclosed(self.draft, f"another <{self.element}> follows")
        self.draft = _Draft(number, begins[2])

    def _take_text(self, text: str, *, may_end: bool) -> Iterator[TopicRecord | Problem]:
        if self.draft is None:
            return
        ends = re.search(rf"</{self.element}>\s*$", text, re.IGNORECASE) if may_end else None
        self.draft.take(text[: ends.start()] if ends else text, self.file)
        if ends:
            yield _topic(self.draft, self.file, self.text_from)
            self.draft = None

    def _unclosed(self, draft: _Draft, why: str) -> Iterator[TopicRecord | Problem]:
        topic = _topic(draft, self.file, self.text_from)
        if isinstance(topic, TopicRecord):
            yield PartProblem(self.file, draft.line, f"the topic is not closed: {why}")
        yield topic


def _topic(draft: _Draft, file: str, text_from: str) -> TopicRecord | Problem:
    fields, more = gathered((name, _text(name, lines)) for name, lines in draft.fields)
    try:
        return topic_from(fields, file, draft.line, text_from=text_from or document_among(fields), more=more)
    except FieldError as error:
        return Problem(file, draft.line, str(error))


def _text(name: str, lines: list[str]) -> str:
    return without_label(name, " ".join(line.strip() for line in lines if line.strip()))


def without_label(name: str, text: str) -> str:
    """The text of a field without the label that TREC puts before it ("Number:", "Description:")."""
    label = _LABELS[name].match(text) if name in _LABELS else None
    return text[label.end() :] if label else text


def write_trec_topics(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield each topic in the old style, laid out as ACM-CR's; raises `ValueError` for a number with white space.

    Every field stands on one line, since readers lose lines that begin with `<`; a text that begins so follows its
    label. A label is put before a title that looks like one, because readers take one label off. Texts in `extra` are
    further fields, where their names can be tags.
    """
    for topic in topics:
        if reason := id_problem(topic.number, MAX_TOPIC_LENGTH):
            raise ValueError(reason)
        title = one_line(topic.title)
        label = "Topic: " if _LABELS["title"].match(title) else ""
        yield (
            f"<top>\n<num> Number: {topic.number}\n<title> {label}{title}\n\n"
            f"<desc> Description:{_placed(topic.text)}\n\n<narr> Narrative:{_placed(topic.narrative)}"
        )
        yield "\n\n" if one_line(topic.narrative) else "\n"
        yield from (f"<{name}> {text}\n\n" for name, value in topic.extra.items() for text in _written(name, value))
        yield "</top>\n\n"


def _placed(text: str) -> str:
    line = one_line(text)
    return f" {line}" if line.startswith("<") else f"\n{line}"


def _written(name: str, value: Any) -> list[str]:
    """The texts of a further field, none where the layout cannot hold them or readers take them for something else."""
    values = value if isinstance(value, list) else [value]
    if not _WRITABLE(name) or name in ("top", *MARKUP) or is_number_name(name) or is_text_name(name):
        return []
    if not all(isinstance(each, str) for each in values):
        return []
    return [line for each in values if (line := one_line(each))]


def one_line(text: str) -> str:
    """Return `text` on one line: every run of line ends (all that readers take for one) becomes a blank."""
    return _LINE_BREAKS.sub(" ", text).strip()
