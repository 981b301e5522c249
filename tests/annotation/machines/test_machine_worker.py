"""Machine runs by a real Celery worker: killed in the middle and taken up again, and cancelled in the middle."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.test import override_settings
from django.utils import timezone

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from annotation.machines.recipes import MachineOptions
from annotation.machines.requests import continue_machine_run, request_machine_runs
from annotation.models import Assignment, Judgment, MachineRun
from corpus.endpoints import endpoints
from corpus.endpoints.changes import add_endpoint
from tests.factories.annotation import make_campaign, make_material
from tests.factories.machines import make_prompt, stubbed
from tests.processes import PATIENCE, Child, end_lease, renew_lease, start_celery_worker, wait_for
from tests.stubs.chat import Answer, Call, ChatStub, CutOff

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

ITEMS = 24  # 3 topics × 2 aspects × 4 documents


def held(first: int, go_on: threading.Event, *, after: float = 0.0) -> Callable[[Call], Answer]:
    """Answers to so many calls at once, and to the others when they may go on, so many seconds later."""

    def answer(call: Call) -> Answer:
        if call.number < first:
            return Answer("Answer: 1")
        go_on.wait(PATIENCE)
        return Answer("Answer: 1", after=after)

    return answer


def start_worker(stub: ChatStub, log: Path, queue: str) -> Child:
    variables = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "wise", "LITMUS_LLM_RATE": "0"}
    return start_celery_worker(log, queue=queue, **variables, LITMUS_LLM_CONCURRENCY="2")


def request_run() -> MachineRun:
    made = make_material()
    options = MachineOptions(prompt=make_prompt(made))
    campaign = make_campaign(made, overlap=2)
    return request_machine_runs(campaign=campaign, by=made.manager, at=timezone.now(), options=options)[0]


def state_of(run: MachineRun) -> str:
    run.refresh_from_db()
    return run.state


def test_a_worker_killed_in_the_middle_ends_with_every_pair_answered_once(own_queue: str, tmp_path: Path) -> None:
    go_on = threading.Event()
    with stubbed(held(5, go_on), LLM_CONCURRENCY=2) as stub:
        run = request_run()
        first = start_worker(stub, tmp_path / "first.log", own_queue)
        wait_for(lambda: (run.replies.count(), len(stub.calls)) == (5, 7), what="five replies and two questions")
        first.kill()
        go_on.set()
        assert state_of(run) == JobState.RUNNING
        later = timezone.now() + timedelta(minutes=1)
        renew_lease(run)
        assert jobs.resume_lost_jobs(later) == 0
        end_lease(run)
        assert jobs.resume_lost_jobs(later) == 1
        jobs.carry_out(run)
    assert state_of(run) == JobState.DONE
    assert run.attempts == 2
    assert run.replies.filter(state="answered").count() == run.replies.count() == ITEMS
    done = Assignment.objects.filter(annotator=run.annotator, state="done")
    assert done.values("item").distinct().count() == done.count() == ITEMS
    assert Judgment.objects.filter(assignment__in=done).count() == ITEMS
    # What was stored is never asked again: the two that were on their way were paid for twice.
    assert len(stub.calls) == ITEMS + 2


def test_a_thousand_items_lose_nothing_to_a_killed_worker_and_a_dying_endpoint(
    own_queue: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At an endpoint that staff have set up. It dies at item 900, for as long as nobody mends it."""
    hold, mended = threading.Event(), threading.Event()
    answered: Counter[str] = Counter()

    def answer(call: Call) -> Answer | CutOff:
        if call.number >= 400:
            hold.wait(PATIENCE)
        if len(answered) >= 900 and not mended.is_set():
            return CutOff()
        answered[call.prompt] += 1
        return Answer("Answer: 1")

    usual = endpoints._usual
    monkeypatch.setattr(endpoints, "_usual", lambda purpose: replace(usual(purpose), first_wait=0.01))
    loopback = (ip_network("127.0.0.1/32"),)
    with stubbed(answer, LLM_CONCURRENCY=2, INNER_ADDRESSES=loopback) as stub, override_settings(LLM_BASE_URL=""):
        made = make_material(topics=5, documents=100)
        add_endpoint(
            by=None,
            at=timezone.now(),
            name="ours",
            purpose="chat",
            address=stub.url,
            models=["wise"],
            key="sk-of-staff",
            per_minute=0,
            collections=["all"],
        )
        campaign = make_campaign(made, overlap=2)
        options = MachineOptions(prompt=make_prompt(made), endpoint="ours")
        run = request_machine_runs(campaign=campaign, by=made.manager, at=timezone.now(), options=options)[0]
        variables = {"LITMUS_INNER_ADDRESSES": "127.0.0.1", "LITMUS_LLM_CONCURRENCY": "2"}
        first = start_celery_worker(tmp_path / "first.log", queue=own_queue, **variables)
        wait_for(lambda: (run.replies.count(), len(stub.calls)) == (400, 402), what="400 replies and two questions")
        first.kill()
        hold.set()
        end_lease(run)
        assert jobs.resume_lost_jobs(timezone.now() + timedelta(minutes=1)) == 1
        jobs.carry_out(run)
        assert state_of(run) == JobState.FAILED
        assert "questions in a row had no answer" in run.reason
        kept = run.replies.filter(state="answered").count()
        assert 896 <= kept <= 900
        mended.set()
        jobs.carry_out(continue_machine_run(run=run, by=made.manager, at=timezone.now(), send=False))
    assert state_of(run) == JobState.DONE
    assert run.replies.filter(state="answered").count() == run.replies.count() == 1000
    done = Assignment.objects.filter(annotator=run.annotator, state="done")
    assert done.values("item").distinct().count() == done.count() == 1000
    assert Judgment.objects.filter(assignment__in=done).count() == 1000
    # Only the two questions on their way when the worker was killed were answered a second time.
    assert sum(answered.values()) == 1000 + 2
    assert len(answered) == 1000
    assert "sk-of-staff" not in first.output


def test_a_run_cancelled_in_the_middle_keeps_what_is_on_its_way(own_queue: str, tmp_path: Path) -> None:
    go_on = threading.Event()
    with stubbed(held(2, go_on, after=0.5)) as stub:
        run = request_run()
        worker = start_worker(stub, tmp_path / "worker.log", own_queue)
        try:
            wait_for(lambda: (run.replies.count(), len(stub.calls)) == (2, 4), what="two replies and two questions")
            cancel_job(job=run, by=run.requested_by, at=timezone.now())
            go_on.set()
            wait_for(lambda: state_of(run) == JobState.CANCELLED, what="the run to stop")
        finally:
            worker.stop()
    kept = run.replies.count()
    assert 4 <= kept == len(stub.calls) < ITEMS  # everything that was asked, and paid for, is kept
    assert f"{kept} of {ITEMS} replies are kept" in run.reason
