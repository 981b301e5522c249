import contextlib
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.csv_text import guard, read_csv, unguard, write_csv
from engines.formats.paper_files import read_order
from engines.formats.records import BrokenFile
from tests.engines.formats.reading import problems, stream

# A lone CR within a cell is kept by our writer's quotes and taken for a line end by no reader here.
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=12)


def read(text: str, **options) -> list:
    return list(read_csv(stream(text), "f", **options))


@given(st.text())
def test_the_guard_can_be_taken_off(text: str) -> None:
    assert unguard(guard(text)) == text


@given(st.text(st.sampled_from(list("'=+-@\t\ra1.")), max_size=6))
def test_no_guarded_cell_is_a_formula(text: str) -> None:
    guarded = guard(text)
    assert unguard(guarded) == text
    assert guarded[:1] not in set("=+-@\t\r") or float(guarded) == float(text)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+44 20", "'+44 20"),
        ("-x", "'-x"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("'=1", "''=1"),
        ("'quoted'", "'quoted'"),
        ("-0.05", "-0.05"),
        ("+1e-3", "+1e-3"),
        ("plain = text", "plain = text"),
        ("", ""),
    ],
)
def test_formulas_get_an_apostrophe_and_numbers_do_not(text: str, cell: str) -> None:
    assert guard(text) == cell


@given(st.lists(st.tuples(cells.filter(bool), cells, cells), max_size=4), st.booleans(), st.sampled_from(",;\t"))
def test_written_rows_are_read_back(rows: list[tuple[str, str, str]], guarded: bool, delimiter: str) -> None:
    content = "".join(write_csv(("a", "b", "c"), rows, guarded=guarded, delimiter=delimiter))
    found = [item for _, item in read(content)]
    if guarded:
        assert found == [dict(zip("abc", row, strict=True)) for row in rows]
    theirs = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter))[1:]
    assert theirs == [[guard(cell) if guarded else cell for cell in row] for row in rows]


def test_lines_are_those_where_rows_begin() -> None:
    text = 'a,b\n1,"two\nlines"\n\n3,4\n'
    assert read(text) == [(2, {"a": "1", "b": "two\nlines"}), (5, {"a": "3", "b": "4"})]


def test_line_ends_within_cells_are_kept() -> None:
    content = "".join(write_csv(("a", "b"), [("one\r\ntwo\nthree", "4")]))
    assert read(content) == [(2, {"a": "one\r\ntwo\nthree", "b": "4"})]
    assert read("a,b\r\n1,2\r\n3,4") == [(2, {"a": "1", "b": "2"}), (3, {"a": "3", "b": "4"})]


def test_headers_are_forgiving_and_missing_cells_empty() -> None:
    assert read("\ufeff Annotator ;VALUE;\r\nx;1\r\n") == [(2, {"annotator": "x", "value": "1", "": ""})]


def test_bad_rows_are_problems() -> None:
    found = read('a,b\n1,2,3\n"x"y,2\n5,6\n')
    assert problems(found) == [
        (2, "has 3 cells, but the header has 2"),
        (3, "is not CSV: ',' expected after '\"'"),
    ]
    assert found[2] == (4, {"a": "5", "b": "6"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        ("a,b,A\n", "names a column twice"),
        ("a,b\n", "line 1: the header has no column value"),
        ('value\n1\n"never closed\n2\n3\n', "line 3: a quoted cell that begins here is never closed"),
        ('value\n"' + "x\n" * 200_000, "line 2: a quoted cell that begins here is never closed"),
    ],
)
def test_tables_that_cannot_be_trusted_are_broken(text: str, reason: str) -> None:
    with pytest.raises(BrokenFile, match=reason):
        read(text, required=["value"])


@pytest.mark.parametrize("text", ["annotator\rx,value\n1,2\n", "annotator,value\r1,2\r3,4\r", '"a\nb,c\n'])
def test_a_header_that_is_no_csv_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(BrokenFile) as refusal:
        read(text)
    if "\r" in text:
        assert "save the file with line ends LF or CRLF" in str(refusal.value)


NONSENSE = st.text(st.sampled_from('doi,;\t\r\n"\x0b\x1c\x85\u2028=1'), max_size=30)


@given(NONSENSE)
def test_nonsense_is_refused_or_read_by_every_reader_of_tables(text: str) -> None:
    for reader in (read_csv, read_order):
        with contextlib.suppress(BrokenFile):
            list(reader(stream(text), "f"))
