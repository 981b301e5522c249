"""What can be done about the work of a campaign: say what it is paid."""

from typing import Any

from django import forms
from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from adjudication.following.pay import set_pay_rate
from adjudication.models import PaidPer, PayRate
from annotation.campaigns.places import in_campaign
from corpus.collections.rules import MANAGE
from engines.definitions.settings import MOST_PAID


class PayForm(forms.Form):
    """What everybody without a personal rate is paid."""

    rate = forms.FloatField(
        min_value=0,
        max_value=MOST_PAID,
        help_text="For one hour or one item, for example 14.50. A personal rate stands on the annotator's page.",
    )
    currency = forms.CharField(min_length=3, max_length=3, help_text="Its code of three letters: EUR, USD, JPY.")
    per = forms.ChoiceField(choices=PaidPer.choices, initial=PaidPer.HOUR, label="Paid per")

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()


class PayRateSerializer(serializers.ModelSerializer[PayRate]):
    class Meta:
        model = PayRate
        fields = ("rate", "currency", "per", "set_at")


def _as_json(pay: PayRate) -> Any:
    return PayRateSerializer(pay).data


SET_PAY_RATE = Operation(
    called="set_pay_rate",
    rest=Rest("pay_set", PayRateSerializer, status=200, takes="NewPayRate"),
    task="Look after",
    example="set_pay_rate demo main-round 14.50 EUR --per hour",
    action=set_pay_rate,
    form=PayForm,
    named=("rate", "currency"),
    place=in_campaign("work_detail", "work"),
    roles=MANAGE,
    about="Set what people are paid, by the hour or by the item. It applies to all work in the campaign, including"
    " work already done. Litmus makes no payments.",
    title="Rate of pay",
    lead="What each person earns for one hour or one item of work in this campaign. Litmus pays nobody: it counts what"
    " they earned.",
    button="Save the rate",
    report=lambda pay: f"Pay is {pay}, for all work in this campaign.",
    goes_to=lambda pay: reverse("work_detail", args=[pay.campaign.collection.slug, pay.campaign.slug]) + "#pay",
    shows=_as_json,
)
