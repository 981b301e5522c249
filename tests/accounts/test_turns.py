"""Heavy jobs take turns: so many of a collection at once, and none waits behind all jobs of another."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.claims import claimed
from accounts.job_kinds import kind_of
from accounts.models import JobState
from accounts.turns import OTHERS
from corpus.models import Collection, ImportRun, Role
from tests.factories.accounts import one_member_each
from tests.factories.corpus import CollectionFactory, ImportRunFactory

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
