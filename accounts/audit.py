"""The audit log: one line per write that a person asked for, inside the same transaction."""

from datetime import datetime
from typing import Any

from django.db import models

from accounts.models import AuditEvent, User


def record_event(
    *, by: User | None, at: datetime, verb: str, target: models.Model, scope: str = "", **data: Any
) -> AuditEvent:
    """Store who did `verb` to `target` and when; `scope` is the collection's slug, `data` JSON-safe particulars."""
    return AuditEvent.objects.create(
        at=at,
        actor_id=by.pk if by else None,
        actor=by.email if by else "system",
        verb=verb,
        scope=scope,
        target_type=target._meta.label_lower,
        target_id=str(target.pk),
        target=str(target)[:200],
        data=data,
    )
