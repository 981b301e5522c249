"""Documents in the layout of LitSearch's corpus_s2orc: written, read again, and read as LitSearch's own code does."""

import io
import json
from dataclasses import replace
from itertools import islice
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.litsearch import read_litsearch_documents
from engines.formats.records import DocumentRecord
from engines.formats.s2orc_parquet import KINDS, write_s2orc_parquet
from tests.engines.formats.reading import records
from tests.shared import shared_path

TEXT = "On  tea\nAna Lee, Bo Ng\n\nLeaves of\ntea.\n\n1 Oolong\nIt is rolled.\n \nThen dried.\n"


def document(docno: str, full_text: str | None, **more: Any) -> DocumentRecord:
    fields = {"keywords": ("tea", "pots"), "authors": ("Ana Lee", "Bo Ng"), "venue": "", "year": 2024, "doi": "10.1/t"}
    fields |= {"url": "https://tea.example/1", "extra": {}} | more
    return DocumentRecord(docno, "On tea", "Leaves of tea.", **fields, file="", line=0, full_text=full_text)


def written(*documents: DocumentRecord, whole: bool = True) -> list[dict[str, Any]]:
    content = b"".join(write_s2orc_parquet(documents, whole=whole))
    return list(pq.read_table(io.BytesIO(content)).to_pylist())


def again(*documents: DocumentRecord, whole: bool = True) -> list[DocumentRecord]:
    content = b"".join(write_s2orc_parquet(documents, whole=whole))
    read = records(read_litsearch_documents(io.BufferedReader(io.BytesIO(content)), "f.parquet"))
    return [replace(each, file="", line=0) for each in read]


def spans(row: dict[str, Any], kind: str) -> list[str]:
    """What the spans of a kind hold, sliced as LitSearch's code slices them."""
    content = row["content"]
    return [content["text"][int(each["start"]) : int(each["end"])] for each in json.loads(content["annotations"][kind])]


def test_a_full_text_that_has_title_and_abstract_is_the_text() -> None:
    (row,) = written(document("7", TEXT, extra={"updated": "2024-03-26", "externalids": {"arxiv": "2101.1"}}))
    assert row["corpusid"] == 7
    assert row["content"]["text"] == TEXT
    assert spans(row, "title") == ["On  tea"]
    assert spans(row, "author") == ["Ana Lee", "Bo Ng"]
    assert spans(row, "abstract") == ["Leaves of\ntea."]
    paragraphs = ["On  tea\nAna Lee, Bo Ng", "Leaves of\ntea.", "1 Oolong\nIt is rolled.", "Then dried."]
    assert spans(row, "paragraph") == paragraphs
    assert (row["externalids"]["arxiv"], row["externalids"]["doi"], row["updated"]) == (
        "2101.1",
        "10.1/t",
        "2024-03-26",
    )
    assert list(row["content"]["annotations"])[: len(KINDS)] == sorted(KINDS)


def test_what_a_full_text_lacks_stands_before_it_and_citations_behind() -> None:
    plain = document("7", "Rolled.\n\nDried.", extra={"citations": ["9", "11"]}, venue="Tea Days")
    (row,) = written(plain)
    text = "On tea\n\nTea Days\n\nLeaves of tea.\n\nAna Lee\n\nBo Ng\n\nRolled.\n\nDried.\n\n9\n11"
    assert row["content"]["text"] == text
    assert spans(row, "paragraph") == ["Rolled.", "Dried."]
    entries = json.loads(row["content"]["annotations"]["bibentry"])
    assert [each["attributes"]["matched_paper_id"] for each in entries] == ["9", "11"]
    assert spans(row, "bibentry") == ["9", "11"]


@pytest.mark.parametrize("whole", [True, False])
def test_every_document_comes_back(whole: bool) -> None:
    own = "" if whole else "W"
    found = [
        document(f"{own}7", TEXT, extra={"citations": [f"{own}9"], "externalids": {"doi": "10.1/t", "mag": "3"}}),
        document(f"{own}8", "Tea 🍵, rolled.", venue="Tea Days"),
        document(f"{own}9", None, keywords=(), authors=(), year=None, doi="", url="", extra={"updated": "2024"}),
    ]
    assert again(*found, whole=whole) == found


words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)
lines = st.lists(words, min_size=1, max_size=5).map(" ".join)
bodies = st.none() | st.lists(lines, min_size=1, max_size=6).map("\n\n".join)


@pytest.mark.slow
@given(lines, st.lists(lines, max_size=3), lines, bodies, st.booleans())
def test_any_text_comes_back(title: str, authors: list[str], abstract: str, body: str | None, inside: bool) -> None:
    if inside and body is not None:
        body = "\n".join([title, *authors, abstract, body])
    found = replace(document("7", body), title=title, authors=tuple(authors), abstract=abstract)
    assert again(found) == [found]


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.parametrize("name", ["csfcube/papers.jsonl", "acm-cr/collection.tar.xz"])
def test_real_documents_come_back(name: str) -> None:
    """A third has a full text that repeats title, authors and abstract, a third one without them, a third none."""
    read = (each for each in read_documents(shared_path("data", *name.split("/"))) if isinstance(each, DocumentRecord))
    found = []
    for place, each in enumerate(islice(read, 600)):
        texts = ["\n".join([each.title, *each.authors, each.venue, each.abstract]), f"Long.\n\n{each.docno}", None]
        named = {"title": folded(each.title), "abstract": folded(each.abstract), "venue": folded(each.venue)}
        authors = tuple(map(folded, each.authors))
        full = replace(each, **named, authors=authors, full_text=texts[place % 3], file="", line=0)
        found.append(replace(full, extra={"citations": ["1", each.docno]} if place % 2 else {}))
    assert len(found) == 600
    assert again(*found, whole=all(each.docno.isdecimal() for each in found)) == found


def folded(text: str) -> str:
    return " ".join(text.split())
