"""Incoming papers ask the configured registries for the DOIs of references that have none."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotation.papers.extraction_screen import paper_data
from annotation.papers.extractions import content_of
from corpus.models import ImportRun, Paper
from tests.annotation.papers.test_paper_links import TEI
from tests.corpus.imports.importing import import_files
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory
from tests.stubs.registries import RegistryStub, Reply, crossref, item, openalex, result

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "tea.xml"
    path.write_text(TEI)
    return path


def values(run: ImportRun) -> list[str | None]:
    paper = Paper.objects.get(collection=run.collection)
    return [each.value for each in content_of(paper.extractions.get()).references]


def test_both_are_asked_once_and_the_answer_is_kept(path: Path, settings: Any) -> None:
    works = item("10.1/HEAT", "The heat of tea", family="Lee")
    with (
        RegistryStub([crossref(works)]) as one,
        RegistryStub([openalex(result("10.1/heat", "The Heat of Tea", name="Kim Lee"))]) as other,
    ):
        settings.CROSSREF_URL, settings.OPENALEX_URL, settings.REGISTRY_MAILTO = one.url, other.url, "us@a.example"
        for _ in range(2):
            assert values(import_files(CollectionFactory(), path, kind="papers")) == ["10.1/heat"]
        assert [len(one.calls), len(other.calls)] == [1, 1]
        assert one.calls[0]["mailto"] == other.calls[0]["mailto"] == "us@a.example"


def test_nobody_is_asked_of_documents_that_are_here(path: Path, settings: Any) -> None:
    document = DocumentFactory(docno="d1", title="The Heat of Tea", authors=["Lee, Kim", "Bo, Ann"], year=2019)
    with RegistryStub([crossref()]) as stub:
        settings.CROSSREF_URL = stub.url
        assert values(import_files(document.collection, path, kind="papers")) == ["d1"]
    assert stub.calls == []


def test_off_by_default(path: Path, settings: Any) -> None:
    assert (settings.CROSSREF_URL, settings.OPENALEX_URL) == ("", "")
    assert values(import_files(CollectionFactory(), path, kind="papers")) == [None]


def test_a_registry_that_fails_leaves_the_import_whole_and_a_note(path: Path, settings: Any) -> None:
    with RegistryStub([Reply(400)]) as stub:
        settings.CROSSREF_URL = stub.url
        run = import_files(CollectionFactory(), path, kind="papers")
    assert values(run) == [None]
    assert run.state == "done"
    assert "Crossref refused the request with status 400" in str(run.errors)


@pytest.mark.django_db(transaction=True)
def test_no_transaction_waits_for_a_registry(path: Path, settings: Any) -> None:
    waiting: list[int] = []

    def look() -> None:
        with connection.cursor() as cursor:  # this thread's own
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
            )
            waiting.append(cursor.fetchone()[0])
        connection.close()

    found = replace(crossref(item("10.1/heat", "The heat of tea", family="Lee")), first=look)
    with RegistryStub([found]) as stub:
        settings.CROSSREF_URL = stub.url
        assert values(import_files(CollectionFactory(), path, kind="papers")) == ["10.1/heat"]
    assert waiting == [0]


def test_the_refereed_version_that_a_registry_knows_is_offered_and_shown(path: Path, settings: Any) -> None:
    path.write_text(TEI.replace("</biblStruct>", '<idno type="arXiv">1801.00001</idno></biblStruct>'))
    works = item("10.1/HEAT", "The heat of warm tea", family="Lee"), item("10.1/TEA", "The heat of tea", family="Lee")
    with RegistryStub([crossref(*works)]) as stub:
        settings.CROSSREF_URL = stub.url
        import_files(CollectionFactory(), path, kind="papers")
    paper = Paper.objects.get()
    content = content_of(paper.extractions.get())
    (reference,) = content.references
    assert (reference.value, reference.refereed) == ("https://arxiv.org/abs/1801.00001", "10.1/tea")
    assert reference.candidates == ("10.1/tea", "10.1/heat")
    shown = paper_data(paper, content)["documents"]
    assert shown["10.1/heat"]["pieces"]["1"] == [("The heat of ", False), ("warm", True), (" tea", False)]
    assert (shown["10.1/tea"]["year"], shown["10.1/tea"]["inside"]) == (2019, False)
