"""A worker that gets SIGTERM gives its jobs back, and another one goes on with them at once: real processes."""

from pathlib import Path

import psutil
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from redis import Redis

from accounts import jobs
from accounts.actions import cancel_job
from accounts.claims import jobs_claimed
from accounts.models import Job, JobState
from adjudication.agreement.requests import request_agreement
from adjudication.models import AgreementResult
from corpus.imports.requests import request_import
from corpus.models import Document
from tests.adjudication.agreement.test_agreement import noisy_labels
from tests.factories.adjudication import build_campaign
from tests.processes import end_lease, nobody_inserts, start_celery_worker, wait_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("real_queues")]


def state(job: Job) -> str:
    job.refresh_from_db()
    return job.state


def test_a_job_that_reports_leaves_at_its_next_report(queue: Redis, tmp_path: Path) -> None:
    built = build_campaign(noisy_labels(400, 6), people=tuple("abcdef"), topics=400)
    first = start_celery_worker(tmp_path / "first.log", LITMUS_DRAIN_SECONDS="1000")
    run = request_agreement(campaign=built.campaign, by=None, at=timezone.now(), resamples=100_000)
    wait_for(lambda: state(run) == JobState.RUNNING and jobs.with_live_progress(run).done > 0, what="the job")
    assert first.stop() == 0  # long before it is interrupted
    assert (state(run), run.attempts, run.step) == (JobState.QUEUED, 0, "")
    assert (jobs_claimed(), queue.llen("quick"), queue.hlen("unacked")) == (set(), 1, 0)
    second = start_celery_worker(tmp_path / "second.log")
    try:
        wait_for(lambda: state(run) == JobState.RUNNING, what="the other worker")
        cancel_job(job=run, by=built.people["manager"], at=timezone.now())
        wait_for(lambda: state(run) == JobState.CANCELLED, what="the end")
    finally:
        second.stop()


def test_what_does_not_report_is_interrupted_in_time_and_nothing_is_lost_or_done_twice(
    queue: Redis, tmp_path: Path
) -> None:
    built = build_campaign(noisy_labels(40, 3), topics=40)
    collection, before = built.campaign.collection, Document.objects.count()
    asked = {"campaign": built.campaign, "by": None, "resamples": 1000}
    first = start_celery_worker(tmp_path / "first.log", processes=2, LITMUS_DRAIN_SECONDS="1")
    with nobody_inserts(AgreementResult, Document):
        run = request_agreement(**asked, at=timezone.now())
        lines = b"".join(b'{"docno": "N%d", "title": "One", "text": "Words"}\n' % n for n in range(50))
        files = [SimpleUploadedFile("a.jsonl", lines)]
        found = request_import(by=None, at=timezone.now(), collection=collection, kind="documents", files=files)
        wait_for(lambda: state(run) == state(found) == JobState.RUNNING, what="both jobs")
        second = start_celery_worker(tmp_path / "second.log", processes=2)
        assert first.stop() == 0
        wait_for(lambda: state(run) == state(found) == JobState.RUNNING, what="the other worker")
    try:
        wait_for(lambda: state(run) == state(found) == JobState.DONE, what="the end of both jobs")
    finally:
        second.stop()
    assert (run.attempts, found.attempts, found.created) == (1, 1, 50)
    assert Document.objects.count() == before + 50
    again = request_agreement(**asked, at=timezone.now(), send=False)
    jobs.carry_out(again)
    fields = ("criterion", "statistic", "scope", "annotators", "block", "value", "ci")
    assert list(run.results.order_by("pk").values(*fields)) == list(again.results.order_by("pk").values(*fields))
    assert "Traceback" not in first.output


@pytest.mark.slow
def test_a_process_that_hears_nothing_is_killed_at_last_and_its_job_goes_on(queue: Redis, tmp_path: Path) -> None:
    built = build_campaign(noisy_labels(40, 3), topics=40)
    first = start_celery_worker(tmp_path / "first.log", LITMUS_DRAIN_SECONDS="1")
    asked = {"campaign": built.campaign, "by": None, "resamples": 1000}
    with nobody_inserts(AgreementResult):
        run = request_agreement(**asked, at=timezone.now())
        wait_for(lambda: state(run) == JobState.RUNNING, what="the job")
        for process in psutil.Process(first.process.pid).children(recursive=True):
            process.suspend()
        assert first.stop() == 0
    assert state(run) == JobState.RUNNING
    second = start_celery_worker(tmp_path / "second.log")
    try:
        end_lease(run)
        assert jobs.resume_lost_jobs(timezone.now() + jobs.LOST_AFTER) == 1  # as beat does
        wait_for(lambda: state(run) == JobState.DONE, what="the other worker")
    finally:
        second.stop()
    assert run.attempts == 2
