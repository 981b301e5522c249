"""Making sub-queries of complex queries, and taking them away again."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused, as_refusal
from corpus.collections.rules import check_manager
from corpus.models import Collection
from corpus.topics.jobs.sub_queries import SubQueryCounts, make_all

MOST_ASPECTS = 6  # of one sub-query; all combinations of more are more than anybody evaluates


@dataclass(frozen=True)
class MadeSubQueries:
    """The sub-queries of `size` aspects that a collection has now, and what had to be done."""

    collection: Collection
    size: int
    counts: SubQueryCounts


@transaction.atomic
def make_sub_queries(*, by: User | None, at: datetime, collection: Collection, size: int) -> MadeSubQueries:
    """Make the sub-queries of `size` aspects of all topics what the rule gives now. Doing it twice changes nothing.

    Errors: Refused for a size out of range and where no topic has that many aspects.
    """
    check_manager(collection, by)
    if not 1 <= size <= MOST_ASPECTS:
        raise Refused(f"A sub-query has between 1 and {MOST_ASPECTS} aspects.")
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    try:
        with transaction.atomic():
            counts = make_all(collection, size)
    except IntegrityError as error:
        if isinstance(refusal := as_refusal(error), Refused):
            raise refusal from error
        raise Conflict(
            "Two topics have numbers that give their sub-queries the same number, or somebody changed the aspects at "
            "the same moment."
        ) from error
    if not counts.total and not counts.removed:
        raise Refused(f"No topic has {size} aspects, so there is nothing to combine.")
    facts = {"size": size, "created": counts.created, "updated": counts.updated, "removed": counts.removed}
    record_event(by=by, at=at, verb="make_sub_queries", target=collection, scope=collection, **facts)
    return MadeSubQueries(collection, size, counts)


@transaction.atomic
def remove_sub_queries(*, by: User | None, at: datetime, collection: Collection, size: int) -> int:
    """Take the sub-queries of this size away; returns how many there were. They can be made again at any time."""
    check_manager(collection, by)
    found = collection.sub_queries.filter(size=size)
    count = found.count()
    found.delete()
    if count:
        record_event(
            by=by,
            at=at,
            verb="remove_sub_queries",
            target=collection,
            scope=collection,
            size=size,
            removed=count,
        )
    return count
