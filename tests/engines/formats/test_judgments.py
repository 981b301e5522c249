from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.judgments import (
    cells_of,
    read_csv_judgments,
    read_jsonl_judgments,
    read_qrels_judgments,
    write_csv_judgments,
    write_jsonl_judgments,
)
from engines.formats.qrels import whole_number
from engines.formats.reading import read_judgments
from engines.formats.records import BrokenFile, JudgmentRow, Problem
from engines.formats.registry import detect
from tests.engines.formats.reading import problems, records, remarks, stream
from tests.engines.formats.strategies import ids, phrases
from tests.shared import shared_path

names = (phrases | ids.map("#{}".format)).filter(lambda text: text and text.isprintable())
rows = st.builds(
    JudgmentRow,
    names,
    ids,
    phrases,
    ids | st.just(""),
    phrases,
    phrases.filter(bool).map(whole_number),
    st.booleans(),
    st.just(""),
    st.just(0),
)


def key(row: JudgmentRow) -> tuple:
    return tuple(getattr(row, name) for name in JudgmentRow.__slots__ if name not in ("file", "line"))


@given(st.lists(rows, max_size=4))
def test_written_csv_is_read_back(written: list[JudgmentRow]) -> None:
    content = "".join(write_csv_judgments(map(cells_of, written)))
    found = records(read_csv_judgments(stream(content), "f"))
    assert [key(row) for row in found] == [key(row) for row in written]


@given(st.lists(rows, max_size=4))
def test_written_jsonl_is_read_back(written: list[JudgmentRow]) -> None:
    found = records(read_jsonl_judgments(stream("".join(write_jsonl_judgments(map(cells_of, written)))), "f"))
    assert [key(row) for row in found] == [key(row) for row in written]


def test_columns_stand_in_any_order_and_others_are_said() -> None:
    text = "value;Topic;facet;annotator;ann3\n-1;q1;method;A. Lee;7\n"
    assert records(read_csv_judgments(stream(text), "f")) == [
        JudgmentRow("A. Lee", "q1", "", "", "", "-1", False, "f", 2)
    ]
    said = ["the column facet is not read", "the column ann3 is not read"]
    assert remarks(read_csv_judgments(stream(text), "f")) == said
    text = '{"annotator": "a", "topic": 1, "value": 1, "x": 2}\n' * 2
    assert remarks(read_jsonl_judgments(stream(text), "f")) == ["the key x is not read"]


def test_comments_never_become_judgments() -> None:
    text = "# pilot, of May\n# twice\nannotator,topic,docno,value\n#ana,1,d1,2\n# a, b, c, d, e, f\nana,1,d2,1.0\n"
    found, _ = detect(text.encode(), "f", "judgments")
    assert found.name == "csv"
    assert [(row.docno, row.value, row.line) for row in records(read_csv_judgments(stream(text), "f"))] == [
        ("d2", "1", 6)
    ]
    assert remarks(read_csv_judgments(stream(text), "f")) == ["4 comment lines (#) not read"]
    text = "# pilot\n# 4 topics 12\n1 ana d1 1.0\n"
    assert [row.annotator for row in records(read_qrels_judgments(stream(text), "f"))] == ["ana"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("an notator;topic;docno\nana;1;d1\n", 1, "the header has no column annotator, value; its columns are"),
        ("ana,1,d1,2\nana,1,d2,0\n", 1, "the header has no column annotator, topic, value; its columns are ana, 1"),
        ("oops\nannotator,topic,value\nana,1,2\n", 1, "the header has no column annotator, topic, value"),
        ('{"annotator": "ana", "topic"\n{"annotator": "ana", "topic": 1, "value": 2}\n', 1, "is not"),
        ('oops\n{"annotator": "ana", "topic": 1, "value": 2}\n', 1, "is not"),
        ("1 ana d1\n1 ana d2 1\n1 ana d3 0\n", 1, "has 3 fields"),
    ],
)
def test_a_damaged_first_line_gives_line_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    (tmp_path / "f").write_text(text)
    try:
        found = problems(read_judgments(tmp_path / "f"))
    except BrokenFile as broken:
        found = [(broken.line, broken.reason)]
    assert (found[0][0], reason in found[0][1]) == (line, True), found[0]


