"""LitSearch's questions as parquet: read, written, and refused where it is none."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.litsearch import query_object, read_litsearch_queries
from engines.formats.litsearch_parquet import write_litsearch_parquet, write_parquet_documents
from engines.formats.reading import read_mentions, read_topics
from engines.formats.records import BrokenFile, Problem, TopicRecord
from tests.engines.formats.reading import records
from tests.engines.formats.strategies import ids, phrases
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
    with pytest.raises(BrokenFile, match="not a readable parquet file"):
        read(parquet(invented_questions()[:3])[:cut])


CLEAN = [
    {"corpusid": 7, "title": "On tea", "abstract": "Leaves.", "citations": [9, 11], "full_paper": "Long. " * 50},
    {"corpusid": 9, "title": "On pots", "abstract": "Clay.", "citations": [], "full_paper": ""},
]


def test_corpus_clean_is_read_and_written_in_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "corpus_clean-00000.parquet"
    path.write_bytes(parquet(CLEAN))
    found = records(read_documents(path))
    assert [(each.docno, each.title, each.abstract, each.extra) for each in found] == [
        ("7", "On tea", "Leaves.", {"citations": ["9", "11"]}),
        ("9", "On pots", "Clay.", {"citations": []}),
    ]
    for whole, column in ((True, "corpusid"), (False, "docno")):
        path.write_bytes(b"".join(write_parquet_documents(found, whole=whole, full_texts=True)))
        table = pq.read_table(path)
        assert table.column(column).to_pylist() == ([7, 9] if whole else ["7", "9"])
        assert table.column("citations").to_pylist() == ([[9, 11], []] if whole else [["9", "11"], []])
        again = records(read_documents(path))
        assert [replace(each, file="", line=0) for each in again] == [replace(each, file="", line=0) for each in found]


def test_corpus_s2orc_is_read_from_its_annotations(tmp_path: Path) -> None:
    text = "On tea\nLeaves."
    spans = {"title": '[{"start": 0, "end": 6}]', "abstract": '[{"start": 7, "end": 14}]', "author": None}
    row = {"corpusid": 7, "externalids": {"doi": "10.1/t"}, "content": {"text": text, "annotations": spans}}
    path = tmp_path / "corpus_s2orc.parquet"
    path.write_bytes(parquet([row]))
    (found,) = records(read_documents(path))
    assert (found.docno, found.title, found.abstract, found.doi) == ("7", "On tea", "Leaves.", "10.1/t")


@pytest.mark.parametrize(
    ("read_it", "rows", "reason"),
    [
        (read_topics, CLEAN, "holds no topics: it is LitSearch's corpus_clean, to be imported as documents"),
        (
            read_documents,
            invented_questions()[:2],
            "holds no documents: it is LitSearch's questions, to be imported as",
        ),
    ],
)
def test_the_wrong_file_is_named_and_where_it_goes(
    tmp_path: Path, read_it: Callable[[Path], Iterator[Any]], rows: list[dict[str, Any]], reason: str
) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(parquet(rows))
    with pytest.raises(BrokenFile, match=reason):
        list(read_it(path))


def test_corpus_s2orc_comes_in_as_mentions(tmp_path) -> None:
    text = "Title\n\nAs shown [1]. Owls hear."
    spans = {
        "paragraph": [{"start": 7, "end": 20}, {"start": 21, "end": 31}],
        "bibref": [{"start": 16, "end": 19, "attributes": {"ref_id": "b0"}}],
        "bibentry": [{"start": 0, "end": 5, "attributes": {"id": "b0", "matched_paper_id": "12"}}],
    }
    content = {"text": text, "annotations": {kind: json.dumps(found) for kind, found in spans.items()}}
    rows = [{"corpusid": 11, "externalids": {"doi": "10.1/x"}, "content": content}]
    (tmp_path / "full-00000-of-00001.parquet").write_bytes(parquet(rows))
    (mention,) = records(read_mentions(tmp_path))
    assert (mention.source_id, mention.source_doi, mention.text) == ("11", "10.1/x", "As shown [1].")
    assert [(marker.text, marker.keys) for marker in mention.markers] == [("[1]", ("b0",))]
    assert [reference.target for reference in mention.references] == ["12"]


def test_other_files_of_litsearch_hold_no_mentions(tmp_path) -> None:
    (tmp_path / "a.parquet").write_bytes(parquet([{"corpusid": 1, "title": "T", "abstract": "A"}]))
    with pytest.raises(BrokenFile, match="it is LitSearch's corpus_clean, to be imported as documents"):
        list(read_mentions(tmp_path / "a.parquet"))


@pytest.mark.parametrize("names", [("_id", "text"), ("qid", "query"), ("query_id", "question"), ("id", "contents")])
def test_topics_in_columns_of_other_names_are_read_by_them(tmp_path: Path, names: tuple[str, str]) -> None:
    path = tmp_path / "queries-00000.parquet"
    rows = [dict(zip(names, row, strict=True), title="T", lang="en") for row in (("q1", "how?"), ("q2", "why?"))]
    path.write_bytes(parquet(rows))
    found = [(topic.number, topic.title, topic.text, topic.extra) for topic in records(read_topics(path))]
    assert found == [("q1", "T", "how?", {"lang": "en"}), ("q2", "T", "why?", {"lang": "en"})]


def test_title_and_narrative_of_a_question_come_back(tmp_path: Path) -> None:
    written = replace(topic("1", ("7",)), title="Owls", narrative="Ears count.")
    path = tmp_path / "a.parquet"
    path.write_bytes(b"".join(write_litsearch_parquet([written], [query_object(written)])))
    (found,) = records(read_topics(path))
    assert (found.title, found.text, found.narrative) == ("Owls", "Why?", "Ears count.")


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(ids, phrases.filter(bool), phrases, phrases), min_size=1, max_size=4, unique_by=lambda row: row[0]
    )
)
def test_nothing_of_a_table_of_topics_is_lost(rows: list[tuple[str, str, str, str]]) -> None:
    content = parquet([{"qid": qid, "query": query, "title": title, "origin": at} for qid, query, title, at in rows])
    found = read(content)
    assert [(each.number, each.text, each.title, each.extra.get("origin", "")) for each in found] == rows
