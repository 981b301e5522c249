"""What the readers of file formats yield and the writers take: plain frozen records, no Django.

Readers are generators of records, `Skip`s and `Problem`s in file order. A bad record is a `Problem` and
reading goes on; a record left out by a stated rule is a `Skip`; a file that cannot be trusted as a whole
raises `BrokenFile`, so that the caller can leave everything as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_ID_LENGTH = 255
MAX_TOPIC_LENGTH = 100
is_plain_id = re.compile(r"[!-~]{1,255}").fullmatch


class BrokenFile(Exception):
    """The file as a whole cannot be read: it is binary, undecodable or cut off, or has lines that are too long.

    `line` is the 1-based line where it showed, or 0 where lines mean nothing (an archive, a binary file).
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that was left out because it is wrong, with the place and a reason that a person can act on."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class PartProblem(Problem):
    """A part of a record that was left out because it is wrong; the record itself is yielded as well."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A record that was left out by a rule, not by an error.

    `reason` is one of a small, fixed set of sentences for each reader, so that skips can be counted by it.
    """

    file: str
    line: int
    reason: str
    docno: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence on how a file was understood, for people: its format and encoding, or what a column was taken for.

    It is reported with the import, once for all files that have it in common.
    """

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One document. Absent texts are ""; `extra` holds all other fields as JSON values.

    Readers that know citations give them as docnos in `extra["citations"]` (cited) and `extra["cited_by"]`, arXiv's
    categories in `extra["categories"]`. `full_text` is None where the file says nothing of one, "" where it says that
    there is none.
    """

    docno: str
    title: str
    abstract: str
    keywords: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int = 0
    full_text: str | None = None


@dataclass(frozen=True, slots=True)
class AspectRecord:
    """An aspect of a topic with its sub-aspects; `sentences` are 0-based places in the topic's `sentences`.

    `spoken_in` are the places of the sentences that speak of it; None where these are the ones it comes from. DORIS-MAE
    has both maps (`aspect_id2sent`, `sent2aspect_id`), and they are not always each other's inverse.
    """

    text: str
    children: tuple[AspectRecord, ...] = ()
    sentences: tuple[int, ...] = ()
    spoken_in: tuple[int, ...] | None = None

    @property
    def speaking(self) -> tuple[int, ...]:
        """The places of the sentences that speak of it."""
        return self.sentences if self.spoken_in is None else self.spoken_in

    def walk(self) -> Iterator[AspectRecord]:
        """Yield this aspect and everything below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """One topic. `kind` and `source` are "" where the format does not say; `targets` are docnos that fit.

    DORIS-MAE's candidate pools and source papers are docnos in `extra["candidate_pool"]` and `extra["idea_from"]`.
    `text_from` and `title_from` are the fields of the file that text and title come from, where fields have names.
    """

    number: str
    title: str
    text: str
    narrative: str = ""
    kind: str = ""
    source: str = ""
    sentences: tuple[str, ...] = ()
    aspects: tuple[AspectRecord, ...] = ()
    file: str = ""
    line: int = 0
    targets: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    author: str = ""
    text_from: str = field(default="", compare=False)
    title_from: str = field(default="", compare=False)

    def item_texts(self) -> list[str]:
        """Return the distinct texts of all aspects and sub-aspects: equal texts of one topic are one item."""
        return list(dict.fromkeys(node.text for aspect in self.aspects for node in aspect.walk()))


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of a TREC run. Readers of trec_eval's kind order by score and ignore `rank`."""

    topic: str
    docno: str
    rank: int
    score: float
    tag: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class QrelRow:
    """One line of TREC qrels. `iteration` is free: "0", an annotator, a reference number or a subtopic."""

    topic: str
    iteration: str
    docno: str
    value: int
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """One label of one annotator. `aspect`, `docno` and `criterion` are "" where the file does not name them;
    `value` is the label as written, a number without a needless ".0".

    `details` hold how it was given, by the names of `engines.formats.judgment_columns`, without what the file does not
    say.
    """

    annotator: str
    topic: str
    aspect: str
    docno: str
    criterion: str
    value: str
    machine: bool
    file: str = ""
    line: int = 0
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def said(self) -> str:
        """A machine's words, "" where the file has none."""
        return str(self.details.get("said", ""))

    @property
    def label_id(self) -> str:
        """Who labelled what by which criterion, for messages: one annotator labels a thing once."""
        parts = (self.annotator, self.topic, self.aspect, self.docno, self.criterion)
        return " · ".join(filter(None, parts))


def id_problem(text: str, longest: int = MAX_ID_LENGTH) -> str | None:
    """Return why `text` cannot be an external id (docno, topic number), or None.

    TREC files separate fields by white space, so an id must not hold any; control characters and lone
    surrogates cannot be stored or printed.
    """
    if is_plain_id(text) and len(text) <= longest:
        return None
    if not text:
        return "the id is empty"
    if len(text) > longest:
        return f"the id has {len(text)} characters; at most {longest} are allowed"
    if len(text.split()) != 1 or text[0].isspace() or text[-1].isspace():
        return f"the id {text!r} contains white space, which TREC files do not allow"
    if not text.isprintable():
        return f"the id {text!r} holds characters that cannot be printed"
    return None
