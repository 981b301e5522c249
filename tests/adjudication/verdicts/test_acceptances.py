"""Very many votes accepted by a job: step by step, resumed, cancelled, and what one request would have done."""

import random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts import jobs
from accounts.actions import cancel_job
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict, NotAllowed
from adjudication.labels.queue import acceptable, latest_acceptance
from adjudication.models import Verdict, VoteAcceptance
from adjudication.verdicts import acceptances
from adjudication.verdicts.acceptances import accept_in_steps, request_acceptance, request_undoing
from adjudication.verdicts.decisions import accept_votes, decide_verdict
from corpus import long_lists
from corpus.models import Membership
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db
METHODS = ["unanimous", "majority"]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Built:
    """Forty items with random labels of three people, of whom one adjudicates; some decided, some with newer votes."""
    monkeypatch.setattr(acceptances, "AT_ONCE", 4)
    draw = random.Random(7)
    labels = [[draw.choice([0, 0, 1, 2]), draw.choice([0, 0, 1]), draw.choice([0, 1, None])] for _ in range(40)]
    built = build_campaign(labels, topics=4)
    vote(built, min_votes=2)
    judge = built.people["adjudicator"]
    for verdict in Verdict.objects.order_by("item")[:5]:
        decide_verdict(verdict=verdict, value=1, by=judge, at=timezone.now(), comment="So it is.")
    built.label([item for item, row in zip(built.items, labels, strict=True) if row[2] is None][-1], "cai", 2)
    return built


def ask(built: Built, **more: Any) -> VoteAcceptance:
    chosen = {"criterion": built.criterion, "methods": METHODS, "by": built.people["adjudicator"]} | more
    return request_acceptance(**chosen, at=timezone.now(), send=False)


def work(job: Any) -> Any:
    jobs.carry_out(job)
    job.refresh_from_db()
    return job


def accepted() -> set[int]:
    return set(Verdict.objects.filter(decided_at__isnull=False).exclude(method="by-hand").values_list("pk", flat=True))


@pytest.mark.parametrize("narrowed", [{}, {"value": 0}, {"methods": ["majority"]}])
def test_steps_accept_what_one_request_accepts(built: Built, narrowed: dict[str, Any]) -> None:
    """Of the same data: the job's votes are those of `accept_votes`, and its events add up to them."""
    judge = built.people["adjudicator"]
    chosen = {"criterion": built.criterion, "methods": METHODS} | narrowed
    expected = acceptable(**chosen, user=judge).count()
    assert expected > 4
    accept_votes(**chosen, by=judge, at=timezone.now(), expected=expected)
    at_once = accepted()
    Verdict.objects.filter(pk__in=at_once).update(decided_by=None, decided_at=None)
    job = work(ask(built, **narrowed))
    assert (job.state, job.changed, job.total) == (JobState.DONE, expected, expected)
    assert accepted() == at_once
    events = AuditEvent.objects.filter(verb="accept_votes", data__has_key="methods").order_by("pk")[1:]
    accepted_each = [event.data["accepted"] for event in events]
    assert (max(accepted_each), sum(accepted_each)) == (4, expected)
    assert {event.actor for event in events} == {judge.email}


def test_a_killed_worker_loses_no_step_and_does_none_twice(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    job = ask(built)
    expected = acceptable(built.criterion, METHODS, user=built.people["adjudicator"]).count()

    class Killed(BaseException):
        pass

    step, calls = acceptances._accept_some, []

    def dies(job: VoteAcceptance) -> bool:
        if len(calls) == 2:
            raise Killed
        calls.append(job.changed)
        return step(job)

    monkeypatch.setattr(acceptances, "_accept_some", dies)
    with pytest.raises(Killed):
        accept_in_steps(job, jobs.Progress(job))
    monkeypatch.setattr(acceptances, "_accept_some", step)
    assert len(accepted()) == VoteAcceptance.objects.get().changed == 8
    assert work(VoteAcceptance.objects.get()).changed == len(accepted()) == expected
    accepted_each = AuditEvent.objects.filter(verb="accept_votes").values_list("data__accepted", flat=True)
    assert sum(accepted_each) == expected


def test_cancelling_keeps_what_is_accepted_and_a_job_undoes_it(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    job, step, judge = ask(built), acceptances._accept_some, built.people["adjudicator"]

    def cancelled(job: VoteAcceptance) -> bool:
        cancel_job(job=VoteAcceptance.objects.get(pk=job.pk), by=judge, at=timezone.now())
        return step(job)

    monkeypatch.setattr(acceptances, "_accept_some", cancelled)
    monkeypatch.setattr("accounts.job_kinds.REPORT_EVERY", 0)
    assert work(job).state == JobState.CANCELLED
    assert job.reason == "Cancelled. 4 votes are accepted; that can be undone."
    last = latest_acceptance(built.campaign, judge)
    assert last is not None
    assert (last.at, last.count) == (job.requested_at, 4)
    undoing = request_undoing(campaign=built.campaign, accepted_at=last.at, by=judge, at=timezone.now(), send=False)
    assert (work(undoing).changed, accepted()) == (4, set())
    assert Verdict.objects.filter(method="by-hand").count() == 5, "decisions by hand stay"
    assert AuditEvent.objects.get(verb="undo_acceptance").data["undone"] == 4


def test_a_new_count_ends_it_and_says_so(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    job, step = ask(built), acceptances._accept_some

    def counted(job: VoteAcceptance) -> bool:
        vote(built, min_votes=2)
        return step(job)

    step(job)
    monkeypatch.setattr(acceptances, "_accept_some", counted)
    work(job)
    assert job.state == JobState.FAILED
    assert "counted again meanwhile. 4 votes were accepted before" in job.reason


def test_who_may_not_adjudicate_any_more_accepts_nothing_more(built: Built) -> None:
    job = ask(built)
    with pytest.raises(Conflict, match="being accepted"):
        ask(built)
    Membership.objects.filter(user=built.people["adjudicator"]).update(role="viewer")
    assert (work(job).state, accepted()) == (JobState.FAILED, set())
    with pytest.raises(NotAllowed):
        ask(built)


def test_the_page_hands_very_many_to_the_job(built: Built, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_lists, "MOST_COUNTED", 6)
    client.force_login(built.people["adjudicator"])
    address = "/c/tea/campaigns/main/adjudication/acceptance/"
    page = client.get(address, {"which": "all"}).text
    assert "<strong>More than 6</strong> votes on" in page
    assert ">Accept all</button>" in page
    sent = client.post(address, {"methods": METHODS, "expected": "7"})
    job = work(VoteAcceptance.objects.get())
    assert sent["Location"] == f"/jobs/acceptances/{job.pk}/"
    page = client.get(sent["Location"]).text
    assert f"{job.changed} votes accepted." in page
    page = client.get(address).text
    assert "You accepted more than 6 votes on" in page
    moment = page.split('name="accepted_at" value="')[1].split('"')[0]
    sent = client.post(f"{address}undo/", {"accepted_at": moment})
    undone = work(VoteAcceptance.objects.latest("pk"))
    assert (undone.changed, accepted()) == (job.changed, set())
    assert "Acceptance undone in" in client.get(sent["Location"]).text
