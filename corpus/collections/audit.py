"""The audit log of one collection."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from django.db.models import Q, QuerySet

from accounts.extensions import extensions
from accounts.models import AuditEvent, User
from corpus.models import Collection


class Hidden(Protocol):
    """What an app above hides from a person: the reason ("": nothing is hidden), and whether an event is concerned."""

    @property
    def reason(self) -> str: ...

    def conceals(self, event: AuditEvent) -> bool: ...


def hidden_labels(collection: Collection, user: User) -> list[Hidden]:
    """What is hidden from the person in this collection for now; empty where they may read all."""
    guards: dict[str, Callable[[Collection, User], Hidden]] = extensions("label_guards")
    found = [guard(collection, user) for guard in guards.values()]
    return [each for each in found if each.reason]


def concealed(events: Iterable[AuditEvent], hidden: Sequence[Hidden]) -> Iterator[AuditEvent]:
    """The events, without target and particulars where these would show a hidden label. Nothing is stored."""
    for event in events:
        if any(each.conceals(event) for each in hidden):
            event.target, event.target_id, event.data = "", "", {"hidden": "for now"}
        yield event


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


AUDIT_COLUMNS = ("at", "person", "verb", "target_type", "target_id", "target", "data")


def audit_rows(events: QuerySet[AuditEvent], hidden: Sequence[Hidden]) -> Iterator[list[str]]:
    """The values of AUDIT_COLUMNS for each event, oldest first, streamed from the database."""
    for event in concealed(events.order_by("id").iterator(chunk_size=2000), hidden):
        yield [
            event.at.isoformat(),
            event.actor,
            event.verb,
            event.target_type,
            event.target_id,
            event.target,
            json.dumps(event.data, ensure_ascii=False, sort_keys=True),
        ]
