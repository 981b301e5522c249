"""A worker that is killed while it asks: the next one goes on, and no answer is paid for twice."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from corpus.models import Outcome, QuestionRun, Topic
from corpus.questions.generation import request_questions
from corpus.questions.mentions import MentionFilter
from tests.factories.accounts import CollectionFactory
from tests.factories.corpus import DocumentFactory
from tests.factories.mentions import make_mention
from tests.processes import end_lease, renew_lease, start_celery_worker, wait_for
from tests.stubs.chat import Answer, Call, ChatStub

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

MENTIONS = 5
HELD = 2  # the call from which on no answer comes while the first worker lives


def test_a_killed_worker_loses_no_answer(own_queue: str, tmp_path: Path, settings) -> None:
    collection = CollectionFactory(slug="tea")
    document = DocumentFactory(collection=collection, title="Green tea infusion temperatures")
    for number in range(MENTIONS):
        make_mention({"b0": document}, collection=collection, source_key=f"id:{number}", text=f"Paper {number} [1].",
                     markers=[{"start": 8, "end": 11, "keys": ["b0"]}])  # fmt: skip

    def answer(call: Call) -> str:
        if call.number >= HELD and not stub.closing.is_set() and not released:
            stub.gate.clear()
            stub.gate.wait()
        return f"QUESTION: What about case number {call.number}?\nANSWER: cite_001"

    released: list[bool] = []
    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL = stub.url, "stub"
        settings.LLM_CONCURRENCY, settings.LLM_RATE = 1, 0
        own = {"LITMUS_LLM_BASE_URL": stub.url, "LITMUS_LLM_MODEL": "stub"}
        own |= {"LITMUS_LLM_CONCURRENCY": "1", "LITMUS_LLM_RATE": "0"}
        run = request_questions(by=None, at=timezone.now(), collection=collection, criteria=MentionFilter())
        first = start_celery_worker(tmp_path / "first.log", queue=own_queue, **own)
        wait_for(lambda: len(stub.calls) == HELD + 1, what="the third question")
        assert run.replies.exclude(outcome=Outcome.WAITING).count() == HELD  # each stored before the next was asked
        first.kill()
        released.append(True)
        stub.gate.set()
        later = timezone.now() + 2 * jobs.LOST_AFTER + timedelta(seconds=1)
        renew_lease(run)
        assert jobs.resume_lost_jobs(later) == 0
        end_lease(run)
        assert jobs.resume_lost_jobs(later) == 1
        jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.done) == (JobState.DONE, MENTIONS)
    asked = Counter(call.prompt.split("Paper ")[1][0] for call in stub.calls)
    assert asked == {"0": 1, "1": 1, "2": 2, "3": 1, "4": 1}  # only the question on its way was asked again
    assert Topic.objects.filter(collection=collection).count() == MENTIONS


def test_cancelling_waits_for_the_answer_on_its_way_and_keeps_it(transactional_db: None, settings, monkeypatch) -> None:
    collection = CollectionFactory(slug="tea")
    document = DocumentFactory(collection=collection, title="Green tea infusion temperatures")
    for number in range(MENTIONS):
        make_mention({"b0": document}, collection=collection, source_key=f"id:{number}")
    monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
    settings.LLM_MODEL, settings.LLM_CONCURRENCY, settings.LLM_RATE = "stub", 1, 0

    def answer(call: Call) -> Answer:
        if call.number == 1:
            cancel_job(by=None, at=timezone.now(), job=QuestionRun.objects.get())
            connection.close()  # of the stub's own thread
        return Answer(f"QUESTION: What about case number {call.number}?\nANSWER: cite_001", after=0.6 * call.number)

    with ChatStub(answer) as stub:
        settings.LLM_BASE_URL = stub.url
        run = request_questions(by=None, at=timezone.now(), collection=collection, criteria=MentionFilter(), send=False)
        jobs.carry_out(run)
    assert _is_final(run)
    assert run.state == JobState.CANCELLED
    assert len(stub.calls) == 2
    assert run.replies.filter(outcome=Outcome.QUESTIONS).count() == 2  # the second came in after the cancelling


def _is_final(run) -> bool:
    run.refresh_from_db()
    return bool(run.is_final)
