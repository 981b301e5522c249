"""Citation mentions discarded and restored, and their links looked up again."""

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.models import CitationMention, Collection, DiscardReason
from corpus.questions.jobs.mentions import link_mentions

LONGEST_NOTE = 500
UNDISCARDED: dict[str, Any] = {"discarded_at": None, "discarded_by": None, "discard_reason": "", "discard_note": ""}


@transaction.atomic
def discard_mention(
    *, by: User | None, at: datetime, mention: CitationMention, reason: DiscardReason, note: str = ""
) -> None:
    """Leave a mention out of all samples; questions that were written from it stay."""
    check_manager(mention.collection, by)
    note = " ".join(note.split())
    if reason not in DiscardReason.values:
        raise Refused("Say why: choose one of the reasons.")
    if len(note) > LONGEST_NOTE:
        raise Refused(f"A note has at most {LONGEST_NOTE} characters.")
    if reason == DiscardReason.OTHER and not note:
        raise Refused("Say in the note what the other reason is.")
    values: dict[str, Any] = {"discarded_at": at, "discarded_by": by, "discard_reason": reason, "discard_note": note}
    _change(by, at, mention, "discard_mention", values, reason=reason, note=note)


@transaction.atomic
def restore_mention(*, by: User | None, at: datetime, mention: CitationMention) -> None:
    """Take a discarded mention among the usable ones again."""
    check_manager(mention.collection, by)
    _change(by, at, mention, "restore_mention", UNDISCARDED, was=mention.discard_reason)


@transaction.atomic
def relink_mentions(*, by: User | None, at: datetime, collection: Collection) -> int:
    """Look up again which documents the mentions cite and come from; returns how many links changed."""
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    changed = link_mentions(collection.pk)
    if changed:
        record_event(by=by, at=at, verb="relink_mentions", target=collection, scope=collection, changed=changed)
    return changed


def _change(
    by: User | None, at: datetime, mention: CitationMention, verb: str, values: dict[str, Any], **facts: object
) -> None:
    """Write if nobody was faster: discarded ones are restored, others discarded."""
    is_restoring = values["discarded_at"] is None
    found = CitationMention.objects.filter(pk=mention.pk, discarded_at__isnull=not is_restoring)
    if not found.update(**values):
        raise Conflict("It is no longer discarded." if is_restoring else "It has been discarded already.")
    mention.refresh_from_db(fields=list(values))
    record_event(by=by, at=at, verb=verb, target=mention, scope=mention.collection, **facts)
