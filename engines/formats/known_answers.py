"""Known answers: a CSV table of what is right about an item, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.comments import Comments
from engines.formats.csv_text import read_csv
from engines.formats.layouts import DROPPED, Layout, optional, required
from engines.formats.qrels import whole_number
from engines.formats.records import MAX_TOPIC_LENGTH, Problem, Remark, id_problem
from engines.formats.registry import Certainty, Format, Shape

REQUIRED = ("topic", "value")
MARKS = {"topic", "value", "explanation"}  # no other file has these columns
LONGEST_EXPLANATION = 10_000


@dataclass(frozen=True, slots=True)
class KnownAnswerRow:
    """The right value of one item. `aspect`, `docno` and `criterion` are "" where the file does not name them."""

    topic: str
    aspect: str
    docno: str
    criterion: str
    value: str
    explanation: str
    file: str = ""
    line: int = 0

    @property
    def label_id(self) -> str:
        """What it is about, for messages: it occurs once in a file."""
        return " · ".join(filter(None, (self.topic, self.aspect, self.docno, self.criterion)))


def read_known_answers(stream: BinaryIO, file: str) -> Iterator[KnownAnswerRow | Remark | Problem]:
    """Yield the rows; comments (#) are passed over. Raises `BrokenFile` for a file that is no such table."""
    comments = Comments(file)
    for found in read_csv(stream, file, required=REQUIRED, comments=comments):
        yield found if isinstance(found, Problem) else _row(*found, file)
    yield from comments.remarks()


def _row(line: int, cells: dict[str, str], file: str) -> KnownAnswerRow | Problem:
    topic, aspect, docno, criterion, value, explanation = (
        cells.get(name, "").strip() for name in ("topic", "aspect", "docno", "criterion", "value", "explanation")
    )
    reason = id_problem(topic, MAX_TOPIC_LENGTH) or (id_problem(docno) if docno else None)
    if not reason and not value:
        reason = "has no value"
    if not reason and len(explanation) > LONGEST_EXPLANATION:
        reason = f"the explanation is longer than {LONGEST_EXPLANATION:,} characters"
    if reason:
        return Problem(file, line, reason)
    return KnownAnswerRow(topic, aspect, docno, criterion, whole_number(value), explanation, file, line)


KNOWN_ANSWERS = Format(
    name="known-answers",
    label="Known answers (CSV)",
    help="A table with the columns topic, aspect, docno, criterion, value and explanation.",
    reads={"known-answers": read_known_answers},
    shapes=(
        Shape("known-answers", ("known-answers",), lambda head: set(head.columns) >= MARKS),
        Shape("known-answers", ("known-answers",), lambda head: len(head.columns) >= len(REQUIRED), Certainty.LAST),
    ),
    layouts={
        "known-answers": Layout(
            "topic,docno,criterion,value,explanation\n1,10.1145/1,relevance,2,The abstract measures it.\n",
            (
                required("topic", "number of the topic"),
                optional("aspect", "text of the aspect, where aspects are judged; empty for the whole topic"),
                optional("docno", "id of the document, where documents are judged"),
                optional("criterion", "key of the criterion; may be empty in a campaign with one criterion"),
                required("value", "value of the right level, a whole number"),
                optional("explanation", "why it is right; people in training read it"),
            ),
            f"The first line names the columns, in any order; commas, semicolons or tabs separate them. {DROPPED}",
        )
    },
)
