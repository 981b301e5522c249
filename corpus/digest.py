"""Lines of this app in a person's daily mail: topics that wait for their review, webhooks that were switched off."""

from collections.abc import Iterator
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.counting import numeral
from accounts.digests import Line, Notice
from accounts.models import User
from corpus.topics.reviews import reviews_waiting
from corpus.webhooks.delivering import switched_off


def lines(user: User, since: datetime, now: datetime) -> Iterator[Line]:
    """Collections with topics to review, whenever they were asked for; webhooks of the collections they manage."""
    for collection, count in reviews_waiting(user):
        where = reverse("topic_list", args=[collection.slug]) + "?review=waiting"
        yield Line(
            Notice.WORK, _("{collection}: {count} to review").format(collection=collection, count=numeral(count)), where
        )
    for webhook in switched_off(user, since, now):
        where = reverse("webhook_detail", args=[webhook.collection.slug, webhook.pk])
        yield Line(Notice.WEBHOOK, f"{webhook.collection}: {webhook.off_reason}", where)
