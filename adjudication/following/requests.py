"""Asking for a new count of a campaign's work."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from adjudication.following.counting import queue_count
from annotation.models import Campaign, WorkSummary
from corpus.collections.rules import check_manager


@transaction.atomic
def request_count(*, campaign: Campaign, by: User | None, at: datetime) -> WorkSummary:
    """Count now instead of at the next minute. A count that waits or runs already is returned as it is.

    Errors: NotAllowed for others than managers, Conflict while the collection is archived.
    """
    check_manager(campaign.collection, by)
    summary = queue_count(campaign.pk, by=by, at=at)
    record_event(by=by, verb="count_work", target=campaign, scope=campaign.collection, at=at)
    return summary
