"""Webhooks and what was sent to them."""

from typing import Any

import factory
from factory.django import DjangoModelFactory

from accounts.sealing import sealed
from corpus.models import DeliveryState, Event, Webhook, WebhookDelivery
from corpus.webhooks.signing import new_message, new_secret
from tests.factories.accounts import AT, CollectionFactory


class WebhookFactory(DjangoModelFactory[Webhook]):
    class Meta:
        model = Webhook

    collection: Any = factory.SubFactory(CollectionFactory)
    address = "https://hooks.example.org/litmus"
    events: Any = factory.LazyFunction(lambda: list(Event.values))
    sealed_secret: Any = factory.LazyFunction(lambda: sealed(new_secret()))
    created_at = AT


class DeliveryFactory(DjangoModelFactory[WebhookDelivery]):
    """One that has arrived."""

    class Meta:
        model = WebhookDelivery

    webhook: Any = factory.SubFactory(WebhookFactory)
    message: Any = factory.LazyFunction(new_message)
    event = "job.done"
    payload = '{"type": "job.done", "timestamp": "2026-11-28T02:00:00+00:00", "data": {"job": 1}}'
    created_at = AT
    state = DeliveryState.DELIVERED
    attempts = 1
    attempted_at = AT
    status = 204
    seconds = 0.1
