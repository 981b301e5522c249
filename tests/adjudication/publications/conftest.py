"""A frozen release, and stubs of the services that it is sent to."""

import shutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

from adjudication.models import DataStatement, Release
from adjudication.publications import jobs as module
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign
from tests.stubs.repositories import HubStub, ZenodoStub


@pytest.fixture(autouse=True)
def _no_pause(settings, monkeypatch) -> None:
    settings.HUGGINGFACE_TOKEN = settings.ZENODO_TOKEN = ""
    made = module.Service
    monkeypatch.setattr(module, "Service", lambda *given: replace(made(*given), pause=0.01))


@pytest.fixture(scope="module")
def shared(module_db: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """A frozen release and its files, made once."""
    media = tmp_path_factory.mktemp("media")
    with override_settings(MEDIA_ROOT=media, TEX_PROGRAM=""):
        found = build_campaign([[1, 1, 1], [0, 0, 0], [1, 1, 0]], topics=1)
        found.collection.licence = "CC BY 4.0"
        found.collection.save()
        vote(found)
        DataStatement.objects.create(collection=found.collection, answers={"creators": "Ada Lovelace"}, updated_at=AT)
        call_command("release", found.collection.slug, "v1", force="a test")
    return found, media


@pytest.fixture
def built(db: None, shared: tuple[Built, Path], settings, tmp_path: Path) -> Built:
    """The same, to be changed by one test: copies of the rows as Python knows them, and of the files."""
    found, media = shared
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""
    shutil.copytree(media, settings.MEDIA_ROOT)
    return deepcopy(found)


@pytest.fixture
def release(built: Built) -> Release:
    return Release.objects.select_related("collection").get()


@pytest.fixture
def hub(settings) -> Iterator[HubStub]:
    with HubStub(page=5) as stub:
        settings.HUGGINGFACE_URL = stub.url
        yield stub


@pytest.fixture
def zenodo(settings) -> Iterator[ZenodoStub]:
    with ZenodoStub() as stub:
        settings.ZENODO_URL = stub.url
        yield stub
