"""Managers add, change, remove and test webhooks. A secret is shown once, when it is made."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from accounts.sealing import sealed
from corpus.collections.rules import check_manager
from corpus.models import PING, Collection, DeliveryState, Webhook, WebhookDelivery
from corpus.webhooks.delivering import LEASE, attempt
from corpus.webhooks.events import call_sender, payload_of
from corpus.webhooks.signing import new_message, new_secret

MOST = 20  # webhooks of a collection
MOST_FORMER = 10  # former secrets that are valid at a time: each makes a signature
PINGS, PERIOD = 3, 60  # most pings of a webhook, in this many seconds: each calls a server elsewhere


@dataclass(frozen=True)
class NewSecret:
    """A webhook, and the secret that it has from now on."""

    webhook: Webhook
    secret: str = field(repr=False)


@transaction.atomic
def add_webhook(*, by: User | None, at: datetime, collection: Collection, address: str, events: list[str]) -> NewSecret:
    """Make a webhook. Its secret is not shown again. Errors: Refused where there are too many, or one like it."""
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)  # of two at once, one counts the other
    if collection.webhooks.count() >= MOST:
        raise Refused(f"A collection has at most {MOST} webhooks. Remove one that is no longer needed.")
    if same := collection.webhooks.filter(address=address).first():
        raise Refused(f"Webhook {same.pk} has this address already. Change it, or replace its secret.")
    secret = new_secret()
    facts: dict[str, Any] = {"address": address, "events": events}
    webhook = Webhook.objects.create(collection=collection, sealed_secret=sealed(secret), created_at=at, **facts)
    record_event(by=by, at=at, verb="add_webhook", target=webhook, scope=collection, **facts)
    return NewSecret(webhook, secret)


@transaction.atomic
def change_webhook(*, by: User | None, at: datetime, webhook: Webhook, **values: Any) -> Webhook:
    """Change the address or the events, or switch it on or off (`is_on`). Switched on, it sends what has waited."""
    check_manager(webhook.collection, by)
    webhook = _locked(webhook)
    for name in values.keys() & {"address", "events"}:
        setattr(webhook, name, values[name])
    is_on = values.get("is_on", webhook.is_on)
    if is_on != webhook.is_on:
        webhook.off_at, webhook.off_reason, webhook.failing_since = None if is_on else at, "", None
    webhook.save(update_fields=["address", "events", "off_at", "off_reason", "failing_since"])
    record_event(by=by, at=at, verb="change_webhook", target=webhook, scope=webhook.collection, **values)
    call_sender(webhook.pk)
    return webhook


@transaction.atomic
def remove_webhook(*, by: User | None, at: datetime, webhook: Webhook) -> Webhook:
    """Forget the webhook with its secret and its deliveries; messages that are not sent yet will not be sent."""
    check_manager(webhook.collection, by)
    record_event(by=by, at=at, verb="remove_webhook", target=webhook, scope=webhook.collection)
    Webhook.objects.filter(pk=webhook.pk).delete()
    return webhook


@transaction.atomic
def replace_webhook_secret(*, by: User | None, at: datetime, webhook: Webhook, hours: int) -> NewSecret:
    """Give it a new secret, not shown again. For `hours` messages are signed with the former ones, too: asked twice,
    nobody may have seen the first answer, and the program still has the secret before it."""
    check_manager(webhook.collection, by)
    webhook, secret = _locked(webhook), new_secret()
    webhook.sealed_former = "\n".join(webhook.secrets_at(at)[:MOST_FORMER]) if hours else ""
    webhook.former_until = at + timedelta(hours=hours) if hours else None
    webhook.sealed_secret = sealed(secret)
    webhook.save(update_fields=["sealed_former", "former_until", "sealed_secret"])
    record_event(
        by=by, at=at, verb="replace_webhook_secret", target=webhook, scope=webhook.collection, former_for_hours=hours
    )
    return NewSecret(webhook, secret)


@transaction.atomic
def ping_webhook(*, by: User | None, at: datetime, webhook: Webhook) -> WebhookDelivery:
    """A message that only tests it. It is sent after the commit, as no transaction may wait for a server elsewhere;
    then the object says what came of it. Errors: Conflict where it got too many just now."""
    check_manager(webhook.collection, by)
    webhook = _locked(webhook)  # of two at once, one counts the other
    lately = webhook.deliveries.filter(event=PING, created_at__gt=at - timedelta(seconds=PERIOD))
    if lately.count() >= PINGS:
        raise Conflict(f"This webhook got {PINGS} pings just now. Wait a minute.", retry_after=PERIOD)
    record_event(by=by, at=at, verb="ping_webhook", target=webhook, scope=webhook.collection)
    payload, due_at = payload_of(PING, at, {"collection": webhook.collection.slug}), at + LEASE
    delivery = WebhookDelivery.objects.create(  # if the one who asked is interrupted, a worker sends it later
        webhook=webhook, message=new_message(), event=PING, payload=payload, created_at=at, due_at=due_at
    )
    transaction.on_commit(partial(attempt, delivery))
    return delivery


@transaction.atomic
def redeliver_message(*, by: User | None, at: datetime, delivery: WebhookDelivery) -> WebhookDelivery:
    """Send a message again, with the same id and content, and with all attempts. Errors: Refused where it is off."""
    check_manager(delivery.webhook.collection, by)
    webhook = _locked(delivery.webhook)  # an attempt under way stores its end before or after this
    if not webhook.is_on:
        raise Refused("This webhook is switched off. Switch it on first: it then sends what has waited.")
    again = {"state": DeliveryState.WAITING, "due_at": Now(), "attempts": 0}
    if not WebhookDelivery.objects.filter(pk=delivery.pk).update(**again):
        raise Refused("This message is no longer kept, so it cannot be sent again.")
    facts = {"message": delivery.message, "event": delivery.event}
    record_event(by=by, at=at, verb="redeliver_message", target=webhook, scope=webhook.collection, **facts)
    call_sender(webhook.pk)
    delivery.refresh_from_db()
    return delivery


def _locked(webhook: Webhook) -> Webhook:
    rows = Webhook.objects.select_related("collection").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=webhook.pk)
