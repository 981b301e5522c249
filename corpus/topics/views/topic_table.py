"""The table of topics: its columns for each role, and what managers do with several topics at once."""

from django.http import HttpRequest
from django.utils import timezone

from corpus.collections.rules import can_manage, can_oversee
from corpus.models import Membership
from corpus.tables import Column, Step, Table, read_table
from corpus.topics.actions.reviews import request_review
from corpus.topics.actions.topics import delete_topic

COLUMNS = (
    Column("number", "Number", lambda topic: topic.number, ("number",)),
    Column("topic", "Topic", lambda topic: topic.title or topic.text, ("title", "text")),
    Column("text", "", lambda topic: topic.text),
    Column("kind", "", lambda topic: topic.kind),
    Column("aspects", "Aspects", lambda topic: topic.n_aspects, ("n_aspects",), is_number=True),
    Column("sub_aspects", "Sub-aspects", lambda topic: topic.n_sub_aspects, ("n_sub_aspects",), is_number=True),
)
# What is known to answer a topic would give judgments away to annotators.
FOR_OVERSEERS = (
    Column("source", "", lambda topic: topic.source),
    Column("review", "", lambda topic: topic.review_state),
    Column("pool", "Pool", lambda topic: topic.n_pool, ("n_pool",), is_number=True),
    Column("targets", "Targets", lambda topic: topic.n_targets, ("n_targets",), is_number=True),
)


def topic_table(request: HttpRequest, membership: Membership) -> Table:
    """As the member may see it; rows come from `with_counts` and, for overseers, `with_review_state`."""
    columns = COLUMNS + (FOR_OVERSEERS if can_oversee(membership) else ())
    steps = _steps(membership) if can_manage(membership) else ()
    return read_table(request, f"{membership.collection.slug}-topics", columns, steps)


def _steps(membership: Membership) -> tuple[Step, ...]:
    by, at = membership.user, timezone.now()
    return (
        Step(
            "review",
            "Ask for a review",
            "Reviews asked for",
            lambda topic: request_review(membership=membership, at=at, topic=topic),
        ),
        Step(
            "delete",
            "Delete",
            "Topics deleted",
            lambda topic: delete_topic(by=by, at=at, topic=topic),
            "Delete the selected topics with their aspects, targets and pools? Topics that a campaign needs stay.",
        ),
    )
