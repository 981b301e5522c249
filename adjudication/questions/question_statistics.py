"""Figures of a question set as LitSearch prints them (Ajith et al. 2024: Tables 2 and 14, section 2.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.counting import percent
from adjudication.questions.question_set import (
    DISCARDED,
    KEPT,
    UNDECIDED,
    WITHDRAWN,
    QuestionSet,
    SetQuestion,
    fetch_question_set,
)
from adjudication.questions.rating import open_counts
from corpus.models import Collection
from engines.text.overlap import DEFINITIONS

FAMILIES = (
    ("Inline-citation questions", ("inline",)),
    ("Author-written questions", ("author", "manual")),
)
OTHER = "Other questions"


@dataclass(frozen=True, slots=True)
class QuestionCell:
    """Questions of one row and level: how many, mean length in words, mean overlap, targets in all and on average.

    `with_abstract` of the targets have an abstract; of the others the overlap knows the title alone. Means are None
    where there is no question (or, for overlap, none with words to compare).
    """

    questions: int
    length: float | None
    overlap: float | None
    targets: int
    found: int
    with_abstract: int

    @property
    def per_question(self) -> float | None:
        return self.targets / self.questions if self.questions else None


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A row of the table: a family of sources (`is_family`), a subset of it, or all. `cells` as in `groups`."""

    label: str
    is_family: bool
    cells: tuple[QuestionCell, ...]
    total: QuestionCell


@dataclass(frozen=True, slots=True)
class KeptCounts:
    """How many of the examined questions of a subset are kept; `reasons` of those discarded, most frequent first.

    `examined` is None where questions came rated and none of theirs that was discarded: files of published sets hold
    the kept questions alone, so how many there were is stored nowhere.
    """

    label: str
    examined: int | None
    kept: int
    undecided: int
    rewritten: int
    reasons: tuple[tuple[str, int], ...]

    @property
    def percent(self) -> float | None:
        return 100 * self.kept / self.examined if self.examined else None

    @property
    def share(self) -> str:
        """As the paper puts it: “26% (98)”; the number alone where the examined are not known."""
        if self.examined is None:
            return f"{self.kept:,}"
        return "–" if self.percent is None else f"{percent(self.percent)} ({self.kept:,})"

    @property
    def kept_of_examined(self) -> str:
        """“98 of 382 (26%)”, “98 of an unknown number”."""
        if self.examined is None:
            return f"{self.kept:,} of an unknown number"
        share = "" if self.percent is None else f" ({percent(self.percent)})"
        return f"{self.kept:,} of {self.examined:,}{share}"


@dataclass(frozen=True, slots=True)
class Statistics:
    """`groups` are the levels that split the columns, as labels; `whole` counts all kept questions.

    `qualities` has a line for each level of the deciding criterion, the highest first, over all questions that have
    one, kept or not, but withdrawn ones; it is empty where no question has one. `not_judged` have none. `sources` has
    for each of these levels the lines of its subsets that have one; it is empty where all questions come from one.
    """

    groups: tuple[str, ...]
    lines: tuple[QuestionLine, ...]
    kept: tuple[KeptCounts, ...]
    whole: QuestionCell
    definition: str
    qualities: tuple[QuestionLine, ...]
    not_judged: int
    sources: dict[str, tuple[QuestionLine, ...]]

    @property
    def by_quality(self) -> list[tuple[QuestionLine, tuple[QuestionLine, ...]]]:
        """The line of each quality with those of its subsets."""
        return [(line, self.sources.get(line.label, ())) for line in self.qualities]

    @property
    def judged(self) -> int:
        """Questions with a quality."""
        return sum(line.total.questions for line in self.qualities)

    @property
    def without_group(self) -> int:
        """Questions with a quality, but without a level of those that split the columns."""
        return self.judged - sum(cell.questions for line in self.qualities for cell in line.cells)

    @property
    def about_examined(self) -> str:
        """Why it is not known of how many some were kept; "" where it is known."""
        if all(row.examined is not None for row in self.kept):
            return ""
        return "Questions that were imported with their ratings may be the kept ones of more: how many is not known."

    @property
    def about_overlap(self) -> str:
        """What the overlap compares, and over how many targets with an abstract it is taken: two sentences."""
        known = f"{self.whole.with_abstract:,} of {self.whole.targets:,} targets have an abstract"
        return f"Overlap compares {DEFINITIONS[self.definition].label}. {known}."


def question_statistics(found: QuestionSet) -> Statistics:
    """All tables of the set. Families and subsets stand in the order in which their questions do."""
    kept = found.kept
    groups = list(found.groups)
    lines = [line for label, own in _families(kept) for line in _family_lines(label, own, groups)]
    has_rest = any(_came_rated(each) and each.state == DISCARDED for each in found.questions)
    if len({label for label, _ in _families(kept)}) > 1:
        lines.append(_line("All", kept, groups, is_family=True))
    return Statistics(
        tuple(found.groups[value] for value in groups),
        tuple(lines),
        tuple(_kept_counts(label, own, has_rest=has_rest) for label, own in _by_subset(found.questions)),
        _cell(kept),
        found.definition,
        *_by_quality(found, groups),
    )


