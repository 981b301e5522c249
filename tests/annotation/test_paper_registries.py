"""Incoming papers ask the configured registries for the DOIs of references that have none."""

from pathlib import Path
from typing import Any

import pytest

from annotation.queries.extractions import content_of
from corpus.models import ImportKind, ImportRun, Paper
from tests.annotation.test_paper_links import TEI
from tests.corpus.importing import import_files
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
            assert values(import_files(CollectionFactory(), path, kind=ImportKind.PAPERS)) == ["10.1/heat"]
        assert [len(one.calls), len(other.calls)] == [1, 1]
        assert one.calls[0]["mailto"] == other.calls[0]["mailto"] == "us@a.example"


def test_nobody_is_asked_of_documents_that_are_here(path: Path, settings: Any) -> None:
    document = DocumentFactory(docno="d1", title="The Heat of Tea", authors=["Lee, Kim", "Bo, Ann"], year=2019)
    with RegistryStub([crossref()]) as stub:
        settings.CROSSREF_URL = stub.url
        assert values(import_files(document.collection, path, kind=ImportKind.PAPERS)) == ["d1"]
    assert stub.calls == []


def test_off_by_default(path: Path, settings: Any) -> None:
    assert (settings.CROSSREF_URL, settings.OPENALEX_URL) == ("", "")
    assert values(import_files(CollectionFactory(), path, kind=ImportKind.PAPERS)) == [None]


def test_a_registry_that_fails_leaves_the_import_whole_and_a_note(path: Path, settings: Any) -> None:
    with RegistryStub([Reply(400)]) as stub:
        settings.CROSSREF_URL = stub.url
        run = import_files(CollectionFactory(), path, kind=ImportKind.PAPERS)
    assert values(run) == [None]
    assert run.state == "done"
    assert "Crossref refused the question with status 400" in str(run.errors)
