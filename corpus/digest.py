"""Lines of this app in a person's daily mail: topics that wait for their review."""

from collections.abc import Iterator
from datetime import datetime

from django.urls import reverse

from accounts.digests import Line, Notice
from accounts.models import User
from corpus.topics.reviews import reviews_waiting


def lines(user: User, since: datetime, now: datetime) -> Iterator[Line]:  # noqa: ARG001 - topics wait at any time
    """Collections with topics to review."""
    for collection, count in reviews_waiting(user):
        where = reverse("topic_list", args=[collection.slug]) + "?review=waiting"
        yield Line(Notice.WORK, f"{collection}: {count:,} to review", where)
