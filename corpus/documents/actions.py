"""Documents made searchable after that has failed."""

from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict
from corpus.collections.rules import check_manager
from corpus.models import Collection, Indexing


@transaction.atomic
def index_again(*, by: User | None, at: datetime, collection: Collection, send: bool = True) -> Indexing:
    """Enter into the search what of the collection is not in it; `send=False` leaves the work to the caller.

    Errors: Conflict while a worker does so.
    """
    check_manager(collection, by)
    if send and collection.indexings.exclude(state__in=FINAL_STATES).exists():
        raise Conflict("The documents are being indexed already.")
    indexing = jobs.new_job(Indexing, by=by, at=at, send=send, collection=collection)
    record_event(by=by, at=at, verb="request_indexing", target=indexing, scope=collection)
    return indexing
