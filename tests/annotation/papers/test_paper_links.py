"""References of incoming papers meet the documents of the collection."""

from pathlib import Path

import pytest
from django.db import transaction

from accounts import jobs
from accounts.files.storage import files
from accounts.job_kinds import Waiting
from accounts.jobs import Progress
from accounts.models import JobState
from annotation.papers.extraction_screen import paper_data, title_pieces
from annotation.papers.extractions import content_of
from annotation.papers.importing import reading_papers
from annotation.papers.references import link_references, title_index
from corpus.imports.requests import request_import
from corpus.loading.counts import ImportCounts
from corpus.loading.uploads import kept_folder
from corpus.models import Collection, Document, Paper
from engines.definitions.extractions import read_content, write_content
from engines.pdf.reference_fields import parse_reference
from tests.corpus.imports.importing import import_files
from tests.factories.accounts import AT, CollectionFactory
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
    assert {key for key, link in found.items() if link.is_ambiguous} == {"2"}
    assert {key: link.refereed for key, link in found.items() if link.refereed} == {"3": "d1"}


def test_a_document_of_arxiv_is_known_by_its_address(collection: Collection) -> None:
    address = "http://arxiv.org/abs/1801.00001v3"
    DocumentFactory(
        collection=collection, docno="77", title="The Heat of Tea", authors=["Lee, Kim"], url=address, doi=""
    )
    reference = parse_reference("1", "Kim Lee and Ann Bo. 2018. The heat of tea. arXiv:1801.00001.")
    assert link_references([reference], title_index(collection))["1"].docno == "77"


def test_what_a_person_has_to_decide_reaches_the_screen(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tea.xml"
    second = """<biblStruct xml:id="b1"><analytic><title level="a">Cups of the north</title><author><persName>
        <surname>Lee</surname></persName></author></analytic><monogr><imprint><date when="2019"/></imprint></monogr>
        </biblStruct>"""
    preprint = """<idno type="arXiv">1801.00001</idno></biblStruct>"""
    path.write_text(TEI.replace("</biblStruct>", preprint + second))
    import_files(collection, path, kind="papers")
    paper = Paper.objects.get()
    content = content_of(paper.extractions.get())
    first, other = content.references
    assert (first.value, first.refereed, first.candidates) == ("https://arxiv.org/abs/1801.00001", "d1", ("d1",))
    assert (other.value, other.is_ambiguous, other.candidates) == (None, True, ("d2", "d3"))
    assert read_content(write_content(content)) == content
    documents = paper_data(paper, content)["documents"]
    assert documents["d1"]["pieces"] == {"1": [("The Heat of Tea", False)]}
    assert documents["d1"]["inside"]


def test_differing_words_are_pieces_of_a_title() -> None:
    assert title_pieces("The Cold of Old Tea", "The heat of old tea") == [
        ("The ", False),
        ("Cold", True),
        (" of Old Tea", False),
    ]


def test_documents_that_came_while_files_were_read_are_linked(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tea.xml"
    path.write_text(TEI.replace("The heat of tea", "The cold of tea"))
    run = request_import(by=None, at=AT, collection=collection, kind="papers", files=[path], send=False)
    counts = ImportCounts()
    with reading_papers(run, Progress(run), counts) as store, transaction.atomic():
        DocumentFactory(collection=collection, docno="d9", title="The Cold of Tea", authors=["Lee, Kim"], year=2019)
        store(run, Progress(run), counts)
    assert [each.value for each in content_of(Paper.objects.get().extractions.get()).references] == ["d9"]


def test_what_was_read_is_kept_while_the_import_waits_to_store_it(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tea.xml"
    path.write_text(TEI)
    run = request_import(by=None, at=AT, collection=collection, kind="papers", files=[path], send=False)
    with pytest.raises(Waiting), reading_papers(run, Progress(run), ImportCounts()):
        raise Waiting("waiting for another import")
    path.write_text("no longer a paper")
    DocumentFactory(collection=collection, docno="d8", title="Another One", authors=["Lee, Kim"], year=2019)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.created) == (JobState.DONE, 1)
    assert [each.value for each in content_of(Paper.objects.get().extractions.get()).references] == ["d1"]
    assert not list(files.sizes(kept_folder(run)))


def test_an_incoming_paper_is_linked_and_its_bare_names_cite(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "tea.xml"
    path.write_text(TEI)
    import_files(collection, path, kind="papers")
    content = content_of(Paper.objects.get().extractions.get())
    assert [each.value for each in content.references] == ["d1"]
    (context,) = content.contexts
    assert [(each.text, each.cites, each.original) for each in context.sentences] == [
        ("[1] measured the heat of tea.", ("1",), "Lee et al. [1] measured the heat of tea."),
        ("[1] were first.", ("1",), "Lee et al. were first."),
    ]
    assert Document.objects.filter(collection=collection).count() == 3
