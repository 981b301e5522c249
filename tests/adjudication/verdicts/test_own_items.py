"""A manager who is alone chooses once how items that they judged are decided; it is not asked at each."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from accounts.refusals import NotAllowed, Refused
from adjudication.models import Verdict
from adjudication.verdicts.decisions import decide_own_items, decide_verdict
from corpus.models import Membership, Role
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.accounts import AT
from tests.factories.adjudication import Built, build_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def alone() -> Built:
    """Ana judges, manages, and nobody else may decide."""
    built = build_campaign([[0, 2, None], [2, 0, None], [1, 1, None]], overlap=2)
    vote(built)
    members = Membership.objects.filter(collection=built.collection)
    members.filter(role__in=[Role.MANAGER, Role.ADJUDICATOR]).update(role=Role.VIEWER)
    members.filter(user=built.people["ana"]).update(role=Role.MANAGER)
    return built


def test_the_choice_is_offered_once_and_logged(alone: Built, client: Client) -> None:
    ana, where = alone.people["ana"], [alone.collection.slug, alone.campaign.slug]
    client.force_login(ana)
    screen = reverse("adjudication_screen", args=where)
    page = client.get(screen).text
    assert "Choose once how such items are decided" in page
    assert "Show the votes anyway" not in page
    ties = list(Verdict.objects.filter(item__campaign=alone.campaign, method="unresolved").order_by("pk"))
    assert len(ties) == 2
    with pytest.raises(Refused, match="override"):
        decide_verdict(verdict=ties[0], value=2, by=ana, at=AT)
    campaign = client.get(reverse("campaign_detail", args=where)).text
    choice = reverse("own_items_decide", args=where)
    assert f'action="{choice}"' in campaign, "the guide's line has the choice"
    shown = client.post(choice, follow=True).text
    assert "You decide the items that you judged yourself" in shown
    assert "Choose once" not in shown
    assert f'action="{choice}"' not in client.get(reverse("campaign_detail", args=where)).text
    for tie, following in zip(ties, [*ties[1:], None], strict=True):
        page = client.get(screen).text
        assert "Choose once" not in page
        decide = reverse("verdict_decide", args=[*where, tie.pk])
        sent = dict(
            re.findall(r'<input type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', page.split(f'action="{decide}"')[1])
        )
        answer = client.post(decide, sent | {"value": 2})
        assert answer.status_code == 302, answer.text
        assert (f"verdict={following.pk}" in answer["Location"]) if following else "verdict=" not in answer["Location"]
    assert [event.data["override"] for event in AuditEvent.objects.filter(verb="decide_verdict")] == [True, True]
    assert AuditEvent.objects.filter(verb="decide_own_items", actor=ana.email).count() == 1


def test_votes_are_accepted_in_bulk_only_where_some_are_left(alone: Built, client: Client) -> None:
    ada = alone.people["adjudicator"]
    Membership.objects.filter(collection=alone.collection, user=ada).update(role=Role.ADJUDICATOR)
    client.force_login(ada)
    screen = reverse("adjudication_screen", args=[alone.collection.slug, alone.campaign.slug])
    assert "Accept votes in bulk" in client.get(screen).text
    for tie in Verdict.objects.filter(item__campaign=alone.campaign, method="unresolved"):
        decide_verdict(verdict=tie, value=2, by=ada, at=AT)
    page = client.get(screen).text
    assert "Nothing needs a decision" in page
    assert "Accept votes in bulk" in page, "one unanimous vote is left"
    client.force_login(alone.people["ana"])
    assert "in bulk" not in client.get(screen).text, "that vote is of an item that she judged"
    client.force_login(ada)
    Verdict.objects.filter(decided_at=None).update(decided_at=AT, decided_by=ada)
    assert "in bulk" not in client.get(screen).text


def test_only_as_long_as_nobody_else_decides(alone: Built) -> None:
    ana, ben = alone.people["ana"], alone.people["ben"]
    decide_own_items(campaign=alone.campaign, by=ana, at=AT)
    Membership.objects.filter(collection=alone.collection, user=ben).update(role=Role.ADJUDICATOR)
    tie = Verdict.objects.filter(item__campaign=alone.campaign, method="unresolved").order_by("pk")[0]
    with pytest.raises(Refused, match="override"):
        decide_verdict(verdict=tie, value=2, by=ana, at=AT)
    with pytest.raises(Refused, match="Somebody else"):
        decide_own_items(campaign=alone.campaign, by=ana, at=AT)
    with pytest.raises(NotAllowed):
        decide_own_items(campaign=alone.campaign, by=ben, at=AT)
