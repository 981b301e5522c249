import io
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_datasets.formats import TrecDocs

from corpus.formats.records import BrokenFile, DocumentRecord, Problem
from corpus.formats.trec_documents import read_trec_documents, write_trec_documents
from tests.corpus.formats.reading import problems, records, stream
from tests.corpus.formats.strategies import phrases, simple_documents


def read(text: str) -> list:
    return list(read_trec_documents(stream(text), "f"))


def key(document: DocumentRecord) -> tuple[str, str, str]:
    return document.docno, document.title, document.abstract


@given(st.lists(simple_documents(phrases), max_size=3))
def test_written_documents_are_read_back(written: list[DocumentRecord]) -> None:
    assert [key(item) for item in records(read("".join(write_trec_documents(written))))] == [key(d) for d in written]


@pytest.mark.parametrize("parser", ["BS4", "text"])
def test_ir_datasets_reads_the_same_words(parser: str, tmp_path: Path) -> None:
    hostile = "a < b & c <TITLE>x</TITLE> </DOC> “quotes”\u2028</TEXT>\nnext <p> line"
    written = [
        DocumentRecord("10.1/a(b)<c>", hostile, "A&B\x85 text", (), (), "", None, "", "", {}, "", 0),
        DocumentRecord("d2", "", "only text", (), (), "", None, "", "", {}, "", 0),
    ]
    path = tmp_path / "docs.trec"
    path.write_text("".join(write_trec_documents(written)), encoding="utf-8", newline="")
    source = SimpleNamespace(path=lambda force=True: path, stream=lambda: io.BytesIO(path.read_bytes()))
    found = list(TrecDocs(source, parser=parser).docs_iter())
    assert [item.doc_id for item in found] == ["10.1/a(b)<c>", "d2"]
    if parser == "BS4":
        expected = f"{hostile} A&B text"
        assert found[0].text.split() == expected.replace("\u2028", " ").split()
    assert found[1].text.split() == ["only", "text"]


def test_kinder_layouts_are_read() -> None:
    text = """<DOC>
<DOCNO> AP-1 </DOCNO>
<FILEID>F1</FILEID>
<HEAD>One</HEAD>
<HEAD>Two lines
here</HEAD>
<DATELINE>Rome</DATELINE>
<TEXT>
<P>
First &amp; second.
</P>
<!-- PJG note -->
<F P=105>Third</F> p &lt; .01
</TEXT>
</DOC>

<doc>
<docno>AP-2</docno>
plain text without a tag
</doc>
"""
    first, second = records(read(text))
    assert key(first) == ("AP-1", "One Two lines here", "First & second. Third p < .01")
    assert first.extra == {"fileid": "F1", "dateline": "Rome"}
    assert (first.line, second.line) == (1, 17)
    assert key(second) == ("AP-2", "", "plain text without a tag")


def test_bad_documents_are_problems() -> None:
    text = (
        "stray\n<DOC>\n<TEXT>\nx\n</TEXT>\n</DOC>\n<DOC>\n<DOCNO>a b</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n"
        "<DOC>\n<DOCNO>e</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>o</DOCNO>\n<DOC>\n<DOCNO>k</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n"
    )
    found = read(text)
    assert [type(item) for item in found] == [Problem] * 5 + [DocumentRecord]
    assert problems(found) == [
        (1, "text stands outside of a document"),
        (2, "the document has no DOCNO"),
        (7, "the id 'a b' holds white space, which TREC files cannot carry"),
        (11, "document e has neither a title nor a text"),
        (14, "the document is not closed: another <DOC> follows"),
    ]


def test_a_file_that_is_cut_off_is_broken() -> None:
    with pytest.raises(BrokenFile, match="line 3: the file ends inside the document"):
        read("<DOC>\n</DOC>\n<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>\nx")


def test_ids_with_white_space_are_not_written() -> None:
    with pytest.raises(ValueError, match="white space"):
        list(write_trec_documents([DocumentRecord("a b", "T", "", (), (), "", None, "", "", {}, "", 0)]))
