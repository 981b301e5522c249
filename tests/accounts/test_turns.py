"""Heavy jobs take turns: so many of a collection at once, and none waits behind all jobs of another."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.claims import claimed
from accounts.job_kinds import kind_of
from accounts.models import JobState
from accounts.turns import OTHERS
from corpus.imports.requests import request_import
from corpus.models import Collection, Document, ImportRun, Role
from tests.factories.accounts import one_member_each
from tests.factories.corpus import CollectionFactory, ImportRunFactory
from tests.processes import nobody_inserts, start_celery_worker, wait_for

pytestmark = pytest.mark.django_db
LIMIT = "waiting: 2 of 2 long jobs of this collection are running"


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch, settings: object) -> list[int]:
    """The ids of imports, in the order in which they were carried out."""
    settings.COLLECTION_JOBS = 2  # type: ignore[attr-defined]
    found: list[int] = []
    monkeypatch.setattr(kind_of(ImportRun), "work", lambda run, _: found.append(run.pk))
    return found


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    found: list[int] = []
    monkeypatch.setattr(jobs, "_hand_over", lambda job, delay=0: found.append(job.pk))
    return found


@pytest.fixture
def running() -> Iterator[ExitStack]:
    """Holds the claims of jobs that run."""
    with ExitStack() as held:
        yield held


def queued(collection: Collection, minutes: int = 0) -> ImportRun:
    at = timezone.now() - timedelta(minutes=minutes)
    return ImportRunFactory(collection=collection, state=JobState.QUEUED, requested_at=at)


def start(running: ExitStack, collection: Collection) -> ImportRun:
    run = ImportRunFactory(collection=collection, state=JobState.RUNNING, requested_at=timezone.now())
    running.enter_context(claimed(ImportRun, run.pk))
    return run


def attempt(run: ImportRun) -> ImportRun:
    jobs.carry_out_row(ImportRun, run.pk)
    run.refresh_from_db()
    return run


def test_more_than_its_limit_wait_and_say_so_and_the_end_of_one_sends_the_oldest(
    running: ExitStack, done: list[int], sent: list[int]
) -> None:
    members = one_member_each(CollectionFactory(slug="tea"))
    tea = members[Role.MANAGER].collection
    first, _ = start(running, tea), start(running, tea)
    late, early = queued(tea, 1), queued(tea, 2)
    for run in (late, early):
        assert (attempt(run).state, run.step, run.attempts) == (JobState.QUEUED, LIMIT, 0)
    assert (done, sent) == ([], [])
    client = Client()
    client.force_login(members[Role.MANAGER].user)
    assert LIMIT.capitalize() in client.get(reverse("job_detail", args=["imports", early.pk])).text
    assert client.get(f"/api/jobs/imports/{early.pk}/").json()["step"] == LIMIT
    assert jobs.resume_lost_jobs(timezone.now() + timedelta(hours=1)) == 0  # beat leaves them alone
    running.close()  # both workers die
    first.state = JobState.QUEUED
    first.save()
    attempt(first)
    assert (done, sent) == ([first.pk], [early.pk])
    assert attempt(early).state == JobState.DONE
    assert early.step == ""
    assert sent == [early.pk, late.pk]


def test_a_collection_with_one_running_lets_others_go_first(
    running: ExitStack, done: list[int], sent: list[int]
) -> None:
    tea, silk = CollectionFactory(slug="tea"), CollectionFactory(slug="silk")
    start(running, tea)
    second, other = queued(tea, 5), queued(silk)
    assert attempt(second).step == OTHERS
    assert attempt(other).state == JobState.DONE
    assert sent == [second.pk]
    assert attempt(second).state == JobState.DONE
    assert done == [other.pk, second.pk]


def test_what_waits_for_something_else_keeps_nobody_and_a_command_waits_for_no_turn(
    running: ExitStack, done: list[int], sent: list[int]
) -> None:
    tea, silk = CollectionFactory(slug="tea"), CollectionFactory(slug="silk")
    start(running, tea)
    ImportRun.objects.filter(pk=queued(silk).pk).update(step="waiting for another import")
    assert attempt(queued(tea)).state == JobState.DONE
    start(running, tea)
    by_command = queued(tea)
    jobs.complete(by_command)
    assert len(done) == 2


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_real_processes_keep_to_the_limit_and_go_on_by_themselves(real_queues: None, tmp_path: Path) -> None:
    tea, silk = CollectionFactory(slug="tea"), CollectionFactory(slug="silk")

    def ask(collection: Collection, number: int) -> ImportRun:
        line = b'{"docno": "N%d", "title": "One", "text": "Words"}\n' % number
        files = [SimpleUploadedFile("a.jsonl", line)]
        return request_import(by=None, at=timezone.now(), collection=collection, kind="documents", files=files)

    def steps() -> list[tuple[str, str]]:
        return sorted(ImportRun.objects.filter(collection=tea).values_list("state", "step"))

    worker = start_celery_worker(tmp_path / "worker.log", processes=3, LITMUS_COLLECTION_JOBS="1")
    try:
        with nobody_inserts(Document):
            for number in range(3):
                ask(tea, number)
            other = ask(silk, 0)
            wait_for(lambda: ImportRun.objects.get(pk=other.pk).state == JobState.RUNNING, what="the other collection")
            wait = "waiting: 1 of 1 long job of this collection is running"
            wait_for(lambda: [each for each, _ in steps()] == ["queued", "queued", "running"], what="one of three")
            wait_for(lambda: [step for _, step in steps()][:2] == [wait, wait], what="words of those that wait")
        wait_for(lambda: {state for state, _ in steps()} == {JobState.DONE}, what="the end of all, without beat")
    finally:
        worker.stop()
    assert Document.objects.filter(collection=tea).count() == 3
