import io
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.reading import read_runs
from engines.formats.records import BrokenFile, Problem, RunRow
from engines.formats.trec_runs import BadRow, RunComment, read_run
from tests.engines.formats.reading import problems, records, said_nothing, stream
from tests.engines.formats.strategies import ids
from tests.shared import shared_path


def read(text: str | bytes) -> list[RunRow | BadRow]:
    return list(read_run(stream(text), "a.run"))


rows = st.lists(
    st.tuples(
        ids.filter(lambda topic: topic != "#"),
        ids,
        st.integers(0, 10**8),
        st.floats(allow_nan=False, allow_infinity=False),
        ids,
    ),
    max_size=5,
    unique_by=lambda row: row[:2],
)


@given(rows, st.sampled_from([" ", "\t", "   ", " \t"]))
def test_rows_are_read_as_they_were_written(written: list[tuple[str, str, int, float, str]], between: str) -> None:
    text = "".join(
        between.join([topic, "Q0", docno, str(rank), repr(score), tag]) + "\n"
        for topic, docno, rank, score, tag in written
    )
    found = [(row.topic, row.docno, row.rank, row.score, row.tag) for row in records(read(text))]
    assert found == written


def test_comments_never_become_rows() -> None:
    found = read("# a b 1 2.0 x\n#1 Q0 d 1 2.0 t\n#1 Q0 d\n")
    assert [type(item) for item in found] == [RunComment, RunRow, RunComment]


@given(st.binary(max_size=200) | st.text("1 Qd0.-e\tnaif\n\\_", max_size=80).map(str.encode))
def test_any_bytes_give_rows_problems_or_a_refusal(data: bytes) -> None:
    with suppress(BrokenFile):
        assert all(isinstance(item, RunRow | RunComment) or (item.reason and item.line) for item in read(data))


def test_lines_and_layout_are_as_trec_eval_takes_them() -> None:
    found = records(read("\ufeff1 Q0 D-1 1 2.5 bm25\r\n\n 1\tQ0  D-2 -7 -1e-3 bm25 \n2 0 D-1 000000000000001 +.5 x"))
    assert found == [
        RunRow("1", "D-1", 1, 2.5, "bm25", "a.run", 1),
        RunRow("1", "D-2", -7, -0.001, "bm25", "a.run", 3),
        RunRow("2", "D-1", 1, 0.5, "x", "a.run", 4),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 Q0 D1 1 nan t", "not a finite number"),
        ("1 Q0 D1 1 -inf t", "not a finite number"),
        ("1 Q0 D1 1 1e999 t", "not a finite number"),
        ("1 Q0 D1 1 1_0 t", "'1_0' is not a number"),
        ("1 Q0 D1 1 ٣ t", "is not a number"),
        ("1 Q0 D1 1 0x1p3 t", "is not a number"),
        ("1 Q0 D1 one 2.5 t", "rank 'one' or score '2.5' is not a number"),
        (f"1 Q0 D1 {'9' * 5000} 2.5 t", "is not a number"),
        ("1 Q0 D1 1 2.5", "has 5 fields, not the six of a run"),
        ("1", "has 1 field, not"),
        ("1 Q0 D 1 1 2.5 t", "has 7 fields"),
        ("1 Q0 D\x01 1 2.5 t", "cannot be printed"),
        (f"1 Q0 {'D' * 256} 1 2.5 t", "at most 255"),
        (f"{'1' * 101} Q0 D 1 2.5 t", "at most 100"),
    ],
)
def test_a_bad_row_is_reported_with_line_and_topic(line: str, reason: str) -> None:
    found = read(f"7 Q0 D1 1 3 t\n{line}\n7 Q0 D2 1 2 t\n")
    assert [item.docno for item in found if isinstance(item, RunRow)] == ["D1", "D2"]
    ((number, result),) = problems(found)
    assert number == 2
    assert reason in result
    assert found[1].topic == line.split(maxsplit=1)[0]


