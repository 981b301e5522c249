"""GROBID's TEI as documents."""

from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.formats.documents import read_documents
from engines.formats.records import BrokenFile
from engines.formats.tei_format import read_tei_documents
from tests.engines.formats.reading import problems, records, remarks, said_nothing, stream
from tests.engines.formats.strategies import phrases

NAMESPACE = 'xmlns="http://www.tei-c.org/ns/1.0"'
words = phrases.filter(bool)


def tei(title: str, abstract: str, keywords: list[str], paragraphs: list[str], more: str = "") -> str:
    terms = "".join(f"<term>{escape(word)}</term>" for word in keywords)
    body = "".join(f"<div><p>{escape(text)}</p></div>" for text in paragraphs)
    return (
        f"<TEI {NAMESPACE}{more}><teiHeader><fileDesc><titleStmt><title>{escape(title)}</title></titleStmt>"
        '<sourceDesc><biblStruct><analytic><author><persName><forename type="first">Ada</forename>'
        "<surname>Xample</surname></persName></author></analytic><monogr><title level='j'>JO</title><imprint>"
        "<date when='2020-03'/></imprint></monogr><idno type='DOI'>10.9999/owl.1</idno><idno type='MD5'>AB</idno>"
        f"</biblStruct></sourceDesc></fileDesc><profileDesc><textClass><keywords>{terms}</keywords></textClass>"
        f"<abstract><p>{escape(abstract)}</p></abstract></profileDesc></teiHeader><text><body>{body}</body></text></TEI>"
    )


@given(words, phrases, st.lists(words, max_size=3, unique=True), st.lists(words, max_size=3))
def test_nothing_of_a_paper_is_lost(title: str, abstract: str, keywords: list[str], paragraphs: list[str]) -> None:
    (found,) = records(
        read_tei_documents(stream(tei(title, abstract, keywords, paragraphs)), "a.zip/P18-1.grobid.tei.xml")
    )
    assert (found.docno, found.title, found.abstract) == ("P18-1", title, abstract)
    assert (found.keywords, found.full_text) == (tuple(keywords), "\n\n".join(paragraphs) if paragraphs else None)
    assert (found.authors, found.venue, found.year, found.doi) == (("Xample, Ada",), "JO", 2020, "10.9999/owl.1")
    assert found.extra == {"ids": {"md5": "AB"}}


def test_a_folder_of_papers(tmp_path: Path) -> None:
    (tmp_path / "owl1.tei.xml").write_text(tei("Owls", "Ears.", [], ["They hear."]))
    (tmp_path / "bad.tei.xml").write_text("<TEI>")
    found = list(read_documents(tmp_path, name="papers"))
    assert [document.docno for document in said_nothing(found)[1:]] == ["owl1"]
    assert [reason[:23] for _, reason in problems(found)] == ["is not well-formed XML:"]
    assert remarks(found)[0].startswith("full texts come in as paragraphs")


def test_a_corpus_of_several_papers() -> None:
    inner = tei("Owls", "", [], [], ' xml:id="owl1"') + tei("Moths", "", [], []) + tei("", "", [], [])
    found = list(read_tei_documents(stream(f"<teiCorpus {NAMESPACE}><teiHeader/>{inner}</teiCorpus>"), "all.xml"))
    owls, moths, _ = said_nothing(found)
    assert (owls.docno, owls.title, moths.docno) == ("owl1", "Owls", "10.9999/owl.1")
    assert problems(found) == [(1, "the paper has neither a title nor an abstract")]
    assert remarks(found) == ["1 record has no id: the DOI is the docno, such as 10.9999/owl.1"]


def test_other_xml_is_no_document() -> None:
    with pytest.raises(BrokenFile, match="the root element is <topics>"):
        list(read_tei_documents(stream("<topics/>"), "f"))


def test_a_bare_ampersand_costs_no_paper_and_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "owl1.tei.xml"
    path.write_text(tei("Owls", "Ears.", [], []).replace("Ears.", "R&D at p < .01"))
    (found, ampersand, less) = said_nothing(read_documents(path))
    assert found.abstract == "R&D at p < .01"
    assert [note.line for note in (ampersand, less)] == [1, 1]
