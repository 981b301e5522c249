"""The demo's complex queries in every state of the second person's review, with a little history."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from accounts.models import User
from config.demo.people import ADJUDICATOR, MANAGER
from corpus.models import Collection, Membership, ReviewVerdict, Topic
from corpus.topics.aspects import edit_aspect
from corpus.topics.reviews import decide_review, request_review

APPROVED, STALE, WAITING, SENT_BACK = "1", "2", "3", "4"
NOTE = "Two aspects could be read as one. Are they?"
REMARK = "Could somebody judge this from an abstract alone?"


def review_topics(collection: Collection, people: Mapping[str, User], at: datetime) -> None:
    """One topic approved, one changed since, one waiting, one sent back with a remark; the others as they came."""
    author = collection.memberships.get(user=people[MANAGER.name])
    reviewer = collection.memberships.get(user=people[ADJUDICATOR.name])
    found = collection.topics.filter(number__in=(APPROVED, STALE, WAITING, SENT_BACK))
    topics = {topic.number: topic for topic in found}
    for number in (APPROVED, STALE, SENT_BACK, WAITING):
        request_review(membership=author, at=at, topic=topics[number], note=NOTE if number == WAITING else "")
    for number in (APPROVED, STALE):
        _decide(reviewer, at + timedelta(hours=1), topics[number], ReviewVerdict.APPROVED, {})
    doubtful = topics[SENT_BACK].nodes.select_related("aspect").filter(parent=None).last()
    remarks = {doubtful.aspect.text: REMARK} if doubtful else {}
    _decide(reviewer, at + timedelta(hours=2), topics[SENT_BACK], ReviewVerdict.CHANGES, remarks)
    node = topics[STALE].nodes.select_related("aspect", "topic").filter(parent=None).last()
    if node is not None:
        everywhere = range(len(topics[STALE].sentences))
        edit_aspect(by=author.user, at=at + timedelta(hours=3), node=node, sentences=everywhere)


def _decide(
    reviewer: Membership, at: datetime, topic: Topic, verdict: ReviewVerdict, remarks: Mapping[str, str]
) -> None:
    seen = topic.versions.count()
    note = "Please look at the remark." if remarks else ""
    decide_review(membership=reviewer, at=at, topic=topic, seen=seen, verdict=verdict, note=note, remarks=remarks)
