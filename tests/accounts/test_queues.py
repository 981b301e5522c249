"""Which work goes where, and that hours of it never delay what people wait for: with the workers that `up` starts."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts import jobs
from accounts.job_kinds import job_kinds
from accounts.models import Job, JobState
from accounts.queues import Queue, queue_of
from adjudication.agreement.requests import request_agreement, request_vote
from config.celery import app
from config.management.commands import up
from corpus.imports.requests import request_import
from corpus.models import Document
from tests.adjudication.agreement.test_agreement import noisy_labels
from tests.factories.adjudication import build_campaign
from tests.processes import Child, child_environment, nobody_inserts, wait_for


def test_every_kind_of_job_says_its_queue_and_messages_go_there() -> None:
    for key, kind in job_kinds().items():
        assert kind.queue in Queue
        assert queue_of(jobs.TASK, (), {"kind": key, "pk": 1}, {}) == {"queue": kind.queue}
    quick = {"agreement", "votes", "evaluations", "assignments", "items", "prompt-trials", "queue-orders", "work"}
    assert {key for key, kind in job_kinds().items() if kind.queue == Queue.QUICK} == quick
    assert {key for key, kind in job_kinds().items() if kind.queue == Queue.INDEX} == {"indexing"}


def test_other_messages_go_to_the_quick_queue_and_parts_of_an_index_to_its_own(real_queues: None) -> None:
    def queue(task: str) -> str:
        return str(app.amqp.router.route({}, task, (), {})["queue"].name)

    assert queue("corpus.tasks.help_with_parts") == Queue.INDEX
    assert {queue(entry["task"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()} == {Queue.QUICK}


@pytest.fixture
def workers_of_up(transactional_db: None, real_queues: None, tmp_path: Path) -> Iterator[list[Child]]:
    """With one process each, and without beat."""
    site = up.Site(None, "127.0.0.1", {}, as_json=False)  # type: ignore[arg-type]  # no pages are served
    started = []
    for number, worker in enumerate(site.workers()):
        words = [word for word in worker.module if word not in ("-q", "--beat")]
        command = [sys.executable, "-m", *words, "-c", "1", "--loglevel", "INFO"]
        started.append(Child(command, tmp_path / f"{number}.log", child_environment()))
    for child in started:
        child.wait_for_output(" ready.")
    yield started
    for child in started:
        child.stop()


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_a_job_that_holds_its_worker_delays_no_vote_and_no_agreement(workers_of_up: list[Child]) -> None:
    def state(job: Job) -> str:
        job.refresh_from_db()
        return job.state

    built = build_campaign(noisy_labels(40, 3), topics=40)
    asked = {"campaign": built.campaign, "by": built.people["manager"], "at": timezone.now()}
    with nobody_inserts(Document):
        files = [SimpleUploadedFile("a.jsonl", b'{"docno": "D1", "title": "One", "text": "Words"}\n')]
        held = request_import(
            by=None, at=timezone.now(), collection=built.campaign.collection, kind="documents", files=files
        )
        wait_for(lambda: state(held) == JobState.RUNNING, what="the import")
        vote = request_vote(**asked)
        agreement = request_agreement(**asked, resamples=1000)
        wait_for(lambda: state(vote) == state(agreement) == JobState.DONE, what="vote and agreement")
        assert state(held) == JobState.RUNNING
    wait_for(lambda: state(held) == JobState.DONE, what="the end of the import")
    done_by = ["accounts.tasks.run_job" in child.output for child in workers_of_up]
    assert done_by == [True, True], "\n".join(child.output for child in workers_of_up)
