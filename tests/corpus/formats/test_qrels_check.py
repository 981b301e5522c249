import io

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.formats.qrels import write_qrels
from corpus.formats.qrels_check import MAX_FINDINGS, Finding, validate_qrels
from corpus.formats.records import QrelRow
from tests.corpus.formats.strategies import ids
from tests.shared import shared_path


def codes(findings: list[Finding], severity: str = "fatal") -> list[tuple[str, int]]:
    return [(finding.code, finding.line) for finding in findings if finding.severity == severity]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("1 0 d1 1\n", "duplicate"),
        ("1 annB d1 0\n", "duplicate"),
        ("\n", "blank-line"),
        ("  \n", "blank-line"),
        ("# comment\n", "comment"),
        ("1 0 d 2 1\n", "field-count"),
        ("1 0 d2\n", "field-count"),
        ("1 0 d2 high\n", "not-an-integer"),
        ("1 0 d2 1.5\n", "not-an-integer"),
        ("1 0 d2 128\n", "out-of-range"),
        ("1 0 d2 -128\n", "out-of-range"),
    ],
)
def test_what_trec_eval_refuses_is_fatal(line: str, code: str) -> None:
    assert codes(validate_qrels(["1 0 d1 1\n", line, "1 0 d3 -127\n"])) == [(code, 2)]


def test_rows_are_checked_as_they_would_be_written() -> None:
    rows = [
        QrelRow("1", "0", "d1", 1),
        QrelRow("1", "0", "d 2", 1),
        QrelRow("", "0", "d3", 1),
        QrelRow("1", "0", "d1", 2),
    ]
    assert codes(validate_qrels(rows)) == [("blank-in-id", 2), ("blank-in-id", 3), ("duplicate", 4)]


def test_judgment_groups_may_judge_a_document_each() -> None:
    lines = ["1 annA d1 1", "1 annB d1 0", "1 annA d1 2"]
    assert codes(validate_qrels(lines, groups=True)) == [("duplicate", 3)]
    assert "judged twice for topic 1 by annA" in validate_qrels(lines, groups=True)[0].reason


def test_good_qrels_have_no_findings_and_no_qrels_are_fatal() -> None:
    assert validate_qrels(["1 0 d1 1", "1 0 d2 0", "2 Q0 d1 127"]) == []
    assert codes(validate_qrels([])) == [("empty", 0)]


def test_warnings_say_what_an_evaluation_will_do_with_them() -> None:
    found = validate_qrels(["1 0 d1 0", "2 0 d1 1", "2 0 d2 -1"])
    assert codes(found) == []
    assert [(finding.code, finding.reason) for finding in found] == [
        ("no-positive", "1 topic (1) without any relevant document: averages leave them out or count 0"),
        ("negative-value", "1 negative values: in the pool, but not judged"),
    ]
    many = validate_qrels([f"{n} 0 d 0" for n in range(9)])
    assert "9 topics (0, 1, 2, 3, 4 and others)" in many[0].reason


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("q1 1 d2 1", "not-digits"),
        ("1 a d2 1", "not-digits"),
        ("1 1 d2 -1", "not-digits"),
        ("1 1 d2 +1", "not-digits"),
        ("1 1 d1 1", "duplicate"),
        ("", "blank-line"),
    ],
)
def test_what_ndeval_refuses_or_miscounts_is_fatal(line: str, code: str) -> None:
    assert codes(validate_qrels(["1 1 d1 1", line, "1 2 d1 1"], diversity=True)) == [(code, 2)]


def test_warnings_for_diversity_qrels() -> None:
    found = validate_qrels(["1 1 d1 2", "1 3 d1 1", "2 1 d1 1", "2 2 d1 0"], diversity=True)
    assert codes(found) == []
    assert [finding.code for finding in found] == ["above-one", "subtopic-numbers", "subtopic-without-positive"]
    assert "1 topic (1)" in found[1].reason
    assert "1 subtopic (2/2)" in found[2].reason


def test_findings_are_bounded() -> None:
    assert len(validate_qrels([""] * (3 * MAX_FINDINGS))) == MAX_FINDINGS


rows = st.lists(
    st.builds(QrelRow, st.sampled_from(["1", "2"]), st.just("0"), ids, st.integers(-1, 3)),
    unique_by=lambda row: (row.topic, row.docno),
    min_size=1,
    max_size=6,
)


@given(rows)
def test_trec_eval_takes_what_has_no_fatal_finding(written: list[QrelRow]) -> None:
    lines = list(write_qrels(written))
    assert codes(validate_qrels(lines)) == []
    assert codes(validate_qrels(written)) == []
    qrels = list(ir_measures.read_trec_qrels(io.StringIO("".join(lines))))
    run = [ir_measures.ScoredDoc(row.query_id, row.doc_id, 1.0) for row in qrels]
    judged = {row.topic for row in written if row.value > 0}
    found = {row.query_id: row.value for row in ir_measures.iter_calc([ir_measures.R @ 1000], qrels, run)}
    assert all(found[topic] == 1.0 for topic in judged)


@pytest.mark.shared
def test_the_shared_qrels_are_judged() -> None:
    lines = shared_path("data", "llmjudge", "human.qrels").read_text().splitlines()
    assert codes(validate_qrels(lines)) == []
    acm = shared_path("data", "acm-cr", "contexts.qrels").read_text().splitlines()
    # Papers that list one DOI under two reference numbers have one row for it, so nothing is judged twice.
    assert validate_qrels(acm) == []
    assert codes(validate_qrels([*acm, acm[0]])) == [("duplicate", 482)]
