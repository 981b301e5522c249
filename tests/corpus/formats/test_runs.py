import io
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.formats.records import BrokenFile, RunRow
from corpus.formats.runs import in_trec_order, read_run, read_runs, write_run
from tests.corpus.formats.reading import problems, records, stream
from tests.corpus.formats.strategies import ids
from tests.shared import shared_path

rankings = st.dictionaries(ids, st.lists(ids, unique=True, max_size=4), max_size=3)


@given(rankings, ids)
def test_written_runs_are_read_back(written: dict[str, list[str]], tag: str) -> None:
    content = "".join(write_run(written.items(), tag))
    found = records(read_run(stream(content), "f"))
    for topic, docnos in written.items():
        mine = [row for row in found if row.topic == topic]
        assert [row.docno for row in mine] == [row.docno for row in in_trec_order(mine)] == docnos
        assert [row.rank for row in mine] == list(range(1, len(docnos) + 1))
        assert all(row.tag == tag for row in mine)
    theirs = ir_measures.read_trec_run(io.StringIO(content))
    assert [(row.query_id, row.doc_id, row.score) for row in theirs] == [
        (row.topic, row.docno, row.score) for row in found
    ]


def test_the_order_is_that_of_trec_eval() -> None:
    rows = [
        RunRow("1", docno, rank, score, "t")
        for docno, rank, score in [("a", 1, 1), ("b", 2, 2), ("é", 3, 1), ("z", 4, 1)]
    ]
    assert [row.docno for row in in_trec_order(rows)] == ["b", "é", "z", "a"]


def test_blank_lines_tabs_and_any_second_column_are_fine() -> None:
    (row,) = records(read_run(stream("\n1\t0\td1\t0\t-4.5e1\ttag\r\n\n"), "f"))
    assert row == RunRow("1", "d1", 0, -45.0, "tag", "f", 2)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 Q0 d 1 2.0", "has 5 fields"),
        ("1 Q0 d e 1 2.0 t", "has 7 fields"),
        ("1 Q0 d one 2.0 t", "rank 'one' or score '2.0' is not a number"),
        ("1 Q0 d 1 high t", "is not a number"),
        ("1 Q0 d 1 nan t", "the score 'nan' is not a finite number"),
        ("1 Q0 d 1 inf t", "not a finite number"),
        ("1 Q0 d\x7f 1 1 t", "cannot be printed"),
    ],
)
def test_bad_rows_are_problems(line: str, reason: str) -> None:
    ((at, said),) = problems(read_run(stream(f"1 Q0 a 1 2 t\n{line}\n1 Q0 b 2 1 t\n"), "f"))
    assert (at, reason in said) == (2, True), said


def test_a_document_that_is_ranked_twice_breaks_the_run() -> None:
    text = "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 b 2 1 t\n1 Q0 a 3 1 t\n"
    with pytest.raises(BrokenFile, match="line 4: document a is ranked twice for topic 1"):
        list(read_run(stream(text), "f"))


def test_what_a_run_cannot_carry_is_not_written() -> None:
    for written, tag in (({"1": ["a", "a"]}, "t"), ({"1": ["a b"]}, "t"), ({"1 2": ["a"]}, "t"), ({}, "my run")):
        with pytest.raises(ValueError, match=r"twice|white space"):
            list(write_run(written.items(), tag))


def test_runs_of_an_archive_keep_apart_by_file(tmp_path: Path) -> None:
    for name in ("one.run", "two.run"):
        (tmp_path / name).write_text("1 Q0 a 1 2 t\n")
    (tmp_path / "notes.txt").write_text("no run\n")
    found = list(read_runs(tmp_path, name="runs"))
    assert [row.file for row in found if isinstance(row, RunRow)] == ["runs/one.run", "runs/two.run"]
    assert len(problems(found)) == 1
    with pytest.raises(BrokenFile, match="not recognised"):
        list(read_runs(tmp_path / "notes.txt"))


@pytest.mark.shared
def test_shared_runs_are_read_whole() -> None:
    rows = records(read_runs(shared_path("data", "doris-mae", "runs", "bm25.run")))
    assert len({row.topic for row in rows}) == 50
    topic = [row for row in rows if row.topic == "0"]
    assert [row.docno for row in in_trec_order(topic)] == [row.docno for row in topic]
    assert len(records(read_runs(shared_path("data", "csfcube", "specter.run")))) > 2_000
