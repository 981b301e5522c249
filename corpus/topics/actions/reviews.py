"""A second person's review of a topic: requested, decided, withdrawn."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_can_manage, check_role
from corpus.models import AspectRemark, Membership, ReviewVerdict, Topic, TopicReview
from corpus.topics.actions.versions import CHANGED_SINCE
from corpus.topics.jobs.versions import keep_first_versions, locked_topic
from corpus.topics.reads.reviews import REVIEWERS, authors_of, open_review, why_cannot_request_review, why_cannot_review

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
    check_role(membership, *REVIEWERS)
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
        raise Refused("Say what is to change: in a remark on an aspect, or in the note.")
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
