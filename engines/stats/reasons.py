"""Why a figure or its interval is undefined, and what a reader must know about a defined one: codes with their
words."""

from enum import StrEnum
from typing import Self

WHOLE, SHORT, TOPIC, RUNS, INTERVAL = "whole", "short", "topic", "runs", "interval"


class Reason(StrEnum):
    """Why a figure, or its interval, is undefined.

    Stored and sent as its code. `words` by where it is said: of agreement in full (WHOLE) or in a list (SHORT), of
    one TOPIC alone, of RUNS, of the INTERVAL of a measure of runs.
    """

    words: dict[str, str]

    def __new__(cls, code: str, words: dict[str, str]) -> Self:
        self = str.__new__(cls, code)
        self._value_ = code
        self.words = words
        return self

    NO_OVERLAP = (
        "no_overlap",
        {
            WHOLE: "no item was judged by both",
            SHORT: "no item",
            RUNS: "the run ranks no topic of the gold",
        },
    )
    ONE_CLASS_ONLY = (
        "one_class_only",
        {
            WHOLE: "only one level was used, so chance cannot be separated from agreement",
            SHORT: "one level only",
            TOPIC: "only one level was used",
        },
    )
    CONSTANT_ANNOTATOR = (
        "constant_annotator",
        {
            WHOLE: "one of them gave the same level to every item",
            SHORT: "one level only by one of them",
            TOPIC: "someone used one level only",
        },
    )
    FEWER_THAN_TWO_ANNOTATORS = "fewer_than_two_annotators", {WHOLE: "fewer than two annotators have judged"}
    NO_ITEM_WITH_TWO_LABELS = "no_item_with_two_labels", {WHOLE: "no item has two labels yet"}
    TOO_FEW_ITEMS = (
        "too_few_items",
        {
            WHOLE: "fewer than 10 items are too few for an interval",
            SHORT: "fewer than 10 items",
            TOPIC: "too few items with two labels",
        },
    )
    TOO_FEW_QUERIES = (
        "too_few_queries",
        {
            WHOLE: "fewer than 8 topics are too few for an interval over topics",
            INTERVAL: "fewer than 8 topics are too few for one",
        },
    )
    UNDEFINED_IN_BOOTSTRAP = (
        "undefined_in_bootstrap",
        {
            WHOLE: "the figure is undefined in more than 5% of the resamples",
            INTERVAL: "too many resamples have no value",
        },
    )
    NO_VARIATION = (
        "no_variation",
        {
            WHOLE: "every resample gives the same value",
            INTERVAL: "every topic scores the same",
        },
    )
    NO_RELEVANT_DOCUMENT = (
        "no_relevant_document",
        {
            WHOLE: "no document is relevant",
            RUNS: "no topic has a relevant document",
        },
    )
    EMPTY_SHARE = "empty_share", {WHOLE: "the part of the ranking that the measure uses has no document"}
    NO_DIFFERENCE = "no_difference", {WHOLE: "there is no difference at all"}
    UNJUDGED_DOCUMENT = (
        "unjudged_document",
        {
            WHOLE: "the run ranks a document that is not judged",
            RUNS: "the run ranks unjudged documents",
        },
    )
    NOT_A_RANDOM_SAMPLE = (
        "not_a_random_sample",
        {WHOLE: "not usable for estimates: pairs were chosen, so their probability to be in the sample is not known"},
    )
    TOO_FEW_LABELS = "too_few_labels", {WHOLE: "there are too few labels by people of the pairs concerned"}
    NO_TOPIC = "no_topic", {WHOLE: "no topic"}
    ONE_RUN_ONLY = "one_run_only", {WHOLE: "one run only"}


def words_of(reason: str | None, where: str = WHOLE) -> str:
    """The words of a reason by its code; those in full where it has no others. What is no code stays as it is."""
    if reason not in _REASONS:
        return reason or ""
    words = _REASONS[reason].words
    return words.get(where, words[WHOLE])


_REASONS = {reason.value: reason for reason in Reason}


class Flag(StrEnum):
    """Something a reader must know about a figure that is defined; `words` say it."""

    words: str

    def __new__(cls, code: str, words: str) -> Self:
        self = str.__new__(cls, code)
        self._value_ = code
        self.words = words
        return self

    SMALL_SAMPLE = "small_sample", "small sample, so the interval is rough"  # fewer than 100 items or 50 topics
    INDEPENDENT_ITEMS_ASSUMED = (
        "independent_items_assumed",
        "items were resampled although topics have several: too narrow if topics differ",
    )
    BCA_FELL_BACK = "bca_fell_back", "bias correction not finite, so this is the percentile interval"
    LEAVE_ONE_OUT = "leave_one_out", "who voted is compared with the vote of the other voters"
    PART_WHOLE = "part_whole", "nobody else voted: its own label is part of the verdict, so the figure is too high"
    HELD_FIXED = (
        "held_fixed",
        "the verdicts come from a model of the whole sample and were not computed again in the resamples",
    )
    ZERO_SPREAD = "zero_spread", "all differences are equal"  # and not zero: p is 0 by convention
