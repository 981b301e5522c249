import csv
import io
from types import SimpleNamespace

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.qrels import read_qrels, write_beir_qrels, write_diversity_qrels, write_qrels
from engines.formats.records import QrelRow
from tests.engines.formats.reading import problems, records, stream
from tests.engines.formats.strategies import ids
from tests.shared import shared_path

rows = st.builds(QrelRow, ids, ids, ids, st.integers(-127, 127))


def key(row: QrelRow) -> tuple[str, str, str, int]:
    return row.topic, row.iteration, row.docno, row.value


@pytest.mark.slow
@given(st.lists(rows.filter(lambda row: not row.topic.startswith("#")), max_size=5), st.sampled_from([" ", "\t"]))
def test_written_qrels_are_read_back(written: list[QrelRow], separator: str) -> None:
    from ir_datasets.formats import TrecQrels  # slow to import

    content = "".join(write_qrels(written, separator=separator))
    expected = [key(row) for row in written]
    assert [key(row) for row in records(read_qrels(stream(content), "f"))] == expected
    theirs = TrecQrels(SimpleNamespace(stream=lambda: io.BytesIO(content.encode())), {}).qrels_iter()
    assert [(row.query_id, row.iteration, row.doc_id, row.relevance) for row in theirs] == expected
    theirs = ir_measures.read_trec_qrels(io.StringIO(content))
    assert [(row.query_id, row.iteration, row.doc_id, row.relevance) for row in theirs] == expected


@given(st.lists(rows, max_size=5))
def test_written_beir_qrels_are_a_table(written: list[QrelRow]) -> None:
    content = "".join(write_beir_qrels(written))
    assert content.startswith("query-id\tcorpus-id\tscore\n")
    _, *found = csv.reader(io.StringIO(content, newline=""), delimiter="\t")
    assert found == [[row.topic, row.docno, str(row.value)] for row in written]


def test_blank_lines_and_comments_are_passed_over() -> None:
    found = records(read_qrels(stream("# made by hand, of course\n\n1 0 d1 1\r\n#2 0 d2 -1\n"), "f"))
    assert [(row.line, key(row)) for row in found] == [(3, ("1", "0", "d1", 1)), (4, ("#2", "0", "d2", -1))]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 0 d1", "has 3 fields; topic, iteration, docno and value are wanted"),
        ("1 0 d 1 1", "has 5 fields"),
        ("1 0 d1 x", "the value 'x' is not a whole number"),
        ("1 0 d1 1.0", "the value '1.0' is not a whole number"),
        ("1 0 d1 ١", "is not a whole number"),
        ("1 0 d1 128", "outside of -127 to 127"),
        ("1 0 d1 9999999999", "is not a whole number"),
        ("1 0 d\x01 1", "docno: the id 'd\\x01' holds characters that cannot be printed"),
        ("9" * 101 + " 0 d 1", "topic: the id has 101 characters"),
    ],
)
def test_bad_rows_are_problems(line: str, reason: str) -> None:
    ((at, said),) = problems(read_qrels(stream(f"1 0 a 1\n{line}\n1 0 b 1\n"), "f"))
    assert (at, reason in said) == (2, True), said


@pytest.mark.parametrize(
    "row",
    [
        QrelRow("a b", "0", "d", 1),
        QrelRow("1", "", "d", 1),
        QrelRow("1", "0", "d\u2028e", 1),
        QrelRow("1", "0", "d", 128),
    ],
)
def test_what_qrels_cannot_carry_is_not_written(row: QrelRow) -> None:
    with pytest.raises(ValueError, match=r"white space|empty|outside of"):
        list(write_qrels([row]))


def test_beir_wants_ids_without_white_space_too() -> None:
    with pytest.raises(ValueError, match="docno: the id 'd e' holds white space"):
        list(write_beir_qrels([QrelRow("1", "0", "d e", 1)]))


def test_diversity_qrels_leave_the_unjudged_out_and_want_digits() -> None:
    written = [QrelRow("7", "1", "docA", 1), QrelRow("7", "2", "docA", -1), QrelRow("7", "2", "docB", 0)]
    assert list(write_diversity_qrels(written)) == ["7 1 docA 1\n", "7 2 docB 0\n"]
    for row in (QrelRow("q7", "1", "d", 1), QrelRow("7", "a", "d", 1), QrelRow("7", "1", "d d", 1)):
        with pytest.raises(ValueError, match=r"not made of digits|white space"):
            list(write_diversity_qrels([row]))


@pytest.mark.slow
@pytest.mark.shared
def test_shared_qrels_are_read_and_written_byte_for_byte() -> None:
    path = shared_path("data", "acm-cr", "contexts.qrels")
    found = records(read_qrels(stream(path.read_bytes()), "f"))
    assert len(found) == 481
    assert "".join(write_qrels(found, separator="\t")) == path.read_text()
    for label_file in sorted(shared_path("data", "llmjudge", "labels").glob("*.qrels")):
        assert len(records(read_qrels(stream(label_file.read_bytes()), label_file.name))) == 4_423
