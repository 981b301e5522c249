import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.litsearch import (
    SOURCES,
    read_litsearch_documents,
    read_litsearch_queries,
    write_litsearch_queries,
)
from engines.formats.reading import read_topics
from engines.formats.records import Problem, TopicRecord
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import ids, phrases

QUERY = {
    "query_set": "inline_acl",
    "query": "Which paper ...?",
    "specificity": 1,
    "quality": 2,
    "corpusids": [11, 11, 7],
}


def lines(*items: Any) -> Any:
    return stream("".join(json.dumps(item) + "\n" for item in items))


def test_questions_are_topics_named_by_their_row() -> None:
    first, second = records(read_litsearch_queries(lines(QUERY, QUERY | {"query_set": "manual_iclr"}), "f"))
    assert first == TopicRecord(
        "0",
        "",
        "Which paper ...?",
        "",
        "question",
        "inline-acl",
        (),
        (),
        "f",
        1,
        ("11", "7"),
        {"query_set": "inline_acl", "specificity": 1, "quality": 2},
    )
    assert (second.number, second.source) == ("1", "author")


@st.composite
def questions(draw: st.DrawFn) -> TopicRecord:
    query_set = draw(st.sampled_from(sorted(SOURCES)))
    extra = {"query_set": query_set, "specificity": draw(st.integers(0, 1)), "quality": draw(st.integers(0, 2))}
    targets = tuple(dict.fromkeys(draw(st.lists(ids | st.integers(0, 10**6).map(str), max_size=3))))
    text = draw(phrases.filter(bool))
    return TopicRecord(draw(ids), "", text, "", "question", SOURCES[query_set], (), (), "f", 1, targets, extra)


@pytest.mark.slow
@given(questions())
def test_written_questions_are_read_back(topic: TopicRecord) -> None:
    assert list(read_litsearch_queries(stream("".join(write_litsearch_queries([topic]))), "f")) == [topic]


def test_whole_numbers_are_written_as_such() -> None:
    topic = TopicRecord("q", "", "x", "", "question", "author", (), (), "f", 1, ("11", "007", "10.1/a"))
    (line,) = write_litsearch_queries([topic])
    assert json.loads(line) == {
        "query_set": "manual_acl",
        "query": "x",
        "specificity": None,
        "quality": None,
        "docnos": ["11", "007", "10.1/a"],
        "number": "q",
    }
    (line,) = write_litsearch_queries([replace(topic, targets=("11", "7"))])
    assert json.loads(line)["corpusids"] == [11, 7]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"query": " "}, "question 1 has no text"),
        ({"quality": 3}, "quality is 3; one of 0, 1, 2 is expected"),
        ({"specificity": True}, "specificity is True"),
        ({"corpusids": "11"}, "'corpusids' is not a list of document ids"),
        ({"corpusids": [True]}, "'corpusids' is not a list of document ids"),
        ({"number": "a b"}, "white space"),
    ],
)
def test_bad_questions_are_problems_and_rows_go_on(change: dict[str, Any], reason: str) -> None:
    first, problem, last = read_litsearch_queries(lines(QUERY, QUERY | change, QUERY), "f")
    assert isinstance(problem, Problem)
    assert (problem.line, reason in problem.reason) == (2, True), problem.reason
    assert (first.number, last.number) == ("0", "2")


def test_the_clean_corpus_is_read() -> None:
    row = {"corpusid": 7, "title": "T", "abstract": "A", "citations": [1, 2], "full_paper": "long " * 50}
    (document,) = records(read_litsearch_documents(lines(row), "f"))
    assert (document.docno, document.extra) == ("7", {"citations": ["1", "2"]})
    assert [reason for _, reason in problems(read_litsearch_documents(lines({"corpusid": 1}), "f"))] == [
        "document 1 has neither a title nor a text"
    ]


def test_the_doors_know_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "query.jsonl"
    path.write_text(json.dumps(QUERY) + "\n")
    for choice in ("auto", "litsearch"):
        assert [topic.targets for topic in records(read_topics(path, choice))] == [("11", "7")]
    path.write_text(
        json.dumps({"corpusid": 7, "title": "T", "abstract": "A", "citations": [], "full_paper": ""}) + "\n"
    )
    for choice in ("auto", "litsearch"):
        assert [document.docno for document in records(read_documents(path, choice))] == ["7"]


def test_documents_that_a_system_found_are_not_dropped_in_silence_with_the_topics() -> None:
    row = '{"query_set": "manual_acl", "query": "owls?", "retrieved": [11, 12]}'
    topic, remark = read_litsearch_queries(stream(row), "f")
    assert (topic.text, topic.extra) == ("owls?", {"query_set": "manual_acl"})
    assert remark.text == "documents that a system found are not read with topics (retrieved); import them as runs"
