"""Votes on ratings, and the page of the question set."""

from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import JobState
from adjudication.agreement.requests import request_vote
from adjudication.models import VoteRun
from annotation.models import Campaign
from tests.factories.accounts import AT
from tests.factories.rubrics import Rubric


def count(campaign: Campaign, **rules: object) -> VoteRun:
    """A count of its votes, as `adjudicate` makes it."""
    run = request_vote(campaign=campaign, by=None, at=AT, send=False, **rules)  # type: ignore[arg-type]
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


# --- the page ---------------------------------------------------------------------------------------------------------


def page(rubric: Rubric, person: str, **query: str):
    client = Client()
    client.force_login(rubric.people[person])
    return client.get(reverse("question_set", args=["signs"]), query)
