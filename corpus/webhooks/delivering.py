"""Messages are sent to each webhook one after the other, at least once, in no set order, and tried for three days.

A worker holds a webhook for LEASE and renews that with each message. If it dies, beat calls the next one, which
sends the message again under the same id. No transaction is open meanwhile. The one who asked for a ping waits for
the answer.
"""

import logging
import random
import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from corpus.models import PING, DeliveryState, Role, Webhook, WebhookDelivery
from corpus.webhooks.events import call_sender
from corpus.webhooks.signing import signed_headers
from engines.endpoints.guard import Guard
from engines.endpoints.posting import Posted, post

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)  # longer than one attempt takes
ROUND = 20.0  # seconds after which a worker lets other work go first
# Seconds before each further attempt, as the specification suggests: 75 hours in all.
PAUSES = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
LONGEST_REST = 60.0  # seconds that the other messages wait while a server cannot be reached
LONGEST_HOLD = 3_600.0  # seconds that they wait at most for a server that asks for a pause
SWITCHED_OFF_AFTER = timedelta(days=5)  # without any success
KEPT = timedelta(days=30)  # deliveries that have ended
OVERLOADED = {429, 502, 503, 504}
GONE = 410
SOON = 60.0  # seconds; what is due later is found by beat


def deliver(webhook_id: int) -> None:
    """Send what is due, unless the webhook is off or another worker is sending to it."""
    free = Webhook.objects.filter(pk=webhook_id, off_at=None, held_until__lte=Now())
    if not free.update(held_until=Now() + LEASE):
        return
    end, rest = time.monotonic() + ROUND, 0.0
    try:
        while not rest and time.monotonic() < end and (delivery := _next_due(webhook_id)):
            Webhook.objects.filter(pk=webhook_id).update(held_until=Now() + LEASE)
            rest = attempt(delivery)
    finally:
        Webhook.objects.filter(pk=webhook_id).update(held_until=Now() + timedelta(seconds=rest))
    due = _waiting().filter(webhook=webhook_id).aggregate(first=Min(F("due_at") - Now()))["first"]
    if due is not None and (delay := max(due.total_seconds(), rest)) < SOON:
        call_sender(webhook_id, max(delay, 0))


def call_due() -> int:
    """Call a worker for each webhook with something due; how many. So what Redis or a killed worker lost is sent."""
    due = _waiting().filter(webhook=OuterRef("pk"), due_at__lte=Now())
    found = Webhook.objects.filter(Exists(due), off_at=None, held_until__lte=Now()).values_list("pk", flat=True)
    for webhook in found:
        call_sender(webhook)
    return len(found)


def forget_old(now: datetime) -> int:
    """Delete deliveries that ended long ago; how many."""
    ended = WebhookDelivery.objects.exclude(state=DeliveryState.WAITING)
    return ended.filter(attempted_at__lt=now - KEPT).delete()[0]


def attempt(delivery: WebhookDelivery) -> float:
    """Send it once and store the outcome; for how many seconds the webhook then rests."""
    now = timezone.now()
    answer = _send(delivery, now)
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update(no_key=True).filter(pk=delivery.webhook_id).first()
        if webhook is None:
            return 0.0  # removed meanwhile, and the delivery with it
        delivery.refresh_from_db(fields=["state", "attempts"])  # it may have been asked for again meanwhile
        _note(delivery, answer, now)
        return _note_health(webhook, delivery, answer, now)


def _send(delivery: WebhookDelivery, now: datetime) -> Posted:
    address = delivery.webhook.address
    guard = Guard(settings.INNER_ADDRESSES, is_inner=address.startswith("http:"))
    try:
        return post(address, delivery.payload.encode(), signed_headers(delivery, now), guard)
    except Refused as refusal:  # the secret cannot be read
        return Posted(problem=refusal.reason)


def _note(delivery: WebhookDelivery, answer: Posted, now: datetime) -> None:
    pauses = () if delivery.event == PING else PAUSES
    delivery.attempts, delivery.attempted_at = delivery.attempts + 1, now
    delivery.status, delivery.answer = answer.status, answer.answer
    delivery.problem, delivery.seconds, delivery.due_at = answer.problem[:300], answer.seconds, None
    if _is_success(answer):
        delivery.state = DeliveryState.DELIVERED
    elif answer.status == GONE or delivery.attempts > len(pauses):
        delivery.state = DeliveryState.FAILED
    else:
        pause = pauses[delivery.attempts - 1] * random.uniform(1.0, 1.2)  # noqa: S311 - many must not come back at once
        delivery.due_at = now + timedelta(seconds=max(pause, answer.retry_after or 0))
    delivery.save()


def _note_health(webhook: Webhook, delivery: WebhookDelivery, answer: Posted, now: datetime) -> float:
    """Store whether its server works, switch it off after failing for long; for how many seconds it rests."""
    if _is_success(answer):
        Webhook.objects.filter(pk=webhook.pk).update(failing_since=None)
        return 0.0
    since = webhook.failing_since or now
    Webhook.objects.filter(pk=webhook.pk).update(failing_since=Coalesce("failing_since", now))
    if answer.status == GONE:
        _switch_off(webhook, "Its server answered 410: it no longer wants these messages.", now)
    elif now - since >= SWITCHED_OFF_AFTER:
        _switch_off(webhook, f"No message has arrived for {SWITCHED_OFF_AFTER.days} days.", now)
    if answer.status in OVERLOADED or answer.retry_after:
        return min(answer.retry_after or LONGEST_REST, LONGEST_HOLD)
    if answer.status is None:
        return min(LONGEST_REST, float(PAUSES[min(delivery.attempts, len(PAUSES)) - 1]))
    return 0.0


def _is_success(answer: Posted) -> bool:
    return answer.status is not None and 200 <= answer.status < 300


def _switch_off(webhook: Webhook, reason: str, now: datetime) -> None:
    """Waiting messages are kept until a manager switches it on again. Managers read of it in their next daily mail."""
    if Webhook.objects.filter(pk=webhook.pk, off_at=None).update(off_at=now, off_reason=reason):
        scope = webhook.collection
        record_event(by=None, at=now, verb="switch_off_webhook", target=webhook, scope=scope, reason=reason)
        logger.warning("Webhook %s was switched off: %s", webhook.pk, reason)


def switched_off(manager: User, since: datetime, until: datetime) -> QuerySet[Webhook]:
    """The webhooks that Litmus switched off in that time, in the collections that the person manages."""
    mine = {"collection__memberships__user": manager, "collection__memberships__role": Role.MANAGER}
    found = Webhook.objects.filter(off_at__gt=since, off_at__lte=until, **mine).exclude(off_reason="")
    return found.select_related("collection").order_by("pk")


def _waiting() -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(state=DeliveryState.WAITING)


def _next_due(webhook_id: int) -> WebhookDelivery | None:
    found = _waiting().filter(webhook=webhook_id, webhook__off_at=None, due_at__lte=Now())
    return found.select_related("webhook__collection").order_by("due_at", "pk").first()
