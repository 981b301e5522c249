"""LitSearch's questions as parquet: read, written, and refused where it is none."""

import io
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpus.formats.litsearch import query_object, read_litsearch_queries
from corpus.formats.litsearch_parquet import write_litsearch_parquet
from corpus.formats.records import BrokenFile, Problem, TopicRecord
from corpus.formats.topics import read_topics
from tests.corpus.formats.reading import records
from tests.factories.litsearch import invented_questions


def parquet(rows: list[dict]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out)
    return out.getvalue()


def read(content: bytes) -> list[TopicRecord | Problem]:
    return list(read_litsearch_queries(io.BufferedReader(io.BytesIO(content)), "f.parquet"))


def topic(number: str, targets: tuple[str, ...]) -> TopicRecord:
    extra = {"query_set": "inline_acl", "specificity": 1, "quality": 2}
    return TopicRecord(number, "", "Why?", "", "question", "inline-acl", (), (), "f", 1, targets, extra)


def test_an_invented_file_of_litsearchs_shape_has_its_counts(tmp_path):
    path = tmp_path / "query-00000.parquet"
    path.write_bytes(parquet(invented_questions()))
    found = records(read_topics(path))
    assert len(found) == 597
    assert Counter(each.extra["query_set"] for each in found) == {
        "inline_acl": 98,
        "inline_nonacl": 253,
        "manual_acl": 155,
        "manual_iclr": 91,
    }
    assert Counter(each.extra["specificity"] for each in found) == {0: 155, 1: 442}
    assert Counter(each.extra["quality"] for each in found) == {1: 294, 2: 303}
    assert Counter(len(each.targets) for each in found) == {1: 563, 2: 29, 3: 3, 4: 1, 5: 1}
    assert found[0].number == "0"
    assert found[0].file == path.name


@pytest.mark.parametrize("targets", [(("11", "7"), ("9",)), (("W11", "7"), ())])
def test_what_is_written_is_read_again(targets):
    topics = [topic(str(number), docnos) for number, docnos in enumerate(targets)]
    content = b"".join(write_litsearch_parquet(topics, map(query_object, topics)))
    assert [(each.number, each.text, each.targets, each.extra) for each in read(content)] == [
        (each.number, each.text, each.targets, each.extra) for each in topics
    ]
    column = "corpusids" if targets[0][0] == "11" else "docnos"
    assert column in pq.read_schema(io.BytesIO(content)).names


def test_a_bad_row_is_named_and_the_others_are_read():
    rows = invented_questions()[:3]
    rows[1]["quality"] = 7
    found = read(parquet(rows))
    assert [type(each) for each in found] == [TopicRecord, Problem, TopicRecord]
    assert found[1].line == 2


@pytest.mark.parametrize("cut", [4, 60, -20])
def test_a_file_that_is_cut_off_is_refused(cut):
    with pytest.raises(BrokenFile, match="no parquet file that can be read"):
        read(parquet(invented_questions()[:3])[:cut])