def test_a_document_twice_for_a_topic_breaks_the_file_with_the_line() -> None:
    assert len(records(read("1 Q0 D 1 3 t\n2 Q0 D 1 3 t\n"))) == 2
    with pytest.raises(BrokenFile, match="document D is ranked twice for topic 1") as broken:
        read("1 Q0 D 1 3 t\n1 Q0 E 2 2 t\n2 Q0 D 1 3 t\n1 Q0 D 3 1 u\n")
    assert (broken.value.file, broken.value.line) == ("a.run", 4)


def test_a_repeat_is_no_accident_of_joining_names() -> None:
    assert len(records(read("1 Q0 1D 1 3 t\n11 Q0 D 1 3 t\n"))) == 2


@pytest.mark.parametrize("data", [b"1 Q0 D\0 1 3 t\n", b"1 Q0 \xff 1 3 t\n", "1 Q0 D 1 3 t\n".encode("utf-16")])
def test_what_is_not_text_breaks_the_file(data: bytes) -> None:
    with pytest.raises(BrokenFile) as broken:
        read(data)
    assert broken.value.line == 1


def test_an_endless_line_is_not_held_in_memory() -> None:
    with pytest.raises(BrokenFile, match="longer than"):
        read(b"x" * (3 << 20))


class TestPaths:
    def test_files_of_an_archive_are_runs_of_their_own_and_others_are_passed_over(self, tmp_path: Path) -> None:
        files = {"a.run": "1 Q0 D 1 3 a\n", "README": "Runs of the lab.\n", "b.run": "1 Q0 D 1 nan b\n1 Q0 E 1 3 b\n"}
        with tarfile.open(tmp_path / "runs.tar.gz", "w:gz") as archive:
            for label, text in files.items():
                info = tarfile.TarInfo(label)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        found = list(read_runs(tmp_path / "runs.tar.gz", name="up.tar.gz"))
        assert [(row.file, row.docno) for row in found if isinstance(row, RunRow)] == [
            ("up.tar.gz/a.run", "D"),
            ("up.tar.gz/b.run", "E"),
        ]
        readme, nan = (item for item in found if isinstance(item, Problem))
        assert (readme.file, readme.line, isinstance(readme, BadRow)) == ("up.tar.gz/README", 0, False)
        assert (nan.line, isinstance(nan, BadRow)) == (1, True)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("@article{a, title = {T}}\n", "holds no run .* it looks like a file of documents"),
            ("1 0 D1 2\n", "holds no run .* it looks like a file of judgments, pool lists or qrels"),
            ("Dear reader, this is no run\nat all\n", "a.run"),
            ("", "the file is empty"),
        ],
    )
    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path, text: str, reason: str) -> None:
        (tmp_path / "a.run").write_text(text)
        with pytest.raises(BrokenFile, match=reason):
            list(read_runs(tmp_path / "a.run"))

    def test_a_header_is_one_bad_row(self, tmp_path: Path) -> None:
        (tmp_path / "a.run").write_text("qid Q0 docno rank score tag\n1 Q0 D 1 3 t\n")
        bad, good = said_nothing(read_runs(tmp_path / "a.run"))
        assert (bad.line, isinstance(bad, BadRow), isinstance(good, RunRow)) == (1, True, True)

    def test_bytes_read_are_reported(self, tmp_path: Path) -> None:
        path = tmp_path / "a.run"
        path.write_text("".join(f"1 Q0 D{i} {i} {-i} t\n" for i in range(20_000)))
        steps: list[int] = []
        assert len(records(read_runs(path, watch=steps.append))) == 20_000
        assert sum(steps) >= path.stat().st_size


@pytest.mark.shared
def test_the_bm25_run_of_doris_mae() -> None:
    found = records(read_runs(shared_path("data", "doris-mae", "runs", "bm25.run")))
    assert len(found) == 5349
    assert {row.tag for row in found} == {"bm25"}
    assert {row.topic for row in found} == {str(number) for number in range(50)}
