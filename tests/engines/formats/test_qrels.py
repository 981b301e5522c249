import csv
import io
from types import SimpleNamespace

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.qrels import read_beir_qrels, read_qrels, write_beir_qrels, write_diversity_qrels, write_qrels
from engines.formats.records import QrelRow
from engines.formats.registry import detect
from tests.engines.formats.reading import problems, records, remarks, stream
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
    read = records(read_beir_qrels(stream(content), "f"))
    assert [(row.topic, row.docno, row.value) for row in read] == [(row.topic, row.docno, row.value) for row in written]


def test_blank_lines_are_passed_over_and_comments_counted() -> None:
    text = "# made by hand, of course\n\n1 0 d1 1\r\n#2 0 d2 -1\n # 4 topics 12\n2 0 d#2 -1\n"
    found = list(read_qrels(stream(text), "f"))
    assert remarks(found) == ["3 comment lines (#) not read"]
    rows = [(row.line, key(row)) for row in found if isinstance(row, QrelRow)]
    assert rows == [(3, ("1", "0", "d1", 1)), (6, ("2", "0", "d#2", -1))]


@pytest.mark.parametrize(("written", "value"), [("1.0", 1), ("2.", 2), ("-1.000", -1), ("+3", 3), ("-0.0", 0)])
def test_whole_numbers_may_have_a_point(written: str, value: int) -> None:
    (row,) = records(read_qrels(stream(f"1 0 d1 {written}\n"), "f"))
    assert row.value == value


@pytest.mark.parametrize(
    "text",
    [
        "7\td1\t2\n8\td2\t0\n",
        "7 d1 2\n8 d2 0\n",
        "# pilot\nquery-id\tcorpus-id\tscore\n7\td1\t2.0\n8\td2\t0.0\n",
        "query_id,doc_id,relevance\r\n7,d1,2\r\n8,d2,0\r\n",
        "docno\tgrade\ttopic\nd1\t2\t7\nd2\t0\t8\n",
        '"topic";"docno";"label"\n"7";"d1";"2"\n"8";"d2";"0"\n',
    ],
)
def test_tables_have_a_header_or_none(text: str) -> None:
    form, _ = detect(text.encode(), "f", "qrels")
    assert [key(row) for row in records(form.reads["qrels"](stream(text), "f"))] == [
        ("7", "0", "d1", 2),
        ("8", "0", "d2", 0),
    ]


def test_a_header_of_four_columns_names_them() -> None:
    text = "qid iter docid rel\n7 ana d1 2\n"
    form, _ = detect(text.encode(), "f", "judgments")
    assert form.name == "qrels"
    assert [key(row) for row in records(read_qrels(stream(text), "f"))] == [("7", "ana", "d1", 2)]


def test_further_columns_are_said() -> None:
    note, row = read_beir_qrels(stream("qid\tdocid\trel\tnote\n7\td1\t2\tnice\n"), "f")
    assert (note.text, key(row)) == ("the column note is not read", ("7", "0", "d1", 2))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 0 184\n1 0 29 0\n1 0 30 1\n", "has 3 fields"),
        ("1 0 184 high\n1 0 29 0\n1 0 30 1\n", "the value 'high' is not a whole number"),
        ("1 0 184\n", "the value"),
        ("1 184 high\n1 29 0\n1 30 1\n", "the value 'high'"),
        ("see below\n1\t29\t0\n1\t30\t1\n", "has 2 fields"),
        ("184 0 high 1 0\n", "has 5 fields"),
    ],
)
def test_a_damaged_first_line_gives_line_and_reason(text: str, reason: str) -> None:
    form, _ = detect(text.encode(), "f", "qrels")
    line, said = problems(form.reads["qrels"](stream(text), "f"))[0]
    assert (line, reason in said) == (1, True), said


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 0 d1", "has 3 fields; topic, iteration, docno and value are expected"),
        ("1 0 d 1 1", "has 5 fields"),
        ("1 0 d1 x", "the value 'x' is not a whole number"),
        ("1 0 d1 0.5", "the value '0.5' is not a whole number"),
        ("1 0 d1 1.0.0", "the value '1.0.0' is not a whole number"),
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
        QrelRow("#1", "0", "d", 1),
    ],
)
def test_what_qrels_cannot_carry_is_not_written(row: QrelRow) -> None:
    with pytest.raises(ValueError, match=r"white space|empty|outside of|begins with #"):
        list(write_qrels([row]))


def test_beir_wants_ids_without_white_space_too() -> None:
    with pytest.raises(ValueError, match="docno: the id 'd e' contains white space"):
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
