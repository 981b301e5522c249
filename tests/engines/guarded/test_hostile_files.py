"""Small files that once took a worker for hours, or all its memory."""

from functools import partial
from pathlib import Path

import pytest

from engines.formats.reading import read_path
from engines.formats.records import Problem
from engines.guarded.limits import Limits, ReadingFailed
from engines.guarded.reading import read_guarded

QUICK = Limits(seconds=5, megabytes=300)
N = 200_000


@pytest.mark.parametrize(
    "entry",
    [
        "@article{k, title={" + "{" * N + "a" + "}" * N + "}}",
        "@article{k" + " " * N + "b, title={a}}",
    ],
    ids=["nested braces", "key with blanks"],
)
def test_an_entry_of_bibtex_is_read_in_time_that_grows_with_its_length(tmp_path: Path, entry: str) -> None:
    path = tmp_path / "a.bib"
    path.write_text(entry)
    found, _ = read_guarded(partial(read_path, "documents", path), limits=QUICK)
    assert isinstance(found, Problem) or found.title == "a"


def test_a_small_parquet_file_that_asks_for_gigabytes(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "bomb.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 500, pa.int32()), pa.array(["x" * 20_000_000]))
    columns = {"corpusid": list(range(500)), "title": ["t"] * 500, "abstract": ["a"] * 500, "full_paper": long}
    pq.write_table(pa.table(columns), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 10_000
    with pytest.raises(ReadingFailed, match="needs more than 300 MB of memory to read"):
        list(read_guarded(partial(read_path, "documents", path), limits=QUICK))


def test_a_text_in_xml_that_comments_cut_into_pieces(tmp_path: Path) -> None:
    path = tmp_path / "topics.xml"
    path.write_text('<topics><topic number="1"><query>' + "x<!---->" * (4 * N) + "</query></topic></topics>")
    found, _ = read_guarded(partial(read_path, "topics", path), limits=QUICK)
    assert found.text == "x" * (4 * N)
