import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.pool_lists import PoolRow, read_pool_list
from engines.formats.reading import read_pool_lists
from engines.formats.records import BrokenFile, Problem
from tests.engines.formats.reading import problems, records, said_nothing, stream
from tests.engines.formats.strategies import ids


def read(text: str | bytes) -> list[PoolRow | Problem]:
    return list(read_pool_list(stream(text), "a.txt"))


def pairs(text: str) -> list[tuple[str, str]]:
    return [(row.topic, row.docno) for row in records(read(text))]


@given(st.lists(st.tuples(ids.filter(lambda topic: not topic.startswith("#")), ids), min_size=1, max_size=5))
def test_pairs_are_read_in_every_layout(written: list[tuple[str, str]]) -> None:
    assert pairs("".join(f"{topic}\t{docno}\n" for topic, docno in written)) == written
    assert pairs("".join(f"{topic} Q0 {docno} -1\n" for topic, docno in written)) == written
    beir = "query-id\tcorpus-id\tscore\n" + "".join(f"{topic}\t{docno}\t2\n" for topic, docno in written)
    assert pairs(beir) == written


@given(st.binary(max_size=100))
def test_any_bytes_give_rows_problems_or_a_refusal(data: bytes) -> None:
    with suppress(BrokenFile):
        assert all(isinstance(item, PoolRow) or (item.reason and item.line) for item in read(data))


def test_bad_lines_are_reported_and_the_rest_is_read() -> None:
    found = read(f"1 D1\n\n1 0 D2 1\n1 {'D' * 256}\n1 D\x01\n1 D3\n")
    assert [item for item in found if isinstance(item, PoolRow)] == [
        PoolRow("1", "D1", "a.txt", 1),
        PoolRow("1", "D3", "a.txt", 6),
    ]
    assert problems(found) == [
        (3, "has 4 columns where the first line has 2"),
        (4, "the id has 256 characters; at most 255 are allowed"),
        (5, "the id 'D\\x01' holds characters that cannot be printed"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 Q0 D 1 2.5 tag\n", "holds no pool list: it looks like a file of runs"),
        ("alone\n", "not recognised"),
        ("one two three four five\n", "not recognised"),
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
    ],
)
def test_what_begins_like_no_list_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(BrokenFile, match=reason):
        list(read_pool_lists(tmp_path / "a.txt"))


def test_files_of_an_archive_that_are_no_lists_are_passed_over(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("pool.txt", "1 D1\n")
        archive.writestr("a.run", "1 Q0 D 1 2.5 tag\n")
        archive.writestr("empty", "")
    steps: list[int] = []
    found = said_nothing(read_pool_lists(tmp_path / "a.zip", watch=steps.append))
    assert [(item.file, item.line) for item in found] == [("a.zip/pool.txt", 1), ("a.zip/a.run", 0), ("a.zip/empty", 0)]
    assert isinstance(found[0], PoolRow)
    assert sum(steps) > 0


def test_the_pools_of_doris_mae_are_read(tmp_path: Path) -> None:
    path = tmp_path / "v1.json"
    path.write_text('{"Corpus": [], "Query": [{"candidate_pool": [3, 9]}, {"candidate_pool": ["a"]}, 7, {}]}')
    found = list(read_pool_lists(path))
    assert [(row.topic, row.docno) for row in records(item for item in found if isinstance(item, PoolRow))] == [
        ("0", "3"),
        ("0", "9"),
    ]
    assert [reason for _, reason in problems(found)] == [
        "query 1: candidate_pool is not a list of abstract ids",
        "query 2: candidate_pool is not a list of abstract ids",
    ]
