"""Votes that come after a decision or an acceptance, and counts by other rules: what they reopen and what stands."""

from datetime import timedelta

import pytest

from adjudication.labels.queue import queue_of
from adjudication.models import Method, Verdict
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from annotation.models import Judgment
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db


def decide(built: Built, value: int) -> Verdict:
    verdict = Verdict.objects.get()
    return decide_verdict(
        verdict=verdict, value=value, by=built.people["adjudicator"], at=AT + timedelta(days=1), comment="Read twice."
    )


def test_a_decision_by_hand_wins_over_the_vote() -> None:
    built = build_campaign([[1, 1, 1]])
    vote(built)
    decide(built, 2)
    run = vote(built)
    verdict = Verdict.objects.get()
    assert (verdict.value, verdict.method, verdict.reopened_at) == (2, Method.BY_HAND, None)
    assert run.counts["by_hand"] == 1


@pytest.mark.parametrize("late", [0, 2])
def test_a_late_vote_reopens_a_decision_visibly(late: int) -> None:
    built = build_campaign([[2, 1, None]], overlap=2)
    vote(built)
    decide(built, 2)
    built.label(built.items[0], "cai", late, at=AT + timedelta(days=2))
    run = vote(built)
    verdict = Verdict.objects.get()
    assert (verdict.value, verdict.method) == (2, Method.BY_HAND)
    assert verdict.reopened_at is not None
    assert run.counts["reopened"] == 1


def test_a_late_vote_takes_an_acceptance_away_visibly() -> None:
    built = build_campaign([[2, 2, None]], overlap=2)
    vote(built)
    Verdict.objects.update(decided_by=built.people["adjudicator"], decided_at=AT)
    vote(built)
    assert Verdict.objects.get().decided_at == AT
    built.label(built.items[0], "cai", 1, at=AT + timedelta(days=2))
    vote(built)
    verdict = Verdict.objects.get()
    assert (verdict.value, verdict.method, verdict.decided_at) == (2, Method.MAJORITY, None)
    assert verdict.reopened_at is not None


def accept(built: Built) -> None:
    Verdict.objects.filter(method__in=["unanimous", "majority"]).update(
        decided_by=built.people["adjudicator"], decided_at=AT + timedelta(hours=1)
    )


def test_what_a_machine_says_takes_no_acceptance_away() -> None:
    built = build_campaign([[2, 2, 2, None]], machines=[("m-1", "m", 1)])
    vote(built)
    accept(built)
    built.label(built.items[0], "m-1", 0, at=AT + timedelta(days=2))
    vote(built)
    verdict = Verdict.objects.get()
    assert (verdict.machine_differs, verdict.decided_by, verdict.reopened_at) == (
        True,
        built.people["adjudicator"],
        None,
    )


def test_a_withdrawn_acceptance_is_kept() -> None:
    built = build_campaign([[2, 2, None]], overlap=2)
    vote(built)
    accept(built)
    votes = Verdict.objects.get().votes
    built.label(built.items[0], "cai", 1, at=AT + timedelta(days=2))
    vote(built)
    verdict = Verdict.objects.get()
    assert verdict.decided_at is None
    assert verdict.reopened_from is not None
    kept = {name: verdict.reopened_from[name] for name in ("value", "method", "votes", "by")}
    assert kept == {"value": 2, "method": "unanimous", "votes": votes, "by": built.people["adjudicator"].pk}
    vote(built)
    again = Verdict.objects.get()
    assert (again.reopened_at, again.reopened_from) == (verdict.reopened_at, verdict.reopened_from)


def test_labels_taken_back_reopen_what_was_accepted() -> None:
    built = build_campaign([[2, 2, 2], [1, 1, 1]])
    vote(built)
    accept(built)
    Judgment.objects.filter(assignment__item=built.items[0]).delete()
    for _ in range(2):  # counting again does not make it go
        run = vote(built)
        verdict = Verdict.objects.get(item=built.items[0])
        assert (verdict.value, verdict.method, verdict.votes, verdict.decided_at) == (None, "unresolved", [], None)
        assert verdict.reopened_at is not None
        assert verdict.reopened_from is not None
        assert (verdict.reopened_from["value"], run.cleared, run.counts["reopened"]) == (2, 0, 1)
    assert Verdict.objects.get(item=built.items[1]).decided_at is not None
    assert list(queue_of(built.criterion, "open")) == [Verdict.objects.get(item=built.items[0])]


def test_other_rules_move_every_verdict_on() -> None:
    built = build_campaign([[0, 0, 0], [0, 1, 2], [0, 1, 2]])
    vote(built)
    by_hand = Verdict.objects.get(item=built.items[1])
    decide_verdict(verdict=by_hand, value=1, by=built.people["adjudicator"], at=AT + timedelta(days=1))
    accept(built)
    run = vote(built, ties="median", min_votes=3)
    assert set(Verdict.objects.values_list("vote_run", flat=True)) == {run.pk}
    assert Verdict.objects.filter(decided_at__isnull=False, reopened_at=None).count() == 2
    by_hand.refresh_from_db()
    withdraw_decision(verdict=by_hand, by=built.people["adjudicator"], at=AT + timedelta(days=2))
    by_hand.refresh_from_db()
    assert (by_hand.value, by_hand.method) == (1, "tie-policy")


def test_other_voters_alone_reopen_no_decision_by_hand() -> None:
    built = build_campaign([[0, 1, 2, 1], [0, 1, 2, 1]], machines=[("m-1", "m", 1)])
    vote(built)
    for item in built.items:
        decide_verdict(
            verdict=Verdict.objects.get(item=item), value=1, by=built.people["adjudicator"], at=AT + timedelta(days=1)
        )
    built.label(built.items[1], "ana", 2, repeat=1, at=AT + timedelta(days=2))  # a hidden repeat is no vote
    vote(built, voters="all")
    assert list(Verdict.objects.values_list("n_votes", "reopened_at")) == [(4, None)] * 2
    assert not queue_of(built.criterion, "reopened").exists()
    other = Judgment.objects.get(assignment__item=built.items[0], assignment__annotator=built.annotators["m-1"])
    Judgment.objects.filter(pk=other.pk).update(value=0)
    vote(built, voters="all")
    assert [row.item for row in Verdict.objects.exclude(reopened_at=None)] == [built.items[0]]


def test_a_count_says_of_decisions_by_hand_whether_machines_differ() -> None:
    built = build_campaign([[0, 1, 2, None]], machines=[("m-1", "m", 1)])
    vote(built)
    decide(built, 2)
    built.label(built.items[0], "m-1", 1, at=AT + timedelta(days=2))
    vote(built)
    assert Verdict.objects.get().machine_differs
    Judgment.objects.filter(assignment__annotator=built.annotators["m-1"]).update(value=2)
    vote(built)
    assert not Verdict.objects.get().machine_differs


def test_only_a_change_of_the_value_is_noted_as_a_change() -> None:
    built = build_campaign([[2, 2, None]], overlap=2)
    vote(built)
    before = Verdict.objects.get().changed_at
    assert before is not None
    built.label(built.items[0], "cai", 1)
    vote(built)
    assert Verdict.objects.get().changed_at == before
    decide(built, 2)
    assert Verdict.objects.get().changed_at == before
    decide_verdict(
        verdict=Verdict.objects.get(),
        value=1,
        by=built.people["adjudicator"],
        at=AT + timedelta(days=3),
        seen=AT + timedelta(days=1),
    )
    changed = Verdict.objects.get().changed_at
    assert changed is not None
    assert changed > before
