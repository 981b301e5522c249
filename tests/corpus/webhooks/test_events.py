"""What is reported: by the action that did it, in its transaction, to the webhooks that want it; never a label."""

import json
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from adjudication.agreement.requests import request_vote
from adjudication.models import Verdict
from adjudication.verdicts import announcing
from adjudication.verdicts.decisions import decide_verdict, withdraw_decision
from annotation.campaigns.lifecycle import close_campaign, open_campaign
from corpus.models import Event, Webhook, WebhookDelivery
from tests.adjudication.releases.releasing import freeze
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import AT, CollectionFactory
from tests.factories.adjudication import Built, build_campaign
from tests.factories.webhooks import WebhookFactory
from tests.printed import ROOT

pytestmark = pytest.mark.django_db


def reported(event: str = "") -> list[dict[str, Any]]:
    """The data of the messages of this type, or of all, without those of jobs."""
    rows = WebhookDelivery.objects.order_by("pk")
    rows = rows.filter(event=event) if event else rows.exclude(event__startswith="job.")
    return [json.loads(each.payload)["data"] for each in rows]


@pytest.fixture
def built() -> Built:
    """Three items: unanimous, majority, undecided."""
    found = build_campaign([[2, 2, 2], [1, 1, 0], [0, 1, 2]])
    WebhookFactory(collection=found.collection)
    return found


def test_a_campaign_opened_and_finished(built: Built) -> None:
    close_campaign(campaign=built.campaign, by=None, at=AT)
    open_campaign(campaign=built.campaign, by=None, at=AT)
    rows = WebhookDelivery.objects.order_by("pk")
    assert list(rows.values_list("event", flat=True)) == ["campaign.closed", "campaign.opened"]
    assert reported()[0] == {
        "collection": "tea",
        "campaign": "main",
        "links": {
            "page": "http://localhost:8000/c/tea/campaigns/main/",
            "api": "http://localhost:8000/api/collections/tea/campaigns/main/",
        },
    }


def test_what_is_rolled_back_is_not_reported(built: Built) -> None:
    with transaction.atomic():
        close_campaign(campaign=built.campaign, by=None, at=AT)
        assert len(reported()) == 1
        transaction.set_rollback(True)
    assert reported() == []


def test_only_webhooks_of_the_collection_that_are_on_and_want_it(built: Built) -> None:
    Webhook.objects.update(events=["campaign.opened"])
    WebhookFactory(collection=built.collection, off_at=AT)
    WebhookFactory(collection=CollectionFactory())
    close_campaign(campaign=built.campaign, by=None, at=AT)
    assert reported() == []
    both = WebhookFactory(collection=built.collection), Webhook.objects.order_by("pk").first()
    open_campaign(campaign=built.campaign, by=None, at=AT)
    assert {each.webhook for each in WebhookDelivery.objects.all()} == set(both)
    assert len({each.message for each in WebhookDelivery.objects.all()}) == 2


def test_a_job_that_ended(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    done = vote(built)
    [report] = reported("job.done")
    assert (report["kind"], report["job"]) == ("votes", done.pk)
    assert {name: path[-len(f"/votes/{done.pk}/") :] for name, path in report["links"].items()} == dict.fromkeys(
        ("page", "api"), f"/votes/{done.pk}/"
    )
    cancelled = request_vote(campaign=built.campaign, by=None, at=timezone.now(), send=False)
    jobs.cancel(cancelled, at=timezone.now())
    jobs.cancel(cancelled, at=timezone.now())
    assert [each["job"] for each in reported("job.cancelled")] == [cancelled.pk]
    failed = request_vote(campaign=built.campaign, by=None, at=timezone.now(), send=False)
    monkeypatch.setattr(jobs, "MOST_ATTEMPTS", 0)
    jobs.carry_out(failed)
    failed.refresh_from_db()
    assert failed.state == JobState.FAILED
    assert [each["job"] for each in reported("job.failed")] == [failed.pk]


def test_verdicts_changed_by_a_count_are_one_message_and_rest_has_them(
    built: Built, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    monkeypatch.setattr(announcing, "MOST", 1)
    vote(built)
    [report] = reported("verdict.changed")
    decided = (
        Verdict.objects.filter(criterion=built.criterion, value__isnull=False)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    assert (report["campaign"], report["changed"], report["cleared"]) == ("main", 2, 0)
    assert report["verdicts"] == list(decided[:1])
    client.force_login(built.people["manager"])
    address = report["links"]["api"].removeprefix("http://localhost:8000")
    assert [each["id"] for each in client.get(address).json()["results"]] == list(decided)
    later = address.partition("=")[0] + "=2999-01-01T00:00:00Z"
    assert client.get(later).json()["results"] == []
    assert client.get(later.replace("2999", "soon")).status_code == 400


def test_a_verdict_changed_by_hand_says_which_and_not_what_to(built: Built) -> None:
    vote(built)
    WebhookDelivery.objects.all().delete()
    undecided = Verdict.objects.get(value=None)
    by = built.people["adjudicator"]
    decide_verdict(verdict=undecided, value=2, by=by, at=AT, comment="Read it.", cause="edge")
    [report] = reported("verdict.changed")
    assert report["verdicts"] == [undecided.pk]
    assert report.keys() == {"collection", "campaign", "changed", "cleared", "verdicts", "links"}
    undecided.refresh_from_db()
    withdraw_decision(verdict=undecided, by=by, at=AT)
    assert len(reported("verdict.changed")) == 2
    accepted = Verdict.objects.get(value=1)  # decided as the votes have it: nothing has changed
    decide_verdict(verdict=accepted, value=1, by=by, at=AT)
    assert len(reported("verdict.changed")) == 2


def test_a_release_is_reported_once_rest_has_it(built: Built) -> None:
    vote(built)
    release = freeze(built, force="A test.")
    [report] = reported("release.frozen")
    assert (report["release"], report["manifest_sha256"]) == (release.name, release.manifest_sha256)
    assert report["links"]["api"].endswith(f"/api/collections/tea/releases/{release.name}/")
    events = list(WebhookDelivery.objects.order_by("pk").values_list("event", flat=True))
    assert sorted(events[-2:]) == ["job.done", "release.frozen"]


def test_every_event_is_documented() -> None:
    page = (ROOT / "docs/how-to/webhooks.md").read_text()
    assert [each for each in Event.values if f"`{each}`" not in page] == []
