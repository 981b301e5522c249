"""The audit log: one line per write that a person asked for, inside the same transaction."""

from datetime import datetime
from typing import Any, Protocol

from django.db import models

from accounts.models import AuditEvent, User


class Scope(Protocol):
    """What an event belongs to: a collection, known by its id; its slug may change."""

    pk: Any
    slug: Any


def record_event(
    *, by: User | None, at: datetime, verb: str, target: models.Model, scope: Scope | None = None, **data: Any
) -> AuditEvent:
    """Store who did `verb` to `target` and when; `scope` is the collection, `data` JSON-safe particulars."""
    return AuditEvent.objects.create(
        at=at,
        actor_id=by.pk if by else None,
        actor=by.email if by else "system",
        verb=verb,
        scope_id=scope.pk if scope else None,
        scope=scope.slug if scope else "",
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        target=str(target)[:200],
        data=data,
    )
