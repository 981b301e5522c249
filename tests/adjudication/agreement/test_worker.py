"""Agreement and votes by a real Celery worker: done, cancelled, and taken up again after the worker was killed."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from redis import Redis

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from adjudication.agreement.requests import request_agreement, request_vote
from adjudication.models import AgreementResult, AgreementRun, Verdict, VoteRun
from tests.adjudication.agreement.test_agreement import noisy_labels
from tests.factories.adjudication import AT, Built, build_campaign
from tests.processes import Child, end_lease, nobody_inserts, renew_lease, start_celery_worker, wait_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

FIELDS = ("criterion", "statistic", "scope", "annotators", "block", "value", "ci")


def state_of(run: AgreementRun | VoteRun) -> str:
    run.refresh_from_db()
    return run.state


def figures(run: AgreementRun) -> list[dict[str, object]]:
    return list(run.results.order_by("pk").values(*FIELDS))


def direct(built: Built, resamples: int) -> AgreementRun:
    run = request_agreement(campaign=built.campaign, by=None, at=AT, resamples=resamples, send=False)
    jobs.carry_out(run)
    return run


def test_a_worker_computes_what_a_command_computes(celery_worker: Child) -> None:
    built = build_campaign(noisy_labels(40, 3), topics=40)
    vote = request_vote(campaign=built.campaign, by=built.people["manager"], at=timezone.now())
    wait_for(lambda: state_of(vote) == JobState.DONE, what="the vote")
    assert Verdict.objects.count() == 40
    asked = {"campaign": built.campaign, "by": built.people["manager"], "at": timezone.now()}
    run = request_agreement(**asked, resamples=1000)
    wait_for(lambda: state_of(run) == JobState.DONE, what="the agreement")
    assert run.percent == 100
    assert figures(run) == figures(direct(built, 1000))


def test_a_running_job_can_be_cancelled(celery_worker: Child) -> None:
    built = build_campaign(noisy_labels(400, 6), people=tuple("abcdef"), topics=400)
    run = request_agreement(campaign=built.campaign, by=built.people["manager"], at=timezone.now(), resamples=100_000)
    wait_for(lambda: state_of(run) == JobState.RUNNING, what="the job to start")
    cancel_job(job=run, by=built.people["manager"], at=timezone.now())
    wait_for(lambda: state_of(run) != JobState.RUNNING, what="the job to stop")
    assert run.state == JobState.CANCELLED
    assert not run.results.exists()


@pytest.fixture
def own_worker(transactional_db: None, own_queue: str, tmp_path: Path) -> Iterator[Child]:
    """A worker that a test may kill."""
    worker = start_celery_worker(tmp_path / "first.log", queue=own_queue)
    yield worker
    worker.stop()


def test_a_killed_worker_is_followed_by_another_with_the_same_figures(
    own_worker: Child, queue: Redis, request: pytest.FixtureRequest
) -> None:
    built = build_campaign(noisy_labels(200, 5), people=tuple("abcde"), topics=200)
    asked = {"campaign": built.campaign, "by": built.people["manager"], "at": timezone.now()}
    later = timezone.now() + timedelta(minutes=1)
    run = request_agreement(**asked, resamples=1_000, send=False)

    def is_resampling() -> bool:
        run.refresh_from_db()
        return run.state == JobState.RUNNING and jobs.with_live_progress(run).done > 0

    with nobody_inserts(AgreementResult):  # so that it is still in the middle, however quick it is
        jobs.send(run)
        wait_for(is_resampling, what="the job to be in the middle")
        own_worker.kill()
    assert state_of(run) == JobState.RUNNING
    queue.delete("unacked", "unacked_index")  # the dead worker's message, which no one will acknowledge
    request.getfixturevalue("celery_worker")  # from now on jobs go to another worker
    renew_lease(run)
    assert jobs.resume_lost_jobs(later) == 0
    end_lease(run)
    assert jobs.resume_lost_jobs(later) == 1  # as beat does
    wait_for(lambda: state_of(run) == JobState.DONE, 180, "the second attempt")
    assert run.attempts == 2
    assert figures(run) == figures(direct(built, 1_000))
