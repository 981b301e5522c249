"""Indexes of collections: built once, found again, built again when a document changes, by one builder at a time."""

from pathlib import Path

import pytest
from django.conf import settings

from accounts.job_kinds import Waiting
from accounts.jobs import Cancelled, Progress
from corpus.models import Collection, PoolRun
from corpus.searching import indexes
from corpus.searching.indexes import IndexSpec, collection_state, open_index
from corpus.searching.parts import exclusive
from engines.ranking.analysis import Analysis
from engines.ranking.index import Settings
from engines.ranking.scorers import BM25
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.corpus import DocumentFactory


@pytest.fixture
def collection(db: None) -> Collection:
    collection = CollectionFactory(slug="tea")
    DocumentFactory(collection=collection, docno="A", title="Green tea", abstract="Leaves in water", keywords=["pot"])
    DocumentFactory(collection=collection, docno="B", title="Black tea", abstract="Leaves, withered and rolled")
    return collection


@pytest.fixture
def progress(collection: Collection) -> Progress:
    return Progress(PoolRun.objects.create(collection=collection, requested_at=AT))


def places(collection: Collection) -> list[Path]:
    root = Path(settings.INDEX_DIR) / f"{collection.pk}-tea"
    return sorted(path for path in root.glob("*/*") if path.is_dir())


def found(collection: Collection, progress: Progress, text: str, wanted: IndexSpec | None = None) -> list[str]:
    hits = open_index(collection, progress, wanted).search(BM25, text, 10)
    docnos = dict(collection.documents.values_list("pk", "docno"))
    return [docnos[pk] for pk in hits.ids]


def test_an_index_is_built_once_and_found_again(collection: Collection, progress: Progress) -> None:
    assert found(collection, progress, "rolled leaves") == ["B", "A"]
    (place,) = places(collection)
    built = (place / "0" / "docs.npy").stat().st_mtime_ns
    assert found(collection, progress, "green") == ["A"]
    assert places(collection) == [place]
    assert (place / "0" / "docs.npy").stat().st_mtime_ns == built


def test_a_changed_document_makes_it_stale(collection: Collection, progress: Progress) -> None:
    before = collection_state(collection)
    assert found(collection, progress, "oolong") == []
    collection.documents.filter(docno="A").update(abstract="Oolong leaves")
    assert collection_state(collection) != before
    assert found(collection, progress, "oolong") == ["A"]
    assert len(places(collection)) == 1, "the index of the state before is gone"


def test_an_index_stays_while_somebody_searches_it(collection: Collection, progress: Progress) -> None:
    """Weights are written and mapped when they are first asked for: another job must not remove their directory."""
    held = open_index(collection, progress)
    collection.documents.filter(docno="A").update(abstract="Oolong leaves")
    (held_place,) = places(collection)
    left = held_place.with_name("dead.part")  # what a builder left that was killed
    left.mkdir()
    assert found(collection, progress, "oolong") == ["A"]
    assert held_place in places(collection)
    assert left not in places(collection)
    assert len(held.search(BM25, "water", 10)) == 1, "of the state that it was opened in"
    del held
    collection.documents.filter(docno="A").update(abstract="Puerh leaves")
    assert found(collection, progress, "puerh") == ["A"]
    assert len(places(collection)) == 1


def test_settings_have_indexes_of_their_own(collection: Collection, progress: Progress) -> None:
    stemmed = IndexSpec(Settings(Analysis(stemmer="porter")), fields=("title", "abstract", "keywords"))
    assert found(collection, progress, "pot") == []
    assert found(collection, progress, "pots", stemmed) == ["A"]
    assert len(places(collection)) == 2


def test_a_cancelled_building_leaves_nothing(collection: Collection, progress: Progress) -> None:
    progress.job.cancel_requested_at = AT
    progress.job.save()
    with pytest.raises(Cancelled):
        open_index(collection, progress)
    assert places(collection) == []


def test_an_index_that_another_job_builds_is_waited_for_in_the_queue(
    collection: Collection, progress: Progress
) -> None:
    with (
        exclusive(indexes._folder(collection, IndexSpec()), "by another job"),
        pytest.raises(Waiting, match="waiting for the index that another job builds"),
    ):
        open_index(collection, progress)
    assert len(open_index(collection, progress).search(BM25, "tea", 5)) > 0
