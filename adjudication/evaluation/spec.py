"""What an evaluation asks, in the words of page, command and API."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from accounts.refusals import Refused
from engines.definitions.settings import RESAMPLES, SEED
from engines.stats.intervals import METHODS
from engines.stats.measure import Measure
from engines.stats.measures import parse_measure, with_condensed

MEASURES = ("R@5", "R@20", "Rprec", "AP", "RR@10", "nDCG@10")
AS_NOT_RELEVANT, CONDENSED = "not-relevant", "condensed"
UNJUDGED = (AS_NOT_RELEVANT, CONDENSED)
ALL, RELEVANT, COMMON = "all", "relevant", "common"
TOPICS = (ALL, RELEVANT, COMMON)
LEFT_OUT, ZERO = "left-out", "zero"
EMPTY_TOPICS = (LEFT_OUT, ZERO)
INTERVALS = ("auto", *METHODS)
WORDS = {"unjudged": UNJUDGED, "topics": TOPICS, "empty_topics": EMPTY_TOPICS, "interval": INTERVALS}


@dataclass(frozen=True)
class EvaluationSpec:
    """An evaluation as it is asked for, in the words of page, command and API.

    `against` is a second gold whose order of the runs is compared; `baseline` the run that the others are tested
    against (every pair without one); `random` adds the row of shuffled pools; `sensitivity` asks what each run brought
    into the pools. `topics` is all of the gold's, those with a relevant document, or those that every run ranks.
    `empty_topics` says whether topics without a relevant document are left out of the means of measures that ask for
    one, or count 0, as in trec_eval's mean.
    """

    gold: str
    runs: tuple[str, ...]
    measures: tuple[str, ...] = MEASURES
    by: tuple[str, ...] = ()
    baseline: str = ""
    against: str = ""
    unjudged: str = AS_NOT_RELEVANT
    topics: str = ALL
    empty_topics: str = LEFT_OUT
    random: bool = False
    sensitivity: bool = False
    interval: str = INTERVALS[0]
    resamples: int = cast(int, RESAMPLES.usual)
    seed: int = 1
    preset: str = ""

    @property
    def golds(self) -> list[str]:
        """The golds it names."""
        return [gold for gold in (self.gold, self.against) if gold]

    def as_json(self) -> dict[str, Any]:
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "EvaluationSpec":
        words: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in stored.items()}
        return cls(**words)

    def check(self) -> None:
        """Errors: Refused for numbers, words and a baseline that no evaluation takes."""
        for limits, value in ((RESAMPLES, self.resamples), (SEED, self.seed)):
            if problem := limits.problem(value):
                raise Refused(problem)
        if self.baseline and self.baseline not in self.runs:
            raise Refused(f"The baseline “{self.baseline[:60]}” is not among the runs that are evaluated.")
        for name, words in WORDS.items():
            if getattr(self, name) not in words:
                raise Refused(f"“{getattr(self, name)[:40]}” is none of {', '.join(words)} ({name}).")

    def parsed(self) -> list[Measure]:
        """Its measures. Errors: Refused for an unknown one, with what there is."""
        try:
            found = list(dict.fromkeys(parse_measure(name) for name in self.measures))
        except ValueError as error:
            raise Refused(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
        if not found:
            raise Refused("Choose at least one measure.")
        return with_condensed(found) if self.unjudged == CONDENSED else found
