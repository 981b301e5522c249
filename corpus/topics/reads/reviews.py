"""Where the second person's review of topics stands. An approval is of one content: any other makes it stale."""

from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Case, Count, Exists, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.models import User
from corpus.models import Collection, Membership, ReviewVerdict, Role, Topic, TopicKind, TopicReview, TopicVersion

REVIEWERS = (Role.MANAGER, Role.ADJUDICATOR)


class ReviewState(models.TextChoices):
    NONE = "none", "not reviewed"
    WAITING = "waiting", "waiting for a review"
    CHANGES = "changes", "changes asked for"
    APPROVED = "approved", "approved"
    STALE = "stale", "changed since it was approved"


NO_REQUEST: dict[str, str] = {
    ReviewState.WAITING: "A review has been asked for already.",
    ReviewState.APPROVED: "It is approved as it is.",
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
    mine = Membership.objects.filter(user=user, role__in=REVIEWERS).values("collection")
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
        return "You asked for this review, so somebody else has to give it."
    if user.pk in authors:
        return "You have changed this topic since it was last approved, so somebody else has to review it."
    return ""


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
