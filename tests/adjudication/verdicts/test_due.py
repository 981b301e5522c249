"""Votes that are counted without being asked for: on questions that are rated, once no rating is missing."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent, JobState
from adjudication.agreement.requests import request_vote
from adjudication.labels.counts import fetch_vote_standing
from adjudication.models import Method, Verdict, VoteRun
from adjudication.verdicts.due import start_due
from corpus.models import Collection, ImportRun
from tests.factories.accounts import AT
from tests.factories.adjudication import build_campaign
from tests.factories.rubrics import Rubric, build_rubric, rate, rating, send

pytestmark = pytest.mark.django_db

LATER = AT + timedelta(minutes=2)


@pytest.fixture
def rubric() -> Rubric:
    """Two people rate three questions; the last rating is missing."""
    found = build_rubric(people=("ana", "ben"), overlap=2)
    for person, number in (("ana", "q1"), ("ana", "q2"), ("ana", "q3"), ("ben", "q1"), ("ben", "q2")):
        rate(found, person, number)
    return found


def counted() -> list[VoteRun]:
    """The counts that a look at this moment queues, carried out."""
    before = list(VoteRun.objects.values_list("pk", flat=True))
    start_due(LATER)
    runs = list(VoteRun.objects.exclude(pk__in=before))
    for run in runs:
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.DONE, run.reason
    return runs


def test_the_last_rating_that_is_needed_lets_the_votes_be_counted_once(rubric: Rubric, client: Client) -> None:
    assert counted() == [], "a rating is missing"
    client.force_login(rubric.people["ada"])
    screen = reverse("adjudication_screen", args=["signs", rubric.campaign.slug])
    assert "counted automatically, within a minute of the last judgment that is needed" in client.get(screen).text
    rate(rubric, "ben", "q3", quality=1)
    [run] = counted()
    assert (run.campaign, run.ties, run.min_votes) == (rubric.campaign, "adjudicate", 2)
    assert AuditEvent.objects.get(verb="request_vote").actor == "system"
    [tie] = Verdict.objects.filter(method=Method.UNRESOLVED)
    assert (tie.item.topic.number, tie.criterion.key) == ("q3", "quality")  # type: ignore[union-attr]
    page = client.get(screen + "?criterion=quality").text
    assert "Where can I find an overview of signed language data sets?" in page
    assert "No votes have been counted yet" not in page
    assert counted() == [], "nothing has changed"
    other = " ".join(re.sub("<[^>]+>", "", client.get(screen).text).split())
    assert "No item is open for “Specificity”. Items are open for “Quality”." in other
    assert "Specificity 0 to decide Quality 1 to decide" in other


def test_what_is_rated_again_is_counted_by_the_rules_that_were_chosen(rubric: Rubric) -> None:
    first = rate(rubric, "ben", "q3")
    jobs.carry_out(request_vote(campaign=rubric.campaign, by=None, at=AT, ties="lowest", min_votes=1, send=False))
    assert counted() == [], "somebody has counted already"
    taken_back = rating(rubric.assignment("ben", "q3"), None, None, kind="undo", base=first.uuid)
    send(rubric, "ben", taken_back)
    assert counted() == [], "a rating is missing again"
    rate(rubric, "ben", "q3", quality=1, base=taken_back.uuid)
    [run] = counted()
    assert (run.ties, run.min_votes) == ("lowest", 1)
    assert not fetch_vote_standing(rubric.campaign).is_stale


def test_it_waits_for_somebody_where_a_person_has_to_decide(rubric: Rubric) -> None:
    rate(rubric, "ben", "q3")
    Collection.objects.update(archived_at=AT)
    assert counted() == [], "archived"
    Collection.objects.update(archived_at=None)
    facts = {"parameters": {"campaign": rubric.campaign.pk}, "requested_at": AT, "finished_at": AT}
    brought = ImportRun.objects.create(collection=rubric.collection, kind="judgments", state=JobState.DONE, **facts)
    assert counted() == [], "the import could no longer be undone"
    brought.delete()
    failed = VoteRun.objects.create(campaign=rubric.campaign, state=JobState.FAILED, requested_at=AT)
    assert counted() == [], "it would fail again"
    failed.delete()
    assert len(counted()) == 1


def test_pairs_wait_for_who_chooses_the_rules() -> None:
    build_campaign([[0, 1, 1], [2, 2, 2]])
    assert counted() == []
