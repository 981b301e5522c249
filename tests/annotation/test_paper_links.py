"""References of incoming papers meet the documents of the collection."""

from pathlib import Path

import pytest

from annotation.queries.extractions import content_of
from annotation.queries.links import link_references, title_index
from corpus.extraction.reference_fields import parse_reference
from corpus.models import Collection, Document, ImportKind, Paper
from tests.corpus.importing import import_files
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory

pytestmark = pytest.mark.django_db

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>Tea</title></titleStmt>
</fileDesc></teiHeader><text><body><div><head n="1">Introduction</head><p>Lee et al.
<ref type="bibr" target="#b0">[1]</ref> measured the heat of tea. Lee et al. were first.</p></div></body><back>
<div type="references"><listBibl><biblStruct xml:id="b0"><analytic><title level="a">The heat of tea</title>
<author><persName><surname>Lee</surname></persName></author><author><persName><surname>Bo</surname></persName></author>
<author><persName><surname>Wu</surname></persName></author></analytic><monogr><imprint><date when="2019"/></imprint>
</monogr></biblStruct></listBibl></div></back></text></TEI>"""


@pytest.fixture
def collection() -> Collection:
    collection = CollectionFactory()
    for docno, title in (("d1", "The Heat of Tea"), ("d2", "Cups of the North"), ("d3", "Cups of the North")):
        DocumentFactory(
            collection=collection, docno=docno, title=title, authors=["Lee, Kim", "Bo, Ann"], year=2019, doi=""
        )
    return collection


def test_references_find_documents_by_title(collection: Collection) -> None:
    DocumentFactory(title="The Heat of Tea")  # of another collection
    references = [
        parse_reference("1", "Kim Lee and Ann Bo. 2019. The heat of tea. In X."),
        parse_reference("2", "Kim Lee and Ann Bo. 2019. Cups of the North. In X."),
        parse_reference("3", "Kim Lee and Ann Bo. 2018. The heat of tea. arXiv:1801.00001."),
        parse_reference("4", "Zoe Zhu. 2001. Nothing of this kind. In X."),
    ]
    found = link_references(references, title_index(collection))
    assert {key: (link.docno, link.candidates[:2]) for key, link in found.items()} == {
        "1": ("d1", ("d1",)),
        "2": ("", ("d2", "d3")),
        "3": ("", ("d1",)),
    }


def test_an_incoming_paper_is_linked_and_its_bare_names_cite(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tea.xml"
    path.write_text(TEI)
    import_files(collection, path, kind=ImportKind.PAPERS)
    content = content_of(Paper.objects.get().extractions.get())
    assert [each.value for each in content.references] == ["d1"]
    (context,) = content.contexts
    assert [(each.text, each.cites, each.original) for each in context.sentences] == [
        ("[1] measured the heat of tea.", ("1",), "Lee et al. [1] measured the heat of tea."),
        ("[1] were first.", ("1",), "Lee et al. were first."),
    ]
    assert Document.objects.filter(collection=collection).count() == 3
