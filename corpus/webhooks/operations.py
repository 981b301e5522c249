"""What managers can do with webhooks: add, change, remove and ping them, replace their secrets, send messages again."""

import json
from dataclasses import replace
from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Found, Operation, Place, Rest
from corpus.collections.places import in_collection, thing_in_collection
from corpus.collections.rules import MANAGE
from corpus.models import Collection, Webhook, WebhookDelivery
from corpus.webhooks.changes import (
    add_webhook,
    change_webhook,
    ping_webhook,
    redeliver_message,
    remove_webhook,
    replace_webhook_secret,
)
from corpus.webhooks.forms import SecretForm, WebhookChangeForm, WebhookForm


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """A webhook. Its secret is shown only when it is made."""

    is_on = serializers.BooleanField()

    class Meta:
        model = Webhook
        fields: tuple[str, ...] = (
            *("id", "address", "events", "is_on", "off_at", "off_reason", "failing_since", "former_until"),
            "created_at",
        )
        read_only_fields = fields


class NewSecretSerializer(serializers.Serializer[Any]):
    """A webhook with the secret that it has from now on; nothing shows it again."""

    webhook = WebhookSerializer()
    secret = serializers.CharField()


class DeliverySerializer(serializers.ModelSerializer[WebhookDelivery]):
    """A message to a webhook, and what became of it at the last attempt."""

    content = serializers.SerializerMethodField()

    class Meta:
        model = WebhookDelivery
        fields = (
            *("id", "message", "event", "content", "created_at", "state", "due_at", "attempts", "attempted_at"),
            *("status", "answer", "problem", "seconds"),
        )
        read_only_fields = fields

    def get_content(self, delivery: WebhookDelivery) -> dict[str, Any]:
        """The body that is sent."""
        return dict(json.loads(delivery.payload))


def _of_webhook(*, is_form: bool = False) -> Place:
    """A webhook of the collection, with which a form may begin."""
    place = thing_in_collection(
        "webhook", lambda of: of.webhooks.select_related("collection"), "webhooks", "webhook_list", key="pk"
    )

    def begun(found: Found) -> Found:
        webhook = found.target["webhook"]
        return replace(found, form={"webhook": webhook} if is_form else {}, back=_page_of(webhook))

    return replace(
        place,
        page=lambda *given, **where: begun(place.page(*given, **where)),
        rest=lambda view: begun(place.rest(view)),
        command=lambda **where: begun(place.command(**where)),
    )


def _deliveries(of: Collection) -> Any:
    return WebhookDelivery.objects.filter(webhook__collection=of).select_related("webhook__collection")


def _page_of(webhook: Webhook) -> str:
    return reverse("webhook_detail", args=[webhook.collection.slug, webhook.pk])


def _as_json(webhook: Webhook) -> dict[str, Any]:
    return dict(WebhookSerializer(webhook).data)


def _pinged(delivery: WebhookDelivery) -> str:
    if delivery.status is None:
        return f"The ping did not arrive: {delivery.problem.rstrip('.')}."
    outcome = "arrived" if delivery.state == "delivered" else "was not accepted"
    return f"The ping {outcome}: the server answered {delivery.status} in {delivery.seconds:.2f} s."


ADD_WEBHOOK = Operation(
    called="add_webhook",
    rest=Rest("webhooks_create", NewSecretSerializer, takes="NewWebhook"),
    task="Look after",
    example="add_webhook demo https://example.org/litmus --events job.done job.failed",
    action=add_webhook,
    place=in_collection("webhooks", "webhook_list"),
    roles=MANAGE,
    about="Add a webhook: an address to which Litmus posts what happens in the collection.",
    title="Add a webhook",
    lead="Litmus posts a signed message to this address when something happens that your program waits for. Messages"
    " hold ids and links, never a label.",
    button="Add webhook",
    report=lambda made: f"Webhook {made.webhook.pk} added. Its secret, which is shown only now: {made.secret}",
    goes_to=lambda made: _page_of(made.webhook),
    shows=lambda made: NewSecretSerializer(made).data,
    form=WebhookForm,
    once="corpus/webhooks/webhook_secret.html",
    named=("address",),
    prints=True,
)

CHANGE_WEBHOOK = Operation(
    called="change_webhook",
    rest=Rest("webhooks_update", WebhookSerializer, status=200, takes="WebhookChanges"),
    task="Look after",
    example="change_webhook demo 1 --events release.frozen",
    action=change_webhook,
    place=_of_webhook(is_form=True),
    roles=MANAGE,
    about="Change the address or events of a webhook, or switch it on or off.",
    title="Change a webhook",
    button="Save",
    report=lambda webhook: f"Webhook {webhook.pk} saved.",
    goes_to=_page_of,
    shows=_as_json,
    form=WebhookChangeForm,
    is_change=True,
)

REMOVE_WEBHOOK = Operation(
    called="remove_webhook",
    rest=Rest("webhooks_delete", status=204),
    task="Look after",
    example="remove_webhook demo 1",
    action=remove_webhook,
    place=_of_webhook(),
    roles=MANAGE,
    about="Remove a webhook with its secret and its deliveries. Messages that are not sent yet will not be sent.",
    title="Remove the webhook",
    button="Remove",
    report=lambda webhook: f"Webhook removed: {webhook.address}",
    goes_to=lambda webhook: reverse("webhook_list", args=[webhook.collection.slug]),
    shows=lambda webhook: {"address": webhook.address},
    template="",
)

REPLACE_SECRET = Operation(
    called="replace_webhook_secret",
    rest=Rest("webhooks_replace_secret", NewSecretSerializer, status=200, takes="SecretReplacement"),
    task="Look after",
    example="replace_webhook_secret demo 1 --hours 48",
    action=replace_webhook_secret,
    place=_of_webhook(),
    roles=MANAGE,
    about="Replace the secret of a webhook. For some hours messages are signed with the former one, too.",
    title="Replace the secret",
    lead="Your program checks by the secret that messages come from here. Litmus makes a new one and shows it once,"
    " on the next page.",
    button="Replace the secret",
    report=lambda made: f"Secret replaced. The new one, which is shown only now: {made.secret}",
    goes_to=lambda made: _page_of(made.webhook),
    shows=lambda made: NewSecretSerializer(made).data,
    form=SecretForm,
    once="corpus/webhooks/webhook_secret.html",
    prints=True,
)

PING_WEBHOOK = Operation(
    called="ping_webhook",
    rest=Rest("webhooks_ping", DeliverySerializer, status=200),
    task="Look after",
    example="ping_webhook demo 1",
    action=ping_webhook,
    place=_of_webhook(),
    roles=MANAGE,
    about="Test a webhook, also one that is off, and say what its server answered.",
    title="Send a ping",
    button="Send a ping",
    report=_pinged,
    goes_to=lambda delivery: _page_of(delivery.webhook),
    shows=lambda delivery: DeliverySerializer(delivery).data,
    template="",
    prints=True,
)

REDELIVER_MESSAGE = Operation(
    called="redeliver_message",
    rest=Rest("webhooks_redeliver", DeliverySerializer, status=202),
    task="Look after",
    example="redeliver_message demo 7",
    action=redeliver_message,
    place=thing_in_collection("delivery", _deliveries, "webhooks", "webhook_list", key="pk"),
    roles=MANAGE,
    about="Send a message to a webhook again, with the same id and content.",
    title="Redeliver",
    button="Redeliver",
    report=lambda delivery: f"Message {delivery.message} is sent again.",
    goes_to=lambda delivery: _page_of(delivery.webhook),
    shows=lambda delivery: DeliverySerializer(delivery).data,
    template="",
)
