"""Answers that come, change or go after the votes were counted or an item was decided."""

from datetime import timedelta
from uuid import uuid4

import pytest

from accounts.refusals import Conflict
from adjudication.labels.ballots import current_votes, fetch_ballots, fingerprint
from adjudication.labels.labels import newest_submission
from adjudication.labels.queue import (
    acceptable,
    count_late,
    count_outdated,
    queue_counts,
    queue_of,
)
from adjudication.models import VoteRun
from adjudication.procedure import waiting_for
from adjudication.verdicts.decisions import accept_votes, decide_verdict
from annotation.models import Assignment, AssignmentState, Judgment, Submission
from tests.adjudication.verdicts.test_verdicts import LATER, verdict_of
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db

LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None], [2, None, None]]


def test_a_late_answer_reopens_at_once_before_any_vote_is_counted(built: Built) -> None:
    decide_verdict(verdict=verdict_of(built, 3), value=2, by=built.people["adjudicator"], at=LATER)
    built.label(built.items[3], "cai", 0, at=LATER + timedelta(hours=1))
    assert list(queue_of(built.criterion, "reopened")) == [verdict_of(built, 3)]
    assert any(ballot.late for ballot in fetch_ballots(verdict_of(built, 3)).people)


def test_an_answer_on_its_way_while_votes_were_counted_reopens_too(built: Built) -> None:
    """It has a lower id than the newest answer that was read, because others were faster."""
    decide_verdict(verdict=verdict_of(built, 3), value=2, by=built.people["adjudicator"], at=LATER)
    built.label(built.items[3], "cai", 0, at=LATER)
    VoteRun.objects.update(snapshot=newest_submission() + 3)
    assert list(queue_of(built.criterion, "reopened")) == [verdict_of(built, 3)]


def test_a_late_answer_reopens_an_accepted_vote_at_once(built: Built) -> None:
    accept_votes(criterion=built.criterion, methods=["majority"], expected=1, by=built.people["adjudicator"], at=LATER)
    assert not queue_of(built.criterion, "reopened").exists()
    found = Assignment.objects.get(item=built.items[1], annotator=built.annotators["ana"])
    change_answer(found, 2)
    (row,) = queue_of(built.criterion, "reopened")
    assert (row.item, row.late) == (built.items[1], True)  # type: ignore[attr-defined]
    assert row in queue_of(built.criterion, "open")
    assert queue_counts(built.criterion)["reopened"] == 1
    assert count_late(built.criterion) == 1
    assert [one.count for one in waiting_for(built.people["adjudicator"])] == [3]  # two ties and this
    change_answer(found, 1)  # as it was: nothing is late
    assert not queue_of(built.criterion, "reopened").exists()


def test_an_answer_taken_back_reopens_too(built: Built) -> None:
    decide_verdict(verdict=verdict_of(built, 3), value=2, by=built.people["adjudicator"], at=LATER)
    found = Assignment.objects.get(item=built.items[3], annotator=built.annotators["ana"])
    Submission.objects.create(uuid=uuid4(), assignment=found, kind="undo", received_at=LATER)
    Judgment.objects.filter(assignment=found).delete()
    Assignment.objects.filter(pk=found.pk).update(state=AssignmentState.PENDING, finished_at=None)
    assert list(queue_of(built.criterion, "reopened")) == [verdict_of(built, 3)]


@pytest.mark.usefixtures("_free_address")
@pytest.mark.parametrize(("voters", "reopens"), [("humans", False), ("machines", True), ("all", True)])
def test_late_is_who_has_a_vote(voters: str, reopens: bool) -> None:
    found = build_campaign([[0, 0, 0, 1, 1]], machines=[("m-1", "m", 1), ("m-2", "m", 2)])
    vote(found, voters=voters)
    verdict = verdict_of(found, 0)
    decide_verdict(verdict=verdict, value=1, by=found.people["adjudicator"], at=LATER, comment="So it is.")
    change_answer(Assignment.objects.get(annotator=found.annotators["m-2"]), 2)
    assert queue_of(found.criterion, "reopened").exists() is reopens


def test_votes_that_changed_since_the_count_are_not_accepted(built: Built) -> None:
    judge = built.people["adjudicator"]
    found = Assignment.objects.get(item=built.items[0], annotator=built.annotators["ana"])
    change_answer(found, 2)
    both = ["unanimous", "majority"]
    assert [row.item for row in acceptable(built.criterion, both, user=judge)] == [built.items[1]]
    assert count_outdated(built.criterion, both, user=judge) == 1
    with pytest.raises(Conflict, match="There are 1 such items"):
        accept_votes(criterion=built.criterion, methods=both, expected=2, by=judge, at=LATER)
    assert accept_votes(criterion=built.criterion, methods=both, expected=1, by=judge, at=LATER) == 1
    vote(built)
    assert count_outdated(built.criterion, both, user=judge) == 0
    assert acceptable(built.criterion, both, user=judge).get().item == built.items[0]


def test_a_decision_on_votes_that_changed_meanwhile_is_refused(built: Built) -> None:
    judge, verdict = built.people["adjudicator"], verdict_of(built, 3)
    basis = fingerprint(current_votes(verdict.item_id, verdict.criterion_id, verdict.vote_run))
    built.label(built.items[3], "cai", 0, at=LATER)
    with pytest.raises(Conflict, match="votes changed"):
        decide_verdict(verdict=verdict, value=2, by=judge, at=LATER, basis=basis)
    basis = fingerprint(current_votes(verdict.item_id, verdict.criterion_id, verdict.vote_run))
    decide_verdict(verdict=verdict, value=2, by=judge, at=LATER, basis=basis)
    assert verdict_of(built, 3).n_votes == 3


def change_answer(assignment: Assignment, value: int) -> None:
    """The annotator changes their mind, as a further submission."""
    answer = Submission.objects.create(
        uuid=uuid4(), assignment=assignment, kind="answer", answers={"relevance": value}, received_at=LATER
    )
    Judgment.objects.filter(assignment=assignment).update(value=value, submission=answer)
