"""Counts of annotated papers: small ones by hand, the released ones against the published figures."""

import json

import pytest

from corpus.formats.acm_cr import AnnotatedPaper, CitingSentence, Context, read_acm_cr
from corpus.formats.acm_cr_statistics import Statistics, count
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
    assert found == {
        "papers": 1, "contexts": 3, "context_topics": 2, "context_topic_numbers": 2, "context_qrels_rows": 2,
        "sentences": 5, "citing_sentences": 4, "sentence_topics": 2, "sentence_qrels_rows": 2,
        "anonymised_sentences": 1, "references": 3, "references_in_collection": 1,
        "context_means": {"tokens": 9.667, "chars": 17.0, "cites": 2.0},
        "sentence_means": {"tokens": 6.25, "chars": 10.0, "cites": 1.5},
        "coverage": {
            "contexts": {"none": 1, "some": 2, "all": 0, "any": 2},
            "sentences": {"none": 2, "some": 1, "all": 1, "any": 2},
        },
    }  # fmt: skip


def test_nothing_has_no_means() -> None:
    assert Statistics().as_json()["context_means"] == {"tokens": None, "chars": None, "cites": None}


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
    for name in ("context_means", "sentence_means"):
        assert {each: round(value, 2) for each, value in found[name].items()} == {
            each: round(value, 2) for each, value in expected[name].items()
        }
