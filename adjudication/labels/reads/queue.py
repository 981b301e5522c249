"""The adjudicator's queue: verdicts of one criterion by what they need, lowest agreement first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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

from accounts.models import JobState, User
from adjudication.labels.reads.ballots import KINDS
from adjudication.labels.reads.staleness import count_newer, newer_judgments
from adjudication.models import Method, Verdict, VoteRun
from annotation.models import Assignment, AssignmentState, Campaign, Criterion, Judgment, Submission, SubmissionKind

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
# Answers whose transaction had not ended when the labels were read may have lower ids than the newest that was read.
IN_FLIGHT = 1000
ASSIGNED_STATES = [AssignmentState.PENDING, AssignmentState.DONE]


@dataclass(frozen=True)
class VoteStanding:
    """Where a campaign's vote stands: the newest finished one, the newest job, answers since the former."""

    run: VoteRun | None
    job: VoteRun | None
    newer: int

    @property
    def is_stale(self) -> bool:
        return self.newer > 0

    @property
    def since(self) -> str:
        """The labels that came after the count, in words."""
        return newer_judgments(self.newer)


def fetch_vote_standing(campaign: Campaign) -> VoteStanding:
    """The newest count of votes that ended, the newest of all, and how many votes have changed since the former.

    Labels of those who have no vote in it change nothing.
    """
    runs = VoteRun.objects.filter(campaign=campaign).order_by("-pk")
    done = runs.filter(state=JobState.DONE).first()
    newer = count_newer(campaign, done.snapshot, kinds=KINDS[done.voters]) if done else 0
    return VoteStanding(done, runs.first(), newer)


def count_short(run: VoteRun | None) -> int:
    """How many items the newest count left unresolved because they had fewer votes than it asked for."""
    if run is None or not run.counts.get("unresolved"):
        return 0
    unresolved = Verdict.objects.filter(item__campaign=run.campaign_id, method=Method.UNRESOLVED)
    return unresolved.filter(n_votes__lt=run.min_votes).count()


def queue_of(
    criterion: Criterion, chosen: str, *, topic: int | None = None, run: VoteRun | None = None
) -> QuerySet[Verdict]:
    """The verdicts under one of `FILTERS`, lowest agreement first; unknown filters are the first one.

    Each has `late`: whether its votes are no longer those its decision stands on. `run` is the newest count; it is
    asked for where it is not given.
    """
    conditions = _conditions(run or newest_count(criterion.campaign_id))
    rows = _verdicts(criterion, topic).filter(conditions.get(chosen, conditions["open"]))
    return rows.annotate(late=_as_flag(conditions["late"])).order_by(*ORDER)


def queue_counts(criterion: Criterion, *, topic: int | None = None, run: VoteRun | None = None) -> dict[str, int]:
    """How many verdicts each filter has. One query where the newest count is given as `run`."""
    conditions = _conditions(run or newest_count(criterion.campaign_id))
    counted: dict[str, Any] = {name: Count("pk", filter=conditions[name]) for name in FILTERS}
    return dict(_verdicts(criterion, topic).aggregate(**counted))


def _verdicts(criterion: Criterion, topic: int | None) -> QuerySet[Verdict]:
    rows = Verdict.objects.filter(criterion=criterion)
    return rows if topic is None else rows.filter(item__topic=topic)


def _as_flag(condition: Q) -> Case:
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def count_late(criterion: Criterion) -> int:
    """How many more decisions newer votes will reopen when the votes are counted again."""
    late = _conditions(newest_count(criterion.campaign_id))["late"]
    return Verdict.objects.filter(late, criterion=criterion, reopened_at=None).count()


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
    mine = Assignment.objects.filter(item=OuterRef("item"), annotator__user=user, state__in=ASSIGNED_STATES)
    return rows.filter(~Exists(mine))


def acceptable(
    criterion: Criterion, methods: Sequence[str], *, user: User, topic: int | None = None, value: int | None = None
) -> QuerySet[Verdict]:
    """Votes that may be accepted in bulk: nobody has decided them, nothing has reopened them, nobody is still asked,
    and the votes are still those that were counted. `topic` (its id) and `value` narrow them.
    """
    rows = _acceptable(criterion, methods, user, topic)
    return (rows if value is None else rows.filter(value=value)).filter(
        ~_changed_since(newest_count(criterion.campaign_id))
    )


def count_outdated(criterion: Criterion, methods: Sequence[str], *, user: User, topic: int | None = None) -> int:
    """How many `acceptable` leaves out because their votes have changed since they were counted."""
    rows = _acceptable(criterion, methods, user, topic)
    return rows.filter(_changed_since(newest_count(criterion.campaign_id))).count()


def _acceptable(criterion: Criterion, methods: Sequence[str], user: User, topic: int | None) -> QuerySet[Verdict]:
    rows = _verdicts(criterion, topic).filter(method__in=methods, decided_at=None, reopened_at=None)
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


def newest_count(campaign: int) -> VoteRun | None:
    """The newest finished count of votes of the campaign of this id."""
    return VoteRun.objects.filter(campaign=campaign, state=JobState.DONE).order_by("-pk").first()


def newest_counts(campaigns: QuerySet[Campaign]) -> list[VoteRun]:
    """The newest finished count of each of these campaigns that has one. One query."""
    rows = VoteRun.objects.filter(campaign__in=campaigns, state=JobState.DONE)
    return list(rows.order_by("campaign", "-pk").distinct("campaign"))


def needs_decision(run: VoteRun) -> Q:
    """Verdicts of the counted campaign that wait for a decision by hand."""
    return Q(item__campaign=run.campaign_id) & _conditions(run)["open"]


def _changed_since(run: VoteRun | None) -> Q:
    """Verdicts whose votes, by the rules of this newest count, are no longer those they stand on.

    Whatever the order of things, this is what the next count would find; only items with new answers are looked at.
    """
    if run is None:
        return Q(pk__in=[])
    newest = (run.snapshot or 0) - IN_FLIGHT
    newer = Submission.objects.filter(assignment__item__campaign=run.campaign_id, pk__gt=newest)
    votes = Judgment.objects.filter(
        assignment__item=OuterRef("item"),
        criterion=OuterRef("criterion"),
        assignment__state=AssignmentState.DONE,
        assignment__repeat=0,
        assignment__annotator__kind__in=KINDS[run.voters],
    )
    vote = Func(F("assignment__annotator_id"), F("value"), function="jsonb_build_array", output_field=JSONField())
    whole = votes.order_by().values("assignment__item").annotate(all=JSONBAgg(vote, order_by="assignment__annotator"))
    now = Coalesce(Subquery(whole.values("all")), Value([], output_field=JSONField()))
    return Q(item__in=newer.values("assignment__item")[:_ALL]) & ~Q(votes=now)


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
_DECIDED = Q(decided_at__isnull=False)


def _conditions(run: VoteRun | None) -> dict[str, Q]:
    """What each of `FILTERS` holds, given the newest count; `late` are decisions with newer votes, not counted yet."""
    late = _DECIDED & _changed_since(run)
    reopened = Q(reopened_at__isnull=False) | late
    return {
        "late": late,
        "open": (_TIE & ~_SENT) | reopened,
        "tie": _TIE,
        "reopened": reopened,
        "machine": Q(machine_differs=True),
        "flagged": _FLAGGED,
        "majority": Q(method=Method.MAJORITY, decided_at=None),
        "few": Q(method=Method.UNRESOLVED, n_votes__lt=F("vote_run__min_votes")),
        "sent": _SENT,
        "decided": _DECIDED,
    }
