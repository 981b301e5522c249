"""Celery entry points of this app: parts of jobs that other workers help with, and messages to webhooks."""

from celery import shared_task
from django.utils import timezone

from corpus.searching.indexes import ShardBuilding
from corpus.searching.parts import help_with
from corpus.searching.shard_search import ShardSearches
from corpus.webhooks import delivering

KINDS = {each.kind: each for each in (ShardBuilding, ShardSearches)}


@shared_task
def help_with_parts(folder: str) -> int:
    """Do parts of a job's work; safe to run twice, late or in vain."""
    return help_with(folder, KINDS)


@shared_task(acks_late=True)
def deliver_webhook(webhook: int) -> None:
    """Send the messages that are due to a webhook; safe to run twice, late or in vain."""
    delivering.deliver(webhook)


@shared_task
def call_due_webhooks() -> int:
    """Beat: messages whose time has come."""
    return delivering.call_due()


@shared_task
def forget_webhook_deliveries() -> int:
    """Beat: deliveries that ended a month ago."""
    return delivering.forget_old(timezone.now())
