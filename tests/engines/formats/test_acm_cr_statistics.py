"""Counts of annotated papers: small ones by hand, the released ones against the published figures."""

import csv
import json

import pytest

from engines.formats.acm_cr import AnnotatedPaper, CitingSentence, Context, read_acm_cr
from engines.formats.acm_cr_statistics import Statistics, count
from tests.shared import shared_path

CITED = CitingSentence("Seen [1, 2].", ("1", "2"), anonymised=True)


def test_figures_of_a_small_paper() -> None:
    contexts = (
        Context("01", "introduction", (CitingSentence("Tea is old."), CITED)),
        Context("02", "", (CitingSentence("And [3] [3].", ("3", "3")),)),
        Context("03", "", (CitingSentence("And [1].", ("1",)), CitingSentence("Not [9].", ("9",)))),
    )
    paper = AnnotatedPaper("10.1/x.1", "T", "A", contexts, {"1": "d1", "2": None, "3": "out"})
    found = count([(paper, {"d1", "unused"})]).as_json()
    per_paper, by_paper = found.pop("per_paper"), found.pop("by_paper")
    assert found == {
        "papers": 1, "contexts": 3, "context_topics": 2, "context_topic_numbers": 2, "context_qrels_rows": 2,
        "sentences": 5, "citing_sentences": 4, "sentence_topics": 2, "sentence_qrels_rows": 2,
        "anonymised_sentences": 1, "references": 3, "references_in_collection": 1,
        "context_means": {"tokens": 9.667, "chars": 17.0, "cites": 2.0},
        "sentence_means": {"tokens": 6.25, "chars": 10.0, "cites": 1.5},
        "coverage": {
            "contexts": {"none": 1, "some": 2, "all": 0, "any": 2, "mean": 0.333},
            "sentences": {"none": 2, "some": 1, "all": 1, "any": 2, "mean": 0.375},
        },
        "context_ranges": {
            "tokens": {"min": 8, "max": 11}, "chars": {"min": 12, "max": 23}, "cites": {"min": 2, "max": 2},
        },
        "sentence_ranges": {
            "tokens": {"min": 5, "max": 8}, "chars": {"min": 8, "max": 12}, "cites": {"min": 1, "max": 2},
        },
    }  # fmt: skip
    assert by_paper == [
        {
            "paper": "10.1/x.1", "contexts": 3, "context_topics": 2, "sentences": 5, "citing_sentences": 4,
            "sentence_topics": 2, "anonymised_sentences": 1, "references": 3, "references_in_collection": 1,
            "coverage": 0.333,
        }
    ]  # fmt: skip
    assert per_paper["contexts"] == {"mean": 3.0, "min": 3, "max": 3}
    assert per_paper["coverage"] == {"mean": 0.333, "min": 0.333, "max": 0.333}


def test_figures_per_paper_have_ranges() -> None:
    """A paper without references has no coverage, and does not count towards the mean of it."""
    cited = Context("01", "", (CITED,))
    papers = [
        AnnotatedPaper("10.1/x.1", "T", "A", (cited, cited), {"1": "d1", "2": "out"}),
        AnnotatedPaper("10.1/x.2", "T", "A", (cited,), {}),
    ]
    found = count((paper, {"d1"}) for paper in papers).as_json()["per_paper"]
    assert found["contexts"] == {"mean": 1.5, "min": 1, "max": 2}
    assert found["references"] == {"mean": 1.0, "min": 0, "max": 2}
    assert found["coverage"] == {"mean": 0.5, "min": 0.5, "max": 0.5}


def test_nothing_has_no_means() -> None:
    found = Statistics().as_json()
    assert found["context_means"] == {"tokens": None, "chars": None, "cites": None}
    assert found["coverage"]["contexts"]["mean"] is None
    assert found["per_paper"]["references"] == {"mean": None, "min": None, "max": None}


@pytest.mark.shared
def test_the_released_papers_have_the_published_figures() -> None:
    folder = shared_path("data", "acm-cr")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["papers"]
    docnos = {line.split("\t")[2] for line in (folder / "contexts.qrels").read_text(encoding="utf-8").splitlines()}
    papers = []
    for path in sorted(folder.glob("papers/*/*.xml")):
        with path.open("rb") as stream:
            papers.append((read_acm_cr(stream, path.name), docnos))
    found = count(papers).as_json()
    # References that no context cites are not in the qrels, so these two are for the test with the whole collection.
    for name in set(expected) - {"references_in_collection", "context_means", "sentence_means"}:
        assert found[name] == expected[name], name
    with (folder / "papers.tsv").open(encoding="utf-8", newline="") as file:
        listed = {row["doi"]: row for row in csv.DictReader(file, delimiter="\t")}
    columns = {"anonymised_sentences": "anonymised"}
    for paper in found["by_paper"]:
        for name in set(paper) - {"paper", "references_in_collection", "coverage"}:
            assert paper[name] == int(listed[paper["paper"]][columns.get(name, name)]), (paper["paper"], name)
    assert found["per_paper"]["contexts"] == {"mean": 6.8, "min": 2, "max": 14}
    for name in ("context_means", "sentence_means"):
        assert {each: round(value, 2) for each, value in found[name].items()} == {
            each: round(value, 2) for each, value in expected[name].items()
        }
