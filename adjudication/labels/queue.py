"""The adjudicator's queue: verdicts of one criterion by what they need, lowest agreement first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    F,
    Func,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from accounts.models import User
from adjudication.labels.ballots import has_vote, labels_on
from adjudication.labels.counts import newest_count
from adjudication.models import Method, Verdict, VoteRun
from adjudication.models.verdicts import UNSURE
from annotation.models import (
    FORMER,
    Annotator,
    Assignment,
    AssignmentState,
    Campaign,
    Criterion,
    Submission,
    SubmissionKind,
)
from corpus import long_lists

FILTERS = {
    "open": "Needs a decision",
    "tie": "Tied",
    "reopened": "Reopened",
    "machine": "Machine differs",
    "flagged": "Flagged",
    "majority": "Majority, to check",
    "unsure": "Unsure: probability under 90%",
    "few": "Too few votes",
    "sent": "Sent back",
    "decided": "Decided",
}
ORDER = ("agreement", "pk")
Parts = dict[str, list[Q]]
FEW_NEWER = 1_000  # items with newer answers that are looked up one by one
# Answers whose transaction had not ended when the labels were read may have lower ids than the newest that was read.
IN_FLIGHT = 1000


def queue_of(
    criterion: Criterion, chosen: str, *, topic: int | None = None, run: VoteRun | None = None
) -> QuerySet[Verdict]:
    """The verdicts under one of `FILTERS`, lowest agreement first; unknown filters are the first one.

    Each has `late`: whether its votes have changed since its decision. `run` is the newest count; it is read where it
    is not given.
    """
    parts = _parts(criterion.campaign_id, run)
    return _queue(criterion, topic, parts, _any(parts.get(chosen, parts["open"])))


def _queue(criterion: Criterion, topic: int | None, parts: Parts, condition: Q) -> QuerySet[Verdict]:
    rows = _verdicts(criterion, topic).filter(condition)
    late = Case(When(_any(parts["late"]), then=Value(True)), default=Value(False), output_field=BooleanField())
    return rows.annotate(late=late).order_by(*ORDER)


@dataclass(frozen=True)
class Queue:
    """The verdicts under a filter, lowest agreement first, as querysets that may share rows: all of a campaign in one,
    or, where there are very many, one for each index that finds some of them."""

    parts: tuple[QuerySet[Verdict], ...]

    def first(self, limit: int, named_by: Sequence[str] = ()) -> list[Verdict]:
        """The first `limit`, with these relations loaded."""
        return self._merge([part.select_related(*named_by)[:limit] for part in self.parts])[:limit]

    def next_after(self, verdict: Verdict) -> Verdict | None:
        """The next one, whether `verdict` is still in the queue or not; from its end back to the start."""
        later = Q(agreement__gt=verdict.agreement) | Q(agreement=verdict.agreement, pk__gt=verdict.pk)
        found = self._merge([part.filter(later, agreement__gte=verdict.agreement)[:1] for part in self.parts])
        found = found or self._merge([part.exclude(pk=verdict.pk)[:1] for part in self.parts])
        return found[0] if found else None

    def previous_to(self, verdict: Verdict) -> Verdict | None:
        """The one before, None at the start."""
        earlier = Q(agreement__lt=verdict.agreement) | Q(agreement=verdict.agreement, pk__lt=verdict.pk)
        before = [part.filter(earlier, agreement__lte=verdict.agreement).reverse()[:1] for part in self.parts]
        found = self._merge(before)
        return found[-1] if found else None

    @staticmethod
    def _merge(parts: Sequence[QuerySet[Verdict]]) -> list[Verdict]:
        found = {row.pk: row for part in parts for row in part}
        return sorted(found.values(), key=lambda row: (row.agreement, row.pk))


def fetch_queue(
    criterion: Criterion, chosen: str, *, topic: int | None = None, run: VoteRun | None = None, is_large: bool = False
) -> Queue:
    """`queue_of`, in parts where the campaign is large: no index serves "a tie, or reopened, or with newer votes"."""
    if not is_large:
        return Queue((queue_of(criterion, chosen, topic=topic, run=run),))
    parts = _parts(criterion.campaign_id, run, few_newer=True)
    return Queue(tuple(_queue(criterion, topic, parts, part) for part in parts.get(chosen, parts["open"])))


def queue_counts(criterion: Criterion, *, topic: int | None = None, run: VoteRun | None = None) -> dict[str, int]:
    """How many verdicts each filter has. One query where the newest count is given as `run`."""
    parts = _parts(criterion.campaign_id, run)
    counted: dict[str, Any] = {name: Count("pk", filter=_any(parts[name])) for name in FILTERS}
    return dict(_verdicts(criterion, topic).aggregate(**counted))


def count_open(
    criteria: Sequence[Criterion], *, topic: int | None = None, run: VoteRun | None = None
) -> dict[int, int]:
    """How many verdicts of each of these criteria of a campaign, by its id, need a decision. One query, as above."""
    is_open = _any(_parts(criteria[0].campaign_id, run)["open"])
    rows = Verdict.objects.filter(is_open, criterion__in=criteria)
    rows = rows if topic is None else rows.filter(item__topic=topic)
    return dict(rows.order_by().values_list("criterion").annotate(count=Count("pk")))


def count_some_of_queue(
    criterion: Criterion, *, topic: int | None = None, run: VoteRun | None = None, names: Sequence[str] = ()
) -> dict[str, int]:
    """`queue_counts` of a large campaign, of all filters or those named: MOST_COUNTED + 1 stands for any more."""
    return {name: len(pks) for name, pks in _some_of_queue(criterion, topic, run, names).items()}


def _some_of_queue(
    criterion: Criterion, topic: int | None, run: VoteRun | None, names: Sequence[str] = ()
) -> dict[str, frozenset[int]]:
    """Ids under each filter, up to MOST_COUNTED + 1 of them."""
    parts = _parts(criterion.campaign_id, run, few_newer=True)
    rows = _verdicts(criterion, topic).order_by(*ORDER).values_list("pk", flat=True)
    most = long_lists.MOST_COUNTED + 1
    found: dict[int, list[int]] = {}  # by the part: some stand in several filters
    for part in (part for name in names or FILTERS for part in parts[name]):
        if id(part) not in found:
            found[id(part)] = list(rows.filter(part)[:most])
    together = {name: {pk for part in parts[name] for pk in found[id(part)]} for name in names or FILTERS}
    return {name: frozenset(sorted(pks)[:most]) for name, pks in together.items()}


@dataclass(frozen=True)
class CountedFilter:
    """Filters that hold the same `count` verdicts, by the order of FILTERS; one of them is enough to be offered."""

    names: list[str]
    count: int


def count_filters(
    criterion: Criterion, *, topic: int | None = None, run: VoteRun | None = None, is_large: bool = False
) -> list[CountedFilter]:
    """Every filter once, with those that differ in nothing together. Two queries in a campaign that is not large.

    In a large one counts are as in `count_some_of_queue`, and what is more than MOST_COUNTED is taken to differ.
    """
    if is_large:
        some = _some_of_queue(criterion, topic, run)
        counts = {name: len(pks) for name, pks in some.items()}
        same = {pair for pair in _pairs(counts) if some[pair[0]] == some[pair[1]]}
        same = {pair for pair in same if counts[pair[0]] <= long_lists.MOST_COUNTED}
    else:
        counts = queue_counts(criterion, topic=topic, run=run)
        same = _same_filters(_verdicts(criterion, topic), _parts(criterion.campaign_id, run), list(_pairs(counts)))
    found: list[CountedFilter] = []
    for name, count in counts.items():
        known = next((each for each in found if (each.names[0], name) in same), None)
        if known:
            known.names.append(name)
        else:
            found.append(CountedFilter([name], count))
    return found


def _pairs(counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Filters that have as many verdicts as an earlier one, and may hold the same."""
    return ((one, other) for one, other in combinations(counts, 2) if counts[one] == counts[other] > 0)


