"""The limits of what can be set in a campaign: forms, actions, the API, files and the database all read them here."""

from __future__ import annotations

from dataclasses import dataclass

from engines.wordings import Wording


@dataclass(frozen=True, slots=True)
class Limits:
    """A number that somebody sets: from `least` to `most`, both included; `usual` is the default.

    `words` begin the sentence that refuses another number, `unit` ends its range.
    """

    words: str
    least: int
    most: int
    usual: int | None = None
    unit: str = ""

    def problem(self, value: object) -> str:
        """Why the value is refused, "" where it is fine."""
        if type(value) is int and self.least <= value <= self.most:
            return ""
        return f"{self.words} must be a whole number from {self.least:,} to {self.most:,}{self.unit}, not {value}."


@dataclass(frozen=True, slots=True)
class Length:
    """A text that somebody writes, of at most `most` characters; `least` 1 for one that is required."""

    words: str | Wording  # a wording for those who read in their language
    most: int
    least: int = 0

    def problem(self, value: str) -> Wording | None:
        """Why the text is refused, None where it is fine."""
        if self.least <= len(value) <= self.most:
            return None
        if not value:
            return Wording("{what} is missing.", what=self.words)
        return Wording(
            "{what} has {count} characters; at most {most} are kept.", what=self.words, count=len(value), most=self.most
        )


# Of a campaign. A seed is what PostgreSQL's bigint holds; a lease that outlasts a day blocks an open queue.
NAME = Length("The campaign's name", 200, least=1)
OVERLAP = Limits("The overlap", 1, 50, unit=" annotators per item")
SEED = Limits("The seed", 0, 2**63 - 1)
LEASE_MINUTES = 60
LEASE = Limits("The lease", 1, 24 * 60, usual=LEASE_MINUTES, unit=" minutes (a day)")
GUIDELINE = Length("The guideline", 100_000)
INQUIRY = Length(Wording("The question"), 2_000, least=1)
ANSWER = Length("The answer", 5_000, least=1)
# Of its items and assignments.
DEPTH = Limits("The depth", 1, 100_000, unit=" ranks")
SAMPLE = Limits("The sample", 1, 10_000_000, unit=" items")
REPEAT_PERCENT = Limits("The share of hidden repeats", 0, 50, usual=0, unit="% of a person's items")
USUAL_GAP = 30
REPEAT_GAP = Limits("The gap before a repeat", 1, 10_000, usual=USUAL_GAP, unit=" items")
GOLD_PERCENT = Limits("The share of hidden gold", 0, 50, usual=0, unit="% of a person's items")
USUAL_GOLD_GAP = 10
GOLD_GAP = Limits("The gap between gold items", 1, 10_000, usual=USUAL_GOLD_GAP, unit=" items")
PASS_MARK = Limits("The pass mark", 1, 100, unit="%")
ANNOTATOR_NAME = Length("The annotator's name", 150, least=1)
MOST_PAID = 1_000_000  # for an hour or an item, in any currency
CAPACITY = Limits("The capacity", 0, 10**9, unit=" items")
# Of a machine that judges. The seed counts on from run to run and stays below 2^31.
RUNS = Limits("The number of runs", 1, 20, usual=1)
MACHINE_SEED = Limits("The seed", 0, 2**31 - 1 - RUNS.most)
TOKENS = Limits("The longest answer", 0, 100_000, unit=" tokens (0 leaves it to the endpoint)")
CONCURRENCY = Limits("Questions at a time", 1, 100)
PER_MINUTE = Limits("Questions a minute", 0, 1_000_000)
UNREADABLE = Limits("The number of invalid answers in a row", 0, 100_000, usual=12, unit=" (0 never stops the run)")
# Of agreement and votes.
RESAMPLES = Limits("The number of resamples", 1_000, 100_000, usual=10_000)
MIN_VOTES = Limits("The least number of votes", 1, 100)  # the overlap of the campaign where nobody says how many

IN_FILE: dict[str, Limits] = {"overlap": OVERLAP, "seed": SEED, "sample": SAMPLE, "lease_minutes": LEASE}
