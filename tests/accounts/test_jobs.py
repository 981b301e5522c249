"""Jobs whose worker died or whose message was lost: sent again, but not for ever and ever."""

import threading
from contextlib import closing
from datetime import datetime, timedelta

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.caches import volatile
from accounts.claims import jobs_claimed
from accounts.job_kinds import Progress, Waiting, job_kinds, kind_of
from accounts.models import Job, JobState
from adjudication.models import AgreementRun
from annotation.models import AssignmentRun
from corpus.models import ImportRun
from tests.databases import waits_for_a_lock
from tests.factories.corpus import ImportRunFactory
from tests.waiting import wait_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of jobs handed to the broker."""
    found: list[int] = []
    monkeypatch.setattr(jobs, "send", lambda job: found.append(job.pk))
    return found


def job(at: datetime, **fields: object) -> ImportRun:
    return ImportRunFactory(requested_at=at, **fields)


@pytest.mark.slow
def test_a_queued_job_is_sent_again_ever_more_rarely(sent: list[int]) -> None:
    start = timezone.now()
    job(start, state=JobState.QUEUED)
    # Six hours of a worker that is busy with something else: each minute at first, then as rarely as will do.
    for minutes in (*range(16), *range(20, 6 * 60, 20)):
        jobs.resume_lost_jobs(start + timedelta(minutes=minutes))
    assert 5 <= len(sent) <= 15


def test_it_is_sent_once_at_first(sent: list[int]) -> None:
    start = timezone.now()
    lost = job(start, state=JobState.QUEUED)
    assert jobs.resume_lost_jobs(start + timedelta(seconds=15)) == 0
    assert jobs.resume_lost_jobs(start + timedelta(seconds=30)) == 1
    assert jobs.resume_lost_jobs(start + timedelta(seconds=45)) == 0
    assert sent == [lost.pk]


def test_each_death_of_a_worker_is_answered_at_once(sent: list[int]) -> None:
    start = timezone.now()
    lost = job(start, state=JobState.RUNNING, attempts=1)
    assert jobs.resume_lost_jobs(start + timedelta(seconds=30)) == 1
    assert jobs.resume_lost_jobs(start + timedelta(seconds=45)) == 0
    ImportRun.objects.filter(pk=lost.pk).update(attempts=2)
    assert jobs.resume_lost_jobs(start + timedelta(seconds=60)) == 1


def test_finished_jobs_stay_finished(sent: list[int]) -> None:
    start = timezone.now()
    job(start, state=JobState.DONE, finished_at=start)
    assert jobs.resume_lost_jobs(start + timedelta(hours=1)) == 0
    assert sent == []


def test_every_model_of_a_job_has_its_kind() -> None:
    models = {model for model in apps.get_models() if issubclass(model, Job)}
    assert {kind.model for kind in job_kinds().values()} == models
    for key, kind in job_kinds().items():
        assert kind_of(kind.model) is kind
        assert kind.key == key
        assert kind.doing
        assert kind.did
        assert kind.purpose.endswith(".")


def test_a_dry_run_is_named_so_and_figures_of_nothing_have_no_button() -> None:
    for model, preview in ((ImportRun, "Nothing is stored."), (AssignmentRun, "Nothing is assigned.")):
        kind = kind_of(model)
        for dry_run in (True, False):
            one = model(dry_run=dry_run, state=JobState.QUEUED)
            assert (preview in kind.about(one)) is dry_run
            assert (kind.words(one) == kind.doing) is not dry_run
    assert kind_of(AgreementRun).links(AgreementRun(n_judgments=0, state=JobState.DONE), None) == []


class TestWaiting:
    """Work that needs what others hold gives its worker back."""

    @pytest.fixture
    def waiting(self, monkeypatch: pytest.MonkeyPatch) -> tuple[ImportRun, list[tuple[int, float]]]:
        def wait(run: ImportRun, progress: Progress) -> None:
            progress.report(5, 10, "reading")
            raise Waiting("waiting for another import")

        handed: list[tuple[int, float]] = []
        monkeypatch.setattr(jobs, "_hand_over", lambda job, delay=0: handed.append((job.pk, delay)))
        monkeypatch.setattr(kind_of(ImportRun), "work", wait)
        return job(timezone.now() - timedelta(hours=1), state=JobState.QUEUED), handed

    def test_it_is_queued_again_with_a_delay_and_is_no_attempt(
        self, waiting: tuple[ImportRun, list[tuple[int, float]]]
    ) -> None:
        run, handed = waiting
        for _ in range(jobs.MOST_ATTEMPTS + 1):
            jobs.carry_out_row(ImportRun, run.pk)
        run.refresh_from_db()
        assert (run.state, run.attempts, run.step) == (JobState.QUEUED, 0, "waiting for another import")
        assert handed == [(run.pk, jobs.WAIT_SECONDS)] * (jobs.MOST_ATTEMPTS + 1)
        assert jobs_claimed() == set()

    def test_beat_does_not_send_it_while_its_message_is_on_the_way(
        self, waiting: tuple[ImportRun, list[tuple[int, float]]], sent: list[int]
    ) -> None:
        run, _ = waiting
        jobs.carry_out_row(ImportRun, run.pk)
        jobs.resume_lost_jobs(timezone.now())
        assert sent == []
        volatile.clear()  # Redis was lost, and with it the message
        jobs.resume_lost_jobs(timezone.now())
        assert sent == [run.pk]

    def test_it_can_be_cancelled(self, waiting: tuple[ImportRun, list[tuple[int, float]]]) -> None:
        run, handed = waiting
        jobs.carry_out_row(ImportRun, run.pk)
        jobs.cancel(run, at=timezone.now())
        jobs.carry_out_row(ImportRun, run.pk)
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED
        assert len(handed) == 1

    def test_it_no_longer_says_that_it_waits_once_it_works(
        self, waiting: tuple[ImportRun, list[tuple[int, float]]]
    ) -> None:
        run, _ = waiting
        jobs.carry_out_row(ImportRun, run.pk)
        steps: list[str] = []
        jobs.carry_out(run, lambda run, _: steps.append(ImportRun.objects.get(pk=run.pk).step))
        assert steps == [""]


class TestCancelledAtTheSameMoment:
    """Somebody cancels a job while its worker takes it up or puts it back."""

    pytestmark = pytest.mark.django_db(transaction=True)

    def test_a_job_that_is_just_put_back_is_cancelled(self) -> None:
        run = job(timezone.now(), state=JobState.RUNNING)

        def cancel() -> None:
            with closing(connection):
                jobs.cancel(ImportRun.objects.get(pk=run.pk), at=timezone.now())

        with transaction.atomic():  # as `_put_back`
            ImportRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
            ImportRun.objects.filter(pk=run.pk).update(state=JobState.QUEUED)
            canceller = threading.Thread(target=cancel)
            canceller.start()
            wait_for(waits_for_a_lock, what="the cancellation to wait")
        canceller.join()
        run.refresh_from_db()
        assert run.state == JobState.CANCELLED

    def test_a_job_that_was_just_cancelled_is_not_begun(self) -> None:
        run = job(timezone.now(), state=JobState.QUEUED)
        done: list[int] = []

        def work() -> None:
            with closing(connection):
                jobs.carry_out(run, lambda run, _: done.append(run.pk))

        with transaction.atomic():
            jobs.cancel(run, at=timezone.now())
            worker = threading.Thread(target=work)
            worker.start()
            wait_for(waits_for_a_lock, what="the worker to wait")
        worker.join()
        run.refresh_from_db()
        assert (run.state, done) == (JobState.CANCELLED, [])
