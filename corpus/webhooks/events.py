"""Events written into the outbox, in the transaction of what happened. They hold ids and links, never a label."""

import json
from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.job_kinds import kind_of
from accounts.jobs import send_task
from accounts.mail import whole_address
from accounts.models import Job
from accounts.sql import execute
from corpus.collections.jobs import CollectionJob
from corpus.models import Collection, Event, Webhook

TASK = "corpus.tasks.deliver_webhook"
# A row for each webhook that wants it. The webhooks' keys are held, so that none is removed before this is committed.
_WRITE = """
INSERT INTO corpus_webhookdelivery
  (webhook_id, message, event, payload, created_at, state, due_at, attempts, answer, problem)
SELECT w.id, 'msg_' || replace(gen_random_uuid()::text, '-', ''), %(event)s, %(payload)s, %(at)s, 'waiting',
  statement_timestamp(), 0, '', ''
FROM corpus_webhook w WHERE w.collection_id = %(collection)s AND w.off_at IS NULL AND %(event)s = ANY(w.events)
FOR KEY SHARE OF w
RETURNING webhook_id
"""


def is_wanted(event: Event, collection_id: int) -> bool:
    """Whether a webhook wants such events of the collection. Ask before a message that is costly to put together."""
    return Webhook.objects.filter(collection=collection_id, off_at=None, events__contains=[event.value]).exists()


def announce(event: Event, collection: Collection, *, at: datetime, links: dict[str, str], **ids: Any) -> None:
    """Leave a message for each webhook that wants it, which is sent once the present transaction has committed.

    `links` are the paths of pages and of REST where a program or a person reads on, with their own rights.
    """
    addresses = {name: whole_address(path) for name, path in links.items()}
    values = {"collection": collection.pk, "event": event.value, "at": timezone.now()}
    values["payload"] = payload_of(event, at, {"collection": collection.slug, **ids, "links": addresses})
    for (webhook,) in execute(_WRITE, values):
        call_sender(webhook)


def payload_of(event: str, at: datetime, data: dict[str, Any]) -> str:
    """The body of a message, as it is signed and sent."""
    return json.dumps({"type": str(event), "timestamp": at.isoformat(), "data": data}, ensure_ascii=False)


def call_sender(webhook: int, delay: float = 0) -> None:
    """Ask a worker to send what is due, once the present transaction has committed. What Redis loses, beat finds."""
    transaction.on_commit(lambda: send_task(TASK, delay, webhook=webhook))


def announce_end(job: Job) -> None:
    """A job has ended. Only those of a collection are announced.

    Where no webhook wants it no address is asked for: that would load all pages, which is a second for each command and
    each process of a worker that does a job.
    """
    kind = kind_of(job)
    if not (isinstance(kind, CollectionJob) and job.finished_at):
        return
    event, collection = Event(f"job.{job.state}"), kind.collection_of(job)
    if is_wanted(event, collection.pk):
        links = {"page": kind.address(job), "api": reverse("api_job", args=[kind.key, job.pk])}
        announce(event, collection, at=job.finished_at, job=job.pk, kind=kind.key, links=links)
