"""Say what is wrong with qrels before an evaluation tool does, or worse, does not (formats.md 3.1 and 4).

trec_eval refuses some things (duplicates, blank lines) and reads others as something else; ndeval silently counts a
repeated line twice. `fatal` findings are what one of them refuses or miscounts; `warning` is for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from corpus.formats.qrels import HIGHEST, LOWEST
from corpus.formats.records import QrelRow
from corpus.formats.repeats import SeenIds

MAX_FINDINGS = 1000

Severity = Literal["fatal", "warning"]

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}").fullmatch
_DIGITS = re.compile(r"[0-9]{1,9}").fullmatch


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: `code` is fixed, `reason` is for people, `line` is 1-based (0: concerns the whole)."""

    severity: Severity
    code: str
    reason: str
    line: int


class QrelsCheck:
    """Takes qrels line by line, so that a file can be checked while it is written; `findings()` at the end.

    `groups` reads the second column as judgment group (trec_eval's qrels_jg: one annotator each), so that a document
    may stand once for each group; `diversity` applies the rules of ndeval's `topic subtopic docno judgment`.
    """

    def __init__(self, *, groups: bool = False, diversity: bool = False) -> None:
        self._groups = groups or diversity
        self._diversity = diversity
        self._found: list[Finding] = []
        self._line = 0
        self._rows = 0
        self._seen = SeenIds()
        self._positive: dict[str, bool] = {}
        self._subtopics: dict[str, dict[int, bool]] = {}
        self._negative = 0
        self._above_one = 0

    def add(self, row: str | QrelRow) -> None:
        """Check the next line, or the next row as it would be written."""
        self._line += 1
        if isinstance(row, QrelRow):
            fields = [row.topic, row.iteration, row.docno, str(row.value)]
            if any(len(field.split()) != 1 or field != field.strip() for field in fields):
                self._report("fatal", "blank-in-id", f"an id of {fields[:3]} is empty or holds white space")
                return
        else:
            fields = row.split()
            if not self._has_four(row, fields):
                return
        if self._has_good_value(fields[3]) and self._has_good_numbers(fields):
            self._rows += 1
            self._take(fields[0], fields[1], fields[2], int(fields[3]))

    def _has_four(self, text: str, fields: list[str]) -> bool:
        if not fields:
            self._report("fatal", "blank-line", "the line is blank; trec_eval stops there")
        elif text.startswith("#"):
            self._report("fatal", "comment", "comments are known to trec_eval 10 only; most readers fail")
        elif len(fields) != 4:
            self._report("fatal", "field-count", f"has {len(fields)} fields instead of 4; an id may hold white space")
        return len(fields) == 4 and not text.startswith("#")

    def _has_good_value(self, value: str) -> bool:
        if not _INTEGER(value):
            self._report("fatal", "not-an-integer", f"the value {value!r} is not a whole number")
            return False
        if not LOWEST <= int(value) <= HIGHEST:
            self._report("fatal", "out-of-range", f"the value {value} is outside of {LOWEST} to {HIGHEST}")
            return False
        return True

    def _has_good_numbers(self, fields: list[str]) -> bool:
        if not self._diversity:
            return True
        for what, text in (("topic", fields[0]), ("subtopic", fields[1]), ("judgment", fields[3])):
            if not _DIGITS(text):
                self._report("fatal", "not-digits", f"the {what} {text!r} is not made of digits; ndeval stops there")
                return False
        return True

    def _take(self, topic: str, iteration: str, docno: str, value: int) -> None:
        key = f"{topic} {iteration} {docno}" if self._groups else f"{topic} {docno}"
        if not self._seen.add(key):
            who = f" by {iteration}" if self._groups else ""
            self._report("fatal", "duplicate", f"document {docno} is judged twice for topic {topic}{who}")
        self._positive[topic] = self._positive.get(topic, False) or value > 0
        self._negative += value < 0
        if self._diversity:
            subtopics = self._subtopics.setdefault(topic, {})
            subtopics[int(iteration)] = subtopics.get(int(iteration), False) or value > 0
            self._above_one += value > 1

    def _report(self, severity: Severity, code: str, reason: str, line: int | None = None) -> None:
        if len(self._found) < MAX_FINDINGS:
            self._found.append(Finding(severity, code, reason, self._line if line is None else line))

    def findings(self) -> list[Finding]:
        """Return what was found, faults of single lines first; at most `MAX_FINDINGS` of these."""
        whole: list[Finding] = []
        if not self._line:
            whole.append(Finding("fatal", "empty", "there are no qrels", 0))
        elif self._rows:
            whole.extend(_warn("no-positive", self._topics_without_positive()))
            whole.extend(_warn("negative-value", self._negatives()))
            whole.extend(_warn("above-one", self._above_ones()))
            whole.extend(_warn("subtopic-numbers", self._odd_subtopics()))
            whole.extend(_warn("subtopic-without-positive", self._idle_subtopics()))
        return self._found + whole

    def _topics_without_positive(self) -> str:
        topics = [topic for topic, positive in self._positive.items() if not positive]
        return f"{_list(topics)} without any relevant document: averages leave them out or count 0" if topics else ""

    def _negatives(self) -> str:
        return f"{self._negative} negative values: in the pool, but not judged" if self._negative else ""

    def _above_ones(self) -> str:
        return f"{self._above_one} judgments above 1, which ndeval reads as 1" if self._above_one else ""

    def _odd_subtopics(self) -> str:
        odd = [topic for topic, known in self._subtopics.items() if set(known) != set(range(1, len(known) + 1))]
        return f"{_list(odd)} whose subtopics are not numbered from 1 without gaps" if odd else ""

    def _idle_subtopics(self) -> str:
        idle = [f"{t}/{s}" for t, known in self._subtopics.items() for s, positive in known.items() if not positive]
        return f"{_list(idle, 'subtopic')} without a positive judgment: ndeval ignores them" if idle else ""


def validate_qrels(rows: Iterable[str | QrelRow], *, groups: bool = False, diversity: bool = False) -> list[Finding]:
    """Check lines or rows of qrels; see `QrelsCheck`. No finding of severity "fatal" means: fit to be released."""
    check = QrelsCheck(groups=groups, diversity=diversity)
    for row in rows:
        check.add(row)
    return check.findings()


def _warn(code: str, reason: str) -> list[Finding]:
    return [Finding("warning", code, reason, 0)] if reason else []


def _list(names: list[str], noun: str = "topic") -> str:
    shown = ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
    return f"{len(names)} {noun}{'s' if len(names) != 1 else ''} ({shown})"
