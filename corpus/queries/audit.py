"""The audit log of one collection."""

import json
from collections.abc import Iterator

from django.db.models import Q, QuerySet

from accounts.models import AuditEvent
from corpus.models import Collection


def audit_of(collection: Collection, *, person: str = "", verb: str = "") -> QuerySet[AuditEvent]:
    """What was done in the collection, newest first; `person` is a part of an address, `verb` a whole verb."""
    events = AuditEvent.objects.filter(scope_id=collection.pk).order_by("-id")
    if person:
        events = events.filter(Q(actor__icontains=person) | Q(target_type="accounts.user", target__icontains=person))
    return events.filter(verb=verb) if verb else events


def verbs_of(collection: Collection) -> list[str]:
    """The verbs that occur, for the filter."""
    return list(
        AuditEvent.objects.filter(scope_id=collection.pk).order_by("verb").values_list("verb", flat=True).distinct()
    )


def audit_rows(events: QuerySet[AuditEvent]) -> Iterator[list[str]]:
    """Head and lines of the log as a table of text, oldest first, streamed from the database."""
    yield ["at", "person", "verb", "target_type", "target_id", "target", "data"]
    for event in events.order_by("id").iterator(chunk_size=2000):
        yield [
            event.at.isoformat(),
            event.actor,
            event.verb,
            event.target_type,
            event.target_id,
            event.target,
            json.dumps(event.data, ensure_ascii=False, sort_keys=True),
        ]
