"""Publishing in processes of its own: killed, cancelled, and gone on with."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.models import DataStatement, Publication, Release
from adjudication.publications.actions import request_publication
from tests.adjudication.publications.publishing import files_of, sent_to
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, build_campaign
from tests.processes import Child, child_environment, end_lease, wait_for
from tests.stubs.repositories import TOKEN, Asked, HubStub, Reply, Server, ZenodoStub

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WORK = """
import sys, django
django.setup()
from accounts import jobs
from adjudication.models import Publication
jobs.carry_out(Publication.objects.get(pk=int(sys.argv[1])))
"""


@pytest.fixture
def release(settings, tmp_path: Path, transactional_db: None) -> Release:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.TEX_PROGRAM = ""
    built = build_campaign([[1, 1, 1], [0, 0, 0]], topics=1)
    built.collection.licence = "CC BY 4.0"
    built.collection.save()
    vote(built)
    DataStatement.objects.create(collection=built.collection, answers={"creators": "Ada Lovelace"}, updated_at=AT)
    call_command("release", built.collection.slug, "v1", force="a test")
    return Release.objects.select_related("collection").get()


@pytest.fixture
def hub(settings) -> Iterator[HubStub]:
    with HubStub() as stub:
        settings.HUGGINGFACE_URL = stub.url
        yield stub


@pytest.fixture
def zenodo(settings) -> Iterator[ZenodoStub]:
    with ZenodoStub() as stub:
        settings.ZENODO_URL = stub.url
        yield stub


class Gate:
    """Holds the request that `is_it` says, once, until it is opened; the others pass."""

    def __init__(self, server: Server, is_it) -> None:
        self.is_it, self.held, self.opened = is_it, threading.Event(), threading.Event()
        server.hooks.append(self)

    def __call__(self, asked: Asked) -> Reply | None:
        if not self.held.is_set() and self.is_it(asked):
            self.held.set()
            self.opened.wait(60)
        return None


def work(publication: Publication, tmp_path: Path, hub: HubStub, zenodo: ZenodoStub) -> Child:
    log = tmp_path / f"{timezone.now():%M%S%f}.log"
    environment = child_environment(LITMUS_HUGGINGFACE_URL=hub.url, LITMUS_ZENODO_URL=zenodo.url)
    return Child([sys.executable, "-c", WORK, str(publication.pk)], log, environment)


def ask(release: Release, destination: str) -> Publication:
    repository = "words-v1" if destination == "huggingface" else ""
    return request_publication(
        release=release,
        destination=destination,
        by=None,
        at=timezone.now(),
        token=TOKEN,
        repository=repository,
        send=False,
    )


def third_put(server: Server):
    return lambda asked: asked.method == "PUT" and len([one for one in server.asked if one.method == "PUT"]) == 3


@pytest.mark.parametrize("destination", ["huggingface", "zenodo"])
def test_a_killed_job_goes_on_and_sends_nothing_twice(
    release: Release, hub: HubStub, zenodo: ZenodoStub, tmp_path: Path, destination: str
) -> None:
    server: Server = hub.storage if destination == "huggingface" else zenodo
    gate = Gate(server, third_put(server))
    publication = ask(release, destination)
    child = work(publication, tmp_path, hub, zenodo)
    wait_for(gate.held.is_set, 120, f"the third file:\n{child.output}")
    child.kill()
    arrived = len(hub.storage.objects) if destination == "huggingface" else len(zenodo.drafts[1000].files)
    assert arrived == 2
    publication.refresh_from_db()
    assert publication.state == JobState.RUNNING
    assert publication.sealed_token not in ("", TOKEN)
    end_lease(publication)
    server.hooks.clear()
    before = [one.path for one in server.asked if one.method == "PUT"]
    jobs.carry_out(publication)
    publication.refresh_from_db()
    assert (publication.state, publication.attempts) == (JobState.DONE, 2), publication.reason
    assert publication.sealed_token == ""
    after = [one.path for one in server.asked if one.method == "PUT"][len(before) :]
    assert not set(before[:2]) & set(after)
    assert len(set(after)) == len(after) >= 1
    if destination == "huggingface":
        assert sent_to(hub) == files_of(release)
    else:
        assert len(zenodo.drafts) == 1
        assert len(zenodo.drafts[1000].files) == 5


def test_a_job_killed_as_its_draft_was_made_finds_it(
    release: Release, hub: HubStub, zenodo: ZenodoStub, tmp_path: Path
) -> None:
    """The draft exists at Zenodo, but its number never arrived here."""
    gate = Gate(zenodo, lambda asked: asked.method == "POST" and zenodo.answer(asked).status == 201)
    publication = ask(release, "zenodo")
    child = work(publication, tmp_path, hub, zenodo)
    wait_for(gate.held.is_set, 120, f"the draft:\n{child.output}")
    child.kill()
    publication.refresh_from_db()
    assert (publication.remote, len(zenodo.drafts)) == ("", 1)
    end_lease(publication)
    zenodo.hooks.clear()
    zenodo.asked.clear()
    jobs.carry_out(publication)
    publication.refresh_from_db()
    assert (publication.state, publication.remote) == (JobState.DONE, "1000"), publication.reason
    assert not [one for one in zenodo.asked if one.method == "POST"]


def test_a_cancelled_job_says_what_stays_and_keeps_no_token(
    release: Release, hub: HubStub, zenodo: ZenodoStub, tmp_path: Path
) -> None:
    gate = Gate(hub.storage, lambda asked: asked.method == "PUT")
    publication = ask(release, "huggingface")
    child = work(publication, tmp_path, hub, zenodo)
    wait_for(gate.held.is_set, 120, f"the first file:\n{child.output}")
    jobs.cancel(publication, at=timezone.now())
    gate.opened.set()
    assert child.process.wait(120) == 0, child.output
    publication.refresh_from_db()
    assert (publication.state, publication.sealed_token) == (JobState.CANCELLED, "")
    assert "stays at the service" in publication.reason
    assert set(sent_to(hub)) == set()
