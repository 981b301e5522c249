"""Asking for the sanity check of citation contexts, and taking it back."""

from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from adjudication.models import ContextCheck
from adjudication.permissions import check_adjudicator
from corpus.models import Collection
from corpus.retrieval.analysis import LUCENE, STEMMERS, TOKENS

PORTER = "porter"


@transaction.atomic
def request_context_check(
    *,
    collection: Collection,
    by: User | None,
    at: datetime,
    tokens: str = LUCENE,
    stemmer: str = PORTER,
    k1: float = 0.9,
    b: float = 0.4,
    drafts: bool = False,
    send: bool = True,
) -> ContextCheck:
    """Ask for BM25 over the collection against the contexts' qrels; the defaults are ACM-CR's (Anserini's).

    `drafts` includes what nobody has confirmed. `send=False` leaves the work to the caller.
    Errors: Refused for settings out of range, Conflict while another check of the collection is under way.
    """
    check_adjudicator(collection, by)
    if tokens not in TOKENS or stemmer not in STEMMERS:
        raise Refused(f"Tokens are one of {', '.join(TOKENS)}, the stemmer one of {', '.join(STEMMERS)}.")
    if not (0 <= k1 <= 100 and 0 <= b <= 1):
        raise Refused("k1 lies between 0 and 100, b between 0 and 1.")
    if not collection.papers.exists():
        raise Refused("The collection has no papers, so there are no contexts to check.")
    if ContextCheck.objects.filter(collection=collection).exclude(state__in=FINAL_STATES).exists():
        raise Conflict("Another check of this collection is under way. Wait for it or cancel it.")
    parameters = {"tokens": tokens, "stemmer": stemmer, "k1": k1, "b": b, "drafts": drafts}
    fields = {"collection": collection, "parameters": parameters}
    if send:
        job = jobs.new_job(ContextCheck, by=by, at=at, **fields)
    else:
        job = ContextCheck.objects.create(requested_by=by, requested_at=at, **fields)
    record_event(by=by, at=at, verb="request_context_check", target=job, scope=collection.slug, **parameters)
    return job


@transaction.atomic
def cancel_context_check(*, job: ContextCheck, by: User, at: datetime) -> None:
    """Ask the check to stop. Errors: Conflict when it has ended."""
    check_adjudicator(job.collection, by)
    if job.is_final:
        raise Conflict(f"It has ended already: {job.get_state_display()}.")
    jobs.cancel(job, at=at)
    record_event(by=by, at=at, verb="cancel_context_check", target=job, scope=job.collection.slug)