def _same_filters(rows: QuerySet[Verdict], parts: Parts, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of the pairs, which have as many each, of which one holds nothing that the other does not."""
    if not pairs:
        return set()
    outside = [
        Q(_any(parts[one])) & Q(Case(When(_any(parts[other]), then=False), default=True, output_field=BooleanField()))
        for one, other in pairs
    ]
    counted: dict[str, Any] = {f"pair_{place}": Count("pk", filter=each) for place, each in enumerate(outside)}
    found = rows.aggregate(**counted)
    return {pair for place, pair in enumerate(pairs) if not found[f"pair_{place}"]}


def _verdicts(criterion: Criterion, topic: int | None) -> QuerySet[Verdict]:
    rows = Verdict.objects.filter(criterion=criterion)
    return rows if topic is None else rows.filter(item__topic=topic)


def count_late(criterion: Criterion) -> int:
    """How many more decisions newer votes will reopen when the votes are counted again."""
    late = _any(_parts(criterion.campaign_id)["late"])
    return Verdict.objects.filter(late, criterion=criterion, reopened_at=None).count()


def without_own(rows: QuerySet[Verdict], campaign: int, user: User) -> QuerySet[Verdict]:
    """Leave out items the person judged or still has to judge. One query more."""
    own = list(Annotator.objects.filter(campaign=campaign, user=user).values_list("pk", flat=True))
    states = [AssignmentState.PENDING, AssignmentState.DONE]
    mine = Assignment.objects.filter(item=OuterRef("item"), annotator__in=own, state__in=states)
    return rows.filter(~Exists(mine)) if own else rows


def acceptable(
    criterion: Criterion,
    methods: Sequence[str],
    *,
    user: User,
    topic: int | None = None,
    value: int | None = None,
    to_show: bool = False,
) -> QuerySet[Verdict]:
    """Votes that may be accepted in bulk: nobody has decided them, nothing has reopened them, nobody is still asked,
    and the votes are still those that were counted. `topic` (its id) and `value` narrow them.

    `to_show` may miss an answer that comes in the same moment; what accepts them must not.
    """
    rows = _acceptable(criterion, methods, user, topic)
    changed = _changed_since(newest_count(criterion.campaign_id), few_newer=to_show)
    return (rows if value is None else rows.filter(value=value)).filter(~changed)


def is_acceptable(criterion: Criterion, methods: Sequence[str], *, user: User, run: VoteRun | None) -> bool:
    """Whether `acceptable` has any, to show; `run` is the newest count."""
    rows = _acceptable(criterion, methods, user, None)
    return rows.filter(~_changed_since(run, few_newer=True)).exists()


def count_outdated(criterion: Criterion, methods: Sequence[str], *, user: User, topic: int | None = None) -> int:
    """How many `acceptable` leaves out because their votes have changed since they were counted."""
    rows = _acceptable(criterion, methods, user, topic)
    return rows.filter(_changed_since(newest_count(criterion.campaign_id), few_newer=True)).count()


def _acceptable(criterion: Criterion, methods: Sequence[str], user: User, topic: int | None) -> QuerySet[Verdict]:
    rows = _verdicts(criterion, topic).filter(method__in=methods, decided_at=None, reopened_at=None)
    return without_own(rows.filter(~_sent(criterion.campaign_id)), criterion.campaign_id, user).order_by("pk")


@dataclass(frozen=True)
class Acceptance:
    """Votes somebody accepted together: when, and how many of them still stand so, MOST_COUNTED + 1 for any more."""

    at: datetime
    count: int

    @property
    def count_text(self) -> str:
        most = long_lists.MOST_COUNTED
        return f"more than {most:,}" if self.count > most else f"{self.count:,}"


def latest_acceptance(campaign: Campaign, user: User) -> Acceptance | None:
    """The person's newest bulk acceptance that can still be taken back."""
    mine = Verdict.objects.filter(criterion__campaign=campaign, decided_by=user).exclude(method=Method.BY_HAND)
    newest = mine.order_by("-decided_at").values_list("decided_at", flat=True).first()
    return Acceptance(newest, long_lists.count_some(mine.filter(decided_at=newest))) if newest else None


def needs_decision(run: VoteRun) -> Q:
    """Verdicts of the counted campaign that wait for a decision by hand."""
    return Q(item__campaign=run.campaign_id) & _any(_parts(run.campaign_id, run)["open"])


def _changed_since(run: VoteRun | None, *, few_newer: bool = False) -> Q:
    """Verdicts whose votes, by the rules of this newest count, are no longer those they stand on.

    Whatever the order of things, this is what the next count would find; only items with new answers are looked at.
    `few_newer` finds these items first: where they are few among very many, they are then looked up one by one.
    """
    if run is None:
        return Q(pk__in=[])
    newest = (run.snapshot or 0) - IN_FLIGHT
    newer = Submission.objects.filter(assignment__item__campaign=run.campaign_id, pk__gt=newest)
    items: Any = newer.values("assignment__item")[:_ALL]
    if few_newer:
        found = set(newer.values_list("assignment__item", flat=True)[: FEW_NEWER + 1])
        items = found if len(found) <= FEW_NEWER else items
    labels = labels_on(OuterRef("item"), OuterRef("criterion"))
    votes = labels.filter(has_vote(run.voters, "assignment__annotator__"), assignment__repeat=0)
    vote = Func(F("assignment__annotator_id"), F("value"), function="jsonb_build_array", output_field=JSONField())
    whole = votes.order_by().values("assignment__item").annotate(all=JSONBAgg(vote, order_by="assignment__annotator"))
    now = Coalesce(Subquery(whole.values("all")), Value([], output_field=JSONField()))
    return Q(item__in=items) & ~Q(votes=now)


# Sets of items rather than a question for each verdict. The bound keeps PostgreSQL from turning them into a walk of
# the whole queue: it computes and hashes the set once.
_ALL = 10_000_000


def _sent(campaign: int) -> Q:
    states = [AssignmentState.OPEN, AssignmentState.PENDING]
    asked = Assignment.objects.filter(item__campaign=campaign, item__extra_overlap__gt=0, slot__isnull=False)
    return Q(item__in=asked.filter(state__in=states).values("item")[:_ALL])


def _flagged(campaign: int) -> Q:
    flagged = Submission.objects.filter(flagged=True, kind__in=[SubmissionKind.ANSWER, SubmissionKind.IMPORT])
    done = {"assignment__state": AssignmentState.DONE, "assignment__repeat__lt": FORMER}
    counted = flagged.filter(assignment__item__campaign=campaign, **done)
    return Q(item__in=counted.values("assignment__item")[:_ALL])


_DECIDED = Q(decided_at__isnull=False)


def _parts(campaign: int, run: VoteRun | None = None, *, few_newer: bool = False) -> Parts:
    """The conditions of each of `FILTERS`: it holds the verdicts for which one of them is true.

    `late` are decisions with newer votes, not counted yet. `run` is the newest count, read where it is not given.
    """
    run = run or newest_count(campaign)
    late = _DECIDED & _changed_since(run, few_newer=few_newer)
    reopened = [Q(reopened_at__isnull=False), late]
    sent = _sent(campaign)
    fewest: Any = run.min_votes if few_newer and run else F("vote_run__min_votes")  # the same, which an index can use
    tie = Q(method=Method.UNRESOLVED, n_votes__gte=fewest)
    return {
        "late": [late],
        "open": [tie & ~sent, *reopened],
        "tie": [tie],
        "reopened": reopened,
        "machine": [Q(machine_differs=True)],
        "flagged": [_flagged(campaign)],
        "majority": [Q(method=Method.MAJORITY, decided_at=None)],
        "unsure": [Q(probability__lt=UNSURE, decided_at=None)],
        "few": [Q(method=Method.UNRESOLVED, n_votes__lt=fewest)],
        "sent": [sent],
        "decided": [_DECIDED],
    }


def _any(conditions: Sequence[Q]) -> Q:
    return reduce(or_, conditions)
