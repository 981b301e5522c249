import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.records import BrokenFile, DocumentRecord, Problem
from engines.formats.trec_documents import read_trec_documents
from tests.engines.formats.reading import problems, records, remarks, stream
from tests.engines.formats.strategies import ids, phrases


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
        (7, "the id 'a b' contains white space, which TREC files do not allow"),
        (11, "document e has neither a title nor a text"),
        (14, "the document is not closed: another <DOC> follows"),
    ]


def test_a_file_that_is_cut_off_is_broken() -> None:
    with pytest.raises(BrokenFile, match="line 3: the file ends inside the document"):
        read("<DOC>\n</DOC>\n<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>\nx")


names = st.sampled_from(["TITLE", "TEXT", "BODY", "DATE", "H3", "author-name", "ABSTRACT", "Subject", "url"])
contents = phrases.filter(lambda text: text and not set(text) & set("<>&"))
wanted_ids = ids.filter(lambda text: not set(text) & set("<>&"))


@given(wanted_ids, st.lists(st.tuples(names, contents), max_size=6), contents, st.booleans(), st.booleans())
def test_nothing_of_a_document_is_lost(
    docno: str, fields: list[tuple[str, str]], title: str, has_lines: bool, is_wrapped: bool
) -> None:
    gap = "\n" if has_lines else ""
    inner = "".join(f"<{name}>{gap}{text}{gap}</{name}>{gap}" for name, text in fields)
    inner = f"<HEADER>{inner}<HL>{title}</HL></HEADER>" if is_wrapped else f"{inner}<HL>{title}</HL>"
    (found,) = records(read(f"<DOC>{gap}<DOCNO> {docno} </DOCNO>{gap}{inner}{gap}</DOC>"))
    extra = [text for value in found.extra.values() for text in (value if isinstance(value, list) else [value])]
    everything = " ".join([found.title, found.abstract, *extra])
    assert found.docno == docno
    assert all(text in everything for _, text in fields)
    assert title in found.title


def test_tags_of_any_names_and_places() -> None:
    text = (
        '<?xml version="1.0"?>\n<docs>\n<DOC id="G-1" type="story" ><HEADLINE>Owls</HEADLINE>'
        "<TEXT><P>They hear.</P></TEXT></DOC>"
        "<DOC><DOCNO>G-2</DOCNO>\n<DATE>1990\n<AUTHOR>Xample\n<STORY>Moths fly\nquietly.</STORY></DOC>\n</docs>\n"
        "<DOC><DOCNO>G-3</DOCNO><DOCHDR>http://a.example</DOCHDR>\n<html><head><title>Bats</title></head>"
        "<body><h1>Wings</h1>are <b>thin</b>.</body></html>\n</DOC>\n"
    )
    found = read(text)
    owls, moths, bats = records(found)
    assert (key(owls), owls.extra) == (("G-1", "Owls", "They hear."), {"type": "story"})
    assert key(moths) == ("G-2", "", "Moths fly quietly.")
    assert moths.extra == {"date": "1990", "author": "Xample"}
    assert (key(bats), bats.extra) == (("G-3", "Bats", "Wings are thin ."), {"dochdr": "http://a.example"})
    assert remarks(found) == ["no field is known as the text of some documents: it is taken from <STORY>"]


def test_parts_of_a_text_stay_in_the_order_of_the_file() -> None:
    (found,) = records(read("<DOC>\n<DOCNO>W</DOCNO>\n<LP>\nFirst.\n</LP>\n<TEXT>\nThen.\n</TEXT>\n</DOC>\n"))
    assert found.abstract == "First. Then."
