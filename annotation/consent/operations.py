"""What can be done about consent: ask for it, give it, withdraw it."""

from dataclasses import asdict, replace
from typing import Any, cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.models import User
from accounts.operations import Found, Operation, Place, Rest
from annotation.consent.consents import (
    Withdrawal,
    give_consent,
    set_consent_text,
    standing_of,
    took_part,
    withdraw_consent,
)
from annotation.consent.forms import ConsentForm, ConsentTextForm
from annotation.models import AnnotatorState, CampaignState, Consent, ConsentText
from corpus.collections.collections import pseudonym_of
from corpus.collections.places import in_collection
from corpus.collections.rules import MANAGE
from corpus.models import Role


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    class Meta:
        model = ConsentText
        fields = ("version", "body", "after_withdrawal", "asks_background", "created_at")


class ConsentSerializer(serializers.ModelSerializer[Consent]):
    version = serializers.IntegerField(source="text.version")

    class Meta:
        model = Consent
        fields = ("version", "agreed_at", "withdrawn_at")


class WithdrawalSerializer(serializers.Serializer[Any]):
    pseudonym = serializers.CharField(help_text="the name under which your judging is stored from now on")
    is_left_out = serializers.BooleanField(help_text="whether your labels no longer count")


def _of_person() -> Place:
    """The collection, with what the person has answered so far, next to the form and in it."""
    place = in_collection("", "collection_dashboard", "collection")

    def page(request: HttpRequest, roles: tuple[Any, ...], slug: str) -> Found:
        found, person = place.page(request, roles, slug=slug), cast(User, request.user)  # a member
        own = {"standing": standing_of(person, found.target["collection"]), "pseudonym": pseudonym_of(person)[0]}
        return replace(found, shown=found.shown | own, form=found.form | {"person": person})

    return replace(place, page=page)


def _of_participant() -> Place:
    """The collection of somebody who takes part or took part, member or not."""

    def page(request: HttpRequest, _: tuple[Any, ...], slug: str) -> Found:
        return Found(
            {"collection": get_object_or_404(took_part(cast(User, request.user)), slug=slug)}, back=reverse("home")
        )

    return replace(in_collection("", "consent_give"), page=page)


def _asked(text: ConsentText) -> str:
    if not text.body:
        return "Nobody is asked for consent any longer. What was agreed to stays on record."
    return f"Version {text.version} is asked for: people agree to it before they judge on."


def _to_work(given: Consent) -> str:
    """To what the person judges in the collection, the newest campaign; else back."""
    collection = given.text.collection
    mine = {"annotators__user": given.user, "annotators__state": AnnotatorState.ACTIVE, "state": CampaignState.OPEN}
    campaign = collection.campaigns.filter(**mine).order_by("-pk").first()
    if campaign is None:
        return reverse("consent_give", args=[collection.slug])
    return reverse(campaign.kind_object.screen, args=[collection.slug, campaign.slug])


def _withdrawn(done: Withdrawal) -> str:
    labels = _("What you judged no longer counts") if done.is_left_out else _("What you judged is kept")
    return _(
        "You have withdrawn, and judge here no longer. {labels}; it is stored under the name “{pseudonym}”."
    ).format(labels=labels, pseudonym=done.pseudonym)


SET_CONSENT = Operation(
    called="set_consent",
    rest=Rest("consent_set", ConsentTextSerializer, status=200, takes="NewConsentText"),
    task="Look after",
    example='set_consent demo --text "You judge abstracts; we store your labels." --asks-background',
    action=set_consent_text,
    form=ConsentTextForm,
    place=in_collection("consent", "consent_detail", "collection"),
    roles=MANAGE,
    about="Set the text that annotators agree to before they judge in the collection. A change is a new version, to"
    " which everybody agrees again.",
    title="Consent of the annotators",
    lead="What annotators of this collection agree to. Each is asked when they first open what they judge, and judges"
    " only after agreeing. Without a text nobody is asked.",
    button="Save",
    report=_asked,
    goes_to=lambda text: reverse("consent_detail", args=[text.collection.slug]),
    shows=lambda text: ConsentTextSerializer(text).data,
)

GIVE_CONSENT = Operation(
    rest=Rest("consent_give", ConsentSerializer, takes="NewConsent"),
    action=give_consent,
    form=ConsentForm,
    place=_of_person(),
    roles=tuple(Role),
    about="Agree to the consent text of a collection, in the version that you have read.",
    title="Consent",
    button="I agree",
    template="annotation/consent/consent_give.html",
    report=lambda given: _("You have agreed to version {version}.").format(version=given.text.version),
    goes_to=_to_work,
    shows=lambda given: ConsentSerializer(given).data,
)

WITHDRAW_CONSENT = Operation(
    rest=Rest("consent_withdraw", WithdrawalSerializer, status=200),
    action=withdraw_consent,
    place=_of_participant(),
    roles=tuple(Role),
    about="Withdraw your consent: you stop judging in the collection at once.",
    title="Withdraw",
    button="Withdraw",
    report=_withdrawn,
    goes_to=lambda _: reverse("home"),
    shows=asdict,
)
