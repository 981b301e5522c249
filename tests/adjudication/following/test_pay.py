"""What people have earned: from measured time or items, by the rate that counts for them, to the hundredth."""

import csv
import json
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.refusals import NotAllowed, Refused
from adjudication.following.pay import _line, current_sheet, paid, pay_sheet, set_pay_rate
from adjudication.following.people import Work
from adjudication.models import PayRate
from annotation.assignment.annotators import add_members, change_annotator
from annotation.consent.consents import set_consent_text, withdraw_consent
from annotation.models import Annotator, Assignment, Campaign
from tests.adjudication.following.counting import counted
from tests.factories.annotation import AT, annotator, give_labels, skip_item

pytestmark = pytest.mark.django_db


def rate(campaign: Campaign, amount: float = 12.0, per: str = "hour", currency: str = "EUR") -> PayRate:
    return set_pay_rate(campaign=campaign, per=per, rate=amount, currency=currency, by=None, at=AT)


@pytest.fixture
def worked(campaign: Campaign) -> Campaign:
    """Ana judged thirty items in ten seconds each and skipped one, Ben two at times that nobody measured."""
    ana, ben = annotator(campaign, "ana"), annotator(campaign, "ben")
    give_labels(ana, [1] * 30, at=AT - timedelta(days=2), active_ms=10_000)
    skip_item(ana, "cannot be understood")
    give_labels(ben, [1] * 2, at=AT, active_ms=None)
    return campaign


def amounts(campaign: Campaign) -> dict[str, tuple[int, float | None, int, Decimal]]:
    return {
        line.annotator.name: (line.judged, line.hours, line.untimed, line.amount)
        for line in current_sheet(campaign).lines
    }


def test_by_the_hour_it_is_the_measured_time_and_what_was_not_measured_is_said(worked: Campaign) -> None:
    rate(worked)
    sheet = current_sheet(worked)
    ana = sheet.lines[0]
    assert (ana.judged, ana.hours) == (30, pytest.approx(300 / 3600))
    assert amounts(worked)["Ben"] == (2, None, 2, Decimal("0.00"))
    assert ana.amount == Decimal("1.00")
    untimed = sum(line.untimed for line in sheet.lines)
    assert sheet.warning == f"The time of {untimed} answers was not measured and is not in the hours."


def test_by_the_item_each_judged_item_counts_once_and_a_rate_of_ones_own_wins(worked: Campaign) -> None:
    rate(worked, 0.125, per="item", currency="usd")
    ana = annotator(worked, "ana")
    assert {name: line[3] for name, line in amounts(worked).items()} == {"Ana": Decimal("3.75"), "Ben": Decimal("0.25")}
    change_annotator(annotator=ana, by=None, at=AT, pay_rate=0.2)
    sheet = current_sheet(worked)
    assert [(line.is_personal, line.amount) for line in sheet.lines] == [
        (True, Decimal("6.00")),
        (False, Decimal("0.25")),
    ]
    assert (sheet.total, sheet.warning) == (Decimal("6.25"), "")
    assert (
        paid(worked) == "6.25 USD for 32 items of 2 people, at 0.125 USD per judged item, 1 of them by personal rates."
    )
    Assignment.objects.filter(annotator=ana).update(state="pending", finished_at=None)
    assert amounts(worked)["Ana"][3] == Decimal("0.00"), "what was taken back is not paid by the item"


def test_work_of_who_withdrew_is_paid_though_it_no_longer_counts(worked: Campaign) -> None:
    rate(worked, 0.125, per="item")
    collection, ana = worked.collection, annotator(worked, "ana").user
    text = {"text": "We store it.", "after_withdrawal": "leave-out", "asks_background": False}
    set_consent_text(collection=collection, by=None, at=AT, **text)
    withdraw_consent(collection=collection, by=ana, at=AT)
    assert not Assignment.objects.filter(annotator__user=ana, state="done").exists()
    assert amounts(worked)[f"Person {ana.pk}"][3] == Decimal("3.75")
    add_members(campaign=worked, users=[ana], by=None, at=AT)
    assert amounts(worked)["Ana"][3] == Decimal("3.75"), "also once they are here again"


@given(st.integers(0, 10**9), st.floats(0, 1000).map(lambda each: round(each, 4)))
def test_amounts_are_exact_to_half_a_hundredth(active: int, rate_: float) -> None:
    campaign = Campaign(slug="main")
    pay = PayRate(campaign=campaign, per="hour", rate=rate_, currency="EUR")
    amount = _line(pay, Annotator(name="ana"), Work(1, 1, 1, active)).amount
    exact = Decimal(active) * Decimal(str(rate_)) / 3_600_000
    assert amount == amount.quantize(Decimal("0.01"))
    assert abs(amount - exact) <= Decimal("0.005")


def test_page_file_api_and_command_say_the_same(worked: Campaign) -> None:
    manager = worked.collection.memberships.get(role="manager").user
    client = Client()
    client.force_login(manager)
    where = [worked.collection.slug, worked.slug]
    counted(worked)
    assert "No rate is set" in client.get(reverse("work_detail", args=where)).text
    refused = client.get(reverse("pay_sheet", args=where))
    assert (refused.status_code, "has no rate of pay" in refused.text) == (422, True)
    form = {"rate": "12", "currency": "eur", "per": "hour"}
    sent = client.post(reverse("pay_rate_set", args=where), form, follow=True)
    assert "Pay is 12 EUR per hour of active judging, for all work in this campaign." in sent.text
    section = sent.text.split('id="pay"')[1]
    assert ">1.00<" in section
    rows = list(csv.DictReader(StringIO(client.get(reverse("pay_sheet", args=where)).getvalue().decode())))
    email = annotator(worked, "ana").user.email  # type: ignore[union-attr]
    assert rows[0] == {
        "name": "Ana",
        "email": email,
        "items": "30",
        "hours": "0.0833",
        "untimed": rows[0]["untimed"],
        "rate": "12",
        "per": "hour",
        "amount": "1.00",
        "currency": "EUR",
    }
    answer = client.get(reverse("api_pay", args=where)).json()
    assert (answer["total"], answer["lines"][0]["amount"], answer["lines"][1]["hours"]) == (1.0, 1.0, None)
    printed = StringIO()
    call_command("pay_sheet", *where, "--json", stdout=printed)
    assert json.loads(printed.getvalue()) == answer


def test_nobody_but_managers_sets_it_and_nonsense_is_refused(worked: Campaign) -> None:
    ana = annotator(worked, "ana").user
    with pytest.raises(NotAllowed):
        set_pay_rate(campaign=worked, per="hour", rate=1, currency="EUR", by=ana, at=AT)
    for wrong in ({"rate": -1.0}, {"rate": float("nan")}, {"currency": "€€€"}, {"currency": "EURO"}):
        with pytest.raises(Refused):
            set_pay_rate(campaign=worked, by=None, at=AT, **{"per": "hour", "rate": 1.0, "currency": "EUR", **wrong})  # type: ignore[arg-type]
    with pytest.raises(Refused, match="A rate of pay"):
        change_annotator(annotator=annotator(worked, "ana"), by=None, at=AT, pay_rate=-1)
    assert not PayRate.objects.exists()


def test_without_a_rate_or_work_a_release_states_nothing(campaign: Campaign) -> None:
    assert paid(campaign) == ""
    assert pay_sheet(rate(campaign), {}).lines == ()
    assert paid(campaign) == ""