def test_jsonl_takes_numbers_and_flags() -> None:
    text = '{"annotator": "gpt", "topic": 7, "docno": "d", "value": 2.0, "machine": true, "more": [1]}'
    assert records(read_jsonl_judgments(stream(text), "f")) == [JudgmentRow("gpt", "7", "", "d", "", "2", True, "f", 1)]


def test_qrels_hold_the_annotator_in_column_two() -> None:
    found = records(read_qrels_judgments(stream("101 annA 10.1145/1 2\n101 annB 10.1145/1 -1\n"), "f"))
    assert [(row.annotator, row.topic, row.docno, row.value) for row in found] == [
        ("annA", "101", "10.1145/1", "2"),
        ("annB", "101", "10.1145/1", "-1"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (",1,d,2,", "has no annotator"),
        ("a,,d,2,", "topic: the id is empty"),
        ("a,1 2,d,2,", "topic: the id '1 2' contains white space"),
        ("a,1,d d,2,", "docno: the id 'd d' contains white space"),
        ("a,1,d,,", "has no value"),
        ("a,1,d,2,perhaps", "machine is 'perhaps'; 1 or 0 is expected"),
        ("a\x07,1,d,2,", "cannot be printed"),
        ("a" * 201 + ",1,d,2,", "longer than 200"),
    ],
)
def test_bad_rows_are_problems(line: str, reason: str) -> None:
    found = list(read_csv_judgments(stream(f"annotator,topic,docno,value,machine\n{line}\na,1,d,2,no\n"), "f"))
    assert [type(item) for item in found] == [Problem, JudgmentRow]
    ((at, said),) = problems(found)
    assert (at, reason in said) == (2, True), said


def test_bad_json_values_are_problems() -> None:
    values = ["[2]", "true", "NaN"]
    lines = [f'{{"annotator": "a", "topic": "1", "value": {value}}}\n' for value in values]
    assert [reason for _, reason in problems(read_jsonl_judgments(stream("".join(lines)), "f"))] == [
        "'value' is neither text nor a number",
        "'value' is neither text nor a number",
        "holds NaN, which is not JSON",
    ]


def test_formats_are_detected_and_repeats_reported(tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_text("annotator,topic,docno,value\na,1,d,2\nb,1,d,2\na,1,d,0\n")
    found = list(read_judgments(path))
    assert [row.annotator for row in found if isinstance(row, JudgmentRow)] == ["a", "b"]
    assert problems(found) == [(4, "the judgment a · 1 · d appears more than once in this file; the first one counts")]
    path.write_text('{"annotator": "a", "topic": "1", "value": "x"}\n')
    assert len(records(read_judgments(path))) == 1
    path.write_text("1 a d 2\n")
    assert len(records(read_judgments(path, "qrels"))) == 1


def test_the_annotator_may_be_said_from_outside(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("topic,docno,value\n1,d,2\n")
    (row,) = records(read_judgments(path, "csv", annotator="umbrela"))
    assert row.annotator == "umbrela"
    with pytest.raises(BrokenFile, match="the header has no column annotator"):
        list(read_judgments(path, "csv"))
    with pytest.raises(ValueError, match="unknown format"):
        list(read_judgments(path, "xls"))


@pytest.mark.shared
def test_machine_labels_are_read_as_an_annotators(tmp_path: Path) -> None:
    path = shared_path("data", "llmjudge", "labels", "willia-umbrela1.qrels")
    found = records(read_judgments(path, annotator="umbrela"))
    assert len(found) == 4_423
    assert {row.annotator for row in found} == {"umbrela"}


def test_the_words_of_a_machine_are_kept() -> None:
    text = '{"annotator": "gpt", "topic": "7", "value": -1, "machine": true, "said": "Perhaps?"}\n'
    (found,) = records(read_jsonl_judgments(stream(text), "f"))
    assert found.said == "Perhaps?"
    rows = records(read_csv_judgments(stream("annotator,topic,value,machine,said\ngpt,7,1,1,Surely.\n"), "f"))
    assert [row.said for row in rows] == ["Surely."]
