"""Machine answers that could not be parsed: a person decides the item or hands it on; the machine gets no grade."""

import pytest
from django.test import Client

from accounts.models import AuditEvent
from accounts.refusals import Refused
from adjudication.models import Verdict
from adjudication.verdicts.decisions import open_verdict
from annotation.models import AnnoCycle, Assignment, AssignmentState, Campaign, Judgment, UnparsedAnswer
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import AT, Built, build_campaign

pytestmark = pytest.mark.django_db
BASE = "/c/tea/campaigns/main/"
PAGE = f"{BASE}machines/unparsed/"
PARTICIPATION = f"{BASE}adjudication/"


@pytest.fixture
def built() -> Built:
    """Three people are in the campaign, ana has judged one of two items; of the other a machine said the unreadable."""
    found = build_campaign([[1, None, None, 0], [None] * 4], machines=[("gpt", "gpt", 1)])
    UnparsedAnswer.objects.create(
        annotator=found.annotators["gpt"],
        item=found.items[1],
        criterion=found.criterion,
        text="Grade <b>two</b>?",
        received_at=AT,
    )
    return found


def sign_in(built: Built, who: str = "adjudicator") -> Client:
    client = Client()
    client.force_login(built.people[who])
    return client


def open_it(client: Client, built: Built, place: int = 1) -> Verdict:
    """Opened from the list: on the adjudication screen, with the machine's words."""
    assert "nobody has decided" in client.get(PAGE).content.decode()
    item = built.items[place]
    answer = client.post(f"{PARTICIPATION}items/{item.pk}/opening/", {"criterion": "relevance"}, follow=True)
    assert answer.status_code == 200
    assert "1 invalid machine answer" in answer.content.decode()
    assert "Grade &lt;b&gt;two&lt;/b&gt;?" in answer.content.decode()
    return Verdict.objects.get(item=item)


@pytest.mark.slow
@pytest.mark.parametrize("counted", [False, True])
def test_an_adjudicator_decides_in_the_machines_place(built: Built, counted: bool) -> None:
    if counted:
        vote(built)
    client = sign_in(built)
    verdict = open_it(client, built)
    assert (verdict.value, verdict.method, verdict.votes) == (None, "unresolved", [])
    said = {"value": "2", "comment": "It says so.", "criterion": "relevance"}
    assert client.post(f"{PARTICIPATION}{verdict.pk}/decision/", said, follow=True).status_code == 200
    verdict.refresh_from_db()
    assert (verdict.value, verdict.method, verdict.decided_by) == (2, "by-hand", built.people["adjudicator"])
    assert "stands at 2" in client.get(PAGE).content.decode()
    mine = Assignment.objects.filter(annotator=built.annotators["gpt"], item=built.items[1])
    assert not mine.exclude(state=AssignmentState.PENDING).exists()
    assert not Judgment.objects.filter(assignment__in=mine).exists()
    vote(built)
    verdict.refresh_from_db()
    assert (verdict.value, verdict.method, verdict.reopened_at) == (2, "by-hand", None)
    assert Verdict.objects.get(item=built.items[0]).value is None, "the other item has one vote only"


def test_it_is_handed_to_a_person_instead(built: Built) -> None:
    client = sign_in(built)
    verdict = open_it(client, built)
    client.post(f"{PARTICIPATION}{verdict.pk}/judge/")
    (asked,) = Assignment.objects.filter(item=built.items[1], state=AssignmentState.PENDING, slot__isnull=False)
    assert asked.annotator is not None
    assert asked.annotator.kind == "human"
    assert "waits for a person" in client.get(PAGE).content.decode()


@pytest.mark.slow
def test_opened_and_left_alone_is_nothing_once_votes_are_counted(built: Built) -> None:
    verdict = open_it(sign_in(built), built)
    open_it(sign_in(built), built)
    assert AuditEvent.objects.filter(verb="open_item").count() == 1
    vote(built)
    assert not Verdict.objects.filter(pk=verdict.pk).exists()


def test_viewers_read_and_decide_nothing(built: Built) -> None:
    client = sign_in(built, "viewer")
    text = client.get(PAGE).content.decode()
    assert "Grade &lt;b&gt;two&lt;/b&gt;?" in text
    assert "opening" not in text
    assert (
        client.post(f"{PARTICIPATION}items/{built.items[1].pk}/opening/", {"criterion": "relevance"}).status_code == 403
    )
    assert not Verdict.objects.exists()


def test_while_the_campaign_is_sealed_nobody_opens_anything(built: Built) -> None:
    built.campaign.items.all().update(split="test")
    Campaign.objects.filter(pk=built.campaign.pk).update(split="test")
    dev = Campaign.objects.create(
        collection=built.collection, slug="dev", name="Dev", kind="relevance", split="dev", seed=1, created_at=AT
    )
    AnnoCycle.objects.create(
        collection=built.collection, number=1, criterion="relevance", dev=dev, margin=0.05, created_at=AT
    )
    client = sign_in(built, "manager")
    for answer in (
        client.get(PAGE),
        client.post(f"{PARTICIPATION}items/{built.items[1].pk}/opening/", {"criterion": "relevance"}),
    ):
        assert (answer.status_code, "Grade" in answer.content.decode()) == (403, False)


def test_items_of_other_campaigns_stay_where_they_are(built: Built) -> None:
    other = build_campaign([[1, 1, 1]], slug="coffee")
    client = sign_in(built)
    assert (
        client.post(f"{PARTICIPATION}items/{other.items[0].pk}/opening/", {"criterion": "relevance"}).status_code == 404
    )
    with pytest.raises(Refused, match="another campaign"):
        open_verdict(item=other.items[0], criterion=built.criterion, by=built.people["adjudicator"], at=AT)
