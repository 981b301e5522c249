"""A frozen release, and stubs of the services that it is sent to."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from adjudication.models import Release
from adjudication.publications import job as module
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign
from tests.stubs.repositories import HubStub, ZenodoStub


@pytest.fixture(autouse=True)
def _no_pause(settings, monkeypatch) -> None:
    settings.HUGGINGFACE_TOKEN = settings.ZENODO_TOKEN = ""
    made = module.service_of
    monkeypatch.setattr(module, "service_of", lambda *given: replace(made(*given), pause=0.01))


@pytest.fixture
def built(settings, tmp_path: Path) -> Built:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""
    found = build_campaign([[1, 1, 1], [0, 0, 0], [1, 1, 0]], topics=1)
    found.collection.licence = "CC BY 4.0"
    found.collection.save()
    vote(found)
    call_command("release", found.collection.slug, "v1", "--force", "a test")
    return found


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
