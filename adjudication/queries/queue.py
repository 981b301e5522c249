"""The adjudicator's queue: verdicts of one criterion by what they need, lowest agreement first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from accounts.models import JobState, User
from adjudication.models import Method, Verdict, VoteRun
from adjudication.queries.labels import count_newer
from annotation.models import Assignment, AssignmentState, Campaign, Criterion, Submission, SubmissionKind

FILTERS = {
    "open": "Needs a decision",
    "tie": "Tied",
    "reopened": "Reopened",
    "machine": "Machine differs",
    "flagged": "Flagged",
    "majority": "Majority, to check",
    "few": "Too few votes",
    "sent": "Sent back",
    "decided": "Decided",
}
ORDER = ("agreement", "pk")
HELD = [AssignmentState.PENDING, AssignmentState.DONE]


@dataclass(frozen=True)
class VoteStanding:
    """Where a campaign's vote stands: the newest finished one, the newest job, answers since the former."""

    run: VoteRun | None
    job: VoteRun | None
    newer: int

    @property
    def is_stale(self) -> bool:
        return self.newer > 0


def fetch_vote_standing(campaign: Campaign) -> VoteStanding:
    runs = VoteRun.objects.filter(campaign=campaign).order_by("-pk")
    done = runs.filter(state=JobState.DONE).first()
    return VoteStanding(done, runs.first(), count_newer(campaign, done.snapshot) if done else 0)


def queue_of(criterion: Criterion, chosen: str, *, topic: int | None = None) -> QuerySet[Verdict]:
    """The verdicts under one of `FILTERS`, lowest agreement first; unknown filters are the first one."""
    rows = Verdict.objects.filter(criterion=criterion)
    if topic is not None:
        rows = rows.filter(item__topic=topic)
    return rows.filter(_CONDITIONS.get(chosen, _CONDITIONS["open"])).order_by(*ORDER)


def queue_counts(criterion: Criterion, *, topic: int | None = None) -> dict[str, int]:
    """How many verdicts each filter has. One query."""
    rows = Verdict.objects.filter(criterion=criterion)
    if topic is not None:
        rows = rows.filter(item__topic=topic)
    counted: dict[str, Any] = {name: Count("pk", filter=condition) for name, condition in _CONDITIONS.items()}
    return dict(rows.aggregate(**counted))


def next_after(rows: QuerySet[Verdict], verdict: Verdict) -> Verdict | None:
    """The next one of an ordered queue, whether `verdict` is still in it or not; from its end back to the start."""
    later = Q(agreement__gt=verdict.agreement) | Q(agreement=verdict.agreement, pk__gt=verdict.pk)
    return rows.filter(later).first() or rows.exclude(pk=verdict.pk).first()


def previous_to(rows: QuerySet[Verdict], verdict: Verdict) -> Verdict | None:
    """The one before in an ordered queue, None at its start."""
    earlier = Q(agreement__lt=verdict.agreement) | Q(agreement=verdict.agreement, pk__lt=verdict.pk)
    return rows.filter(earlier).reverse().first()


def without_own(rows: QuerySet[Verdict], user: User) -> QuerySet[Verdict]:
    """Leave out items the person judged or still has to judge."""
    mine = Assignment.objects.filter(item=OuterRef("item"), annotator__user=user, state__in=HELD)
    return rows.filter(~Exists(mine))


def acceptable(
    criterion: Criterion, methods: Sequence[str], *, user: User, topic: int | None = None
) -> QuerySet[Verdict]:
    """Votes that may be accepted in bulk: nobody has decided them, nothing has reopened them, nobody is still asked."""
    rows = Verdict.objects.filter(criterion=criterion, method__in=methods, decided_at=None, reopened_at=None)
    if topic is not None:
        rows = rows.filter(item__topic=topic)
    return without_own(rows.filter(~_SENT), user).order_by("pk")


@dataclass(frozen=True)
class Acceptance:
    """Votes somebody accepted together: when, and how many of them still stand so."""

    at: datetime
    count: int


def latest_acceptance(campaign: Campaign, user: User) -> Acceptance | None:
    """The person's newest bulk acceptance that can still be taken back."""
    mine = Verdict.objects.filter(item__campaign=campaign, decided_by=user).exclude(method=Method.BY_HAND)
    newest = mine.values("decided_at").annotate(n=Count("pk")).order_by("-decided_at").first()
    return Acceptance(newest["decided_at"], newest["n"]) if newest and newest["decided_at"] else None


# Answers that came after the decision: the decision asks to be looked at again before any new vote is counted.
_LATE = Exists(
    Submission.objects.filter(
        assignment__item=OuterRef("item"),
        assignment__state=AssignmentState.DONE,
        assignment__annotator__kind="human",
        assignment__repeat=0,
        received_at__gt=OuterRef("decided_at"),
    )
)
_REOPENED = Q(reopened_at__isnull=False) | (Q(method=Method.BY_HAND) & Q(_LATE))
# Sets of items rather than a question for each verdict. The bound keeps PostgreSQL from turning them into a walk of
# the whole queue: it computes and hashes the set once.
_ALL = 10_000_000
_SENT = Q(
    item__in=Assignment.objects.filter(
        item__extra_overlap__gt=0,
        slot__isnull=False,
        state__in=[AssignmentState.OPEN, AssignmentState.PENDING],
    ).values("item")[:_ALL]
)
_FLAGGED = Q(
    item__in=Submission.objects.filter(
        flagged=True,
        kind__in=[SubmissionKind.ANSWER, SubmissionKind.IMPORT],
        assignment__state=AssignmentState.DONE,
    ).values("assignment__item")[:_ALL]
)
_TIE = Q(method=Method.UNRESOLVED, n_votes__gte=F("vote_run__min_votes"))
NEEDS_DECISION = (_TIE & ~_SENT) | _REOPENED
_CONDITIONS = {
    "open": NEEDS_DECISION,
    "tie": _TIE,
    "reopened": _REOPENED,
    "machine": Q(machine_differs=True),
    "flagged": _FLAGGED,
    "majority": Q(method=Method.MAJORITY, decided_at=None),
    "few": Q(method=Method.UNRESOLVED, n_votes__lt=F("vote_run__min_votes")),
    "sent": _SENT,
    "decided": Q(decided_at__isnull=False),
}
