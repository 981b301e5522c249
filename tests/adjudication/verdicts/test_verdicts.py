"""Decisions by hand, withdrawing, bulk acceptance, what late answers reopen; who may not."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import Conflict, NotAllowed, Refused
from adjudication.labels import queue as queues
from adjudication.labels.ballots import fetch_ballots, letter
from adjudication.labels.queue import (
    FILTERS,
    count_some_of_queue,
    fetch_queue,
    latest_acceptance,
    queue_counts,
    queue_of,
)
from adjudication.models import Cause, Method, Verdict
from adjudication.procedure import waiting_for
from adjudication.procedures import votes as procedure
from adjudication.verdicts.decisions import accept_votes, decide_verdict, undo_acceptance, withdraw_decision
from adjudication.verdicts.pages import adjudication as screen
from annotation.models import Assignment, AssignmentState, Item, WorkSummary
from corpus import long_lists
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(days=1)
LABELS = [[0, 0, 0], [1, 1, 2], [0, 1, 2], [2, 0, None], [2, None, None]]


def verdict_of(built: Built, place: int) -> Verdict:
    return Verdict.objects.get(item=built.items[place])


def test_a_decision_is_stored_with_who_when_why_and_the_votes(built: Built) -> None:
    judge = built.people["adjudicator"]
    verdict = decide_verdict(
        verdict=verdict_of(built, 2), value=1, by=judge, at=LATER, cause=Cause.EDGE, comment=" So. "
    )
    verdict.refresh_from_db()
    assert (verdict.value, verdict.method, verdict.decided_by, verdict.decided_at) == (1, Method.BY_HAND, judge, LATER)
    assert (verdict.cause, verdict.comment, verdict.n_votes) == (Cause.EDGE, "So.", 3)
    event = AuditEvent.objects.get(verb="decide_verdict")
    assert (event.actor, event.scope, event.data["value"]) == (judge.email, "tea", 1)


def test_a_value_nobody_voted_for_needs_a_comment(built: Built) -> None:
    judge = built.people["adjudicator"]
    with pytest.raises(Refused, match="Nobody voted"):
        decide_verdict(verdict=verdict_of(built, 3), value=1, by=judge, at=LATER, comment="  ")
    decide_verdict(verdict=verdict_of(built, 3), value=1, by=judge, at=LATER, comment="Between the two.")
    assert verdict_of(built, 3).value == 1


def test_refused_decisions(built: Built) -> None:
    judge = built.people["adjudicator"]
    with pytest.raises(Refused, match="not a level"):
        decide_verdict(verdict=verdict_of(built, 2), value=7, by=judge, at=LATER, comment="x")
    with pytest.raises(Refused, match="causes"):
        decide_verdict(verdict=verdict_of(built, 2), value=1, by=judge, at=LATER, cause="weather")
    for name in ("viewer", "annotator", "ana"):
        with pytest.raises(NotAllowed):
            decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people[name], at=LATER)
    assert verdict_of(built, 2).value is None


def test_two_adjudicators_do_not_overwrite_each_other(built: Built) -> None:
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["adjudicator"], at=LATER)
    with pytest.raises(Conflict, match="Someone else decided"):
        decide_verdict(verdict=verdict_of(built, 2), value=2, by=built.people["manager"], at=LATER)
    again = LATER + timedelta(hours=1)
    decide_verdict(verdict=verdict_of(built, 2), value=2, by=built.people["manager"], at=again, seen=LATER)
    assert verdict_of(built, 2).value == 2


def make_role(built: Built, name: str, role: str) -> None:
    built.collection.memberships.filter(user=built.people[name]).update(role=role)


def test_nobody_adjudicates_an_item_they_judged(built: Built) -> None:
    make_role(built, "ana", "adjudicator")
    with pytest.raises(NotAllowed, match="judged this item yourself"):
        decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["ana"], at=LATER)
    with pytest.raises(NotAllowed):
        decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["ana"], at=LATER, override=True)


def test_a_manager_overrides_that_and_it_is_logged(built: Built) -> None:
    make_role(built, "ana", "manager")
    with pytest.raises(Refused, match="override"):
        decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["ana"], at=LATER)
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["ana"], at=LATER, override=True)
    assert AuditEvent.objects.get(verb="decide_verdict").data["override"] is True


def test_withdrawing_gives_the_item_back_to_the_vote(built: Built) -> None:
    judge = built.people["adjudicator"]
    before = (verdict_of(built, 1).value, verdict_of(built, 1).method)
    decide_verdict(verdict=verdict_of(built, 1), value=2, by=judge, at=LATER)
    withdraw_decision(verdict=verdict_of(built, 1), by=judge, at=LATER)
    verdict = verdict_of(built, 1)
    assert (verdict.value, verdict.method) == before
    assert (verdict.decided_by, verdict.decided_at, verdict.comment) == (None, None, "")
    with pytest.raises(Conflict, match="not decided, so there is nothing to undo"):
        withdraw_decision(verdict=verdict, by=judge, at=LATER)


def test_bulk_acceptance_and_its_undo(built: Built) -> None:
    judge = built.people["adjudicator"]
    count = accept_votes(criterion=built.criterion, methods=["unanimous", "majority"], expected=2, by=judge, at=LATER)
    assert count == 2
    assert set(Verdict.objects.filter(decided_by=judge).values_list("method", flat=True)) == {"unanimous", "majority"}
    accepted = latest_acceptance(built.campaign, judge)
    assert accepted is not None
    assert (accepted.at, accepted.count) == (LATER, 2)
    assert undo_acceptance(campaign=built.campaign, accepted_at=LATER, by=judge, at=LATER) == 2
    assert not Verdict.objects.filter(decided_by=judge).exists()
    with pytest.raises(Conflict):
        undo_acceptance(campaign=built.campaign, accepted_at=LATER, by=judge, at=LATER)


def test_undo_leaves_what_was_decided_since(built: Built) -> None:
    judge = built.people["adjudicator"]
    accept_votes(criterion=built.criterion, methods=["unanimous", "majority"], expected=2, by=judge, at=LATER)
    decide_verdict(
        verdict=verdict_of(built, 1), value=2, by=judge, at=LATER + timedelta(hours=1), seen=LATER, comment="Really."
    )
    assert undo_acceptance(campaign=built.campaign, accepted_at=LATER, by=judge, at=LATER) == 1
    assert verdict_of(built, 1).method == Method.BY_HAND


def test_acceptance_that_changed_since_the_preview_is_refused(built: Built) -> None:
    judge = built.people["adjudicator"]
    with pytest.raises(Conflict, match="preview"):
        accept_votes(criterion=built.criterion, methods=["unanimous"], expected=7, by=judge, at=LATER)
    with pytest.raises(Refused, match="Choose"):
        accept_votes(criterion=built.criterion, methods=["unresolved"], expected=1, by=judge, at=LATER)
    make_role(built, "ana", "adjudicator")
    with pytest.raises(Conflict, match="0 such items"):  # ana judged them all
        accept_votes(criterion=built.criterion, methods=["unanimous"], expected=1, by=built.people["ana"], at=LATER)


def test_nobody_takes_back_a_decision_on_an_item_they_judged(built: Built) -> None:
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["adjudicator"], at=LATER)
    make_role(built, "ana", "adjudicator")
    with pytest.raises(NotAllowed, match="judged this item yourself"):
        withdraw_decision(verdict=verdict_of(built, 2), by=built.people["ana"], at=LATER, override=True)
    make_role(built, "ana", "manager")
    with pytest.raises(Refused, match="override"):
        withdraw_decision(verdict=verdict_of(built, 2), by=built.people["ana"], at=LATER)
    withdraw_decision(verdict=verdict_of(built, 2), by=built.people["ana"], at=LATER, override=True)
    assert AuditEvent.objects.get(verb="withdraw_decision").data["override"] is True
    assert verdict_of(built, 2).decided_at is None


def test_ones_own_decision_can_be_undone_without_asking(built: Built) -> None:
    make_role(built, "ana", "manager")
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["ana"], at=LATER, override=True)
    withdraw_decision(verdict=verdict_of(built, 2), by=built.people["ana"], at=LATER)
    assert verdict_of(built, 2).decided_at is None


def test_filters_of_the_queue(built: Built) -> None:
    counts = queue_counts(built.criterion)
    assert set(counts) == set(FILTERS)
    assert (counts["open"], counts["tie"], counts["few"], counts["majority"], counts["decided"]) == (2, 2, 1, 1, 0)
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["adjudicator"], at=LATER)
    built.label(built.items[3], "cai", 1, at=LATER)
    counts = queue_counts(built.criterion)
    assert (counts["open"], counts["decided"], counts["reopened"]) == (1, 1, 0)


@pytest.mark.parametrize("is_large", [False, True])
def test_filters_that_hold_the_same_are_one(built: Built, client: Client, is_large: bool) -> None:
    if is_large:
        WorkSummary.objects.create(
            campaign=built.campaign, requested_at=LATER, counted_at=LATER, progress={"size": 10**6}
        )
    screen = reverse("adjudication_screen", args=[built.collection.slug, built.campaign.slug])
    client.force_login(built.people["adjudicator"])

    def offered(query: str = "") -> dict[str, tuple[str, bool]]:
        filters = client.get(screen + query).context["filters"]
        return {label: (count, is_chosen) for label, count, _, is_chosen in filters}

    few, majority = {"Too few votes": ("1", False)}, {"Majority, to check": ("1", False)}
    ties = {"Needs a decision": ("2", True)}
    assert offered() == offered("?filter=tie") == {**ties, **majority, **few}  # as many, and not the same
    decide_verdict(verdict=verdict_of(built, 3), value=2, by=built.people["adjudicator"], at=LATER)
    built.label(built.items[3], "cai", 0, at=LATER)
    found = offered()  # a tie and the reopened one: now all three differ
    reopened = {label: found[label] for label in ("Needs a decision", "Tied", "Reopened")}
    assert reopened == {"Needs a decision": ("2", True), "Tied": ("1", False), "Reopened": ("1", False)}
    assert "Decided" not in found  # it is the reopened one


def test_only_the_decision_that_was_meant_is_taken_back(built: Built) -> None:
    decide_verdict(verdict=verdict_of(built, 2), value=1, by=built.people["adjudicator"], at=LATER)
    again = LATER + timedelta(hours=1)
    decide_verdict(verdict=verdict_of(built, 2), value=2, by=built.people["manager"], at=again, seen=LATER)
    with pytest.raises(Conflict, match="Another decision"):
        withdraw_decision(verdict=verdict_of(built, 2), by=built.people["adjudicator"], at=again, seen=LATER)
    assert verdict_of(built, 2).value == 2
    withdraw_decision(verdict=verdict_of(built, 2), by=built.people["adjudicator"], at=again, seen=again)
    assert verdict_of(built, 2).decided_at is None


@pytest.mark.usefixtures("_free_address")
def test_a_decision_says_whether_machines_differ_from_it() -> None:
    found = build_campaign([[0, 1, 2, 1]], machines=[("m-1", "m", 1)])
    vote(found)
    judge, verdict = found.people["adjudicator"], verdict_of(found, 0)
    assert not verdict.machine_differs  # it is among the votes
    decide_verdict(verdict=verdict, value=2, by=judge, at=LATER)
    assert verdict_of(found, 0).machine_differs
    decide_verdict(verdict=verdict, value=1, by=judge, at=LATER, seen=LATER)
    assert not verdict_of(found, 0).machine_differs
    withdraw_decision(verdict=verdict, by=judge, at=LATER)
    assert not verdict_of(found, 0).machine_differs


@pytest.mark.parametrize("is_large", [False, True])
def test_the_queue_goes_on_from_an_item_that_left_it(built: Built, is_large: bool) -> None:
    queue = fetch_queue(built.criterion, "open", is_large=is_large)
    first, second = queue.first(3)
    following = queue.next_after(first)
    decide_verdict(verdict=first, value=2, by=built.people["adjudicator"], at=LATER)
    assert following == second
    assert queue.next_after(second) is None
    assert queue.previous_to(first) is None


@pytest.mark.usefixtures("_free_address")
@pytest.mark.slow
def test_a_large_queue_in_parts_is_the_same_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ties, a reopened one, one with newer votes, one sent back: under every filter, forward and back."""
    labels: list[list[int | None]] = [[0, 1, None], [1, 2, None], [0, 0, 1], [2, 2, 2], [0, 2, None], [1, None, None]]
    found = build_campaign(labels * 2, overlap=2)
    vote(found)
    judge = found.people["adjudicator"]
    for place in (0, 1, 2):
        decide_verdict(verdict=verdict_of(found, place), value=2, by=judge, at=LATER, comment="So it is.")
    found.label(found.items[0], "cai", 1, at=LATER)
    vote(found)
    found.label(found.items[1], "cai", 1, at=LATER)
    Item.objects.filter(pk=found.items[4].pk).update(extra_overlap=1)
    Assignment.objects.create(
        item=found.items[4], annotator=found.annotators["cai"], state=AssignmentState.PENDING, slot=3
    )
    sizes = {}
    for name in (*FILTERS, "nonsense"):
        whole, parts = (fetch_queue(found.criterion, name, is_large=is_large) for is_large in (False, True))
        rows = whole.first(99)
        assert parts.first(99) == rows, name
        assert [row.late for row in parts.first(99)] == [row.late for row in rows], name  # type: ignore[attr-defined]
        assert parts.first(2) == rows[:2]
        for verdict in Verdict.objects.filter(item__campaign=found.campaign):
            assert parts.next_after(verdict) == whole.next_after(verdict), name
            assert parts.previous_to(verdict) == whole.previous_to(verdict), name
        sizes[name] = len(rows)
    assert all(sizes[name] for name in ("open", "tie", "reopened", "few", "majority", "decided", "sent")), sizes
    assert count_some_of_queue(found.criterion) == queue_counts(found.criterion)
    monkeypatch.setattr(long_lists, "MOST_COUNTED", 2)
    some = count_some_of_queue(found.criterion, names=["open", "sent"])
    assert some == {"open": 3, "sent": 1}
    monkeypatch.setattr(queues, "FEW_NEWER", 0)
    assert fetch_queue(found.criterion, "reopened", is_large=True).first(9) == list(
        queue_of(found.criterion, "reopened")
    )


