"""A second person's review of a topic: requested, decided, withdrawn.

An approval is of one content: any other makes it stale."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models, transaction
from django.db.models import Case, Count, Exists, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Reason, Refused
from corpus.collections.rules import DECIDE, check_can_manage, check_role
from corpus.models import (
    AspectRemark,
    Collection,
    Membership,
    ReviewVerdict,
    Topic,
    TopicKind,
    TopicReview,
    TopicVersion,
)
from corpus.topics.history import CHANGED_SINCE
from corpus.topics.versions import keep_first_versions, locked_topic


class ReviewState(models.TextChoices):
    NONE = "none", "not reviewed"
    WAITING = "waiting", "waiting for a review"
    CHANGES = "changes", "changes asked for"
    APPROVED = "approved", "approved"
    STALE = "stale", "changed since it was approved"


NO_REQUEST: dict[str, str] = {
    ReviewState.WAITING: "A review has been asked for already.",
    ReviewState.APPROVED: "It is already approved in its current version.",
}


@dataclass(frozen=True)
class ReviewPart:
    """What the page of a topic tells about its review. `why_not` is why this person cannot decide, or ""."""

    state: ReviewState
    review: TopicReview | None  # the newest one that was not withdrawn
    why_no_request: str
    why_not: str
    is_changed: bool  # since the version that was reviewed, or given to review


def with_review_state(topics: QuerySet[Topic]) -> QuerySet[Any]:
    """The topics with `review_state`, one of `ReviewState`."""
    reviews = TopicReview.objects.filter(topic=OuterRef("pk")).exclude(verdict=ReviewVerdict.WITHDRAWN).order_by("-pk")
    versions = TopicVersion.objects.filter(topic=OuterRef("pk")).order_by("-number")
    found = topics.annotate(
        last_verdict=Subquery(reviews.values("verdict")[:1]),
        approved_as=Subquery(reviews.values("version__fingerprint")[:1]),
        reads_as=Subquery(versions.values("fingerprint")[:1]),
    )
    return found.annotate(
        review_state=Case(
            When(last_verdict=ReviewVerdict.OPEN, then=Value(ReviewState.WAITING)),
            When(last_verdict=ReviewVerdict.CHANGES, then=Value(ReviewState.CHANGES)),
            When(last_verdict=ReviewVerdict.APPROVED, approved_as=F("reads_as"), then=Value(ReviewState.APPROVED)),
            When(last_verdict=ReviewVerdict.APPROVED, then=Value(ReviewState.STALE)),
            default=Value(ReviewState.NONE),
            output_field=models.CharField(),
        )
    )


def not_approved(topics: QuerySet[Topic]) -> QuerySet[Any]:
    """Those complex queries among them that no second person has approved as they are now."""
    return with_review_state(topics.filter(kind=TopicKind.COMPLEX_QUERY)).exclude(review_state=ReviewState.APPROVED)


def open_review(topic: Topic) -> TopicReview | None:
    return topic.reviews.filter(verdict=ReviewVerdict.OPEN).select_related("requested_by").first()


def last_approved(topic: Topic) -> TopicVersion | None:
    """The version that was approved last, whatever has changed since."""
    return TopicVersion.objects.filter(reviews__topic=topic, reviews__verdict=ReviewVerdict.APPROVED).last()


def authors_of(topic: Topic) -> set[int]:
    """Ids of those who wrote what is to be reviewed: who changed it since it was last approved."""
    approved = last_approved(topic)
    written = topic.versions.filter(number__gt=approved.number if approved else 0)
    return set(written.exclude(saved_by=None).order_by().values_list("saved_by_id", flat=True).distinct())


def reviewable_by(user: User) -> QuerySet[Topic]:
    """Topics that wait for a review this person may give: asked for by somebody else, and not changed by them."""
    approved = TopicVersion.objects.filter(reviews__topic=OuterRef("topic"), reviews__verdict=ReviewVerdict.APPROVED)
    last = Coalesce(Subquery(approved.order_by("-number").values("number")[:1]), Value(0))
    own = TopicVersion.objects.filter(topic=OuterRef("pk"), saved_by=user, number__gt=last)
    mine = Membership.objects.filter(user=user, role__in=DECIDE).values("collection")
    requests = TopicReview.objects.filter(topic=OuterRef("pk"), verdict=ReviewVerdict.OPEN).exclude(requested_by=user)
    return Topic.objects.filter(Exists(requests), ~Exists(own), collection__in=mine)


def reviews_waiting(user: User) -> list[tuple[Collection, int]]:
    """How many such topics each of their collections has, where it has any; two queries at most."""
    counted = reviewable_by(user).order_by().values("collection").annotate(count=Count("pk"))
    counts = dict(counted.values_list("collection", "count"))
    found = Collection.objects.filter(pk__in=counts).order_by("title", "pk") if counts else []
    return [(collection, counts[collection.pk]) for collection in found]


def why_cannot_request_review(topic: Topic) -> str:
    """Why no review can be asked for now, or ""."""
    return NO_REQUEST.get(with_review_state(Topic.objects.filter(pk=topic.pk)).get().review_state, "")


def why_cannot_review(user: User, review: TopicReview, authors: set[int]) -> str:
    """Why this person cannot decide on the open review, or ""."""
    if review.requested_by_id == user.pk:
        return Reason("You asked for this review, so somebody else has to give it.", *asks_others(review.topic))
    if user.pk in authors:
        text = "You have changed this topic since it was last approved, so somebody else has to review it."
        return Reason(text, *asks_others(review.topic))
    return ""


def asks_others(topic: Topic) -> tuple[str, str, str]:
    """The page of the people who may review, as a remedy."""
    return "See who can review", "member_list", topic.collection.slug


def fetch_review_part(topic: Topic, user: User) -> ReviewPart:
    """What the page of a topic tells; five queries at most."""
    found = with_review_state(Topic.objects.filter(pk=topic.pk)).get()
    state = ReviewState(found.review_state)
    review = (
        topic.reviews.exclude(verdict=ReviewVerdict.WITHDRAWN)
        .select_related("version", "requested_by", "decided_by")
        .prefetch_related("remarks")
        .first()
    )
    waiting = review if state == ReviewState.WAITING else None
    return ReviewPart(
        state,
        review,
        NO_REQUEST.get(state, ""),
        why_cannot_review(user, waiting, authors_of(topic)) if waiting else "",
        review is not None and found.approved_as != found.reads_as,
    )


LONGEST_NOTE = 4_000  # characters


@transaction.atomic
def request_review(*, membership: Membership, at: datetime, topic: Topic, note: str = "") -> TopicReview:
    """Ask for a review of the topic as it is. Errors: Refused where one is open, or where it is approved as it is."""
    check_can_manage(membership)
    topic = locked_topic(topic)
    keep_first_versions([topic], at=at)
    if reason := why_cannot_request_review(topic):
        raise Refused(reason)
    newest = topic.versions.order_by("-number")[0]
    review = TopicReview.objects.create(
        topic=topic, version=newest, requested_by=membership.user, requested_at=at, request_note=_short(note)
    )
    _record(membership, at, "request_topic_review", topic, version=newest.number)
    return review


@transaction.atomic
def withdraw_review(*, membership: Membership, at: datetime, topic: Topic) -> None:
    """Take the open request back."""
    check_can_manage(membership)
    review = open_review(locked_topic(topic))
    if review is None:
        raise Refused("No review is waiting.")
    _decide(review, membership.user, at, ReviewVerdict.WITHDRAWN)
    _record(membership, at, "withdraw_topic_review", topic)


@transaction.atomic
def decide_review(
    *,
    membership: Membership,
    at: datetime,
    topic: Topic,
    seen: int,
    verdict: ReviewVerdict,
    note: str = "",
    remarks: Mapping[str, str] | None = None,
) -> TopicReview:
    """Approve the topic, or ask for changes, with remarks by the text of the aspect they are about.

    `seen` is the newest version the reviewer knows. Errors: Conflict where there is a newer one; Refused where no
    review is open, for who wrote the topic, and for asking for changes without saying which.
    """
    check_role(membership, *DECIDE)
    topic = locked_topic(topic)
    review = open_review(topic)
    if review is None:
        raise Conflict("No review is waiting. Somebody else may have decided, or the request was withdrawn.")
    if reason := why_cannot_review(membership.user, review, authors_of(topic)):
        raise Refused(reason)
    newest = topic.versions.order_by("-number")[0]
    if newest.number != seen:
        raise Conflict(CHANGED_SINCE)
    stored_remarks = {text: _short(remark) for text, remark in (remarks or {}).items() if remark.strip()}
    if verdict == ReviewVerdict.CHANGES and not stored_remarks and not note.strip():
        raise Refused("Describe the requested change in a remark on an aspect or in the note.")
    review.version, review.note = newest, _short(note)
    _decide(review, membership.user, at, verdict)
    AspectRemark.objects.bulk_create(
        AspectRemark(review=review, position=place, aspect_text=text, text=remark)
        for place, (text, remark) in enumerate(stored_remarks.items())
    )
    verb = "approve_topic" if verdict == ReviewVerdict.APPROVED else "ask_for_topic_changes"
    _record(membership, at, verb, topic, version=newest.number, remarks=len(stored_remarks))
    return review


def _decide(review: TopicReview, by: User, at: datetime, verdict: ReviewVerdict) -> None:
    review.verdict, review.decided_by, review.decided_at = verdict, by, at
    review.save(update_fields=["verdict", "decided_by", "decided_at", "version", "note"])


def _short(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise Refused(f"A note has at most {LONGEST_NOTE:,} characters.")
    return note


def _record(membership: Membership, at: datetime, verb: str, topic: Topic, **data: int) -> None:
    record_event(by=membership.user, at=at, verb=verb, target=topic, scope=topic.collection, **data)
