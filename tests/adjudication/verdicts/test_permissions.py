"""What people who judge and adjudicate in one campaign may see of the items that are theirs to judge."""

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.models import Verdict
from tests.adjudication.verdicts.test_votes import vote
from tests.factories.adjudication import build_campaign

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sent", [{"override": "1"}, {"override": "1", "seen": "", "value": "x"}])
def test_an_adjudicator_cannot_ask_for_the_votes_on_an_item_of_their_own(sent: dict[str, str]) -> None:
    built = build_campaign([[0, 1, 2]])
    vote(built)
    built.collection.memberships.filter(user=built.people["ana"]).update(role="adjudicator")
    verdict = Verdict.objects.get()
    client = Client()
    client.force_login(built.people["ana"])
    answer = client.post(reverse("verdict_decide", args=["tea", "main", verdict.pk]), sent)
    page = answer.content.decode()
    assert "You judged this item yourself" in page
    assert "ballot" not in page
