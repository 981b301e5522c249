"""The first records of a dry run, as their readers understood them."""

import pytest

from corpus.loading.counts import ImportCounts
from corpus.loading.line_batches import batches
from corpus.loading.samples import LONGEST, take_sample
from corpus.loading.sources import Odometer
from engines.formats.papers import Marker, Reference
from engines.formats.records import AspectRecord, Problem, Skip, TopicRecord


def topic(number: int, **more: object) -> TopicRecord:
    texts = {"title": "", "text": "Why?", "narrative": "", "kind": "", "source": ""}
    return TopicRecord(str(number), **{**texts, "sentences": (), "aspects": (), "file": "t", "line": number, **more})


def test_the_first_records_that_are_taken_are_kept() -> None:
    counts = ImportCounts()
    lines = {1: Problem("t", 1, "is broken"), 2: Skip("t", 2, "a rule", "2")}
    (batch,) = batches(map(topic, range(1, 20)), lambda n, _: lines.get(n + 1, n + 1), Odometer(), counts)
    assert (batch.lines, batch.problems, dict(batch.skips)) == ([*range(3, 20)], [lines[1]], {"a rule": 1})
    counts.add_problems([Problem("t", 4, "was refused later")])
    counts.add_notes([Problem("t", 5, "was imported anyway")])
    assert [sample["line"] for sample in counts.samples_shown()] == [3, 5, 6]
    assert counts.samples_shown()[0]["fields"] == [["number", "3"], ["text", "Why?"]]  # not what the file does not say


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"text": "x" * 1000}, ["text", "x" * LONGEST + "…"]),
        ({"text": "a\0b"}, ["text", "ab"]),
        ({"targets": tuple("abcdefg")}, ["targets", "a · b · c · d · e … 7 in all"]),
        ({"aspects": (AspectRecord("Brews", (AspectRecord("Hot"),)),)}, ["aspects", "Brews (with 1 below it)"]),
        ({"targets": (Marker(2, 5, "[1]", ("b1",)),)}, ["targets", "start 2; end 5; text [1]; keys b1"]),
        (
            {"targets": Reference("b1", "Teas", ids={"doi": "10.1/x"})},
            ["targets", "key b1; title Teas; ids doi 10.1/x"],
        ),
        ({"extra": {"lang": "en"}}, ["other field: lang", "en"]),
        ({"extra": {"query_set": "manual_acl"}}, ["query set", "manual_acl"]),
    ],
)
def test_long_and_nested_values_stay_readable(more: dict[str, object], field: list[str]) -> None:
    counts = ImportCounts()
    take_sample(topic(1, **more), counts)
    assert field in counts.samples["t", 1][0]["fields"]


def test_fields_that_are_read_and_kept_are_no_other_fields() -> None:
    counts = ImportCounts()
    take_sample(topic(1, extra={"query_set": "manual_acl", "specificity": 1, "lang": "en"}), counts)
    take_sample(topic(2, extra={"query_set": "inline_acl", "specificity": 0}), counts)
    assert counts.all_remarks() == [
        "Read, and kept for exports too: query_set (2), specificity (2).",
        "Other fields, kept with the records that have them: lang (1).",
    ]
