"""Runs of questions that stop and go on: no mention is asked twice, no answer is lost."""

import pytest

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from accounts.refusals import Conflict, Refused
from corpus.models import GeneratedQuestion, Outcome, QuestionRun, Role, Topic
from corpus.questions import question_reading
from corpus.questions.generation import continue_questions, request_questions
from corpus.questions.mentions import MentionFilter
from corpus.questions.question_runs import replies_for_a_person
from engines.endpoints.driver import USUAL_ROW
from tests.corpus.questions.generating import GOOD, generate, one
from tests.factories.accounts import AT, MembershipFactory
from tests.factories.mentions import make_mention
from tests.stubs.chat import ChatStub, Status


@pytest.fixture
def manager(collection):
    return MembershipFactory(collection=collection, role=Role.MANAGER).user


# --- going on, stopping -----------------------------------------------------------------------------------------------


def test_a_run_that_gave_up_goes_on_and_asks_no_answered_mention_again(manager, collection, mentions, quick):
    run, stub = generate(manager, collection, quick, [GOOD, Status(401)])
    assert run.state == JobState.FAILED
    assert "refused the request with 401" in run.reason
    assert "1 of 3 answers are kept" in run.reason
    assert len(stub.calls) == 2
    with ChatStub(["NONE"]) as stub:
        quick.LLM_BASE_URL = stub.url
        continue_questions(by=manager, at=AT, run=run, send=False)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert (run.state, run.done, len(stub.calls)) == (JobState.DONE, 3, 2)
        with pytest.raises(Refused, match="All questions have been answered"):
            continue_questions(by=manager, at=AT, run=run, send=False)


@pytest.mark.slow
def test_a_run_whose_first_answers_are_all_unreadable_stops_and_goes_on_when_asked(
    manager, collection, document, quick
):
    for number in range(USUAL_ROW + 3):
        make_mention({"b0": document}, collection=collection, source_key=f"id:{number}")
    run, stub = generate(manager, collection, quick, lambda call: "Sure! Here is one.")
    assert (run.state, len(stub.calls)) == (JobState.FAILED, USUAL_ROW)
    assert f"{USUAL_ROW} answers in a row could not be read" in run.reason
    assert "continue anyway. 12 of 15 answers are kept" in run.reason
    with ChatStub(lambda call: "Sure! Here is one.") as stub:
        quick.LLM_BASE_URL = stub.url
        continue_questions(by=manager, at=AT, run=run, send=False)
        jobs.carry_out(run)
        run.refresh_from_db()
    assert (run.state, len(stub.calls)) == (JobState.DONE, 3)


def test_labels_are_read_in_any_case(manager, collection, mentions, quick):
    reply = one(manager, collection, quick, "Question: Which leaves want water that has cooled down?\nAnswer: cite_001")
    assert reply.outcome == Outcome.QUESTIONS


def test_what_had_no_answer_is_asked_again(manager, collection, mentions, quick):
    run, _ = generate(manager, collection, quick, lambda call: Status(400) if call.number == 1 else "NONE")
    assert replies_for_a_person(run).count() == 1
    with ChatStub(["NONE"]) as stub:
        quick.LLM_BASE_URL = stub.url
        continue_questions(by=manager, at=AT, run=run, send=False)
        jobs.carry_out(run)
    assert len(stub.calls) == 1
    assert not replies_for_a_person(run).exists()


def test_an_answer_that_was_stored_but_not_read_is_read_and_not_paid_for_again(manager, collection, mentions, quick):
    """The worker died between the two."""
    with ChatStub(["NONE"]) as stub:
        quick.LLM_BASE_URL = stub.url
        run = request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
        run.replies.filter(position=0).update(outcome=Outcome.UNREAD, text=GOOD, answered_at=AT)
        jobs.carry_out(run)
    assert len(stub.calls) == 2
    assert Topic.objects.count() == 1


def test_a_worker_that_dies_while_it_reads_a_stored_answer_leaves_it_waiting(
    manager, collection, mentions, quick, monkeypatch
):
    """A second death, in the middle of the questions: the next worker reads all of them."""
    two = f"{GOOD}\n{GOOD.replace('leaves', 'buds')}"

    def die_at_buds(question, *rest):
        if "buds" in question.text:
            raise KeyboardInterrupt
        return doubt(question, *rest)

    doubt = question_reading._doubt
    with ChatStub(["NONE"]) as stub:
        quick.LLM_BASE_URL = stub.url
        run = request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
        run.replies.filter(position=0).update(outcome=Outcome.UNREAD, text=two, answered_at=AT)
        monkeypatch.setattr(question_reading, "_doubt", die_at_buds)
        with pytest.raises(KeyboardInterrupt):
            jobs.carry_out(run)
        assert run.replies.get(position=0).outcome == Outcome.UNREAD
        assert not GeneratedQuestion.objects.exists()
        assert not Topic.objects.exists()
        monkeypatch.setattr(question_reading, "_doubt", doubt)
        jobs.carry_out(run)
    assert len(stub.calls) == 2
    assert Topic.objects.count() == GeneratedQuestion.objects.count() == 2


def test_cancelling_keeps_what_has_come(manager, collection, mentions, quick, monkeypatch):
    monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
    with ChatStub(lambda call: (cancel_job(by=manager, at=AT, job=run), GOOD)[1]) as stub:
        quick.LLM_BASE_URL = stub.url
        run = request_questions(by=manager, at=AT, collection=collection, criteria=MentionFilter(), send=False)
        QuestionRun.objects.filter(pk=run.pk).update(cancel_requested_at=AT)
        jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, len(stub.calls)) == (JobState.CANCELLED, 0)
    assert (
        run.reason == "Cancelled. 0 of 3 answers are kept; you can continue at any time, they are not asked for again."
    )
    with pytest.raises(Conflict):
        cancel_job(by=manager, at=AT, job=run)
