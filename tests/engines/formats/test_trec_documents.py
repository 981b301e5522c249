import pytest

from engines.formats.records import BrokenFile, DocumentRecord, Problem
from engines.formats.trec_documents import read_trec_documents
from tests.engines.formats.reading import problems, records, stream


def read(text: str) -> list:
    return list(read_trec_documents(stream(text), "f"))


def key(document: DocumentRecord) -> tuple[str, str, str]:
    return document.docno, document.title, document.abstract


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