def _by_quality(
    found: QuestionSet, groups: Sequence[int]
) -> tuple[tuple[QuestionLine, ...], int, dict[str, tuple[QuestionLine, ...]]]:
    """The lines of the levels of quality, how many questions have none, and the lines of each quality's subsets."""
    standing = [question for question in found.questions if question.reason != WITHDRAWN]
    own = {value: [each for each in standing if each.quality == value] for value in found.qualities}
    not_judged = sum(question.quality is None for question in standing)
    if not any(own.values()):
        return (), not_judged, {}
    labels = {value: f"{value} {label}".strip() for value, label in found.qualities.items()}
    lines = tuple(_line(labels[value], own[value], groups, is_family=False) for value in own)
    if len(_by_subset(standing)) == 1:
        return lines, not_judged, {}
    sources = {
        labels[value]: tuple(_line(name, some, groups, is_family=False) for name, some in _by_subset(own[value]))
        for value in own
    }
    return lines, not_judged, sources


def question_figures(collection: Collection, campaign: str = "") -> dict[str, Any]:
    """The tables for `collection_stats` and the API, by row and level; figures that are undefined are left out.

    Errors: Refused for a campaign that does not exist.
    """
    found = fetch_question_set(collection, campaign)
    statistics = question_statistics(found)
    open_ones = [sentence for _, sentence in open_counts(found.campaigns)]
    sources = {label: _table(statistics, lines) for label, lines in statistics.sources.items()}
    judged = {"judged": statistics.judged, "levels": _table(statistics, statistics.qualities), "sources": sources}
    return {
        **({"notes": open_ones} if open_ones else {}),
        **_examined(statistics),
        "kept": sum(row.kept for row in statistics.kept),
        "undecided": sum(row.undecided for row in statistics.kept),
        "overlap_definition": statistics.definition,
        "sources": {
            row.label: _plain(examined=row.examined, kept=row.kept, percent=row.percent) for row in statistics.kept
        },
        **({"quality": judged | {"not_judged": statistics.not_judged}} if statistics.qualities else {}),
        "table": _table(statistics, statistics.lines),
    }


def _examined(statistics: Statistics) -> dict[str, Any]:
    """How many were examined, or why that is not known."""
    if statistics.about_examined:
        return {"examined_unknown": statistics.about_examined}
    return {"examined": sum(row.examined or 0 for row in statistics.kept)}


def _table(statistics: Statistics, lines: Sequence[QuestionLine]) -> dict[str, dict[str, dict[str, float]]]:
    groups = (*statistics.groups, "all")
    return {
        line.label: {
            group: _plain(
                questions=cell.questions,
                mean_length=cell.length,
                mean_overlap=cell.overlap,
                targets=cell.targets,
                targets_with_abstract=cell.with_abstract,
                targets_per_question=cell.per_question,
            )
            for group, cell in zip(groups, (*line.cells, line.total), strict=True)
        }
        for line in lines
    }


def _plain(**figures: float | None) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items() if value is not None}


def family_of(subset: str) -> str:
    """The family of sources, as LitSearch groups them, that a subset belongs to."""
    return next((label for label, starts in FAMILIES if subset.startswith(starts)), OTHER)


def _families(questions: Sequence[SetQuestion]) -> list[tuple[str, list[SetQuestion]]]:
    found: dict[str, list[SetQuestion]] = {label: [] for label, _ in FAMILIES}
    for question in questions:
        found.setdefault(family_of(question.subset), []).append(question)
    return [(label, own) for label, own in found.items() if own]


def _by_subset(questions: Sequence[SetQuestion]) -> list[tuple[str, list[SetQuestion]]]:
    found: dict[str, list[SetQuestion]] = {}
    for question in questions:
        found.setdefault(question.subset or "no source named", []).append(question)
    return list(found.items())


def _family_lines(label: str, questions: list[SetQuestion], groups: Sequence[int]) -> list[QuestionLine]:
    """The family and, where it has several, its subsets."""
    subsets = _by_subset(questions)
    head = _line(label, questions, groups, is_family=True)
    return [head, *(_line(name, own, groups, is_family=False) for name, own in subsets)]


def _line(label: str, questions: Sequence[SetQuestion], groups: Sequence[int], *, is_family: bool) -> QuestionLine:
    cells = tuple(_cell([question for question in questions if question.group == value]) for value in groups)
    return QuestionLine(label, is_family, cells, _cell(questions))


def _cell(questions: Sequence[SetQuestion]) -> QuestionCell:
    overlaps = [overlap for question in questions if (overlap := question.overlap) is not None]
    targets = [target for question in questions for target in question.targets]
    return QuestionCell(
        questions=len(questions),
        length=_mean([question.words for question in questions]),
        overlap=_mean(overlaps),
        targets=len(targets),
        found=sum(target.is_found for target in targets),
        with_abstract=sum(bool(target.abstract) for target in targets),
    )


def _kept_counts(label: str, questions: Sequence[SetQuestion], *, has_rest: bool) -> KeptCounts:
    """`has_rest`: files with ratings brought discarded questions as well."""
    states = Counter(question.state for question in questions)
    reasons = Counter(question.reason for question in questions if question.state == DISCARDED and question.reason)
    is_known = has_rest or not any(map(_came_rated, questions))
    return KeptCounts(
        label=label,
        examined=states[KEPT] + states[DISCARDED] if is_known else None,
        kept=states[KEPT],
        undecided=states[UNDECIDED],
        rewritten=sum(bool(question.original) for question in questions if question.state == KEPT),
        reasons=tuple(reasons.most_common()),
    )


def _came_rated(question: SetQuestion) -> bool:
    """Whether a file brought its ratings, and no campaign has decided since."""
    return not question.campaign and question.reason != WITHDRAWN


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
