"""Counts of votes over random labels, in many small steps, against the rule asked item by item."""

import random
from typing import Any

import pytest
from django.utils import timezone

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import JobState
from accounts.sql import execute
from adjudication.agreement.requests import request_vote
from adjudication.labels.ballots import current_votes
from adjudication.labels.counts import fetch_vote_standing
from adjudication.labels.queue import acceptable
from adjudication.models import Verdict, VoteRun
from adjudication.verdicts import votes
from adjudication.verdicts.decisions import accept_votes, decide_verdict
from adjudication.verdicts.votes import settle, share_equal
from annotation.models import Assignment, Judgment, Submission
from engines.stats.policies import offered_policies
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db
SCALE = [0, 1, 2]


def build(seed: int) -> tuple[Built, random.Random]:
    """Eighteen items with random labels of three people and two machines, some of them missing; weights that differ."""
    draw = random.Random(seed)
    labels = [[draw.choice([0, 0, 1, 2, None]) for _ in range(5)] for _ in range(18)]
    built = build_campaign(labels, machines=[("m", "m", 1), ("n", "n", 1)], topics=3)
    for weight, annotator in zip((1, 2.5, 0.5, 1, 3), built.annotators.values(), strict=True):
        annotator.weight = weight
        annotator.save()
    return built, draw


def check(run: VoteRun) -> None:
    """Every verdict that no hand has given is what the rule gives its votes, and every item with a vote has one."""
    found = {
        one.item_id: one for one in Verdict.objects.filter(item__campaign=run.campaign).select_related("criterion")
    }
    criterion = run.campaign.criteria.get()
    for item in run.campaign.items.values_list("pk", flat=True):
        given = current_votes(item, criterion.pk, run)
        if not given:
            assert item not in found or found[item].decided_at or found[item].reopened_at
            continue
        verdict = found[item]
        if verdict.method != "by-hand":
            assert (verdict.value, verdict.method) == settle(given, SCALE, run)
            assert (verdict.votes, verdict.n_votes) == (given, len(given))
            assert verdict.agreement == pytest.approx(share_equal([value for _, value in given]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weighted", "voters"), [(False, "humans"), (True, "humans"), (False, "machines"), (True, "all")]
)
@pytest.mark.parametrize("ties", [name for name, _ in offered_policies()])
def test_every_rule_counts_as_item_by_item(
    ties: str, weighted: bool, voters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a second time, after labels came and went, votes were accepted and items decided."""
    monkeypatch.setattr(votes, "AT_ONCE", 4)
    monkeypatch.setattr(votes, "LINES", 3)
    built, draw = build(len(ties) + 10 * weighted + 100 * len(voters))
    rules: dict[str, Any] = {"ties": ties, "weighted": weighted, "voters": voters, "min_votes": 2}
    check(vote(built, **rules))
    before = {one.pk: one for one in Verdict.objects.all()}
    judge, methods = built.people["adjudicator"], ["unanimous", "majority"]
    many = acceptable(built.criterion, methods, user=judge).count()
    if many:
        accept_votes(criterion=built.criterion, methods=methods, expected=many, by=judge, at=timezone.now())
    for verdict in draw.sample(list(Verdict.objects.all()), 4):
        decide_verdict(verdict=verdict, value=1, by=judge, at=timezone.now(), comment="So.", seen=verdict.decided_at)
    decided = set(Verdict.objects.filter(decided_at__isnull=False).values_list("pk", flat=True))
    for judgment in draw.sample(list(Judgment.objects.order_by("pk")), 12):
        judgment.value = draw.choice(SCALE)
        judgment.save()
    gone = draw.sample(list(Assignment.objects.order_by("pk").values_list("pk", flat=True)), 6)
    Assignment.objects.filter(pk__in=gone).update(state="withdrawn", slot=None)
    run = vote(built, **rules)
    check(run)
    for verdict in Verdict.objects.exclude(method="by-hand"):
        same = (verdict.value, verdict.method, verdict.votes) == tuple(
            getattr(before[verdict.pk], name) for name in ("value", "method", "votes")
        )
        assert (verdict.decided_at is not None) == (verdict.pk in decided and same)
        assert (verdict.reopened_from is not None) == (verdict.pk in decided and not same)
        assert (verdict.changed_at != before[verdict.pk].changed_at) == (verdict.value != before[verdict.pk].value)


def test_a_count_that_changes_nothing_writes_to_no_verdict() -> None:
    built, _ = build(1)
    vote(built, min_votes=2)
    rows = "SELECT id, xmin::text, xmax::text FROM adjudication_verdict ORDER BY id"
    before = execute(rows)
    vote(built, min_votes=2)
    assert execute(rows) == before, "neither written nor locked"


def test_what_others_answered_before_a_count_is_not_looked_at_as_newer() -> None:
    """The count begins to look for newer answers behind those of every campaign, or each page would read them all."""
    built, _ = build(3)
    elsewhere = build_campaign([[1, 1, 1]], slug="sea")
    run = vote(built, min_votes=2)
    assert run.snapshot == Submission.objects.latest("pk").pk
    assert Submission.objects.latest("pk").assignment.item.campaign == elsewhere.campaign
    assert fetch_vote_standing(built.campaign).is_stale is False
    built.label(built.items[0], next(name for name in ("ana", "ben", "cai") if not _has(built, name)), 2)
    assert fetch_vote_standing(built.campaign).is_stale


def _has(built: Built, name: str) -> bool:
    return Assignment.objects.filter(item=built.items[0], annotator=built.annotators[name]).exists()


def test_a_count_cancelled_while_it_writes_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    built, _ = build(2)
    vote(built, min_votes=2)
    before = list(Verdict.objects.order_by("pk").values())
    monkeypatch.setattr(votes, "AT_ONCE", 4)
    monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
    run = request_vote(campaign=built.campaign, by=None, at=timezone.now(), ties="lowest", send=False)
    report, seen = jobs.Progress.report, []

    def cancelling(self: jobs.Progress, done: int, total: int | None = None, step: str = "") -> None:
        seen.append((done, step))
        if (done, step) == (3, "writing the verdicts"):
            cancel_job(job=VoteRun.objects.get(pk=run.pk), by=built.people["manager"], at=timezone.now())
        report(self, done, total, step)

    monkeypatch.setattr(jobs.Progress, "report", cancelling)
    jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, seen[-1]) == (JobState.CANCELLED, (3, "writing the verdicts"))
    assert list(Verdict.objects.order_by("pk").values()) == before
    monkeypatch.undo()
    check(vote(built, ties="lowest"))