@pytest.mark.slow
def test_a_large_campaign_says_of_its_queue_at_least_how_long_it_is(
    built: Built, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("adjudication_screen", args=[built.collection.slug, built.campaign.slug])
    client.force_login(built.people["adjudicator"])
    live = client.get(address)
    WorkSummary.objects.create(
        campaign=built.campaign, requested_at=LATER, counted_at=LATER, progress={"size": 1_000_000}
    )
    large = client.get(address)
    assert large.context["filters"] == live.context["filters"]
    assert large.context["queue"] == live.context["queue"]
    assert [each.text for each in waiting_for(built.people["adjudicator"])] == [
        "The votes leave 2 items open: ties, and decisions that newer votes have reopened."
    ]
    for module in (long_lists, screen, procedure):
        monkeypatch.setattr(module, "MOST_COUNTED", 1)
    assert ("Needs a decision", "1+") in [(label, count) for label, count, *_ in client.get(address).context["filters"]]
    assert [each.text.split(":")[0] for each in waiting_for(built.people["adjudicator"])] == [
        "The votes leave more than 1 items open"
    ]


def test_votes_have_letters_in_a_stable_order_that_hides_names(built: Built) -> None:
    seen = {tuple(ballot.annotator for ballot in fetch_ballots(verdict_of(built, place)).people) for place in range(3)}
    again = {tuple(ballot.annotator for ballot in fetch_ballots(verdict_of(built, place)).people) for place in range(3)}
    assert seen == again
    assert [ballot.letter for ballot in fetch_ballots(verdict_of(built, 0)).people] == ["A", "B", "C"]
    assert [letter(place) for place in (0, 25, 26, 52)] == ["A", "Z", "A2", "A3"]


@pytest.mark.usefixtures("_free_address")
def test_order_of_letters_differs_between_items() -> None:
    built = build_campaign([[0, 1, 2]] * 20)
    vote(built)
    orders = {tuple(b.annotator for b in fetch_ballots(verdict).people) for verdict in Verdict.objects.all()}
    assert len(orders) > 1
