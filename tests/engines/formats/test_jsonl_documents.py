import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.jsonl import write_objects
from engines.formats.jsonl_documents import read_jsonl_documents, write_beir_corpus, write_jsonl_documents
from engines.formats.records import DocumentRecord, Problem
from tests.engines.formats.reading import problems, records, remarks, stream
from tests.engines.formats.strategies import documents, ids, phrases, simple_documents


def read(text: str) -> list:
    return list(read_jsonl_documents(stream(text), "f.jsonl"))


def only(**item: Any) -> DocumentRecord:
    (record,) = records(read("".join(write_objects([item]))))
    return record


@pytest.mark.slow
@given(st.lists(documents(), max_size=3))
def test_written_documents_are_read_back(written: list[DocumentRecord]) -> None:
    found = records(read("".join(write_jsonl_documents(written))))
    assert [(item.line, item.file) for item in found] == [(n, "f.jsonl") for n in range(1, len(written) + 1)]
    assert [blank_place(item) for item in found] == [blank_place(item) for item in written]


def blank_place(document: DocumentRecord) -> tuple:
    return tuple(getattr(document, name) for name in DocumentRecord.__slots__ if name not in ("file", "line"))


@pytest.mark.slow
@given(st.lists(simple_documents(), max_size=3))
def test_beir_keeps_id_title_and_text(written: list[DocumentRecord]) -> None:
    found = records(read("".join(write_beir_corpus(written))))
    assert [(item.docno, item.title, item.abstract, item.extra) for item in found] == [
        (item.docno, item.title, item.abstract, {}) for item in written
    ]


@pytest.mark.parametrize("key", ["docno", "_id", "id", "corpusid", "doc_id", "paper_id"])
def test_the_id_has_many_names(key: str) -> None:
    assert only(**{key: "a1", "title": "T"}).docno == "a1"
    assert only(**{key: 17, "title": "T"}).docno == "17"


def test_what_has_no_place_is_kept() -> None:
    record = only(docno="a", id=7, abstract="A", text="full", citations=[1, {"b": None}], year="n.d.", title=None)
    assert (record.docno, record.abstract, record.title, record.year) == ("a", "A", "", None)
    assert record.extra == {"id": 7, "text": "full", "citations": [1, {"b": None}], "year": "n.d."}


def test_authors_years_and_keywords_come_in_many_shapes() -> None:
    record = only(
        id="a",
        title="T",
        year="2019",
        keywords="x, y,,z",
        journal="J",
        authors=[{"first": "Ana", "middle": ["B."], "last": "Lee", "suffix": "Jr."}, {"name": "Bo Chan"}, "Plato", {}],
    )
    assert (record.year, record.keywords, record.venue) == (2019, ("x", "y", "z"), "J")
    assert record.authors == ("Lee Jr., Ana B.", "Bo Chan", "Plato")
    assert only(id="a", title="T", authors="Ana Lee and Bo Chan").authors == ("Ana Lee", "Bo Chan")
    assert only(id="a", title="T", authors="Lee, Ana; Chan, Bo").authors == ("Lee, Ana", "Chan, Bo")


def test_texts_may_be_lists_or_labelled_sentences() -> None:
    assert only(id="a", abstract=["One.", "Two."]).abstract == "One. Two."
    record = only(paper_id="405", title="T", sentences=[["background", "One."], ["method", "Two."]])
    assert record.abstract == "One. Two."
    assert record.extra == {"sentences": [["background", "One."], ["method", "Two."]]}


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ('{"title": "T"}', "has no id, or an empty one (one of the keys docno, _id"),
        ('{"id": "", "title": "T"}', "has no id, or an empty one"),
        ('{"id": "a b", "title": "T"}', "white space"),
        ('{"id": " a", "title": "T"}', "white space"),
        ('{"id": "a\\u00a0b", "title": "T"}', "white space"),
        ('{"id": true, "title": "T"}', "neither text nor a whole number"),
        ('{"id": 1.5, "title": "T"}', "neither text nor a whole number"),
        ('{"id": ["a"], "title": "T"}', "neither text nor a whole number"),
        ('{"id": "a", "title": {"x": 1}}', "'title' is not text"),
        ('{"id": "a", "title": "T", "keywords": [1]}', "'keywords' is not a list of texts"),
        ('{"id": "a", "title": "T", "authors": 3}', "'authors' is not a list of names"),
        ('{"id": "a", "title": " ", "text": null}', "neither a title nor a text"),
    ],
)
def test_bad_documents_are_problems(item: str, reason: str) -> None:
    good = '{"id": "x", "title": "T"}'
    found = read(f"{good}\n{item}\n{good}")
    assert [type(entry) for entry in found] == [DocumentRecord, Problem, DocumentRecord]
    ((line, said),) = problems(found)
    assert line == 2
    assert reason in said


LISTED = st.lists(
    st.fixed_dictionaries({"id": ids, "title": phrases.filter(bool), "contents": phrases, "liked": st.booleans()}),
    min_size=1,
    max_size=4,
    unique_by=lambda item: item["id"],
)


@given(LISTED, st.sampled_from([None, 2]), st.sampled_from(["list", "within"]))
def test_nothing_of_a_list_of_objects_is_lost(items: list[dict[str, Any]], indent: int | None, layout: str) -> None:
    text = json.dumps(items if layout == "list" else {"documents": items}, indent=indent)
    found = records(read_jsonl_documents(stream(text), "f"))
    assert [(each.docno, each.title, each.abstract, each.extra) for each in found] == [
        (item["id"], item["title"], item["contents"], {"liked": item["liked"]}) for item in items
    ]


@pytest.mark.parametrize(
    ("item", "title", "text"),
    [
        ({"id": "1", "contents": "Owls\nThey hear\nwell."}, "Owls", "They hear\nwell."),
        ({"id": "1", "contents": "Owls hear well."}, "", "Owls hear well."),
        ({"id": "1", "title": "Moths", "contents": "Owls\nhear."}, "Moths", "Owls\nhear."),
        ({"docid": "d", "pid": "1", "passage": "Owls hear."}, "", "Owls hear."),
        ({"docid": "1", "url": "https://a.example", "title": "Owls", "body": "They hear."}, "Owls", "They hear."),
    ],
)
def test_layouts_of_pyserini_and_ms_marco(item: dict[str, str], title: str, text: str) -> None:
    found = list(read_jsonl_documents(stream(json.dumps(item) + "\n"), "f"))
    (document,) = records(found)
    assert (document.docno, document.title, document.abstract) == ("1", title, text)
    parted = "contents" in item and "title" not in item and bool(title)
    assert remarks(found) == ["the first line of “contents” is the title"] * parted


def test_csl_json_as_zotero_exports_it(tmp_path: Path) -> None:
    item = {
        "id": "xample2020", "type": "article-journal", "title": "Owls", "container-title": "JO", "DOI": "10.9999/owl.1",
        "URL": "https://a.example", "author": [{"family": "Xample", "given": "Ada"}, {"literal": "The Owl Group"}],
        "issued": {"date-parts": [[2020, 3]]}, "abstract": "Ears.",
    }  # fmt: skip
    path = tmp_path / "zotero.json"
    path.write_text(json.dumps([item], indent="\t"))
    (found,) = records(read_documents(path))
    assert (found.docno, found.venue, found.doi, found.url) == (
        "xample2020",
        "JO",
        "10.9999/owl.1",
        "https://a.example",
    )
    assert (found.authors, found.year) == (("Xample, Ada", "The Owl Group"), 2020)
    assert found.extra == {"type": "article-journal", "issued": {"date-parts": [[2020, 3]]}}
