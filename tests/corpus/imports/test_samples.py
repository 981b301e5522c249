"""The first records of a dry run, as their readers understood them."""

import pytest

from corpus.loading.counts import ImportCounts
from corpus.loading.samples import LONGEST, MOST, sampled
from engines.formats.records import AspectRecord, Problem, TopicRecord


def topic(number: int, **more: object) -> TopicRecord:
    texts = {"title": "", "text": "Why?", "narrative": "", "kind": "", "source": ""}
    return TopicRecord(str(number), **{**texts, "sentences": (), "aspects": (), "file": "t", "line": number, **more})


def test_the_first_records_are_kept_and_all_pass() -> None:
    counts = ImportCounts()
    items = [Problem("t", 1, "is broken"), *(topic(number) for number in range(2, 20))]
    assert list(sampled(items, counts)) == items
    assert [sample["line"] for sample in counts.samples] == [*range(2, 2 + MOST)]
    assert counts.samples[0]["fields"] == [["number", "2"], ["text", "Why?"]]  # nothing of what the file does not say


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"text": "x" * 1000}, ["text", "x" * LONGEST + "…"]),
        ({"text": "a\0b"}, ["text", "ab"]),
        ({"targets": tuple("abcdefg")}, ["targets", "a · b · c · d · e … 7 in all"]),
        ({"aspects": (AspectRecord("Brews", (AspectRecord("Hot"),)),)}, ["aspects", "Brews (with 1 below it)"]),
        ({"extra": {"idea_from": ["d1"]}}, ["other field: idea_from", "d1"]),
    ],
)
def test_long_and_nested_values_stay_readable(more: dict[str, object], field: list[str]) -> None:
    counts = ImportCounts()
    list(sampled([topic(1, **more)], counts))
    assert field in counts.samples[0]["fields"]
