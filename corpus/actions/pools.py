"""Building pools from what the collection has: runs and known targets."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from corpus.models import Collection
from corpus.permissions import check_manager
from corpus.runs.pools import TARGETS, measure_pools, pool_runs, pool_targets

MOST_DEPTH = 100_000


@dataclass(frozen=True, slots=True)
class BuiltPools:
    """`topics` have a pool now, with `pairs` (topic, document) in all; `methods` is how many pairs each method has."""

    topics: int
    pairs: int
    new: int
    methods: dict[str, int]
    seconds: float


@transaction.atomic
def build_pools(
    *, collection: Collection, by: User | None, at: datetime, methods: Sequence[str] = (), depth: int = 100
) -> BuiltPools:
    """Put the union of the first `depth` documents of each run into the pools, keeping which method brought what.

    `methods` are names of runs, and “targets” for documents known to answer a topic; all of them when empty. Building
    again changes nothing but what is new. Errors: Refused for unknown methods, and when there is nothing to pool.
    """
    check_manager(collection, by)
    if not 1 <= depth <= MOST_DEPTH:
        raise Refused(f"The depth lies between 1 and {MOST_DEPTH:,}.")
    started = time.perf_counter()
    runs, with_targets = _choose(collection, methods)
    parts = [pool_runs(collection.pk, runs, depth)] if runs else []
    parts += [pool_targets(collection.pk)] if with_targets else []
    counts = {method: count for part in parts for method, count in part.methods.items()}
    topics, pairs = measure_pools(collection.pk)
    built = BuiltPools(topics, pairs, sum(part.new for part in parts), counts, time.perf_counter() - started)
    record_event(
        by=by,
        at=at,
        verb="build_pools",
        target=collection,
        scope=collection.slug,
        depth=depth,
        methods=counts,
        new=built.new,
    )
    return built


def _choose(collection: Collection, methods: Sequence[str]) -> tuple[list[str], bool]:
    """Names of runs, and whether targets are pooled."""
    runs = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
    targets = collection.topics.filter(targets__isnull=False).exists()
    known = [*runs, TARGETS] if targets else runs
    if not known:
        raise Refused("There is nothing to pool yet: import runs, or topics with known target documents.")
    unknown = [method for method in methods if method not in known]
    if unknown:
        raise Refused(f"No such method: {', '.join(unknown)}. There are {', '.join(known)}.")
    chosen = list(methods) or known
    return [run for run in runs if run in chosen], targets and TARGETS in chosen
