"""A judged collection, ready to be released, and its release v1. Both are made once for a module."""

import shutil
from copy import deepcopy
from pathlib import Path

import pytest
from django.db import transaction
from django.test import override_settings

from adjudication.models import DataStatement, Release
from tests.adjudication.releases.releasing import LABELS, PEOPLE, TRIPLES, A, B, C, freeze
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.factories.corpus import make_run, make_tree


@pytest.fixture(scope="module")
def shared_built(module_db: None) -> Built:
    found = build_campaign(LABELS, triples=TRIPLES, people=PEOPLE, machines=[("Robot, run 1", "robot", 1)])
    found.collection.licence = "CC BY 4.0"
    found.collection.save()
    stated = {"creators": "Countess of Kettles", "url": "https://kettles.example/tea"}
    DataStatement.objects.create(collection=found.collection, answers=stated, updated_at=AT)
    for topic, tree in (("7", {A: [], B: []}), ("12", {C: []})):
        make_tree(found.collection.topics.get(number=topic), tree)
    make_run(found.collection, "bm25", {"7": ["doc-a", "doc-b"]})
    vote(found)
    return found


@pytest.fixture
def built(db: None, shared_built: Built, settings, tmp_path: Path) -> Built:
    """To be changed by one test: a copy of the rows as Python knows them."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return deepcopy(shared_built)


@pytest.fixture(scope="module")
def shared_release(shared_built: Built, tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Path]:
    """Its row, which is in the database of those tests alone that ask for `release`, and its files."""
    media = tmp_path_factory.mktemp("media")
    with override_settings(MEDIA_ROOT=media), transaction.atomic():
        found = freeze(deepcopy(shared_built))
        transaction.set_rollback(True)
    return found, media


@pytest.fixture
def release(built: Built, shared_release: tuple[Release, Path], settings) -> Release:
    """The release v1 of what was judged, to be changed by one test: a copy of its row and of its files."""
    found, media = deepcopy(shared_release)
    shutil.copytree(media, settings.MEDIA_ROOT)
    found.save(force_insert=True)
    return found
