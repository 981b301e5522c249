"""The counts of an import while it goes on, and how they are stored in the job's row."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from corpus.models import ImportRun
from engines.formats.layouts import READ_AND_KEPT, field_words
from engines.formats.records import PartProblem, Problem, Remark

ERRORS_KEPT = 10_000
REMARKS_KEPT = 50  # different ones
SAMPLES_SHOWN = 3
FIELDS_COUNTED = 1_000  # other fields by name
FIELDS_NAMED = 40  # of them, those of most records
REPEATED = "a record whose id came earlier in this import"


@dataclass(frozen=True)
class MatchOffer:
    """More topics of the files would be found if their numbers were matched in this way: see topic_numbers.py."""

    way: str
    words: str


@dataclass
class ImportCounts:
    """Every record read is counted once: created, updated, unchanged or skipped (by a rule or as an error)."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    errors: list[dict[str, object]] = field(default_factory=list)
    error_count: int = 0
    notes: int = 0  # of the errors, those about a part of a record that was taken nevertheless
    skips: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)  # sentences on how the import was understood
    samples: dict[tuple[str, int], list[dict[str, Any]]] = field(default_factory=dict)  # by place; loading/samples.py
    said: dict[str, str] = field(default_factory=dict)  # what readers remark, with the first file of each
    said_of: Counter[str] = field(default_factory=Counter)  # how many files each of it is true of
    offer: MatchOffer | None = None
    other_fields: Counter[str] = field(
        default_factory=Counter
    )  # names in the records' `extra`, with how many have each

    @property
    def skipped(self) -> int:
        return self.error_count - self.notes + self.skips.total()

    @property
    def kept(self) -> int:
        return self.created + self.updated + self.unchanged

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Count all and keep the first ten thousand; the record of a PartProblem came in nevertheless."""
        for problem in problems:
            if isinstance(problem, PartProblem):
                self.add_notes([problem])
            else:
                self._add(problem)

    def add_notes(self, problems: Iterable[Problem]) -> None:
        """Report what is wrong with records that are taken anyway."""
        for problem in problems:
            self.notes += 1
            self._add(problem, kept=True)

    def _add(self, problem: Problem, **more: bool) -> None:
        self.error_count += 1
        if not more:
            self.samples.pop((problem.file, problem.line), None)
        if len(self.errors) < ERRORS_KEPT:
            self.errors.append({"file": problem.file, "line": problem.line, "reason": problem.reason, **more})

    def add_sample(self, sample: dict[str, Any]) -> None:
        """Take a record to show, unless what is shown of its place is enough."""
        of_place = self.samples.setdefault((sample["file"], sample["line"]), [])
        if len(of_place) < SAMPLES_SHOWN:
            of_place.append(sample)

    def samples_shown(self) -> list[dict[str, Any]]:
        """The first records that would be stored."""
        return [sample for of_place in self.samples.values() for sample in of_place][:SAMPLES_SHOWN]

    def keep_samples(self, is_kept: Callable[[dict[str, str]], bool]) -> None:
        """Leave out the records that are not to be stored, by the names and texts of their fields."""
        for place, samples in self.samples.items():
            self.samples[place] = [sample for sample in samples if is_kept(dict(sample["fields"]))]

    def renumber_samples(self, found: Mapping[str, str]) -> None:
        """Show the numbers with which the topics of records are stored, by those in the files."""
        for sample in (sample for samples in self.samples.values() for sample in samples):
            sample["fields"] = [
                [name, found.get(text, text) if name == "topic" else text] for name, text in sample["fields"]
            ]

    def add_remark(self, remark: Remark) -> None:
        """Take in what a reader says about how it understood a file."""
        if remark.text in self.said or len(self.said) < REMARKS_KEPT:
            self.said.setdefault(remark.text, remark.file)
            self.said_of[remark.text] += 1

    def add_fields(self, names: Iterable[str]) -> None:
        """Count the fields in the `extra` of a record."""
        for name in names:
            if name in self.other_fields or len(self.other_fields) < FIELDS_COUNTED:
                self.other_fields[name] += 1

    def all_remarks(self) -> list[str]:
        """Sentences for people: how files were read, how the import was understood, which other fields were kept."""
        files = ((text, first, self.said_of[text]) for text, first in self.said.items())
        said = [f"{first}: {text}." if n == 1 else f"{n:,} files, such as {first}: {text}." for text, first, n in files]
        return [*said, *self.remarks, *self._on_other_fields(), *filter(None, [self.offered])]

    @property
    def offered(self) -> str:
        """What would match, as a sentence."""
        return f"{self.offer.words}." if self.offer else ""

    def _on_other_fields(self) -> list[str]:
        read = {name: count for name, count in self.other_fields.items() if name in READ_AND_KEPT}
        others = Counter(self.other_fields) - Counter(read)  # kept readings come back from JSON
        said = [f"Read, and kept for exports too: {_named(Counter(read))}."] if read else []
        return said + ([f"Other fields, kept with the records that have them: {_named(others)}."] if others else [])

    def keep_nothing(self) -> None:
        """The transaction was rolled back: nothing of what was counted as written is there."""
        self.created = self.updated = self.unchanged = 0
        self.remarks = []
        self.other_fields.clear()

    def store(self, run: ImportRun) -> None:
        """Write the figures into the job's row."""
        run.created, run.updated, run.unchanged = self.created, self.updated, self.unchanged
        run.skipped, run.skips = self.skipped, dict(self.skips)
        self.errors.sort(key=lambda error: (str(error["file"]), int(str(error["line"]))))
        run.errors, run.error_count, run.remarks = self.errors, self.error_count, self.all_remarks()
        run.samples = self.samples_shown() if run.dry_run else []
        counts = ["created", "updated", "unchanged", "skipped", "skips", "error_count"]
        run.save(update_fields=[*counts, "errors", "remarks", "samples"])


def _named(fields: Counter[str]) -> str:
    """The fields of most records, with how many have each."""
    found = fields.most_common(FIELDS_NAMED)
    more = len(fields) - len(found)
    named = ", ".join(f"{field_words(name)[:60]} ({count:,})" for name, count in found)
    return f"{named} and {more:,} more" if more else named
